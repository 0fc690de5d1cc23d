"""A World as text and as HTML, for terminals and notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from ossature.html_table import html_table
from ossature.model.joint import Joint
from ossature.model.model import Model
from ossature.model.value_text import kind_text, value_text


def world_tree(models: Iterable[Model]) -> str:
    """Return the bodies of models as a tree; a joint that closes a loop is shown with the name of its child only."""
    return "\n".join(line for model in models for line in _model_lines(model))


def _model_lines(model: Model) -> Iterator[str]:
    yield f"{model.name!r}: {model.summary}"
    children: dict[str | None, list[Joint]] = {}
    for joint in model.joints:
        children.setdefault(joint.parent, []).append(joint)
    moved = {joint.child for joint in model.joints if joint.parent in model.bodies or joint.parent is None}
    shown: set[str] = set()
    pending = [(1, joint) for joint in reversed(children.get(None, []))]
    roots = [body.name for body in reversed(model.bodies) if body.name not in moved]
    unconnected = list(reversed(model.bodies.names()))  # a loop without a connection to the world has no root
    while pending or roots or unconnected:
        if pending:
            depth, joint = pending.pop()
            name, text = joint.child, f"{joint.name!r} ({kind_text(type(joint.type))}): {joint.child!r}"
            text += " (closes a loop)" if name in shown else ""
        else:
            depth, name = 1, (roots or unconnected).pop()
            text = repr(name)
            if name in shown:
                continue
        yield f"{'  ' * depth}{text}"
        if name not in shown:
            shown.add(name)
            pending += [(depth + 1, inner) for inner in reversed(children.get(name, []))]


def world_html(models: Iterable[Model]) -> str:
    """Return tables of the joints and bodies of models; names are escaped."""
    return "".join(_model_html(model) for model in models) or "no models"


def _model_html(model: Model) -> str:
    joints = [
        (joint.name, kind_text(type(joint.type)), joint.parent or "", joint.child, _limits_text(joint))
        for joint in model.joints
    ]
    bodies = [
        (body.name, f"{body.inertial.mass:g}", str(len(body.visuals)), str(len(body.collisions))) for body in model.bodies
    ]
    return (
        f"<p><b>{html.escape(model.name)}</b>: {model.summary}</p>"
        + html_table(("joint", "type", "parent", "child", "limits"), joints)
        + html_table(("body", "mass [kg]", "visuals", "collisions"), bodies)
    )


def _limits_text(joint: Joint) -> str:
    return "; ".join(value_text(coordinate.position_limits) for coordinate in joint.coordinates)
