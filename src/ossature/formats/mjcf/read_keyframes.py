"""Keyframes of MJCF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.plain_numbers import numbers
from ossature.formats.mjcf.read_joints import BodyJoint
from ossature.formats.mjcf.read_tendons_actuators_equalities_pairs import References
from ossature.model import Keyframe, KeyframeActuator, KeyframeBody, KeyframeJoint
from ossature.spatial import Pose, normalized, pose_from, quaternion_from, rotate, rotation_vector_from_quaternion, vector_from

_FREE, _BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)


def read_keyframes(references: References, joints: Mapping[int, BodyJoint], poses: Sequence[Pose]) -> list[Keyframe]:
    """Return the keyframes.

    Args:
        references: The names of elements.
        poses: The pose of each body with all coordinates at zero.
    """
    return [_keyframe(references, index, joints, poses) for index in range(references.file.model.nkey)]


def _keyframe(references: References, index: int, joints: Mapping[int, BodyJoint], poses: Sequence[Pose]) -> Keyframe:
    file, model = references.file, references.file.model
    return Keyframe(
        name=file.name("keys", index),
        time=float(model.key_time[index]),
        joints=tuple(_joints(references, index, joints, poses)),
        actuators=tuple(_actuators(references, index)),
        bodies=tuple(_mocap_bodies(references, index)),
        origin=file.location("keys", index),
    )


def _joints(references: References, key: int, joints: Mapping[int, BodyJoint], poses: Sequence[Pose]) -> list[KeyframeJoint]:
    model = references.file.model
    found = []
    for body in joints:
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if not count:
            continue
        indices = range(first, first + count)
        moved = any(_differs(model, index, model.key_qpos[key]) for index in indices)
        rates = [rate for index in indices for rate in _rates(model, index, key)]
        if moved or any(rates):
            positions = [q for index in indices for q in _positions(model, index, model.key_qpos[key], poses[body])]
            found.append(
                KeyframeJoint(
                    joint=references.joints[first].joint,
                    positions=tuple(positions) if moved else None,
                    velocities=tuple(rates) if any(rates) else None,
                )
            )
    return found


def _slice(model: Any, index: int) -> slice:
    kind, start = int(model.jnt_type[index]), int(model.jnt_qposadr[index])
    return slice(start, start + {_FREE: 7, _BALL: 4}.get(kind, 1))


def _differs(model: Any, index: int, qpos: Any) -> bool:
    at = _slice(model, index)
    return not np.array_equal(qpos[at], model.qpos0[at])


def _positions(model: Any, index: int, qpos: Any, pose: Pose) -> tuple[float, ...]:
    """Return the positions of the coordinates of a joint of MJCF; those of a floating joint are relative to its pose."""
    values = qpos[_slice(model, index)]
    kind = int(model.jnt_type[index])
    if kind == _FREE:
        relative = pose.inverse() @ pose_from(values[:3], _unit(values[3:]))
        return (*rotation_vector_from_quaternion(relative.wxyz), *relative.position)
    return rotation_vector_from_quaternion(quaternion_from(_unit(values))) if kind == _BALL else numbers(values)


def _unit(quaternion: Any) -> Any:
    return np.asarray(normalized(tuple(quaternion.tolist())) if np.any(quaternion) else (1.0, 0.0, 0.0, 0.0))


def _rates(model: Any, index: int, key: int) -> tuple[float, ...]:
    """Return the velocities of the coordinates of a joint of MJCF.

    The angular velocity of a free joint is in axes of the body there, and in axes of the world here.
    """
    qvel = model.key_qvel[key]
    start = int(model.jnt_dofadr[index])
    kind = int(model.jnt_type[index])
    if kind == _FREE:
        wxyz = quaternion_from(_unit(model.key_qpos[key][_slice(model, index)][3:]))
        return (*rotate(wxyz, vector_from(qvel[start + 3 : start + 6])), *numbers(qvel[start : start + 3]))
    return numbers(qvel[start : start + (3 if kind == _BALL else 1)])


def _actuators(references: References, key: int) -> list[KeyframeActuator]:
    model = references.file.model
    found = []
    for index in range(model.nactuator):
        control, activation = int(model.actuator_ctrladr[index]), int(model.actuator_actadr[index])
        controls = numbers(model.key_ctrl[key][control : control + int(model.actuator_ctrlnum[index])])
        count = int(model.actuator_actnum[index]) if activation >= 0 else 0
        activations = numbers(model.key_act[key][activation : activation + count]) if count else ()
        if any(controls) or any(activations):
            found.append(
                KeyframeActuator(
                    actuator=references.file.name("actuators", index),
                    control=controls if any(controls) else (),
                    activation=activations if any(activations) else (),
                )
            )
    return found


def _mocap_bodies(references: References, key: int) -> list[KeyframeBody]:
    model = references.file.model
    found = []
    for body in range(1, model.nbody):
        number = int(model.body_mocapid[body])
        if number >= 0:
            positions, quaternions = model.key_mpos[key].reshape(-1, 3), model.key_mquat[key].reshape(-1, 4)
            pose = pose_from(positions[number], _unit(quaternions[number]))
            if pose != pose_from(model.body_pos[body], model.body_quat[body]):
                found.append(KeyframeBody(body=references.file.name("bodies", body), pose=pose))
    return found
