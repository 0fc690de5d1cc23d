"""Monitoring of penetration during a run."""

from __future__ import annotations

from typing import Protocol

import mujoco

from ossature.array_types import BoolArray
from ossature.diagnostics import Diagnostic, Report
from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation import rules
from ossature.simulation.capsule_box_distance import passes_through
from ossature.simulation.compile.contact_model import LARGEST_PENETRATION_M
from ossature.simulation.compile.engine_enumerations import BOX, CAPSULE, CYLINDER
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stepping.contact_tolerances import RECOVERY_SPEED
from ossature.simulation.stepping.penetrations import Penetration, select_penetration

_SPEED = f"{RECOVERY_SPEED * 1e3:g} mm/s"


class PenetrationRecorder(Protocol):
    """Contacts of either contact model, which record their deepest penetration."""

    @property
    def deepest(self) -> Penetration | None:
        """The deepest penetration so far beyond :data:`LARGEST_PENETRATION_M`; None if there was none."""


class CompliantContacts:
    """Records the penetration of compliant contacts, which the engine resolves by itself."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._data, self._step = data, float(model.opt.timestep)
        self.deepest: Penetration | None = None
        self._reported_depth = LARGEST_PENETRATION_M

    def record(self) -> None:
        """Record the contacts of the step that was just taken."""
        data = self._data
        distances = data.contact.dist
        number = int(distances.argmin()) if data.ncon else 0
        depth = -float(distances[number]) if data.ncon else 0.0
        were_apart = self._reported_depth <= LARGEST_PENETRATION_M
        if depth > self._reported_depth:
            first, second = data.contact.geom[number].tolist()
            # Contacts are those of the start of the step.
            found = Penetration(depth, max(float(data.time) - self._step, 0.0), (first, second))
            self.deepest = select_penetration(self.deepest, found, were_apart=were_apart)
            self._reported_depth = depth
        elif depth <= LARGEST_PENETRATION_M:
            self._reported_depth = LARGEST_PENETRATION_M


def compliant_contacts(compiled: EngineModel, data: mujoco.MjData) -> CompliantContacts | None:
    """Return a record of compliant contacts, or None if nothing can collide."""
    return CompliantContacts(compiled.model, data) if compiled.can_touch else None


class PenetrationMonitor:
    """Reports the deepest penetration of each pair of bodies beyond :data:`LARGEST_PENETRATION_M`.

    An overlap at the start is reported beside later ones of the same pair.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._last: Penetration | None = None
        self._deepest: dict[tuple[str, str, str], tuple[float, Diagnostic]] = {}

    def check(self, compiled: EngineModel, contacts: PenetrationRecorder) -> None:
        """Report the deepest penetration so far if it exceeds the bound, in place of a smaller one of the same bodies."""
        found = contacts.deepest
        if found is None or found is self._last:
            return
        self._last = found
        first, second = sorted(find_owner(compiled, geom) for geom in found.geoms)
        is_compliant = isinstance(contacts, CompliantContacts)
        finding = _describe(found, first, second, is_compliant=is_compliant, cause=cause_of_dampers(compiled))
        key = (finding.rule.name, first, second)
        depth, earlier = self._deepest.get(key, (0.0, None))
        if found.depth <= depth:
            return
        self._deepest[key] = (found.depth, finding)
        if earlier is None:
            self._report.add(finding.rule, finding.message, path=finding.path, hint=finding.hint)
        else:
            self._report.replace(earlier, finding)


def report_undetected_overlaps(compiled: EngineModel, data: mujoco.MjData, report: Report) -> None:
    """Report the pairs of bodies whose capsules pass through boxes, and have no contact in the data with up-to-date poses.

    Args:
        compiled: The compiled World, whose engine model is used by one thread.
    """
    model = compiled.model
    is_capsule, is_box = model.geom_type == CAPSULE, model.geom_type == BOX
    if not (is_capsule.any() and is_box.any()):
        return
    undetected = _pairs_with_cylinders(model, data, is_capsule) - {tuple(pair) for pair in data.contact.geom.tolist()}
    reported = set()
    for capsule, box in sorted(undetected):
        if not (is_capsule[capsule] and is_box[box] and passes_through(model, data, capsule, box)):
            continue
        first, second = find_owner(compiled, capsule), find_owner(compiled, box)
        if (first, second) not in reported:
            reported.add((first, second))
            message = f"a capsule of {first} passes through a box of {second}, and the engine finds no contact"
            report.add(rules.UNDETECTED_OVERLAP, message, path=first, hint="move the bodies apart, or use a cylinder")


def _pairs_with_cylinders(model: mujoco.MjModel, data: mujoco.MjData, is_capsule: BoolArray) -> set[tuple[int, ...]]:
    """Return the pairs of shapes in contact if capsules were cylinders.

    The engine detects all overlaps of cylinders and boxes; each encloses the axis of its capsule.
    """
    with suppress_engine_warnings(), temporary_engine_data(model) as scratch:
        scratch.qpos[:] = data.qpos
        scratch.mocap_pos[:], scratch.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        mujoco.mj_kinematics(model, scratch)
        model.geom_type[is_capsule] = CYLINDER
        try:
            mujoco.mj_collision(model, scratch)
        finally:
            model.geom_type[is_capsule] = CAPSULE
        return {tuple(pair) for pair in scratch.contact.geom.tolist()}


def cause_of_dampers(compiled: EngineModel) -> str:
    """Return why contacts are not exact with the dampers of the implicit integrator, to precede a remedy; empty if they are.

    The engine's contacts request velocities v' from the damping force -c v before the step, and the integrator then divides
    their impulses by 1 + h c/m: a body that closes the gap in a step h retains a share of its velocity that depends on h c/m.
    """
    if compiled.choice.integrator is not Integrator.IMPLICIT or not compiled.model.dof_damping.any():
        return ""
    return "the implicit integrator solves contacts as if dampers were explicit: use another --integrator, or "


def _describe(found: Penetration, first: str, second: str, *, is_compliant: bool, cause: str) -> Diagnostic:
    depth = f"{found.depth * 1e3:.3g} mm"
    if found.time <= 0.0:
        removal = "contacts are compliant" if is_compliant else f"the overlap is removed at {_SPEED}"
        message = f"{first} and {second} overlap by {depth} at the start; {removal}"
        hint = "move the bodies apart, or disable collisions of the pair"
        return Diagnostic(rule=rules.INITIAL_OVERLAP, message=message, path=first, hint=hint)
    message = f"{first} and {second} penetrated each other by {depth} at {found.time:.4g} s"
    remedy = "the time constant of contacts" if is_compliant else "the time step (--time-step)"
    hint = f"the bound is {LARGEST_PENETRATION_M * 1e3:g} mm; {cause}reduce {remedy}"
    return Diagnostic(rule=rules.PENETRATION, message=message, path=first, hint=hint)


def find_owner(compiled: EngineModel, geom: int) -> str:
    """Return the body of an engine geom, as ``MODEL/BODY``."""
    for model, bodies in compiled.index.bodies.items():
        for name, body in bodies.items():
            if geom in body.touching or geom in body.inner_geoms:
                return f"{model}/{name}"
    return str(compiled.model.geom(geom).name)
