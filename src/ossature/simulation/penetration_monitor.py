"""Monitoring of penetration during a run."""

from __future__ import annotations

from ossature.diagnostics import Report
from ossature.simulation import rules
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.stepping.rigid_contacts import LARGEST_PENETRATION_M, RECOVERY_SPEED, RigidContacts

_SPEED = f"{RECOVERY_SPEED * 1e3:g} mm/s"


class PenetrationMonitor:
    """Reports the first pair of bodies that penetrates each other beyond :data:`LARGEST_PENETRATION_M`.

    Args:
        report: Collects the findings.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._reported: set[tuple[str, str]] = set()

    def check(self, compiled: Compiled, contacts: RigidContacts | None) -> None:
        """Report the deepest penetration so far if it exceeds the bound.

        Args:
            compiled: The compiled World.
            contacts: The solver of rigid contacts; None if there are none.
        """
        found = None if contacts is None else contacts.deepest
        if found is None:
            return
        first, second = sorted(_owner(compiled, geom) for geom in found.geoms)
        if (first, second) in self._reported:
            return
        self._reported.add((first, second))
        depth = f"{found.depth * 1e3:.3g} mm"
        if found.time <= 0.0:
            message = f"{first} and {second} overlap by {depth} at the start; the overlap is removed at {_SPEED}"
            self._report.add(
                rules.INITIAL_OVERLAP, message, path=first, hint="move the bodies apart, or disable collisions of the pair"
            )
            return
        message = f"{first} and {second} penetrated each other by {depth} at {found.time:.4g} s"
        hint = f"the bound is {LARGEST_PENETRATION_M * 1e3:g} mm; reduce the time step (--time-step)"
        self._report.add(rules.PENETRATION, message, path=first, hint=hint)


def _owner(compiled: Compiled, geom: int) -> str:
    """Return the body of an engine geom, as ``MODEL/BODY``."""
    for model, bodies in compiled.index.bodies.items():
        for name, body in bodies.items():
            if geom in body.touching or geom in body.inner_geoms:
                return f"{model}/{name}"
    return str(compiled.model.geom(geom).name)
