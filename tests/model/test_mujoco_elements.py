"""Elements that MJCF has: compound joints with anchors, tendons, equalities, actuator models and keyframes."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from ossature.kinematics import joint_constraints, model_poses, motion_pose
from ossature.kinematics.joint_graph_edges import reversed_joint
from ossature.model import (
    Actuator,
    ActuatorModel,
    Appearance,
    Axis,
    Body,
    Collision,
    Compound,
    Connection,
    Equality,
    Floating,
    Frame,
    FrameReference,
    HeightField,
    Joint,
    JointEquality,
    JointSum,
    JointTerm,
    Keyframe,
    KeyframeJoint,
    Model,
    ModelError,
    MujocoGeom,
    NamedList,
    Pulley,
    ShapeReference,
    SpatialPath,
    Sphere,
    SphericalMotion,
    Tendon,
    TendonEquality,
    TendonTransmission,
    ViaPoint,
    Visual,
    World,
    Wrapping,
    hint_of,
    with_hint,
)
from ossature.model.edit import dangling_references
from ossature.model.fingerprint import fingerprint
from ossature.model.scaling import scale_model
from ossature.model.shape_mass_properties import solid_properties
from ossature.model.tessellation import tessellate
from ossature.spatial import Pose, quaternion_from_rotation_vector

RNG = np.random.default_rng(7)


def _unit() -> tuple[float, float, float]:
    vector = RNG.normal(size=3)
    x, y, z = (vector / np.linalg.norm(vector)).tolist()
    return (x, y, z)


def _point() -> tuple[float, float, float]:
    x, y, z = RNG.normal(size=3).tolist()
    return (x, y, z)


def _random_compound() -> Compound:
    return Compound(
        axes=(
            Axis(direction=_unit(), anchor=_point()),
            Axis(direction=_unit(), is_revolute=False),
            SphericalMotion(anchor=_point()),
            Axis(direction=_unit(), anchor=_point()),
        )
    )


def test_a_compound_joint_moves_as_several_joints_of_a_body_in_mujoco() -> None:
    # MuJoCo allows no rotation after a ball joint.
    compound = Compound(axes=(*_random_compound().axes[:3], Axis(direction=_unit(), is_revolute=False)))
    q = RNG.normal(size=compound.degrees_of_freedom)
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body()
    body.add_geom(size=(0.1, 0.1, 0.1))
    for axis in compound.axes:
        joint = body.add_joint()
        joint.pos = axis.anchor
        if isinstance(axis, SphericalMotion):
            joint.type = mujoco.mjtJoint.mjJNT_BALL
        else:
            joint.axis = axis.direction
            joint.type = mujoco.mjtJoint.mjJNT_HINGE if axis.is_revolute else mujoco.mjtJoint.mjJNT_SLIDE
    model = spec.compile()
    data = mujoco.MjData(model)
    ball = quaternion_from_rotation_vector((q[2], q[3], q[4]))
    data.qpos[:] = [q[0], q[1], *ball, q[5]]
    mujoco.mj_kinematics(model, data)
    pose = motion_pose(compound, q.tolist())
    assert pose.position == pytest.approx(data.xpos[1], abs=1e-14)
    assert abs(np.dot(pose.wxyz, data.xquat[1])) == pytest.approx(1.0, abs=1e-14)


def test_twists_of_a_compound_joint_are_the_derivatives_of_its_pose() -> None:
    compound = _random_compound()
    q, step = RNG.normal(size=compound.degrees_of_freedom), 1e-6
    twists = joint_constraints.coordinate_twists(compound, q, 1.0)
    inverse = np.linalg.inv(motion_pose(compound, q.tolist()).matrix())
    for number in range(len(q)):
        moved = [motion_pose(compound, (q + sign * step * np.eye(len(q))[number]).tolist()).matrix() for sign in (1, -1)]
        rate = inverse @ (moved[0] - moved[1]) / (2.0 * step)
        twist = [rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]]
        assert twists[:, number] == pytest.approx(twist, abs=1e-8)


def test_a_reversed_compound_joint_with_anchors_has_the_same_coordinates() -> None:
    axes = tuple(Axis(direction=_unit(), anchor=_point()) for _ in range(3))
    bodies = NamedList([Body(name="a"), Body(name="b", pose=Pose(_point()))])
    joint = Joint(name="j", type=Compound(axes=axes), parent="a", child="b", pose=Pose(_point()))
    base = Joint(name="base", type=Floating(), parent=None, child="a")
    model = Model(name="m", bodies=bodies, joints=NamedList([base, joint]))
    reverse = reversed_joint(joint, model)
    assert reverse is not None
    q = RNG.normal(size=3).tolist()
    forward = model_poses(model, {"j": q})
    backward = model_poses(replace(model, joints=NamedList([replace(base, child="b"), reverse])), {"j": q[::-1]})
    relative = forward["a"].inverse() @ forward["b"]
    assert (backward["a"].inverse() @ backward["b"]).matrix() == pytest.approx(relative.matrix(), abs=1e-12)


def test_scaling_moves_the_anchors() -> None:
    joint = Joint(name="j", type=Compound(axes=(Axis(anchor=(1.0, 2.0, 3.0)),)), parent=None, child="b")
    model = Model(name="m", bodies=NamedList([Body(name="b")]), joints=NamedList([joint]))
    assert scale_model(model, 2.0).joints["j"].type == Compound(axes=(Axis(anchor=(2.0, 4.0, 6.0)),))


@pytest.fixture
def world() -> World:
    ball = Collision(geometry=Sphere(radius=0.1), name="ball", hints=(MujocoGeom(condim=4),))
    body = Body(
        name="link",
        collisions=(ball,),
        visuals=(Visual(geometry=Sphere(radius=0.1), appearance="steel"),),
        frames=(Frame(name="start"), Frame(name="end", geometry=Sphere(radius=0.01))),
    )
    start, end = (FrameReference(body="link", frame=name) for name in ("start", "end"))
    path = (
        ViaPoint(frame=start),
        Pulley(divisor=2.0),
        Wrapping(shape=ShapeReference(body="link", shape="ball")),
        ViaPoint(frame=end),
    )
    model = Model(
        name="robot",
        bodies=NamedList([body, Body(name="other")]),
        joints=NamedList(
            [
                Joint(name="j", type=_random_compound(), parent=None, child="link"),
                Joint(name="k", type=Floating(), parent=None, child="other"),
            ]
        ),
        tendons=NamedList(
            [
                Tendon(name="cable", path=SpatialPath(elements=path)),
                Tendon(name="sum", path=JointSum(terms=(JointTerm(joint="j"),))),
            ]
        ),
        equalities=NamedList(
            [
                Equality(name="same", type=TendonEquality(tendon1="cable", tendon2="sum")),
                Equality(name="loop", type=Connection(body1="link", body2="other")),
                Equality(name="mimic", type=JointEquality(joint1="j", joint2="k")),
            ]
        ),
        actuators=NamedList([Actuator(name="pull", transmission=TendonTransmission(tendon="cable"), model=ActuatorModel())]),
        keyframes=NamedList([Keyframe(name="home", joints=(KeyframeJoint(joint="j", positions=(0.0,) * 6),))]),
        appearances=NamedList([Appearance(name="steel")]),
    )
    return World(models=NamedList([model]))


def test_references_follow_renaming(world: World) -> None:
    for path, name in (("link", "arm"), ("j", "hinge"), ("cable", "rope"), ("steel", "iron")):
        world = world.rename(f"robot/{path}", name)
    assert not dangling_references(world)
    model = world["robot"]
    assert model.equalities["same"].type.tendon1 == model.actuators["pull"].transmission.tendon == "rope"
    assert model.tendons["rope"].path.elements[0].frame.body == "arm"
    assert model.keyframes["home"].joints[0].joint == "hinge"
    assert model.bodies["arm"].visuals[0].appearance == "iron"


def test_what_refers_to_a_removed_element_is_removed_with_it(world: World) -> None:
    with pytest.raises(ModelError, match="'robot/cable' is used by"):
        world.remove("robot/cable")
    model = world.remove("robot/link", cascade=True)["robot"]
    assert model.tendons.names() == model.equalities.names() == model.actuators.names() == ()
    assert model.keyframes["home"].joints == ()
    model = world.remove("robot/steel", cascade=True)["robot"]
    assert model.bodies["link"].visuals[0].appearance is None


def test_hints_are_edited_and_validated(world: World) -> None:
    ball = world["robot/link"].collisions[0]
    assert hint_of(ball, MujocoGeom) == MujocoGeom(condim=4)
    changed = with_hint(ball, MujocoGeom(solref=[0.02, 1]))
    assert changed.hints == (MujocoGeom(solref=(0.02, 1.0)),)
    with pytest.raises(ModelError, match="condim: expected a whole number or None"):
        MujocoGeom(condim="four")  # type: ignore[arg-type]


def test_a_fingerprint_contains_the_new_fields(world: World) -> None:
    changed = world.replace_at("robot/cable", stiffness=3.0)
    assert fingerprint(changed).world != fingerprint(world).world


def test_the_triangles_of_a_height_field_enclose_its_volume() -> None:
    field = HeightField(rows=2, columns=3, size=(1.5, 1.0, 2.0, 0.5), elevations=(0.0, 1.0, 0.0, 0.0, 1.0, 0.0))
    _, moment = solid_properties(tessellate(field), 1.0)
    assert np.linalg.eigvalsh(np.asarray(moment)).min() > 0.0
    a, b, c = (tessellate(field).vertices[tessellate(field).faces[:, number]] for number in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(2.0 * (3.0 * 0.5 + 0.5 * 3.0 * 2.0))
