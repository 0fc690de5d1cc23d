"""Markers that are fixed to bodies: frames, joint axes, centres of mass, inertia ellipsoids, manipulators, sensors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError
from ossature.kinematics import default_moment_of_inertia
from ossature.model import (
    Axis,
    Body,
    Compound,
    Joint,
    JointType,
    Model,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Screw,
    Translational,
    Translational2D,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Pose, Vector3, quaternion_between, quaternion_from_matrix, unit
from ossature.viewer import color_palette
from ossature.viewer.marker_meshes import arrow, ball, revolute_arrow
from ossature.viewer.scene_elements import Primitive
from ossature.viewer.scene_layers import Layer

_AXES = (X_AXIS, Y_AXIS, Z_AXIS)


def frames(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive]:
    """Yield the axes of body frames, and of the frames fixed to bodies, ``size`` metres long."""
    for body in model.bodies:
        yield from frame(Layer.FRAMES, model, body.name, body.name, Pose(), size)
        for fixed in body.frames:
            yield from frame(Layer.FRAMES, model, body.name, fixed.name, fixed.pose, 0.7 * size)


def joint_axes(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive]:
    """Yield the axes of joints."""
    for joint in model.joints:
        yield from _joint_axis_arrows(model, joint, 1.4 * size)


def masses(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive]:
    """Yield the centres of mass."""
    heaviest = max((body.inertial.mass for body in model.bodies if body.inertial.mass < math.inf), default=1.0)
    for body in model.bodies:
        yield from _center_of_mass_markers(model, body, size, heaviest)


def inertias(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive]:
    """Yield the inertia ellipsoids; moments that a file does not specify are computed from shapes."""
    for body in model.bodies:
        yield from _inertia_markers(model, body, meshes)


def manipulators(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive]:
    """Yield the frames and directions of manipulators."""
    for manipulator in model.manipulators:
        if manipulator.tip in model.bodies:
            yield from frame(Layer.MANIPULATORS, model, manipulator.tip, manipulator.name, manipulator.pose, size)
            pose = manipulator.pose @ rotation_to(manipulator.direction)
            yield _arrow_primitive(
                Layer.MANIPULATORS, model, manipulator.tip, f"{manipulator.name} direction", pose, 1.6 * size
            )


def rotation_to(direction: Vector3) -> Pose:
    """Return a rotation that maps z to a direction; the identity for a zero vector."""
    try:
        return Pose(wxyz=quaternion_between(Z_AXIS, unit(direction)))
    except ValueError:  # a finding of `check`
        return Pose()


def frame(layer: Layer, model: Model, body: str | None, name: str, pose: Pose, size: float) -> Iterator[Primitive]:
    """Yield three arrows along the axes of a frame."""
    for axis, letter, color in zip(_AXES, "xyz", color_palette.AXES, strict=True):
        yield Primitive(
            layer=layer,
            model=model.name,
            body=body,
            name=f"{name} {letter}",
            surface=arrow(),
            pose=pose @ rotation_to(axis),
            scale=(size, size, size),
            color=color,
        )


def _arrow_primitive(layer: Layer, model: Model, body: str, name: str, pose: Pose, size: float) -> Primitive:
    color = color_palette.MANIPULATOR
    return Primitive(
        layer=layer, model=model.name, body=body, name=name, surface=arrow(), pose=pose, scale=(size,) * 3, color=color
    )


def _center_of_mass_markers(model: Model, body: Body, size: float, heaviest: float) -> Iterator[Primitive]:
    mass = body.inertial.mass
    if not 0.0 < mass < math.inf:
        return
    diameter = 0.5 * size * max((mass / heaviest) ** (1.0 / 3.0), 0.2)
    yield Primitive(
        layer=Layer.MASSES,
        model=model.name,
        body=body.name,
        name=f"{mass:g} kg",
        surface=ball(),
        pose=Pose(body.inertial.center_of_mass),
        scale=(diameter,) * 3,
        color=color_palette.MASS,
    )


def _inertia_markers(model: Model, body: Body, meshes: MeshStore) -> Iterator[Primitive]:
    found = ellipsoid_of(body, meshes)
    if found is None:
        return
    pose, diameters = found
    yield Primitive(
        layer=Layer.INERTIAS,
        model=model.name,
        body=body.name,
        name="inertia",
        surface=ball(),
        pose=pose,
        scale=diameters,
        color=color_palette.INERTIA,
    )


def ellipsoid_of(body: Body, meshes: MeshStore) -> tuple[Pose, Vector3] | None:
    """Return the pose and the diameters [m] of the homogeneous ellipsoid with the mass and the moments of a body.

    None if there is no such ellipsoid: the body has no mass, the moments are nonphysical, or they have to be computed from
    unavailable meshes. ``check`` reports all of these.
    """
    mass = body.inertial.mass
    if not 0.0 < mass < math.inf:
        return None
    try:
        tensor = np.array(default_moment_of_inertia(body, meshes))
    except OssatureError:
        return None
    if not np.isfinite(tensor).all():
        return None
    moments, axes = np.linalg.eigh((tensor + tensor.T) / 2.0)
    squares = 2.5 * (moments.sum() - 2.0 * moments) / mass
    if squares.max() <= 0.0:
        return None
    # After rounding, or for a flat body: an ellipsoid of zero thickness would be invisible.
    radii = np.sqrt(np.maximum(squares, 1e-4 * squares.max()))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    a, b, c = axes.tolist()
    wxyz = quaternion_from_matrix((tuple(a), tuple(b), tuple(c)))
    return Pose(body.inertial.center_of_mass, wxyz), tuple((2.0 * radii).tolist())


def _joint_axis_arrows(model: Model, joint: Joint, size: float) -> Iterator[Primitive]:
    if joint.child not in model.bodies:
        return
    for number, (direction, is_revolute) in enumerate(_axes_of(joint.type)):
        yield Primitive(
            layer=Layer.JOINT_AXES,
            model=model.name,
            body=joint.child,
            name=joint.name if number == 0 else f"{joint.name} {number}",
            surface=revolute_arrow() if is_revolute else arrow(),
            pose=joint.pose @ rotation_to(direction),
            scale=(size,) * 3,
            color=color_palette.REVOLUTE if is_revolute else color_palette.PRISMATIC,
        )


def _axes_of(type_: JointType) -> Sequence[tuple[Vector3, bool]]:
    """Return the axes of a joint type, each with whether it is revolute; empty for ball and floating joints."""
    if isinstance(type_, Compound):
        return [(axis.direction, axis.is_revolute) for axis in type_.axes if isinstance(axis, Axis)]
    if isinstance(type_, Translational):
        return [(axis, False) for axis in _AXES]
    slides = isinstance(type_, Prismatic | Planar | Translational2D | PointOnLine | PointOnPlane)
    found = [getattr(type_, name) for name in ("axis", "axis1", "axis2") if hasattr(type_, name)]
    return [(axis, not slides or isinstance(type_, Screw)) for axis in found]
