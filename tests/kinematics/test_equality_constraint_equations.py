"""Equalities as closed loops: beside joints that close the same loop, finite differences, and the residuals of MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest

from conftest import corpus_folder
from joint_models import AXIS, model_of
from linkages import POINTS, hinged
from mjcf.mujoco_reference import compiled_by_mujoco, read_mjcf
from ossature.diagnostics import Report
from ossature.kinematics import Kinematics, LoopClosureError, mobility_of, poses
from ossature.kinematics.equality_constraint_equations import unsupported_equalities
from ossature.model import (
    Connection,
    Cylindrical,
    Equality,
    EqualityType,
    Fixed,
    Frame,
    FrameReference,
    Joint,
    JointEquality,
    Model,
    NamedList,
    Spherical,
    TendonEquality,
    Weld,
    World,
)
from ossature.spatial import Pose

STEP = 1e-6
TOOL = Pose((0.1, -0.2, 0.3), (0.5, 0.5, -0.5, 0.5))


def with_equality(model: Model, kind: EqualityType, *, active: bool = True) -> Model:
    return replace(model, equalities=NamedList([Equality(name="e", type=kind, active=active)]))


def test_a_connection_closes_the_loop_of_a_hinge() -> None:
    closed = hinged(POINTS)
    last = closed.joints["hinge3"]
    cut = replace(closed, joints=NamedList([joint for joint in closed.joints if joint is not last]))
    tip = "bar2" if last.child == "ground" else last.child
    at = closed.bodies[tip].pose.inverse().transform(POINTS[3])
    kin, reference = (
        Kinematics(with_equality(cut, Connection(body1="ground", body2=tip, point1=POINTS[3], point2=at))),
        Kinematics(closed),
    )
    assert kin.has_loops
    assert kin.names == reference.names
    assert kin.independent == reference.independent
    q = [kin.configuration({"hinge0": angle}) for angle in (-0.3, 0.2)]
    np.testing.assert_allclose(kin.close_loops(q), reference.close_loops(q), atol=1e-10)
    np.testing.assert_allclose(kin.loop_basis(kin.close_loops(q)), reference.loop_basis(reference.close_loops(q)), atol=1e-8)
    inactive = Kinematics(with_equality(cut, Connection(body1="ground", body2=tip, point1=POINTS[3], point2=at), active=False))
    assert not inactive.has_loops
    assert len(inactive.independent) == 3


def weld_of(model: Model) -> tuple[Model, Weld]:
    """Return a weld of a named frame to the base, in the poses of the initial configuration."""
    bodies = model.bodies.replaced(replace(model.bodies["three"], frames=(Frame(name="tool", pose=TOOL),)))
    kin = Kinematics(model)
    pose = kin.pose(kin.initial, "base"), kin.pose(kin.initial, "three") @ TOOL.matrix()
    relative = np.linalg.inv(pose[0]) @ pose[1]
    rotation = tuple(tuple(row) for row in relative[:3, :3].tolist())
    from ossature.spatial import quaternion_from_matrix

    at = Pose(tuple(relative[:3, 3].tolist()), quaternion_from_matrix(rotation))  # type: ignore[arg-type]
    frame = FrameReference(body="three", frame="tool")
    return replace(model, bodies=bodies), Weld(body1="base", body2="three", pose=at, frame2=frame)


def models() -> dict[str, Model]:
    arm = model_of(Cylindrical(axis=AXIS))
    welded, weld = weld_of(model_of(Spherical()))
    point = Connection(body1=None, body2="three", point1=(0.4, 0.2, 0.1), point2=(0.1, 0.1, 0.0))
    joints = JointEquality(joint1="j2", joint2="j1", coordinate2=1, polynomial=(0.1, -0.5, 0.3, 0.2, 0.0))
    constant = JointEquality(joint1="j0", polynomial=(0.4, 0.0, 0.0, 0.0, 0.0))
    return {
        "weld": with_equality(welded, weld),
        "connection": with_equality(arm, point),
        "coordinates": with_equality(arm, joints),
        "constant": with_equality(arm, constant),
    }


@pytest.mark.parametrize("model", models().values(), ids=models())
def test_jacobians_are_finite_differences(model: Model) -> None:
    kin = Kinematics(model)
    q = kin.initial + (0.3 if "weld" not in str(model.equalities[0].type).lower() else 0.0)
    residuals = []
    for sign in (-1.0, 1.0):
        moved = kin.integrate(q, sign * STEP * np.eye(len(kin)))
        residuals.append(np.array([kin._loops.equations(row)[0] for row in moved]))
    np.testing.assert_allclose(kin.loop_jacobian(q), ((residuals[1] - residuals[0]) / (2.0 * STEP)).T, atol=1e-8)


def test_equal_coordinates_are_closed() -> None:
    kin = Kinematics(models()["coordinates"])
    q = kin.close_loops(kin.configuration({"j1[1]": 0.4}), fixed=["j0", "j1"])
    assert q[kin.names.index("j2")] == pytest.approx(0.1 - 0.5 * 0.4 + 0.3 * 0.16 + 0.2 * 0.064, abs=1e-12)
    assert set(kin.independent) == {"j0", "j1", "j1[1]"}
    assert Kinematics(models()["constant"]).random(np.random.default_rng(0))[0] == pytest.approx(0.4, abs=1e-9)


def test_what_cannot_be_closed_or_is_not_supported_is_refused() -> None:
    kin = Kinematics(models()["constant"])
    with pytest.raises(LoopClosureError, match="'e'"):
        kin.close_loops(kin.configuration({"j0": 1.0}), fixed=["j0"])
    with pytest.raises(ValueError, match="tendons"):
        Kinematics(with_equality(model_of(Spherical()), TendonEquality(tendon1="t")))
    with pytest.raises(ValueError, match="ball joint"):
        Kinematics(with_equality(model_of(Spherical()), JointEquality(joint1="j1")))


def assert_poses_of_independent_coordinates(model: Model, q: Any) -> dict[str, Pose]:
    """Prescribe the independent coordinates of a closed configuration; return the poses, after comparing them with its own."""
    kin = Kinematics(model)
    tree = kin.positions(q)
    chosen = {name.partition("[")[0] for name in kin.independent}
    found = poses(World(name="w", models=NamedList([model])), {model.name: {name: tree[name] for name in chosen}})[model.name]
    for body, expected in kin.poses(q).items():
        np.testing.assert_allclose(found[body].matrix(), expected, atol=1e-9)
    return found


def closed_connection() -> Model:
    """Return an arm, the tip of which a connection attaches to its point of the initial configuration."""
    arm = model_of(Cylindrical(axis=AXIS))
    kin = Kinematics(arm)
    x, y, z, _ = (kin.pose(kin.initial, "three") @ [0.1, 0.1, 0.0, 1.0]).tolist()
    start = arm.pose.inverse().transform((x, y, z))
    return with_equality(arm, Connection(body1=None, body2="three", point1=start, point2=(0.1, 0.1, 0.0)))


REACHABLE = models() | {"connection": closed_connection()}


@pytest.mark.parametrize("model", REACHABLE.values(), ids=REACHABLE)
def test_poses_and_mobility_agree_with_kinematics(model: Model) -> None:
    fixed = replace(model, joints=NamedList([*model.joints, Joint(name="mount", type=Fixed(), parent=None, child="base")]))
    kin = Kinematics(model)
    assert mobility_of(fixed).degrees_of_freedom == len(kin.independent)
    assert mobility_of(replace(fixed, equalities=NamedList())).degrees_of_freedom == len(kin)
    for q in kin.random(np.random.default_rng(3), 2):
        assert_poses_of_independent_coordinates(model, q)


@pytest.mark.parametrize("path", ["robotiq_2f85/2f85.xml", "ufactory_xarm7/hand.xml"])
def test_poses_satisfy_the_equalities_of_mujoco(path: str) -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("needs the corpus")
    world = read_mjcf(folder / "corpus" / "mjcf" / path, Report(), folder / "corpus" / "mjcf")
    assert world is not None
    (model,) = [one for one in world.models if one.equalities]
    reference: Any = compiled_by_mujoco(folder / "corpus" / "mjcf" / path)
    kin = Kinematics(model)
    data: Any = mujoco.MjData(reference)
    assert mobility_of(model).degrees_of_freedom == len(kin.independent) < len(kin)
    for q in kin.random(np.random.default_rng(4), 3):
        found = assert_poses_of_independent_coordinates(model, q)
        for name, positions in kin.positions(q).items():
            if positions:
                data.qpos[reference.joint(name).qposadr] = positions
        mujoco.mj_forward(reference, data)
        is_equality = data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        assert is_equality.sum() == 7
        np.testing.assert_allclose(data.efc_pos[: data.nefc][is_equality], 0.0, atol=1e-8)
        for body, pose in found.items():
            np.testing.assert_allclose(np.array(pose.position), data.body(body).xpos, atol=1e-8)


def test_a_prescribed_driver_closes_the_loops() -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("needs the corpus")
    path = folder / "corpus" / "mjcf" / "robotiq_2f85" / "2f85.xml"
    world = read_mjcf(path, Report(), folder / "corpus" / "mjcf")
    assert world is not None
    (model,) = [one for one in world.models if one.equalities]
    for angle in np.random.default_rng(5).uniform(0.0, 0.8, 3):
        found = poses(world, {model.name: {"right_driver_joint": angle}})[model.name]
        connections = [one.type for one in model.equalities if isinstance(one.type, Connection)]
        assert len(connections) == 2
        for one in connections:
            assert one.body1 is not None
            assert one.body2 is not None
            ends = np.array([found[one.body1].transform(one.point1), found[one.body2].transform(one.point2)])
            np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (JointEquality(joint1="absent", joint2=None), "there is no joint 'absent'"),
        (Connection(body1="absent", body2=None), "there is no body 'absent'"),
        (Weld(body1=None, body2="absent"), "there is no body 'absent'"),
    ],
)
def test_an_equality_of_unknown_elements_is_not_considered(kind: EqualityType, reason: str) -> None:
    model = with_equality(hinged(POINTS), kind)
    assert unsupported_equalities(model) == {"e": reason}
    assert set(poses(World(models=NamedList([model])))[model.name]) == set(model.bodies.names())
    assert mobility_of(model).degrees_of_freedom == mobility_of(hinged(POINTS)).degrees_of_freedom
