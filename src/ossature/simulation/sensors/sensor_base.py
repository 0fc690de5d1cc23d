"""What all sensors do: sense at their own times, keep the last reading, and tell and take back their state."""

from __future__ import annotations

import copy
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ossature.model import Model, Sensor
from ossature.model.sensor_fields import with_defaults
from ossature.simulation.sensors.sensor_context import SensorContext, WorldFrame
from ossature.simulation.sensors.sensor_reading import Reading
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_SAME_INSTANT = 1e-6
"""Share of a step by which an instant may be missed, for rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorState:
    """All that a sensor remembers, as plain data.

    Attributes:
        is_on: Whether it senses at its own times.
        began: When it was switched on [s].
        count: How many readings it has taken since.
        generator: State of its source of noise.
        last: Its last reading.
        memory: What else its type remembers, as arrays.
    """

    is_on: bool
    began: float
    count: int
    generator: dict[str, Any]
    last: Reading | None
    memory: dict[str, NDArray[Any]]


class Device(ABC):
    """A sensor in a simulation.

    Args:
        sensor: The sensor.
        model: Its model.
        surroundings: What it senses.
        seed: Where its noise begins; every sensor has noise of its own.
    """

    TIMING: ClassVar[str] = "One reading at each measurement time, of the first step that is not before it."
    NOISE: ClassVar[str] = "None."
    READING: ClassVar[type[Reading]]

    def __init__(self, sensor: Sensor, model: Model, surroundings: SensorContext, seed: int) -> None:
        assert sensor.body is not None and sensor.description is not None  # noqa: S101  # others have no device
        self.sensor = sensor
        self.path = f"{model.name}/{sensor.name}"
        self.description, self.defaults = with_defaults(sensor.description)
        self._model = model
        self._around = surroundings
        self._body = surroundings.compiled.index.bodies[model.name][sensor.body].number
        self._inner = _frame(sensor.pose)
        self._is_on, self._began, self._count = False, 0.0, 0
        self._last: Reading | None = None
        self.seed(seed)

    # For users

    @property
    def period(self) -> float:
        """Time between two readings [s]."""
        return float(self.description.measurement_time)  # type: ignore[arg-type]  # a default is taken

    @property
    def is_on(self) -> bool:
        """Whether it senses at its own times."""
        return self._is_on

    def start(self) -> None:
        """Sense at the measurement times from now on; the first reading is taken at once."""
        with self._around.exclusive_use:
            self._is_on, self._began, self._count = True, self._around.time, 0
            self.begin()
            self.after(None)

    def stop(self) -> None:
        """Sense no more; the last reading stays."""
        self._is_on = False

    def read(self) -> Reading:
        """Return the last reading of a sensor that is switched on; of another one what it senses now."""
        with self._around.exclusive_use:
            return self._last if self._is_on and self._last is not None else self.sense()

    def seed(self, seed: int) -> None:
        """Let noise begin anew: the same seed gives the same noise."""
        self._random = np.random.default_rng([seed, zlib.crc32(self.path.encode())])

    def state(self) -> SensorState:
        """Return all that it remembers, as plain data."""
        return SensorState(
            is_on=self._is_on,
            began=self._began,
            count=self._count,
            generator=copy.deepcopy(dict(self._random.bit_generator.state)),
            last=self._last,
            memory=self._memory(),
        )

    def restore(self, state: SensorState) -> None:
        """Go back to a state."""
        self._is_on, self._began, self._count, self._last = state.is_on, state.began, state.count, state.last
        self._random.bit_generator.state = copy.deepcopy(state.generator)
        self._recall(state.memory)

    # For the simulation

    @property
    def due(self) -> float:
        """When it next has to be asked [s]."""
        return self._began + self._count * self.period

    @property
    def watches_steps(self) -> bool:
        """Whether it has to be asked after every step, with the positions before it."""
        return False

    def steps_until_due(self, now: float, step: float) -> int:
        """Return after how many steps it has to be asked."""
        if self.watches_steps:
            return 1
        return max(1, math.ceil((self.due - now) / step - _SAME_INSTANT))

    def is_due(self, now: float, step: float) -> bool:
        """Whether it has to be asked now."""
        return self.watches_steps or now >= self.due - _SAME_INSTANT * step

    def after(self, before: Vector | None) -> Reading | None:
        """Take a reading and return it, or None where it is not complete yet.

        Args:
            before: The engine's positions one step ago, for sensors that watch steps.
        """
        self._last = self.sense()
        self._wait()
        return self._last

    def _wait(self) -> None:
        """Wait for the next measurement time that is still to come."""
        passed = (self._around.time - self._began) / self.period
        self._count = max(self._count + 1, math.floor(passed + _SAME_INSTANT) + 1)

    def begin(self) -> None:  # noqa: B027  # most have nothing to forget
        """Forget what was sensed before."""

    def _memory(self) -> dict[str, NDArray[Any]]:
        """Return what its type remembers."""
        return {}

    def _recall(self, memory: Mapping[str, NDArray[Any]]) -> None:  # noqa: B027  # most remember nothing
        """Take back what its type remembers."""

    @abstractmethod
    def sense(self) -> Reading:
        """Return what it senses now."""

    # For its kinds

    def frame(self) -> WorldFrame:
        """Return its frame in the world now."""
        return self.frame_on(self._around.body_frame(self._body))

    def frame_on(self, body: WorldFrame) -> WorldFrame:
        """Return its frame where its body has a frame."""
        return WorldFrame(body.position + body.rotation @ self._inner.position, body.rotation @ self._inner.rotation)

    def _stamp(self, frame: WorldFrame) -> dict[str, Any]:
        return {"sensor": self.path, "time": self._around.time, "pose_world_sensor": frame.pose()}


def _frame(pose: Pose) -> WorldFrame:
    return WorldFrame(np.array(pose.position), np.ascontiguousarray(pose.matrix()[:3, :3]))
