"""Functions of time that begin later, or have other values by a constant."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

from ossature.model import (
    ConstantFunction,
    ExternalFunction,
    Function,
    PolynomialFunction,
    RampFunction,
    RepeatedFunction,
    SineFunction,
    TableFunction,
)

_FunctionT = TypeVar("_FunctionT", bound=Function)


def begin_at(function: Function, time: float) -> Function:
    """Return the function whose value at zero is that of a function at a time [s]; an external function is unchanged."""
    if time == 0.0:
        return function
    match function:
        case PolynomialFunction():
            return PolynomialFunction(coefficients=_taylor_coefficients(function.coefficients, time))
        case SineFunction():
            return replace(
                function, phase=math.fmod(function.phase + math.tau * math.fmod(function.frequency * time, 1.0), math.tau)
            )
        case RampFunction():
            return replace(function, intercept=function.intercept + function.slope * time)
        case TableFunction():
            return TableFunction(points=tuple([(at - time, value) for at, value in function.points]))
        case RepeatedFunction():
            return replace(function, shift=math.fmod(function.shift + time, function.width))
    return function


def _taylor_coefficients(coefficients: tuple[float, ...], at: float) -> tuple[float, ...]:
    """Return the coefficients of a polynomial in the distance from a point, by repeated synthetic division."""
    result = list(coefficients)
    for first in range(len(result) - 1):
        for power in range(len(result) - 2, first - 1, -1):
            result[power] += at * result[power + 1]
    return tuple(result)


def add_constant(function: _FunctionT, constant: float) -> _FunctionT:
    """Return the function with values that are larger by a constant; an external function is unchanged."""
    if constant == 0.0:
        return function
    match function:
        case ConstantFunction():
            return replace(function, value=function.value + constant)
        case PolynomialFunction():
            first, *others = function.coefficients or (0.0,)
            return replace(function, coefficients=(first + constant, *others))
        case SineFunction():
            return replace(function, offset=function.offset + constant)
        case RampFunction():
            return replace(function, intercept=function.intercept + constant)
        case TableFunction():
            return replace(function, points=tuple([(at, value + constant) for at, value in function.points]))
        case RepeatedFunction():
            return replace(function, function=add_constant(function.function, constant))
        case ExternalFunction():
            return function
    return function
