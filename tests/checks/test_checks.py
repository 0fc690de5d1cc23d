"""Each check finds what it is for, and nothing where all is well."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from complete_robot import TETRAHEDRON, every_sensor
from conftest import PROJECT
from linkages import POINTS, Z, hinged
from ossature import model as m
from ossature.assets import AssetError, MemoryFiles, MeshStore, Resolver
from ossature.checks import RULES, check
from ossature.diagnostics import Location, Report, Source
from ossature.diagnostics.render.text import to_text
from ossature.formats.skel import read_skel
from ossature.model import Axis, Body, Collision, Coordinate, Inertial, Joint, Model, NamedList, Range, Visual, World
from ossature.model.joint import X_AXIS
from ossature.spatial import Matrix3, Pose, Vector3
from random_expressions import line, of

MOMENT = ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
BOX = m.Box(size=(1.0, 1.0, 1.0))
UNIT_RANGE = Range(lower=-1.0, upper=1.0)


def good_body(name: str = "b", **fields: object) -> Body:
    return replace(
        Body(
            name=name,
            inertial=Inertial(mass=1.0, moment=MOMENT),
            visuals=(Visual(geometry=BOX, color=(0.1, 0.2, 0.3, 1.0)),),
            collisions=(Collision(geometry=BOX),),
        ),
        **fields,
    )


def good_joint(name: str = "j", **fields: object) -> Joint:
    return replace(Joint(name=name, type=m.Revolute(), parent=None, child="b"), **fields)


def world_of(*bodies: Body, joints: tuple[Joint, ...] | None = None, **fields: object) -> World:
    joints = joints if joints is not None else (good_joint(),)
    bodies = bodies or (good_body(),)
    return replace(World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))])), **fields)


def ball(kind: m.JointType | None = None, **fields: object) -> Joint:
    """Return a ball joint, or another with a ball in it, whose last coordinate states something."""
    kind = kind or m.Spherical()
    last = replace(Coordinate(), **fields)  # type: ignore[arg-type]
    return good_joint(type=kind, coordinates=(*[Coordinate()] * (kind.degrees_of_freedom - 1), last))


def holding(*held: str, ignored_bodies: tuple[str, ...] = ()) -> World:
    """Return a World in which a body on a joint holds others, given by the names of their models and their own."""
    hand = m.BodyPath(model="m", body="b")
    pairs = [m.BodyPath(model=model, body=body) for model, body in zip(held[::2], held[1::2], strict=True)]
    grasps = [m.Grasp(link=hand, body=body, ignored_bodies=ignored_bodies) for body in pairs]
    thing = Model(name="n", bodies=NamedList([good_body("a")]))
    return replace(world_of(), models=NamedList([*world_of().models, thing]), grasps=tuple(grasps))


def with_coordinate(**fields: object) -> World:
    coordinate = Coordinate(**fields)  # type: ignore[arg-type]
    return world_of(joints=(good_joint(coordinates=(coordinate,)),))


def with_shape(geometry: m.Geometry) -> World:
    return world_of(good_body(collisions=(Collision(geometry=geometry),)))


def on_the_ground(geometry: m.Geometry) -> World:
    return world_of(good_body(collisions=(Collision(geometry=geometry),)), joints=(FIXED,))


def inertial(**fields: object) -> World:
    return world_of(good_body(inertial=replace(Inertial(mass=1.0, moment=MOMENT), **fields)))


def diagonal(x: float, y: float, z: float) -> Matrix3:
    return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))


FREE = Joint(name="j", type=m.Floating(), parent=None, child="b")

FIXED = Joint(name="f", type=m.Fixed(), parent=None, child="b")
TURNED = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))


def universal(axis1: Vector3, axis2: Vector3) -> World:
    return world_of(joints=(good_joint(type=m.Universal(axis1=axis1, axis2=axis2), coordinates=()),))


def compound(*axes: Axis, limit: float = math.inf) -> World:
    coordinates = tuple(Coordinate(position_limits=Range(upper=limit)) for _ in axes)
    return world_of(joints=(good_joint(type=m.Compound(axes=axes), coordinates=coordinates),))


def of_triangles(moment: Matrix3) -> World:
    shape = m.TriangleMesh(surface=m.LazyMesh(TETRAHEDRON))
    inertial = Inertial(mass=1.0, moment=moment)
    return world_of(good_body(visuals=(), collisions=(Collision(geometry=shape),), inertial=inertial))


def colored(*color: float) -> World:
    return world_of(good_body(visuals=(Visual(geometry=BOX, color=color),)))  # type: ignore[arg-type]


def soft(**fields: object) -> World:
    return world_of(good_body(soft_skin=m.SoftSkin(geometry=BOX, **fields)))  # type: ignore[arg-type]


def chain(**fields: object) -> World:
    """Two bodies, the second on the first."""
    second = good_joint("k", parent="b", child="c")
    return world_of(good_body(), good_body("c"), joints=(good_joint(), replace(second, **fields)))


def driven(guide: m.MotorKinematics, *others: m.Motor, **fields: object) -> World:
    """A body that a joint and a motor move against the world."""
    world = world_of(joints=(replace(good_joint(), coordinates=(), **fields),))
    motor = m.Motor(name="drive", body1="b", body2=None, guide=guide, drive=m.DriveMode.SPEED)
    return replace(world, models=NamedList([replace(world.models[0], motors=NamedList([motor, *others]))]))


def repeating(guide: m.MotorKinematics, change: float, drive: m.DriveMode = m.DriveMode.POSITION, **fields: object) -> World:
    """A body that a motor moves by a change within each repetition of its function."""
    world = driven(guide, **fields)
    function = m.RepeatedFunction(function=m.RampFunction(slope=2.0 * change), start=0.1, width=0.5)
    motor = replace(world.models[0].motors["drive"], drive=drive, function=function)
    return replace(world, models=NamedList([replace(world.models[0], motors=NamedList([motor]))]))


J = m.JointPosition(joint="j")


def following(formula: m.Expression, *partials: m.PartialDerivative, **fields: object) -> World:
    """Two bodies, the second on the first, its joint 'k' following the first one's 'j'."""
    coordinate = Coordinate(coupling=m.Coupling(position=formula, partials=partials))
    return chain(coordinates=(replace(coordinate, **fields),))


def partial(order: int, expression: m.Expression, joint: str = "j") -> m.PartialDerivative:
    return m.PartialDerivative(order=order, joint=joint, expression=expression)


def equipped(**fields: object) -> World:
    world = world_of()
    return replace(world, models=NamedList([replace(world.models[0], **fields)]))


def arm(**fields: object) -> m.Manipulator:
    return replace(m.Manipulator(name="arm", base="b", tip="b"), **fields)


