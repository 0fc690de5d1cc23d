"""The kinematic tree of the links and joints of a URDF file, with its findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ossature.diagnostics import Related, Report
from ossature.formats.urdf import rules
from ossature.formats.urdf.schema import RobotElement, UrdfJointElement, UrdfLinkElement
from ossature.spatial import Pose

WORLD = "world"
"""An empty root link with this name is the world."""


class ConnectedJoint(NamedTuple):
    """A joint with existing parent and child links."""

    element: UrdfJointElement
    parent: str
    child: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkForest:
    """Links and the joints between them.

    Attributes:
        links: The links by name, in file order.
        connections: The joints in file order, one parent joint for each child.
        roots: Names of the links without parent joint; the world is one of them if joints refer to it, declared or not.
    """

    links: Mapping[str, UrdfLinkElement]
    connections: tuple[ConnectedJoint, ...]
    roots: tuple[str, ...]

    def outward(self) -> list[ConnectedJoint]:
        """Return the joints in topological order, from the roots to the leaves."""
        by_parent: dict[str, list[ConnectedJoint]] = {}
        for connection in self.connections:
            by_parent.setdefault(connection.parent, []).append(connection)
        ordered: list[ConnectedJoint] = []
        pending = list(reversed(self.roots))
        while pending:
            connections = by_parent.get(pending.pop(), [])
            ordered += connections
            pending += [connection.child for connection in reversed(connections)]
        return ordered


def link_tree(robot: RobotElement, report: Report) -> LinkForest:
    """Return the tree of a robot; joints that cannot be part of a tree are ignored, with findings."""
    links = _read_links(robot, report)
    by_child: dict[str, ConnectedJoint] = {}
    explained_roots: set[str] = set()
    if any(_is_incomplete(element) for element in robot.joint):
        explained_roots.update(links)
    for element in robot.joint:
        connection = _read_connection(element, links, explained_roots, report)
        if connection is None:
            continue
        first = by_child.setdefault(connection.child, connection)
        if first is not connection:
            _report_multiple_parents(connection, first, report)
    explained_roots |= _remove_cycles(by_child, report)
    is_world_implied = WORLD not in links and any(connection.parent == WORLD for connection in by_child.values())
    roots = ((WORLD,) if is_world_implied else ()) + tuple([name for name in links if name not in by_child])
    _report_multiple_roots([name for name in roots if name not in explained_roots], links, report)
    return LinkForest(links=links, connections=tuple(by_child.values()), roots=roots)


def _read_links(robot: RobotElement, report: Report) -> dict[str, UrdfLinkElement]:
    links: dict[str, UrdfLinkElement] = {}
    for element in robot.link:
        if element.name is None:
            continue
        first = links.setdefault(element.name, element)
        if first is not element:
            location = first.location()
            report.add(
                rules.DUPLICATE_NAME,
                f"duplicate link '{element.name}': this one is ignored",
                element.location("name"),
                hint="give each link a unique name",
                related=(Related(location=location, message="first link of this name"),) if location else (),
            )
    return links


def _read_connection(
    element: UrdfJointElement, links: Mapping[str, UrdfLinkElement], explained_roots: set[str], report: Report
) -> ConnectedJoint | None:
    parent = element.parent.link if element.parent is not None else None
    child = element.child.link if element.child is not None else None
    is_valid = True
    for reference, name in ((element.parent, parent), (element.child, child)):
        if reference is element.parent and name == WORLD and name not in links:
            _report_undeclared_world(element, report)
        elif name is not None and name not in links and reference is not None:
            is_valid = False
            report.add(
                rules.UNKNOWN_LINK,
                f"joint '{element.name}' refers to the unknown link '{name}': the joint is ignored",
                reference.location("link"),
                hint=report.suggestion(name, links),
            )
    if parent is None or child is None or not is_valid:
        explained_roots.update(name for name in (child, parent) if name is not None)
        return None
    return ConnectedJoint(element=element, parent=parent, child=child)


def _is_incomplete(element: UrdfJointElement) -> bool:
    """Whether the parent or child of a joint is missing, so that any link could be its child."""
    references = (element.parent, element.child)
    return any(reference is None or reference.link is None for reference in references)


def _report_undeclared_world(element: UrdfJointElement, report: Report) -> None:
    report.add(
        rules.UNDECLARED_WORLD_LINK,
        f"joint '{element.name}' has the undeclared parent link 'world': read as the world",
        element.location("parent"),
        hint='declare <link name="world"/>',
    )


def _report_multiple_parents(connection: ConnectedJoint, first: ConnectedJoint, report: Report) -> None:
    location = first.element.location()
    report.add(
        rules.MULTIPLE_PARENTS,
        f"link '{connection.child}' already has parent joint '{first.element.name}': '{connection.element.name}' is ignored",
        connection.element.location("child"),
        related=(Related(location=location, message="first parent joint"),) if location else (),
    )


def _remove_cycles(by_child: dict[str, ConnectedJoint], report: Report) -> set[str]:
    """Remove one joint of each cycle, and return the links that become roots thereby."""
    visited: set[str] = set()
    new_roots: set[str] = set()
    for start in list(by_child):
        path: dict[str, None] = {}
        name = start
        while name in by_child and name not in visited and name not in path:
            path[name] = None
            name = by_child[name].parent
        if name in path:
            _report_cycle(name, by_child, report)
            new_roots.add(name)
            del by_child[name]
        visited.update(path)
    return new_roots


def _report_cycle(start: str, by_child: Mapping[str, ConnectedJoint], report: Report) -> None:
    names = [start]
    while (parent := by_child[names[-1]].parent) != start:
        names.append(parent)
    chain = " → ".join([start, *reversed(names)])
    if len(chain) > _MAX_CHAIN_LENGTH:
        chain = f"{chain[:_MAX_CHAIN_LENGTH]}…"
    closing = by_child[start].element
    report.add(
        rules.KINEMATIC_CYCLE,
        f"kinematic cycle: {chain}; joint '{closing.name}' is ignored",
        closing.location(),
        hint="exchange parent and child of a joint, or remove a joint",
    )


_MAX_CHAIN_LENGTH = 400


def _report_multiple_roots(roots: list[str], links: Mapping[str, UrdfLinkElement], report: Report) -> None:
    for name in roots[1:]:
        first = links[roots[0]].location() if roots[0] in links else None
        report.add(
            rules.MULTIPLE_ROOTS,
            f"more than one root link: '{roots[0]}' and '{name}' have no parent joint",
            links[name].location(),
            hint=f"add a joint whose child is '{name}'",
            related=(Related(location=first, message="the first root"),) if first else (),
        )


def link_poses(tree: LinkForest, poses_parent_child: Mapping[str, Pose], root: Pose) -> dict[str, Pose]:
    """Return the pose of every link, with all joint positions zero.

    Args:
        poses_parent_child: Pose of each joint in the frame of its parent, by child.
    """
    poses = dict.fromkeys(tree.roots, root)
    for connection in tree.outward():
        poses[connection.child] = poses[connection.parent] @ poses_parent_child[connection.child]
    return poses
