"""Errors of Worlds that cannot be simulated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mujoco

from ossature.diagnostics import FindingsError, Report
from ossature.diagnostics.resource_limits import OUT_OF_MEMORY
from ossature.model import World
from ossature.simulation.compile.rules import ENGINE_COMPILE_ERROR


class SimulationError(FindingsError):
    """A World cannot be simulated, or its simulation cannot continue.

    Attributes:
        recording: The :class:`ossature.simulation.Recording` of the samples before the error, including the last finite state;
            None outside :meth:`ossature.simulation.Simulation.run`.
    """

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.recording: Any = None

    def __str__(self) -> str:
        return "\n".join(map(str, self.report.errors))


@contextmanager
def engine_errors(world: World, report: Report) -> Iterator[None]:
    """Raise a lack of memory, and what the engine cannot simulate, as :class:`SimulationError`; the report contains it."""
    try:
        yield
    except MemoryError as error:
        reason = f": {error}" if str(error) else ""
        report.add(OUT_OF_MEMORY, f"there is not enough memory to simulate this model{reason}", world.origin)
        raise SimulationError(report) from error
    except mujoco.FatalError as error:
        report.add(ENGINE_COMPILE_ERROR, f"MuJoCo cannot simulate this model: {error}", world.origin)
        raise SimulationError(report) from error