def sampled(joint: str, **fields: object) -> World:
    """Return a World with an arm of one joint, whose solver samples a joint."""
    second = good_joint("k", parent="b", child="c", coordinates=(replace(m.UNCONSTRAINED_COORDINATE, **fields),))
    solver = m.IkSolver(type=m.IkType.TRANSLATION_3D, free_joints=(m.IkFreeJoint(joint=joint, step=0.1),))
    found = world_of(good_body(), good_body("c"), joints=(good_joint(), second))
    manipulators = NamedList([arm(tip="c", solvers=(solver,))])
    return replace(found, models=NamedList([replace(found.models["m"], manipulators=manipulators)]))


def loop(closing: m.JointType, start: float) -> World:
    """Two bodies on the world, joined, the second one moved at the start."""
    moved = replace(good_joint("k", child="c"), coordinates=(replace(m.UNCONSTRAINED_COORDINATE, initial_position=start),))
    joints = (good_joint(), moved, Joint(name="l", type=closing, parent="b", child="c"))
    return world_of(good_body(), good_body("c", pose=Pose((0.5, 0.0, 0.0))), joints=joints)


def torn() -> m.MeshData:
    raise AssetError("robot.zae", "its triangles are torn")


NOTHING = m.MeshData(vertices=np.zeros((0, 3)), faces=np.zeros((0, 3), dtype=np.int64))


def tilted_four_bar(tilt: float) -> World:
    """Return a four-bar linkage of hinges, one of them tilted [rad]."""
    return World(models=NamedList([hinged(POINTS, [Z, Z, (0.0, math.sin(tilt), math.cos(tilt)), Z])]))


def collinear_parallelogram(offset: float) -> World:
    points = ((0.0, 0.0, 0.0), (math.cos(offset), math.sin(offset), 0.0), (2.0 + math.cos(offset), math.sin(offset), 0.0))
    return World(models=NamedList([hinged([*points, (2.0, 0.0, 0.0)])]))


def ring(count: int) -> World:
    """Return a closed chain of hinges on a circle."""
    points = [(math.cos(angle), math.sin(angle), 0.0) for angle in np.linspace(0.0, 6.0, count)]
    return World(models=NamedList([hinged(points)]))


