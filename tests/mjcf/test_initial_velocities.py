"""Initial states in the keyframe of a written file: MuJoCo's velocities are those that the conventions of joints define."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from ossature.kinematics import model_poses
from ossature.model import (
    Body,
    Coordinate,
    Fixed,
    Floating,
    Inertial,
    Joint,
    JointType,
    Model,
    NamedList,
    PointOnLine,
    PointOnPlane,
    Spherical,
    World,
)
from ossature.spatial import Pose, normalized, rotation_matrix

INERTIA = Inertial(mass=1.0, moment=((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5)))
TYPES: dict[str, tuple[JointType, int]] = {
    "floating": (Floating(), 6),
    "spherical": (Spherical(), 3),
    "line": (PointOnLine(axis=(0.0, 0.6, 0.8)), 4),
    "plane": (PointOnPlane(axis1=(1.0, 0.0, 0.0), axis2=(0.0, 0.6, 0.8)), 5),
}


def world_with(kind: JointType, count: int, parent: str | None, *, is_uniform: bool) -> World:
    rng = np.random.default_rng(count)
    coordinates = tuple(
        Coordinate(initial_position=q, initial_velocity=v, damping=0.0 if is_uniform else 0.1 * number)
        for number, (q, v) in enumerate(rng.normal(scale=0.5, size=(count, 2)).tolist())
    )
    base = Body(name="base", pose=Pose((0.5, 0.0, 0.0), normalized((1.0, 0.5, 0.0, 0.2))), inertial=INERTIA)
    link = Body(name="link", pose=Pose((1.0, 2.0, 3.0), normalized((1.0, 0.2, 0.3, 0.4))), inertial=INERTIA)
    pose = Pose((0.1, 0.2, 0.3), normalized((1.0, 0.3, -0.2, 0.5)))
    joints = [
        Joint(name="fixed", type=Fixed(), parent=None, child="base"),
        Joint(name="joint", type=kind, parent=parent, child="link", pose=pose, coordinates=coordinates),
    ]
    turned = Pose((3.0, 2.0, 1.0), normalized((1.0, -0.4, 0.3, 0.6)))  # velocities of joints to the world are in its axes
    return World(models=NamedList([Model(name="model", pose=turned, bodies=NamedList([base, link]), joints=NamedList(joints))]))


@pytest.mark.parametrize("is_uniform", [True, False])  # a floating joint with uneven damping is no free joint of MuJoCo
@pytest.mark.parametrize("parent", [None, "base"])
@pytest.mark.parametrize("name", TYPES)
def test_velocities_are_those_of_the_conventions(name: str, parent: str | None, is_uniform: bool, tmp_path: Path) -> None:
    world = world_with(*TYPES[name], parent, is_uniform=is_uniform)
    owner = world.models[0]
    ossature.save(world, tmp_path / "written.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "written.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    spatial = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, model.body("link").id, spatial, 0)
    joint, poses = owner.joints["joint"], model_poses(owner)
    frame = poses["link"] @ joint.pose
    spin = np.array([c.initial_velocity for c in joint.coordinates[:3] if name == "floating"] or joint.initial_velocities[-3:])
    axes = np.eye(3) if parent is None else rotation_matrix(poses["base"].wxyz)
    expected = axes @ spin if name == "floating" else rotation_matrix(frame.wxyz) @ spin
    np.testing.assert_allclose(spatial[:3], expected, atol=1e-12)
    if name == "floating":
        origin = axes @ np.array(joint.initial_velocities[3:])
        lever = np.subtract(poses["link"].position, frame.position)
        np.testing.assert_allclose(spatial[3:], origin + np.cross(expected, lever), atol=1e-12)
