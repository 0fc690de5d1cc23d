"""Export of the positions, velocities and efforts of a simulation as a state that other programs can read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Array
from ossature.model import JointState, LinkState, Model, ModelState, NamedList, Twist, Wrench
from ossature.simulation.compile.address_map import AddressMap, BodyAddress
from ossature.simulation.observation.recording import Recording
from ossature.spatial import Pose, add, conjugate, cross, pose_from, quaternion_from, rotate, subtract, vector_from

if TYPE_CHECKING:
    import mujoco

AppliedForces = Mapping[tuple[str, str], "Array"]
"""Forces or torques by model and joint."""


def model_states(
    recording: Recording, efforts: AppliedForces, wrenches: Mapping[int, Wrench], sample: int = -1
) -> NamedList[ModelState]:
    """Return the states of all models in one sample.

    Args:
        wrenches: The external wrench on each body at its origin, in axes of the body, by its engine id.
    """
    index = recording.index
    return NamedList([_model_state(model, recording, efforts, wrenches, sample) for model in _models(index)])


def _models(index: AddressMap) -> list[Model]:
    return [next(iter(bodies.values())).model for bodies in index.bodies.values() if bodies]


def _model_state(
    model: Model, recording: Recording, efforts: AppliedForces, wrenches: Mapping[int, Wrench], sample: int
) -> ModelState:
    to_model = model.pose.inverse()
    links = [_link_state(body, to_model, recording, wrenches, sample) for body in recording.index.bodies[model.name].values()]
    joints = [
        JointState(
            name=name,
            positions=recording.joint_positions(model.name, name, sample),
            velocities=recording.joint_velocities(model.name, name, sample),
            efforts=_effort_values(efforts.get((model.name, name))),
        )
        for name in recording.index.joints[model.name]
    ]
    return ModelState(name=model.name, pose=model.pose, links=NamedList(links), joints=NamedList(joints))


def _effort_values(values: Array | None) -> tuple[float, ...] | None:
    return None if values is None else tuple(values.tolist())


def _link_state(
    body: BodyAddress, to_model: Pose, recording: Recording, wrenches: Mapping[int, Wrench], sample: int
) -> LinkState:
    state = recording.body(body.model.name, body.body.name, sample)
    pose = pose_from(state.position, state.wxyz)
    linear = rotate(conjugate(pose.wxyz), vector_from(state.linear_velocity))
    return LinkState(
        name=body.body.name,
        pose=to_model @ pose,
        twist=Twist(linear=linear, angular=vector_from(state.angular_velocity_body)),
        wrench=wrenches.get(body.number),
    )


def external_forces(data: mujoco.MjData, index: AddressMap, own: frozenset[int]) -> dict[int, Wrench]:
    """Return the external wrenches on bodies, by engine id of the body.

    Args:
        index: Addresses of the bodies.
        own: Bodies with loads of the World, which are not external.
    """
    loaded = np.flatnonzero(np.array(data.xfrc_applied).any(axis=1)).tolist()
    numbers = {body.number for bodies in index.bodies.values() for body in bodies.values()}
    return {number: _external_wrench(data, number) for number in loaded if number in numbers and number not in own}


def _external_wrench(data: mujoco.MjData, number: int) -> Wrench:
    """Return a wrench at a body's origin in its axes; in the engine it is at the centre of mass in axes of the world."""
    force, torque = map(vector_from, np.split(data.xfrc_applied[number], 2))
    arm = subtract(vector_from(data.xipos[number]), vector_from(data.xpos[number]))
    at_origin = add(torque, cross(arm, force))
    to_body = conjugate(quaternion_from(data.xquat[number]))
    return Wrench(force=rotate(to_body, force), torque=rotate(to_body, at_origin))
