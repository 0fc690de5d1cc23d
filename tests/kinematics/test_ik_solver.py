"""Inverse kinematics: targets that are reachable by construction, and failures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.kinematics import (
    Arm,
    ArmError,
    FailureKind,
    IkOptions,
    IkSolution,
    InverseKinematics,
    Rotation3D,
    Target,
    Transform6D,
    Translation3D,
    TranslationDirection5D,
    model_poses,
    target_at,
    tip_pose,
)
from ossature.kinematics.ik.residuals import IkResiduals
from ossature.model import (
    Axis,
    Body,
    Compound,
    Coordinate,
    Coupling,
    Euler,
    IkFreeJoint,
    IkSolver,
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
    Planar,
    Prismatic,
    Range,
    Revolute,
    Screw,
    Spherical,
    Universal,
    World,
)
from ossature.spatial import Pose, Vector3, quaternion_from_rotation_vector

X: Vector3 = (1.0, 0.0, 0.0)
Y: Vector3 = (0.0, 1.0, 0.0)
Z: Vector3 = (0.0, 0.0, 1.0)
WIDE = Coordinate(position_limits=Range(lower=-2.8, upper=2.8))


def chain_of(
    types: Sequence[JointType], offsets: Sequence[Vector3], coordinates: Mapping[int, Coordinate] | None = None
) -> Model:
    """Return an arm whose joints sit one offset apart, with given coordinates of single joints, wide limits elsewhere."""
    position = (0.0, 0.0, 0.0)
    bodies, joints = [Body(name="b0")], []
    for number, (joint_type, offset) in enumerate(zip(types, offsets, strict=True)):
        position = (position[0] + offset[0], position[1] + offset[1], position[2] + offset[2])
        bodies.append(Body(name=f"b{number + 1}", pose=Pose(position)))
        own = (coordinates or {}).get(number, WIDE)
        joints.append(
            Joint(
                name=f"j{number}",
                type=joint_type,
                parent=f"b{number}",
                child=f"b{number + 1}",
                coordinates=(own,) * joint_type.degrees_of_freedom,
            )
        )
    return Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints))


def six_turns() -> Model:
    """Return an arm of six turns whose last three axes meet."""
    turns = [Revolute(axis=axis) for axis in (Z, Y, Y, Z, Y, Z)]
    return chain_of(turns, [(0.0, 0.0, 0.3), (0.1, 0.0, 0.0), (0.0, 0.0, 0.4), (0.05, 0.0, 0.35), (0.0,) * 3, (0.0,) * 3])


def arm_of(model: Model) -> Arm:
    return Arm(base="b0", tip=model.bodies[-1].name, pose=Pose((0.02, 0.0, 0.15)), direction=X)


def pendulum(lower: float = -math.inf, upper: float = math.inf) -> tuple[Model, Arm]:
    """Return two turns about z with links of one metre along x."""
    coordinates = {1: Coordinate(position_limits=Range(lower=lower, upper=upper))}
    model = chain_of([Revolute(), Revolute()], [(0.0, 0.0, 0.0), X], coordinates | {0: Coordinate()})
    return model, Arm(base="b0", tip="b2", pose=Pose(X), direction=X)


def reachable(solver: InverseKinematics, type_: IkType, count: int, seed: int = 0) -> list[Target]:
    """Return targets that random coordinates within the limits meet."""
    rng = np.random.default_rng(seed)
    bounds = solver.bounds(())
    low, high = np.maximum(bounds.lower, -math.pi), np.minimum(bounds.upper, math.pi)
    moved = low + (high - low) * rng.random((count, len(low)))
    poses = [tip_pose(solver.model, solver.arm, solver.positions(row)) for row in moved]
    return [target_at(type_, pose, solver.arm.direction) for pose in poses]


def check(solver: InverseKinematics, target: Target, solution: IkSolution) -> None:
    """Look at a solution with other means than those that found it."""
    tip = tip_pose(solver.model, solver.arm, solution.positions).matrix()[None]
    goals = IkResiduals([target], solver.arm.direction)
    lengths, angles = goals.errors(goals.residuals(tip, np.zeros(1, dtype=np.intp)))
    assert lengths[0] <= 1.01e-6
    assert angles[0] <= 1.01e-6
    assert [solution.position_error, solution.angle_error] == pytest.approx([lengths[0], angles[0]], abs=1e-9)
    for name, values in solution.positions.items():
        for value, coordinate in zip(values, solver.model.joints[name].coordinates, strict=True):
            limits = coordinate.position_limits
            assert coordinate.continuous or limits.lower - 1e-6 <= value <= limits.upper + 1e-6


@pytest.mark.parametrize("type_", IkType)
def test_reachable_targets_of_every_type(type_: IkType) -> None:
    solver = InverseKinematics(six_turns(), arm_of(six_turns()))
    targets = reachable(solver, type_, 40)
    for target, result in zip(targets, solver.solve_all(targets), strict=True):
        assert result.failure is None
        check(solver, target, result.solutions[0])
    result = solver.solve(targets[0])
    check(solver, targets[0], result.solutions[0])


ARMS: dict[str, Sequence[JointType]] = {
    "slides and turns": (
        Prismatic(axis=X),
        Revolute(axis=Z),
        Revolute(axis=Y),
        Prismatic(axis=Y),
        Universal(),
        Revolute(axis=Z),
    ),
    "balls": (Spherical(), Revolute(axis=Y), Spherical()),
    "plane and angles": (Planar(axis1=X, axis2=Y), Prismatic(axis=Z), Euler(order="zyx")),
    "compound": (Compound(axes=(Axis(direction=Z), Axis(direction=X, is_revolute=False), Axis(direction=Y))), Spherical()),
    "screw": (Screw(axis=Z, pitch=0.3), Universal(axis1=Y, axis2=Z), Revolute(axis=Y), Spherical()),
}


@pytest.mark.parametrize("name", ARMS)
def test_arms_of_other_joints(name: str) -> None:
    offsets = [(0.1, 0.05 * number, 0.3) for number in range(len(ARMS[name]))]
    model = chain_of(ARMS[name], offsets)
    solver = InverseKinematics(model, arm_of(model))
    for type_ in (IkType.TRANSFORM_6D, IkType.TRANSLATION_DIRECTION_5D):
        targets = reachable(solver, type_, 20)
        for target, result in zip(targets, solver.solve_all(targets), strict=True):
            assert result.found, result.failure
            check(solver, target, result.solutions[0])


def test_results_are_deterministic() -> None:
    model = six_turns()
    targets = reachable(InverseKinematics(model, arm_of(model)), IkType.TRANSFORM_6D, 5)
    first, second = (InverseKinematics(model, arm_of(model)).solve_all(targets) for _ in range(2))
    assert first == second


def test_all_solutions_of_a_spherical_wrist() -> None:
    """An arm like that has eight at the most; the other way round with the shoulder, the elbow and the wrist."""
    model = six_turns()
    unlimited = replace(model, joints=NamedList([replace(joint, coordinates=(Coordinate(),)) for joint in model.joints]))
    solver = InverseKinematics(unlimited, arm_of(unlimited))
    bent = {f"j{number}": (value,) for number, value in enumerate((0.3, 0.2, 1.9, 0.9, 1.1, 1.3))}
    target = target_at(IkType.TRANSFORM_6D, tip_pose(unlimited, solver.arm, bent), X)
    solutions = solver.solve(target, options=IkOptions(limit=20)).solutions
    assert len(solutions) == 8
    assert [s.distance for s in solutions] == sorted(s.distance for s in solutions)
    for solution in solutions:
        check(solver, target, solution)


def test_solutions_are_near_the_seed() -> None:
    model = six_turns()
    solver = InverseKinematics(model, arm_of(model))
    for number in range(10):
        rng = np.random.default_rng(number)
        seed = {f"j{n}": (float(value),) for n, value in enumerate(rng.uniform(-2.0, 2.0, 6))}
        nudged = {name: (values[0] + 0.01,) for name, values in seed.items()}
        target = target_at(IkType.TRANSFORM_6D, tip_pose(model, solver.arm, nudged), X)
        solution = solver.solve(target, seed).solutions[0]
        assert solution.distance < 0.5


def test_whole_revolutions_are_added_to_be_near_the_seed() -> None:
    model, arm = pendulum()
    solver = InverseKinematics(model, arm)
    seed = {"j0": (13.0,), "j1": (-7.0,)}
    target = target_at(IkType.TRANSLATION_3D, tip_pose(model, arm, {"j0": (12.8,), "j1": (-7.1,)}), X)
    solution = solver.solve(target, seed, IkOptions(limit=4)).solutions[0]
    assert solution.positions["j0"][0] == pytest.approx(12.8, abs=1e-5)
    assert solution.positions["j1"][0] == pytest.approx(-7.1, abs=1e-5)


def test_circular_joints_have_no_limits() -> None:
    coordinate = Coordinate(position_limits=Range(lower=-0.1, upper=0.1), continuous=True)
    model = chain_of([Revolute()], [(0.0, 0.0, 0.0)], {0: coordinate})
    solver = InverseKinematics(model, Arm(base="b0", tip="b1", pose=Pose(X)))
    assert solver.solve(Translation3D(position=(0.0, 1.0, 0.0))).found


def test_coupled_joints_are_respected() -> None:
    """Both turns together by twice the first: the frame is at 1 m · (cos q + cos 3q, sin q + sin 3q)."""
    twice = Operation(operator=Operator.MULTIPLY, operands=(Number(value=2.0), JointPosition(joint="j0")))
    model, arm = pendulum()
    joints = [model.joints["j0"], replace(model.joints["j1"], coordinates=(Coordinate(coupling=Coupling(position=twice)),))]
    solver = InverseKinematics(replace(model, joints=NamedList(joints)), arm)
    q = 0.35
    target = Translation3D(position=(math.cos(q) + math.cos(3 * q), math.sin(q) + math.sin(3 * q), 0.0))
    solution = solver.solve(target).solutions[0]
    assert solution.positions["j1"][0] == pytest.approx(2.0 * solution.positions["j0"][0], abs=1e-12)
    check(solver, target, solution)
    assert solver.solve(Translation3D(position=(0.3, 0.2, 0.0))).failure is not None


def test_a_joint_outside_the_arm_with_one_coupled_coordinate_is_where_it_is_given() -> None:
    """The base of the arm is moved by a joint whose second coordinate is twice its first one."""
    twice = Operation(operator=Operator.MULTIPLY, operands=(Number(value=2.0), JointPosition(joint="j0")))
    model = chain_of([Universal(), Revolute()], [(1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], {})
    coordinates = (Coordinate(), Coordinate(coupling=Coupling(position=twice)))
    joints = [replace(model.joints["j0"], coordinates=coordinates), model.joints["j1"]]
    coupled, arm = replace(model, joints=NamedList(joints)), Arm(base="b1", tip="b2", pose=Pose(X))
    frame = tip_pose(coupled, arm, {"j0": (0.3, 0.6), "j1": (0.5,)})
    for given in ((0.3, 0.6), (0.3, 99.0)):  # the formula decides
        solver = InverseKinematics(coupled, arm, {"j0": given})
        (solution,) = solver.solve(Transform6D(pose=frame)).solutions
        assert solution.positions["j0"] == (0.3, 0.6)
        assert solution.positions["j1"] == pytest.approx((0.5,), abs=1e-6)


@pytest.mark.parametrize("operator", [Operator.MULTIPLY, Operator.POWER])
def test_limits_of_coupled_joints_are_respected(operator: Operator) -> None:
    """A joint that follows may not go beyond 1, whether its formula is linear or not."""
    expression = Operation(operator=operator, operands=(JointPosition(joint="j0"), Number(value=2.0)))
    follows = Coordinate(coupling=Coupling(position=expression), position_limits=Range(lower=-1.0, upper=1.0))
    model, arm = pendulum()
    joints = [replace(model.joints["j0"], coordinates=(WIDE,)), replace(model.joints["j1"], coordinates=(follows,))]
    coupled = replace(model, joints=NamedList(joints))
    solver = InverseKinematics(coupled, arm)
    inside = target_at(IkType.TRANSLATION_DIRECTION_5D, tip_pose(coupled, arm, {"j0": (0.4,)}), X)
    assert solver.solve(inside).found
    beyond = target_at(IkType.TRANSLATION_DIRECTION_5D, tip_pose(coupled, arm, {"j0": (1.3,)}), X)
    failure = solver.solve(beyond).failure
    assert failure is not None
    assert failure.kind is FailureKind.LIMITS
    assert "j1" in failure.joints


def test_free_joints_are_sampled_at_their_step() -> None:
    turns = [Revolute(axis=axis) for axis in (Z, Y, Z, Y, Z, Y, Z)]
    model = chain_of(turns, [(0.0, 0.0, 0.3)] * 7)
    solver = InverseKinematics(model, arm_of(model))
    options = IkOptions(limit=6, free_joints=(IkFreeJoint(joint="j2", step=0.25),))
    for target in reachable(solver, IkType.TRANSFORM_6D, 5):
        result = solver.solve(target, {"j2": (0.1,)}, options)
        assert result.found
        for solution in result.solutions:
            steps = (solution.positions["j2"][0] - 0.1) / 0.25
            assert steps == pytest.approx(round(steps), abs=1e-9)
            check(solver, target, solution)
    with pytest.raises(ArmError, match="'elbow' is not a moving joint of the arm"):
        solver.solve(target, options=IkOptions(free_joints=(IkFreeJoint(joint="elbow", step=0.1),)))
    with pytest.raises(ValueError, match="more than 4096 combinations"):
        solver.solve(target, options=IkOptions(free_joints=(IkFreeJoint(joint="j2", step=1e-5),)))
    assert solver.solve(target, options=IkOptions(free_joints=(IkFreeJoint(joint="j2"),))).found


@pytest.mark.parametrize("joint", ["j2", "beside"])
def test_stated_free_joints_that_do_not_move_the_tip_are_ignored(joint: str) -> None:
    """One joint of the arm is locked; another joint is not on the arm."""
    locked = Coordinate(position_limits=Range(lower=0.0, upper=0.0))
    model = chain_of([Revolute(axis=axis) for axis in (Z, Y, Z, Y, Z, Y, Z)], [(0.0, 0.0, 0.3)] * 7, {2: locked})
    beside = Joint(name="beside", type=Revolute(axis=Z), parent="b0", child="b8")
    model = replace(model, bodies=model.bodies.with_(Body(name="b8")), joints=model.joints.with_(beside))
    arm = Arm(base="b0", tip="b7", pose=Pose((0.02, 0.0, 0.15)), direction=X)
    stated = IkSolver(type=IkType.TRANSFORM_6D, free_joints=(IkFreeJoint(joint=joint, step=0.1),))
    manipulator = Manipulator(
        name="hand", base=arm.base or "", tip=arm.tip, pose=arm.pose, direction=arm.direction, solvers=(stated,)
    )
    world = World(models=NamedList([replace(model, manipulators=NamedList([manipulator]))]))
    solver = InverseKinematics(model, arm)
    for target in reachable(solver, IkType.TRANSFORM_6D, 3):
        result = ossature.inverse_kinematics(world, target)
        assert result.found
        check(solver, target, result.solutions[0])


def test_out_of_reach_with_the_smallest_distance() -> None:
    model, arm = pendulum()
    solver = InverseKinematics(model, arm)
    failure = solver.solve(Translation3D(position=(1.5, 2.0, 0.6))).failure
    assert failure is not None
    assert failure.kind is FailureKind.OUT_OF_REACH
    assert failure.position_error == pytest.approx(math.hypot(2.5 - 2.0, 0.6), abs=1e-6)
    assert f"{failure.position_error:.4g} m" in failure.message


def test_out_of_reach_of_a_pose() -> None:
    model = six_turns()
    solver = InverseKinematics(model, arm_of(model))
    failure = solver.solve(Transform6D(pose=Pose((5.0, 0.0, 0.0)))).failure
    assert failure is not None
    assert failure.kind is FailureKind.OUT_OF_REACH
    assert 3.5 < failure.position_error < 4.5
    turned = TranslationDirection5D(position=(1.0, 0.0, 0.0), direction=Z)
    flat = InverseKinematics(*pendulum()).solve(turned).failure
    assert flat is not None
    assert flat.kind is FailureKind.OUT_OF_REACH
    assert flat.angle_error > 0.5


def test_violated_limits_are_named() -> None:
    """A point at the distance that needs the second joint at 2, or the other way round at -2."""
    model, arm = pendulum(-1.5, 1.5)
    solver = InverseKinematics(model, arm)
    failure = solver.solve(Translation3D(position=(2.0 * math.cos(1.0), 0.0, 0.0))).failure
    assert failure is not None
    assert failure.kind is FailureKind.LIMITS
    assert failure.joints == ("j1",)
    assert "'j1' at 2, its limit is 1.5" in failure.message or "'j1' at -2, its limit is -1.5" in failure.message


def test_the_joint_beyond_its_limit_is_named() -> None:
    model = six_turns()
    arm = arm_of(model)
    for number in range(6):
        tight = Coordinate(position_limits=Range(lower=-0.2, upper=0.2))
        joints = [replace(j, coordinates=(tight,)) if j.name == f"j{number}" else j for j in model.joints]
        others = Coordinate(position_limits=Range(lower=0.35, upper=0.65))
        joints = [j if j.name == f"j{number}" else replace(j, coordinates=(others,)) for j in joints]
        solver = InverseKinematics(replace(model, joints=NamedList(joints)), arm)
        target = target_at(IkType.TRANSFORM_6D, tip_pose(model, arm, {f"j{n}": (0.5,) for n in range(6)}), X)
        failure = solver.solve(target).failure
        assert failure is not None
        assert failure.kind is FailureKind.LIMITS
        assert failure.joints == (f"j{number}",)


def test_failures_are_not_explained_if_not_requested() -> None:
    failure = (
        InverseKinematics(*pendulum()).solve(Translation3D(position=(5.0, 0.0, 0.0)), options=IkOptions(explain=False)).failure
    )
    assert failure is not None
    assert failure.kind is FailureKind.ATTEMPTS


def test_colliding_solutions_are_rejected() -> None:
    """One of the two ways to bend the elbow collides, then both do."""
    model, arm = pendulum()
    solver = InverseKinematics(model, arm)
    target = Translation3D(position=(1.0, 0.5, 0.0))

    def left(positions: Mapping[str, Sequence[float]]) -> tuple[tuple[str, str], ...]:
        return (("b1", "wall"),) if positions["j1"][0] > 0.0 else ()

    for seed in (1.0, -1.0):
        result = solver.solve(target, {"j1": (seed,)}, IkOptions(collisions=left))
        assert result.solutions[0].positions["j1"][0] < 0.0
    failure = solver.solve(target, options=IkOptions(collisions=lambda positions: (("b1", "wall"),))).failure
    assert failure is not None
    assert failure.kind is FailureKind.COLLISION
    assert failure.collisions == (("b1", "wall"),)
    assert "'b1' and 'wall'" in failure.message


def test_invalid_input_is_rejected() -> None:
    model, arm = pendulum()
    with pytest.raises(ArmError, match="no joint 'j9'"):
        InverseKinematics(model, arm, {"j9": (0.0,)})
    with pytest.raises(ArmError, match="has 1 coordinate, not 2"):
        InverseKinematics(model, arm, {"j1": (0.0, 1.0)})
    with pytest.raises(ArmError, match="not finite"):
        InverseKinematics(model, arm, {"j1": (math.nan,)})
    with pytest.raises(ArmError, match="no joint between 'b0' and 'b0' can move"):
        InverseKinematics(model, Arm(base="b0", tip="b0"))
    solver = InverseKinematics(model, arm)
    with pytest.raises(ValueError, match="must have one type"):
        solver.solve_all([Translation3D(), Rotation3D()])
    with pytest.raises(ValueError, match="no direction"):
        solver.solve(TranslationDirection5D(direction=(0.0, 0.0, 0.0)))
    assert solver.solve_all([]) == []


def test_other_joints_keep_the_given_positions() -> None:
    """Joints before the base turn the whole arm."""
    model = six_turns()
    arm = Arm(base="b2", tip="b6")
    specified = {"j0": (0.7,), "j1": (-0.4,)}
    solver = InverseKinematics(model, arm, specified)
    pose = model_poses(model, specified | {f"j{n}": (0.5,) for n in range(2, 6)})["b6"]
    solution = solver.solve(Translation3D(position=pose.position)).solutions[0]
    assert solution.positions["j0"] == (0.7,)
    found = model_poses(model, solution.positions)["b6"]
    np.testing.assert_allclose(found.position, pose.position, atol=2e-6)


def test_rotated_models() -> None:
    model = replace(six_turns(), pose=Pose((1.0, 2.0, 3.0), quaternion_from_rotation_vector((0.4, 0.2, 0.9))))
    solver = InverseKinematics(model, arm_of(model))
    for target in reachable(solver, IkType.TRANSFORM_6D, 5):
        check(solver, target, solver.solve(target).solutions[0])


ROBOTS = {
    "barrett-wam-sensors": "arm",
    "pumaarm": "arm_nogripper",
    "schunk-lwa3": "arm_nogripper",
    "mitsubishi-pa10": "arm_nogripper",
    "kawada-hironx": "rightarm",
}


@pytest.mark.one_in(3)
@pytest.mark.corpus
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("type_", IkType)
@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.slow)])
def test_arms_of_real_robots(name: str, type_: IkType, count: int, corpus: Path) -> None:
    model = ossature.load(corpus / "corpus" / "openrave" / f"{name}.zae").models[0]
    solver = InverseKinematics(model, model.manipulators[ROBOTS[name]])
    targets = reachable(solver, type_, count)
    results = solver.solve_all(targets, options=IkOptions(explain=False))
    assert sum(result.found for result in results) >= count - count // 200
    for target, result in zip(targets[:20], results, strict=False):
        check(solver, target, result.solutions[0])


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        ((0.4, 0.2, 0.6), TypeError, r"target is a Transform6D, .* or a TranslationDirection5D, not \(0.4"),
        (Translation3D(position=(0.4, 0.2)), ValueError, r"Translation3D.position has 3 finite numbers, not \(0.4, 0.2\)"),  # type: ignore[arg-type]
        (Translation3D(position=(0.4, math.nan, 0.6)), ValueError, "Translation3D.position has 3 finite numbers"),
        (Transform6D(pose=Pose((0.4, 0.2, 0.6), (1.0, 0.0, 0.0))), ValueError, "Transform6D.pose.wxyz has 4 finite"),  # type: ignore[arg-type]
    ],
)
def test_invalid_targets_are_explained(target: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ossature.inverse_kinematics(ossature.load(PROJECT / "examples" / "picker.dae"), target)


def test_a_seed_of_one_coordinate_may_be_a_number() -> None:
    world, target = ossature.load(PROJECT / "examples" / "picker.dae"), Translation3D(position=(0.4, 0.2, 0.6))
    seeds: list[Any] = [
        {"elbow": 1.0},
        {"elbow": (1.0,)},
        {"elbow": [1]},
        {"elbow": np.array([1.0])},
        {"elbow": np.float32(1.0)},
    ]
    found = [ossature.inverse_kinematics(world, target, seed=seed).solutions[0].positions for seed in seeds]
    assert all(each == found[0] for each in found)
