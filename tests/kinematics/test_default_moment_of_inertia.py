"""Moments computed from shapes, against DART, for random files."""

from __future__ import annotations

import importlib.util
import json
import math
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.kinematics import default_moment_of_inertia
from ossature.model import Body, Box, Cone, Inertial, LazyMesh, Mesh, MeshData, Pyramid, TriangleMesh, Visual
from ossature.model.solid_inertia import principal_moments

PROGRAM = """
import json, sys
import dartpy
world = dartpy.utils.SkelParser.readWorld(sys.argv[1])
skeletons = [world.getSkeleton(i) for i in range(world.getNumSkeletons())]
print("RESULT" + json.dumps([s.getBodyNode(0).getInertia().getMoment().tolist() for s in skeletons]))
"""


def shape(rng: random.Random) -> str:
    r, h = rng.uniform(0.05, 0.5), rng.uniform(0.1, 1.0)
    x, y, z = (rng.uniform(0.1, 1.0) for _ in range(3))
    balls = "".join(
        f"<sphere><radius>{rng.uniform(0.05, 0.3)}</radius><position>{rng.uniform(-1, 1)} {y} {z}</position></sphere>"
        for _ in range(3)
    )
    return rng.choice(
        [
            f"<box><size>{x} {y} {z}</size></box>",
            f"<sphere><radius>{r}</radius></sphere>",
            f"<ellipsoid><size>{x} {y} {z}</size></ellipsoid>",
            f"<cylinder><radius>{r}</radius><height>{h}</height></cylinder>",
            f"<capsule><radius>{r}</radius><height>{h}</height></capsule>",
            f"<cone><radius>{r}</radius><height>{h}</height></cone>",
            f"<multi_sphere>{balls}</multi_sphere>",
        ]
    )


def body(rng: random.Random, number: int) -> str:
    def six() -> str:
        return " ".join(str(rng.uniform(-1.0, 1.0)) for _ in range(6))

    shapes = "".join(
        f"<{kind}_shape><transformation>{six()}</transformation><geometry>{shape(rng)}</geometry></{kind}_shape>"
        for kind in rng.choices(("visualization", "collision"), k=rng.randint(0, 3))
    )
    offset = " ".join(str(rng.uniform(-0.5, 0.5)) for _ in range(3))
    inertia = f"<inertia><mass>{rng.uniform(0.1, 10.0)}</mass><offset>{offset}</offset></inertia>"
    joint = '<joint type="free" name="j"><parent>world</parent><child>b</child></joint>'
    return f'<skeleton name="s{number}"><body name="b">{inertia}{shapes}</body>{joint}</skeleton>'


@pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
def test_against_dart(tmp_path: Path) -> None:
    rng = random.Random(3)
    bodies = "".join(body(rng, number) for number in range(60))
    text = f'<skel version="1.0"><world name="w"><physics><gravity>0 0 0</gravity></physics>{bodies}</world></skel>'
    path = tmp_path / "bodies.skel"
    path.write_text(text.replace("<gravity>", "<time_step>0.001</time_step><gravity>"))
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, timeout=300, check=True)
    theirs = json.loads(done.stdout.partition("RESULT")[2])
    world = read_skel(Source(str(path), path.read_bytes()), Report())
    assert world is not None
    assert len(theirs) == len(world.models) == 60
    for model, expected in zip(world.models, theirs, strict=True):
        np.testing.assert_allclose(default_moment_of_inertia(model.bodies["b"], MeshStore()), expected, rtol=1e-12, atol=1e-12)


def test_a_specified_moment_takes_precedence() -> None:
    specified = ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5))
    assert default_moment_of_inertia(Body(name="b", inertial=Inertial(moment=specified)), MeshStore()) == specified


@pytest.mark.parametrize(
    ("solid", "corners"),
    [
        (Pyramid(base_width=1.0, base_depth=2.0, height=3.0), [(x, y, -1.5) for x in (-0.5, 0.5) for y in (-1.0, 1.0)]),
        (
            Cone(radius=0.5, length=3.0),
            [(0.5 * math.cos(i * math.tau / 2000), 0.5 * math.sin(i * math.tau / 2000), -1.5) for i in range(2000)],
        ),
    ],
)
def test_cones_and_pyramids_have_their_origin_at_half_height(
    solid: Pyramid | Cone, corners: list[tuple[float, float, float]]
) -> None:
    hull = trimesh.convex.convex_hull(np.array([*corners, (0.0, 0.0, 1.5)]))
    hull.density = 2.0 / hull.volume
    d = hull.center_mass
    about_origin = hull.moment_inertia + 2.0 * (d @ d * np.eye(3) - np.outer(d, d))
    np.testing.assert_allclose(np.diag(principal_moments(solid, 2.0)), about_origin, rtol=1e-5, atol=1e-9)


def test_a_missing_mesh_is_an_error() -> None:
    with pytest.raises(AssetError):
        default_moment_of_inertia(Body(name="b", visuals=(Visual(geometry=Mesh(uri="absent.obj")),)), MeshStore())


def test_a_body_without_shapes_has_unit_moments() -> None:
    assert default_moment_of_inertia(Body(name="b", inertial=Inertial(mass=7.0)), MeshStore()) == (
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
    )


def test_the_smallest_shapes_share_the_mass() -> None:
    """The volume of the box is 1e-318 m³: the mass divided by it would overflow."""
    speck = Box(size=(1e-106, 1e-106, 1e-106))
    moment = default_moment_of_inertia(
        Body(name="b", inertial=Inertial(mass=2.0), visuals=(Visual(geometry=speck),)), MeshStore()
    )
    np.testing.assert_allclose(np.diag(moment), 2.0 / 6.0 * 1e-212, rtol=1e-12)


def test_triangle_meshes_count_as_their_bounding_box() -> None:
    """As those of a file do; a vertex that no triangle has counts for nothing."""
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    vertices = np.vstack([box.vertices, [[9.0, 9.0, 9.0]]])
    inside = TriangleMesh(surface=LazyMesh(MeshData(vertices=vertices, faces=np.asarray(box.faces))))
    moments = [
        default_moment_of_inertia(
            Body(name="b", inertial=Inertial(mass=2.0), visuals=(Visual(geometry=geometry),)), MeshStore()
        )
        for geometry in (inside, Box(size=(1.0, 2.0, 3.0)))
    ]
    np.testing.assert_allclose(moments[0], moments[1], rtol=1e-15, atol=0.0)
