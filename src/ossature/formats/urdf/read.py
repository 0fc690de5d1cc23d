"""URDF document → World. Links are in ``read_link``, joints in ``read_joint``, the tree that they make in ``link_tree``."""

from __future__ import annotations

from pathlib import Path

from ossature.diagnostics import Report, Source, within_limits
from ossature.formats.unique_names import make_unique
from ossature.formats.urdf import rules
from ossature.formats.urdf.materials import MaterialTable
from ossature.formats.urdf.origin import pose_of
from ossature.formats.urdf.passthrough import passthrough_attributes, passthrough_elements
from ossature.formats.urdf.passthrough_checks import check_passthrough
from ossature.formats.urdf.read_joint import JointConnection, read_joint
from ossature.formats.urdf.read_link import is_empty, read_link
from ossature.formats.urdf.read_tree import WORLD, LinkForest, link_tree, poses_of_links
from ossature.formats.urdf.schema import RobotElement
from ossature.formats.urdf.xacro import first_of_xacro
from ossature.model import Fixed, Joint, Model, NamedList, World
from ossature.spatial import IDENTITY, Pose
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import bind
from ossature.syntax.xml_values import shown

UNDERSTOOD_IN_ROBOT = ("material", "link", "joint")
NAMELESS = "robot"
"""Name of a robot whose file names none."""


@within_limits
def read_urdf(source: Source, report: Report, *, folder: Path | None = None) -> World | None:
    """Return the World that a URDF file describes: one robot, or None where it is no URDF file at all.

    Args:
        source: The file.
        report: Where findings go.
        folder: The file's folder, to which paths of meshes are relative; None keeps them as they stand.
    """
    root = xml.parse(source, report)
    if root is None or not _is_urdf(root, report):
        return None
    robot = bind(RobotElement, root, report)
    if not robot.link:
        report.add(rules.NO_LINKS, "there is no <link> in this file", root.location)
        return None
    model = _model(robot, root, report, folder)
    check_passthrough(root, model, report)
    return World(models=NamedList([model]), origin=root.location)


def _is_urdf(root: XmlNode, report: Report) -> bool:
    if root.tag != "robot":
        report.add(
            rules.NOT_URDF,
            f"the root element is <{root.tag[:80]}>",
            root.location,
            hint="a URDF file begins with <robot>",
        )
        return False
    found = first_of_xacro(root)
    if found is not None:
        node, sign = found
        report.add(
            rules.XACRO_FILE,
            f"{shown(sign)} is for xacro, which has to run first",
            node.location,
            hint="run `xacro FILE > robot.urdf` and read what it writes",
        )
    return found is None


def _model(robot: RobotElement, root: XmlNode, report: Report, folder: Path | None) -> Model:
    materials = MaterialTable.of(robot, report)
    tree = link_tree(robot, report)
    places = {connection.child: pose_of(connection.element.origin, report) for connection in tree.connections}
    poses = poses_of_links(tree, places, IDENTITY)
    world = _world_link(tree)
    bodies = [
        read_link(element, name, poses[name], materials, report, folder)
        for name, element in tree.links.items()
        if name != world
    ]
    joints = [*_joints(tree, places, world, report), *_held(tree, world)]
    if joints and all(joint.parent is not None for joint in joints):
        _report_free_base(tree, report)
    return Model(
        name=robot.name or NAMELESS,
        bodies=NamedList(bodies),
        joints=NamedList(joints),
        extensions=(
            *passthrough_attributes(root),
            *materials.extensions(),
            *passthrough_elements(root, UNDERSTOOD_IN_ROBOT),
        ),
        origin=root.location,
    )


def _world_link(tree: LinkForest) -> str | None:
    """Return the name of the root link that is the world, or None where none of them is."""
    carries = any(connection.parent == WORLD for connection in tree.connections)
    element = tree.links.get(WORLD)
    return WORLD if carries and WORLD in tree.roots and (element is None or is_empty(element)) else None


def _joints(tree: LinkForest, places: dict[str, Pose], world: str | None, report: Report) -> list[Joint]:
    joints: list[Joint] = []
    taken: set[str] = set()
    for connection in tree.connections:
        element = connection.element
        name = make_unique(element.name or f"{connection.child}_joint", taken)
        if element.name is not None and name != element.name:
            report.add(
                rules.DUPLICATE_JOINT,
                f"there is a joint '{element.name}' already: this one is called '{name}'",
                element.location("name"),
                hint="give it a name of its own",
            )
        taken.add(name)
        parent = None if connection.parent == world else connection.parent
        place = JointConnection(name=name, parent=parent, child=connection.child, pose=places[connection.child])
        joints.append(read_joint(element, place, report))
    return joints


def fixed_world_joint() -> Joint:
    """Return the joint that is read for a root link called world that is no empty one."""
    return Joint(name=f"{WORLD}_held", type=Fixed(), parent=None, child=WORLD)


def _held(tree: LinkForest, world: str | None) -> list[Joint]:
    return [fixed_world_joint()] if world is None and WORLD in tree.roots and len(tree.links) > 1 else []


def _report_free_base(tree: LinkForest, report: Report) -> None:
    root = tree.roots[0]
    report.add(
        rules.BASE_NOT_HELD,
        f"nothing says whether the root link '{root}' is held: simulated, it falls",
        tree.links[root].location(),
        hint="`ossature simulate --fix-base`, or a fixed joint from an empty link called world",
    )
