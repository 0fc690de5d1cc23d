"""Visual shapes, collision shapes, and shapes for self-collision."""

from __future__ import annotations

import numpy as np
import pytest
from test_self_collision_filter import touching

from complete_robot import TETRAHEDRON
from ossature import model as m
from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Ledger, Report
from ossature.model import Body, Collision, Inertial, Joint, Model, NamedList, Visual, World
from ossature.simulation import Simulation
from ossature.simulation.mjcf_export import write_mjcf
from ossature.spatial import Pose

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
LARGE = (Collision(geometry=m.Sphere(radius=0.75)),)
SMALL = (Collision(geometry=m.Sphere(radius=0.25)),)


def sliders(*uses: tuple[tuple[Collision, ...], tuple[Collision, ...] | None], name: str = "m", **fields: object) -> Model:
    """Return bodies one metre from each other on slides along x, with shapes for other models and for their own."""
    bodies, joints = [], []
    for number, (outer, inner) in enumerate(uses):
        body = Body(
            name=f"{name}{number}",
            pose=Pose((float(number), 0.0, 0.0)),
            inertial=Inertial(moment=UNIT),
            collisions=outer,
            self_collisions=inner,
            self_collide=True,
        )
        bodies.append(body)
        joints.append(Joint(name=f"j{number}", type=m.Prismatic(axis=(1.0, 0.0, 0.0)), parent=None, child=body.name))
    return Model(name=name, bodies=NamedList(bodies), joints=NamedList(joints), **fields)  # type: ignore[arg-type]


def after(*models: Model, steps: int = 50) -> Simulation:
    simulation = Simulation(World(gravity=(0.0, 0.0, 0.0), models=NamedList(models)), report=Report())
    simulation.step(steps)
    return simulation


def gap(simulation: Simulation) -> float:
    first, second = simulation.positions()["m"].values()
    return second[0] - first[0]


def test_shapes_for_other_models_do_not_push_bodies_of_their_own() -> None:
    assert gap(after(sliders((LARGE, SMALL), (LARGE, SMALL)))) == 0.0


def test_shapes_for_their_own_model_push() -> None:
    assert gap(after(sliders((SMALL, LARGE), (SMALL, LARGE)))) > 1e-3  # an overlap is removed at 30 mm/s
    assert gap(after(sliders((SMALL, LARGE), (LARGE, None)))) > 1e-3  # an overlap is removed at 30 mm/s


def test_one_set_of_shapes_for_both() -> None:
    assert gap(after(sliders((LARGE, None), (LARGE, None)))) > 1e-3  # an overlap is removed at 30 mm/s
    assert gap(after(sliders((LARGE, None), (SMALL, None)))) == 0.0


def test_no_shapes_for_their_own_model() -> None:
    assert gap(after(sliders((LARGE, ()), (LARGE, ())))) == 0.0
    assert gap(after(sliders((LARGE, ()), (LARGE, None)))) == 0.0


@pytest.mark.parametrize("pair", [("m0", "m1"), ("m1", "m0"), ("m0", "nobody")])
def test_an_ignored_pair_does_not_touch(pair: tuple[str, str]) -> None:
    is_known = "nobody" not in pair
    assert (gap(after(sliders((LARGE, None), (LARGE, None), ignored_pairs=(pair,)))) == 0.0) is is_known
    assert (gap(after(sliders((SMALL, LARGE), (SMALL, LARGE), ignored_pairs=(pair, pair)))) == 0.0) is is_known


def test_other_models_are_touched_by_their_own_shapes() -> None:
    """Of two models in one another, each shape meets only those that it is meant for."""
    inner_large, outer_large = (SMALL, LARGE), (LARGE, SMALL)
    assert touching(after(sliders(inner_large, inner_large), sliders(inner_large, inner_large, name="n"), steps=0)) == {
        ("m0", "m1"),
        ("n0", "n1"),
        ("m0", "n0"),
        ("m1", "n1"),
    }
    assert touching(after(sliders(outer_large, outer_large), sliders(outer_large, outer_large, name="n"), steps=0)) == {
        ("m0", "n0"),
        ("m0", "n1"),
        ("m1", "n0"),
        ("m1", "n1"),
    }


def test_a_body_rests_on_the_shapes_meant_for_others() -> None:
    """A ball comes to rest a metre above the middle of a table: at the sum of two radii."""
    table = sliders((LARGE, SMALL), (LARGE, SMALL))
    ball = Body(name="ball", pose=Pose((0.0, 0.0, 1.01)), inertial=Inertial(moment=UNIT), collisions=SMALL)
    fall = Joint(name="fall", type=m.Prismatic(axis=(0.0, 0.0, 1.0)), parent=None, child="ball")
    falling = Model(name="falling", bodies=NamedList([ball]), joints=NamedList([fall]))
    simulation = Simulation(World(models=NamedList([table, falling])), report=Report())
    simulation.step(1000)
    assert simulation.poses()["falling"]["ball"].position[2] == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_only_the_shapes_of_one_body_are_switched(count: int) -> None:
    shapes = SMALL * count
    simulation = after(sliders((shapes, None), (SMALL, None)), steps=0)
    index, engine_model = simulation.compiled.index, simulation.compiled.model
    before = engine_model.geom_contype.copy(), engine_model.geom_conaffinity.copy()
    own = np.isin(np.arange(engine_model.ngeom), index.body("m", "m0").touching)
    assert own.sum() == count
    simulation.set_collidable("m", "m0", False)
    for now, then in zip((engine_model.geom_contype, engine_model.geom_conaffinity), before, strict=True):
        assert not now[own].any()
        np.testing.assert_array_equal(now[~own], then[~own])
    simulation.set_collidable("m", "m0", True)
    np.testing.assert_array_equal([engine_model.geom_contype, engine_model.geom_conaffinity], before)


