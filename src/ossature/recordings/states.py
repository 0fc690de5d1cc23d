"""Samples of a recording ⇄ states."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.kinematics.frames import Motion
from ossature.model import JointState, LinkState, ModelState, Named, State, Twist
from ossature.recordings.columns import BODIES, BODY_FIELDS, JOINTS, TIME, Columns, Quantity
from ossature.recordings.header import Header
from ossature.spatial import IDENTITY, Pose, conjugate, rotate

if TYPE_CHECKING:
    from numpy.typing import NDArray


def state_of(header: Header, row: NDArray[np.float64]) -> State:
    """Return the state that a sample is."""
    sample = header.columns.nested(row)
    bodies, joints = sample.get(BODIES, {}), sample.get(JOINTS, {})
    models = [
        ModelState(
            name=name,
            pose=header.poses.get(name, IDENTITY),
            links=Named([_link(link, fields, header.poses.get(name, IDENTITY)) for link, fields in bodies[name].items()]),
            joints=Named([_joint(joint, fields) for joint, fields in joints.get(name, {}).items()]),
        )
        for name in bodies
    ]
    return State(name=header.name, time=sample[TIME], models=Named(models), fingerprint=header.fingerprint)


def _link(name: str, fields: dict[str, list[float]], pose_world_model: Pose) -> LinkState:
    w, i, j, k = fields["wxyz"]
    x, y, z = fields["position"]
    vx, vy, vz = fields["linear_velocity"]
    wx, wy, wz = fields["angular_velocity_body"]
    twist = Twist(linear=rotate(conjugate((w, i, j, k)), (vx, vy, vz)), angular=(wx, wy, wz))
    return LinkState(name=name, pose=pose_world_model.inverse() @ Pose((x, y, z), (w, i, j, k)), twist=twist)


def _joint(name: str, fields: dict[str, list[float]]) -> JointState:
    positions, velocities = _stated(fields["positions"]), _stated(fields["velocities"])
    return JointState(name=name, positions=positions, velocities=velocities)


def _stated(values: list[float]) -> tuple[float, ...] | None:
    """Return numbers, or None where the state from which they came said nothing."""
    return None if any(map(math.isnan, values)) else tuple(values)


def columns_of(state: State) -> Columns:
    """Return the columns in which a state can be written: of links whose poses and joints whose positions it states."""
    quantities = [Quantity(group=TIME)]
    for model in state.models:
        for link in model.links:
            if link.pose is not None:
                quantities += [
                    Quantity(group=BODIES, model=model.name, name=link.name, field=field, width=width)
                    for field, width in BODY_FIELDS.items()
                ]
    for model in state.models:
        for joint in model.joints:
            if joint.positions is not None:
                quantities += [
                    Quantity(group=JOINTS, model=model.name, name=joint.name, field=field, width=len(joint.positions))
                    for field in ("positions", "velocities")
                ]
    return Columns(tuple(quantities))


def row_of(columns: Columns, state: State, motions: Mapping[tuple[str, str], Motion]) -> NDArray[np.float64]:
    """Return a state as a sample.

    Args:
        columns: The columns; what the state does not say of them is not a number.
        state: The state.
        motions: Motions of links by model and link, as :func:`ossature.kinematics.frames.link_motions` gives them.
    """
    row = np.full(len(columns.labels), np.nan)
    for quantity, where in columns.slices:
        values = _values(quantity, state, motions)
        if values is not None:
            row[where] = values
    return row


def _values(quantity: Quantity, state: State, motions: Mapping[tuple[str, str], Motion]) -> Any:
    if quantity.group == TIME:
        return state.time
    if quantity.group == BODIES:
        motion = motions.get((quantity.model, quantity.name))
        if motion is None:
            return None
        if quantity.field == "position":
            return motion.pose.position
        if quantity.field == "wxyz":
            return motion.pose.wxyz
        if quantity.field == "linear_velocity":
            return motion.linear
        return rotate(conjugate(motion.pose.wxyz), motion.angular)
    if quantity.group == JOINTS:
        model = state.models.get(quantity.model)
        joint = None if model is None else model.joints.get(quantity.name)
        if joint is None:
            return None
        return joint.positions if quantity.field == "positions" else joint.velocities
    return None
