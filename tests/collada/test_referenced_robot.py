"""The comparison with the real program: it agrees with models that are made of the program's own numbers, and notices changes.

That the program's bodies stand where ours do at all configurations proves what is said about frames of joints and bodies.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openrave_comparison import CIRCULAR_LIMIT, SLIDE_LIMIT, differences, differences_of_shapes
from openrave_reference import (
    Reference,
    ReferenceBody,
    ReferenceGeometry,
    ReferenceJoint,
    ReferenceLink,
    pose_from_matrix,
    reference,
    referenced_files,
)
from ossature.model import (
    Actuation,
    Body,
    BodyPath,
    Box,
    Coordinate,
    Coupling,
    Cylinder,
    Expression,
    Geometry,
    Grasp,
    GripperJoint,
    HardLimits,
    Inertial,
    Joint,
    JointPosition,
    LazyMesh,
    Manipulator,
    MeshData,
    Model,
    NamedList,
    Number,
    OpenravePlanning,
    Operation,
    Operator,
    Prismatic,
    Range,
    Revolute,
    Sensor,
    Sphere,
    TriangleMesh,
    Visual,
    World,
)
from ossature.spatial import Pose, Vector3, normalized, unit

LOADED = [name for name in referenced_files() if not name.endswith("s18_visual_only")]
OPERATORS = {ast.Add: Operator.ADD, ast.Sub: Operator.SUBTRACT, ast.Mult: Operator.MULTIPLY, ast.Div: Operator.DIVIDE}
TETRAHEDRON = MeshData(
    vertices=np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]),
    faces=np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]),
)
UNREAD = {"openrave/kuka-kr150": {"formulas": ["KR125-1.01_KR125.zyl: no formula", "KR125.zyl_KR125.kol.b: no formula"]}}
"""Formulas with functions of triangles, which are not worth a parser here."""


def world_of(wanted: Reference) -> World:
    """Return a World of the program's own numbers; its meshes are left out, because their points are not there."""
    return World(
        gravity=wanted.gravity,
        models=NamedList([model_of(body) for body in wanted.bodies]),
        grasps=tuple(
            [
                Grasp(link=BodyPath(model=body.name, body=link), body=BodyPath(model=held, body="?"))
                for body in wanted.bodies
                for held, link in body.grabbed
            ]
        ),
    )


def model_of(body: ReferenceBody) -> Model:
    joints = [*body.joints, *body.passive_joints]
    poses = poses_at_zero(body)
    values = dict(zip(map(id, body.joints), body.values_loaded, strict=True))
    names = [joint.name for joint in joints]
    return Model(
        name=body.name,
        bodies=NamedList([body_of(link, poses[link.name]) for link in body.links]),
        joints=NamedList(
            [
                joint_of(j, values.get(id(j), body.passive_values_loaded.get(j.name, 0.0)), names, j in body.joints)
                for j in joints
            ]
        ),
        ignored_pairs=tuple([(link.name, other) for link in body.links for other in link.ignored]),
        manipulators=NamedList(
            [
                Manipulator(
                    name=arm.name,
                    base=arm.base,
                    tip=arm.tip,
                    pose=pose_from_matrix(arm.pose_tip),
                    direction=tuple(arm.direction),
                    gripper=tuple(
                        [
                            GripperJoint(joint=joint, closing_directions=(sign,))
                            for joint, sign in zip(arm.gripper, arm.closing_directions, strict=True)
                        ]
                    ),
                )
                for arm in body.manipulators
            ]
        ),
        sensors=NamedList(
            [
                Sensor(name=s.name, body=s.link or None, pose=pose_from_matrix(s.pose_link), type=s.type or None)
                for s in body.sensors
            ]
        ),
    )


def poses_at_zero(body: ReferenceBody) -> dict[str, Pose]:
    """Return the frames of the links with every joint at zero, mimic joints too."""
    poses = {body.root.name: pose_from_matrix(body.root.pose_zero)}
    waiting = [*body.joints, *body.passive_joints]
    while waiting:
        joint = next(joint for joint in waiting if joint.parent in poses)
        waiting.remove(joint)
        poses[joint.child] = poses[joint.parent] @ pose_from_matrix(joint.left) @ pose_from_matrix(joint.right)
    return poses


