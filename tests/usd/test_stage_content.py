"""What prims mean: units, frames, joints, mass properties, shapes, materials and filters."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ossature
from ossature.diagnostics import Report
from ossature.formats.usd.stage_process import _Inherited, _inherited
from ossature.model import (
    Bias,
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Ellipsoid,
    Euler,
    Fixed,
    Floating,
    Plane,
    Prismatic,
    Range,
    Revolute,
    Sphere,
    Spherical,
    TriangleMesh,
)
from ossature.spatial import IDENTITY, Pose, angle_between, norm, quaternion_from_rotation_vector
from usd import HEADER, body, joint, load, read, stage, translated

HINGE = joint("RevoluteJoint", 'uniform token physics:axis = "Z"')


def test_units_of_length_and_mass_are_converted() -> None:
    header = '#usda 1.0\n(\nmetersPerUnit = 0.01\nkilogramsPerUnit = 0.001\nupAxis = "Z"\n)\n'
    gains = {"stiffness": 7, "damping": 3, "maxForce": 11}
    drive = "".join(f"float drive:angular:physics:{name} = {value}\n" for name, value in gains.items())
    content = body("a") + body("b", translated(100, 0, 0) + "double size = 20", kind="Cube")
    content += joint(
        "RevoluteJoint",
        f'{drive}point3f physics:localPos0 = (100, 0, 0)\nfloat physics:lowerLimit = -90\nuniform token physics:axis = "Z"',
        apis='"PhysicsDriveAPI:angular"',
    )
    scene = 'def PhysicsScene "scene"\n{\nfloat physics:gravityMagnitude = 981\n}\n'
    world = load(content + scene, header)
    (model,) = world.models
    assert world.gravity == pytest.approx((0.0, 0.0, -9.81))
    inertial = model.bodies["b"].inertial
    assert inertial.mass == pytest.approx(0.001)
    assert np.array(inertial.moment).diagonal() == pytest.approx(np.array([0.01, 0.02, 0.025]) * 1e-7)
    assert model.bodies["b"].pose.position == pytest.approx((1.0, 0.0, 0.0))
    assert model.bodies["b"].visuals[0].geometry == Box(size=(0.2, 0.2, 0.2))
    assert model.joints["j"].coordinates[0].position_limits == Range(-math.pi / 2, math.inf)
    law = model.actuators["j"].model
    assert law is not None
    degree, torque = math.pi / 180, 1e-7
    assert law.gain_parameters == pytest.approx((7 * torque / degree,))
    assert law.bias_parameters == pytest.approx((0.0, -7 * torque / degree, -3 * torque / degree))
    assert law.force_limits.upper == pytest.approx(11 * torque)


@pytest.mark.parametrize("up", ["X", "Y", "Z"])
def test_the_up_axis_becomes_z(up: str) -> None:
    position = {"X": (3, 0, 0), "Y": (0, 3, 0), "Z": (0, 0, 3)}[up]
    if up == "X":
        pytest.skip("UsdGeom knows Y and Z")
    world = load(body("a", translated(*position)), HEADER.replace('upAxis = "Z"', f'upAxis = "{up}"'))
    poses = ossature.poses(world, {})
    assert poses["robot"]["a"].position == pytest.approx((0.0, 0.0, 3.0))
    assert world.gravity == pytest.approx((0.0, 0.0, -9.81))


def test_missing_units_are_reported(report: Report) -> None:
    world = read(stage(body("a", translated(100, 0, 0)), '#usda 1.0\n(\nupAxis = "Z"\n)\n'), report)
    assert world is not None
    assert world.models["robot"].bodies["a"].pose.position == pytest.approx((1.0, 0.0, 0.0))
    assert len(report.take("unstated-usd-units")) == 1


unit = st.floats(-1.0, 1.0)


@st.composite
def frames(draw: st.DrawFn) -> Pose:
    turn = draw(st.tuples(unit, unit, unit))
    return Pose(draw(st.tuples(unit, unit, unit)), quaternion_from_rotation_vector(turn))


def frame_text(number: int, pose: Pose) -> str:
    position, wxyz = (", ".join(f"{value:.9g}" for value in values) for values in (pose.position, pose.wxyz))
    return f"point3f physics:localPos{number} = ({position})\nquatf physics:localRot{number} = ({wxyz})\n"


@settings(max_examples=12)
@given(frames(), frames(), st.floats(-3.0, 3.0), st.sampled_from("XYZ"), st.booleans())
def test_a_joint_moves_its_child_as_its_frames_state(first: Pose, second: Pose, q: float, axis: str, turns: bool) -> None:
    kind = "RevoluteJoint" if turns else "PrismaticJoint"
    values = f'uniform token physics:axis = "{axis}"\n{frame_text(0, first)}{frame_text(1, second)}'
    report = Report()
    world = read(stage(body("a") + body("b") + joint(kind, values)), report)
    assert world is not None
    poses = ossature.poses(world, {"robot": {"j": q}})["robot"]
    direction = tuple(float(axis == one) for one in "XYZ")
    motion = (
        Pose(wxyz=quaternion_from_rotation_vector(tuple(q * part for part in direction)))  # type: ignore[arg-type]
        if turns
        else Pose(tuple(q * part for part in direction))  # type: ignore[arg-type]
    )
    expected = poses["a"] @ first @ motion @ second.inverse()
    assert np.allclose(poses["b"].matrix(), expected.matrix(), atol=2e-6)


@settings(max_examples=8)
@given(st.floats(-3.0, 3.0))
def test_the_pose_of_the_stage_is_the_initial_position(angle: float) -> None:
    """The hinge is a metre from both bodies; the child is placed as an angle demands."""
    where = f"double xformOp:rotateZ = {math.degrees(angle):.15g}\ndouble3 xformOp:translate = "
    x, y = 1 - math.cos(angle), -math.sin(angle)
    where += f'({x:.15g}, {y:.15g}, 0)\nuniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ"]\n'
    offsets = "point3f physics:localPos0 = (1, 0, 0)\npoint3f physics:localPos1 = (1, 0, 0)\n"
    world = load(body("a") + body("b", where) + joint("RevoluteJoint", f'uniform token physics:axis = "Z"\n{offsets}'))
    (coordinate,) = world.models["robot"].joints["j"].coordinates
    assert coordinate.initial_position == pytest.approx(angle, abs=3e-6)
    staged = Pose((x, y, 0.0), quaternion_from_rotation_vector((0.0, 0.0, angle)))
    assert np.allclose(ossature.poses(world)["robot"]["b"].matrix(), staged.matrix(), atol=1e-5)


def limits(**bounds: tuple[float, float]) -> tuple[str, str]:
    """Return the schemas and the values of limits of a generic joint."""
    apis = ", ".join(f'"PhysicsLimitAPI:{name}"' for name in bounds)
    values = "".join(
        f"float limit:{name}:physics:low = {low}\nfloat limit:{name}:physics:high = {high}\n"
        for name, (low, high) in bounds.items()
    )
    return apis, values


LOCKED = (1.0, -1.0)


@pytest.mark.parametrize(
    ("free", "kind", "count"),
    [
        ((), Fixed, 0),
        (("rotY",), Revolute, 1),
        (("transZ",), Prismatic, 1),
        (("rotX", "rotY", "rotZ"), Spherical, 3),
        (("transX", "rotX", "rotY", "rotZ"), Compound, 4),
        (("transX", "transY", "transZ", "rotX", "rotY", "rotZ"), Floating, 6),
        (("transX", "rotY"), Compound, 2),
    ],
)
def test_a_generic_joint_has_the_motions_that_are_not_locked(free: tuple[str, ...], kind: type, count: int) -> None:
    names = [f"{motion}{axis}" for motion in ("trans", "rot") for axis in "XYZ"]
    apis, values = limits(**{name: LOCKED for name in names if name not in free})
    found = load(body("a") + body("b") + joint("Joint", values, apis=apis)).models["robot"].joints["j"]
    assert type(found.type) is kind
    assert found.degrees_of_freedom == count


def test_limited_rotations_are_angles_in_radians() -> None:
    apis, values = limits(transX=LOCKED, transY=LOCKED, transZ=LOCKED, rotX=(-90, 45))
    found = load(body("a") + body("b") + joint("Joint", values, apis=apis)).models["robot"].joints["j"]
    assert found.type == Euler(order="xyz")
    assert found.coordinates[0].position_limits == Range(-math.pi / 2, math.pi / 4)


def test_a_world_as_second_body_reverses_the_joint() -> None:
    world = load(body("a") + joint("RevoluteJoint", 'uniform token physics:axis = "Z"', bodies=("a", "")))
    found = world.models["robot"].joints["j"]
    assert (found.parent, found.child) == (None, "a")
    turned = ossature.poses(world, {"robot": {"j": 0.5}})["robot"]["a"]
    assert turned.wxyz == pytest.approx(quaternion_from_rotation_vector((0.0, 0.0, -0.5)))


def test_newton_attributes_are_read_in_si_units() -> None:
    values = (
        "float newton:damping = 2\nfloat newton:friction = 0.5\nfloat newton:armature = 0.1\nfloat newton:velocityLimit = 180\n"
    )
    found = load(body("a") + body("b") + joint("RevoluteJoint", values, apis='"NewtonJointAPI"')).models["robot"].joints["j"]
    (one,) = found.coordinates
    assert one.damping == pytest.approx(2 * 180 / math.pi)
    assert (one.friction, one.armature) == (0.5, 0.1)
    assert one.velocity_limits == Range(-math.pi, math.pi)


def test_a_mimic_joint_follows_with_its_offset_in_radians() -> None:
    mimic = "rel newton:mimicJoint = </robot/j>\nfloat newton:mimicCoef0 = 90\nfloat newton:mimicCoef1 = -2\n"
    content = body("a") + body("b") + body("c") + HINGE
    content += joint(
        "RevoluteJoint", 'uniform token physics:axis = "Z"\n' + mimic, name="k", bodies=("b", "c"), apis='"NewtonMimicAPI"'
    )
    world = load(content)
    turned = ossature.poses(world, {"robot": {"j": 0.25}})["robot"]
    relative = turned["b"].inverse() @ turned["c"]
    assert relative.wxyz == pytest.approx(quaternion_from_rotation_vector((0.0, 0.0, math.pi / 2 - 0.5)))


def test_a_drive_pulls_to_its_target_without_a_command() -> None:
    drive = (
        "float drive:linear:physics:stiffness = 100\nfloat drive:linear:physics:damping = 8\n"
        "float drive:linear:physics:targetPosition = 0.25\nfloat drive:linear:physics:targetVelocity = 0.5\n"
    )
    world = load(body("a") + body("b") + joint("PrismaticJoint", drive, apis='"PhysicsDriveAPI:linear"'))
    law = world.models["robot"].actuators["j"].model
    assert law is not None
    assert law.bias is Bias.AFFINE
    constant, stiffness, damping = law.bias_parameters
    force = constant + stiffness * 0.1 + damping * 0.2
    assert force == pytest.approx(100 * (0.25 - 0.1) + 8 * (0.5 - 0.2))


def test_joints_of_one_pair_of_bodies_add_motions_if_the_articulation_says_so() -> None:
    content = body(
        "a", "uniform bool newton:jointsAddMobility = 1\n", apis='"PhysicsArticulationRootAPI", "NewtonArticulationRootAPI"'
    )
    content += body("b") + HINGE + joint("RevoluteJoint", 'uniform token physics:axis = "X"', name="k")
    for flag, expected in ((1, 2), (0, 1)):
        world = load(content.replace("jointsAddMobility = 1", f"jointsAddMobility = {flag}"))
        joints = world.models["robot"].joints
        assert max(one.degrees_of_freedom for one in joints) == expected
        if flag:
            (found,) = joints
            assert isinstance(found.type, Compound)
            assert [one.name for one in found.coordinates] == ["j", "k"]


def test_a_loop_that_is_not_closed_at_zero_is_counted_from_the_stage(report: Report) -> None:
    limit = "float physics:lowerLimit = 0\nfloat physics:upperLimit = 180\n"
    turned = "quatf physics:localRot0 = (0.70710678, 0, 0, 0.70710678)\npoint3f physics:localPos0 = (1, 0, 0)\n"
    content = body("a") + body("b", translated(1, 0, 0))
    content += joint("RevoluteJoint", f'uniform token physics:axis = "Z"\n{turned}{limit}')
    content += joint(
        "SphericalJoint", "point3f physics:localPos0 = (1, 0.5, 0)\npoint3f physics:localPos1 = (0, 0.5, 0)\n", name="k"
    )
    world = read(stage(content), report)
    assert world is not None
    (coordinate,) = world.models["robot"].joints["j"].coordinates
    assert coordinate.initial_position == 0.0
    assert coordinate.position_limits.lower == pytest.approx(math.pi / 2, abs=1e-6)
    assert world.models["robot"].bodies["b"].pose == Pose((1.0, 0.0, 0.0))
    assert len(report.take("shifted-usd-positions")) == 1


# Mass properties


def collider(name: str, kind: str, values: str = "", apis: str = "") -> str:
    schemas = '"PhysicsCollisionAPI"' + (f", {apis}" if apis else "")
    return f'def {kind} "{name}" (prepend apiSchemas = [{schemas}])\n{{\n{values}\n}}\n'


@pytest.mark.parametrize(
    ("body_values", "shape_values", "mass"),
    [
        ("", "", 1000.0),
        ("float physics:density = 500\n", "", 500.0),
        ("float physics:density = 500\n", "float physics:density = 200\n", 200.0),
        ("float physics:mass = 3\n", "float physics:mass = 20\n", 3.0),
        ("", "float physics:mass = 20\n", 20.0),
        ("", "float physics:mass = 20\nfloat physics:density = 1\n", 20.0),
    ],
)
def test_mass_has_the_documented_precedence(body_values: str, shape_values: str, mass: float) -> None:
    shape = collider("c", "Cube", "double size = 1\n" + shape_values, '"PhysicsMassAPI"')
    content = (
        f'def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])\n{{\n{body_values}\n{shape}\n}}\n'
    )
    inertial = load(content).models["robot"].bodies["a"].inertial
    assert inertial.mass == pytest.approx(mass)
    assert np.allclose(np.array(inertial.moment), mass / 6.0 * np.eye(3))


def test_the_density_of_a_material_has_the_weakest_precedence() -> None:
    values = "float physics:density = 700\nfloat physics:dynamicFriction = 0.4\nfloat physics:staticFriction = 0.4\n"
    material = f'def Material "m" (prepend apiSchemas = ["PhysicsMaterialAPI"])\n{{\n{values}}}\n'
    bound = "double size = 1\nrel material:binding:physics = </robot/m>\n"
    shape = collider("c", "Cube", bound, '"MaterialBindingAPI"')
    for density, mass in (("", 700.0), ("float physics:density = 500\n", 500.0)):
        content = (
            f'def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])\n{{\n{density}\n{shape}\n}}\n'
        )
        found = load(content + material).models["robot"].bodies["a"]
        assert found.inertial.mass == pytest.approx(mass)
        assert found.collisions[0].material is not None
        assert found.collisions[0].material.friction == 0.4


def test_principal_axes_rotate_the_diagonal_inertia() -> None:
    half = math.sqrt(0.5)
    values = f"quatf physics:principalAxes = ({half}, 0, 0, {half})\n"
    moment = load(body("a", values)).models["robot"].bodies["a"].inertial.moment
    assert np.allclose(np.array(moment), np.diag([0.02, 0.01, 0.025]), atol=1e-8)


# Shapes


@pytest.mark.parametrize(
    ("kind", "values", "scale", "expected"),
    [
        ("Cube", "double size = 2", (1, 2, 3), Box(size=(2.0, 4.0, 6.0))),
        ("Sphere", "double radius = 2", (2, 2, 2), Sphere(radius=4.0)),
        ("Sphere", "double radius = 2", (1, 2, 3), Ellipsoid(diameters=(4.0, 8.0, 12.0))),
        (
            "Cylinder",
            'double radius = 2\ndouble height = 3\nuniform token axis = "X"',
            (3, 2, 2),
            Cylinder(radius=4.0, length=9.0),
        ),
        (
            "Capsule",
            'double radius = 2\ndouble height = 3\nuniform token axis = "Y"',
            (2, 2, 2),
            Capsule(radius=4.0, length=6.0),
        ),
        ("Cone", "double radius = 2\ndouble height = 3", (1, 1, 1), Cone(radius=2.0, length=3.0)),
        ("Cube", "", (-1, 1, 1), Box(size=(2.0, 2.0, 2.0))),
    ],
)
def test_shapes_have_the_scale_of_their_prims(kind: str, values: str, scale: tuple[int, ...], expected: object) -> None:
    scaled = f'float3 xformOp:scale = {scale}\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    found = load(body("a", children=collider("c", kind, f"{values}\n{scaled}"))).models["robot"].bodies["a"].collisions[0]
    assert found.geometry == expected


@pytest.mark.parametrize(("axis", "mirror", "direction"), [("X", 1, 1.0), ("X", -1, -1.0), ("Z", -1, -1.0)])
def test_a_mirror_along_its_axis_reverses_a_cone(axis: str, mirror: int, direction: float) -> None:
    scale = tuple(mirror if one == axis else 1 for one in "XYZ")
    scaled = f'float3 xformOp:scale = {scale}\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    shape = collider("c", "Cone", f'uniform token axis = "{axis}"\n{scaled}')
    found = load(body("a", children=shape)).models["robot"].bodies["a"].collisions[0]
    tip = found.pose.transform((0.0, 0.0, 1.0))
    assert tip == pytest.approx(tuple(direction * (one == axis) for one in "XYZ"), abs=1e-9)


TETRAHEDRON = (
    "int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n"
    'point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\nuniform token subdivisionScheme = "none"\n'
)


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1), (2, -3, 1)])
@pytest.mark.parametrize("orientation", ["rightHanded", "leftHanded"])
def test_meshes_enclose_the_scaled_volume(scale: tuple[int, ...], orientation: str) -> None:
    indices = (
        TETRAHEDRON
        if orientation == "rightHanded"
        else TETRAHEDRON.replace("0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3", "0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2")
    )
    scaled = f'float3 xformOp:scale = {scale}\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    scaled += f'uniform token orientation = "{orientation}"\n'
    found = load(body("a", children=collider("c", "Mesh", indices + scaled))).models["robot"].bodies["a"].collisions[0]
    assert isinstance(found.geometry, TriangleMesh)
    triangles = found.geometry.surface.triangles
    corners = np.array([found.pose.transform(tuple(point)) for point in triangles.vertices])
    assert np.allclose(np.sort(corners, axis=0)[[0, -1]], np.sort(np.array([(0, 0, 0), scale]), axis=0))
    a, b, c = (corners[triangles.faces[:, number]] for number in range(3))
    assert np.sum(np.cross(a, b) * c) / 6.0 == pytest.approx(abs(np.prod(scale)) / 6.0)


@pytest.mark.parametrize(
    ("approximation", "kind"), [("boundingCube", Box), ("boundingSphere", Sphere), ("convexHull", TriangleMesh)]
)
def test_approximations_of_meshes(approximation: str, kind: type) -> None:
    values = f'{TETRAHEDRON}uniform token physics:approximation = "{approximation}"\n'
    shape = collider("c", "Mesh", values, '"PhysicsMeshCollisionAPI"')
    found = load(body("a", children=shape)).models["robot"].bodies["a"]
    assert type(found.collisions[0].geometry) is kind
    if approximation == "boundingCube":
        assert found.collisions[0].geometry == Box(size=(1.0, 1.0, 1.0))
        assert found.collisions[0].pose.position == (0.5, 0.5, 0.5)
    assert isinstance(found.visuals[0].geometry, TriangleMesh)


def test_a_plane_without_a_body_is_static() -> None:
    world = load(body("a") + collider("floor", "Plane", 'uniform token axis = "Z"\nuniform token purpose = "guide"\n'))
    static = world.models["static"]
    assert static.static
    assert static.bodies["static"].collisions[0].geometry == Plane()


def test_instances_are_expanded() -> None:
    part = 'class "part"\n{\n' + body("arm", children=collider("c", "Cube")) + "}\n"
    content = "".join(
        f'def Xform "{name}" (instanceable = true\ninherits = </robot/part>)\n{{\n{translated(x, 0, 0)}}}\n'
        for name, x in (("one", 1), ("two", 2))
    )
    world = load(part + content)
    positions = sorted(
        (model.pose @ body.pose).position[0] for model in world.models for body in model.bodies if not model.static
    )
    assert positions == pytest.approx([1.0, 2.0])


# Collision filters


def filtered(*pairs: str) -> str:
    return "rel physics:filteredPairs = [" + ", ".join(f"</robot/{one}>" for one in pairs) + "]\n"


def test_filtered_pairs_and_groups_are_pairs_of_bodies() -> None:
    content = body("a", filtered("b"), apis='"PhysicsFilteredPairsAPI"', children=collider("c", "Cube"))
    content += "".join(body(name, children=collider("c", "Cube")) for name in ("b", "d", "e"))
    for name, member, other in (("g", "d", "h"), ("h", "e", "g")):
        content += (
            f'def PhysicsCollisionGroup "{name}" (prepend apiSchemas = ["CollectionAPI:colliders"])\n{{\n'
            f"rel collection:colliders:includes = </robot/{member}>\nrel physics:filteredGroups = </robot/{other}>\n}}\n"
        )
    world = load(content)
    pairs = {frozenset(pair) for model in world.models for pair in model.ignored_pairs}
    assert pairs == {frozenset("ab"), frozenset("de")}


# Findings


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (body("a", "float newton:contactGap = 1\n"), "unread-usd-attribute"),
        (body("a", "float physxRigidBody:linearDamping = 1\n"), "unread-usd-attribute"),
        (body("a") + 'def MjcActuator "m"\n{\nrel mjc:target = </robot/gone>\n}\n', "unread-usd-prim"),
        (body("a") + 'def SphereLight "l"\n{\n}\n', "unread-usd-prim"),
        (body("a", apis='"PhysxRigidBodyAPI"'), "unread-usd-schema"),
        (body("a") + body("b") + joint("SphericalJoint", "float physics:coneAngle0Limit = 30\n"), "ignored-usd-joint"),
        (body("a") + body("b") + joint("RevoluteJoint", "float physics:breakForce = 30\n"), "ignored-usd-joint"),
        (body("a") + joint("RevoluteJoint", bodies=("a", "a")), "invalid-usd-joint"),
        (body("a") + joint("RevoluteJoint", bodies=("a", "x")), "invalid-usd-joint"),
        (
            body("a")
            + body("b")
            + joint(
                "RevoluteJoint",
                'uniform token drive:angular:physics:type = "acceleration"\nfloat drive:angular:physics:stiffness = 1\n',
                apis='"PhysicsDriveAPI:angular"',
            ),
            "ignored-usd-joint",
        ),
    ],
)
def test_what_is_not_carried_is_reported(content: str, rule: str) -> None:
    report = Report()
    assert read(stage(content), report) is not None
    assert rule in {found.rule.name for found in report}


def test_findings_name_the_prim(report: Report) -> None:
    read(stage(body("a", "float newton:contactGap = 1\n")), report)
    (found,) = report.take("unread-usd-attribute")
    assert "/robot/a" in found.message


@pytest.mark.corpus
@pytest.mark.filterwarnings("ignore:LoadUsdPhysicsFromRange")
def test_the_joints_of_a_stage_are_those_of_the_library(corpus: Path) -> None:
    """The library has a parser of its own, which states the frames of joints in their bodies with the scale applied."""
    from pxr import Usd, UsdPhysics

    checked = 0
    for name in ("from_mjcf/agility_cassie/cassie.usda", "tests/humanoid.usda", "examples/ant.usda"):
        path = corpus / "corpus" / "usd" / name
        stage_of_library = Usd.Stage.Open(str(path))
        parsed = UsdPhysics.LoadUsdPhysicsFromRange(stage_of_library, ["/"])
        own = {one.name: one for model in ossature.read(path)[0].models for one in model.joints}  # type: ignore[union-attr]
        for kind, (paths, found) in parsed.items():
            if kind not in (UsdPhysics.ObjectType.RevoluteJoint, UsdPhysics.ObjectType.FixedJoint):
                continue
            for where, each in zip(paths, found, strict=True):
                prim = stage_of_library.GetPrimAtPath(where)
                mine = own.get(prim.GetDisplayName() or prim.GetName())
                if mine is None or isinstance(mine.type, Compound) or not each.body1:
                    continue
                w, (x, y, z) = each.localPose1Orientation.GetReal(), each.localPose1Orientation.GetImaginary()
                expected = Pose(tuple(map(float, each.localPose1Position)), (w, x, y, z))  # type: ignore[arg-type]
                assert norm((mine.pose.inverse() @ expected).position) < 1e-6
                assert angle_between(mine.pose.inverse() @ expected, IDENTITY) < 1e-5
                checked += 1
    assert checked > 20


NESTED = """#usda 1.0
def Xform "a" {
 token visibility = "invisible"
 uniform token purpose = "guide"
 def "untyped" {
  def Xform "b" {
   token visibility = "inherited"
   def Cube "c" {
    uniform token purpose = "render"
   }
   def Cube "d" {
   }
  }
 }
 def Scope "s" {
  def Material "m" {
   def Cube "x" {
   }
  }
 }
}
def "untyped" {
 uniform token purpose = "proxy"
 token visibility = "invisible"
 def Cube "c" {
 }
}
"""


def test_purposes_and_visibilities_are_those_of_the_library() -> None:
    """They are inherited from prim to prim in one pass, because the library visits all ancestors of each prim."""
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(NESTED)
    known: dict[object, _Inherited] = {}
    count = 0
    for prim in stage.Traverse():
        found = known[prim.GetPath()] = _inherited(prim, known.get(prim.GetParent().GetPath(), _Inherited()))
        if prim.IsA(UsdGeom.Imageable):
            imageable = UsdGeom.Imageable(prim)
            assert (found.purpose or "default") == imageable.ComputePurpose(), prim
            assert found.is_visible == (imageable.ComputeVisibility() != UsdGeom.Tokens.invisible), prim
            count += 1
    assert count == 7
