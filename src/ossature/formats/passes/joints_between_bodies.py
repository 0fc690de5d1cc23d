"""The joints of a model that connect its bodies."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.diagnostics import Ledger
from ossature.model import Joint, Model


def joints_between_bodies(model: Model, ledger: Ledger) -> Iterator[Joint]:
    """Yield the joints between two bodies, or the world and one, that exist; the ledger receives the others."""
    for joint in model.joints:
        path = f"{model.name}/{joint.name}"
        if joint.child not in model.bodies or not (joint.parent is None or joint.parent in model.bodies):
            ledger.dropped(path, "it refers to an unknown body", location=joint.origin)
        elif joint.parent == joint.child:
            ledger.dropped(path, "it connects a body with itself", location=joint.origin)
        else:
            yield joint
