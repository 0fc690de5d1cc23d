"""A compiled World: the engine's model, and the map from the World to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mujoco

from ossature.diagnostics import FindingsError, Report
from ossature.diagnostics.resource_limits import OUT_OF_MEMORY
from ossature.model import Geometry, World
from ossature.simulation.compile.address_map import AddressMap
from ossature.simulation.compile.contact_model import ContactParameters
from ossature.simulation.compile.engine_spec import EngineSpec
from ossature.simulation.compile.force_elements import Elements
from ossature.simulation.compile.geoms import MeshShape
from ossature.simulation.compile.grasp_attachment import GraspPlan
from ossature.simulation.compile.inertia import SubstitutedInertia
from ossature.simulation.compile.integrator_choice import IntegratorChoice
from ossature.simulation.compile.joint_couplings import CompiledCoupling
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineModel:
    """The engine's model of a World, and where the elements of the World are in it.

    Attributes:
        spec: The engine's specification, as it was compiled.
        substituted: Inertias that the engine's compiler rejects, which were set in the model afterwards.
        has_engine_warnings: Whether the engine's compiler gave a warning.
        index: Addresses of joints and bodies.
        elements: Force elements: springs, bushings, loads and motors.
        choice: The integrator, and the reason for it.
        couplings: The coupled coordinates.
        is_mechanism: Whether it has loops, motors or force elements.
        shapes: The meshes of its shapes.
    """

    spec: EngineSpec
    model: mujoco.MjModel
    substituted: tuple[SubstitutedInertia, ...]
    has_engine_warnings: bool
    index: AddressMap
    elements: Elements
    choice: IntegratorChoice
    couplings: Sequence[CompiledCoupling]
    is_mechanism: bool
    shapes: Mapping[Geometry, MeshShape]
    grasp_plan: GraspPlan
    contacts: ContactParameters
