"""Reader of SDFormat joints."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ossature import model
from ossature.diagnostics import Report
from ossature.formats.sdf import rules
from ossature.formats.sdf.frame_graph import WORLD, FrameGraph, Scope, Vertex
from ossature.formats.sdf.passthrough import extension_of, extensions_of
from ossature.formats.sdf.schema import SdfAxisElement, SdfJointElement, SdfMimicElement
from ossature.formats.urdf.convert_mimic import mimic_coupling
from ossature.spatial import Pose, Vector3, conjugate, cross, dot, norm, perpendicular, rotate, unit
from ossature.syntax.xml import XmlNode

NO_BOUND = 1e16
"""Bounds of at least this size are none."""
PERPENDICULAR = 1e-9
"""Largest cosine between the axes of a universal joint."""
_ROUNDING = 1e-15
"""Largest cosine of axes that are perpendicular up to rounding."""
_DEFAULT_PITCH = 1.0
"""Translation of a screw for each revolution, if the file states none [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointEnds:
    """What a joint connects.

    Attributes:
        parent: The link of its parent frame, or None for the world.
        child: The link of its child frame.
        pose_child_joint: The joint frame in that of the child link.
    """

    vertex: Vertex
    parent: Vertex | None
    child: Vertex
    pose_child_joint: Pose


class JointReader:
    """Reads the joints of a model."""

    def __init__(self, graph: FrameGraph, report: Report) -> None:
        self._graph = graph
        self._report = report

    def ends(self, vertex: Vertex) -> JointEnds | None:
        """Return what a joint connects, or None with a finding if that is invalid."""
        element, scope = vertex.element, vertex.scope
        assert isinstance(element, SdfJointElement)  # noqa: S101  # the caller passes joints
        if not element.parent_frame or not element.child_frame:
            return None
        if element.child_frame == WORLD:
            self._report.add(
                rules.UNKNOWN_FRAME,
                f"joint '{vertex.name}' has the child 'world', which cannot move: the joint is ignored",
                element.location("child_frame"),
                hint="exchange parent and child",
            )
            return None
        child_path = self._graph.find(scope, element.child_frame, element, "child_frame")
        child = None if child_path is None else self._graph.link_of(scope, child_path)
        is_world, parent = element.parent_frame == WORLD, None
        if not is_world:
            parent_path = self._graph.find(scope, element.parent_frame, element, "parent_frame")
            parent = None if parent_path is None else self._graph.link_of(scope, parent_path)
            is_world = bool(parent_path is not None and parent is None and scope.is_world)
        if child is None or (parent is None and not is_world):
            return None
        if parent is child:
            message = f"joint '{vertex.name}' connects link '{child.path}' to itself: it is ignored"
            self._report.add(rules.SELF_CONNECTION, message, element.location(), hint="name two different links")
            return None
        return JointEnds(
            vertex=vertex, parent=parent, child=child, pose_child_joint=self._graph.pose_in(path_to(scope, child), vertex)
        )

    def joint(self, ends: JointEnds, names: Mapping[Vertex, str]) -> model.Joint:
        """Return a joint.

        Args:
            names: The names of all links and joints in the outermost model.
        """
        element = ends.vertex.element
        assert isinstance(element, SdfJointElement)  # noqa: S101  # see ends
        kind = self._kind(element)
        axes = [self._axis(ends.vertex, axis) for axis in (element.axis, element.axis2)]
        specified = (element.axis, element.axis2)
        self._report_ignored_axes(element, kind)
        return model.Joint(
            name=names[ends.vertex],
            type=self._type(kind, element, axes),
            parent=None if ends.parent is None else names[ends.parent],
            child=names[ends.child],
            pose=ends.pose_child_joint,
            coordinates=tuple([self._coordinate(ends.vertex, axis, kind, names) for axis in specified[: _COORDINATES[kind]]]),
            extensions=(*extensions_of(element), *_stop_extensions(specified)),
            origin=element.location(),
        )

    def axis(self, vertex: Vertex, number: int) -> Vector3:
        """Return one of the axes of a joint, in its frame."""
        element = vertex.element
        assert isinstance(element, SdfJointElement)  # noqa: S101  # the caller passes joints
        return self._axis(vertex, (element.axis, element.axis2)[number])

    def _kind(self, element: SdfJointElement) -> str:
        kind = (element.type or "fixed").lower()
        if kind not in _TYPES:
            self._report.add(
                rules.UNKNOWN_JOINT_TYPE,
                f"joint '{element.name}' has the unknown type '{kind[:40]}': read as fixed",
                element.location("type"),
                hint=self._report.suggestion(kind, _TYPES),
            )
            return "fixed"
        if kind == "gearbox":
            message = (
                f"the gearbox '{element.name}' is read as a revolute joint: its ratio {element.gearbox_ratio:g} is ignored"
            )
            hint = "connect parent and child to the reference body by revolute joints about the axes of the gearbox"
            self._report.add(rules.UNSUPPORTED_JOINT, message, element.location(), hint=hint)
        return kind

    def _report_ignored_axes(self, element: SdfJointElement, kind: str) -> None:
        """Report the axes that the type of a joint does not have, if they state more than a direction."""
        for axis in (element.axis, element.axis2)[_AXES.get(kind, _COORDINATES[kind]) :]:
            if axis is not None and (axis.dynamics is not None or axis.limit is not None or axis.mimic is not None):
                tag = "axis" if axis is element.axis else "axis2"
                message = f"joint '{element.name}' of type {kind} has no <{tag}>: its dynamics and limits are ignored"
                hint = f"remove <{tag}>, or use another type of joint"
                self._report.add(rules.IGNORED_ELEMENT, message, axis.location(), hint=hint)

    def _type(self, kind: str, element: SdfJointElement, axes: Sequence[Vector3]) -> model.JointType:
        if _COORDINATES[kind] == 2 and norm(cross(axes[0], axes[1])) < PERPENDICULAR:
            message = f"the two axes of joint '{element.name}' are parallel: using perpendicular ones"
            self._report.add(rules.ZERO_AXIS, message, element.location("axis2"), hint="state <xyz> in <axis> and <axis2>")
            axes = (axes[0], perpendicular(axes[0]))
        return _TYPES[kind](element, axes)

    def _axis(self, vertex: Vertex, element: SdfAxisElement | None) -> Vector3:
        specified = element.xyz if element is not None else None
        if element is None or specified is None or specified.xyz is None:
            return (0.0, 0.0, 1.0)
        length = norm(specified.xyz)
        if length < sys.float_info.min or not math.isfinite(length):
            message = f"the axis of joint '{vertex.name}' is zero: using 0 0 1"
            self._report.add(rules.ZERO_AXIS, message, specified.location())
            return (0.0, 0.0, 1.0)
        axis = unit(specified.xyz)
        if not specified.expressed_in:
            return axis
        path = vertex.scope.find(specified.expressed_in)
        if path is None:
            self._report.add(
                rules.UNKNOWN_FRAME,
                f"there is no frame '{specified.expressed_in}' for the axis of joint '{vertex.name}'",
                specified.location("expressed_in"),
                hint=self._report.suggestion(specified.expressed_in, vertex.scope.by_name),
            )
            return axis
        in_scope = rotate(self._graph.pose_of_path(path).wxyz, axis)
        return unit(rotate(conjugate(self._graph.pose_in_scope(vertex).wxyz), in_scope))

    def _coordinate(
        self, vertex: Vertex, element: SdfAxisElement | None, kind: str, names: Mapping[Vertex, str]
    ) -> model.Coordinate:
        if element is None:
            return model.Coordinate()
        limit, dynamics = element.limit, element.dynamics
        return model.Coordinate(
            position_limits=model.UNBOUNDED
            if limit is None or kind == "continuous"
            else self._position_limits(vertex, element),
            velocity_limits=model.UNBOUNDED if limit is None else _symmetric(limit.velocity),
            effort_limits=model.UNBOUNDED if limit is None else _symmetric(limit.effort),
            initial_position=element.initial_position,
            damping=dynamics.damping if dynamics is not None else 0.0,
            friction=dynamics.friction if dynamics is not None else 0.0,
            stiffness=dynamics.spring_stiffness if dynamics is not None else 0.0,
            spring_reference=dynamics.spring_reference if dynamics is not None else 0.0,
            coupling=None if element.mimic is None else self._coupling(vertex, element.mimic, names),
        )

    def _position_limits(self, vertex: Vertex, element: SdfAxisElement) -> model.Range:
        limit = element.limit
        assert limit is not None  # noqa: S101  # the caller checks it
        lower = limit.lower if limit.lower > -NO_BOUND else -math.inf
        upper = limit.upper if limit.upper < NO_BOUND else math.inf
        if lower > upper:
            self._report.add(
                rules.REVERSED_LIMITS,
                f"the lower limit {lower:g} of joint '{vertex.name}' is greater than the upper limit {upper:g}: exchanged",
                limit.location("lower"),
            )
            lower, upper = upper, lower
        return model.Range(lower, upper)

    def _coupling(self, vertex: Vertex, element: SdfMimicElement, names: Mapping[Vertex, str]) -> model.Coupling | None:
        path = vertex.scope.find(element.joint or "")
        leader = path[-1] if path else None
        coordinate = {"axis": 0, "axis2": 1}.get(element.axis)
        specified = leader.element if leader is not None else None
        count = _COORDINATES.get((specified.type or "").lower(), 0) if isinstance(specified, SdfJointElement) else 0
        if leader is None or leader not in names or leader is vertex or coordinate is None or coordinate >= count:
            message = f"joint '{vertex.name}' cannot follow '{element.axis}' of '{element.joint}': the coupling is ignored"
            choices = [joint.name for joint in vertex.scope.joints if joint is not vertex]
            hint = self._report.suggestion(element.joint or "", choices)
            self._report.add(rules.MIMIC_LEADER, message, element.location("joint"), hint=hint)
            return None
        offset = element.offset - element.multiplier * element.reference
        return mimic_coupling(names[leader], element.multiplier, offset, coordinate=coordinate)


def _stop_extensions(axes: Sequence[SdfAxisElement | None]) -> list[model.Extension]:
    """Return the limits of axes that state the stiffness or dissipation of their stops, which the model does not represent."""
    found = []
    for tag, axis in zip(("axis", "axis2"), axes, strict=True):
        limit = axis.limit if axis is not None else None
        is_stated = limit is not None and (limit.stiffness is not None or limit.dissipation is not None)
        if limit is not None and is_stated and isinstance(limit.node, XmlNode):
            found.append(extension_of(limit.node, f"{tag}/"))
    return found


def path_to(scope: Scope, vertex: Vertex) -> Sequence[Vertex]:
    """Return the frame of a nested element, after the models between it and an outer scope."""
    path = [vertex]
    while path[0].scope is not scope:
        outer = path[0].scope.vertex
        if outer is None:
            break
        path.insert(0, outer)
    return path


def _symmetric(bound: float) -> model.Range:
    return model.Range(-bound, bound) if 0.0 <= bound < NO_BOUND else model.UNBOUNDED


def _two_axes(element: SdfJointElement, axes: Sequence[Vector3]) -> model.JointType:
    first, second = axes
    cosine = abs(dot(first, second))
    if cosine <= _ROUNDING:
        return model.Universal(axis1=first, axis2=second)
    if cosine <= PERPENDICULAR:
        return model.Universal(axis1=first, axis2=unit(cross(cross(first, second), first)))
    return model.Compound(axes=(model.Axis(direction=first), model.Axis(direction=second)))


def _screw(element: SdfJointElement, axes: Sequence[Vector3]) -> model.JointType:
    pitch = _DEFAULT_PITCH if element.screw_thread_pitch is None else element.screw_thread_pitch
    return model.Screw(axis=axes[0], pitch=pitch)


_TYPES: dict[str, Callable[[SdfJointElement, Sequence[Vector3]], model.JointType]] = {
    "revolute": lambda _, axes: model.Revolute(axis=axes[0]),
    "continuous": lambda _, axes: model.Revolute(axis=axes[0]),
    "gearbox": lambda _, axes: model.Revolute(axis=axes[0]),
    "prismatic": lambda _, axes: model.Prismatic(axis=axes[0]),
    "screw": _screw,
    "universal": _two_axes,
    "revolute2": _two_axes,
    "ball": lambda _, axes: model.Spherical(),
    "fixed": lambda _, axes: model.Fixed(),
}
_AXES = {"gearbox": 2}
"""Axes of the types of joints whose number is not that of their coordinates."""
_COORDINATES = {
    "revolute": 1,
    "continuous": 1,
    "gearbox": 1,
    "prismatic": 1,
    "screw": 1,
    "universal": 2,
    "revolute2": 2,
    "ball": 0,
    "fixed": 0,
}