BAD: dict[str, tuple[Callable[[], World], ...]] = {
    "missing-name": (
        lambda: world_of(joints=(good_joint(name=" "),)),
        lambda: world_of(good_body(frames=(m.Frame(name=""),))),
        lambda: World(models=NamedList([Model(name="")])),
    ),
    "duplicate-name": (
        lambda: world_of(good_body(), good_body("c"), joints=(good_joint(), good_joint(child="c"))),
        lambda: world_of(good_body(), good_body()),
        lambda: world_of(good_body(frames=(m.Frame(name="f"), m.Frame(name="f")))),
        lambda: World(models=NamedList([Model(name="m"), Model(name="m")])),
    ),
    "unknown-body": (
        lambda: world_of(joints=(good_joint(), good_joint("k", child="nobody"))),
        lambda: world_of(joints=(good_joint(), good_joint("k", parent="B"))),
    ),
    "unknown-joint": (
        lambda: following(line(m.JointPosition(joint="J"), 1.0)),
        lambda: following(line(m.JointPosition(joint="j", coordinate=1), 1.0)),
        lambda: following(line(J, 1.0), partial(1, m.Number(value=1.0), joint="l")),
        lambda: following(line(J, 1.0), partial(1, m.JointPosition(joint="l"))),
        lambda: equipped(manipulators=NamedList([arm(gripper=(m.GripperJoint(joint="g"),))])),
        lambda: equipped(
            manipulators=NamedList([arm(solvers=(m.IkSolver(type=m.IkType.RAY_4D, free_joints=(m.IkFreeJoint(joint="f"),)),))])
        ),
        lambda: equipped(actuators=NamedList([m.Actuator(name="motor", joint="k")])),
    ),
    "formula-cycle": (
        lambda: following(line(m.JointPosition(joint="k"), 0.5)),
        lambda: world_of(
            good_body(),
            good_body("c"),
            joints=(
                good_joint(coordinates=(Coordinate(coupling=m.Coupling(position=m.JointPosition(joint="k"))),)),
                good_joint("k", parent="b", child="c", coordinates=(Coordinate(coupling=m.Coupling(position=J)),)),
            ),
        ),
    ),
    "undefined-formula": (
        lambda: following(of("divide", 1.0, J)),
        lambda: following(of("root", J, 2.0)),
        lambda: following(of("divide", 1.0, of("multiply", 0.0, 1.0))),
    ),
    "inconsistent-derivative": (
        lambda: following(line(J, 1.0), partial(1, J)),
        lambda: following(line(J, 0.5), partial(2, m.Number(value=0.5))),
        lambda: following(of("sine", J), partial(1, of("sine", J))),
        lambda: following(line(J, 0.5), partial(1, m.Number(value=0.501))),
    ),
    "self-connection": (
        lambda: world_of(joints=(good_joint(), good_joint("k", parent="b"))),
        lambda: world_of(joints=(good_joint(parent="b"),)),
    ),
    "disconnected-body": (lambda: world_of(good_body(), good_body("c", collisions=()), gravity=(0.0, 0.0, 0.0)),),
    "unclosed-loop": (
        lambda: loop(m.Fixed(), 0.1),
        lambda: loop(m.Prismatic(axis=(1.0, 0.0, 0.0)), 0.1),
        lambda: loop(m.Revolute(axis=(1.0, 0.0, 0.0)), 0.1),
        lambda: loop(m.Cylindrical(axis=(1.0, 0.0, 0.0)), 0.1),
        lambda: loop(m.Universal(axis1=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0)), 0.1),
    ),
    "locked-joint": (lambda: tilted_four_bar(0.02), lambda: tilted_four_bar(1e-4)),
    "singular-initial-configuration": (lambda: collinear_parallelogram(0.0),),
    "loops-not-analysed": (lambda: ring(700),),
    "ineffective-free-joint": (
        lambda: sampled("j"),
        lambda: sampled("k", position_limits=m.Range(lower=0.0, upper=0.0)),
    ),
    "invalid-grasp": (
        lambda: holding("n", "A"),
        lambda: holding("k", "a"),
        lambda: holding("m", "b"),
        lambda: holding("n", "a", ignored_bodies=("thumb",)),
        lambda: holding("n", "a", "n", "a"),
    ),
    "discontinuous-motor-position": (
        lambda: repeating(m.MotorKinematics.PRISMATIC, math.tau, type=m.Prismatic()),
        lambda: repeating(m.MotorKinematics.REVOLUTE, 1.5 * math.tau, type=m.Revolute()),
    ),
    "conflicting-motors": (
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Fixed()),
        lambda: driven(m.MotorKinematics.PRISMATIC, type=m.Revolute()),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.Spherical()),
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Prismatic()),
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Revolute(axis=(1.0, 0.0, 0.0))),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.PointOnPlane()),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.PointOnLine()),
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Universal()),
        lambda: driven(
            m.MotorKinematics.REVOLUTE,
            m.Motor(name="second", body1=None, body2="b", guide=m.MotorKinematics.ROTATION_FREE, drive=m.DriveMode.POSITION),
            type=m.Revolute(),
        ),
    ),
    "non-positive-mass": (
        lambda: inertial(mass=0.0),
        lambda: inertial(mass=-1.0),
    ),
    "inertia-not-positive-definite": (
        lambda: inertial(moment=diagonal(-0.1, 0.1, 0.1)),
        lambda: inertial(moment=((0.1, 0.2, 0.0), (0.2, 0.1, 0.0), (0.0, 0.0, 0.1))),
    ),
    "invalid-inertia-of-fixed-body": (
        lambda: world_of(good_body(inertial=Inertial(mass=-1.0, moment=MOMENT)), joints=(FIXED,)),
        lambda: world_of(good_body(inertial=Inertial(mass=1.0, moment=diagonal(-0.1, 0.1, 0.1))), joints=(FIXED,)),
    ),
    "zero-principal-moment": (
        lambda: inertial(moment=diagonal(0.0, 0.1, 0.1)),
        lambda: inertial(moment=((0.0, 0.0, 2.4e-35), (0.0, 0.0, 0.0), (2.4e-35, 0.0, 0.0))),  # rounding errors
    ),
    "inertia-violates-triangle-inequality": (lambda: inertial(moment=diagonal(0.1, 0.1, 0.3)),),
    "implausible-inertia": (
        lambda: inertial(moment=diagonal(100.0, 100.0, 100.0)),
        lambda: inertial(moment=diagonal(1e-9, 1e-9, 1e-9)),
        lambda: of_triangles(diagonal(100.0, 100.0, 100.0)),
    ),
    "non-unit-axis": (
        lambda: world_of(joints=(good_joint(type=m.Revolute(axis=(0.0, 0.0, 2.0))),)),
        lambda: world_of(joints=(good_joint(type=m.Revolute(axis=(0.0, 0.0, 0.0))),)),
        lambda: compound(Axis(), Axis(direction=(0.0, 3.0, 0.0), is_revolute=False)),
        lambda: on_the_ground(m.Plane(normal=(0.0, 0.0, 2.0))),
        lambda: on_the_ground(m.Plane(normal=(0.0, 0.0, 0.0))),
    ),
    "non-unit-quaternion": (
        lambda: world_of(good_body(pose=Pose(wxyz=(2.0, 0.0, 0.0, 0.0)))),
        lambda: world_of(joints=(good_joint(pose=Pose(wxyz=(0.0, 0.0, 0.0, 0.0))),)),
        lambda: world_of(good_body(collisions=(Collision(geometry=BOX, pose=Pose(wxyz=(1.0, 1.0, 0.0, 0.0))),))),
    ),
    "parallel-axes": (
        lambda: universal((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)),
        lambda: world_of(joints=(good_joint(type=m.Planar(axis1=X_AXIS, axis2=X_AXIS), coordinates=()),)),
        lambda: world_of(joints=(good_joint(type=m.Translational2D(axis1=X_AXIS, axis2=X_AXIS), coordinates=()),)),
        lambda: compound(Axis(is_revolute=False), Axis(), Axis(), Axis(direction=X_AXIS)),
    ),
    "reversed-limits": tuple(
        [
            lambda name=name: with_coordinate(**{f"{name}_limits": Range(lower=1.0, upper=-1.0)})  # type: ignore[misc]
            for name in ("position", "velocity", "acceleration", "effort")
        ]
    ),
    "initial-position-outside-limits": (
        lambda: with_coordinate(position_limits=Range(lower=1.0, upper=2.0)),
        lambda: with_coordinate(velocity_limits=Range(lower=-1.0, upper=1.0), initial_velocity=1.5),
        lambda: following(line(J, 1.0, 0.5), position_limits=Range(lower=-0.25, upper=0.25)),
    ),
    "suspected-degrees": (
        lambda: with_coordinate(position_limits=Range(lower=-90.0, upper=90.0)),
        lambda: with_coordinate(position_limits=Range(lower=-180.0)),
        lambda: compound(Axis(), limit=180.0),
    ),
    "unenforced-position-limit": (
        lambda: world_of(joints=(ball(position_limits=Range(lower=-1.0, upper=1.0)),)),
        lambda: world_of(joints=(ball(m.PointOnLine(), position_limits=Range(lower=-1.0, upper=1.0)),)),
    ),
    "uneven-joint-friction": (lambda: world_of(joints=(ball(friction=1.0),)),),
    "negative-damping-or-stiffness": (
        lambda: with_coordinate(damping=-1.0),
        lambda: with_coordinate(friction=-1.0),
        lambda: with_coordinate(stiffness=-1.0),
    ),
    "missing-mesh": (
        lambda: with_shape(m.Mesh(uri="/robot/urdf/absent.obj")),
        lambda: with_shape(m.Mesh(uri="package://arm/absent.obj")),
        lambda: with_shape(m.Mesh(uri="https://example.org/absent.obj")),
    ),
    "unreadable-mesh": (
        lambda: with_shape(m.Mesh(uri="/robot/urdf/there.max")),
        lambda: with_shape(m.TriangleMesh(surface=m.LazyMesh(torn))),
        lambda: with_shape(m.TriangleMesh(surface=m.LazyMesh(NOTHING))),
        lambda: world_of(good_body(self_collisions=(Collision(geometry=m.TriangleMesh(surface=m.LazyMesh(torn))),))),
    ),
    "non-positive-size": (
        lambda: with_shape(m.Sphere(radius=-1.0)),
        lambda: with_shape(m.Box(size=(1.0, 0.0, 1.0))),
        lambda: with_shape(m.MultiSphere(balls=())),
        lambda: with_shape(m.Mesh(uri="/robot/urdf/there.obj", scale=(1.0, 0.0, 1.0))),
    ),
    "missing-collision-shape": (
        lambda: world_of(good_body(collisions=()), joints=(FREE,)),
        lambda: world_of(
            good_body(collisions=()), good_body("c", collisions=()), joints=(FREE, good_joint("k", parent="b", child="c"))
        ),
    ),
    "plane-on-moving-body": (lambda: with_shape(m.Plane()),),
    "invalid-soft-body": (lambda: soft(mass=0.0), lambda: soft(edge_stiffness=-1.0), lambda: soft(damping=-1.0)),
    "non-finite-number": (
        lambda: with_coordinate(damping=math.nan),
        lambda: with_coordinate(velocity_limits=Range(lower=math.nan)),
        lambda: world_of(good_body(pose=Pose((math.inf, 0.0, 0.0)))),
        lambda: world_of(good_body(pose=Pose(wxyz=(math.nan, 0.0, 0.0, 0.0)))),
        lambda: world_of(joints=(good_joint(type=m.Revolute(axis=(math.nan, 0.0, 1.0))),)),
        lambda: inertial(moment=diagonal(math.nan, 0.1, 0.1)),
    ),
    "color-out-of-range": (lambda: colored(255.0, 0.0, 0.0, 1.0), lambda: colored(-0.1, 0.0, 0.0, 1.0)),
    "non-positive-time-step": (lambda: world_of(time_step=0.0), lambda: world_of(time_step=-0.001)),
    "large-time-step": (lambda: world_of(time_step=1.0),),
    "large-gravity": (lambda: world_of(gravity=(0.0, 0.0, -981.0)),),
}

