"""What Ossature itself says about a joint: types that COLLADA has no word for, and what it cannot say of a coordinate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.joint_decomposition import chain_of
from ossature.formats.collada.native_extension.encode import (
    apply_difference,
    encode_difference,
    own_extras,
    own_fields,
    own_nodes,
    report_nonsense,
)
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import UNCONSTRAINED_COORDINATE, Joint, JointType
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

EXTRA = "joint"
_COORDINATE, _INDEX = "coordinate", "index"
_WRITTEN_FIELDS = ("type", "actuation", "extensions")


def joint_extras(joint: Joint, read: Joint, path: str, ledger: Ledger) -> tuple[ExtraElement, ...]:
    """Return the extension that makes a joint what it is, or none where that is what is read anyway.

    Args:
        joint: The joint.
        read: The joint as it is read from its axes.
        path: Where in the model it is.
        ledger: Where goes what other programs will skip.
    """
    node = encode_difference(path, joint, read, ledger, among=_WRITTEN_FIELDS)
    return own_extras(EXTRA, [node, *coordinate_nodes(joint, retyped(read, joint.type), path, ledger)])


def coordinate_nodes(joint: Joint, read: Joint, path: str, ledger: Ledger) -> Iterator[XmlNode]:
    """Yield the elements that make the coordinates of a joint what they are, out of those that are read."""
    for index, (coordinate, known) in enumerate(zip(joint.coordinates, read.coordinates, strict=True)):
        node = encode_difference(f"{path}.coordinates[{index}]", coordinate, known, ledger)
        if node is not None:
            numbered = xml.element(_COORDINATE, {_INDEX: str(index)})
            numbered.children = [node]
            yield numbered


def retyped(joint: Joint, joint_type: JointType) -> Joint:
    """Return a joint of another type, with the coordinates of those of its axes that are coordinates of that type too."""
    if joint_type == joint.type:
        return joint
    by_coordinate = dict(zip(chain_of(joint_type).coordinates, joint.coordinates, strict=False))
    coordinates = [
        replace(by_coordinate[index], name=None) if index in by_coordinate else UNCONSTRAINED_COORDINATE
        for index in range(joint_type.degrees_of_freedom)
    ]
    return replace(joint, type=joint_type, coordinates=tuple(coordinates))


def with_joint_extras(joint: Joint, extras: Iterable[ExtraElement], report: Report) -> Joint:
    """Return a joint with what Ossature's own extension says differently about it."""
    nodes = own_nodes(extras, EXTRA)
    for node in nodes:
        if node.tag == Joint.__name__:
            fields = own_fields(Joint, node, report)
            joint = retyped(joint, fields.get("type", joint.type))
            joint = replace(joint, **{name: value for name, value in fields.items() if name in _WRITTEN_FIELDS})
    return with_coordinates(joint, nodes, report)


def with_coordinates(joint: Joint, nodes: Iterable[XmlNode], report: Report) -> Joint:
    """Return a joint with what elements say differently about its coordinates."""
    for node in nodes:
        if node.tag == _COORDINATE:
            joint = _with_coordinate(joint, node, report)
    return joint


def _with_coordinate(joint: Joint, node: XmlNode, report: Report) -> Joint:
    text = node.attributes.get(_INDEX, "")
    if not text.isdecimal() or len(text) > 4 or int(text) >= len(joint.coordinates):
        report_nonsense(ValueError(f"the joint has no coordinate '{text[:40]}'"), node, report)
        return joint
    changed = list(joint.coordinates)
    changed[int(text)] = apply_difference(changed[int(text)], node.children, report)
    return replace(joint, coordinates=tuple(changed))