def body_of(link: ReferenceLink, pose: Pose) -> Body:
    a, b, c = link.moment.tolist()
    visuals = [
        Visual(geometry=geometry, pose=pose_from_matrix(shape.pose_link), visible=shape.visible)
        for shape in link.geometries
        if (geometry := geometry_of(shape)) is not None
    ]
    return Body(
        name=link.name,
        pose=pose,
        inertial=Inertial(mass=link.mass, center_of_mass=tuple(link.center_of_mass), moment=(tuple(a), tuple(b), tuple(c))),
        visuals=tuple(visuals),
    )


def geometry_of(shape: ReferenceGeometry) -> Geometry | None:
    if shape.type == "box":
        return Box(size=shape.sizes)
    if shape.type == "sphere":
        return Sphere(radius=shape.sizes[0])
    if shape.type == "cylinder":
        return Cylinder(radius=shape.sizes[0], length=shape.sizes[1])
    return None


def joint_of(joint: ReferenceJoint, value: float, names: list[str], has_freedom: bool) -> Joint:
    kind = Revolute if joint.type == "revolute" else Prismatic
    pose, axis = frame_and_axis(joint)
    return Joint(
        name=joint.name,
        type=kind(axis=axis),
        parent=joint.parent,
        child=joint.child,
        pose=pose,
        coordinates=(
            Coordinate(
                position_limits=Range() if is_unlimited(joint) else Range(lower=joint.lower, upper=joint.upper),
                velocity_limits=symmetric(joint.velocity),
                acceleration_limits=symmetric(joint.acceleration),
                jerk_limits=symmetric(joint.jerk),
                initial_position=value,
                continuous=joint.circular,
                coupling=formula_of(joint.mimic, names) if joint.mimic is not None else None,
                hints=(OpenravePlanning(weight=joint.planning_weight, resolution=joint.planning_resolution),),
            ),
        ),
        actuation=Actuation.FORCE if has_freedom else Actuation.PASSIVE,
    )


def frame_and_axis(joint: ReferenceJoint) -> tuple[Pose, Vector3]:
    """Return the joint's frame in the child's frame, and its axis there.

    Of joints that cannot move the program's own two frames say nothing, but the axis in the parent's frame does.
    """
    if joint.lower < joint.upper:
        x, y, z = joint.axis.tolist()
        return pose_from_matrix(joint.right).inverse(), unit((x, y, z))
    child_from_parent = np.linalg.inv(joint.left @ joint.right)
    x, y, z = (child_from_parent[:3, :3] @ joint.axis_parent).tolist()
    a, b, c = (child_from_parent[:3, :3] @ joint.anchor_parent + child_from_parent[:3, 3]).tolist()
    return Pose((a, b, c)), unit((x, y, z))


def is_unlimited(joint: ReferenceJoint) -> bool:
    return joint.circular or joint.upper == (CIRCULAR_LIMIT if joint.type == "revolute" else SLIDE_LIMIT)


def symmetric(limit: float) -> Range:
    return Range(lower=-limit, upper=limit)


def formula_of(text: str, names: list[str]) -> Coupling | None:
    """Return the formula of the program's own words, in which names of joints may contain any character."""
    for index, name in sorted(enumerate(names), key=lambda item: -len(item[1])):
        text = text.replace(name, f"joint_number_{index}_")
    try:
        return Coupling(position=expression_of(ast.parse(text, mode="eval").body, names))
    except NotImplementedError:
        return None


def expression_of(node: ast.expr, names: list[str]) -> Expression:
    if isinstance(node, ast.Constant):
        return Number(value=float(node.value))
    if isinstance(node, ast.Name):
        return JointPosition(joint=names[int(node.id.removeprefix("joint_number_").rstrip("_"))])
    if isinstance(node, ast.UnaryOp):
        return Operation(operator=Operator.NEGATE, operands=(expression_of(node.operand, names),))
    if isinstance(node, ast.BinOp):
        operands = (expression_of(node.left, names), expression_of(node.right, names))
        return Operation(operator=OPERATORS[type(node.op)], operands=operands)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sin":
        return Operation(operator=Operator.SINE, operands=tuple([expression_of(argument, names) for argument in node.args]))
    raise NotImplementedError(ast.dump(node))


