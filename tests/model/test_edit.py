"""Editing Worlds: laws on random Worlds, and messages of wrong edits."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ossature
from conftest import PROJECT
from equations_of_motion import equations_of_motion
from ossature.kinematics import fix_base, free_base, merge_fixed_joints
from ossature.model import (
    Body,
    Box,
    Coordinate,
    Extension,
    Frame,
    Inertial,
    Joint,
    MeshData,
    Model,
    ModelError,
    ModelState,
    NamedList,
    Prismatic,
    Range,
    Revolute,
    Sphere,
    State,
    Visual,
    World,
    make_body,
    make_joint,
)
from ossature.model.edit import dangling_references
from ossature.model.name_references import references
from ossature.model.state import JointState, LinkState
from ossature.model.state_renaming import rename_in_state
from ossature.spatial import Pose, quaternion_from_axis_angle
from random_models import random_pose, random_robot, random_tree

Coordinates = dict[str, list[float]]
SEEDS = st.integers(0, 2**32)
FEW = settings(max_examples=15, deadline=None)


@FEW
@given(SEEDS)
def test_renaming_there_and_back_is_the_identity(seed: int) -> None:
    world = random_robot(seed)
    paths = [f"robot/{name}" for field in (world["robot"].bodies, world["robot"].joints) for name in field.names()]
    for path in [*paths, "robot", "thing/cube", "robot/imu", "robot/spring", "wave"]:
        kind = type(world[path])
        renamed = world.rename(path, "other")
        assert renamed != world
        other = f"{path.rpartition('/')[0]}/other".lstrip("/")
        assert renamed.rename(other, path.rpartition("/")[2]) == world
        assert not dangling_references(renamed)
        assert isinstance(renamed[other], kind)


@FEW
@given(SEEDS)
def test_no_reference_keeps_the_old_name(seed: int) -> None:
    world = random_robot(seed)
    for index in range(len(world["robot"].bodies)):
        renamed = world.rename(f"robot/b{index}", "new body").rename(f"robot/j{index}", "new joint")
        names = {name for _, _, name in references(renamed["robot"])}
        assert not names & {f"b{index}", f"j{index}"}
        texts = [part for grasp in renamed.grasps for part in (grasp.link.body, *grasp.ignored_bodies)]
        texts += [channel.joint for one in renamed.trajectories for channel in one.channels]
        assert not {f"b{index}", f"j{index}"} & set(texts)


def test_a_state_follows_a_renamed_world() -> None:
    world = random_robot(1)
    links, joints = NamedList([LinkState(name="b0")]), NamedList([JointState(name="j1", positions=(0.5,))])
    state = State(models=NamedList([ModelState(name="robot", links=links, joints=joints)]))
    assert rename_in_state(state, world, "robot/b0", "base").models["robot"].links.names() == ("base",)
    assert rename_in_state(state, world, "robot/j1", "first").models["robot"].joints.names() == ("first",)
    assert rename_in_state(state, world, "robot", "arm").models.names() == ("arm",)


@FEW
@given(SEEDS)
def test_an_edit_without_changes_is_the_same_world(seed: int) -> None:
    world = random_robot(seed)
    with world.edit() as edit:
        for joint in world["robot"].joints:
            edit[f"robot/{joint.name}"].pose = joint.pose
        edit.body("robot/b0").inertial.mass = world["robot/b0"].inertial.mass
    assert edit.world == world


@FEW
@given(SEEDS)
def test_removing_leaves_no_dangling_reference(seed: int) -> None:
    world = random_robot(seed)
    for path in ("robot/b1", "robot/j1", "robot/imu"):
        removed = world.remove(path, cascade=True)
        assert not dangling_references(removed)
        assert path.rpartition("/")[2] not in (*removed["robot"].bodies.names(), *removed["robot"].joints.names())
        known = removed["robot"].joints.names()
        assert all(channel.joint in known for one in removed.trajectories for channel in one.channels)
    with pytest.raises(ModelError, match=r"'robot/b1' is used by robot"):
        world.remove("robot/b1")


@settings(max_examples=8, deadline=None)
@given(SEEDS)
def test_merging_fixed_joints_keeps_poses_masses_and_dynamics(seed: int) -> None:
    world = World(models=NamedList([random_tree(seed)]))
    merged = merge_fixed_joints(world)
    moving = [joint.name for joint in world["robot"].joints if joint.coordinates]
    assert [joint.name for joint in merged["robot"].joints if joint.coordinates] == moving
    assert len(merged["robot"].bodies) <= 1 + len(moving)
    assert merged["robot"].mass == pytest.approx(world["robot"].mass, rel=1e-12)
    random = np.random.default_rng(seed)
    for _ in range(3):
        positions = {"robot": {name: float(random.normal()) for name in moving}}
        before, after = ossature.poses(world, positions)["robot"], ossature.poses(merged, positions)["robot"]
        frames = {frame.name: after[body.name] @ frame.pose for body in merged["robot"].bodies for frame in body.frames}
        for name, pose in before.items():
            assert np.allclose((frames | after)[name].matrix(), pose.matrix(), atol=1e-9)
        assert np.allclose(moments_in_world(world, before), moments_in_world(merged, after), atol=1e-9)
    assert merge_fixed_joints(merged) == merged
    state = ({name: [float(random.normal())] for name in moving}, {name: [float(random.normal())] for name in moving})
    for before, after in zip(dynamics(world, moving, *state), dynamics(merged, moving, *state), strict=True):
        assert np.allclose(before, after, rtol=1e-9, atol=1e-9)


def dynamics(world: World, joints: list[str], q: Coordinates, v: Coordinates) -> tuple[np.ndarray, np.ndarray]:
    """Return mass matrix and bias forces of a robot."""
    return equations_of_motion(ossature.Simulation(world), "robot", joints, q, v) if joints else (np.zeros(0), np.zeros(0))


def moments_in_world(world: World, poses: dict[str, Pose]) -> np.ndarray:
    """Return the pseudo-inertia of all bodies: second moments of mass, first moments, and mass, about the world's origin."""
    total = np.zeros((4, 4))
    for body in world["robot"].bodies:
        m, c = body.inertial.mass, np.asarray(body.inertial.center_of_mass)
        moment = np.asarray(body.inertial.moment)
        J = np.zeros((4, 4))
        J[:3, :3] = np.trace(moment) / 2.0 * np.eye(3) - moment + m * np.outer(c, c)
        J[:3, 3] = J[3, :3] = m * c
        J[3, 3] = m
        T = poses[body.name].matrix()
        total += T @ J @ T.T
    return total


