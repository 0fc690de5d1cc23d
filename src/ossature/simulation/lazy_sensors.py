"""Sensors that are built on first use, and whose state is part of the simulation's checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from weakref import WeakMethod

import numpy as np

from ossature.array_types import AnyArray
from ossature.simulation.stateful_components import ComponentState

if TYPE_CHECKING:
    from ossature.simulation.sensors import Sensors

_PACKED = "packed"


class LazySensors:
    """The sensors of a simulation, built on first use.

    Args:
        build: The method of the simulation that builds them. The simulation is not kept alive: its memory is freed as soon as
            nothing else refers to it.
    """

    def __init__(self, build: Callable[[], Sensors]) -> None:
        self._method = WeakMethod(build)
        self._sensors: Sensors | None = None

    def _build(self) -> Sensors:
        build = self._method()
        assert build is not None  # noqa: S101  # only the simulation calls this
        return build()

    @property
    def sensors(self) -> Sensors:
        """The sensors."""
        if self._sensors is None:
            self._sensors = self._build()
        return self._sensors

    @property
    def is_built(self) -> bool:
        """Whether the sensors have been built."""
        return self._sensors is not None

    def rebuild(self) -> None:
        """Rebuild sensors that have been built for another compilation of the World; their state is kept."""
        if self._sensors is not None:
            before = self._sensors
            self._sensors = self._build()
            self._sensors.adopt(before)

    @property
    def active(self) -> bool:
        """Whether any sensor measures at its own times."""
        return self._sensors is not None and bool(self._sensors.active)

    def get_state(self) -> ComponentState:
        """Return the state of the sensors; empty if they have not been built."""
        return {} if self._sensors is None else {_PACKED: np.frombuffer(self._sensors.to_bytes(), np.uint8).copy()}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore a state that :meth:`get_state` returned; if it is empty, sensors are off and start anew, as they were built.

        Raises:
            ValueError: It is not a state of these sensors.
        """
        if _PACKED in saved_state:
            self.sensors.restore_bytes(np.asarray(saved_state[_PACKED], np.uint8).tobytes())
        elif self._sensors is not None:
            self._sensors.reset()
