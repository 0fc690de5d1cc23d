"""Signals: values over time, constant, sampled or computed by a function."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np

from ossature.argument_types import number_array, typed_arguments
from ossature.array_types import Array
from ossature.diagnostics.counted_nouns import counted

Values: TypeAlias = "float | Sequence[float]"


class Signal(Protocol):
    """Values over time, one for each coordinate."""

    def at(self, time: float) -> Array:
        """Return the values at a time [s]."""

    def integral(self, start: float, stop: float) -> Array:
        """Return the integral of the values from one time to another [s]."""


@dataclass(frozen=True, slots=True)
class Constant:
    """The same values at all times."""

    values: Array

    def at(self, time: float) -> Array:
        """Return the values."""
        return self.values

    def integral(self, start: float, stop: float) -> Array:
        """Return the integral of the values."""
        return self.values * (stop - start)


class SampledSignal:
    """Linear interpolation of samples, constant outside them; integrated exactly.

    Args:
        times: Times in increasing order [s], shape (n,).
        values: Values at these times, shape (n,) or (n, coordinates).

    Raises:
        ValueError: The times do not increase, or the counts differ.
    """

    def __init__(self, times: Sequence[float], values: Sequence[float] | Sequence[Sequence[float]]) -> None:
        self._times = number_array("times", times)
        if self._times.ndim != 1 or self._times.size == 0 or not (np.diff(self._times) > 0.0).all():
            raise ValueError("the times must be a sequence that increases, with at least one number")
        samples = number_array("values", values)
        if samples.ndim not in (1, 2) or len(samples) != len(self._times):
            count, number = counted(len(self._times), "time"), len(self._times)
            expected = f"the shape ({number},) or ({number}, coordinates)"
            raise ValueError(f"for {count} the values must have {expected}, not {samples.shape}")
        self._values = samples.reshape(len(self._times), -1)
        if not (np.isfinite(self._times).all() and np.isfinite(self._values).all()):
            raise ValueError("times and values must be finite")
        steps = np.diff(self._times)[:, None] * (self._values[:-1] + self._values[1:]) / 2.0
        self._integrals = np.vstack([np.zeros((1, self._values.shape[1])), np.cumsum(steps, axis=0)])
        self._time_list = self._times.tolist()

    def __repr__(self) -> str:
        samples = counted(len(self._times), "sample")
        return f"SampledSignal({samples} of {counted(self.width, 'value')}, {self._times[0]:g} to {self._times[-1]:g} s)"

    @property
    def times(self) -> Array:
        """The times [s]."""
        return self._times

    @property
    def values(self) -> Array:
        """The values at these times, shape (n, coordinates)."""
        return self._values

    @typed_arguments
    def equals(self, other: SampledSignal) -> bool:
        """Whether another sampled signal is equal."""
        return _are_equal(signal_state(self), signal_state(other))

    @property
    def width(self) -> int:
        """Number of values at each time."""
        return int(self._values.shape[1])

    def at(self, time: float) -> Array:
        """Return the values at a time [s].

        Raises:
            TypeError: The time is not a number.
            ValueError: The time is NaN.
        """
        index = self._count_until(time)
        if index == 0:
            return np.asarray(self._values[0])
        if index == len(self._time_list):
            return np.asarray(self._values[-1])
        start, stop = self._time_list[index - 1], self._time_list[index]
        share = (time - start) / (stop - start)
        return np.asarray((1.0 - share) * self._values[index - 1] + share * self._values[index])

    def integral(self, start: float, stop: float) -> Array:
        """Return the integral of the values from one time to another [s].

        Raises:
            TypeError: A time is not a number.
            ValueError: A time is not finite.
        """
        return self._integral_to(stop) - self._integral_to(start)

    def _integral_to(self, time: float) -> Array:
        index = self._count_until(time)
        if math.isinf(time):
            raise ValueError(f"a time must be finite, not {time}")
        if index == 0:
            return np.asarray((time - self._time_list[0]) * self._values[0])
        before = self._time_list[index - 1]
        return np.asarray(self._integrals[index - 1] + (time - before) * (self._values[index - 1] + self.at(time)) / 2.0)

    def _count_until(self, time: float) -> int:
        """Return the number of samples until a time [s]; this is called in each step, so that types are not examined."""
        try:
            count = bisect_right(self._time_list, time)
        except (TypeError, ValueError):
            raise TypeError(f"a time is a number, not {time!r:.80}") from None
        if math.isnan(time):
            raise ValueError("a time must be finite, not nan")
        return count


@dataclass(slots=True)
class CallbackSignal:
    """Values of a function of time; integrated by Simpson's rule.

    Attributes:
        last: The values at the time for which the function was called last; None before that.
    """

    function: Callable[[float], Values]
    width: int
    last: Array | None = field(default=None, init=False, compare=False)

    def at(self, time: float) -> Array:
        """Return the values at a time [s].

        Raises:
            ValueError: The function returns a wrong number of values, or one that is not finite.
        """
        self.last = self.evaluate(time)
        return self.last

    def evaluate(self, time: float) -> Array:
        """Return the values at a time [s] that need not be the present one.

        Raises:
            ValueError: The function returns a wrong number of values, or one that is not finite.
        """
        return _require_values(self.function(time), self.width)

    def integral(self, start: float, stop: float) -> Array:
        """Return the integral of the values from one time to another [s]."""
        middle = (start + stop) / 2.0
        return (self.at(start) + 4.0 * self.at(middle) + self.at(stop)) * ((stop - start) / 6.0)


def make_signal(values: Values | Signal | Callable[[float], Values], width: int) -> Signal:
    """Return numbers, a sampled signal or a function of time as a signal.

    Raises:
        ValueError: There are too many or too few numbers, or one is not finite.
    """
    if isinstance(values, SampledSignal):
        if values.width != width:
            raise ValueError(f"the signal has {counted(values.width, 'value')} at each time, not {width}")
        return values
    if isinstance(values, Constant | CallbackSignal) or (hasattr(values, "at") and hasattr(values, "integral")):
        return values
    return CallbackSignal(values, width) if callable(values) else Constant(_require_values(values, width))


def _require_values(values: Values, width: int) -> Array:
    try:
        array = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        raise ValueError(f"a command is a number, or a number for each coordinate, not {values!r:.80}") from None
    require_width(array, width)
    if not np.isfinite(array).all():
        raise ValueError(f"a command must be finite, not {values!r:.80}")
    return array


def require_width(values: Array, width: int) -> None:
    """Require that a command has one value for each coordinate.

    Raises:
        ValueError: It has others.
    """
    if values.shape != (width,):
        raise ValueError(f"a command needs {counted(width, 'value')}, not {values.size}")


def signal_state(command: Signal) -> dict[str, Array]:
    """Return a signal as plain arrays; a function of time is only marked as such."""
    if isinstance(command, SampledSignal):
        return {"times": command.times, "values": command.values.reshape(-1)}
    return {"constant": command.values} if isinstance(command, Constant) else {"function": np.zeros(0)}


def restore_signal(saved_state: Mapping[str, Array], present: Signal | None, width: int = 1) -> Signal:
    """Return the signal of a value of :func:`signal_state`; the present one if it is equal.

    Args:
        saved_state: That value.
        width: The number of values that the signal must have: one for each coordinate.

    Raises:
        ValueError: It was a function of time that is not present now, or it has another number of values.
    """
    if present is not None and _are_equal(signal_state(present), saved_state):
        return present
    if "function" in saved_state:
        raise ValueError("the command was a function of time, which cannot be saved")
    if "constant" in saved_state:
        _require_size(saved_state["constant"], width)
        return Constant(np.array(saved_state["constant"], dtype=float))
    times = saved_state["times"]
    _require_size(saved_state["values"], width * len(times))
    return SampledSignal(times.tolist(), saved_state["values"].reshape(len(times), width).tolist())


def _require_size(values: Array, size: int) -> None:
    if values.size != size:
        raise ValueError(f"the saved command has {counted(values.size, 'value')}, not {size}")
    if not np.isfinite(values).all():
        raise ValueError("the saved command is not finite")


def _are_equal(first: Mapping[str, Array], second: Mapping[str, Array]) -> bool:
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)