NEARLY: dict[str, tuple[Callable[[], World], ...]] = {
    "missing-name": (lambda: world_of(joints=(good_joint(name="0"),)), lambda: World(name="")),
    "duplicate-name": (
        lambda: world_of(good_body("b", frames=(m.Frame(name="b"),)), joints=(good_joint("b"),)),
        lambda: World(models=NamedList([Model(name="m"), Model(name="M")])),
    ),
    "unknown-body": (chain,),
    "unknown-joint": (
        lambda: following(line(J, 1.0), partial(1, m.Number(value=1.0))),
        lambda: equipped(
            manipulators=NamedList([arm(gripper=(m.GripperJoint(joint="j"),))]),
            actuators=NamedList([m.Actuator(name="k", joint="j")]),
        ),
    ),
    "formula-cycle": (
        lambda: world_of(
            good_body(),
            good_body("c"),
            good_body("d"),
            joints=(
                good_joint(),
                good_joint("k", parent="b", child="c", coordinates=(Coordinate(coupling=m.Coupling(position=J)),)),
                good_joint(
                    "l",
                    parent="c",
                    child="d",
                    coordinates=(
                        Coordinate(
                            coupling=m.Coupling(position=of("add", J, m.JointPosition(joint="k"))),
                        ),
                    ),
                ),
            ),
        ),
    ),
    "undefined-formula": (
        lambda: following(of("root", of("add", 4.0, J), 2.0)),
        lambda: following(of("arc_tangent", of("divide", 1.0, J))),
    ),
    "inconsistent-derivative": (
        lambda: following(line(J, 1.0 / 3.0), partial(1, m.Number(value=0.333333)), partial(2, m.Number(value=0.0))),
        lambda: following(of("sine", J), partial(1, of("cosine", J)), partial(2, of("negate", of("sine", J)))),
    ),
    "self-connection": (chain,),
    "unclosed-loop": (
        lambda: loop(m.Fixed(), 0.0),
        lambda: loop(m.Spherical(), 0.1),
        lambda: loop(m.Revolute(), 0.1),
        lambda: loop(m.Screw(), 0.1),
    ),
    "locked-joint": (lambda: tilted_four_bar(1e-7),),
    "singular-initial-configuration": (lambda: collinear_parallelogram(0.01),),
    "loops-not-analysed": (lambda: ring(7),),
    "ineffective-free-joint": (lambda: sampled("k"),),
    "invalid-grasp": (lambda: holding("n", "a"),),
    "discontinuous-motor-position": (
        lambda: repeating(m.MotorKinematics.PRISMATIC, 0.0, type=m.Prismatic()),
        lambda: repeating(m.MotorKinematics.REVOLUTE, 2.0 * math.tau, type=m.Revolute()),
        lambda: repeating(m.MotorKinematics.PRISMATIC, 1.0, m.DriveMode.SPEED, type=m.Prismatic()),
    ),
    "conflicting-motors": (
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Revolute()),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.Prismatic()),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.Cylindrical()),
        lambda: driven(m.MotorKinematics.ROTATION_FREE, type=m.Cylindrical()),
        lambda: driven(m.MotorKinematics.ROTATION_FREE, type=m.Floating()),
        lambda: driven(
            m.MotorKinematics.ROTATION_FREE,
            m.Motor(name="second", body1="b", body2=None, guide=m.MotorKinematics.LINEAR_FREE, drive=m.DriveMode.POSITION),
            type=m.Cylindrical(),
        ),
    ),
    "disconnected-body": (
        lambda: world_of(good_body(), good_body("c")),
        lambda: world_of(good_body(), good_body("c", initial_velocity=(1.0, 0.0, 0.0), collisions=()), gravity=(0.0, 0.0, 0.0)),
        lambda: world_of(good_body(), good_body("c"), joints=()),
        lambda: world_of(good_body(), good_body("c", collisions=()), joints=(FIXED,), gravity=(0.0, 0.0, 0.0)),
        lambda: World(
            models=NamedList(
                [Model(name="m", bodies=NamedList([good_body(), good_body("c")]), joints=NamedList([FIXED]), static=True)]
            )
        ),
    ),
    "non-positive-mass": (lambda: world_of(good_body(inertial=Inertial(mass=0.0, moment=MOMENT)), joints=(FIXED,)),),
    "inertia-not-positive-definite": (
        lambda: inertial(moment=((0.1, 0.04, 0.0), (0.04, 0.1, 0.0), (0.0, 0.0, 0.1))),
        lambda: inertial(moment=None),
    ),
    "invalid-inertia-of-fixed-body": (
        lambda: world_of(good_body(inertial=Inertial(mass=1.0, moment=diagonal(-1e-9, 0.1, 0.1))), joints=(FIXED,)),
    ),
    "zero-principal-moment": (lambda: world_of(good_body(inertial=Inertial(moment=diagonal(0.0, 0.1, 0.1))), joints=(FIXED,)),),
    "inertia-violates-triangle-inequality": (lambda: inertial(moment=diagonal(0.1, 0.1, 0.2)),),
    "implausible-inertia": (
        lambda: inertial(moment=None),
        lambda: inertial(moment=diagonal(1.0, 1.0, 1.0)),
        lambda: of_triangles(diagonal(0.01, 0.01, 0.01)),
        lambda: world_of(
            good_body(inertial=Inertial(mass=1.0, moment=diagonal(100.0, 100.0, 100.0)), visuals=(), collisions=())
        ),
    ),
    "non-unit-axis": (
        lambda: world_of(joints=(good_joint(type=m.Revolute(axis=(0.6, 0.8, 0.0))),)),
        lambda: on_the_ground(m.Plane(normal=(0.6, 0.0, 0.8))),
    ),
    "non-unit-quaternion": (
        lambda: world_of(good_body(pose=Pose(wxyz=TURNED))),
        lambda: world_of(good_body(pose=Pose(wxyz=(-1.0, 0.0, 0.0, 0.0)))),
    ),
    "parallel-axes": (
        lambda: universal((1.0, 0.0, 0.0), (0.8, 0.6, 0.0)),
        lambda: compound(Axis(), Axis(is_revolute=False), Axis()),
    ),
    "reversed-limits": (lambda: with_coordinate(position_limits=Range(lower=0.0, upper=0.0)),),
    "initial-position-outside-limits": (
        lambda: with_coordinate(position_limits=Range(lower=0.0, upper=2.0)),
        lambda: with_coordinate(velocity_limits=Range(lower=-1.0, upper=1.0), initial_velocity=1.0),
        lambda: following(line(J, 1.0, 0.5), position_limits=Range(lower=0.25, upper=0.75)),
    ),
    "suspected-degrees": (
        lambda: with_coordinate(position_limits=Range(lower=-2.0 * math.tau, upper=2.0 * math.tau)),
        lambda: with_coordinate(position_limits=Range(lower=-1e6, upper=1e6)),
        lambda: compound(Axis(is_revolute=False), limit=180.0),
        lambda: world_of(
            joints=(good_joint(type=m.Prismatic(), coordinates=(Coordinate(position_limits=Range(lower=-90.0, upper=90.0)),)),)
        ),
    ),
    "unenforced-position-limit": (lambda: world_of(joints=(ball(velocity_limits=Range(lower=-1.0, upper=1.0)),)),),
    "uneven-joint-friction": (lambda: world_of(joints=(ball(damping=1.0),)),),
    "negative-damping-or-stiffness": (lambda: with_coordinate(damping=0.0, spring_reference=-1.0),),
    "missing-mesh": (lambda: with_shape(m.Mesh(uri="/robot/urdf/there.obj")),),
    "unreadable-mesh": (
        lambda: with_shape(m.Mesh(uri="/robot/urdf/THERE.OBJ")),
        lambda: with_shape(m.TriangleMesh(surface=m.LazyMesh(TETRAHEDRON))),
    ),
    "non-positive-size": (
        lambda: with_shape(m.Sphere(radius=1.0)),
        lambda: with_shape(m.Mesh(uri="/robot/urdf/there.obj", scale=(1.0, -1.0, 1.0))),
    ),
    "missing-collision-shape": (
        lambda: world_of(good_body(collisions=())),
        lambda: world_of(good_body(collisions=()), joints=(FREE,), gravity=(0.0, 0.0, 0.0)),
        lambda: world_of(good_body(collisions=(), gravity=False), joints=(FREE,)),
        lambda: world_of(good_body(collisions=()), joints=(FREE, FIXED)),
        lambda: world_of(good_body(collisions=()), good_body("c"), joints=(FREE, good_joint("k", parent="b", child="c"))),
        lambda: world_of(
            good_body(collisions=()),
            good_body("c", collisions=()),
            joints=(FREE, good_joint("k", child="c"), good_joint("l", parent="b", child="c")),
        ),
    ),
    "plane-on-moving-body": (lambda: on_the_ground(m.Plane()),),
    "invalid-soft-body": (lambda: soft(mass=0.5, damping=1.0),),
    "non-finite-number": (lambda: with_coordinate(position_limits=Range(lower=-math.inf, upper=math.inf)),),
    "color-out-of-range": (lambda: colored(0.0, 1.0, 0.0, 0.0),),
    "non-positive-time-step": (lambda: world_of(time_step=1e-9),),
    "large-time-step": (lambda: world_of(time_step=0.02),),
    "large-gravity": (lambda: world_of(gravity=(0.0, 0.0, 0.0)), lambda: world_of(gravity=(0.0, 24.8, 0.0))),
}


