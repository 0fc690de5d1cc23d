"""A World in the engine: what compiling makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ossature.diagnostics import OssatureError, Report
from ossature.simulation.compile.address_map import AddressMap
from ossature.simulation.compile.contact_settings import ContactParameters
from ossature.simulation.compile.force_elements import Elements
from ossature.simulation.compile.grasps import GraspPlan
from ossature.simulation.compile.integrator_choice import IntegratorChoice
from ossature.simulation.compile.joint_couplings import CompiledCoupling


class SimulationError(OssatureError):
    """A World cannot be simulated, or its simulation cannot go on.

    Attributes:
        report: Every finding; the errors among them say why.
        recording: The :class:`ossature.simulation.Recording` of the samples before the error, the last finite state included;
            None outside :meth:`ossature.simulation.Simulation.run`.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        self.recording: Any = None
        super().__init__("\n".join(map(str, report.errors)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A World in the engine.

    Attributes:
        spec: The engine's specification.
        model: The engine's model.
        index: Where joints and bodies are.
        elements: Springs, bushings, loads and motors.
        choice: How it is stepped, and why.
        couplings: The joints that follow others.
        is_mechanism: Whether it has loops, motors or forces between bodies.
        holding: What hands hold.
        contacts: How contacts act.
    """

    spec: Any
    model: Any
    index: AddressMap
    elements: Elements
    choice: IntegratorChoice
    couplings: Sequence[CompiledCoupling]
    is_mechanism: bool
    holding: GraspPlan
    contacts: ContactParameters