@settings(max_examples=6, deadline=None)
@given(SEEDS)
def test_attaching_keeps_poses_and_masses_of_both(seed: int) -> None:
    random = np.random.default_rng(seed)
    base, part = random_robot(seed), random_tree(seed + 1, "part")
    pose = random_pose(random)
    whole = base.attach(part, at="robot/b1", prefix="tool/", pose=pose)
    assert not dangling_references(whole)
    assert whole["robot"].mass == pytest.approx(base["robot"].mass + part.mass, rel=1e-12)
    q = {joint.name: float(random.normal()) for joint in part.joints if joint.coordinates}
    alone = ossature.poses(World(models=NamedList([part])), {"part": q})["part"]
    before = ossature.poses(World(models=NamedList([base["robot"]])))["robot"]
    together = ossature.poses(
        World(models=NamedList([whole["robot"]])), {"robot": {f"tool/{name}": value for name, value in q.items()}}
    )
    change = before["b1"] @ pose @ alone["b0"].inverse()
    for body in part.bodies[1:]:
        assert np.allclose(together["robot"][f"tool/{body.name}"].matrix(), (change @ alone[body.name]).matrix(), atol=1e-9)
    for name, expected in before.items():
        assert np.allclose(together["robot"][name].matrix(), expected.matrix(), atol=1e-9)