def with_motor(**numbers: object) -> World:
    """Return a World whose joint is driven by a motor that states these numbers."""
    motor = m.ElectricMotor(**numbers)  # type: ignore[arg-type]
    world = world_of()
    actuators = NamedList([m.Actuator(name="drive", joint="j", type="electric_motor", motor=motor)])
    return replace(world, models=NamedList([replace(world.models[0], actuators=actuators)]))


def points(*pairs: tuple[float, float]) -> tuple[m.TorquePoint, ...]:
    return tuple(m.TorquePoint(speed=speed, torque=torque) for speed, torque in pairs)


BAD["invalid-motor-parameter"] = (
    lambda: with_motor(resistance=0.0),
    lambda: with_motor(rotor_inertia=-1e-6),
    lambda: with_motor(gear_ratio=0.0),
    lambda: with_motor(max_points=points((1.0, 1.0), (1.0, 0.5))),
    lambda: with_motor(nominal_points=points((0.0, 1.0), (1.0, -0.5))),
)
NEARLY["invalid-motor-parameter"] = (
    lambda: with_motor(rotor_inertia=0.0, coulomb_friction=0.0, viscous_friction=0.0, gear_ratio=-50.0),
    lambda: with_motor(max_points=points((0.0, 1.0), (1.0, 0.0))),
)
BAD["inconsistent-motor-datasheet"] = (
    lambda: with_motor(torque_constant=0.05, speed_constant=21.0),
    lambda: with_motor(nominal_voltage=24.0, resistance=4.0, starting_current=5.0),
    lambda: with_motor(torque_constant=0.05, starting_current=5.0, stall_torque=0.5),
    lambda: with_motor(resistance=4.0, torque_constant=0.05, speed_torque_gradient=600.0),
    lambda: with_motor(no_load_speed=400.0, stall_torque=0.25, speed_torque_gradient=2400.0),
    lambda: with_motor(nominal_voltage=24.0, torque_constant=0.05, no_load_speed=500.0),
    lambda: with_motor(nominal_voltage=24.0, speed_constant=20.0, no_load_speed=7.0),
)
NEARLY["inconsistent-motor-datasheet"] = (
    lambda: with_motor(torque_constant=0.05, speed_constant=20.1),
    lambda: with_motor(nominal_voltage=24.0, torque_constant=0.05, no_load_speed=460.0),
    lambda: with_motor(no_load_speed=400.0, stall_torque=0.25, speed_torque_gradient=1750.0),
    lambda: with_motor(torque_constant=0.05, starting_current=5.0),
)
BAD["guessed-package"] = (
    lambda: with_shape(m.Mesh(uri="package://other/meshes/hand.obj")),
    lambda: with_shape(m.Mesh(uri="package://meshes/hand.obj")),
)
NEARLY["guessed-package"] = (lambda: with_shape(m.Mesh(uri="package://robot/meshes/hand.obj")),)


