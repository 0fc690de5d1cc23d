"""Factors out default classes: attributes that repeat are written once, in a class or for all elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ossature.formats.mjcf.write_context import MjcfDocument
from ossature.formats.mjcf.write_geom import COLLISION_CLASS, VISUAL_CLASS
from ossature.model.unique_names import unique_name
from ossature.syntax.xml import XmlNode, element

_FIXED = {
    VISUAL_CLASS: {"contype": "0", "conaffinity": "0", "group": "2"},
    COLLISION_CLASS: {"group": "3"},
}
"""Attributes of the classes of shapes, as in MuJoCo's menagerie."""
_USED_CLASSES = ("main", *_FIXED)
"""Classes that a robot's name must not repeat; ``main`` is MuJoCo's name of the outermost one."""
_OF_SHAPES = ("type", "rgba", "material", "friction", "margin", "priority")
_OF_JOINTS = ("type", "axis", "damping", "frictionloss", "armature", "stiffness", "springref", "range", "actuatorfrcrange")
_OF_ACTUATORS = (
    *("kp", "kv", "dampratio", "inheritrange", "ctrlrange", "forcerange"),
    *("gear", "gainprm", "biastype", "biasprm", "motorconst", "resistance", "input"),
)


def factor_defaults(document: MjcfDocument, robot: str, roots: Sequence[XmlNode]) -> list[XmlNode]:
    """Return the elements of ``default``, and remove from the elements of the document what they state.

    Args:
        robot: Name of the robot, which its class has too.
        roots: The bodies to which the class applies.
    """
    nodes = [node for root in roots for node in _descendants(root)]
    name = unique_name(robot, _USED_CLASSES)
    main = element("default", {"class": name})
    joints = [node for node in nodes if node.tag == "joint"]
    main.children += _factored("joint", joints, _OF_JOINTS)
    for kind, fixed in _FIXED.items():
        shapes = [*nodes, *document.worldbody.children]
        geoms = [node for node in shapes if node.tag == "geom" and node.attributes.get("class") == kind]
        if geoms:
            for geom in geoms:
                _remove_repeated(geom, fixed)
            found = _factored("geom", geoms, _OF_SHAPES)
            geom_default = element("geom", fixed | (found[0].attributes if found else {}))
            shape_class = element("default", {"class": kind})
            shape_class.children = [geom_default]
            main.children.append(shape_class)
    for root in roots:
        if len(main.children) and any(node.tag in ("joint", "geom") for node in _descendants(root)):
            _set_child_class(root, name)
    return [main, *_actuator_defaults(document)] if main.children else _actuator_defaults(document)


def _actuator_defaults(document: MjcfDocument) -> list[XmlNode]:
    """Return the defaults of actuators, of which MuJoCo has one set for all kinds; so of the kind that is written only."""
    kinds = {node.tag for node in document.actuators}
    if len(kinds) != 1 or kinds == {"plugin"}:  # those of plugins have no defaults
        return []
    return _factored(kinds.pop(), document.actuators, _OF_ACTUATORS)


def _factored(tag: str, nodes: Sequence[XmlNode], names: Iterable[str]) -> list[XmlNode]:
    """Return an element with the attributes that most of some elements have in common, and remove them from these.

    An attribute is factored out only if all of them state it, with equally many numbers: MuJoCo takes the numbers that an
    element omits at the end from the default.
    """
    common: dict[str, str] = {}
    if len(nodes) < 2:  # nothing repeats
        return []
    for name in names:
        specified = Counter(node.attributes[name] for node in nodes if name in node.attributes)
        if not specified or specified.total() != len(nodes) or len({len(value.split()) for value in specified}) > 1:
            continue
        value, count = specified.most_common(1)[0]
        if count > 1 and count * 2 >= len(nodes):
            common[name] = value
    for node in nodes:
        _remove_repeated(node, common)
    return [element(tag, common)] if common else []


def _remove_repeated(node: XmlNode, common: dict[str, str]) -> None:
    for name, value in common.items():
        if node.attributes.get(name) == value:
            del node.attributes[name]


def _set_child_class(root: XmlNode, name: str) -> None:
    attributes = dict(root.attributes)
    root.attributes.clear()
    root.attributes["name"] = attributes.pop("name")
    root.attributes["childclass"] = name
    root.attributes.update(attributes)


def _descendants(root: XmlNode) -> list[XmlNode]:
    found, pending = [], [root]
    while pending:
        node = pending.pop()
        found.append(node)
        pending.extend(reversed(node.children))
    return found
