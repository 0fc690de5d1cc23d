"""Joints of UsdPhysics: the motions that they permit, with limits, resistance and drives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ossature.formats.usd import rules
from ossature.formats.usd.read_shapes import AXES
from ossature.formats.usd.solver_parameters import solver_parameter
from ossature.formats.usd.stage import Prim, Stage
from ossature.model import (
    Axis,
    Compound,
    Coordinate,
    Cylindrical,
    Euler,
    Fixed,
    Floating,
    JointType,
    MujocoJoint,
    Planar,
    Prismatic,
    Range,
    Revolute,
    Spherical,
    SphericalMotion,
    Translational,
    Translational2D,
    Universal,
)
from ossature.model.joint import UNBOUNDED
from ossature.spatial import (
    IDENTITY,
    IDENTITY_WXYZ,
    Pose,
    Vector3,
    dot,
    matrix_from,
    quaternion_from_axis_angle,
    quaternion_from_matrix,
    rotate,
    scale,
    subtract,
)

JOINTS = frozenset(
    f"Physics{kind}" for kind in ("RevoluteJoint", "PrismaticJoint", "SphericalJoint", "FixedJoint", "DistanceJoint", "Joint")
)
"""Types of prims that are joints."""
_TRANSLATIONS, _ROTATIONS = ("transX", "transY", "transZ"), ("rotX", "rotY", "rotZ")


@dataclass(frozen=True, slots=True, kw_only=True)
class JointEnd:
    """One side of a joint.

    Attributes:
        body: The prim of the body, or None for the world.
        frame: The joint frame in the body, or in the world.
    """

    body: Prim | None
    frame: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """A drive of a coordinate: ``stiffness (target - q) + damping (target_velocity - v)``, in SI units.

    Attributes:
        force_limit: Largest force or torque.
    """

    coordinate: int
    stiffness: float
    damping: float
    target: float
    target_velocity: float
    force_limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSpec:
    """A joint as a stage states it.

    Attributes:
        prim: Its prim.
        ends: Its sides: of ``body0``, which is the parent, and of ``body1``.
        is_in_tree: Whether an articulation may contain it.
        parts: The prims of the joints of which it is made, with the index of their first coordinate.
    """

    prim: Prim
    ends: tuple[JointEnd, JointEnd]
    type: JointType
    coordinates: tuple[Coordinate, ...]
    drives: tuple[Drive, ...] = ()
    is_in_tree: bool = True
    parts: tuple[tuple[Prim, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Motion:
    """One degree of freedom: its name in UsdPhysics, and whether it is a rotation."""

    name: str
    instance: str

    @property
    def is_rotation(self) -> bool:
        return self.name.startswith("rot")

    @property
    def direction(self) -> Vector3:
        return AXES[self.name[-1]]


@dataclass(slots=True)
class JointReader:
    """Reads joints.

    Args:
        owner: Returns the body to which a prim belongs, or None for the world.
    """

    stage: Stage
    owner: Callable[[Prim], Prim | None]
    unordered: list[str] = field(default_factory=list)

    def read(self, prim: Prim) -> JointSpec | None:
        """Return the joint of a prim, or None, with a finding, if it connects nothing."""
        if not prim.flag("physics:jointEnabled", True):
            self.stage.add(rules.IGNORED_JOINT, f"the joint {prim.path} is disabled: it is ignored")
            return None
        ends = self._ends(prim)
        if ends is None:
            return None
        self._report_unrepresented(prim)
        motions, kind = self._motions(prim)
        coordinates = tuple([self._coordinate(prim, motion) for motion in motions])
        return JointSpec(
            prim=prim,
            ends=self._counted_from_reference(prim, ends, motions),
            type=kind,
            coordinates=coordinates or (Coordinate(),) * kind.degrees_of_freedom,
            drives=tuple(
                drive for number, motion in enumerate(motions) if (drive := self._drive(prim, motion, number)) is not None
            ),
            is_in_tree=not prim.flag("physics:excludeFromArticulation", False),
            parts=((prim, 0),),
        )

    # Frames

    def _ends(self, prim: Prim) -> tuple[JointEnd, JointEnd] | None:
        sides = [self._end(prim, number) for number in (0, 1)]
        first, second = sides
        if first is None or second is None:
            return None
        if first.body is second.body:
            what = "the same body" if first.body is not None else "only things that do not move"
            self.stage.add(rules.INVALID_BODY, f"the joint {prim.path} connects {what}: it is ignored")
            return None
        return first, second

    def _end(self, prim: Prim, number: int) -> JointEnd | None:
        targets = prim.targets(f"physics:body{number}")
        position = prim.finite_vector(f"physics:localPos{number}", (0.0, 0.0, 0.0))
        wxyz = prim.quaternion(f"physics:localRot{number}") or IDENTITY_WXYZ
        if not targets:
            return JointEnd(body=None, frame=self._world_frame(position, wxyz))
        target = self.stage.prims.get(targets[0])
        if target is None or len(targets) > 1:
            what = f"names {targets[0]}, which is no prim" if target is None else "names several prims"
            message = f"'physics:body{number}' of the joint {prim.path} {what}: the joint is ignored"
            self.stage.add(rules.INVALID_BODY, message, hint=self.stage.report.suggestion(targets[0], self.stage.prims))
            return None
        rotation, factors, _ = target.rotation_and_scale
        x, y, z = (self.stage.length * factor * part for factor, part in zip(factors, position, strict=True))
        frame = Pose(target.pose.position, rotation) @ Pose((x, y, z), wxyz)
        body = self.owner(target)
        return JointEnd(body=body, frame=frame if body is None else body.pose.inverse() @ frame)

    def _world_frame(self, position: Vector3, wxyz: tuple[float, float, float, float]) -> Pose:
        root = Pose(wxyz=quaternion_from_matrix(matrix_from(self.stage.rotation)))
        return root @ Pose(scale(position, self.stage.length), wxyz)

    def _counted_from_reference(
        self, prim: Prim, ends: tuple[JointEnd, JointEnd], motions: Sequence[_Motion]
    ) -> tuple[JointEnd, JointEnd]:
        """Return the sides of a joint whose position is MuJoCo's reference position where its frames coincide."""
        if "mjc:ref" not in prim.attributes or len(motions) != 1:
            return ends
        (motion,) = motions
        position = prim.finite("mjc:ref", 0.0) * (self.stage.mujoco_angle if motion.is_rotation else self.stage.length)
        turn = Pose(wxyz=quaternion_from_axis_angle(motion.direction, -position))
        back = turn if motion.is_rotation else Pose(scale(motion.direction, -position))
        return replace(ends[0], frame=ends[0].frame @ back), ends[1]

    # Motions

    def _motions(self, prim: Prim) -> tuple[list[_Motion], JointType]:
        axis = prim.token("physics:axis", "X")
        if axis not in AXES:
            self.stage.add(rules.INVALID_VALUE, f"'physics:axis' of {prim.path} is '{axis}': using X", hint="valid: X, Y, Z")
            axis = "X"
        match prim.type:
            case "PhysicsRevoluteJoint":
                return [_Motion(f"rot{axis}", "angular")], Revolute(axis=AXES[axis])
            case "PhysicsPrismaticJoint":
                return [_Motion(f"trans{axis}", "linear")], Prismatic(axis=AXES[axis])
            case "PhysicsSphericalJoint":
                return [_Motion(name, name) for name in _ROTATIONS], Spherical()
            case "PhysicsFixedJoint":
                return [], Fixed()
        return self._free_motions(prim)

    def _free_motions(self, prim: Prim) -> tuple[list[_Motion], JointType]:
        """Return the motions of a generic joint: those that are not locked."""
        free = [_Motion(name, name) for name in (*_TRANSLATIONS, *_ROTATIONS) if not self._is_locked(prim, name)]
        slides, turns = [[each for each in free if each.is_rotation is turning] for turning in (False, True)]
        is_plain = not any(self._is_bounded(prim, motion) for motion in turns)
        if len(turns) > 1 and not (len(turns) == 3 and is_plain):
            self.unordered.append(prim.path)
        kind = _type_of(slides, turns, is_plain=is_plain)
        return (turns + slides if isinstance(kind, Floating | Cylindrical) else free), kind

    def _is_locked(self, prim: Prim, name: str) -> bool:
        if f"PhysicsLimitAPI:{name}" not in prim.apis:
            return False
        low, high = self._limit(prim, name)
        return low > high or low == high == 0.0

    def _limit(self, prim: Prim, name: str) -> tuple[float, float]:
        return prim.number(f"limit:{name}:physics:low", -math.inf), prim.number(f"limit:{name}:physics:high", math.inf)

    def _is_bounded(self, prim: Prim, motion: _Motion) -> bool:
        """Whether a rotation has limits or a drive, which belong to an angle."""
        low, high = self._limit(prim, motion.name)
        has_limit = f"PhysicsLimitAPI:{motion.name}" in prim.apis and (low > -math.inf or high < math.inf)
        return has_limit or f"PhysicsDriveAPI:{motion.instance}" in prim.apis

    # Coordinates

    def _unit(self, motion: _Motion) -> float:
        """Return radians in a degree, or metres in a unit of length."""
        return math.pi / 180.0 if motion.is_rotation else self.stage.length

    def _effort(self, motion: _Motion) -> float:
        return self.stage.torque if motion.is_rotation else self.stage.force

    def _coordinate(self, prim: Prim, motion: _Motion) -> Coordinate:
        unit, effort = self._unit(motion), self._effort(motion)
        low, high = self._position_limits(prim, motion)
        speed = prim.number("newton:velocityLimit", math.inf) * unit
        force = prim.finite("urdf:limit:effort", 0.0) * effort
        name = prim.token(f"mjcf:{motion.name}:name", "") or None
        return Coordinate(
            name=name,
            position_limits=Range(low * unit, high * unit),
            velocity_limits=Range(-speed, speed) if 0.0 < speed < math.inf else UNBOUNDED,
            effort_limits=self._effort_limits(prim, effort, force),
            damping=self._nonnegative(prim, ("newton:damping",), effort / unit, "mjc:damping", effort / self._radian(motion)),
            friction=self._nonnegative(prim, ("newton:friction",), effort, "mjc:frictionloss", effort),
            armature=self._nonnegative(prim, ("newton:armature", "physxJoint:armature"), *self._inertia(motion)),
            stiffness=self._nonnegative(prim, (), 1.0, "mjc:stiffness", effort / self._radian(motion)),
            spring_reference=self._spring_reference(prim, motion),
            hints=(self._mujoco_hint(prim, motion),),
        )

    def _radian(self, motion: _Motion) -> float:
        """Return radians in MuJoCo's unit of the coordinate's rate, or metres in a unit of length."""
        return 1.0 if motion.is_rotation else self.stage.length

    def _inertia(self, motion: _Motion) -> tuple[float, str, float]:
        factor = self.stage.torque if motion.is_rotation else self.stage.mass
        return factor, "mjc:armature", factor

    def _spring_reference(self, prim: Prim, motion: _Motion) -> float:
        return prim.finite("mjc:springref", 0.0) * (self.stage.mujoco_angle if motion.is_rotation else self.stage.length)

    def _effort_limits(self, prim: Prim, unit: float, urdf: float) -> Range:
        low, high = (prim.number(f"mjc:actuatorfrcrange:{end}", 0.0) for end in ("min", "max"))
        limited = prim.token("mjc:actuatorfrclimited", "auto")
        if limited != "false" and low < high:
            return Range(low * unit, high * unit)
        return Range(-urdf, urdf) if urdf > 0.0 else UNBOUNDED

    def _position_limits(self, prim: Prim, motion: _Motion) -> tuple[float, float]:
        if motion.instance in ("angular", "linear"):
            return prim.number("physics:lowerLimit", -math.inf), prim.number("physics:upperLimit", math.inf)
        return self._limit(prim, motion.name) if f"PhysicsLimitAPI:{motion.name}" in prim.apis else (-math.inf, math.inf)

    def _nonnegative(self, prim: Prim, names: Sequence[str], unit: float, deprecated: str, deprecated_unit: float) -> float:
        """Return the first number that a joint states, in SI units; one below zero is ignored."""
        units = {**dict.fromkeys(names, unit), deprecated: deprecated_unit}
        values = [(name, prim.finite(name, 0.0) * factor) for name, factor in units.items() if name in prim.attributes]
        if not values:
            return 0.0
        name, value = values[0]
        if value < 0.0:
            self.stage.add(rules.INVALID_VALUE, f"'{name}' of {prim.path} is negative: it is ignored")
        return max(value, 0.0)

    def _mujoco_hint(self, prim: Prim, motion: _Motion) -> MujocoJoint:
        names = ("solreflimit", "solimplimit", "solreffriction", "solimpfriction")
        angle = self.stage.mujoco_angle if motion.is_rotation else self.stage.length
        is_single = motion.instance in ("angular", "linear")
        return MujocoJoint(
            ref=(prim.finite("mjc:ref", 0.0) * angle or None) if is_single else None,
            **{name: solver_parameter(prim, name) for name in names},
            margin=prim.finite("mjc:margin", 0.0) * (self.stage.mujoco_angle if motion.is_rotation else self.stage.length)
            or None,
            actuatorgravcomp=True if prim.flag("mjc:actuatorgravcomp", False) else None,
            group=int(prim.finite("mjc:group", 0.0)) or None,
        )

    def _drive(self, prim: Prim, motion: _Motion, number: int) -> Drive | None:
        if f"PhysicsDriveAPI:{motion.instance}" not in prim.apis:
            return None
        prefix = f"drive:{motion.instance}:physics:"
        unit, effort = self._unit(motion), self._effort(motion)
        kind = prim.token(f"{prefix}type", "force")
        stiffness, damping = prim.finite(f"{prefix}stiffness", 0.0), prim.finite(f"{prefix}damping", 0.0)
        drive = Drive(
            coordinate=number,
            stiffness=stiffness * effort / unit,
            damping=damping * effort / unit,
            target=prim.finite(f"{prefix}targetPosition", 0.0) * unit,
            target_velocity=prim.finite(f"{prefix}targetVelocity", 0.0) * unit,
            force_limit=prim.number(f"{prefix}maxForce", math.inf) * effort,
        )
        if kind == "acceleration" and (stiffness or damping):
            message = f"the drive of {prim.path} states accelerations: it is ignored"
            self.stage.add(rules.IGNORED_JOINT, message, hint="state a drive of the type force")
            return None
        return drive

    def _report_unrepresented(self, prim: Prim) -> None:
        cones = [prim.number(f"physics:coneAngle{number}Limit", -1.0) for number in (0, 1)]
        if prim.type == "PhysicsSphericalJoint" and any(0.0 <= angle < 180.0 for angle in cones):
            message = f"the cone limit of {prim.path} is not read: the joint rotates freely"
            self.stage.add(rules.IGNORED_JOINT, message)
        breaking = [name for name in ("physics:breakForce", "physics:breakTorque") if prim.number(name, math.inf) < 1e30]
        if breaking:
            self.stage.add(rules.IGNORED_JOINT, f"{', '.join(breaking)} of {prim.path} is not read: the joint does not break")
        for drive in (api for api in prim.apis if api.startswith("PhysicsDriveAPI:")):
            instance = drive.partition(":")[2]
            if prim.type == "PhysicsFixedJoint" or (prim.type == "PhysicsSphericalJoint" and instance not in _ROTATIONS):
                self.stage.add(rules.IGNORED_JOINT, f"the drive '{instance}' of {prim.path} moves nothing: it is ignored")


