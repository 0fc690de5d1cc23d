"""Writer of tendons, equality constraints and contact pairs of the model, as they are in MJCF."""

from __future__ import annotations

import numpy as np

from ossature.formats.mjcf.attribute_text import numbers_text, polynomial_text, specified_attributes
from ossature.formats.mjcf.write_context import MjcfDocument
from ossature.formats.mjcf.write_joint import bounds_text, range_text
from ossature.formats.mjcf.write_mujoco_hints import hint_attributes
from ossature.model import (
    Connection,
    ContactPair,
    Equality,
    FrameReference,
    JointEquality,
    JointSum,
    Model,
    MujocoConstraint,
    MujocoTendon,
    Pulley,
    Tendon,
    TendonEquality,
    ViaPoint,
    Weld,
    Wrapping,
    hint_of,
)
from ossature.spatial import IDENTITY, ZERO3, Pose
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number


def write_tendons(document: MjcfDocument, model: Model) -> None:
    """Add the tendons, equalities and contact pairs of a model."""
    for tendon in model.tendons:
        with document.dropping(f"{model.name}/{tendon.name}", tendon.origin):
            node = _tendon(document, model, tendon)
            document.tendon_names[model.name, tendon.name] = node.attributes["name"]
            document.tendons.append(node)
    for equality in model.equalities:
        with document.dropping(f"{model.name}/{equality.name}", equality.origin):
            document.equalities.append(_equality(document, model, equality))
    for pair in model.contact_pairs:
        with document.dropping(f"{model.name}/{pair.name}", pair.origin):
            document.contacts.append(_pair(document, model, pair))


def _pair(document: MjcfDocument, model: Model, pair: ContactPair) -> XmlNode:
    attributes = {"name": document.names.take("pair", model.name, pair.name, f"{model.name}/{pair.name}")} if pair.name else {}
    for number, shape in enumerate((pair.shape1, pair.shape2), start=1):
        attributes[f"geom{number}"] = document.geom_name(model, shape.body, shape.shape)
    if pair.margin:
        attributes["margin"] = format_number(pair.margin)
    return element("pair", attributes | hint_attributes(hint_of(pair, MujocoConstraint)))


def site_of(document: MjcfDocument, model: Model, frame: FrameReference) -> str:
    """Return the name of the site of a frame."""
    return document.site_name(model, frame.body, frame.frame)


def _tendon(document: MjcfDocument, model: Model, tendon: Tendon) -> XmlNode:
    name = document.names.take("tendon", model.name, tendon.name, f"{model.name}/{tendon.name}")
    attributes = {"name": name}
    limits = range_text(document, tendon.length_limits, f"{model.name}/{tendon.name}.length_limits")
    attributes |= specified_attributes(range=limits)
    if tendon.effort_limits.bounded:
        path = f"{model.name}/{tendon.name}.effort_limits"
        attributes["actuatorfrcrange"] = bounds_text(document, tendon.effort_limits, path)
    if tendon.rest_length is not None:
        rest = tendon.rest_length
        attributes["springlength"] = numbers_text((rest.lower,) if rest.lower == rest.upper else (rest.lower, rest.upper))
    hint = hint_of(tendon, MujocoTendon)
    dynamics = {name: polynomial_text(getattr(tendon, field), getattr(hint, field, None)) for field, name in _DYNAMICS.items()}
    appearance = tendon.appearance
    material = None if appearance is None else document.names.wanted("material", model.name, appearance)
    attributes |= specified_attributes(**dynamics, width=tendon.width, rgba=tendon.color, material=material)
    attributes |= hint_attributes(hint)
    if isinstance(tendon.path, JointSum):
        node = element("fixed", {name: value for name, value in attributes.items() if name not in _SPATIAL_ONLY})
        node.children = [
            element(
                "joint",
                {
                    "joint": document.joint_name(model, term.joint, term.coordinate),
                    "coef": format_number(term.coefficient),
                },
            )
            for term in tendon.path.terms
        ]
        return node
    node = element("spatial", attributes)
    for part in tendon.path.elements:
        if isinstance(part, ViaPoint):
            node.children.append(element("site", {"site": site_of(document, model, part.frame)}))
        elif isinstance(part, Wrapping):
            wrapped = {"geom": document.geom_name(model, part.shape.body, part.shape.shape)}
            side = {} if part.side is None else {"sidesite": site_of(document, model, part.side)}
            node.children.append(element("geom", wrapped | side))
        elif isinstance(part, Pulley):
            node.children.append(element("pulley", {"divisor": format_number(part.divisor)}))
    return node


