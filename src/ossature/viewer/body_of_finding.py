"""The body that a finding is about."""

from __future__ import annotations

from ossature.diagnostics import Diagnostic, Location
from ossature.model import Model, World


def body_of_finding(finding: Diagnostic, world: World) -> tuple[str, str] | None:
    """Return the names of the model and the body that a finding is about, or None if there is none.

    A joint yields its child, a force element or a motor its first body. A finding without a path yields the body or joint
    that is defined at its location in the file.
    """
    if finding.path or finding.location is None:
        return body_of_path(finding.path, world)
    return _body_at_location(finding.location, world)


def body_of_path(path: str, world: World) -> tuple[str, str] | None:
    """Return the names of the model and the body of an element at a path, or None if there is none."""
    for model in world.models:
        if path.startswith(f"{model.name}/"):
            body = _body_at_path(model, path[len(model.name) + 1 :])
            return None if body is None else (model.name, body)
    return None


def _body_at_location(location: Location, world: World) -> tuple[str, str] | None:
    """Return the body, or the child of the joint, that is defined at a location: the last one that starts before it."""
    start = -1
    found = None
    for model in world.models:
        for element in (*model.bodies, *model.joints):
            origin = element.origin
            if origin is None or origin.offset is None or location.offset is None or origin.file != location.file:
                continue
            if start < origin.offset <= location.offset and (body := _body_of_element(model, element.name)) is not None:
                start, found = origin.offset, (model.name, body)
    return found


def _body_at_path(model: Model, path: str) -> str | None:
    # Names may contain dots and brackets, so the longest match counts.
    for end in range(len(path), 0, -1):
        if end < len(path) and path[end] not in ".[/":
            continue
        body = _body_of_element(model, path[:end])
        if body is not None:
            return body
    return None


def _body_of_element(model: Model, name: str) -> str | None:
    if name in model.bodies:
        return name
    joint = model.joints.get(name)
    if joint is not None and joint.child in model.bodies:
        return joint.child
    between = (model.motors, model.bushings, model.constraints, model.spring_dampers, model.rotational_spring_dampers)
    for elements in between:
        element = elements.get(name)
        if element is not None:
            return next((body for body in (element.body1, element.body2) if body is not None and body in model.bodies), None)
    for fixed in (model.sensors.get(name), model.loads.get(name)):
        if fixed is not None and fixed.body is not None and fixed.body in model.bodies:
            return fixed.body
    return None
