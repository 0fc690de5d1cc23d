"""Each check finds what it is for, and nothing where all is well."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import PROJECT
from ossature import model as m
from ossature.assets import MemoryFiles, MeshStore, Resolver
from ossature.checks import RULES, check
from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.model import Body, Collision, Coordinate, Inertial, Joint, Model, Named, Range, Visual, World
from ossature.spatial import Matrix3, Pose

MOMENT = ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
BOX = m.Box(size=(1.0, 1.0, 1.0))


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
    return replace(World(models=Named([Model(name="m", bodies=Named(bodies), joints=Named(joints))])), **fields)


def with_coordinate(**fields: object) -> World:
    coordinate = Coordinate(**fields)  # type: ignore[arg-type]
    return world_of(joints=(good_joint(coordinates=(coordinate,)),))


def with_shape(geometry: m.Geometry) -> World:
    return world_of(good_body(collisions=(Collision(geometry=geometry),)))


def inertial(**fields: object) -> World:
    return world_of(good_body(inertial=replace(Inertial(mass=1.0, moment=MOMENT), **fields)))


def diagonal(x: float, y: float, z: float) -> Matrix3:
    return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))


FREE = Joint(name="j", type=m.Free(), parent=None, child="b")

BAD: dict[str, Callable[[], World]] = {
    "missing-name": lambda: world_of(good_body(), joints=(good_joint(name=" "),)),
    "duplicate-name": lambda: world_of(good_body(), good_body("c"), joints=(good_joint(), good_joint(child="c"))),
    "unknown-body": lambda: world_of(joints=(good_joint(), good_joint("k", child="nobody"))),
    "self-joint": lambda: world_of(joints=(good_joint(), good_joint("k", parent="b"))),
    "joint-cycle": lambda: world_of(
        good_body(), good_body("c"), joints=(good_joint(parent="c"), good_joint("k", parent="b", child="c"))
    ),
    "disconnected-body": lambda: world_of(good_body(), good_body("c")),
    "bad-mass": lambda: inertial(mass=0.0),
    "inertia-not-positive-definite": lambda: inertial(moment=diagonal(-0.1, 0.1, 0.1)),
    "inertia-violates-triangle": lambda: inertial(moment=diagonal(0.1, 0.1, 0.3)),
    "inertia-out-of-proportion": lambda: inertial(moment=diagonal(100.0, 100.0, 100.0)),
    "bad-axis": lambda: world_of(joints=(good_joint(type=m.Revolute(axis=(0.0, 0.0, 2.0))),)),
    "parallel-axes": lambda: world_of(
        joints=(Joint(name="j", type=m.Universal(axis1=(1.0, 0.0, 0.0), axis2=(-1.0, 0.0, 0.0)), parent=None, child="b"),)
    ),
    "reversed-limits": lambda: with_coordinate(position=Range(lower=1.0, upper=-1.0)),
    "initial-value-outside-limits": lambda: with_coordinate(position=Range(lower=1.0, upper=2.0)),
    "limits-in-degrees": lambda: with_coordinate(position=Range(lower=-90.0, upper=90.0)),
    "negative-dynamics": lambda: with_coordinate(damping=-1.0),
    "missing-mesh": lambda: with_shape(m.Mesh(uri="/robot/absent.obj")),
    "unreadable-mesh": lambda: with_shape(m.Mesh(uri="/robot/there.max")),
    "bad-size": lambda: with_shape(m.Sphere(radius=-1.0)),
    "no-collision-shape": lambda: world_of(good_body(collisions=()), joints=(FREE,)),
    "moving-plane": lambda: with_shape(m.Plane()),
    "bad-soft-skin": lambda: world_of(good_body(soft_skin=m.SoftSkin(geometry=BOX, mass=0.0))),
    "not-finite": lambda: with_coordinate(damping=math.nan),
    "bad-color": lambda: world_of(good_body(visuals=(Visual(geometry=BOX, color=(255.0, 0.0, 0.0, 1.0)),))),
    "bad-time-step": lambda: world_of(time_step=0.0),
    "long-time-step": lambda: world_of(time_step=1.0),
    "odd-gravity": lambda: world_of(gravity=(0.0, 0.0, -981.0)),
}

NEARLY: dict[str, Callable[[], World]] = {
    "bad-mass": lambda: world_of(
        good_body(inertial=Inertial(mass=0.0, moment=MOMENT)), joints=(good_joint(type=m.Fixed(), coordinates=()),)
    ),
    "inertia-violates-triangle": lambda: inertial(moment=diagonal(0.1, 0.1, 0.2)),
    "inertia-out-of-proportion": lambda: inertial(moment=None),
    "reversed-limits": lambda: with_coordinate(position=Range(lower=0.0, upper=0.0)),
    "initial-value-outside-limits": lambda: with_coordinate(position=Range(lower=0.0, upper=2.0)),
    "limits-in-degrees": lambda: with_coordinate(position=Range(lower=-2.0 * math.tau, upper=2.0 * math.tau)),
    "not-finite": lambda: with_coordinate(position=Range(lower=-math.inf, upper=math.inf)),
    "no-collision-shape": lambda: world_of(good_body(collisions=())),
    "odd-gravity": lambda: world_of(gravity=(0.0, 0.0, 0.0)),
    "long-time-step": lambda: world_of(time_step=0.02),
    "missing-mesh": lambda: with_shape(m.Mesh(uri="/robot/there.obj")),
}

FILES = MemoryFiles({"/robot/there.obj": b"", "/robot/there.max": b""})


def meshes() -> MeshStore:
    from pathlib import Path

    return MeshStore(Resolver(folder=Path("/robot"), files=FILES))


def test_every_check_is_tested() -> None:
    assert {rule.name for rule in RULES} == set(BAD)


@pytest.mark.parametrize("name", BAD)
def test_bad(name: str, report: Report) -> None:
    check(BAD[name](), report=report, meshes=meshes())
    assert report.take(name)


@pytest.mark.parametrize("name", NEARLY)
def test_nearly_bad(name: str, report: Report) -> None:
    check(NEARLY[name](), report=report, meshes=meshes())


def test_nothing_is_found_in_a_good_world(report: Report) -> None:
    check(world_of(), report=report)


@pytest.mark.parametrize("path", sorted((PROJECT / "examples").glob("*.skel")), ids=lambda path: path.stem)
def test_nothing_is_found_in_the_examples(path: object, report: Report) -> None:
    from pathlib import Path

    assert isinstance(path, Path)
    world = read_skel(Source(str(path), path.read_bytes()), report)
    report.take("computed-moment")
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
    started = time.perf_counter()
    check(world_of(*bodies, joints=tuple(joints)))
    assert time.perf_counter() - started < 10.0


numbers = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, 1.0, -1.0]))
triples = st.tuples(numbers, numbers, numbers)
names = st.sampled_from(["", "a", "b", "world", "a/b", "ä"])
geometries = st.one_of(
    st.builds(m.Box, size=triples),
    st.builds(m.Sphere, radius=numbers),
    st.builds(m.Mesh, uri=st.text(max_size=5), scale=triples),
    st.builds(m.MultiSphere, balls=st.just(())),
    st.builds(m.Plane, normal=triples, offset=numbers),
)
poses = st.builds(Pose, triples, st.tuples(numbers, numbers, numbers, numbers))
bodies = st.builds(
    Body,
    name=names,
    pose=poses,
    inertial=st.builds(Inertial, mass=numbers, center_of_mass=triples, moment=st.none() | st.tuples(triples, triples, triples)),
    collisions=st.lists(st.builds(Collision, geometry=geometries, pose=poses), max_size=2).map(tuple),
)
kinds = st.one_of(
    st.builds(m.Revolute, axis=triples),
    st.just(m.Free()),
    st.just(m.Fixed()),
    st.builds(m.Universal, axis1=triples, axis2=triples),
)
joints = st.builds(Joint, name=names, type=kinds, parent=st.none() | names, child=names, pose=poses)
models = st.builds(
    Model, name=names, bodies=st.lists(bodies, max_size=3).map(Named), joints=st.lists(joints, max_size=3).map(Named)
)
worlds = st.builds(World, name=names, gravity=triples, time_step=numbers, models=st.lists(models, max_size=2).map(Named))


@settings(max_examples=150, deadline=None)
@given(worlds)
def test_weird_worlds_only_cause_findings(world: World) -> None:
    report = check(world)
    str(report)
