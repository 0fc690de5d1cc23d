"""Penetration of bodies during a run: what rigid contacts could not prevent."""

from __future__ import annotations

from ossature.diagnostics import Report
from ossature.simulation import rules
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.stepping.rigid_contacts import LARGEST_PENETRATION_M, RECOVERY_SPEED, RigidContacts

_SPEED = f"{RECOVERY_SPEED * 1e3:g} mm/s"


class PenetrationWatch:
    """Reports the first pair of bodies that penetrates each other beyond :data:`LARGEST_PENETRATION_M`.

    Args:
        report: Where findings go.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._reported: set[tuple[str, str]] = set()

    def check(self, compiled: Compiled, contacts: RigidContacts | None) -> None:
        """Look at the deepest penetration up to now.

        Args:
            compiled: The World in the engine.
            contacts: What resolves its contacts; None if there is no rigid contact.
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
            self._report.add(rules.OVERLAP_AT_START, message, path=first, hint="place them apart, or ignore the pair")
            return
        message = f"{first} and {second} penetrated each other by {depth} at {found.time:.4g} s"
        hint = f"rigid contacts keep within {LARGEST_PENETRATION_M * 1e3:g} mm; try a shorter --time-step"
        self._report.add(rules.PENETRATION, message, path=first, hint=hint)


def _owner(compiled: Compiled, geom: int) -> str:
    """Return the body that has one of the engine's geoms, as ``MODEL/BODY``."""
    for model, bodies in compiled.index.bodies.items():
        for name, body in bodies.items():
            if geom in body.touching or geom in body.inner_geoms:
                return f"{model}/{name}"
    return str(compiled.model.geom(geom).name)
