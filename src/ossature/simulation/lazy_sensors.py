"""Sensors that are built when somebody asks for them, and whose state goes with the simulation's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.simulation.checkpointing import Memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ossature.simulation.sensors import Sensors

_PACKED = "packed"


class LazySensors:
    """The sensors of a simulation, or none as long as nobody asks.

    Args:
        build: Returns them.
    """

    def __init__(self, build: Callable[[], Sensors]) -> None:
        self._build = build
        self._sensors: Sensors | None = None

    @property
    def sensors(self) -> Sensors:
        """The sensors."""
        if self._sensors is None:
            self._sensors = self._build()
        return self._sensors

    @property
    def is_built(self) -> bool:
        """Whether somebody has asked for them."""
        return self._sensors is not None

    def build_anew(self) -> None:
        """Build sensors that are built already for another compilation of the World, in which they go on."""
        if self._sensors is not None:
            before = self._sensors
            self._sensors = self._build()
            self._sensors.adopt(before)

    @property
    def active(self) -> bool:
        """Whether any of them senses at its own times."""
        return self._sensors is not None and bool(self._sensors.active)

    def memory(self) -> Memory:
        """Return what they remember; nothing where nobody has asked for them."""
        if self._sensors is None:
            return {}
        return {_PACKED: np.frombuffer(self._sensors.to_bytes(), np.uint8).copy()}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave.

        Raises:
            ValueError: It is not what these sensors remember.
        """
        if _PACKED in memory:
            self.sensors.restore_bytes(np.asarray(memory[_PACKED], np.uint8).tobytes())
