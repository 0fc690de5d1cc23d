"""Monitoring of penetration during a run."""

from __future__ import annotations

from typing import Protocol

import mujoco

from ossature.diagnostics import Report
from ossature.simulation import rules
from ossature.simulation.compile.collision_filter import can_collide
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.stepping.rigid_contacts import LARGEST_PENETRATION_M, RECOVERY_SPEED, Penetration, deeper

_SPEED = f"{RECOVERY_SPEED * 1e3:g} mm/s"


class PenetrationRecorder(Protocol):
    """Contacts of either contact model, which record their deepest penetration."""

    @property
    def deepest(self) -> Penetration | None:
        """The deepest penetration so far beyond :data:`LARGEST_PENETRATION_M`; None if there was none."""


class CompliantContacts:
    """Records the deepest penetration of compliant contacts, which the engine resolves by itself."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._data, self._step = data, float(model.opt.timestep)
        self.deepest: Penetration | None = None

    def record(self) -> None:
        """Record the contacts of the step that was just taken."""
        data = self._data
        if not data.ncon:
            return
        distances = data.contact.dist
        number = int(distances.argmin())
        depth = -float(distances[number])
        if depth > LARGEST_PENETRATION_M and (self.deepest is None or depth > self.deepest.depth):
            first, second = data.contact.geom[number].tolist()
            # Contacts are those of the start of the step.
            found = Penetration(depth, max(float(data.time) - self._step, 0.0), (first, second))
            self.deepest = deeper(self.deepest, found)


def compliant_contacts(model: mujoco.MjModel, data: mujoco.MjData) -> CompliantContacts | None:
    """Return a record of compliant contacts, or None if nothing can collide."""
    return CompliantContacts(model, data) if can_collide(model) else None


class PenetrationMonitor:
    """Reports the first pair of bodies that penetrates each other beyond :data:`LARGEST_PENETRATION_M`."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._reported: set[tuple[str, str]] = set()

    def check(self, compiled: EngineModel, contacts: PenetrationRecorder) -> None:
        """Report the deepest penetration so far if it exceeds the bound."""
        found = contacts.deepest
        if found is None:
            return
        first, second = sorted(find_owner(compiled, geom) for geom in found.geoms)
        if (first, second) in self._reported:
            return
        self._reported.add((first, second))
        is_compliant = isinstance(contacts, CompliantContacts)
        depth = f"{found.depth * 1e3:.3g} mm"
        if found.time <= 0.0:
            removal = "contacts are compliant" if is_compliant else f"the overlap is removed at {_SPEED}"
            message = f"{first} and {second} overlap by {depth} at the start; {removal}"
            self._report.add(
                rules.INITIAL_OVERLAP, message, path=first, hint="move the bodies apart, or disable collisions of the pair"
            )
            return
        message = f"{first} and {second} penetrated each other by {depth} at {found.time:.4g} s"
        remedy = "the time constant of contacts" if is_compliant else "the time step (--time-step)"
        hint = f"the bound is {LARGEST_PENETRATION_M * 1e3:g} mm; reduce {remedy}"
        self._report.add(rules.PENETRATION, message, path=first, hint=hint)


def find_owner(compiled: EngineModel, geom: int) -> str:
    """Return the body of an engine geom, as ``MODEL/BODY``."""
    for model, bodies in compiled.index.bodies.items():
        for name, body in bodies.items():
            if geom in body.touching or geom in body.inner_geoms:
                return f"{model}/{name}"
    return str(compiled.model.geom(geom).name)
