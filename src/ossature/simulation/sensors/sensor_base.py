"""The base of all simulated sensors: timing, the last reading, and saving and restoring the state."""

from __future__ import annotations

import copy
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.model import Model, Sensor
from ossature.model.sensor_fields import with_defaults
from ossature.simulation.sensors.reading_base import Reading
from ossature.simulation.sensors.sensor_context import SensorContext, WorldFrame

_TIME_TOLERANCE = 1e-6
"""Tolerance of measurement times for rounding, relative to the step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorState:
    """The state of a sensor as plain data.

    Attributes:
        is_on: Whether it measures periodically.
        began: The time at which it was switched on [s].
        count: The number of readings since.
        generator: The state of its random number generator.
    """

    is_on: bool
    began: float
    count: int
    generator: dict[str, Any]
    last: Reading | None
    type_state: dict[str, AnyArray]


class Device(ABC):
    """A sensor in a simulation.

    Args:
        seed: The seed of its noise; every sensor has its own noise.
    """

    TIMING: ClassVar[str] = "One reading at each measurement time, at the first step that is not before it."
    NOISE: ClassVar[str] = "None."
    READING: ClassVar[type[Reading]]

    def __init__(self, sensor: Sensor, model: Model, context: SensorContext, seed: int) -> None:
        assert sensor.body is not None and sensor.description is not None  # noqa: S101  # checked by the caller
        self.description, self.defaults = with_defaults(sensor.description)
        self._attach(sensor, model, context, seed)

    def _attach(self, sensor: Sensor, model: Model, context: SensorContext, seed: int) -> None:
        self.sensor = sensor
        self.path = f"{model.name}/{sensor.name}"
        self._model = model
        self._context = context
        self._body = 0 if sensor.body is None else context.compiled.index.bodies[model.name][sensor.body].number
        self._pose_in_body = WorldFrame(np.array(sensor.pose.position), np.ascontiguousarray(sensor.pose.matrix()[:3, :3]))
        self._is_on, self._start_time, self._count = False, 0.0, 0
        self._last: Reading | None = None
        self.seed(seed)

    # For users

    @property
    def period(self) -> float:
        """Time between two readings [s]."""
        return float(self.description.measurement_time)  # type: ignore[arg-type]  # a default is taken

    @property
    def is_on(self) -> bool:
        """Whether it measures periodically."""
        return self._is_on

    def start(self) -> None:
        """Measure periodically from now on; the first reading is taken at once."""
        with self._context.exclusive_use:
            self._is_on, self._start_time, self._count = True, self._context.time, 0
            self.reset()
            self.update(None)

    def stop(self) -> None:
        """Stop measuring; the last reading is kept."""
        self._is_on = False

    def read(self) -> Reading:
        """Return the last reading if the sensor is on, else a measurement of the present state."""
        with self._context.exclusive_use:
            return self._last if self._is_on and self._last is not None else self.sense()

    def seed(self, seed: int) -> None:
        """Seed the noise: the same seed gives the same noise."""
        self._random = np.random.default_rng([seed, zlib.crc32(self.path.encode())])

    def state(self) -> SensorState:
        """Return its state as plain data."""
        return SensorState(
            is_on=self._is_on,
            began=self._start_time,
            count=self._count,
            generator=copy.deepcopy(dict(self._random.bit_generator.state)),
            last=self._last,
            type_state=self._get_state(),
        )

    def restore(self, state: SensorState) -> None:
        """Restore a state."""
        self._is_on, self._start_time, self._count, self._last = state.is_on, state.began, state.count, state.last
        self._random.bit_generator.state = copy.deepcopy(state.generator)
        self._set_state(state.type_state)

    # For the simulation

    @property
    def next_time(self) -> float:
        """The time of its next measurement [s]."""
        return self._start_time + self._count * self.period

    @property
    def needs_every_step(self) -> bool:
        """Whether it is updated after every step, with the positions before it."""
        return False

    def steps_until_due(self, now: float, step: float) -> int:
        """Return the number of steps until its next update."""
        return 1 if self.needs_every_step else max(1, math.ceil((self.next_time - now) / step - _TIME_TOLERANCE))

    def is_due(self, now: float, step: float) -> bool:
        """Whether it is updated now."""
        return self.needs_every_step or now >= self.next_time - _TIME_TOLERANCE * step

    def update(self, before: Vector | None) -> Reading | None:
        """Take a reading and return it, or None if it is not complete yet.

        Args:
            before: The engine's positions before the last step, for sensors that need every step.
        """
        self._last = self.sense()
        self._schedule_next()
        return self._last

    def _schedule_next(self) -> None:
        """Schedule the next measurement time after the present time."""
        elapsed_periods = (self._context.time - self._start_time) / self.period
        self._count = max(self._count + 1, math.floor(elapsed_periods + _TIME_TOLERANCE) + 1)

    def reset(self) -> None:  # noqa: B027  # most have no history
        """Discard the history of measurements."""

    def _get_state(self) -> dict[str, AnyArray]:
        return {}

    def _set_state(self, saved_state: Mapping[str, AnyArray]) -> None:  # noqa: B027  # most have no state
        """Restore the state of its type."""

    @abstractmethod
    def sense(self) -> Reading:
        """Return a measurement of the present state."""

    # For subclasses

    def frame(self) -> WorldFrame:
        """Return its present frame in the world."""
        return self.frame_on(self._context.body_frame(self._body))

    def frame_on(self, body: WorldFrame) -> WorldFrame:
        """Return its frame in the world for a frame of its body."""
        return WorldFrame(
            body.position + body.rotation @ self._pose_in_body.position, body.rotation @ self._pose_in_body.rotation
        )

    def _stamp(self, frame: WorldFrame) -> dict[str, Any]:
        return {"sensor": self.path, "time": self._context.time, "pose_world_sensor": frame.pose()}
