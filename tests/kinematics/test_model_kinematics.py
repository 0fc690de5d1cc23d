"""Kinematics on arrays: poses against forward kinematics of single poses, Jacobians against finite differences."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT, corpus_folder
from joint_models import ACROSS, AXIS, BALLS, FORMULAS, PLACES, TYPES, model_of, multiple, name_of
from linkages import POINTS, hinged
from ossature.kinematics import (
    ArmError,
    IkConfigurations,
    Kinematics,
    KinematicsError,
    LoopClosureError,
    UndefinedFormulaError,
    mobility_of,
    model_poses,
    spanning_tree,
    target_at,
)
from ossature.kinematics.batched_rotations import logarithm
from ossature.model import (
    Actuation,
    Coordinate,
    Coupling,
    Fixed,
    Floating,
    Frame,
    IkType,
    Joint,
    JointPosition,
    JointType,
    Manipulator,
    Model,
    NamedList,
    Number,
    Operation,
    Operator,
    Range,
    Revolute,
    Spherical,
    Universal,
    World,
)
from ossature.spatial import Pose, quaternion_from_rotation_vector

REVERSIBLE = ("Revolute", "Prismatic", "Screw", "Cylindrical", "Universal", "Spherical", "Compound", "Floating")
STEP = 1e-6
CLOSE = 1e-8


def reversed_middle(joint_type: JointType) -> Model:
    """Return an arm whose middle joint leads from its distal to its proximal body, so that the tree reverses it."""
    model = model_of(joint_type)
    joint = replace(model.joints["j1"], parent="two", child="one", pose=PLACES[3])
    joints = NamedList([model.joints["j0"], joint, model.joints["j2"]])
    mount = Joint(name="mount", type=Fixed(), parent=None, child="base")
    return replace(model, joints=NamedList([mount, *joints]))


@pytest.mark.parametrize("joint_type", [one for one in TYPES if name_of(one) not in REVERSIBLE], ids=name_of)
def test_a_joint_that_moves_its_parent_and_has_no_inverse_is_refused(joint_type: JointType) -> None:
    """Without an error the parent would keep its pose, and the joint would have no coordinates."""
    model = reversed_middle(joint_type)
    with pytest.raises(KinematicsError, match=rf"joint 'j1' of type {name_of(joint_type)} moves its parent 'two'"):
        Kinematics(model)
    exchanged = replace(model.joints["j1"], parent="one", child="two")
    assert "j1" in Kinematics(replace(model, joints=model.joints.replaced(exchanged))).names


def arms() -> dict[str, Model]:
    found = {name_of(one): model_of(one) for one in TYPES}
    reversed_arms = {f"{name_of(one)} reversed": reversed_middle(one) for one in TYPES}
    return found | {
        name: model
        for name, model in reversed_arms.items()
        if any(branch.is_reversed for branch in spanning_tree(model).branches)
    }


def coupled(model: Model, position: Operation | Number) -> Model:
    """Return an arm whose first middle coordinate follows a formula, and whose second one follows the first."""
    follows = Coordinate(coupling=Coupling(position=position))
    again = Coordinate(coupling=Coupling(position=multiple(0.7, "j1", 0)))
    return replace(model, joints=model.joints.replaced(replace(model.joints["j1"], coordinates=(follows, again))))


ARMS = (
    arms()
    | {"compound with ball joints": model_of(BALLS)}
    | {f"coupled {name}": coupled(model_of(Universal(axis1=AXIS, axis2=ACROSS)), formula) for name, formula in FORMULAS.items()}
)
BALL_SOURCE = coupled(model_of(Universal(axis1=AXIS, axis2=ACROSS)), multiple(0.4, "j2", 1))
ARMS["coupled to a ball joint"] = replace(
    BALL_SOURCE,
    joints=BALL_SOURCE.joints.replaced(Joint(name="j2", type=Spherical(), parent="two", child="three", pose=PLACES[2])),
)


def configurations(kin: Kinematics, count: int = 3) -> np.ndarray:
    return np.random.default_rng(2).uniform(-1.2, 1.2, (count, len(kin)))


def twists(before: np.ndarray, after: np.ndarray, step: float) -> np.ndarray:
    """Return linear and angular velocity of a motion between two poses."""
    return np.concatenate(
        [
            (after[..., :3, 3] - before[..., :3, 3]) / step,
            logarithm(after[..., :3, :3] @ before[..., :3, :3].swapaxes(-1, -2)) / step,
        ],
        axis=-1,
    )


@pytest.mark.parametrize("model", ARMS.values(), ids=ARMS)
def test_poses_are_those_of_forward_kinematics(model: Model) -> None:
    kin = Kinematics(model)
    q = configurations(kin)
    poses = kin.poses(q)
    for number, row in enumerate(q):
        independent = {name: kin.positions(row)[name] for name in {one.split("[")[0] for one in kin.names}}
        for body, pose in model_poses(model, independent).items():
            np.testing.assert_allclose(poses[body][number], pose.matrix(), atol=1e-13)
            np.testing.assert_allclose(kin.pose(row, body), pose.matrix(), atol=1e-13)


@pytest.mark.parametrize("model", ARMS.values(), ids=ARMS)
def test_jacobians_are_finite_differences(model: Model) -> None:
    kin = Kinematics(model)
    q, v = configurations(kin), np.eye(len(kin))[:, None]
    before, after = (kin.pose(kin.integrate(q, v, sign * STEP), "three") for sign in (-1.0, 1.0))
    J = kin.jacobian(q, "three")
    np.testing.assert_allclose(J, twists(before, after, 2.0 * STEP).transpose(1, 2, 0), atol=CLOSE)
    rotation = kin.pose(q, "three")[:, :3, :3].swapaxes(1, 2)
    local = np.concatenate([rotation @ J[:, :3], rotation @ J[:, 3:]], axis=1)
    np.testing.assert_allclose(kin.jacobian(q, "three", axes="local"), local, atol=1e-14)


@pytest.mark.parametrize("model", ARMS.values(), ids=ARMS)
def test_analytic_jacobians_are_finite_differences(model: Model) -> None:
    kin = Kinematics(model)
    q = configurations(kin)
    before, after = (kin.pose(q + sign * STEP * np.eye(len(kin))[:, None], "three") for sign in (-1.0, 1.0))
    positions = (after[..., :3, 3] - before[..., :3, 3]) / (2.0 * STEP)
    for orientation, of_rotation in (("rotation-vector", logarithm), ("rpy", roll_pitch_yaw), ("quaternion", quaternion)):
        change = of_rotation(after[..., :3, :3]) - of_rotation(before[..., :3, :3])
        expected = np.concatenate([positions, change / (2.0 * STEP)], axis=-1).transpose(1, 2, 0)
        found = kin.analytic_jacobian(q, "three", orientation)  # type: ignore[arg-type]
        np.testing.assert_allclose(found, expected, atol=1e-6, err_msg=orientation)


def roll_pitch_yaw(rotations: np.ndarray) -> np.ndarray:
    roll = np.arctan2(rotations[..., 2, 1], rotations[..., 2, 2])
    pitch = np.arcsin(-rotations[..., 2, 0])
    return np.stack([roll, pitch, np.arctan2(rotations[..., 1, 0], rotations[..., 0, 0])], axis=-1)


def quaternion(rotations: np.ndarray) -> np.ndarray:
    vectors = logarithm(rotations)
    flat = [quaternion_from_rotation_vector(tuple(row)) for row in vectors.reshape(-1, 3)]
    return np.array(flat).reshape(*vectors.shape[:-1], 4)


def test_leading_axes_are_kept() -> None:
    kin = Kinematics(model_of(Spherical()))
    q = kin.random(np.random.default_rng(0), 6).reshape(2, 3, 5)
    assert kin.pose(q, "three").shape == (2, 3, 4, 4)
    assert kin.jacobian(q, "three").shape == (2, 3, 6, 5)
    assert kin.jacobian(q[0, 0], "three").shape == (6, 5)
    assert kin.manipulability(q, "three").shape == (2, 3)
    assert kin.is_within_limits(q).shape == (2, 3)
    assert kin.pose(np.zeros((0, 5)), "three").shape == (0, 4, 4)


def test_names_limits_and_initial_configuration() -> None:
    model = model_of(Universal(axis1=AXIS, axis2=ACROSS))
    locked = Joint(name="j0", type=Revolute(), parent="base", child="one", actuation=Actuation.LOCKED)
    limited = Coordinate(position_limits=Range(-1.0, 2.0), initial_position=0.5)
    mimic = Coordinate(position_limits=Range(-3.0, 1.0), coupling=Coupling(position=multiple(-2.0, "j1", 0)))
    joints = [
        locked,
        replace(model.joints["j1"], coordinates=(limited, Coordinate())),
        replace(model.joints["j2"], coordinates=(mimic,)),
    ]
    kin = Kinematics(replace(model, joints=NamedList(joints)))
    assert kin.names == ("j1", "j1[1]")
    np.testing.assert_array_equal(kin.lower, [-0.5, -np.inf])
    np.testing.assert_array_equal(kin.upper, [1.5, np.inf])
    np.testing.assert_array_equal(kin.initial, [0.5, 0.0])
    np.testing.assert_array_equal(kin.configuration({"j1": (0.1, 0.2)}), [0.1, 0.2])
    np.testing.assert_array_equal(kin.configuration({"j1[1]": 0.2}), [0.5, 0.2])
    assert kin.positions([0.1, 0.2]) == {"j0": (0.0,), "j1": (0.1, 0.2), "j2": (-0.2,)}


def test_random_configurations_are_within_limits_and_cover_them() -> None:
    kin = Kinematics(ossature.load(PROJECT / "examples" / "arm.skel"))
    q = kin.random(np.random.default_rng(1), 500)
    assert kin.is_within_limits(q).all()
    finite = np.isfinite(kin.upper)
    span = kin.upper[finite] - kin.lower[finite]
    assert (q[:, finite].min(axis=0) < kin.lower[finite] + 0.02 * span).all()
    np.testing.assert_array_equal(q, kin.random(np.random.default_rng(1), 500))
    ball = Kinematics(model_of(Spherical()))
    rotations = ball.random(np.random.default_rng(1), 4000)[:, 1:4]
    angles = np.linalg.norm(rotations, axis=1)  # their density is (1 - cos angle) / π
    np.testing.assert_allclose(angles.mean(), 0.5 * math.pi + 2.0 / math.pi, atol=0.03)


def test_manipulability_is_yoshikawas_measure() -> None:
    arm = hinged(POINTS[:3])  # two bars in a plane, each of two hinges
    open_arm = replace(arm, joints=NamedList([joint for joint in arm.joints if joint.name != "hinge2"]))
    tip = replace(open_arm.bodies["bar1"], frames=(Frame(name="tip", pose=Pose((0.7, 0.0, 0.0))),))
    kin = Kinematics(replace(open_arm, bodies=open_arm.bodies.replaced(tip)))
    a, b = math.dist(POINTS[0], POINTS[1]), 0.7
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (5, 2))
    J = kin.jacobian(q, "tip")[:, :2]
    angle = q[:, 1] - math.atan2(POINTS[1][1], POINTS[1][0])
    np.testing.assert_allclose(np.abs(np.linalg.det(J)), a * b * np.abs(np.sin(angle)), atol=1e-12)
    assert (kin.manipulability(q, "tip", "linear") == 0.0).all()  # in three dimensions


def four_bar() -> Kinematics:
    return Kinematics(hinged(POINTS))


def test_loops_of_a_four_bar_linkage_are_closed() -> None:
    kin = four_bar()
    assert kin.has_loops
    assert kin.independent == ("hinge0",)
    angles = np.linspace(-0.4, 0.4, 5)
    q = kin.close_loops(np.stack([kin.configuration({"hinge0": angle}) for angle in angles]))
    np.testing.assert_array_equal(q[:, 0], angles)
    assert (kin.loop_residual(q) < 1e-12).all()
    for row, angle in zip(q, angles, strict=True):
        closed = ossature.poses(World(models=NamedList([kin.model])), {"m": {"hinge0": angle}})["m"]
        for body, pose in kin.poses(row).items():
            np.testing.assert_allclose(pose, closed[body].matrix(), atol=1e-9)


@pytest.mark.parametrize("points", [POINTS, (*POINTS[:2], (2.5, 1.5, 0.0), (3.0, 1.0, 0.0), POINTS[3])], ids=("four", "five"))
def test_jacobians_of_loops_are_finite_differences(points: tuple[tuple[float, float, float], ...]) -> None:
    kin = Kinematics(hinged(points))
    assert len(kin.independent) == len(points) - 3
    columns = [kin.names.index(name) for name in kin.independent]
    q = kin.close_loops(kin.configuration(dict.fromkeys(kin.independent, -0.1)))
    J = kin.jacobian(q, "bar1") @ kin.loop_basis(q)
    for number, column in enumerate(columns):
        step = 1e-5 * np.eye(len(kin))[column]
        before, after = (kin.pose(kin.close_loops(q + sign * step), "bar1") for sign in (-1.0, 1.0))
        np.testing.assert_allclose(J[:, number], twists(before, after, 2e-5), atol=1e-8)


def test_slider_crank_moves_as_its_closed_form() -> None:
    kin = Kinematics(ossature.load(PROJECT / "examples" / "slider_crank.yaml"))
    [crank] = kin.independent
    angles = np.linspace(-0.8, 0.9, 3)
    q = kin.close_loops(np.stack([kin.configuration({crank: angle}) for angle in angles]))
    joints = {name: kin.pose(kin.initial, name)[:3, 3] for name in kin.bodies}
    assert len(joints) == 4
    poses = kin.poses(q)
    slider = next(
        name
        for name in kin.bodies
        if np.ptp(poses[name][:, :3, :3], axis=0).max() < 1e-9 and np.ptp(poses[name][:, 0, 3]) > 0.1
    )
    rates = (kin.jacobian(q, slider) @ kin.loop_basis(q))[:, 0, 0]
    nudged = [
        kin.pose(kin.close_loops(np.stack([kin.configuration({crank: a + h}) for a in angles])), slider)[:, 0, 3]
        for h in (-1e-5, 1e-5)
    ]
    np.testing.assert_allclose(rates, (nudged[1] - nudged[0]) / 2e-5, atol=1e-8)


def test_loops_that_cannot_be_closed_are_refused() -> None:
    kin = four_bar()
    with pytest.raises(LoopClosureError, match="hinge"):
        kin.close_loops(kin.configuration({"hinge0": 3.0, "hinge1": 0.0}), fixed=["hinge0", "hinge1"])
    with pytest.raises(LoopClosureError):
        kin.loop_basis(kin.configuration({"hinge0": 0.5}))


def test_random_configurations_of_loops_are_closed() -> None:
    kin = Kinematics(ossature.load(PROJECT / "examples" / "slider_crank.yaml"))
    q = kin.random(np.random.default_rng(0), 3)
    assert (kin.loop_residual(q) < 1e-9).all()


@pytest.fixture(scope="module")
def arm() -> Kinematics:
    model = ossature.load(PROJECT / "examples" / "palletizer.urdf").models[0]
    return Kinematics(model)


@pytest.mark.parametrize("type_", IkType)
def test_inverse_kinematics_reaches_all_types_of_targets(type_: IkType) -> None:
    kin = Kinematics(ossature.load(PROJECT / "examples" / "picker.dae"))
    frame = kin.model.manipulators[0].name
    direction = kin.model.manipulators[0].direction
    generator = np.random.default_rng(3)
    q = kin.random(generator, 4)
    poses = kin.pose(q, frame)
    targets = [target_at(type_, pose_of(matrix), direction) for matrix in poses]
    for target, found in zip(targets, kin.solve_ik_batch(targets, frame, seeds=q[0]), strict=True):
        assert isinstance(found, IkConfigurations)
        if not found.found:
            assert type_ in (IkType.TRANSFORM_6D, IkType.ROTATION_3D)  # the arm has too few joints
            assert found.failure is not None
            continue
        assert kin.is_within_limits(found.q, 1e-9).all()
        again = target_at(type_, pose_of(kin.pose(found.q[0], frame)), direction)
        if type_ in (IkType.TRANSLATION_3D, IkType.DIRECTION_3D, IkType.TRANSLATION_DIRECTION_5D):
            for name in ("position", "direction"):
                np.testing.assert_allclose(getattr(again, name, 0.0), getattr(target, name, 0.0), atol=2e-6)


def pose_of(matrix: np.ndarray) -> Pose:
    rotation = tuple(float(one) for one in logarithm(matrix[:3, :3]))
    return Pose(tuple(matrix[:3, 3].tolist()), quaternion_from_rotation_vector(rotation))  # type: ignore[arg-type]


def test_inverse_kinematics_returns_several_solutions_and_batches() -> None:
    kin = Kinematics(ossature.load(PROJECT / "examples" / "arm.skel"))
    q = kin.random(np.random.default_rng(5), 3)
    poses = kin.pose(q, "tool")
    several = kin.solve_ik(poses[0], "tool", seed=q[0] + 0.01, limit=4)
    assert several.found
    assert 1 <= len(several.q) <= 4
    np.testing.assert_allclose(kin.pose(several.q, "tool"), np.tile(poses[0], (len(several.q), 1, 1)), atol=3e-6)
    batch = kin.solve_ik_batch(poses, "tool")
    np.testing.assert_allclose(kin.pose(np.array([one.q[0] for one in batch]), "tool"), poses, atol=3e-6)
    failed = kin.solve_ik(Pose((100.0, 0.0, 0.0)), "tool")
    assert not failed.found
    assert failed.q.shape == (0, len(kin))
    assert failed.failure is not None
    assert kin.solve_ik_batch([], "tool") == []


def test_frames_have_names() -> None:
    model = model_of(Revolute(axis=AXIS))
    tool = Pose((0.1, 0.2, 0.3))
    bodies = [replace(model.bodies["three"], frames=(Frame(name="tip", pose=tool), Frame(name="one", pose=tool)))]
    model = replace(model, bodies=model.bodies.replaced(*bodies))
    model = replace(model, manipulators=NamedList([Manipulator(name="arm", base="base", tip="two", pose=tool)]))
    kin = Kinematics(model)
    assert set(kin.frames) == {"base", "one", "two", "three", "arm", "three/tip", "tip", "three/one"}
    q = configurations(kin)
    np.testing.assert_allclose(kin.pose(q, "tip"), kin.pose(q, "three") @ tool.matrix(), atol=1e-14)
    np.testing.assert_allclose(kin.pose(q, "arm"), kin.pose(q, "two") @ tool.matrix(), atol=1e-14)
    np.testing.assert_allclose(kin.pose(q, "one"), kin.poses(q)["one"], atol=0.0)


def test_a_body_and_a_manipulator_of_the_same_name() -> None:
    model, tool = model_of(Revolute(axis=AXIS)), Pose((0.1, 0.2, 0.3))
    arms = [Manipulator(name=name, base="base", tip="two", pose=tool) for name in ("three", "arm")]
    kin = Kinematics(replace(model, manipulators=NamedList(arms)))
    assert set(kin.frames) == {"base", "one", "two", "body:three", "manipulator:three", "arm"}
    q = configurations(kin)
    np.testing.assert_allclose(kin.pose(q, "body:three"), kin.poses(q)["three"], atol=0.0)
    for frame in ("manipulator:three", "manipulator:arm", "arm"):
        np.testing.assert_allclose(kin.pose(q, frame), kin.pose(q, "body:two") @ tool.matrix(), atol=1e-14)
    for ask in (kin.pose, kin.jacobian):
        with pytest.raises(KinematicsError, match="use 'body:three' or 'manipulator:three'"):
            ask(q, "three")
    target = kin.pose(kin.initial, "manipulator:three")
    found = kin.solve_ik(target, "manipulator:three", base="base")
    np.testing.assert_allclose(kin.pose(found.q[0], "arm"), target, atol=3e-6)


ERRORS = {
    "no frame 'thee': did you mean 'three'": lambda kin: kin.pose(kin.initial, "thee"),
    "shape \\(2,\\): its last axis must have 3": lambda kin: kin.pose([1.0, 2.0], "three"),
    "not finite": lambda kin: kin.pose([1.0, math.nan, 0.0], "three"),
    "not an array of numbers": lambda kin: kin.pose(["a", "b", "c"], "three"),
    "no independent coordinate 'j9'": lambda kin: kin.configuration({"j9": 1.0}),
    "'j1' has 1 coordinate": lambda kin: kin.configuration({"j1": (1.0, 2.0)}),
    "'world' or 'local'": lambda kin: kin.jacobian(kin.initial, "three", axes="body"),
    "'rotation-vector', 'rpy'": lambda kin: kin.analytic_jacobian(kin.initial, "three", "euler"),
    "not a rigid transform": lambda kin: kin.solve_ik(2.0 * np.eye(4), "three"),
    "array of shape \\(3, 3\\)": lambda kin: kin.solve_ik(np.eye(3), "three"),
    "seeds have the shape": lambda kin: kin.solve_ik_batch(np.tile(np.eye(4), (2, 1, 1)), "three", seeds=np.zeros((5, 3))),
    "one configuration has the shape": lambda kin: kin.positions(np.zeros((2, 3))),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors_name_what_is_wrong(message: str) -> None:
    kin = Kinematics(model_of(Revolute(axis=AXIS)))
    with pytest.raises(KinematicsError, match=message):
        ERRORS[message](kin)


def test_a_world_of_several_models_needs_a_name() -> None:
    models = [replace(model_of(Revolute(axis=AXIS)), name=name) for name in ("left", "right")]
    world = World(models=NamedList(models))
    with pytest.raises(KinematicsError, match="left, right"):
        Kinematics(world)
    assert Kinematics(world, "right").model is world.models["right"]
    with pytest.raises(KinematicsError, match="did you mean 'left'"):
        Kinematics(world, "lft")
    static = World(models=NamedList([models[0], replace(models[1], static=True)]))
    assert Kinematics(static).model.name == "left"
    assert Kinematics(static, "right").names == ()


def test_undefined_formulas_and_closed_arms_are_refused() -> None:
    root = Operation(operator=Operator.ROOT, operands=(JointPosition(joint="j0", coordinate=0), Number(value=2.0)))
    kin = Kinematics(coupled(model_of(Universal(axis1=AXIS, axis2=ACROSS)), root))
    assert np.isfinite(kin.pose(kin.configuration({"j0": 0.5}), "three")).all()
    with pytest.raises(UndefinedFormulaError, match=r"j0 = -0\.5"):
        kin.pose(kin.configuration({"j0": -0.5}), "three")
    with pytest.raises(ArmError, match="belongs to a loop"):
        four_bar().solve_ik(np.eye(4), "bar1")


def test_a_floating_base_has_six_coordinates() -> None:
    model = model_of(Revolute(axis=AXIS))
    base = Joint(name="free", type=Floating(), parent=None, child="base")
    kin = Kinematics(replace(model, joints=NamedList([base, *model.joints])))
    assert kin.names[:6] == ("free", "free[1]", "free[2]", "free[3]", "free[4]", "free[5]")
    q = kin.random(np.random.default_rng(0), 2)
    v = np.eye(len(kin))[:, None]
    before, after = (kin.pose(kin.integrate(q, v, sign * STEP), "three") for sign in (-1.0, 1.0))
    np.testing.assert_allclose(kin.jacobian(q, "three"), twists(before, after, 2.0 * STEP).transpose(1, 2, 0), atol=CLOSE)


FOLDERS = ("mechanisms", "chrono", "chrono-elements")


def mechanism_files() -> list[Path]:
    folder = corpus_folder()
    return [] if folder is None else sorted(path for one in FOLDERS for path in (folder / "corpus" / one).glob("*.yaml"))


@pytest.mark.parametrize("path", mechanism_files(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_mechanisms_of_the_corpus(path: Path) -> None:
    world, _ = ossature.read(path)
    for model in [] if world is None else world.models:
        kin, mobility = Kinematics(model), mobility_of(model)
        if not kin.has_loops or mobility.floating:  # floating bases keep their poses here
            continue
        assert len(kin.independent) == mobility.degrees_of_freedom
        q = kin.close_loops(kin.initial)
        assert kin.loop_residual(q) < 1e-9
        v = kin.loop_basis(q)
        np.testing.assert_allclose(kin.loop_jacobian(q) @ v, 0.0, atol=1e-6)
        alone = World(models=NamedList([model]))
        again = ossature.poses(alone, {model.name: kin.positions(q)})[model.name]
        for body, pose in kin.poses(q).items():
            np.testing.assert_allclose(again[body].matrix(), pose, atol=1e-7)