def test_shapes_are_switched_together() -> None:
    simulation = after(sliders((SMALL, LARGE), (SMALL, LARGE)), steps=0)
    simulation.set_collidable("m", "m0", False)
    simulation.step(50)
    assert gap(simulation) == 0.0
    simulation.set_collidable("m", "m0", True)
    simulation.step(50)
    assert gap(simulation) > 1e-3  # an overlap is removed at 30 mm/s


def test_more_models_than_the_collision_filter_supports(report: Report) -> None:
    """The last ones touch others as before, and not themselves."""
    models = [sliders((SMALL, LARGE), (SMALL, LARGE), name=f"m{number:02}") for number in range(16)]
    simulation = Simulation(World(gravity=(0.0, 0.0, 0.0), models=NamedList(models)), report=report)
    (finding,) = report.take("self-collisions-dropped")
    assert finding.path == "m15"
    found = touching(simulation)
    assert ("m140", "m141") in found
    assert ("m150", "m151") not in found
    assert ("m140", "m150") in found


def test_invisible_shapes_are_in_a_hidden_group(report: Report) -> None:
    ball = m.Sphere(radius=0.1)
    body = Body(name="b", inertial=Inertial(moment=UNIT), visuals=(Visual(geometry=ball), Visual(geometry=ball, visible=False)))
    ledger = Ledger()
    text = write_mjcf(
        World(models=NamedList([Model(name="m", bodies=NamedList([body]))])), ledger, meshes=MeshStore(), report=report
    )
    assert 'group="2"' in text
    assert 'group="3"' in text
    assert ledger.covers("m/b.visuals[1].visible")
    assert not ledger.covers("m/b.visuals[0].visible")


# Triangles of the model's own


def failing() -> m.MeshData:
    raise AssetError("robot.zae", "its triangles are torn")


def unwanted() -> m.MeshData:
    raise AssertionError("nobody needs these triangles")


def with_mesh(surface: m.LazyMesh, **body: object) -> World:
    mesh = m.TriangleMesh(surface=surface)
    specified: dict[str, object] = {"inertial": Inertial(moment=UNIT), "collisions": (Collision(geometry=mesh),)}
    one = Body(name="b", **specified | body)  # type: ignore[arg-type]
    return World(models=NamedList([Model(name="m", bodies=NamedList([one]))]))


def test_triangles_of_the_model_touch(report: Report) -> None:
    simulation = Simulation(with_mesh(m.LazyMesh(TETRAHEDRON)), report=report)
    (geom,) = simulation.compiled.index.bodies["m"]["b"].touching
    vertices = simulation.compiled.model.mesh("mesh0")
    assert simulation.compiled.model.geom_dataid[geom] == vertices.id
    assert simulation.compiled.model.mesh_vertnum[vertices.id] == 4


def test_a_concave_mesh_collides_as_its_convex_hull(report: Report) -> None:
    open_faces = m.MeshData(vertices=TETRAHEDRON.vertices, faces=TETRAHEDRON.faces[:3])
    Simulation(with_mesh(m.LazyMesh(open_faces)), report=report)
    (finding,) = report.take("convex-hull-collision")
    assert finding.message == "m/b: a triangle mesh collides as its convex hull"


@pytest.mark.parametrize(
    ("surface", "reason"),
    [
        (m.LazyMesh(failing), "its triangles are torn"),
        (m.LazyMesh(m.MeshData(vertices=np.zeros((0, 3)), faces=np.zeros((0, 3), dtype=np.int64))), "contains no triangles"),
        (m.LazyMesh(m.MeshData(vertices=TETRAHEDRON.vertices, faces=TETRAHEDRON.faces + 1)), "other vertices than its 4"),
        (m.LazyMesh(m.MeshData(vertices=TETRAHEDRON.vertices * np.nan, faces=TETRAHEDRON.faces)), "not finite"),
        (m.LazyMesh(m.MeshData(vertices=TETRAHEDRON.vertices * 1e200, faces=TETRAHEDRON.faces)), "beyond 1e+29"),
    ],
)
def test_unavailable_meshes(surface: m.LazyMesh, reason: str, report: Report) -> None:
    Simulation(with_mesh(surface), report=report)
    (finding,) = report.take("unsupported-collision-shape")
    assert reason in finding.message


def test_a_polyhedron_beyond_single_precision(report: Report) -> None:
    cone = m.Collision(geometry=m.Cone(radius=1e60, length=1e60))
    body = m.Body(name="b", inertial=Inertial(mass=1.0, moment=UNIT), collisions=(cone,))
    model = m.Model(name="m", bodies=m.NamedList([body]))
    Simulation(m.World(models=m.NamedList([model])), report=report)
    (finding,) = report.take("unsupported-collision-shape")
    assert "single-precision" in finding.message


def test_moments_of_inertia_are_computed_without_unavailable_meshes(report: Report) -> None:
    Simulation(with_mesh(m.LazyMesh(failing), inertial=Inertial()), report=report)
    (finding,) = report.take("missing-inertia-mesh")
    assert "its triangles are torn" in finding.message
    report.take("unsupported-collision-shape")


def test_visual_meshes_are_not_loaded(report: Report) -> None:
    seen = Visual(geometry=m.TriangleMesh(surface=m.LazyMesh(unwanted)))
    Simulation(with_mesh(m.LazyMesh(TETRAHEDRON), visuals=(seen,)), report=report).step(1)
