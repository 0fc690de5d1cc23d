"""Native extension of a model: world link, joints that are not axes, force elements, motors, and order of elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.native_extension.difference_encoding import (
    encode_difference,
    own_extras,
    own_fields,
    own_nodes,
    report_unreadable,
)
from ossature.formats.collada.native_extension.joint import coordinate_nodes, with_coordinates
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import Extension, Fixed, Joint, Model, NamedList
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

EXTRA = "model"
_WORLD_LINK, _NAME, _ORDER, _JOINT = "world_link", "name", "order", "joint"
_WRITTEN_ELSEWHERE = ("name", "pose", "bodies", "ignored_pairs", "manipulators", "sensors", "actuators", "hints")


def fixed_base_joint(body: str) -> Joint:
    """Return the joint that is read for a rigid body that is not dynamic."""
    return Joint(name=f"{body}_fixed", type=Fixed(), parent=None, child=body)


def model_extra(
    model: Model, whole: Sequence[Joint], extensions: tuple[Extension, ...], world_link: str | None, read: Model, ledger: Ledger
) -> tuple[ExtraElement, ...]:
    """Return the extension with the content of a model that the rest of the document does not state.

    Args:
        whole: Its joints that are written completely to this extension.
        extensions: Its extensions that are not written elsewhere.
        world_link: The link that represents the world, or None.
        read: The model that is read, with this extension applied except for the order.
        ledger: Collects what other programs ignore.
    """
    unwritten = replace(model, joints=NamedList(whole), extensions=extensions)
    written = {name: getattr(model, name) for name in _WRITTEN_ELSEWHERE}
    specified = encode_difference(model.name, unwritten, Model(**written), ledger)
    world = None if world_link is None else xml.element(_WORLD_LINK, {_NAME: world_link})
    return own_extras(EXTRA, [world, specified, _order_node(model, read)])


def _order_node(model: Model, read: Model) -> XmlNode | None:
    """Return an element with the order of bodies and joints, or None if they are read in that order."""
    orders = {
        "bodies": _indices_of_names(model.bodies.names(), read.bodies.names()),
        "joints": _indices_of_names(model.joints.names(), read.joints.names()),
    }
    attributes = {name: " ".join(map(str, order)) for name, order in orders.items() if order != sorted(order)}
    return xml.element(_ORDER, attributes) if attributes else None


def _indices_of_names(specified: Sequence[str], read: Sequence[str]) -> list[int]:
    indices = {name: index for index, name in enumerate(read)}
    return [indices[name] for name in specified if name in indices]


def with_model_extras(model: Model, extras: Iterable[ExtraElement], report: Report) -> Model:
    """Return a model with its native extension applied."""
    for node in own_nodes(extras, EXTRA):
        if node.tag == _WORLD_LINK:
            model = _without_world_link(model, node.attributes.get(_NAME, ""))
        elif node.tag == Model.__name__:
            model = _with_fields(model, own_fields(Model, node, report))
        elif node.tag == _ORDER:
            model = _with_order(model, node, report)
        elif node.tag == _JOINT:
            model = _with_joint(model, node, report)
    return model


def changed_joints(model: Model, known: Model, ledger: Ledger) -> tuple[ExtraElement, ...]:
    """Return the extension with the differences between joint coordinates and those of the robot's own file.

    Args:
        model: The robot.
        known: The robot in its own file.
        ledger: Collects what other programs ignore.
    """
    nodes = []
    for joint in model.joints:
        if joint.name in known.joints and joint.type == known.joints[joint.name].type:
            node = xml.element(_JOINT, {_NAME: joint.name})
            node.children = list(coordinate_nodes(joint, known.joints[joint.name], f"{model.name}/{joint.name}", ledger))
            nodes.append(node if node.children else None)
    return own_extras(EXTRA, nodes)


def _with_joint(model: Model, node: XmlNode, report: Report) -> Model:
    name = node.attributes.get(_NAME, "")
    joints = [with_coordinates(joint, node.children, report) if joint.name == name else joint for joint in model.joints]
    return replace(model, joints=NamedList(joints))


def _without_world_link(model: Model, name: str) -> Model:
    joints = [replace(joint, parent=None) if joint.parent == name else joint for joint in model.joints]
    return replace(
        model,
        bodies=NamedList([body for body in model.bodies if body.name != name]),
        joints=NamedList([joint for joint in joints if joint.child != name]),
    )


def _with_fields(model: Model, fields: dict[str, Any]) -> Model:
    own = list(fields.get("joints", ()))
    is_static = bool(fields.get("static"))
    fixed = {joint.child for joint in own if joint.is_fixed_to_world}
    joints = [joint for joint in model.joints if not (joint.is_fixed_to_world and (is_static or joint.child in fixed))]
    extensions = (*model.extensions, *fields.get("extensions", ()))
    others = {name: value for name, value in fields.items() if name not in ("joints", "extensions")}
    return replace(model, joints=NamedList([*joints, *own]), extensions=extensions, **others)


def _with_order(model: Model, node: XmlNode, report: Report) -> Model:
    try:
        return replace(
            model,
            bodies=_sort_by_names(model.bodies, node.attributes.get("bodies")),
            joints=_sort_by_names(model.joints, node.attributes.get("joints")),
        )
    except ValueError as error:
        report_unreadable(error, node, report)
        return model


def _sort_by_names(elements: NamedList[Any], order: str | None) -> NamedList[Any]:
    if order is None:
        return elements
    indices = [int(word) for word in order.split() if len(word) < 10]
    if sorted(indices) != list(range(len(elements))):
        raise ValueError(f"its order is not a permutation of the {len(elements)} elements")
    items = list(elements)
    return NamedList([items[index] for index in indices])
