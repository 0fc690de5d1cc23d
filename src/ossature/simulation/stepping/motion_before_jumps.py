"""Prescribed motions as if they did not jump: the forces of a sample before a jump do not include its impulse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np

from ossature.array_types import Vector
from ossature.model import DriveMode
from ossature.simulation.stepping.command_signals import SampledSignal, Signal
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.joint_drives import JointDrive, PrescribedMotion
from ossature.simulation.stepping.motor_and_load_inputs import MotorInput
from ossature.simulation.stepping.velocity_jump_times import Bounds, velocity_jumps

_PARTS = 16.0
"""Distance of the times from which a motion is extrapolated [parts of a step]."""


@dataclass(frozen=True, slots=True)
class Extrapolation:
    """Values that grow as a polynomial of second order from a time on.

    Attributes:
        time: The time [s].
        values: The values at this time.
        rates: Their rates.
        curvatures: The rates of these.
    """

    time: float
    values: Vector
    rates: Vector
    curvatures: Vector

    def at(self, time: float) -> Vector:
        """Return the values at a time [s]."""
        elapsed = time - self.time
        return np.asarray(self.values + elapsed * (self.rates + 0.5 * elapsed * self.curvatures))

    def integral(self, start: float, stop: float) -> Vector:
        """Return the integral of the values from one time to another [s]."""
        return self._integral_to(stop - self.time) - self._integral_to(start - self.time)

    def _integral_to(self, elapsed: float) -> Vector:
        return np.asarray(elapsed * (self.values + elapsed * (self.rates / 2.0 + elapsed * self.curvatures / 6.0)))


@contextmanager
def motion_without_jumps(
    inputs: Inputs, drives: Sequence[JointDrive], time: float, step: float, bounds: Bounds
) -> Iterator[None]:
    """Let the motors and drives whose velocity jumps in the step from a time on move on as before.

    Functions in Python are not known after the present time: they are not considered.

    Args:
        inputs: The inputs of the engine.
        drives: The drives of joints.
        time: The time [s].
        step: The length of a step [s].
        bounds: Which velocities jump.
    """
    end = time + step + 0.5 * bounds.short
    # Jumps are found from their beginning on, which rounding may place just before the time.
    start = time - 0.5 * bounds.short
    motors = [motor for motor in inputs.targeted_motors if _jumps([motor], [], start, end, bounds)]
    jumping = [drive for drive in drives if isinstance(drive, PrescribedMotion) and _jumps([], [drive], start, end, bounds)]
    if not (motors or jumping):
        yield
        return
    with ExitStack() as stack:
        for motor in motors:
            stack.enter_context(motor.moved_by(_motion_of(motor, time, step / _PARTS), time))
        for drive in jumping:
            if isinstance(drive.command, SampledSignal):
                stack.enter_context(drive.moved_by(_extrapolate_rate(drive.command.at, time, step / _PARTS)))
        stack.enter_context(inputs.without_precomputed())
        yield


def _jumps(motors: Sequence[MotorInput], drives: Sequence[JointDrive], start: float, stop: float, bounds: Bounds) -> bool:
    """Whether a velocity jumps, which takes less than a step, between two times [s]."""
    step = stop - start
    return any(jump.width < step for jump in velocity_jumps(motors, drives, start, stop, bounds))


def _motion_of(motor: MotorInput, time: float, distance: float) -> Signal:
    """Return the motion of a motor before a time as its command."""
    if motor.drive is DriveMode.SPEED:
        return _extrapolate_rate(lambda at: np.array([motor.rate(at)]), time, distance)
    now, before, earlier = (motor.values(np.array([time - number * distance])) for number in range(3))
    rate = (3.0 * now - 4.0 * before + earlier) / (2.0 * distance)
    return Extrapolation(time, now, rate, (now - 2.0 * before + earlier) / distance**2)


def _extrapolate_rate(rate: Callable[[float], Vector], time: float, distance: float) -> Signal:
    last, before = rate(time - distance), rate(time - 2.0 * distance)
    return Extrapolation(time, 2.0 * last - before, (last - before) / distance, np.zeros_like(last))
