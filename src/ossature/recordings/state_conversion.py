"""Samples of a recording ⇄ states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.state_frame_motions import FrameMotion
from ossature.model import JointState, LinkState, ModelState, NamedList, State, Twist
from ossature.model.state_frame_tree import WORLD_FRAME
from ossature.recordings.header import Header
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
from ossature.recordings.sampled_link_motions import Links
from ossature.spatial import Pose, conjugate, rotate


def states_of_rows(header: Header, rows: Array) -> Iterator[State]:
    """Yield the states of samples.

    Args:
        rows: The samples, shape (samples, columns).

    Raises:
        ValueError: A body has no columns for a part of its motion, or its numbers overflow.
    """
    links = Links(header)
    joints = _joint_columns(header)
    motions = links.motions(rows)
    links.require_finite(rows, motions)
    numbers_of_links = np.stack((*motions.position, *motions.wxyz, *motions.twist), axis=-1)
    for row, link_numbers in zip(rows.tolist(), numbers_of_links.tolist(), strict=True):
        models: dict[str, list[LinkState]] = {model: [] for model, _ in links.names}
        for (model, link), numbers in zip(links.names, link_numbers, strict=True):
            models[model].append(_make_link_state(link, numbers))
        model_states = [
            ModelState(
                name=model,
                parent=None if model in header.poses else WORLD_FRAME,
                pose=header.poses.get(model),
                links=NamedList(links_of_model),
                joints=NamedList([_make_joint_state(joint, fields, row) for joint, fields in joints.get(model, {}).items()]),
            )
            for model, links_of_model in models.items()
        ]
        yield State(name=header.name, time=row[0], models=NamedList(model_states), fingerprint=header.fingerprint)


def _joint_columns(header: Header) -> dict[str, dict[str, dict[str, slice]]]:
    joints: dict[str, dict[str, dict[str, slice]]] = {}
    for quantity, span in header.columns.slices:
        if quantity.group == JOINTS:
            joints.setdefault(quantity.model, {}).setdefault(quantity.name, {})[quantity.field] = span
    return joints


def _make_link_state(name: str, numbers: list[float]) -> LinkState:
    px, py, pz, w, x, y, z, vx, vy, vz, wx, wy, wz = numbers
    pose = None if _is_empty(numbers[:7]) else Pose((px, py, pz), (w, x, y, z))
    twist = None if _is_empty(numbers[7:]) else Twist(linear=(vx, vy, vz), angular=(wx, wy, wz))
    return LinkState(name=name, pose=pose, twist=twist)


def _make_joint_state(name: str, fields: dict[str, slice], row: list[float]) -> JointState:
    positions, velocities = (_values_or_none(row[fields[field]]) if field in fields else None for field in JOINT_FIELDS)
    return JointState(name=name, positions=positions, velocities=velocities)


def _values_or_none(values: list[float]) -> tuple[float, ...] | None:
    """Return the numbers, or None if the recorded state did not specify them."""
    return None if _is_empty(values) else tuple(values)


def _is_empty(values: list[float]) -> bool:
    return any(map(math.isnan, values))


def columns_of(state: State) -> Columns:
    """Return the columns of a state: those of links with poses and of joints with positions."""
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


def row_of(columns: Columns, state: State, motions: Mapping[tuple[str, str], FrameMotion]) -> Array:
    """Return a state as a sample.

    Args:
        columns: The columns; quantities that the state does not specify, or with another number of values, are NaN.
        motions: Motions of links by model and link, as from :func:`ossature.kinematics.state_frame_motions.link_motions`.
    """
    row = np.full(columns.count, np.nan)
    for quantity, span in columns.slices:
        values = _quantity_values(quantity, state, motions)
        if values is not None and (quantity.group != JOINTS or len(values) == quantity.count):
            row[span] = values
    return row


def _quantity_values(quantity: RecordedQuantity, state: State, motions: Mapping[tuple[str, str], FrameMotion]) -> Any:
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
