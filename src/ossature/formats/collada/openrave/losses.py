"""What OpenRAVE ignores in a COLLADA document that is written for it."""

from __future__ import annotations

from ossature.diagnostics.ledger import Ledger
from ossature.kinematics import spanning_tree
from ossature.model import Body, Capsule, Model, Plane, World
from ossature.model.value_text import kind_text, value_text

OPENRAVE = "openrave"
"""The dialect."""


def record_ignored(world: World, ledger: Ledger) -> None:
    """Record joints and shapes of a World that OpenRAVE ignores, although the document contains them."""
    for model in world.models:
        _record_loops(model, ledger)
        for body in model.bodies:
            _record_shapes(body, f"{model.name}/{body.name}", ledger)


def _record_loops(model: Model, ledger: Ledger) -> None:
    for joint in spanning_tree(model).loop_joints:
        detail = "it closes a loop: OpenRAVE ignores <attachment_start> and <attachment_end>, and leaves the loop open"
        ledger.approximated(f"{model.name}/{joint.name}", detail, location=joint.origin)


def _record_shapes(body: Body, path: str, ledger: Ledger) -> None:
    for field in ("visuals", "collisions"):
        for index, shape in enumerate(getattr(body, field)):
            if isinstance(shape.geometry, Capsule | Plane):
                detail = f"OpenRAVE ignores a {kind_text(type(shape.geometry))}"
                before = value_text(shape.geometry, longest=None)
                ledger.approximated(f"{path}.{field}[{index}]", detail, before=before, location=shape.origin)
