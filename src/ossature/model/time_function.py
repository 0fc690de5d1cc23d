"""Functions of time of motors and loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ossature.model.validated_element import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantFunction(Element):
    """One value for ever."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PolynomialFunction(Element):
    """A polynomial in time; coefficients from the constant one upwards."""

    coefficients: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SineFunction(Element):
    """``amplitude · sin(2π · frequency · t + phase) + offset``.

    Attributes:
        amplitude: Amplitude.
        frequency: Frequency [Hz].
        phase: Phase at time zero [rad].
        offset: Added constant.
    """

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RampFunction(Element):
    """``intercept + slope · t``."""

    slope: float
    intercept: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFunction(Element):
    """Straight lines between points (time [s], value), times growing; constant before the first and after the last."""

    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedFunction(Element):
    """A slice of another function, over and over: ``function(start + ((t + shift) mod width))``.

    Attributes:
        function: The function that is repeated.
        start: Start of its slice [s].
        width: How long the slice is [s]; positive.
        shift: Time within the slice at time zero [s].
    """

    function: ConstantFunction | PolynomialFunction | SineFunction | RampFunction | TableFunction
    start: float = 0.0
    width: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalFunction(Element):
    """Supplied by an external program during the simulation; zero until then."""


Function: TypeAlias = (
    ConstantFunction | PolynomialFunction | SineFunction | RampFunction | TableFunction | RepeatedFunction | ExternalFunction
)
"""Any function of time."""

CONSTANT_ONE: Function = ConstantFunction(value=1.0)
"""Constant one: a load without modulation."""

EXTERNAL: Function = ExternalFunction()
"""Supplied from outside."""