@pytest.mark.one_in(3)
@pytest.mark.corpus
@pytest.mark.parametrize("name", LOADED)
def test_models_of_the_programs_numbers_agree_with_them(corpus: Path, name: str) -> None:
    wanted = reference(corpus, name)
    found = differences(world_of(wanted), wanted)
    found.pop("shapes", None)
    assert found == UNREAD.get(name, {})


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["openrave-elements/s00_base", "openrave/box0"])
def test_shapes_agree(corpus: Path, name: str) -> None:
    body = reference(corpus, name).bodies[0]
    model = model_of(body)
    assert differences_of_shapes(with_tetrahedra(model, body), body) == []


def with_tetrahedra(model: Model, body: ReferenceBody) -> Model:
    """Return a model with a tetrahedron, which the file has there, for every mesh."""
    visual = Visual(geometry=TriangleMesh(surface=LazyMesh(TETRAHEDRON)))
    bodies = [
        replace(ours, visuals=(*ours.visuals, *[visual for shape in link.geometries if shape.type == "trimesh"]))
        for ours, link in zip(model.bodies, body.links, strict=True)
    ]
    return replace(model, bodies=NamedList(bodies))


def on_joint(**changes: Any) -> Callable[[Model], Model]:
    return lambda model: replace(model, joints=NamedList([replace(model.joints[0], **changes), *model.joints[1:]]))


def on_coordinate(**changes: Any) -> Callable[[Model], Model]:
    def changed(model: Model) -> Model:
        coordinates = (replace(model.joints[0].coordinates[0], **changes),)
        return on_joint(coordinates=coordinates)(model)

    return changed


def on_body(**changes: Any) -> Callable[[Model], Model]:
    return lambda model: replace(model, bodies=NamedList([*model.bodies[:-1], replace(model.bodies[-1], **changes)]))


def on_last_joint(model: Model) -> Model:
    follows = Coupling(position=JointPosition(joint="m1", coordinate=0))
    half = Operation(operator=Operator.MULTIPLY, operands=(Number(value=0.5), follows.position))
    last = model.joints[-1]
    coordinate = replace(last.coordinates[0], coupling=Coupling(position=half))
    return replace(model, joints=NamedList([*model.joints[:-1], replace(last, coordinates=(coordinate,))]))


def without(name: str) -> Callable[[Model], Model]:
    return lambda model: replace(model, **{name: type(getattr(model, name))()})


TURNED = Pose((0.0, 0.0, 0.0), normalized((1.0, 0.001, 0.0, 0.0)))
CHANGES: list[tuple[str, Callable[[Model], Model], set[str]]] = [
    ("order of links", lambda model: replace(model, bodies=NamedList(model.bodies[::-1])), {"links"}),
    ("name of a link", on_body(name="other"), {"links", "joints"}),
    ("name of a joint", on_joint(name="other"), {"joints", "formulas"}),
    ("parent of a joint", on_joint(parent="LClaw"), {"joints", "poses"}),
    ("type of a joint", on_joint(type=Prismatic()), {"joints", "poses"}),
    ("frame of a joint", on_joint(pose=TURNED), {"joints", "poses"}),
    (
        "driven passive joint",
        lambda model: replace(model, joints=NamedList(map(driven, model.joints))),
        {"joints", "formulas", "poses"},
    ),
    ("frame of a link", on_body(pose=TURNED), {"joints", "poses"}),
    ("mass", on_body(inertial=Inertial(mass=0.1 + 1e-6, moment=((1, 0, 0), (0, 1, 0), (0, 0, 1)))), {"masses"}),
    (
        "centre of mass",
        on_body(inertial=Inertial(mass=0.1, center_of_mass=(0, 0, 1e-6), moment=((1, 0, 0), (0, 1, 0), (0, 0, 1)))),
        {"masses"},
    ),
    ("moment of inertia", on_body(inertial=Inertial(mass=0.1, moment=((1, 1e-6, 0), (1e-6, 1, 0), (0, 0, 1)))), {"masses"}),
    ("no moment of inertia", on_body(inertial=Inertial(mass=0.1)), {"masses"}),
    ("limits", on_coordinate(position_limits=Range(lower=-0.9773843811168246, upper=0.14)), {"limits"}),
    ("no limits", on_coordinate(position_limits=Range()), {"limits"}),
    ("circular", on_coordinate(continuous=True), {"limits"}),
    ("locked", on_joint(actuation=Actuation.LOCKED), {"limits"}),
    ("velocity", on_coordinate(velocity_limits=symmetric(0.81)), {"speeds"}),
    ("no velocity", on_coordinate(velocity_limits=Range()), {"speeds"}),
    ("one-sided velocity", on_coordinate(velocity_limits=Range(upper=0.8)), {"speeds"}),
    ("acceleration", on_coordinate(acceleration_limits=symmetric(1.0)), {"speeds"}),
    ("jerk", on_coordinate(jerk_limits=symmetric(1.0)), {"speeds"}),
    ("planning weight", on_coordinate(hints=(OpenravePlanning(weight=2.0),)), {"planning"}),
    ("planning resolution", on_coordinate(hints=(OpenravePlanning(resolution=0.03),)), {"planning"}),
    ("start", on_coordinate(initial_position=0.1), {"start"}),
    ("formula", on_last_joint, {"formulas"}),
    (
        "formula of a driven joint",
        on_coordinate(coupling=Coupling(position=Number(value=0.0))),
        {"joints", "formulas", "poses"},
    ),
    ("ignored pair", lambda model: replace(model, ignored_pairs=(("LClaw", "RClaw"),)), {"ignored pairs"}),
    ("no manipulators", without("manipulators"), {"manipulators"}),
    ("a sensor", lambda model: replace(model, sensors=NamedList([Sensor(name="eye", body=None)])), {"sensors"}),
    ("a shape", on_body(visuals=(Visual(geometry=Sphere(radius=1.0)),)), {"shapes"}),
    ("frame of the model", lambda model: replace(model, pose=TURNED), {"poses"}),
    ("hard limits", on_coordinate(hard_limits=HardLimits()), set()),
]
"""A change of the gripper, and which comparisons notice it."""