@settings(max_examples=4, deadline=None)
@given(SEEDS)
def test_an_attached_part_has_the_dynamics_that_it_has_alone(seed: int) -> None:
    random = np.random.default_rng(seed)
    part = random_tree(seed, fixed=0.0)
    base = World(models=NamedList([random_tree(seed + 1)]))
    whole = base.attach(part, at="robot/b0", prefix="tool/", pose=random_pose(random))
    q = {joint.name: [float(random.normal())] for joint in part.joints if joint.coordinates}
    alone = dynamics(World(models=NamedList([part])), list(q), q, q)[0]
    moved = {f"tool/{name}": value for name, value in q.items()}
    assert np.allclose(dynamics(whole, list(moved), moved, moved)[0], alone, rtol=1e-9, atol=1e-9)


def test_elements_of_a_merged_body_keep_their_positions() -> None:
    random = np.random.default_rng(5)
    world = random_robot(3)
    tool = Model(name="tool", bodies=[make_body("flange", Box(size=(1, 1, 1)), mass=1, pose=random_pose(random))])
    first = tool.bodies["flange"]
    placed = random_pose(random)
    whole = world.attach(tool, at="robot/b0", pose=placed)
    frame = {frame.name: frame.pose for frame in whole["robot/b0"].frames}["flange"]
    assert np.allclose(frame.matrix(), placed.matrix(), atol=1e-12)
    assert whole["robot/b0"].visuals[-1].pose.position == pytest.approx((placed @ first.visuals[0].pose).position)


@FEW
@given(SEEDS)
def test_elements_of_an_attached_part_keep_their_positions_relative_to_it(seed: int) -> None:
    """Points and directions of elements on the merged link, on others and on the world move with the part as a rigid body."""
    random = np.random.default_rng(seed)
    robot = random_robot(seed)["robot"]
    part = replace(robot, manipulators=NamedList(), joints=robot.joints.without("j0"))
    base = World(models=NamedList([random_tree(seed + 1, "base")]))
    pose = random_pose(random)
    whole = base.attach(part, at="base/b1", prefix="p/", link="b0", pose=pose)["base"]
    change = base["base/b1"].pose @ pose @ part.bodies["b0"].pose.inverse()
    for before, after in zip(anchors(part), anchors(whole), strict=True):
        assert np.allclose(after, change.matrix() @ before, atol=1e-9)


def anchors(model: Model) -> list[np.ndarray]:
    """Return points and directions of the elements of a model in its frame, as homogeneous vectors."""

    def points(body: str | None, *vectors: tuple[float, float, float], w: float = 1.0) -> list[np.ndarray]:
        return [model.body_pose(body).matrix() @ [*vector, w] for vector in vectors]

    found = []
    for spring in (*model.spring_dampers, *model.constraints):
        found += points(spring.body1, spring.point1) + points(spring.body2, spring.point2)
    for rod in model.constraints:
        found += points(rod.body1, rod.type.axis, w=0.0)
    for spring in model.rotational_spring_dampers:
        found += points(spring.body1, spring.point) + points(spring.body1, spring.axis, w=0.0)
    placed = [(item, item.body1) for item in (*model.bushings, *model.motors)] + [(item, item.body) for item in model.sensors]
    for element, body in placed:
        found += [model.body_pose(body).matrix() @ column for column in element.pose.matrix().T]
    for load in model.loads:
        found += points(load.body if load.applied_at_body_point else None, load.point)
        found += points(load.body if load.expressed_in_body_frame else None, load.value, w=0.0)
    return found


