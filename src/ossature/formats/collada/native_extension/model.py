"""What Ossature itself says about a model: the link that is the world, joints that are no axes, springs, motors, order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.native_extension.encode import (
    encode_difference,
    own_extras,
    own_fields,
    own_nodes,
    report_nonsense,
)
from ossature.formats.collada.native_extension.joint import coordinate_nodes, with_coordinates
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import Extension, Fixed, Joint, Model, NamedList
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

EXTRA = "model"
_WORLD_LINK, _NAME, _ORDER, _JOINT = "world_link", "name", "order", "joint"
_WRITTEN_ELSEWHERE = ("name", "pose", "bodies", "ignored_pairs", "manipulators", "sensors", "actuators", "interface")
_WRITTEN_BESIDE = ("joints", "extensions")


def fixed_base_joint(body: str) -> Joint:
    """Return the joint that is read for a rigid body that never moves."""
    return Joint(name=f"{body}_held", type=Fixed(), parent=None, child=body)


def model_extra(
    model: Model, whole: Sequence[Joint], extensions: tuple[Extension, ...], world_link: str | None, read: Model, ledger: Ledger
) -> tuple[ExtraElement, ...]:
    """Return the extension that says about a model what the rest of the document does not.

    Args:
        model: The model.
        whole: Its joints that nothing else says.
        extensions: Those of its extensions that nothing else says.
        world_link: The link that stands for the world, or None.
        read: The model as it is read, with this extension but without its order.
        ledger: Where goes what other programs will skip.
    """
    unsaid = replace(model, joints=NamedList(whole), extensions=extensions)
    written = {name: getattr(model, name) for name in _WRITTEN_ELSEWHERE}
    stated = encode_difference(model.name, unsaid, Model(**written), ledger)
    world = None if world_link is None else xml.element(_WORLD_LINK, {_NAME: world_link})
    return own_extras(EXTRA, [world, stated, _order(model, read)])


def _order(model: Model, read: Model) -> XmlNode | None:
    """Return the element that says in which order bodies and joints come, or None where that is the one that is read."""
    orders = {
        "bodies": _places(model.bodies.names(), read.bodies.names()),
        "joints": _places(model.joints.names(), read.joints.names()),
    }
    attributes = {name: " ".join(map(str, order)) for name, order in orders.items() if order != sorted(order)}
    return xml.element(_ORDER, attributes) if attributes else None


def _places(stated: Sequence[str], read: Sequence[str]) -> list[int]:
    """Return where each name stands among those that are read."""
    places = {name: index for index, name in enumerate(read)}
    return [places[name] for name in stated if name in places]


def with_model_extras(model: Model, extras: Iterable[ExtraElement], report: Report) -> Model:
    """Return a model with what Ossature's own extension says about it."""
    for node in own_nodes(extras, EXTRA):
        if node.tag == _WORLD_LINK:
            model = _without_world_link(model, node.attributes.get(_NAME, ""))
        elif node.tag == Model.__name__:
            model = _with_fields(model, own_fields(Model, node, report))
        elif node.tag == _ORDER:
            model = _in_order(model, node, report)
        elif node.tag == _JOINT:
            model = _with_joint(model, node, report)
    return model


def changed_joints(model: Model, known: Model, ledger: Ledger) -> tuple[ExtraElement, ...]:
    """Return the extension that says how the coordinates of joints differ from what a robot's own file says.

    Args:
        model: The robot.
        known: The robot as its own file has it.
        ledger: Where goes what other programs will skip.
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
    held = {joint.child for joint in own if joint.parent is None and isinstance(joint.type, Fixed)}
    joints = [joint for joint in model.joints if not (_is_implied(joint) and (is_static or joint.child in held))]
    extensions = (*model.extensions, *fields.get("extensions", ()))
    others = {name: value for name, value in fields.items() if name not in _WRITTEN_BESIDE}
    return replace(model, joints=NamedList([*joints, *own]), extensions=extensions, **others)


def _is_implied(joint: Joint) -> bool:
    """Whether a joint stands for nothing but that a rigid body does not move."""
    return joint.parent is None and isinstance(joint.type, Fixed)


def _in_order(model: Model, node: XmlNode, report: Report) -> Model:
    try:
        return replace(
            model,
            bodies=_sorted(model.bodies, node.attributes.get("bodies")),
            joints=_sorted(model.joints, node.attributes.get("joints")),
        )
    except ValueError as error:
        report_nonsense(error, node, report)
        return model


def _sorted(elements: NamedList[Any], order: str | None) -> NamedList[Any]:
    if order is None:
        return elements
    places = [int(word) for word in order.split() if len(word) < 10]
    if sorted(places) != list(range(len(elements))):
        raise ValueError(f"it names other elements than the {len(elements)} that there are")
    items = list(elements)
    return NamedList([items[place] for place in places])