def with_sensor(kind: type, **fields: object) -> World:
    """Return a World whose body carries a sensor of a kind that states everything, but for some fields."""
    specified = next(one.description for one in every_sensor("b", "j") if type(one.description) is kind)
    known = {"target": "b"} if kind is m.Odometry else {}
    description = replace(specified, **{**known, **fields})  # type: ignore[type-var]  # data classes
    world = world_of()
    sensors = NamedList([m.Sensor(name="eye", body="b", description=description)])
    return replace(world, models=NamedList([replace(world.models[0], sensors=sensors)]))


FLAT = ((1.0, 2.0, 0.0), (2.0, 4.0, 0.0))
ASKEW = ((1.0, 0.5, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NEGATIVE = ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SINGULAR = ((1.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.0, 0.0, 0.0))
BAD["invalid-sensor-range"] = (
    lambda: with_sensor(m.Laser2D, min_distance=-0.5),
    lambda: with_sensor(m.Laser2D, max_distance=0.125),
    lambda: with_sensor(m.Laser2D, min_angle=2.0),
    lambda: with_sensor(m.Laser3D, max_turn=-1.0),
    lambda: with_sensor(m.FlashLaser, distance_deviation=-1.0),
    lambda: with_sensor(m.Force6D, force_range=(1.0, -1.0, 1.0)),
)
NEARLY["invalid-sensor-range"] = (
    lambda: with_sensor(m.Laser2D, min_distance=0.0, min_angle=1.25),
    lambda: with_sensor(m.Force6D, force_range=(0.0, 1.0, 1.0)),
)
BAD["invalid-sensor-increment"] = (
    lambda: with_sensor(m.Laser2D, angle_increment=0.0),
    lambda: with_sensor(m.Laser2D, time_increment=-0.125),
    lambda: with_sensor(m.Laser3D, turn_increment=-0.125),
    lambda: with_sensor(m.Imu, measurement_time=0.0),
    lambda: with_sensor(m.Encoder, counts=0),
    lambda: with_sensor(m.Encoder, resolution=0.0),
    lambda: with_sensor(m.Force6D, polarity=2),
)
NEARLY["invalid-sensor-increment"] = (lambda: with_sensor(m.Laser2D, time_increment=0.0),)
BAD["singular-intrinsics"] = (
    lambda: with_sensor(m.PinholeCamera, intrinsic=FLAT),
    lambda: with_sensor(m.FlashLaser, intrinsic=((0.0, 0.0, 32.0), (0.0, 0.0, 32.0))),
)
NEARLY["singular-intrinsics"] = (lambda: with_sensor(m.PinholeCamera, intrinsic=((0.0, 500.0, 1.0), (500.0, 0.0, 1.0))),)
BAD["sensor-resolution-out-of-range"] = (
    lambda: with_sensor(m.PinholeCamera, width=0),
    lambda: with_sensor(m.PinholeCamera, width=2**20, height=2**20),
    lambda: with_sensor(m.PinholeCamera, channels=2),
    lambda: with_sensor(m.Laser2D, angle_increment=1e-6),
    lambda: with_sensor(m.FlashLaser, width=1000, height=1000),
    lambda: with_sensor(m.Encoder, coordinate=-1),
)
NEARLY["sensor-resolution-out-of-range"] = (lambda: with_sensor(m.FlashLaser, width=999, height=1000),)
BAD["invalid-covariance"] = (
    lambda: with_sensor(m.Imu, rotation_covariance=ASKEW),
    lambda: with_sensor(m.Imu, linear_acceleration_covariance=NEGATIVE),
    lambda: with_sensor(m.Odometry, drift_covariance=(1.0,)),
)
NEARLY["invalid-covariance"] = (lambda: with_sensor(m.Imu, rotation_covariance=SINGULAR),)
BAD["unknown-sensor-target"] = (
    lambda: with_sensor(m.Encoder, joint="k"),
    lambda: with_sensor(m.Encoder, joint=None),
    lambda: with_sensor(m.Encoder, coordinate=1),
    lambda: with_sensor(m.Odometry, target="c"),
)
NEARLY["unknown-sensor-target"] = (lambda: with_sensor(m.Odometry, target=None),)
BAD["assumed-sensor-defaults"] = (
    lambda: with_sensor(m.Laser2D, angle_increment=None),
    lambda: with_sensor(m.PinholeCamera, intrinsic=None),
    lambda: with_sensor(m.StereoCamera, views=None),
)
NEARLY["assumed-sensor-defaults"] = (lambda: with_sensor(m.Imu), lambda: with_sensor(m.StereoCamera))


def with_trajectory(*channels: m.Channel, **limits: object) -> World:
    """Return a World with a trajectory of its joint, which has these limits."""
    trajectory = m.Trajectory(name="wave", channels=channels)
    return replace(with_coordinate(**limits), trajectories=NamedList([trajectory]))


def chain_of(distance: float, mass: float = 1.0, mesh_scale: float = 0.1) -> World:
    """Return two bodies at a distance, the second of which has a tetrahedron as a mesh file."""
    shape = Visual(geometry=m.Mesh(uri="tetrahedron.obj", scale=(mesh_scale,) * 3))
    second = good_body("c", pose=Pose((distance, 0.0, 0.0)), visuals=(shape,), collisions=())
    second = replace(second, inertial=Inertial(mass=mass))
    return world_of(good_body(), second, joints=(good_joint(), good_joint("k", parent="b", child="c")))


STILL = replace(chain_of(300.0).models[0], static=True)


def coupled(factor: float, limits: Range = UNIT_RANGE) -> World:
    """Return two joints with limits of ±1 and the given ones, of which the second has the first's position times a factor."""
    position = m.Operation(operator=m.Operator.MULTIPLY, operands=(m.Number(value=factor), m.JointPosition(joint="j")))
    follower = Coordinate(position_limits=limits, coupling=m.Coupling(position=position))
    leader = good_joint(coordinates=(Coordinate(position_limits=UNIT_RANGE if factor > 0.0 else Range(lower=0.0, upper=1.0)),))
    return world_of(
        good_body(), good_body("c"), joints=(leader, good_joint("k", parent="b", child="c", coordinates=(follower,)))
    )


def textured(file: str) -> World:
    world = world_of()
    material = m.Extension(format="urdf", key="material", value=f'<material name="m"><texture filename="{file}"/></material>')
    return replace(world, models=NamedList([replace(world.models[0], extensions=(material,))]))


def moved(*values: float, joint: str = "j", **fields: object) -> m.Channel:
    times = tuple(float(number) for number in range(len(values)))
    return replace(m.Channel(model="m", joint=joint, times=times, values=values), **fields)  # type: ignore[arg-type]


BAD["invalid-trajectory"] = (
    lambda: with_trajectory(moved(0.0, 1.0, joint="k")),
    lambda: with_trajectory(moved(0.0, 1.0, coordinate=1)),
    lambda: with_trajectory(moved(0.0, 1.0), moved(0.0, 1.0)),
    lambda: with_trajectory(moved()),
    lambda: with_trajectory(moved(0.0, 1.0), coupling=m.Coupling(position=m.Number(value=0.0))),
)
NEARLY["invalid-trajectory"] = (lambda: with_trajectory(moved(0.0, 1.0)), lambda: with_trajectory(moved(0.5)))
BAD["trajectory-exceeds-limits"] = (
    lambda: with_trajectory(moved(0.0, 1.5), position_limits=UNIT_RANGE),
    lambda: with_trajectory(moved(0.0, -1.5), position_limits=Range(lower=-2.0, upper=2.0), velocity_limits=UNIT_RANGE),
    lambda: with_trajectory(moved(0.0, 1.0, 0.0), acceleration_limits=UNIT_RANGE),
    lambda: with_trajectory(moved(0.0, 1.0, 0.0, 1.0), jerk_limits=UNIT_RANGE),
    lambda: with_trajectory(moved(0.0, 0.5, interpolations=(m.Interpolation.STEP,)), velocity_limits=UNIT_RANGE),
    lambda: with_trajectory(moved(0.0, 1.5), hard_limits=m.HardLimits(position=UNIT_RANGE)),
)
NEARLY["trajectory-exceeds-limits"] = (
    lambda: with_trajectory(moved(0.0, 1.0), position_limits=UNIT_RANGE, velocity_limits=UNIT_RANGE),
    lambda: with_trajectory(moved(0.0, 7.0), position_limits=UNIT_RANGE, continuous=True),
)
BAD["implausible-density"] = (
    lambda: inertial(mass=1e5, moment=None),
    lambda: inertial(mass=0.5, moment=None),
    lambda: chain_of(0.3, mass=2.0, mesh_scale=5.0),
)
NEARLY["implausible-density"] = (
    lambda: inertial(mass=1e4, moment=None),
    lambda: inertial(mass=1.0),
    lambda: inertial(mass=1e-5, moment=None),
    lambda: world_of(good_body(inertial=Inertial(mass=0.5, moment=MOMENT)), joints=(FIXED,)),
    lambda: chain_of(0.3, mass=1.0),
)
BAD["implausible-distance"] = (
    lambda: chain_of(300.0),
    lambda: world_of(good_body(inertial=Inertial(mass=1.0, center_of_mass=(0.0, 150.0, 0.0)))),
)
NEARLY["implausible-distance"] = (lambda: chain_of(3.0), lambda: replace(chain_of(300.0), models=NamedList([STILL])))
BAD["implausible-mesh-scale"] = (lambda: chain_of(0.3, mesh_scale=1000.0), lambda: chain_of(0.3, mesh_scale=1e-5))
NEARLY["implausible-mesh-scale"] = (lambda: chain_of(0.3), lambda: chain_of(0.3, mesh_scale=0.005))
BAD["unreachable-coupled-position"] = (lambda: coupled(5.0), lambda: coupled(-1.0, Range(lower=0.0, upper=1.0)))
NEARLY["unreachable-coupled-position"] = (
    lambda: coupled(1.0),
    lambda: coupled(1.04),
    lambda: coupled(-1.0, Range(lower=-1.0, upper=0.0)),
    lambda: coupled(5.0, m.UNBOUNDED),
)
BAD["joint-named-like-body"] = (lambda: world_of(joints=(good_joint("b"),)),)
NEARLY["joint-named-like-body"] = (lambda: world_of(joints=(good_joint("b_joint"),)),)
BAD["missing-texture"] = (lambda: textured("gone.png"), lambda: textured("a&amp;b.png"))
NEARLY["missing-texture"] = (lambda: textured("there.png"),)
OPENS_MESHES = {"implausible-mesh-scale", "implausible-density"}


def test_mesh_files_are_opened_on_request(report: Report) -> None:
    world = with_shape(m.Mesh(uri="empty.stl"))
    check(world, report=report, meshes=meshes())
    check(world, report=report, meshes=meshes(), open_meshes=True)
    (finding,) = report.take("unreadable-mesh")
    assert "empty.stl" in finding.message


CASES_BAD = [(name, number) for name, cases in BAD.items() for number in range(len(cases))]
CASES_NEARLY = [(name, number) for name, cases in NEARLY.items() for number in range(len(cases))]

FILES = MemoryFiles(
    {
        f"/robot/{path}": b""
        for path in (
            "urdf/there.obj",
            "urdf/THERE.OBJ",
            "urdf/there.max",
            "urdf/there.png",
            "urdf/empty.stl",
            "meshes/hand.obj",
        )
    }
    | {"/robot/urdf/tetrahedron.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"}
)


def meshes() -> MeshStore:
    return MeshStore(Resolver(folder=Path("/robot/urdf"), files=FILES))


def test_every_check_is_tested() -> None:
    assert {rule.name for rule in RULES} == set(BAD) == set(NEARLY)


def take_other(name: str, report: Report) -> None:
    """Take findings beside what a test is about: joints that are locked by others, and a joint with the name of a body."""
    if name in ("unclosed-loop", "conflicting-motors"):
        report.take("locked-joint")
    if name == "duplicate-name":
        report.take("joint-named-like-body")


@pytest.mark.parametrize(("name", "number"), CASES_BAD)
def test_bad(name: str, number: int, report: Report) -> None:
    check(BAD[name][number](), report=report, meshes=meshes(), open_meshes=name in OPENS_MESHES)
    (finding,) = report.take(name)
    take_other(name, report)
    assert finding.path or "time" in name or "gravity" in name or "name" in name
    str(finding)


@pytest.mark.parametrize(("name", "number"), CASES_NEARLY)
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    check(NEARLY[name][number](), report=report, meshes=meshes(), open_meshes=name in OPENS_MESHES)
    take_other(name, report)


def test_findings_tell_the_place() -> None:
    place = Location(Source("f.skel", b"<a/>"), 0)
    world = world_of(
        good_body(origin=place, pose=Pose((math.nan, 0.0, 0.0))),
        good_body("c", origin=place, pose=Pose(wxyz=(2.0, 0.0, 0.0, 0.0)), collisions=()),
        good_body("c", origin=place),
        joints=(good_joint(origin=place, parent="B"),),
    )
    report = check(world)
    names = {
        "non-finite-number",
        "non-unit-quaternion",
        "duplicate-name",
        "unknown-body",
        "disconnected-body",
        "missing-collision-shape",
    }
    assert {finding.rule.name for finding in report} == names
    assert all(finding.location == place for finding in report)
    (duplicate,) = report.take("duplicate-name")
    assert [related.location for related in duplicate.related] == [place]


def test_hints_name_what_was_meant() -> None:
    report = check(world_of(joints=(good_joint(), good_joint("k", parent="B"))))
    (unknown,) = report.take("unknown-body")
    assert unknown.hint == "did you mean 'b'?"


def test_the_search_for_a_mesh_is_told() -> None:
    resolver = Resolver(search_path=(Path("/one"), Path("/two")), files=FILES)
    (finding,) = check(with_shape(m.Mesh(uri="package://arm/hand.obj")), meshes=MeshStore(resolver)).take("missing-mesh")
    assert str(Path("/one/arm/hand.obj")) in finding.message
    assert str(Path("/two/arm/hand.obj")) in finding.message
    assert finding.hint


def test_a_wrong_derivative_is_told_with_its_error() -> None:
    (finding,) = check(following(line(J, 1.0), partial(1, J))).take("inconsistent-derivative")
    assert "the first derivative of k = 1 * j + 0 by j is stated as j, but is 1: error" in finding.message
    assert "at j = -3.142" in finding.message


def test_a_cycle_is_told_with_its_chain() -> None:
    (finding,) = check(BAD["formula-cycle"][1]()).take("formula-cycle")
    assert finding.message == "cyclic coupling: j → k → j"


def test_an_undefined_formula_is_told_with_its_place() -> None:
    (finding,) = check(following(of("root", J, 2.0))).take("undefined-formula")
    assert finding.message == "joint 'k': k = root(j, 2) has no value, for example at j = -3.142"
    assert finding.hint is not None and "of 256 positions" in finding.hint


def test_a_loop_with_a_senseless_formula_is_no_trouble() -> None:
    world = loop(m.Fixed(), 0.0)
    bad = good_joint("k", child="c", coordinates=(Coordinate(coupling=m.Coupling(position=m.JointPosition(joint="k"))),))
    model = world.models[0]
    world = replace(world, models=NamedList([replace(model, joints=NamedList([model.joints[0], bad, model.joints[2]]))]))
    assert {finding.rule.name for finding in check(world)} == {"formula-cycle"}


def test_nothing_is_found_in_a_good_world(report: Report) -> None:
    check(world_of(), report=report)


@pytest.mark.parametrize("path", sorted((PROJECT / "examples").glob("*.skel")), ids=lambda path: path.stem)
def test_nothing_is_found_in_the_examples(path: Path, report: Report) -> None:
    world = read_skel(Source(str(path), path.read_bytes()), report)
    report.take("computed-inertia")
    assert world is not None
    check(world, report=report)


def test_explanations_are_sentences() -> None:
    for rule in RULES:
        assert rule.summary[-1] in ".?", rule.name
        assert rule.explanation.endswith("."), rule.name
        assert rule.name == rule.name.lower().replace(" ", "-")


def test_ten_thousand_bodies() -> None:
    import time

    names = [f"b{number}" for number in range(10_000)]
    bodies = [good_body(name) for name in names]
    joints = [good_joint(f"j{name}", parent=parent, child=name) for parent, name in zip([None, *names], names, strict=False)]
    started = time.process_time()
    check(world_of(*bodies, joints=tuple(joints)))
    assert time.process_time() - started < 10.0


numbers = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, 1.0, -1.0]))
triples = st.tuples(numbers, numbers, numbers)
names = st.sampled_from(["", "a", "b", "world", "a/b", "ä"])
geometries = st.one_of(
    st.builds(m.Box, size=triples),
    st.builds(m.Sphere, radius=numbers),
    st.builds(m.Ellipsoid, diameters=triples),
    st.builds(m.Cylinder, radius=numbers, length=numbers),
    st.builds(m.Capsule, radius=numbers, length=numbers),
    st.builds(m.Cone, radius=numbers, length=numbers),
    st.builds(m.Pyramid, base_width=numbers, base_depth=numbers, height=numbers),
    st.builds(m.Mesh, uri=st.text(max_size=5), scale=triples),
    st.builds(m.MultiSphere, balls=st.lists(st.builds(m.Ball, radius=numbers, position=triples), max_size=2).map(tuple)),
    st.builds(m.Plane, normal=triples, offset=numbers),
)
poses = st.builds(Pose, triples, st.tuples(numbers, numbers, numbers, numbers))
inertials = st.builds(Inertial, mass=numbers, center_of_mass=triples, moment=st.none() | st.tuples(triples, triples, triples))
skins = st.builds(
    m.SoftSkin, geometry=st.builds(m.Box, size=triples), pose=poses, mass=numbers, edge_stiffness=numbers, damping=numbers
)
bodies = st.builds(
    Body,
    name=names,
    pose=poses,
    inertial=inertials,
    visuals=st.lists(
        st.builds(Visual, geometry=geometries, pose=poses, color=st.none() | st.tuples(*[numbers] * 4)), max_size=1
    ).map(tuple),
    collisions=st.lists(st.builds(Collision, geometry=geometries, pose=poses), max_size=2).map(tuple),
    frames=st.lists(st.builds(m.Frame, name=names, pose=poses), max_size=2).map(tuple),
    soft_skin=st.none() | skins,
    gravity=st.booleans(),
)
kinds = st.one_of(
    st.builds(m.Revolute, axis=triples),
    st.builds(m.Screw, axis=triples, pitch=numbers),
    st.just(m.Floating()),
    st.just(m.Fixed()),
    st.builds(m.Universal, axis1=triples, axis2=triples),
    st.builds(m.Planar, axis1=triples, axis2=triples),
)
ranges = st.builds(Range, lower=numbers, upper=numbers)
coordinates = st.builds(
    Coordinate,
    name=st.none() | names,
    position_limits=ranges,
    velocity_limits=ranges,
    effort_limits=ranges,
    initial_position=numbers,
    initial_velocity=numbers,
    damping=numbers,
    stiffness=numbers,
)


@st.composite
def joints(draw: st.DrawFn) -> Joint:
    kind = draw(kinds)
    return Joint(
        name=draw(names),
        type=kind,
        parent=draw(st.none() | names),
        child=draw(names),
        pose=draw(poses),
        coordinates=(draw(coordinates),) * kind.degrees_of_freedom,
    )


models = st.builds(
    Model,
    name=names,
    bodies=st.lists(bodies, max_size=3).map(NamedList),
    joints=st.lists(joints(), max_size=4).map(NamedList),
    static=st.booleans(),
)
worlds = st.builds(World, name=names, gravity=triples, time_step=numbers, models=st.lists(models, max_size=2).map(NamedList))


@settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(worlds)
def test_weird_worlds_only_cause_findings(world: World) -> None:
    report = check(world)
    str(report)
    to_text(list(report), verbose=True)
