"""What the reading of mesh files may use is bounded by the limits of the store, and refusals state how to raise them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assets.test_mesh_formats import exported, gltf, nested_gltf, nested_nodes, of_accessor, ply
from ossature.assets import READABLE_SUFFIXES, AssetError, MemoryFiles, MeshStore, Resolver
from ossature.diagnostics import Limits, Location, Report, Source
from ossature.diagnostics.resource_limits import TOO_MANY_ELEMENTS
from ossature.model import Body, Collision, Mesh, MeshData, Model, NamedList, World
from ossature.simulation import Simulation


def load(data: bytes, suffix: str, limits: Limits) -> MeshData:
    files = MemoryFiles({f"/robot/m.{suffix}": data})
    return MeshStore(Resolver(folder=Path("/robot"), files=files), limits).triangles(Mesh(uri=f"m.{suffix}"))


@pytest.mark.parametrize("suffix", READABLE_SUFFIXES)
def test_arrays_are_limited(suffix: str) -> None:
    data = exported(suffix)
    triangles = load(data, suffix, Limits())
    largest = max(triangles.vertices.size, triangles.faces.size, 3) * 8
    with pytest.raises(AssetError, match=r"an array of \d+ numbers needs \d+ bytes, more than 16") as refusal:
        load(data, suffix, Limits(array_bytes=16))
    assert refusal.value.hint is not None
    assert "--limit array_bytes=" in refusal.value.hint
    again = load(data, suffix, Limits(array_bytes=8 * largest))
    np.testing.assert_array_equal(again.vertices, triangles.vertices)


@pytest.mark.parametrize(("suffix", "data"), [("dae", nested_nodes(12)), ("gltf", nested_gltf(12))])
def test_instances_are_limited_by_expansions(suffix: str, data: bytes) -> None:
    with pytest.raises(AssetError, match="expand to more than 1000 elements") as refusal:
        load(data, suffix, Limits(expansions=1000))
    assert refusal.value.hint is not None
    assert "--limit expansions=4000" in refusal.value.hint
    parts = len(load(data, suffix, Limits(expansions=50_000)).faces) / len(load(exported(suffix), suffix, Limits()).faces)
    assert parts == 2**12


def test_nodes_that_are_no_instances_are_no_expansions() -> None:
    nodes = [{"mesh": 0}, *({"children": [number]} for number in range(500))]
    assert len(load(gltf("data:", nodes=nodes, scenes=[{"nodes": [500]}])[0], "gltf", Limits(expansions=1)).faces) == 1


def test_triangles_of_instances_are_limited_by_expansions() -> None:
    data = nested_nodes(6)  # 64 boxes of 12 triangles, 63 of them repeated, by 250 nodes and parts
    with pytest.raises(
        AssetError, match=r"expand to 756 more triangles, above the limit of 720|expand to more than 12 elements"
    ):
        load(data, "dae", Limits(expansions=12))


def test_accessors_without_bytes_are_limited() -> None:
    data = of_accessor(count=1 << 40)
    with pytest.raises(AssetError, match=str(3 << 40)):
        load(data, "gltf", Limits())
    without_bytes = gltf("data:", accessors=[{"componentType": 5126, "count": 10_000, "type": "VEC3"}] * 2)[0]
    with pytest.raises(AssetError, match="more triangles, above the limit of 60"):
        load(without_bytes, "gltf", Limits(expansions=1))


def test_counts_of_ply_are_compared_with_the_limit() -> None:
    with pytest.raises(AssetError, match="an array of 6000000000 numbers"):
        load(ply(vertices="2000000000"), "ply", Limits())


def test_elements_of_collada_are_limited() -> None:
    data = exported("dae").replace(b"<asset>", b"<extra/>" * 5000 + b"<asset>")
    with pytest.raises(AssetError, match="more than 1000 elements") as refused:
        load(data, "dae", Limits(elements=1000))
    assert refused.value.limit is TOO_MANY_ELEMENTS
    assert "--limit elements=4000" in (refused.value.hint or "")


def test_store_of_a_world_has_the_limits_of_the_report(tmp_path: Path) -> None:
    (tmp_path / "m.stl").write_bytes(exported("stl"))
    body = Body(name="b", collisions=(Collision(geometry=Mesh(uri="m.stl")),))
    world = World(
        models=NamedList([Model(name="m", bodies=NamedList([body]))]), origin=Location(Source(str(tmp_path / "m.urdf")))
    )
    limits = replace(Limits(), array_bytes=16)
    assert MeshStore.of(world, limits).limits == limits
    report = Report(limits=limits)
    Simulation(world, report=report)
    finding = next(finding for finding in report if "more than 16" in finding.message)
    assert "--limit array_bytes=" in (finding.hint or "")
