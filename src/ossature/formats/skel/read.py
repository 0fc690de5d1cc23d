"""SKEL document → World. Bodies are in ``read_body``, shapes in ``read_shapes``, joints in ``read_joint``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from ossature.diagnostics import Location, Related, Report, Source, within_limits
from ossature.formats.skel import rules
from ossature.formats.skel.free_joint_velocity import velocity_in_model
from ossature.formats.skel.pose_values import pose_of
from ossature.formats.skel.read_body import read_body
from ossature.formats.skel.read_joint import read_joint
from ossature.formats.skel.schema import SkelBodyElement, SkelElement, SkeletonElement, SkelJointElement, WorldElement
from ossature.model import STANDARD_GRAVITY, Body, Extension, Floating, Joint, Model, NamedList, World
from ossature.model.unique_names import unique_name
from ossature.spatial import Vector3
from ossature.syntax import rules as syntax_rules
from ossature.syntax import xml
from ossature.syntax.xml_binding import bind

FORMAT = "skel"
DEFAULT_TIME_STEP = 0.001


@within_limits
def read_skel(source: Source, report: Report, *, folder: Path | None = None) -> World | None:
    """Return the World that a SKEL file describes, or None where it is no SKEL file at all.

    Args:
        source: The file.
        report: Where findings go.
        folder: The file's folder, to which the paths of meshes are relative; None keeps them as they stand.
    """
    root = xml.parse(source, report)
    if root is None:
        return None
    if root.tag != "skel":
        report.add(
            rules.NOT_SKEL,
            f"the root element is <{root.tag[:80]}>",
            root.location,
            hint="a SKEL file begins with <skel>",
        )
        return None
    document = bind(SkelElement, root, report)
    return _world(document, document.world, report, folder)


def _world(document: SkelElement, world: WorldElement | None, report: Report, folder: Path | None) -> World:
    skeletons = document.skeleton if world is None else (*world.skeleton, *document.skeleton)
    if not skeletons:
        report.add(rules.EMPTY_FILE, "there is no <skeleton> in this file", document.location())
    for skeleton in document.skeleton:
        report.add(rules.SKELETON_WITHOUT_WORLD, f"skeleton '{skeleton.name}' has no world", skeleton.location())
    physics = world.physics if world is not None else None
    detector = physics.collision_detector if physics is not None else None
    names = _Names()
    return World(
        name=_world_name(world, report),
        gravity=_gravity(world, report),
        time_step=DEFAULT_TIME_STEP if physics is None else physics.time_step,
        steps_as_dart=True,
        models=NamedList([_model(skeleton, names, report, folder) for skeleton in skeletons]),
        extensions=() if detector is None else (Extension(format=FORMAT, key="collision_detector", value=detector),),
        origin=document.location(),
    )


def _world_name(world: WorldElement | None, report: Report) -> str:
    if world is not None and world.name:
        return world.name
    if world is not None:
        report.add(rules.MISSING_NAME_GIVEN, "the world has no name: 'Unknown world' is taken", world.location())
    return "Unknown world"


def _gravity(world: WorldElement | None, report: Report) -> Vector3:
    physics = world.physics if world is not None else None
    if physics is not None and physics.gravity is not None:
        return physics.gravity
    stated_badly = physics is not None and physics.node is not None and physics.node.field_location("gravity") is not None
    if world is not None and not stated_badly:
        report.add(
            syntax_rules.DEFAULT_TAKEN,
            "no <gravity>: 0 0 -9.81 is taken, as DART does",
            (physics or world).location(),
            hint="the older document says 0 0 -9.8; state it",
        )
    return STANDARD_GRAVITY


class _Names:
    """Gives unique names."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def take(self, name: str | None, default: str, report: Report, location: Location | None) -> str:
        """Return the name, or another one like it where it is missing or taken, with a finding."""
        if name and name not in self._taken:
            self._taken.add(name)
            return name
        unique = self.fresh(name or default)
        if name:
            report.add(rules.RENAMED, f"'{name}' is taken already: this one is called '{unique}'", location)
        else:
            report.add(rules.MISSING_NAME_GIVEN, f"no name: '{unique}' is taken", location)
        return unique

    def fresh(self, name: str) -> str:
        """Return the name, with a number in DART's manner where it is taken."""
        unique = unique_name(name, self._taken, lambda count: f"{name}({count})")
        self._taken.add(unique)
        return unique


