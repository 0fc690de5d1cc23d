"""Reader of SKEL files. Bodies are read in ``read_body``, shapes in ``read_shapes``, joints in ``read_joint``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from ossature.diagnostics import Location, Related, Report, Source, within_limits
from ossature.formats.root_elements import hint_for_root
from ossature.formats.skel import rules
from ossature.formats.skel.convert_free_joint_motion import has_lever_arm_of_force, to_model_motion
from ossature.formats.skel.convert_pose import read_pose
from ossature.formats.skel.read_body import read_body
from ossature.formats.skel.read_joint import read_joint
from ossature.formats.skel.schema import SkelBodyElement, SkelElement, SkeletonElement, SkelJointElement, WorldElement
from ossature.model import STANDARD_GRAVITY, Body, DartStepping, Extension, Floating, Joint, Model, NamedList, World
from ossature.model.unique_names import unique_name
from ossature.spatial import Pose, Vector3
from ossature.syntax import rules as syntax_rules
from ossature.syntax import xml_parser
from ossature.syntax.schema import replace_fields
from ossature.syntax.xml_binding import bind

FORMAT = "skel"
DEFAULT_TIME_STEP = 0.001


@within_limits
def read_skel(source: Source, report: Report, *, folder: Path | None = None) -> World | None:
    """Return the World of a SKEL file, or None if it is not a SKEL file.

    Args:
        folder: The folder to which mesh paths are relative; None leaves the paths unchanged.
    """
    root = xml_parser.parse(source, report)
    if root is None:
        return None
    if root.tag != "skel":
        report.add(
            rules.WRONG_ROOT_ELEMENT,
            f"the root element is <{root.tag[:80]}>",
            root.location,
            hint=hint_for_root(root.tag, "the root element of a SKEL file is <skel>"),
        )
        return None
    document = bind(SkelElement, root, report)
    return _read_world(document, document.world, report, folder)


def _read_world(document: SkelElement, world: WorldElement | None, report: Report, folder: Path | None) -> World:
    skeletons = document.skeleton if world is None else (*world.skeleton, *document.skeleton)
    if not skeletons:
        report.add(rules.EMPTY_FILE, "the file has no <skeleton>", document.location())
    for skeleton in document.skeleton:
        label = f"skeleton '{skeleton.name}'" if skeleton.name else "a skeleton"
        report.add(rules.SKELETON_WITHOUT_WORLD, f"{label} is outside of <world>", skeleton.location())
    physics = world.physics if world is not None else None
    detector = physics.collision_detector if physics is not None else None
    names = _NameGenerator()
    return World(
        name=_read_world_name(world, report),
        gravity=_read_gravity(world, report),
        time_step=DEFAULT_TIME_STEP if physics is None else physics.time_step,
        hints=(DartStepping(),),
        models=NamedList([_read_model(skeleton, names, report, folder) for skeleton in skeletons]),
        extensions=() if detector is None else (Extension(format=FORMAT, key="collision_detector", value=detector),),
        origin=document.location(),
    )


def _read_world_name(world: WorldElement | None, report: Report) -> str:
    if world is not None and world.name:
        return world.name
    if world is not None:
        report.add(rules.GENERATED_NAME, "the world has no name: using 'Unknown world'", world.location())
    return "Unknown world"


def _read_gravity(world: WorldElement | None, report: Report) -> Vector3:
    physics = world.physics if world is not None else None
    if physics is not None and physics.gravity is not None:
        return physics.gravity
    is_invalid = physics is not None and physics.node is not None and physics.node.field_location("gravity") is not None
    if world is not None and not is_invalid:
        report.add(
            syntax_rules.DEFAULT_USED,
            "no <gravity>: using 0 0 -9.81 m/s², as DART does",
            (physics or world).location(),
            hint="state <gravity>; the default of the older document is 0 0 -9.8",
        )
    return STANDARD_GRAVITY


class _NameGenerator:
    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used)

    def assign(self, name: str | None, default: str, report: Report, location: Location | None) -> str:
        """Return the name, or a generated one, with a finding, if it is missing or already used."""
        if name and name not in self._used:
            self._used.add(name)
            return name
        unique = self.generate(name or default)
        if name:
            report.add(rules.RENAMED, f"duplicate name '{name}': renamed to '{unique}'", location)
        else:
            report.add(rules.GENERATED_NAME, f"no name: using '{unique}'", location)
        return unique

    def generate(self, name: str) -> str:
        """Return the name, with a number as in DART if it is already used."""
        unique = unique_name(name, self._used, lambda count: f"{name}({count})", first=1)
        self._used.add(unique)
        return unique


def _read_model(skeleton: SkeletonElement, names: _NameGenerator, report: Report, folder: Path | None) -> Model:
    static, pose = _is_immobile(skeleton, report), read_pose(skeleton, report)
    bodies = _read_bodies(skeleton, report, folder)
    return Model(
        name=names.assign(skeleton.name, "Unknown skeleton", report, skeleton.location()),
        pose=pose,
        bodies=NamedList(bodies.values()),
        joints=NamedList(_read_joints(skeleton, pose, bodies, report)),
        static=static,
        origin=skeleton.location(),
    )


def _is_immobile(skeleton: SkeletonElement, report: Report) -> bool:
    mobile, immobile = skeleton.mobile, skeleton.immobile
    if mobile is None:
        return bool(immobile)
    if immobile is not None and mobile == immobile:
        report.add(
            rules.CONFLICTING_VALUES,
            f"<mobile> and <immobile> conflict: the skeleton is {'mobile' if mobile else 'immobile'}",
            skeleton.location("immobile"),
            hint="remove one of them; DART reads <mobile>",
        )
    return not mobile


def _read_bodies(skeleton: SkeletonElement, report: Report, folder: Path | None) -> dict[str, Body]:
    names = _NameGenerator(element.name for element in skeleton.body if element.name)
    elements: dict[str, SkelBodyElement] = {}
    bodies: dict[str, Body] = {}
    for element in skeleton.body:
        if element.name and element.name in bodies:
            _report_duplicate_body(element, elements[element.name], report)
            continue
        name = element.name or names.assign(None, "Unknown body", report, element.location())
        elements[name] = element
        bodies[name] = read_body(element, name, report, folder)
    return bodies


def _report_duplicate_body(element: SkelBodyElement, first: SkelBodyElement, report: Report) -> None:
    location = first.location()
    report.add(
        rules.DUPLICATE_NAME,
        f"duplicate body '{element.name}': this one is ignored",
        element.location(),
        hint="give each body a unique name",
        related=(Related(location=location, message="first body of this name"),) if location else (),
    )


def _read_joints(skeleton: SkeletonElement, pose_world_skeleton: Pose, bodies: dict[str, Body], report: Report) -> list[Joint]:
    names = _NameGenerator()
    by_child: dict[str, Joint] = {}
    for element in skeleton.joint:
        if _has_valid_bodies(element, bodies, by_child, report):
            name = names.assign(element.name, "Unknown joint", report, element.location())
            named = element if element.name == name else replace_fields(element, name=name)
            joint = read_joint(named, name, _parent_name(element, bodies), report)
            if joint is not None:
                pose_parent = pose_world_skeleton if joint.parent is None else bodies[joint.parent].pose.inverse()
                by_child[joint.child] = to_model_motion(joint, pose_parent, bodies[joint.child])
                if has_lever_arm_of_force(joint):
                    message = f"the initial force of '{name}' acts at the origin of the joint, which rotates with the body"
                    report.add(rules.FORCE_ON_FREE_JOINT, message, element.location(), hint="state it without <transformation>")
    return [*by_child.values(), *_add_free_joints(bodies, by_child, names, report)]


def _parent_name(element: SkelJointElement, bodies: dict[str, Body]) -> str | None:
    # If a body is named "world", the name refers to that body.
    name = element.parent_body
    return None if name == "world" and name not in bodies else name


def _has_valid_bodies(element: SkelJointElement, bodies: dict[str, Body], by_child: dict[str, Joint], report: Report) -> bool:
    parent, child = element.parent_body, element.child_body
    if parent is None or child is None:
        return False
    for field_name, name in (("parent_body", parent), ("child_body", child)):
        if name not in bodies and not (field_name == "parent_body" and name == "world"):
            choices = chain(bodies, ("world",)) if field_name == "parent_body" else bodies
            report.add(
                rules.UNKNOWN_BODY,
                f"{_joint_label(element)} refers to the unknown body '{name}': the joint is ignored",
                element.location(field_name),
                hint=report.suggestion(name, choices),
            )
            return False
    first = by_child.get(child)
    if first is not None:
        report.add(
            rules.MULTIPLE_PARENTS,
            f"body '{child}' already has parent joint '{first.name}': {_joint_label(element)} is ignored",
            element.location("child_body"),
            related=(Related(location=first.origin, message="first parent joint"),) if first.origin else (),
        )
    return first is None


def _joint_label(element: SkelJointElement) -> str:
    return f"joint '{element.name}'" if element.name else "a joint without a name"


def _add_free_joints(bodies: dict[str, Body], by_child: dict[str, Joint], names: _NameGenerator, report: Report) -> list[Joint]:
    added = []
    for body in bodies.values():
        if body.name not in by_child:
            joint = Joint(name=names.generate("root"), type=Floating(), parent=None, child=body.name, origin=body.origin)
            report.add(
                rules.JOINT_ADDED,
                f"body '{body.name}' has no joint: free joint '{joint.name}' added",
                body.origin,
                hint='state <joint type="free">, or <joint type="weld"> with the parent world to fix the body',
            )
            added.append(joint)
    return added