def _type_of(slides: Sequence[_Motion], turns: Sequence[_Motion], *, is_plain: bool) -> JointType:
    """Return the joint with some translations, and then some rotations; limited rotations are angles."""
    axes = tuple(Axis(direction=motion.direction, is_revolute=motion.is_rotation) for motion in (*slides, *turns))
    match len(slides), len(turns):
        case 0, 0:
            return Fixed()
        case 0, 1:
            return Revolute(axis=turns[0].direction)
        case 1, 0:
            return Prismatic(axis=slides[0].direction)
        case 1, 1 if slides[0].direction == turns[0].direction:
            return Cylindrical(axis=turns[0].direction)
        case 0, 2:
            return Universal(axis1=turns[0].direction, axis2=turns[1].direction)
        case 0, 3:
            return Spherical() if is_plain else Euler(order="xyz")
        case 2, 0:
            return Translational2D(axis1=slides[0].direction, axis2=slides[1].direction)
        case 3, 0:
            return Translational()
        case 3, 3 if is_plain:
            return Floating()
        case 2, 1 if turns[0].direction not in (slides[0].direction, slides[1].direction):
            return _planar(slides, turns[0])
    if len(turns) == 3 and is_plain:
        return Compound(axes=(*axes[: len(slides)], SphericalMotion()))
    return Compound(axes=axes)


