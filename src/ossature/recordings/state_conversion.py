"""Samples of a recording ⇄ states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.kinematics.state_kinematics import FrameMotion
from ossature.model import JointState, LinkState, ModelState, NamedList, State, Twist
from ossature.recordings.header import Header
from ossature.recordings.link_kinematics import Links
from ossature.recordings.sample_columns import (
    BODIES,
    JOINT_FIELDS,
    JOINTS,
    TIME,
    Columns,
    RecordedQuantity,
    quantities_of_body,
    quantities_of_joint,
)
from ossature.spatial import Pose, conjugate, rotate

if TYPE_CHECKING:
    from numpy.typing import NDArray


def states_of(header: Header, rows: NDArray[np.float64]) -> Iterator[State]:
    """Yield the states that samples are.

    Args:
        header: What the recording says once.
        rows: The samples, shape (samples, columns).

    Raises:
        ValueError: A body has no columns for a part of its motion.
    """
    links = Links(header)
    joints = _joint_columns(header)
    position, wxyz, twist = links.motions(rows)
    motions = np.stack((*position, *wxyz, *twist), axis=-1)
    for row, of_links in zip(rows.tolist(), motions.tolist(), strict=True):
        models: dict[str, list[LinkState]] = {model: [] for model, _ in links.names}
        for (model, link), numbers in zip(links.names, of_links, strict=True):
            models[model].append(_link(link, numbers))
        stated = [
            ModelState(
                name=model,
                pose=header.poses.get(model),
                links=NamedList(of_model),
                joints=NamedList([_joint(joint, fields, row) for joint, fields in joints.get(model, {}).items()]),
            )
            for model, of_model in models.items()
        ]
        yield State(name=header.name, time=row[0], models=NamedList(stated), fingerprint=header.fingerprint)


def _joint_columns(header: Header) -> dict[str, dict[str, dict[str, slice]]]:
    joints: dict[str, dict[str, dict[str, slice]]] = {}
    for quantity, where in header.columns.slices:
        if quantity.group == JOINTS:
            joints.setdefault(quantity.model, {}).setdefault(quantity.name, {})[quantity.field] = where
    return joints


def _link(name: str, numbers: list[float]) -> LinkState:
    px, py, pz, w, x, y, z, vx, vy, vz, wx, wy, wz = numbers
    pose = None if _is_empty(numbers[:7]) else Pose((px, py, pz), (w, x, y, z))
    twist = None if _is_empty(numbers[7:]) else Twist(linear=(vx, vy, vz), angular=(wx, wy, wz))
    return LinkState(name=name, pose=pose, twist=twist)


def _joint(name: str, fields: dict[str, slice], row: list[float]) -> JointState:
    positions, velocities = (_stated(row[fields[field]]) if field in fields else None for field in JOINT_FIELDS)
    return JointState(name=name, positions=positions, velocities=velocities)


def _stated(values: list[float]) -> tuple[float, ...] | None:
    """Return numbers, or None where the state from which they came said nothing."""
    return None if _is_empty(values) else tuple(values)


def _is_empty(values: list[float]) -> bool:
    return any(map(math.isnan, values))


def columns_of(state: State) -> Columns:
    """Return the columns in which a state can be written: of links whose poses and joints whose positions it states."""
    quantities = [RecordedQuantity(group=TIME)]
    for model in state.models:
        for link in model.links:
            if link.pose is not None:
                quantities += quantities_of_body(model.name, link.name)
    for model in state.models:
        for joint in model.joints:
            if joint.positions is not None:
                quantities += quantities_of_joint(model.name, joint.name, len(joint.positions))
    return Columns(tuple(quantities))


def row_of(columns: Columns, state: State, motions: Mapping[tuple[str, str], FrameMotion]) -> NDArray[np.float64]:
    """Return a state as a sample.

    Args:
        columns: The columns; what the state does not say of them is not a number.
        state: The state.
        motions: Motions of links by model and link, as :func:`ossature.kinematics.state_kinematics.link_motions` gives them.
    """
    row = np.full(columns.count, np.nan)
    for quantity, where in columns.slices:
        values = _values(quantity, state, motions)
        if values is not None:
            row[where] = values
    return row


def _values(quantity: RecordedQuantity, state: State, motions: Mapping[tuple[str, str], FrameMotion]) -> Any:
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