@settings(max_examples=6, deadline=None)
@given(SEEDS, st.floats(0.2, 5.0))
def test_a_scaled_model_has_scaled_poses_and_mass_matrix(seed: int, factor: float) -> None:
    """Positions change with the factor; the mass matrix with its third power for translations, its fifth for rotations."""
    world = World(models=NamedList([random_tree(seed)]))
    scaled = world.scale("robot", factor)
    joints = [joint for joint in world["robot"].joints if joint.coordinates]
    names = [joint.name for joint in joints]
    lengths = np.array([factor if isinstance(joint.type, Prismatic) else 1.0 for joint in joints])
    q = np.random.default_rng(seed).normal(size=len(names))
    before = ossature.poses(world, {"robot": dict(zip(names, q, strict=True))})["robot"]
    after = ossature.poses(scaled, {"robot": dict(zip(names, q * lengths, strict=True))})["robot"]
    own = world["robot"].pose.inverse()
    for name, pose in before.items():
        assert np.allclose((own @ after[name]).position, factor * np.array((own @ pose).position), atol=1e-9)
    v = {name: [0.0] for name in names}
    M = dynamics(world, names, {name: [float(x)] for name, x in zip(names, q, strict=True)}, v)[0]
    scaled_q = {name: [float(x)] for name, x in zip(names, q * lengths, strict=True)}
    expected = M * factor**5 / np.outer(lengths, lengths)
    assert np.allclose(dynamics(scaled, names, scaled_q, v)[0], expected, rtol=1e-9, atol=1e-9 * factor**5)
    back = scaled.scale("robot", 1.0 / factor)["robot"]
    for one, other in zip(back.bodies, world["robot"].bodies, strict=True):
        assert np.allclose(one.inertial.moment, other.inertial.moment, rtol=1e-9, atol=1e-12)
        assert one.visuals[0].geometry.size == pytest.approx(other.visuals[0].geometry.size)


def test_scaling_by_powers_of_two_there_and_back_is_exact() -> None:
    world = ossature.load(PROJECT / "examples" / "arm.skel")
    assert world.scale("arm", 2.0).scale("arm", 0.5) == world


def test_bases_are_fixed_and_freed() -> None:
    world = World(models=NamedList([random_tree(2)]))
    free = free_base(world, "robot")
    assert free["robot"].joints.names() == world["robot"].joints.names()[1:]
    fixed = fix_base(free, "robot")
    assert fixed["robot"].joints[-1].parent is None
    with pytest.raises(ModelError, match="Model 'robot' has no floating base"):
        fix_base(world, "robot")
    with pytest.raises(ModelError, match="no fixed joint to the world"):
        free_base(free, "robot")


WRONG_EDITS = [
    (lambda w: w["robo"], "no element 'robo': did you mean 'robot'?"),
    (lambda w: w["robot/bx"], "no element 'robot/bx': did you mean 'robot/b"),
    (lambda w: w.find(Joint, "b0"), "no Joint 'b0': "),
    (lambda w: w.find(Visual, "b0"), "elements of class Visual are not found by name"),
    (lambda w: w["robot/b0.visuals[7]"], "'robot/b0.visuals[7]': there is no [7]"),
    (lambda w: w.replace_at("robot/j1", limit=(0, 1)), "'robot/j1': a Joint has no 'limit': did you mean 'limits'?"),
    (lambda w: w.replace_at("robot/j0", limits=(0, 1)), "'robot/j0' has 0 coordinates"),
    (lambda w: w.replace_at("robot/j1", limits="wide"), "'robot/j1': Coordinate.position_limits: expected a Range"),
    (lambda w: w.replace_at("robot/j1", name="x"), "use rename('robot/j1', 'x')"),
    (lambda w: w.replace_at("robot/b0", pose=(0, 1)), "'robot/b0': Body 'b0'.pose: expected a Pose"),
    (lambda w: w.rename("robot/b0", "b1"), "'robot/b0': 'b0' cannot be renamed to 'b1': another element has that name"),
    (lambda w: w.attach(w["thing"], at="robot/b99"), "no Body 'robot/b99': did you mean"),
    (lambda w: w.attach(w, at="robot/b0"), "a part is one model, not 2"),
    (lambda w: w.add("robot", w["robot/b0"]), "'robot/b0' exists"),
    (lambda w: w.scale("robot", 2.0), "'robot/bushing' has no scaled equivalent: remove it first"),
    (lambda w: w.scale("thing", 0.0), "'thing': a model is scaled by a positive factor, not 0.0"),
    (lambda w: w.add("robot", 3), "a model has no elements of class int"),
]


@pytest.mark.parametrize(("edit", "message"), WRONG_EDITS, ids=[message for _, message in WRONG_EDITS])
def test_a_wrong_edit_is_refused_with_the_element(edit, message: str) -> None:
    with pytest.raises(ModelError) as refused:
        edit(random_robot(0))
    assert message in str(refused.value)