def driven(joint: Joint) -> Joint:
    coordinates = tuple([replace(coordinate, coupling=None) for coordinate in joint.coordinates])
    return replace(joint, actuation=Actuation.FORCE, coordinates=coordinates)


@pytest.mark.corpus
@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_changes_are_noticed(corpus: Path, change: Callable[[Model], Model], expected: set[str]) -> None:
    wanted = reference(corpus, "openrave/pumagripper")
    plain = World(gravity=wanted.gravity, models=NamedList([without_shapes(model_of(wanted.bodies[0]))]))
    wanted = replace(wanted, bodies=(without_geometries(wanted.bodies[0]),))
    assert differences(plain, wanted) == {}
    assert set(differences(replace(plain, models=NamedList([change(plain.models[0])])), wanted)) == expected


def without_shapes(model: Model) -> Model:
    return replace(model, bodies=NamedList([replace(body, visuals=()) for body in model.bodies]))


def without_geometries(body: ReferenceBody) -> ReferenceBody:
    return replace(body, links=tuple([replace(link, geometries=()) for link in body.links]))


@pytest.mark.corpus
def test_worlds_are_compared(corpus: Path) -> None:
    wanted = reference(corpus, "openrave-elements/s13_grab")
    world = world_of(wanted)
    assert "world" in differences(replace(world, gravity=(0.0, 0.0, -9.81)), wanted)
    assert "world" in differences(replace(world, models=NamedList(world.models[::-1])), wanted)
    assert "world" in differences(replace(world, grasps=()), wanted)


@pytest.mark.corpus
def test_a_moved_mesh_is_noticed(corpus: Path) -> None:
    body = reference(corpus, "openrave-elements/s00_base").bodies[0]
    model = with_tetrahedra(model_of(body), body)
    moved = replace(model.bodies[0].visuals[0], pose=Pose((0.0, 0.0, 1e-6)))
    turned_inside_out = MeshData(vertices=TETRAHEDRON.vertices, faces=TETRAHEDRON.faces[:, ::-1])
    inside_out = Visual(geometry=TriangleMesh(surface=LazyMesh(turned_inside_out)))
    for visual in (moved, inside_out):
        bodies = NamedList([replace(model.bodies[0], visuals=(visual,)), *model.bodies[1:]])
        assert differences_of_shapes(replace(model, bodies=bodies), body)


@pytest.mark.corpus
def test_a_place_that_is_no_number_differs(corpus: Path) -> None:
    wanted = reference(corpus, "openrave-elements/s00_base")
    nowhere = replace(model_of(wanted.bodies[0]), pose=Pose((math.nan, 0.0, 0.0)))
    assert "poses" in differences(World(models=NamedList([nowhere])), wanted)
