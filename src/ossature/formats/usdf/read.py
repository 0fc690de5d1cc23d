"""USDF document → State."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from ossature.diagnostics import Location, Report, Source, within_limits
from ossature.formats.format import Loaded, ReadContext
from ossature.formats.root_elements import hint_for_root
from ossature.formats.suspected_degrees import report_suspected_degrees
from ossature.formats.usdf import rules, schema
from ossature.formats.usdf.read_checkpoint import read_checkpoint
from ossature.model import (
    ActiveGrasp,
    BodyPath,
    FrameState,
    Grasp,
    JointState,
    LinkState,
    ModelState,
    NamedList,
    State,
    Twist,
    Wrench,
)
from ossature.model.fingerprint import Fingerprint
from ossature.model.state_frame_tree import WORLD_FRAME, frame_problems, frames_and_models
from ossature.spatial import EulerSpelling, Pose, Quaternion, conjugate, multiply, norm
from ossature.syntax import rules as syntax_rules
from ossature.syntax import xml, xml_parser
from ossature.syntax.xml_binding import bind


def read(context: ReadContext) -> Loaded:
    """Return the state in a USDF file; of a recording the first one."""
    state = read_usdf(context.source, context.report)
    return Loaded(states=() if state is None else (state,))


@within_limits
def read_usdf(source: Source, report: Report) -> State | None:
    """Return the state in a USDF file, or None if it is not a USDF file.

    For a recording this is the first state; :mod:`ossature.formats.usdf.read_recording` reads the others.
    """
    root = xml_parser.parse(source, report)
    return None if root is None or not is_usdf(root, report) else read_state(root, report)


def is_usdf(root: xml.XmlNode, report: Report) -> bool:
    """Whether a root element is one of USDF; report a finding if not."""
    if root.tag not in schema.ROOT_TAGS:
        hint = hint_for_root(root.tag, "a USDF file starts with <world_state>")
        report.add(rules.NOT_USDF, f"the root element is <{root.tag[:80]}>", root.location, hint=hint)
    return root.tag in schema.ROOT_TAGS


def read_state(root: xml.XmlNode, report: Report) -> State:
    """Return the state in a root element."""
    return state_of(read_document(root, report), report)


def read_document(root: xml.XmlNode, report: Report) -> schema.WorldStateElement:
    """Return the content of a root element."""
    _remove_foreign_elements(root, report)
    return bind(schema.WorldStateElement, root, report)


def state_of(document: schema.WorldStateElement, report: Report) -> State:
    """Return the state in the content of a root element."""
    fingerprint = _read_fingerprint(document.fingerprint)
    state = _report_frame_problems(
        State(
            name=document.name or "world",
            time=document.time,
            frames=_read_frames(document.frame, report),
            models=_read_models(document.model_state, report),
            fingerprint=fingerprint,
            checkpoint=read_checkpoint(document.remembered, report),
            grasps=None if document.holding is None else _read_grasps(document.holding, report),
            origin=document.location(),
        ),
        report,
    )
    _report_missing_poses(state, report)
    _report_degrees(document, report)
    return state


def _report_degrees(document: schema.WorldStateElement, report: Report) -> None:
    """Report angles of more than a turn, but not in samples of a recording, in which bodies may have turned as far."""
    poses = [element.pose for element in (*document.frame, *document.model_state)]
    poses += [link.pose for model in document.model_state for link in model.link_state]
    for pose in poses:
        if pose is not None and pose.values is not None and pose.wxyz is None:
            report_suspected_degrees("<pose>", pose.location, pose.values[3:], report, position=pose.values[:3])


def state_of_sample(sample: schema.SampleElement, before: State, report: Report) -> State:
    """Return the state of a sample of a recording; values that it does not state are those of the previous state."""
    return State(
        name=before.name,
        time=sample.time,
        frames=_read_frames(sample.frame, report),
        models=_read_models(sample.model_state, report),
        fingerprint=before.fingerprint,
        grasps=before.grasps if sample.holding is None else _read_grasps(sample.holding, report),
        origin=sample.location(),
    )


def _remove_foreign_elements(node: xml.XmlNode, report: Report) -> None:
    """Remove elements with the namespace prefix of other programs, and report them."""
    foreign = [inner for inner in node.children if ":" in inner.tag and not inner.tag.startswith(f"{schema.PREFIX}:")]
    for inner in foreign:
        report.add(syntax_rules.UNREAD_ELEMENT, f"<{inner.tag[:80]}> is a foreign extension; it is ignored", inner.location)
    if foreign:
        removed = set(foreign)
        node.children = [inner for inner in node.children if inner not in removed]
    for inner in node.children:
        if inner.tag in ("model_state", "frame", "link_state", "joint_state"):
            _remove_foreign_elements(inner, report)


def _read_fingerprint(element: schema.FingerprintElement | None) -> Fingerprint | None:
    if element is None or element.digest is None:
        return None
    return Fingerprint(world=element.digest, models=tuple([(each.name or "", each.digest or "") for each in element.model]))


def _read_grasps(element: schema.HoldingElement, report: Report) -> tuple[ActiveGrasp, ...]:
    found = []
    for each in element.held:
        pose = read_pose(each.pose, report)
        if pose is None or None in (each.holder_model, each.holder_link, each.model, each.link):
            continue
        grasp = Grasp(
            link=BodyPath(model=each.holder_model or "", body=each.holder_link or ""),
            body=BodyPath(model=each.model or "", body=each.link or ""),
            ignored_bodies=tuple([ignored.link for ignored in each.ignored_link if ignored.link is not None]),
            origin=each.location(),
        )
        found.append(ActiveGrasp(grasp=grasp, pose_link_body=pose))
    return tuple(found)


class _HasName(Protocol):
    @property
    def name(self) -> str | None: ...

    def location(self, name: str | None = None) -> Location | None: ...


T = TypeVar("T", bound=_HasName)


def _unique_by_name(elements: Iterable[T], kind: str, report: Report) -> list[T]:
    first: dict[str, T] = {}
    for element in elements:
        if element.name is None:
            continue  # reported by the binder
        if element.name in first:
            report.add(rules.DUPLICATE_STATE, f"there are two {kind} '{element.name}'", element.location("name"))
        first.setdefault(element.name, element)
    return list(first.values())


def _read_frames(elements: tuple[schema.FrameElement, ...], report: Report) -> NamedList[FrameState]:
    return NamedList(
        [
            FrameState(
                name=frame.name or "",
                parent=_read_parent(frame),
                pose=read_pose(frame.pose, report),
                twist=read_twist(frame.twist),
                origin=frame.location(),
            )
            for frame in _unique_by_name(elements, "frames", report)
        ]
    )


def _read_models(elements: tuple[schema.ModelStateElement, ...], report: Report) -> NamedList[ModelState]:
    return NamedList(
        [
            ModelState(
                name=model.name or "",
                parent=WORLD_FRAME if model.parent == WORLD_FRAME and model.pose is None else _read_parent(model),
                pose=read_pose(model.pose, report),
                twist=read_twist(model.twist),
                links=NamedList([_read_link(link, report) for link in _unique_by_name(model.link_state, "links", report)]),
                joints=NamedList(
                    [_read_joint(joint, report) for joint in _unique_by_name(model.joint_state, "joints", report)]
                ),
                origin=model.location(),
            )
            for model in _unique_by_name(elements, "models", report)
        ]
    )


def _read_parent(frame: schema.FrameElement) -> str | None:
    return None if frame.parent in (None, "", WORLD_FRAME) else frame.parent


def _read_link(link: schema.UsdfLinkStateElement, report: Report) -> LinkState:
    return LinkState(
        name=link.name or "",
        pose=read_pose(link.pose, report),
        twist=read_twist(link.twist),
        wrench=read_wrench(link.wrench),
        origin=link.location(),
    )


def _read_joint(joint: schema.JointStateElement, report: Report) -> JointState:
    specified = {"positions": joint.positions, "velocities": joint.velocities, "torques": joint.torques}
    counts = {name: len(values) for name, values in specified.items() if values is not None}
    if len(set(counts.values())) > 1:
        stated = ", ".join(f"{count} {name}" for name, count in counts.items())
        hint = "one number for each degree of freedom"
        report.add(syntax_rules.LIST_LENGTH_MISMATCH, f"joint '{joint.name}' has {stated}", joint.location(), hint=hint)
    return JointState(
        name=joint.name or "",
        positions=joint.positions,
        velocities=joint.velocities,
        efforts=joint.torques,
        origin=joint.location(),
    )


def _report_frame_problems(state: State, report: Report) -> State:
    names: dict[str, Location | None] = {}
    for frame in frames_and_models(state):
        if frame.name == WORLD_FRAME:
            report.add(rules.RESERVED_NAME, "'world' is reserved for the inertial frame", frame.origin, hint="use another name")
        elif frame.name in names:
            report.add(rules.DUPLICATE_STATE, f"a frame and a model have the name '{frame.name}'", frame.origin)
        names[frame.name] = frame.origin
    choices = ", ".join([WORLD_FRAME, *list(names)[:10]])
    for problem in frame_problems(state):
        rule = rules.FRAME_CYCLE if problem.is_cycle else rules.UNKNOWN_FRAME
        hint = "use 'world' as the parent of one of them" if problem.is_cycle else f"known frames: {choices}"
        report.add(rule, str(problem), problem.frame.origin, path=problem.frame.name, hint=hint)
    return state


def _report_missing_poses(state: State, report: Report) -> None:
    for model in state.models:
        if model.pose is None and model.parent is None and any(link.pose is not None for link in model.links):
            message = f"model '{model.name}' has poses of links, but no pose; that of the model file is used, or the origin"
            hint = "add <pose>x y z roll pitch yaw</pose> to the <model_state>"
            report.add(rules.MISSING_MODEL_POSE, message, model.origin, path=model.name, hint=hint)


MOST_ROUNDING = 1e-6
"""Largest difference between a quaternion and the angles of the same pose [rad]."""


def read_pose(element: schema.PoseElement | None, report: Report) -> Pose | None:
    """Return a pose, bit-exact if the file has a quaternion."""
    if element is None or element.values is None:
        return None
    x, y, z, roll, pitch, yaw = element.values
    # Rotations about the fixed axes x, y, z are rotations about the moving axes z, y, x.
    specified = Pose.from_euler((x, y, z), (yaw, pitch, roll), "zyx")
    if element.wxyz is None:
        return specified
    if _angle_between(element.wxyz, specified.wxyz) > MOST_ROUNDING:
        message = "the angles and the quaternion of a pose are different rotations; the angles are used"
        report.add(rules.CONTRADICTORY_ROTATION, message, element.location("wxyz"))
        return specified
    return Pose((x, y, z), element.wxyz, EulerSpelling("zyx", (yaw, pitch, roll)))


def _angle_between(first: Quaternion, second: Quaternion) -> float:
    """Return the angle between two rotations [rad], or 4 if the first is not a unit quaternion."""
    w, x, y, z = multiply(conjugate(first), second)
    is_unit = abs(w * w + x * x + y * y + z * z - 1.0) < MOST_ROUNDING
    return 2.0 * norm((x, y, z)) if is_unit else 4.0


def read_twist(values: tuple[float, ...] | None) -> Twist | None:
    """Return a twist."""
    if values is None:
        return None
    a, b, c, d, e, f = values
    return Twist(linear=(a, b, c), angular=(d, e, f))


def read_wrench(values: tuple[float, ...] | None) -> Wrench | None:
    """Return a wrench."""
    if values is None:
        return None
    a, b, c, d, e, f = values
    return Wrench(force=(a, b, c), torque=(d, e, f))