def _planar(slides: Sequence[_Motion], turn: _Motion) -> JointType:
    """Return a planar joint if the rotation is about the cross product of the translations, which is not so for x and z."""
    if slides[0].name.endswith("X") and slides[1].name.endswith("Z"):
        axes = (*slides, turn)
        return Compound(axes=tuple(Axis(direction=each.direction, is_revolute=each.is_rotation) for each in axes))
    return Planar(axis1=slides[0].direction, axis2=slides[1].direction)


# Joints of several prims


def stacked(joints: Sequence[JointSpec], adds_mobility: Callable[[JointSpec], bool]) -> list[JointSpec]:
    """Return joints of which those that connect the same bodies and add mobility are one, in the order of the stage."""
    groups: dict[tuple[str, str], list[JointSpec]] = {}
    for joint in joints:
        first, second = joint.ends
        names = ("" if first.body is None else first.body.path, "" if second.body is None else second.body.path)
        key = names if joint.is_in_tree and adds_mobility(joint) else (joint.prim.path, "")
        groups.setdefault(key, []).append(joint)
    return [group[0] if len(group) == 1 else _stack(group) for group in groups.values()]


def _stack(joints: Sequence[JointSpec]) -> JointSpec:
    """Return one joint with the motions of several between the same bodies, each about its own frame in the child.

    The frames of all of them on the parent place the child at the same pose with all coordinates at zero.
    """
    parent, child = joints[0].ends
    axes: list[Axis | SphericalMotion] = []
    parts: list[tuple[Prim, int]] = []
    coordinates: list[Coordinate] = []
    drives: list[Drive] = []
    for joint in joints:
        first = len(coordinates)
        parts += [(prim, first + index) for prim, index in joint.parts]
        drives += [replace(drive, coordinate=first + drive.coordinate) for drive in joint.drives]
        axes += _axes_in(joint.type, joint.ends[1].frame)
        own = [replace(one, name=one.name or joint.prim.name) for one in joint.coordinates]
        coordinates += own
    zero = parent.frame @ child.frame.inverse()
    return JointSpec(
        prim=joints[0].prim,
        ends=(JointEnd(body=parent.body, frame=zero), JointEnd(body=child.body, frame=IDENTITY)),
        type=Compound(axes=tuple(axes)),
        coordinates=tuple(coordinates),
        drives=tuple(drives),
        parts=tuple(parts),
    )


