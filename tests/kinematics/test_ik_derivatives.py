"""Chains and residuals: frames against forward kinematics, Jacobians against finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from joint_models import ACROSS, AXIS, FORMULAS, PLACES, TYPES, model_of, multiple, name_of
from ossature.kinematics import Arm, motion_pose, target_at, tip_pose
from ossature.kinematics.batched_rotations import chord_jacobians, chords, exponential, half_angle_cosines, right_jacobian
from ossature.kinematics.ik.chain import KinematicChain
from ossature.kinematics.ik.residuals import IkResiduals
from ossature.kinematics.joint_factorization import factor_joint
from ossature.model import (
    Coordinate,
    Coupling,
    Expression,
    Fixed,
    IkType,
    Joint,
    JointType,
    Model,
    NamedList,
    Revolute,
    Universal,
)
from ossature.spatial import Pose, Vector3, quaternion_from_rotation_vector, unit

STEP = 1e-6
CLOSE = 1e-7
TOOL = Pose((0.05, 0.02, 0.3), quaternion_from_rotation_vector((0.1, 0.9, -0.3)))
DIRECTION = unit((0.3, -0.2, 1.0))


def positions_of(chain: KinematicChain, moved: np.ndarray, model: Model) -> dict[str, list[float]]:
    result = {joint.name: list(joint.initial_positions) for joint in model.joints}
    for variable, value in zip(chain.variables, moved.tolist(), strict=True):
        result[variable.joint][variable.coordinate] = value
    followers = {j.name for j in model.joints if any(c.coupling for c in j.coordinates)}
    return {name: values for name, values in result.items() if name not in followers}


def check_chain(model: Model, arm: Arm, scale: float = 1.0) -> None:
    chain = KinematicChain(model, arm)
    moved = scale * np.random.default_rng(3).uniform(-1.5, 1.5, (4, len(chain.variables)))
    tips, jacobians = chain.tips_and_jacobians(moved)
    np.testing.assert_allclose(chain.tips(moved), tips, atol=1e-14)
    for row, tip in zip(moved, tips, strict=True):
        base = tip_pose(model, Arm(base=None, tip=arm.base or arm.tip), {}) if arm.base else None
        positions = positions_of(chain, row, model)
        found = tip_pose(model, arm, positions)
        if base is not None:
            moved_base = tip_pose(model, Arm(base=None, tip=arm.base or ""), positions)
            found = base @ moved_base.inverse() @ found
        np.testing.assert_allclose(tip, found.matrix(), atol=1e-12)
    np.testing.assert_allclose(jacobians, differences_of_frames(chain, moved), atol=CLOSE)


def differences_of_frames(chain: KinematicChain, moved: np.ndarray) -> np.ndarray:
    tips = chain.tips(moved)
    result = np.zeros((len(moved), 6, moved.shape[1]))
    for number in range(moved.shape[1]):
        nudge = STEP * np.eye(moved.shape[1])[number]
        change = (chain.tips(moved + nudge) - chain.tips(moved - nudge)) / (2.0 * STEP)
        result[:, :3, number] = change[:, :3, 3]
        spin = change[:, :3, :3] @ tips[:, :3, :3].swapaxes(1, 2)
        result[:, 3:, number] = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    return result


@pytest.mark.parametrize("joint_type", [*TYPES, Fixed()], ids=name_of)
def test_joint_factors_multiply_to_the_joint_transform(joint_type: JointType) -> None:
    q = np.random.default_rng(1).uniform(-2.0, 2.0, joint_type.degrees_of_freedom)
    found = np.eye(4)
    for stage in factor_joint(joint_type):
        part = np.eye(4)
        if stage.axis is None:
            part[:3, :3] = exponential(q[stage.coordinate : stage.coordinate + 3])
        else:
            value = q[stage.coordinate]
            part[:3, :3] = exponential(value * np.array(stage.axis)) if stage.is_rotation else np.eye(3)
            part[:3, 3] = stage.translation * value * np.array(stage.axis)
        found = found @ part
    np.testing.assert_allclose(found, motion_pose(joint_type, q.tolist()).matrix(), atol=1e-14)


@pytest.mark.parametrize("joint_type", TYPES, ids=name_of)
def test_chains_of_every_joint(joint_type: JointType) -> None:
    model = model_of(joint_type)
    check_chain(model, Arm(base="base", tip="three", pose=TOOL))
    check_chain(model, Arm(base="three", tip="base", pose=TOOL))


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_chains_with_coupled_joints(formula: Expression) -> None:
    model = model_of(Universal(axis1=AXIS, axis2=ACROSS))
    joints = list(model.joints)
    follows = Coordinate(coupling=Coupling(position=formula))
    again = Coordinate(coupling=Coupling(position=multiple(0.7, "j1", 0)))
    joints[1] = Joint(name="j1", type=joints[1].type, parent="one", child="two", pose=PLACES[1], coordinates=(follows, again))
    coupled = Model(name="arm", pose=model.pose, bodies=model.bodies, joints=NamedList(joints))
    chain = KinematicChain(coupled, Arm(base="base", tip="three"))
    assert {variable.joint for variable in chain.variables} == {"j0", "j2"}
    check_chain(coupled, Arm(base="base", tip="three", pose=TOOL))


def test_a_base_that_the_arm_moves() -> None:
    """A joint on the way follows one before the base."""
    model = model_of(Revolute(axis=AXIS))
    joints = list(model.joints)
    follows = Coordinate(coupling=Coupling(position=multiple(0.5, "j0")))
    joints[1] = Joint(name="j1", type=joints[1].type, parent="one", child="two", pose=PLACES[1], coordinates=(follows,))
    coupled = Model(name="arm", pose=model.pose, bodies=model.bodies, joints=NamedList(joints))
    chain = KinematicChain(coupled, Arm(base="one", tip="three"))
    assert [variable.joint for variable in chain.variables] == ["j0", "j2"]
    moved = np.array([[0.7, -0.4]])
    expected = tip_pose(coupled, Arm(base=None, tip="three"), {"j0": (0.7,), "j2": (-0.4,)})
    np.testing.assert_allclose(chain.tips(moved)[0], expected.matrix(), atol=1e-14)


@pytest.mark.parametrize("type_", IkType)
@pytest.mark.parametrize("joint_type", TYPES, ids=name_of)
def test_derivatives_of_targets(joint_type: JointType, type_: IkType) -> None:
    model = model_of(joint_type)
    chain = KinematicChain(model, Arm(base="base", tip="three", pose=TOOL))
    rng = np.random.default_rng(4)
    moved = rng.uniform(-1.5, 1.5, (5, len(chain.variables)))
    places = [random_pose(rng) for _ in range(5)]
    goals = IkResiduals([target_at(type_, place, DIRECTION) for place in places], DIRECTION, 0.7)
    owners = np.arange(5)
    tips, jacobians = chain.tips_and_jacobians(moved)
    found = goals.jacobians(tips, jacobians, goals.residuals(tips, owners), owners)
    for number in range(moved.shape[1]):
        nudge = STEP * np.eye(moved.shape[1])[number]
        ahead, behind = (goals.residuals(chain.tips(moved + sign * nudge), owners) for sign in (1.0, -1.0))
        np.testing.assert_allclose(found[:, :, number], (ahead - behind) / (2.0 * STEP), atol=CLOSE)


def random_pose(rng: np.random.Generator) -> Pose:
    x, y, z = rng.uniform(-1.0, 1.0, 3).tolist()
    a, b, c = rng.uniform(-1.5, 1.5, 3).tolist()
    return Pose((x, y, z), quaternion_from_rotation_vector((a, b, c)))


@pytest.mark.parametrize("type_", IkType)
def test_residuals_are_zero_at_the_frame_of_the_target(type_: IkType) -> None:
    rng = np.random.default_rng(5)
    places = [random_pose(rng) for _ in range(6)]
    goals = IkResiduals([target_at(type_, place, DIRECTION) for place in places], DIRECTION)
    tips = np.array([place.matrix() for place in places])
    residuals = goals.residuals(tips, np.arange(6))
    np.testing.assert_allclose(residuals, 0.0, atol=1e-12)
    assert goals.are_satisfied(residuals, 1e-9).all()
    far = goals.squared_distances(tips)
    np.testing.assert_allclose(np.diag(far), 0.0, atol=1e-12)
    assert (far[~np.eye(6, dtype=bool)] > 1e-3).all()


def test_free_directions_of_the_types() -> None:
    """Each frame meets its target although it is elsewhere in what the type does not say."""
    place = Pose((0.3, -0.2, 0.5), quaternion_from_rotation_vector((0.2, 0.4, -0.1)))
    along = Pose(wxyz=place.wxyz).transform(DIRECTION)
    spun = place @ Pose(wxyz=quaternion_from_rotation_vector(tuple(0.8 * v for v in DIRECTION)))  # type: ignore[arg-type]
    turned = Pose(place.position)
    moved = Pose((9.0, 8.0, 7.0), place.wxyz)
    ahead = Pose(shifted(place.position, along, 0.5), spun.wxyz)
    behind = Pose(shifted(place.position, along, -0.5), spun.wxyz)
    meeting = {
        IkType.TRANSFORM_6D: [place],
        IkType.ROTATION_3D: [place, moved],
        IkType.TRANSLATION_3D: [place, spun, turned],
        IkType.DIRECTION_3D: [place, spun, moved, ahead, behind],
        IkType.RAY_4D: [place, spun, ahead, behind],
        IkType.LOOKAT_3D: [place, spun, ahead, behind],
        IkType.TRANSLATION_DIRECTION_5D: [place, spun],
    }
    every = [place, spun, turned, moved, ahead, behind]
    for type_, fitting in meeting.items():
        goals = IkResiduals([target_at(type_, place, DIRECTION)], DIRECTION)
        tips = np.array([pose.matrix() for pose in every])
        met = goals.are_satisfied(goals.residuals(tips, np.zeros(len(every), dtype=np.intp)), 1e-9)
        assert met.tolist() == [pose in fitting for pose in every], type_


def test_lookat_does_not_accept_a_point_behind() -> None:
    goals = IkResiduals([target_at(IkType.LOOKAT_3D, Pose(), (0.0, 0.0, 1.0))], (0.0, 0.0, 1.0))
    residuals = goals.residuals(Pose((0.0, 0.0, 2.0)).matrix()[None], np.zeros(1, dtype=np.intp))
    assert goals.errors(residuals)[1] == pytest.approx([math.pi])


def shifted(point: Vector3, along: Vector3, distance: float) -> Vector3:
    return (point[0] + distance * along[0], point[1] + distance * along[1], point[2] + distance * along[2])


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 1.0, 3.0, 3.12, 3.1415, math.pi])
def test_chords_of_rotations(angle: float) -> None:
    vector = angle * np.array(AXIS)
    found = chords(exponential(vector)[None])[0]
    expected = 2.0 * math.sin(0.5 * angle) * np.array(AXIS)
    is_same = np.allclose(found, expected, atol=1e-12) or (angle == math.pi and np.allclose(found, -expected, atol=1e-12))
    assert is_same, (found, expected)


def test_derivatives_of_rotations() -> None:
    rng = np.random.default_rng(6)
    for vector in rng.uniform(-1.7, 1.7, (5, 3)):
        turned = exponential(vector)
        cosine = half_angle_cosines(turned[None])
        for number in range(3):
            nudge = STEP * np.eye(3)[number]
            change = (exponential(vector + nudge) - exponential(vector - nudge)) / (2.0 * STEP)
            spin = turned.T @ change
            axis = [spin[2, 1], spin[0, 2], spin[1, 0]]
            np.testing.assert_allclose(right_jacobian(vector)[:, number], axis, atol=1e-9)
            ahead, behind = (chords((exponential(sign * nudge) @ turned)[None])[0] for sign in (1.0, -1.0))
            found = chord_jacobians(chords(turned[None]), cosine)[0, :, number]
            np.testing.assert_allclose(found, (ahead - behind) / (2.0 * STEP), atol=1e-9)
