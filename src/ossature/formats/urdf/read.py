"""Reader of URDF files. Links are read in ``read_link``, joints in ``read_joint``, their tree in ``read_tree``."""

from __future__ import annotations

import re
from pathlib import Path

from ossature.diagnostics import Report, Source, within_limits
from ossature.formats.root_elements import hint_for_root
from ossature.formats.urdf import rules
from ossature.formats.urdf.convert_origin import pose_of
from ossature.formats.urdf.material_table import MaterialTable
from ossature.formats.urdf.passthrough import passthrough_attributes, passthrough_elements
from ossature.formats.urdf.passthrough_checks import check_passthrough
from ossature.formats.urdf.read_joint import ONE_COORDINATE, JointConnection, read_joint
from ossature.formats.urdf.read_link import is_empty, read_link
from ossature.formats.urdf.read_tree import WORLD, LinkForest, link_poses, link_tree
from ossature.formats.urdf.schema import RobotElement
from ossature.model import Fixed, Joint, Model, NamedList, World
from ossature.model.unique_names import unique_name
from ossature.spatial import IDENTITY, Pose
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import bind
from ossature.syntax.xml_values import shown

INTERPRETED_IN_ROBOT = ("material", "link", "joint")
DEFAULT_NAME = "robot"
"""Default name of a robot."""


@within_limits
def read_urdf(source: Source, report: Report, *, folder: Path | None = None, is_expanded: bool = False) -> World | None:
    """Return the World of a URDF file, which has one robot, or None if it is not a valid URDF file.

    Args:
        folder: The folder to which mesh paths are relative; None leaves the paths unchanged.
        is_expanded: Whether it is the expansion of a xacro template, in which ``${name}`` is literal text.
    """
    root = xml.parse(source, report)
    if root is None or not _is_robot(root, report) or not (is_expanded or _is_expanded(root, report)):
        return None
    if source.encoding.startswith("utf-16"):
        hint = "convert the file to UTF-8"
        report.add(rules.UNSUPPORTED_ENCODING, f"the file is encoded in {source.encoding}", root.location, hint=hint)
    robot = bind(RobotElement, root, report)
    if not robot.link:
        report.add(rules.NO_LINKS, "the file has no <link>", root.location)
        return None
    _report_blanks(robot, report)
    model = _read_model(robot, root, report, folder)
    check_passthrough(root, model, report)
    return World(models=NamedList([model]), origin=root.location)


def _is_robot(root: XmlNode, report: Report) -> bool:
    if root.tag != "robot":
        report.add(
            rules.WRONG_ROOT_ELEMENT,
            f"the root element is <{root.tag[:80]}>",
            root.location,
            hint=hint_for_root(root.tag, "the root element of a URDF file is <robot>"),
        )
    return root.tag == "robot"


def _is_expanded(root: XmlNode, report: Report) -> bool:
    """Whether a file is no xacro template; one is reported."""
    found = find_xacro_syntax(root)
    if found is not None:
        for node, syntax in remove_xacro_leftovers(root):
            message = f"{shown(syntax)} is xacro syntax: the element <{node.tag}> is ignored"
            report.add(rules.XACRO_LEFTOVER, message, node.location, hint="expand the template again, or remove the element")
        found = find_xacro_syntax(root)
    if found is not None:
        node, syntax = found
        report.add(
            rules.XACRO_FILE,
            f"{shown(syntax)} is xacro syntax",
            node.location,
            hint="expand it with --xacro if you trust it, or with `xacro FILE > robot.urdf`",
        )
    return found is None


def _report_blanks(robot: RobotElement, report: Report) -> None:
    for kind, elements in (("link", robot.link), ("joint", robot.joint)):
        for element in elements:
            if element.name and element.name.split() != [element.name]:
                message = f"the name of {kind} {shown(element.name)} has blanks"
                report.add(rules.BLANK_IN_NAME, message, element.location("name"), hint="use underscores")


def _read_model(robot: RobotElement, root: XmlNode, report: Report, folder: Path | None) -> Model:
    materials = MaterialTable.of(robot, report)
    tree = link_tree(robot, report)
    joint_poses = {connection.child: pose_of(connection.element.origin, report) for connection in tree.connections}
    poses = link_poses(tree, joint_poses, IDENTITY)
    world = _world_link(tree)
    bodies = [
        read_link(element, name, poses[name], materials, report, folder)
        for name, element in tree.links.items()
        if name != world
    ]
    joints = [*_read_joints(tree, joint_poses, world, report), *_world_joints(tree, world)]
    if joints and all(joint.parent is not None for joint in joints):
        _report_free_base(tree, robot.name or DEFAULT_NAME, report)
    return Model(
        name=robot.name or DEFAULT_NAME,
        bodies=NamedList(bodies),
        joints=NamedList(joints),
        extensions=(
            *passthrough_attributes(root),
            *materials.extensions(),
            *passthrough_elements(root, INTERPRETED_IN_ROBOT),
        ),
        origin=root.location,
    )