_DYNAMICS = {"stiffness": "stiffness", "damping": "damping", "friction": "frictionloss", "armature": "armature"}
_SPATIAL_ONLY = ("width", "rgba", "material")


def _equality(document: MjcfDocument, model: Model, equality: Equality) -> XmlNode:
    path = f"{model.name}/{equality.name}"
    attributes = {"name": document.names.take("equality", model.name, equality.name, path)} if equality.name else {}
    kind = equality.type
    if isinstance(kind, JointEquality):
        tag = "joint"
        attributes["joint1"] = document.joint_name(model, kind.joint1, kind.coordinate1)
        if kind.joint2 is not None:
            attributes["joint2"] = document.joint_name(model, kind.joint2, kind.coordinate2)
        attributes["polycoef"] = numbers_text(kind.polynomial)
    elif isinstance(kind, TendonEquality):
        tag = "tendon"
        attributes["tendon1"] = document.tendon_name(model, kind.tendon1)
        if kind.tendon2 is not None:
            attributes["tendon2"] = document.tendon_name(model, kind.tendon2)
        attributes["polycoef"] = numbers_text(kind.polynomial)
    else:
        tag = "weld" if isinstance(kind, Weld) else "connect"
        attributes |= _ends(document, model, equality, kind)
    if not equality.active:
        attributes["active"] = "false"
    return element(tag, attributes | hint_attributes(hint_of(equality, MujocoConstraint)))


def _is_initial_pose(document: MjcfDocument, model: Model, weld: Weld) -> bool:
    """Whether a weld holds two bodies as they are in the initial state, which is MuJoCo's default."""
    poses = document.initial_poses(model)
    first, second = (IDENTITY if body is None else poses[body] for body in (weld.body1, weld.body2))
    return bool(np.abs((first.inverse() @ second).matrix() - weld.pose.matrix()).max() < _SAME_POSE)


_SAME_POSE = 1e-12


def _connected_points(
    document: MjcfDocument, model: Model, equality: Equality, kind: Connection, ends: dict[str, str]
) -> dict[str, str]:
    """Return the anchor of two bodies, or sites if the points do not coincide in the initial state, as MuJoCo assumes."""
    poses = document.initial_poses(model)
    bodies = (kind.body1, kind.body2)
    first, second = (IDENTITY if body is None else poses[body] for body in bodies)
    expected = (second.inverse() @ first).transform(kind.point1)
    if np.abs(np.subtract(expected, kind.point2)).max() < _SAME_POSE * (1.0 + np.abs(kind.point2).max()):
        return ends | {"anchor": numbers_text(kind.point1)}
    for field in ("frame1", "frame2"):
        detail = "sites, because the points are apart at the start"
        document.ledger.rewritten(f"{model.name}/{equality.name}.type.{field}", detail)
    names = (f"{equality.name}_{number}" for number in (1, 2))
    points = (kind.point1, kind.point2)
    sites = [document.add_site(model, body, name, Pose(point)) for body, name, point in zip(bodies, names, points, strict=True)]
    return {"site1": sites[0], "site2": sites[1]}


def _ends(document: MjcfDocument, model: Model, equality: Equality, kind: Connection | Weld) -> dict[str, str]:
    """Return the bodies or sites of a constraint, and where they are connected."""
    if kind.frame1 is not None and kind.frame2 is not None:
        ends = {"site1": site_of(document, model, kind.frame1), "site2": site_of(document, model, kind.frame2)}
    else:
        ends = {"body1": document.names.body(model.name, kind.body1)}
        if kind.body2 is not None:
            ends["body2"] = document.names.body(model.name, kind.body2)
    if isinstance(kind, Connection):
        return ends if "site1" in ends else _connected_points(document, model, equality, kind, ends)
    if "site1" not in ends and (kind.anchor != ZERO3 or not _is_initial_pose(document, model, kind)):
        ends["relpose"] = numbers_text((*kind.pose.position, *kind.pose.wxyz))
    if "site1" not in ends and kind.anchor != ZERO3:
        ends["anchor"] = numbers_text(kind.anchor)
    if kind.torque_scale != 1.0:
        ends["torquescale"] = format_number(kind.torque_scale)
    return ends
