"""Random Worlds, most of which are senseless: checks only report findings."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ossature import model as m
from ossature.checks import check
from ossature.diagnostics.render.text import to_text
from ossature.model import Body, Collision, Coordinate, Inertial, Joint, Model, NamedList, Range, Visual, World
from ossature.spatial import Pose

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
