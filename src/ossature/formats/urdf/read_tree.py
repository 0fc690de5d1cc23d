"""The tree that links and joints make, and all that can be wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ossature.diagnostics import Related, Report
from ossature.formats.urdf import rules
from ossature.formats.urdf.schema import RobotElement, UrdfJointElement, UrdfLinkElement
from ossature.spatial import Pose

WORLD = "world"
"""A root link of this name is the world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectedJoint:
    """A joint whose links are known.

    Attributes:
        element: The joint.
        parent: Name of its parent link.
        child: Name of its child link.
    """

    element: UrdfJointElement
    parent: str
    child: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkForest:
    """Links and the joints that carry them.

    Attributes:
        links: The links by name, in file order.
        connections: The joints in file order, one for each child.
        roots: Names of the links that no joint carries; the world is among them where joints name it, declared or not.
    """

    links: Mapping[str, UrdfLinkElement]
    connections: tuple[ConnectedJoint, ...]
    roots: tuple[str, ...]

    def outward(self) -> list[ConnectedJoint]:
        """Return the joints in an order in which each comes after the one that carries its parent."""
        carrying: dict[str, list[ConnectedJoint]] = {}
        for connection in self.connections:
            carrying.setdefault(connection.parent, []).append(connection)
        ordered: list[ConnectedJoint] = []
        pending = list(reversed(self.roots))
        while pending:
            found = carrying.get(pending.pop(), [])
            ordered += found
            pending += [connection.child for connection in reversed(found)]
        return ordered


def link_tree(robot: RobotElement, report: Report) -> LinkForest:
    """Return the tree of a robot; joints that do not fit into one are left out, with findings."""
    links = _links(robot, report)
    carried: dict[str, ConnectedJoint] = {}
    orphans: set[str] = set()
    if any(_is_incomplete(element) for element in robot.joint):
        orphans.update(links)
    for element in robot.joint:
        connection = _connection(element, links, orphans, report)
        if connection is None:
            continue
        first = carried.setdefault(connection.child, connection)
        if first is not connection:
            _report_second_parent(connection, first, report)
    orphans |= _without_cycles(carried, report)
    is_world_implied = WORLD not in links and any(connection.parent == WORLD for connection in carried.values())
    roots = ((WORLD,) if is_world_implied else ()) + tuple([name for name in links if name not in carried])
    _report_further_roots([name for name in roots if name not in orphans], links, report)
    return LinkForest(links=links, connections=tuple(carried.values()), roots=roots)


def _links(robot: RobotElement, report: Report) -> dict[str, UrdfLinkElement]:
    links: dict[str, UrdfLinkElement] = {}
    for element in robot.link:
        if element.name is None:
            continue
        first = links.setdefault(element.name, element)
        if first is not element:
            location = first.location()
            report.add(
                rules.DUPLICATE_LINK,
                f"there is a link '{element.name}' already: this one is left out",
                element.location("name"),
                hint="give it a name of its own",
                related=(Related(location=location, message="the first one"),) if location else (),
            )
    return links


def _connection(
    element: UrdfJointElement, links: Mapping[str, UrdfLinkElement], orphans: set[str], report: Report
) -> ConnectedJoint | None:
    parent = element.parent.link if element.parent is not None else None
    child = element.child.link if element.child is not None else None
    is_sound = True
    for reference, name in ((element.parent, parent), (element.child, child)):
        if reference is element.parent and name == WORLD and name not in links:
            _report_undeclared_world(element, report)
        elif name is not None and name not in links and reference is not None:
            is_sound = False
            report.add(
                rules.JOINT_WITHOUT_LINK,
                f"joint '{element.name}' names the link '{name}', which does not exist: the joint is left out",
                reference.location("link"),
                hint=report.suggestion(name, links),
            )
    if parent is None or child is None or not is_sound:
        orphans.update(name for name in (child, parent) if name is not None)
        return None
    return ConnectedJoint(element=element, parent=parent, child=child)


def _is_incomplete(element: UrdfJointElement) -> bool:
    """Whether a joint does not say which links it connects, so that nobody knows which of them are carried."""
    references = (element.parent, element.child)
    return any(reference is None or reference.link is None for reference in references)


def _report_undeclared_world(element: UrdfJointElement, report: Report) -> None:
    report.add(
        rules.UNDECLARED_WORLD,
        f"joint '{element.name}' hangs on the link 'world', which is not declared: it is taken for the world",
        element.location("parent"),
        hint='<link name="world"/>',
    )


def _report_second_parent(connection: ConnectedJoint, first: ConnectedJoint, report: Report) -> None:
    location = first.element.location()
    report.add(
        rules.SECOND_PARENT,
        f"'{connection.child}' hangs on joint '{first.element.name}' already: joint '{connection.element.name}' is left out",
        connection.element.location("child"),
        related=(Related(location=location, message="the first one"),) if location else (),
    )


def _without_cycles(carried: dict[str, ConnectedJoint], report: Report) -> set[str]:
    """Take one joint out of each circle, and return the links that are roots for this reason."""
    leads_to_root: set[str] = set()
    cut: set[str] = set()
    for start in list(carried):
        path: dict[str, None] = {}
        name = start
        while name in carried and name not in leads_to_root and name not in path:
            path[name] = None
            name = carried[name].parent
        if name in path:
            _report_cycle(name, carried, report)
            cut.add(name)
            del carried[name]
        leads_to_root.update(path)
    return cut


def _report_cycle(start: str, carried: Mapping[str, ConnectedJoint], report: Report) -> None:
    names = [start]
    while (above := carried[names[-1]].parent) != start:
        names.append(above)
    chain = " → ".join([start, *reversed(names)])
    if len(chain) > _LONGEST_CHAIN:
        chain = f"{chain[:_LONGEST_CHAIN]}…"
    closing = carried[start].element
    report.add(
        rules.LINK_CYCLE,
        f"links hang on each other in a circle: {chain}; joint '{closing.name}' is left out",
        closing.location(),
        hint="a tree begins at a root: exchange parent and child of a joint, or remove one",
    )


_LONGEST_CHAIN = 400


def _report_further_roots(roots: list[str], links: Mapping[str, UrdfLinkElement], report: Report) -> None:
    for name in roots[1:]:
        first = links[roots[0]].location() if roots[0] in links else None
        report.add(
            rules.SEVERAL_ROOTS,
            f"link '{name}' hangs on no joint, and neither does '{roots[0]}'",
            links[name].location(),
            hint=f"add a joint whose child is '{name}'",
            related=(Related(location=first, message="the first root"),) if first else (),
        )


def poses_of_links(tree: LinkForest, poses_parent_child: Mapping[str, Pose], root: Pose) -> dict[str, Pose]:
    """Return the frame of every link in that of the root, with all joints at zero.

    Args:
        tree: The tree.
        poses_parent_child: By child, the joint frame in the parent's.
        root: The frame of the roots.
    """
    poses = dict.fromkeys(tree.roots, root)
    for connection in tree.outward():
        poses[connection.child] = poses[connection.parent] @ poses_parent_child[connection.child]
    return poses
