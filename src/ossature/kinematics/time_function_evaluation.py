"""Values, derivatives and integrals of functions of time, in closed form."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import Vector
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

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def value_at(function: Function, times: ArrayLike) -> Vector:
    """Return the function's values at times [s]; an external function is zero."""
    t = np.asarray(times, dtype=float)
    match function:
        case ConstantFunction():
            return np.full_like(t, function.value)
        case RampFunction():
            return function.intercept + function.slope * t
        case PolynomialFunction():
            return np.asarray(np.polynomial.polynomial.polyval(t, function.coefficients))
        case SineFunction():
            return function.amplitude * np.sin(math.tau * function.frequency * t + function.phase) + function.offset
        case TableFunction():
            x, y, _ = _table_columns(function)
            return np.asarray(np.interp(t, x, y))
        case RepeatedFunction():
            return value_at(function.function, function.start + np.mod(t + function.shift, function.width))
        case ExternalFunction():
            return np.zeros_like(t)


def angle_at(function: Function, times: ArrayLike) -> Vector:
    """Return the function's values at times [s] as an angle [rad] that is continuous if a repetition jumps by whole turns."""
    values = value_at(function, times)
    turns = round(jump_of_repetition(function) / math.tau)
    if not (turns and isinstance(function, RepeatedFunction)):
        return values
    periods = np.floor_divide(np.asarray(times, dtype=float) + function.shift, function.width)
    return np.asarray(values - math.tau * turns * (periods - function.shift // function.width))


def jump_of_repetition(function: Function) -> float:
    """Return by how much the value changes from the end of a slice to its start; 0 for a function that is not repeated."""
    if not isinstance(function, RepeatedFunction):
        return 0.0
    first, last = value_at(function.function, (function.start, function.start + function.width)).tolist()
    return float(first - last)


def rate_at(function: Function, time: float) -> float:
    """Return the right derivative of the function at a time [s]."""
    match function:
        case RampFunction():
            return function.slope
        case PolynomialFunction():
            derivative = np.polynomial.polynomial.polyder(function.coefficients)
            return float(np.polynomial.polynomial.polyval(time, derivative))
        case SineFunction():
            omega = math.tau * function.frequency
            return function.amplitude * omega * math.cos(omega * time + function.phase)
        case TableFunction():
            x, y, _ = _table_columns(function)
            piece = int(np.searchsorted(x, time, side="right"))
            inside = 0 < piece < len(x)
            return float((y[piece] - y[piece - 1]) / (x[piece] - x[piece - 1])) if inside else 0.0
        case RepeatedFunction():
            return rate_at(function.function, function.start + (time + function.shift) % function.width)
    return 0.0


def integral_to(function: Function, times: ArrayLike) -> Vector:
    """Return the function's integrals from time zero to times [s], in closed form, without accumulated errors."""
    return _antiderivative(function, np.asarray(times, dtype=float)) - _antiderivative(function, np.zeros(()))


def mean_over_step(function: Function, times: ArrayLike, step: float) -> Vector:
    """Return the function's means over the half steps before and after times [s]; before time zero it has its value at zero.

    They give a force that jumps or bends within a step its exact impulse; a function without jumps and bends keeps its values.
    """
    if step == 0.0 or not isinstance(function, TableFunction | RepeatedFunction):
        return value_at(function, times)
    t = np.asarray(times, dtype=float)
    start, stop = t - 0.5 * step, t + 0.5 * step
    integral = _antiderivative(function, stop) - _antiderivative(function, np.maximum(start, 0.0))
    return np.asarray((integral + np.maximum(-start, 0.0) * value_at(function, 0.0)) / step)


def _antiderivative(function: Function, t: Vector) -> Vector:
    match function:
        case ConstantFunction():
            return function.value * t
        case RampFunction():
            return function.intercept * t + 0.5 * function.slope * t**2
        case PolynomialFunction():
            integral = np.polynomial.polynomial.polyint(function.coefficients)
            return np.asarray(np.polynomial.polynomial.polyval(t, integral))
        case SineFunction():
            return _sine_antiderivative(function, t)
        case TableFunction():
            return _table_antiderivative(function, t)
        case RepeatedFunction():
            return _repeated_antiderivative(function, t)
        case ExternalFunction():
            return np.zeros_like(t)


def _sine_antiderivative(function: SineFunction, t: Vector) -> Vector:
    omega = math.tau * function.frequency
    if omega == 0.0:
        return (function.amplitude * math.sin(function.phase) + function.offset) * t
    return function.offset * t - function.amplitude / omega * np.cos(omega * t + function.phase)


def _table_antiderivative(function: TableFunction, t: Vector) -> Vector:
    x, y, areas = _table_columns(function)
    inside = np.clip(t, x[0], x[-1])
    piece = np.clip(np.searchsorted(x, inside, side="right") - 1, 0, max(len(x) - 2, 0))
    elapsed = inside - x[piece]
    within = areas[piece] + elapsed * (y[piece] + np.interp(inside, x, y)) / 2.0
    return np.asarray(within + np.minimum(t - x[0], 0.0) * y[0] + np.maximum(t - x[-1], 0.0) * y[-1])


def _repeated_antiderivative(function: RepeatedFunction, t: Vector) -> Vector:
    inner, start, width = function.function, function.start, function.width
    periods = np.floor((t + function.shift) / width)
    rest = t + function.shift - periods * width
    first: Any = _antiderivative(inner, np.asarray(start))
    whole = _antiderivative(inner, np.asarray(start + width)) - first
    return np.asarray(periods * whole + _antiderivative(inner, start + rest) - first)


@lru_cache(maxsize=16)
def _table_columns(function: TableFunction) -> tuple[Vector, Vector, Vector]:
    """Return the arguments and values of the points of a table, and the areas below the curve up to each of them."""
    x, y = np.array(function.points, dtype=float).reshape(-1, 2).T.copy()
    areas = np.concatenate([[0.0], np.cumsum(np.diff(x) * (y[1:] + y[:-1]) / 2.0)])
    for column in (x, y, areas):
        column.flags.writeable = False
    return x, y, areas