def test_a_block_of_edits_is_all_or_nothing() -> None:
    world = random_robot(0)
    with pytest.raises(ModelError, match=r"robot/j1.child: there is no 'nobody'"), world.edit() as edit:
        edit["robot/b0"].mass = 7
        edit["robot/j1"].child = "nobody"
    assert edit.world == world
    with pytest.raises(ModelError, match="the edit is finished"):
        edit["robot/b0"].mass = 8


def test_a_body_and_a_joint_of_one_name_are_found_by_their_class() -> None:
    world = random_robot(0).rename("robot/j1", "b1")
    with pytest.raises(ModelError, match="'robot/b1' is a Body and a Joint"):
        world["robot/b1"]
    assert world.find(Joint, "robot/b1").child == "b1"
    assert world.rename("robot/b1", "j1", Joint) == random_robot(0)


WRONG_VALUES = [
    (lambda: Body(name="x", pose="up"), "Body 'x'.pose: expected a Pose or the three numbers of a position, not 'up'"),
    (lambda: Body(name="x", visuals=[Sphere(radius=1)]), "Body 'x'.visuals: item 0: expected a Visual, not Sphere(radius=1.0)"),
    (lambda: Body(name="x", inertial=3), "Body 'x'.inertial: expected a Inertial, not 3"),
    (lambda: Body(name=None), "Body.name: expected a text, not None"),
    (lambda: Model(name="m", bodies=3), "Model 'm'.bodies: expected a sequence"),
    (lambda: Model(name="m", bodies="abc"), "Model 'm'.bodies: expected a sequence"),
    (lambda: Box(size=(1, 2)), "Box.size: expected 3 items, not 2"),
    (lambda: Sphere(radius=True), "Sphere.radius: expected a number, not True"),
    (lambda: Inertial(moment=((1, 0), (0, 1), (0, 0))), "Inertial.moment: item 0: expected 3 items, not 2"),
    (lambda: Joint(name="j", type=Revolute, parent=None, child="b"), "Joint 'j'.type: expected"),
    (lambda: Joint(name="j", type=Revolute(), parent=None, child="b", actuation="servi"), "did you mean 'servo'?"),
    (lambda: make_joint("j", "revolut", None, "b"), "Joint 'j'.type: expected fixed, revolute, prismatic"),
    (lambda: make_joint("j", "revolute", None, "b", axis="w"), "Joint 'j'.axis: expected x, y, z or a vector"),
    (
        lambda: make_joint("j", "revolute", None, "b", axis=(0, 0, 0)),
        "Joint 'j'.axis: the vector (0.0, 0.0, 0.0) has no direction",
    ),
    (lambda: make_joint("j", "revolute", None, "b", limits=3), "Joint 'j': Coordinate.position_limits: expected a Range"),
]


@pytest.mark.parametrize(("build", "message"), WRONG_VALUES, ids=[message for _, message in WRONG_VALUES])
def test_a_wrong_value_is_refused_with_element_and_field(build, message: str) -> None:
    with pytest.raises(ModelError) as refused:
        build()
    assert message in str(refused.value)


def test_values_are_converted() -> None:
    body = Body(name="b", pose=np.array([1, 2, 3]), frames=[Frame(name="tip")])
    assert body.pose == Pose((1.0, 2.0, 3.0))
    assert body.frames == (Frame(name="tip"),)
    assert Coordinate(position_limits=[-1, 2]).position_limits == Range(-1.0, 2.0)
    assert type(Inertial(mass=np.float64(2)).mass) is float
    assert Model(name="m", bodies=[body]).bodies == NamedList([body])
    assert Extension(format="f", key="k", value="v").value == "v"


def test_an_element_that_is_valid_keeps_its_objects() -> None:
    world = random_robot(4)
    again = Model(**{name: getattr(world["robot"], name) for name in ("name", "pose", "bodies", "joints")})
    assert again.bodies is world["robot"].bodies