def _world_link(tree: LinkForest) -> str | None:
    """Return the name of the root link that represents the world, or None if there is no such link."""
    is_parent = any(connection.parent == WORLD for connection in tree.connections)
    element = tree.links.get(WORLD)
    return WORLD if is_parent and WORLD in tree.roots and (element is None or is_empty(element)) else None


def _read_joints(tree: LinkForest, joint_poses: dict[str, Pose], world: str | None, report: Report) -> list[Joint]:
    joints: list[Joint] = []
    used: set[str] = set()
    elements = [connection.element for connection in tree.connections]
    moving = frozenset(element.name for element in elements if element.name is not None and element.type in ONE_COORDINATE)
    for connection in tree.connections:
        element = connection.element
        name = unique_name(element.name or f"{connection.child}_joint", used)
        if element.name is not None and name != element.name:
            report.add(
                rules.DUPLICATE_NAME,
                f"duplicate joint '{element.name}': renamed to '{name}'",
                element.location("name"),
                hint="give each joint a unique name",
            )
        used.add(name)
        parent = None if connection.parent == world else connection.parent
        pose = joint_poses[connection.child]
        connected = JointConnection(name=name, parent=parent, child=connection.child, pose=pose, moving_joints=moving)
        joints.append(read_joint(element, connected, report))
    return joints


def fixed_world_joint() -> Joint:
    """Return the joint that fixes a root link with the name world that is not empty."""
    return Joint(name=f"{WORLD}_fixed", type=Fixed(), parent=None, child=WORLD)


def _world_joints(tree: LinkForest, world: str | None) -> list[Joint]:
    return [fixed_world_joint()] if world is None and WORLD in tree.roots and len(tree.links) > 1 else []


def _report_free_base(tree: LinkForest, model: str, report: Report) -> None:
    root = tree.roots[0]
    report.add(
        rules.FREE_BASE,
        f"the file does not state whether the root link '{root}' is fixed",
        tree.links[root].location(),
        path=model,
        hint="use `ossature simulate` or `convert` with --fix-base or --float-base, or add a fixed joint whose parent is an "
        "empty link with the name world",
    )


_TAG = "xacro:"
_CALL = re.compile(r"\$\{|\$\((?:find|arg|eval|env|optenv|dirname|anon)\b")


def find_xacro_syntax(root: XmlNode) -> tuple[XmlNode, str] | None:
    """Return the first element that xacro would replace, with its xacro syntax; None if the file is not a template."""
    if root.source.encoding == "utf-8" and not _may_be_template(root.source.data):
        return None
    pending = [root]
    while pending:
        node = pending.pop()
        if node.tag.startswith(_TAG):
            return node, f"<{node.tag}>"
        for value in node.attributes.values():
            if "$" in value and _CALL.search(value):
                return node, value
        pending.extend(reversed(node.children))
    return None


def _may_be_template(data: bytes) -> bool:
    if not _has_xacro_text(data):
        return False
    if b"<![CDATA[" in data:  # what looks like a comment may be text
        return True
    between = [part.partition(b"-->")[2] for part in data.split(b"<!--")[1:]]
    return _has_xacro_text(b" ".join([data.partition(b"<!--")[0], *between]))


def _has_xacro_text(data: bytes) -> bool:
    """Whether data have one of the texts of which every template contains one: a fast check of the whole file."""
    has_call = b"$" in data and (b"${" in data or b"$(" in data)
    return has_call or b"<xacro:" in data or (b"&" in data and b"&#" in data)


_DEFINITIONS = ("xacro:property", "xacro:arg")
"""Elements that define values; without an expression that uses them they have no effect."""


def remove_xacro_leftovers(root: XmlNode) -> list[tuple[XmlNode, str]]:
    """Remove xacro syntax without which the robot can be understood; return each element with its xacro syntax.

    A finished robot may contain definitions of values, which nothing uses, and names, colours and textures of materials: a
    property of the template was not defined, and only the appearance depends on it.
    """
    removed = [(child, f"<{child.tag}>") for child in root.children if child.tag in _DEFINITIONS]
    root.children = [child for child in root.children if child.tag not in _DEFINITIONS]
    pending = [root]
    while pending:
        node = pending.pop()
        if node.tag == "material":
            leftovers = [(child, syntax) for child in node.children if (syntax := _call_in(child)) is not None]
            node.children = [child for child in node.children if all(child is not left for left, _ in leftovers)]
            removed += leftovers
            if (syntax := _call_in(node)) is not None:
                removed.append((node, syntax))
                node.attributes["name"] = ""
        else:
            pending.extend(reversed(node.children))
    return removed


def _call_in(node: XmlNode) -> str | None:
    return next((value for value in node.attributes.values() if "$" in value and _CALL.search(value)), None)
