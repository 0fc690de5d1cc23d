"""Small Worlds that are all right, from which tests of checks make others, and the tests of each rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ossature import model as m
from ossature.assets import MemoryFiles, MeshStore, Resolver
from ossature.checks import check
from ossature.diagnostics import Report
from ossature.model import Body, Collision, Coordinate, Inertial, Joint, Model, NamedList, Range, Visual, World
from ossature.spatial import Matrix3, Pose

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


def with_coordinate(**fields: object) -> World:
    coordinate = Coordinate(**fields)  # type: ignore[arg-type]
    return world_of(joints=(good_joint(coordinates=(coordinate,)),))


def on_the_ground(geometry: m.Geometry) -> World:
    return world_of(good_body(collisions=(Collision(geometry=geometry),)), joints=(FIXED,))


def inertial(**fields: object) -> World:
    return world_of(good_body(inertial=replace(Inertial(mass=1.0, moment=MOMENT), **fields)))


def diagonal(x: float, y: float, z: float) -> Matrix3:
    return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))


FIXED = Joint(name="f", type=m.Fixed(), parent=None, child="b")


def chain(**fields: object) -> World:
    """Two bodies, the second on the first."""
    second = good_joint("k", parent="b", child="c")
    return world_of(good_body(), good_body("c"), joints=(good_joint(), replace(second, **fields)))


J = m.JointPosition(joint="j")


def following(formula: m.Expression, *partials: m.PartialDerivative, **fields: object) -> World:
    """Two bodies, the second on the first, its joint 'k' following the first one's 'j'."""
    coordinate = Coordinate(coupling=m.Coupling(position=formula, partials=partials))
    return chain(coordinates=(replace(coordinate, **fields),))


def partial(order: int, expression: m.Expression, joint: str = "j") -> m.PartialDerivative:
    return m.PartialDerivative(order=order, joint=joint, expression=expression)


def loop(closing: m.JointType, start: float) -> World:
    """Two bodies on the world, joined, the second one moved at the start."""
    moved = replace(good_joint("k", child="c"), coordinates=(replace(m.UNCONSTRAINED_COORDINATE, initial_position=start),))
    joints = (good_joint(), moved, Joint(name="l", type=closing, parent="b", child="c"))
    return world_of(good_body(), good_body("c", pose=Pose((0.5, 0.0, 0.0))), joints=joints)


def chain_of(distance: float, mass: float = 1.0, mesh_scale: float = 0.1) -> World:
    """Return two bodies at a distance, the second of which has a tetrahedron as a mesh file."""
    shape = Visual(geometry=m.Mesh(uri="tetrahedron.obj", scale=(mesh_scale,) * 3))
    second = good_body("c", pose=Pose((distance, 0.0, 0.0)), visuals=(shape,), collisions=())
    second = replace(second, inertial=Inertial(mass=mass))
    return world_of(good_body(), second, joints=(good_joint(), good_joint("k", parent="b", child="c")))


OPENS_MESHES = {"implausible-mesh-scale", "implausible-density"}

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


def take_other(name: str, report: Report) -> None:
    """Take findings beside what a test is about: joints that are locked by others, and a joint with the name of a body."""
    if name in ("unclosed-loop", "conflicting-motors"):
        report.take("locked-joint")
    if name == "duplicate-name":
        report.take("joint-named-like-body")


Cases = dict[str, tuple[Callable[[], World], ...]]
"""Worlds by the name of a rule."""


def numbered(cases: Cases) -> list[tuple[str, int]]:
    """Return the name of the rule and the number of each World."""
    return [(name, number) for name, worlds in cases.items() for number in range(len(worlds))]


def find_one(name: str, world: World, report: Report) -> None:
    """Verify that a rule finds one thing in a World, and others nothing."""
    check(world, report=report, meshes=meshes(), open_meshes=name in OPENS_MESHES)
    (finding,) = report.take(name)
    take_other(name, report)
    assert finding.path or "time" in name or "gravity" in name or "name" in name
    str(finding)


def find_none(name: str, world: World, report: Report) -> None:
    """Verify that no rule finds anything in a World."""
    check(world, report=report, meshes=meshes(), open_meshes=name in OPENS_MESHES)
    take_other(name, report)
