"""Joints of MJCF: those of one body become one joint of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.mujoco_compilation import CompiledFile
from ossature.formats.mjcf.mujoco_defaults import SOLIMP, SOLREF
from ossature.formats.mjcf.plain_numbers import limits, nonzero, specified, specified_number, user_numbers
from ossature.kinematics.joint_factorization import factor_motion, factor_pose
from ossature.model import (
    Axis,
    Compound,
    Coordinate,
    Fixed,
    Floating,
    Joint,
    JointType,
    MujocoJoint,
    Prismatic,
    Revolute,
    Spherical,
    SphericalMotion,
)
from ossature.model.joint import UNBOUNDED
from ossature.model.unique_names import take_unique_name
from ossature.spatial import IDENTITY, Pose, rotate, vector_from

_FREE, _BALL, _SLIDE, _HINGE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{name}")) for name in ("FREE", "BALL", "SLIDE", "HINGE"))


@dataclass(frozen=True, slots=True, kw_only=True)
class JointAddress:
    """Where the model has a joint of MJCF.

    Attributes:
        coordinate: Its first coordinate there.
    """

    joint: str
    coordinate: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyJoint:
    """The joint that moves a body.

    Attributes:
        pose: Its frame in the body.
        rest: The transform of the joints of MJCF at the position zero of the coordinates.
    """

    type: JointType
    pose: Pose = IDENTITY
    coordinates: tuple[Coordinate, ...] = ()
    rest: Pose = IDENTITY


def joint_of_body(file: CompiledFile, body: int) -> BodyJoint:
    """Return the joint of a body."""
    model = file.model
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    indices = range(first, first + count)
    if not indices:
        return BodyJoint(type=Fixed())
    if int(model.jnt_type[first]) == _FREE:
        return BodyJoint(type=Floating(), coordinates=_coordinates(file, first, 6))
    motions, rest = _motions_at_zero(model, indices)
    coordinates = tuple(
        c for index, motion in zip(indices, motions, strict=True) for c in _coordinates(file, index, motion.degrees_of_freedom)
    )
    anchors = {motion.anchor for motion in motions}
    if len(motions) == 1:
        return BodyJoint(type=_single_type(motions[0]), pose=Pose(motions[0].anchor), coordinates=coordinates, rest=rest)
    if len(anchors) == 1:
        common = anchors.pop()
        axes = tuple([_at_origin(motion) for motion in motions])
        return BodyJoint(type=Compound(axes=axes), pose=Pose(common), coordinates=coordinates, rest=rest)
    return BodyJoint(type=Compound(axes=tuple(motions)), coordinates=coordinates, rest=rest)


def _single_type(motion: Axis | SphericalMotion) -> JointType:
    if isinstance(motion, SphericalMotion):
        return Spherical(max_angle=motion.max_angle)
    return Revolute(axis=motion.direction) if motion.is_revolute else Prismatic(axis=motion.direction)


def _at_origin(motion: Axis | SphericalMotion) -> Axis | SphericalMotion:
    if isinstance(motion, SphericalMotion):
        return SphericalMotion(max_angle=motion.max_angle)
    return Axis(direction=motion.direction, is_revolute=motion.is_revolute)


def _motions_at_zero(model: Any, indices: Sequence[int]) -> tuple[list[Axis | SphericalMotion], Pose]:
    """Return the motions of joints whose position zero is that of the coordinates, and their transform there.

    In MJCF the pose of a body is that at the reference positions of its joints. With J(q) for the motion of a joint, the body
    moves by J1(q1 - r1) J2(q2 - r2) …, which is J1(-r1) J2(-r2) … times motions about displaced axes.
    """
    motions: list[Axis | SphericalMotion] = []
    rest = IDENTITY
    for index in reversed(indices):
        motions.insert(0, _moved(_motion(model, index), rest))
        reference = _reference(model, index)
        if reference:
            rest = factor_pose(factor_motion(_motion(model, index)), (-reference,)) @ rest
    return motions, rest


def _moved(motion: Axis | SphericalMotion, rest: Pose) -> Axis | SphericalMotion:
    if rest == IDENTITY:
        return motion
    back = rest.inverse()
    anchor = back.transform(motion.anchor)
    if isinstance(motion, SphericalMotion):
        return SphericalMotion(anchor=anchor, max_angle=motion.max_angle)
    return Axis(direction=rotate(back.wxyz, motion.direction), is_revolute=motion.is_revolute, anchor=anchor)


def _motion(model: Any, index: int) -> Axis | SphericalMotion:
    kind, anchor = int(model.jnt_type[index]), vector_from(model.jnt_pos[index])
    if kind == _BALL:
        angle = float(model.jnt_range[index, 1]) if model.jnt_limited[index] else None
        return SphericalMotion(anchor=anchor, max_angle=angle)
    return Axis(direction=vector_from(model.jnt_axis[index]), is_revolute=kind == _HINGE, anchor=anchor)


def _reference(model: Any, index: int) -> float:
    return 0.0 if int(model.jnt_type[index]) == _BALL else float(model.qpos0[model.jnt_qposadr[index]])


def _coordinates(file: CompiledFile, index: int, count: int) -> tuple[Coordinate, ...]:
    model = file.model
    is_scalar = count == 1
    dof = int(model.jnt_dofadr[index])
    hint = _hint(file, index, is_scalar)
    reference = _reference(model, index) if is_scalar else 0.0
    spring = float(model.qpos_spring[model.jnt_qposadr[index]]) if is_scalar else 0.0
    return tuple(
        Coordinate(
            name=file.specified_name("joints", index) if number == 0 else None,
            position_limits=limits(model.jnt_limited[index] and is_scalar, model.jnt_range[index]),
            effort_limits=limits(model.jnt_actfrclimited[index], model.jnt_actfrcrange[index]) if is_scalar else UNBOUNDED,
            initial_position=reference,
            states_position=True,
            damping=float(model.dof_damping[dof + number]),
            friction=float(model.dof_frictionloss[dof + number]),
            armature=float(model.dof_armature[dof + number]),
            stiffness=float(model.jnt_stiffness[index]),
            spring_reference=spring,
            hints=(hint,) if number == 0 else (),
        )
        for number in range(count)
    )


def _hint(file: CompiledFile, index: int, is_scalar: bool) -> MujocoJoint:
    model, dof = file.model, int(file.model.jnt_dofadr[index])
    return MujocoJoint(
        ref=specified_number(_reference(model, index), 0.0) if is_scalar else None,
        solreflimit=specified(model.jnt_solref[index], SOLREF),
        solimplimit=specified(model.jnt_solimp[index], SOLIMP),
        solreffriction=specified(model.dof_solref[dof], SOLREF),
        solimpfriction=specified(model.dof_solimp[dof], SOLIMP),
        margin=specified_number(model.jnt_margin[index], 0.0),
        stiffness=nonzero(model.jnt_stiffnesspoly[index]),
        damping=nonzero(model.dof_dampingpoly[dof]),
        actuatorgravcomp=True if model.jnt_actgravcomp[index] else None,
        group=specified_number(model.jnt_group[index], 0),
        user=user_numbers(file.element("joints", index), model.jnt_user[index]),
    )


def joint_names(file: CompiledFile) -> dict[int, str]:
    """Return the name of the joint that moves each body, except the world."""
    model = file.model
    single = {body: int(model.body_jntadr[body]) for body in range(1, model.nbody) if model.body_jntnum[body] == 1}
    named = {body: file.specified_name("joints", index) for body, index in single.items()}
    taken = {name for name in named.values() if name is not None}
    return {
        body: named.get(body) or take_unique_name(f"{file.name('bodies', body)}_joint", taken) for body in range(1, model.nbody)
    }


def joint_addresses(file: CompiledFile, names: dict[int, str]) -> dict[int, JointAddress]:
    """Return where the model has each joint of MJCF."""
    found: dict[int, JointAddress] = {}
    sizes = {_FREE: 6, _BALL: 3, _SLIDE: 1, _HINGE: 1}
    for index in range(file.model.njnt):
        body = int(file.model.jnt_bodyid[index])
        before = range(int(file.model.body_jntadr[body]), index)
        coordinate = sum([sizes[int(file.model.jnt_type[other])] for other in before])
        found[index] = JointAddress(joint=names[body], coordinate=coordinate)
    return found


def make_joint(file: CompiledFile, body: int, joint: BodyJoint, name: str, parent: str | None) -> Joint:
    """Return the joint of the model that moves a body."""
    first = int(file.model.body_jntadr[body])
    coordinates = joint.coordinates
    if file.model.body_jntnum[body] == 1:  # the joint has the name
        coordinates = (replace(coordinates[0], name=None), *coordinates[1:])
    return Joint(
        name=name,
        type=joint.type,
        parent=parent,
        child=file.name("bodies", body),
        pose=joint.pose,
        coordinates=coordinates,
        origin=file.location("bodies", body) if first < 0 else file.location("joints", first),
    )