def _axes_in(kind: JointType, frame: Pose) -> list[Axis | SphericalMotion]:
    """Return the motions of a joint in the frame of its child."""
    match kind:
        case Revolute(axis=axis):
            return [Axis(direction=rotate(frame.wxyz, axis), anchor=frame.position)]
        case Prismatic(axis=axis):
            return [Axis(direction=rotate(frame.wxyz, axis), is_revolute=False)]
        case Spherical():
            return [SphericalMotion(anchor=frame.position)]
    return []


def is_stackable(joint: JointSpec) -> bool:
    """Whether the motions of a joint can be a part of those of a compound one."""
    return isinstance(joint.type, Revolute | Prismatic | Spherical)


# Positions


def measured(kind: JointType, motion: Pose) -> tuple[tuple[float, ...], Pose] | None:
    """Return the coordinates of a joint whose child frame has a pose in its parent frame, and the remaining motion.

    It is None for joints whose coordinates are not measured, which permit any motion that their bodies have.
    """
    match kind:
        case Fixed():
            return (), motion
        case Revolute(axis=axis):
            angle = _angle_about(motion, axis)
            return (angle,), Pose(wxyz=quaternion_from_axis_angle(axis, -angle)) @ motion
        case Prismatic(axis=axis):
            distance = dot(motion.position, axis)
            return (distance,), Pose(subtract(motion.position, scale(axis, distance)), motion.wxyz)
        case Cylindrical(axis=axis):
            angle, distance = _angle_about(motion, axis), dot(motion.position, axis)
            rest = Pose(subtract(motion.position, scale(axis, distance)), motion.wxyz)
            return (angle, distance), Pose(wxyz=quaternion_from_axis_angle(axis, -angle)) @ rest
    return None


def _angle_about(motion: Pose, axis: Vector3) -> float:
    w, x, y, z = motion.wxyz
    return math.remainder(2.0 * math.atan2(x * axis[0] + y * axis[1] + z * axis[2], w), 2.0 * math.pi)


def shifted(joint: JointSpec, positions: Sequence[float]) -> JointSpec:
    """Return a joint whose coordinates are counted from other positions."""
    coordinates = [
        replace(
            one,
            position_limits=Range(one.position_limits.lower - offset, one.position_limits.upper - offset),
            spring_reference=one.spring_reference - offset if one.stiffness else one.spring_reference,
        )
        for one, offset in zip(joint.coordinates, positions, strict=True)
    ]
    drives = [replace(drive, target=drive.target - positions[drive.coordinate]) for drive in joint.drives]
    return replace(joint, coordinates=tuple(coordinates), drives=tuple(drives))


Addresses = Mapping[str, tuple[str, int]]
"""The name of the joint and the index of the coordinate of each prim of a joint, by path."""
