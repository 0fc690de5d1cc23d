"""Planar joints with any plane are written so that Pinocchio, whose planar joint ignores the normal, moves them equally."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.diagnostics import Report
from ossature.model import Body, Coordinate, Coupling, Inertial, Joint, JointPosition, Model, NamedList, Planar, Revolute, World
from ossature.spatial import Pose, normalized

pin = pytest.importorskip("pinocchio")

INERTIAL = Inertial(mass=2.0, center_of_mass=(0.1, -0.2, 0.3), moment=((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5)))
PLANES = {
    "xy": Planar(),
    "yz": Planar(axis1=(0.0, 1.0, 0.0), axis2=(0.0, 0.0, 1.0)),
    "zx": Planar(axis1=(0.0, 0.0, 1.0), axis2=(1.0, 0.0, 0.0)),
    "yx": Planar(axis1=(0.0, 1.0, 0.0), axis2=(1.0, 0.0, 0.0)),
    "arbitrary": Planar(axis1=(0.6, 0.8, 0.0), axis2=(0.0, 0.0, 1.0)),
}


def world_of(plane: Planar, **fields: object) -> World:
    bodies = [
        Body(name="base", pose=Pose((0.0, 0.5, 0.0), normalized((1.0, 0.1, 0.2, 0.3))), inertial=INERTIAL),
        Body(name="puck", pose=Pose((0.3, 0.2, 0.1), normalized((1.0, -0.4, 0.3, 0.6))), inertial=INERTIAL),
        Body(name="arm", pose=Pose((0.3, 0.2, 0.7)), inertial=INERTIAL),
    ]
    frame = Pose((0.1, 0.2, 0.3), normalized((1.0, 0.3, -0.2, 0.5)))
    joints = [
        Joint(name="swing", type=Revolute(), parent=None, child="base"),
        Joint(name="gliding", type=plane, parent="base", child="puck", pose=frame, **fields),  # type: ignore[arg-type]
        Joint(name="turning", type=Revolute(axis=(1.0, 0.0, 0.0)), parent="puck", child="arm"),
    ]
    return World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))


@pytest.mark.parametrize("plane", PLANES.values(), ids=PLANES)
def test_pinocchio_moves_the_bodies_equally(plane: Planar, tmp_path: Path) -> None:
    world = world_of(plane)
    ossature.save(world, tmp_path / "m.urdf")
    model = pin.buildModelFromXML((tmp_path / "m.urdf").read_text())
    data = model.createData()
    for swing, x, y, angle, turning in np.random.default_rng(3).uniform(-1.0, 1.0, (5, 5)).tolist():
        q = pin.neutral(model)
        values = {"swing": (np.cos(swing), np.sin(swing)), "turning": (np.cos(turning), np.sin(turning))}
        values["gliding"] = (x, y, np.cos(angle), np.sin(angle))  # type: ignore[assignment]
        for name, numbers in values.items():
            joint = model.joints[model.getJointId(name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = numbers
        pin.framesForwardKinematics(model, data, q)
        positions = {"swing": (swing,), "gliding": (x, y, angle), "turning": (turning,)}
        expected = ossature.poses(world, {"m": positions})["m"]
        again = ossature.poses(ossature.load(tmp_path / "m.urdf"), {"m": positions})["m"]
        for name, pose in expected.items():
            found = data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous
            np.testing.assert_allclose(found, pose.matrix(), atol=1e-12)
            np.testing.assert_allclose(again[name].matrix(), pose.matrix(), atol=1e-12)


def test_programs_verify_the_file(tmp_path: Path) -> None:
    """One with a joint of each plane, so that each program starts once."""
    (tmp_path / "out").mkdir()
    base, swing = world_of(Planar()).models[0].bodies["base"], world_of(Planar()).models[0].joints["swing"]
    bodies, joints = [base], [swing]
    for name, plane in PLANES.items():
        model = world_of(plane).models[0]
        bodies += [replace(model.bodies[body], name=f"{body} {name}") for body in ("puck", "arm")]
        gliding, turning = model.joints["gliding"], model.joints["turning"]
        joints.append(replace(gliding, name=f"gliding {name}", child=f"puck {name}"))
        joints.append(replace(turning, name=f"turning {name}", parent=f"puck {name}", child=f"arm {name}"))
    ossature.save(
        World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))])), tmp_path / "m.skel"
    )
    done = ossature.convert(tmp_path / "m.skel", tmp_path / "out" / "m.urdf", verify=True, report=Report())
    assert done.verifications
    assert all(each.is_verified for each in done.verifications)


def test_damping_is_written_on_joints_of_one_coordinate(tmp_path: Path) -> None:
    world = world_of(PLANES["zx"], coordinates=tuple(Coordinate(damping=value) for value in (0.5, 0.25, 0.125)))
    ossature.save(world, tmp_path / "m.urdf")
    joints = ossature.load(tmp_path / "m.urdf").models[0].joints
    assert [joint.coordinates[0].damping for joint in joints if joint.coordinates] == [0.0, 0.5, 0.25, 0.125, 0.0]


def test_a_joint_follows_the_angle_of_a_planar_joint(tmp_path: Path) -> None:
    world = world_of(Planar())
    follower = replace(
        world.models[0].joints["turning"],
        coordinates=(Coordinate(coupling=Coupling(position=JointPosition(joint="gliding", coordinate=2))),),
    )
    model = replace(world.models[0], joints=world.models[0].joints.replaced(follower))
    ossature.save(replace(world, models=NamedList([model])), tmp_path / "m.urdf")
    again = ossature.load(tmp_path / "m.urdf")
    parts = {"gliding_1": (0.1,), "gliding_2": (0.2,), "gliding_3": (0.7,)}
    turned = ossature.poses(again, {again.models[0].name: parts})[again.models[0].name]["arm"]
    expected = ossature.poses(world, {"m": {"gliding": (0.1, 0.2, 0.7), "turning": (0.7,)}})["m"]["arm"]
    np.testing.assert_allclose(turned.matrix(), expected.matrix(), atol=1e-12)