def test_poses_accept_numbers_sequences_and_arrays() -> None:
    world = World(models=NamedList([random_tree(7, fixed=0.0)]))
    expected = ossature.poses(world, {"robot": {"j1": [0.5]}})
    assert ossature.poses(world, {"robot": {"j1": 0.5}}) == expected
    assert ossature.poses(world, {"robot": {"j1": np.array([0.5])}}) == expected
    for wrong in ("a", [[0.5]], None):
        with pytest.raises(ValueError, match="the coordinates of joint 'j1' are a number"):
            ossature.poses(world, {"robot": {"j1": wrong}})


def test_a_mesh_has_the_inertia_of_its_solid() -> None:
    """A box as triangles has the moments of the box, whose closed form is independent of the integrals over tetrahedra."""
    from trimesh.creation import box, cylinder

    turned = Pose((0.3, -0.2, 0.5), quaternion_from_axis_angle((0.0, 0.6, 0.8), 0.7))
    shape = box((0.5, 1.0, 2.0), transform=turned.matrix())
    found = Inertial.from_mesh(3.0, MeshData(vertices=np.array(shape.vertices), faces=np.array(shape.faces)))
    exact = Inertial.from_box(3.0, (0.5, 1.0, 2.0), turned)
    assert found.center_of_mass == pytest.approx(exact.center_of_mass, abs=1e-12)
    assert np.allclose(found.moment, exact.moment, atol=1e-12)
    round_shape = cylinder(0.5, 2.0, sections=400)
    mesh = MeshData(vertices=np.array(round_shape.vertices), faces=np.array(round_shape.faces))
    assert np.allclose(
        Inertial.from_mesh(3.0, mesh).moment, Inertial.from_cylinder(3.0, 0.5, 2.0).moment, rtol=1e-3, atol=1e-12
    )
    with pytest.raises(ValueError, match="not closed"):
        Inertial.from_mesh(1.0, MeshData(vertices=mesh.vertices, faces=mesh.faces[1:]))
    with pytest.raises(ValueError, match="not oriented outwards"):
        Inertial.from_mesh(1.0, MeshData(vertices=mesh.vertices, faces=mesh.faces[:, ::-1]))


def test_a_capsule_and_an_ellipsoid_become_spheres() -> None:
    sphere = Inertial.from_sphere(2.0, 0.5)
    assert np.allclose(Inertial.from_capsule(2.0, 0.5, 0.0).moment, sphere.moment)
    assert np.allclose(Inertial.from_ellipsoid(2.0, (1, 1, 1)).moment, sphere.moment)


def test_texts_of_a_world_are_short_and_escaped() -> None:
    world = random_robot(0).rename("robot/b0", "<script>")
    assert len(repr(world)) < 200
    assert all(len(repr(item)) < 200 for item in (world["robot"], world["robot/<script>"], world["robot/j1"]))
    assert all(f"'b{index}'" in world.tree() for index in range(1, len(world["robot"].bodies)))
    assert "<script>" not in world._repr_html_()
    assert "&lt;script&gt;" in world._repr_html_()


def test_the_tree_of_a_loop_ends() -> None:
    bodies = [Body(name="a"), Body(name="b")]
    joints = [make_joint("ab", "revolute", "a", "b"), make_joint("ba", "revolute", "b", "a")]
    text = World(models=NamedList([Model(name="loop", bodies=bodies, joints=joints)])).tree()
    assert text.count("'ab'") == text.count("'ba'") == 1


def test_no_helper_of_the_tests_assigns_a_constant_twice() -> None:
    for file in Path(__file__).parent.parent.glob("*.py"):
        names = [
            target.id
            for node in ast.parse(file.read_text()).body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        ]
        assert len(names) == len(set(names)), file.name


def test_ipython_completes_names_and_paths() -> None:
    world = ossature.load(PROJECT / "examples" / "arm.skel")
    paths = world._ipython_key_completions_()
    assert {"arm", "arm/elbow", "arm/hand"} <= {*paths}
    assert all(world[path].name == path.rpartition("/")[2] for path in paths)
    assert world.models._ipython_key_completions_() == ["table", "arm"]
