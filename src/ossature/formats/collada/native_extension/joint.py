"""Native extension of a joint: joint types and coordinate fields that COLLADA cannot represent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.kinematics.joint_decomposition import chain_of
from ossature.formats.collada.native_extension.difference_encoding import (
    apply_difference,
    encode_difference,
    own_extras,
    own_fields,
    own_nodes,
    report_unreadable,
)
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import UNCONSTRAINED_COORDINATE, Joint, JointType
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

EXTRA = "joint"
_COORDINATE, _INDEX = "coordinate", "index"
_WRITTEN_FIELDS = ("type", "actuation", "extensions")


def joint_extras(joint: Joint, read: Joint, path: str, ledger: Ledger) -> tuple[ExtraElement, ...]:
    """Return the extension with the differences between a joint and its COLLADA axes, or none if there are none.

    Args:
        read: The joint that is read from the axes.
        path: Path of the joint in the model.
        ledger: Collects what other programs ignore.
    """
    node = encode_difference(path, joint, read, ledger, among=_WRITTEN_FIELDS)
    return own_extras(EXTRA, [node, *coordinate_nodes(joint, with_joint_type(read, joint.type), path, ledger)])


def coordinate_nodes(joint: Joint, read: Joint, path: str, ledger: Ledger) -> Iterator[XmlNode]:
    """Yield elements with the differences between the coordinates of a joint and those that are read."""
    for index, (coordinate, known) in enumerate(zip(joint.coordinates, read.coordinates, strict=True)):
        node = encode_difference(f"{path}.coordinates[{index}]", coordinate, known, ledger)
        if node is not None:
            numbered = xml.element(_COORDINATE, {_INDEX: str(index)})
            numbered.children = [node]
            yield numbered


def with_joint_type(joint: Joint, joint_type: JointType) -> Joint:
    """Return a joint of another type, with the coordinates of the axes that are also coordinates of that type."""
    if joint_type == joint.type:
        return joint
    by_coordinate = dict(zip(chain_of(joint_type).coordinates, joint.coordinates, strict=False))
    coordinates = [
        replace(by_coordinate[index], name=None) if index in by_coordinate else UNCONSTRAINED_COORDINATE
        for index in range(joint_type.degrees_of_freedom)
    ]
    return replace(joint, type=joint_type, coordinates=tuple(coordinates))


def with_joint_extras(joint: Joint, extras: Iterable[ExtraElement], report: Report) -> Joint:
    """Return a joint with its native extension applied."""
    nodes = own_nodes(extras, EXTRA)
    for node in nodes:
        if node.tag == Joint.__name__:
            fields = own_fields(Joint, node, report)
            joint = with_joint_type(joint, fields.get("type", joint.type))
            joint = replace(joint, **{name: value for name, value in fields.items() if name in _WRITTEN_FIELDS})
    return with_coordinates(joint, nodes, report)


def with_coordinates(joint: Joint, nodes: Iterable[XmlNode], report: Report) -> Joint:
    """Return a joint with the overrides of its coordinates applied."""
    for node in nodes:
        if node.tag == _COORDINATE:
            joint = _with_coordinate(joint, node, report)
    return joint


def _with_coordinate(joint: Joint, node: XmlNode, report: Report) -> Joint:
    text = node.attributes.get(_INDEX, "")
    if not text.isdecimal() or len(text) > 4 or int(text) >= len(joint.coordinates):
        report_unreadable(ValueError(f"the joint has no coordinate '{text[:40]}'"), node, report)
        return joint
    changed = list(joint.coordinates)
    changed[int(text)] = apply_difference(changed[int(text)], node.children, report)
    return replace(joint, coordinates=tuple(changed))