def _model(skeleton: SkeletonElement, names: _Names, report: Report, folder: Path | None) -> Model:
    static = _is_immobile(skeleton, report)
    bodies = _bodies(skeleton, report, folder)
    return Model(
        name=names.take(skeleton.name, "Unknown skeleton", report, skeleton.location()),
        pose=pose_of(skeleton.transformation),
        bodies=NamedList(bodies.values()),
        joints=NamedList(_joints(skeleton, bodies, report)),
        static=static,
        origin=skeleton.location(),
    )


def _is_immobile(skeleton: SkeletonElement, report: Report) -> bool:
    mobile, immobile = skeleton.mobile, skeleton.immobile
    if mobile is None:
        return bool(immobile)
    if immobile is not None and mobile == immobile:
        report.add(
            rules.CONTRADICTION,
            f"<mobile> and <immobile> contradict each other: {'mobile' if mobile else 'immobile'} is taken",
            skeleton.location("immobile"),
            hint="remove one of them; DART reads <mobile>",
        )
    return not mobile


def _bodies(skeleton: SkeletonElement, report: Report, folder: Path | None) -> dict[str, Body]:
    names = _Names(element.name for element in skeleton.body if element.name)
    elements: dict[str, SkelBodyElement] = {}
    bodies: dict[str, Body] = {}
    for element in skeleton.body:
        if element.name and element.name in bodies:
            _report_duplicate_body(element, elements[element.name], report)
            continue
        name = element.name or names.take(None, "Unknown body", report, element.location())
        elements[name] = element
        bodies[name] = read_body(element, name, report, folder)
    return bodies


def _report_duplicate_body(element: SkelBodyElement, first: SkelBodyElement, report: Report) -> None:
    location = first.location()
    report.add(
        rules.DUPLICATE_BODY,
        f"there is a body '{element.name}' already: this one is left out",
        element.location(),
        hint="give it a name of its own",
        related=(Related(location=location, message="the first one"),) if location else (),
    )


def _joints(skeleton: SkeletonElement, bodies: dict[str, Body], report: Report) -> list[Joint]:
    names = _Names()
    by_child: dict[str, Joint] = {}
    pose_world_skeleton = pose_of(skeleton.transformation)
    for element in skeleton.joint:
        if _connects(element, bodies, by_child, report):
            name = names.take(element.name, "Unknown joint", report, element.location())
            joint = read_joint(element, name, _parent(element, bodies), report)
            if joint is not None:
                outer = pose_world_skeleton if joint.parent is None else bodies[joint.parent].pose.inverse()
                by_child[joint.child] = velocity_in_model(joint, outer, bodies[joint.child])
    return [*by_child.values(), *_free_joints(bodies, by_child, names, report)]


def _parent(element: SkelJointElement, bodies: dict[str, Body]) -> str | None:
    # A body may itself be called "world"; then the name means that body.
    name = element.parent_body
    return None if name == "world" and name not in bodies else name


def _connects(element: SkelJointElement, bodies: dict[str, Body], by_child: dict[str, Joint], report: Report) -> bool:
    parent, child = element.parent_body, element.child_body
    if parent is None or child is None:
        return False
    for field_name, name in (("parent_body", parent), ("child_body", child)):
        if name not in bodies and not (field_name == "parent_body" and name == "world"):
            choices = chain(bodies, ("world",)) if field_name == "parent_body" else bodies
            report.add(
                rules.JOINT_WITHOUT_BODY,
                f"joint '{element.name}' names the body '{name}', which does not exist: the joint is left out",
                element.location(field_name),
                hint=report.suggestion(name, choices),
            )
            return False
    first = by_child.get(child)
    if first is not None:
        report.add(
            rules.SECOND_JOINT,
            f"'{child}' hangs on joint '{first.name}' already: joint '{element.name}' is left out",
            element.location("child_body"),
            related=(Related(location=first.origin, message="the first one"),) if first.origin else (),
        )
    return first is None


def _free_joints(bodies: dict[str, Body], by_child: dict[str, Joint], names: _Names, report: Report) -> list[Joint]:
    added = []
    for body in bodies.values():
        if body.name not in by_child:
            joint = Joint(name=names.fresh("root"), type=Floating(), parent=None, child=body.name, origin=body.origin)
            report.add(
                rules.JOINT_ADDED,
                f"body '{body.name}' has no joint: it gets the free joint '{joint.name}'",
                body.origin,
                hint='<joint type="free"> states it, <joint type="weld"> to world holds it fast',
            )
            added.append(joint)
    return added
