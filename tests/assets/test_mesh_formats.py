"""Every mesh format is read, alone and with the files it may name; what is broken or a trap is told and does no harm."""

from __future__ import annotations

import base64
import io
import json
import random
import zipfile
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pytest
import trimesh

from ossature.assets import READABLE_SUFFIXES, AssetError, MemoryFiles, MeshStore, Resolver
from ossature.assets import plain_data as plain_data_module
from ossature.model import Mesh, Triangles

BOX = trimesh.creation.box((1.0, 2.0, 3.0))
EXTENTS = (1.0, 2.0, 3.0)
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4").tobytes()


def packed(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def collada(asset: str = "", node: str = "", head: str = "", first: str = "") -> bytes:
    points = " ".join(str(value) for value in np.asarray(BOX.vertices).ravel())
    corners = " ".join(str(index) for index in np.asarray(BOX.faces).ravel())
    return f"""<?xml version="1.0"?>{head}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>{asset}</asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="{BOX.vertices.size}">{first}{points}</float_array><technique_common>
<accessor source="#a" count="{len(BOX.vertices)}" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{len(BOX.faces)}"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s">
<node id="n">{node}<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def gltf(buffer: str, corners: tuple[int, int, int] = (0, 1, 2), **fields: Any) -> tuple[bytes, bytes]:
    content = POINTS + np.array(corners, dtype="<u4").tobytes()
    if buffer == "data:":
        buffer += "application/octet-stream;base64," + base64.b64encode(content).decode()
    header = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"uri": buffer, "byteLength": len(content)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 12},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"},
        ],
    }
    return json.dumps(header | fields).encode(), content


def exported(suffix: str) -> bytes:
    if suffix == "dae":
        return collada()
    if suffix == "zae":
        return packed({"textures/wood.png": b"", "box.dae": collada()})
    if suffix == "gltf":
        return gltf("data:")[0]
    data = BOX.export(file_type=suffix)
    return data.encode() if isinstance(data, str) else bytes(data)


def load(data: bytes, suffix: str, **beside: bytes) -> Triangles:
    files = {f"/robot/m.{suffix}": data, "/secret/t.bin": b"x" * 48}
    files |= {f"/robot/{name}": content for name, content in beside.items()}
    return MeshStore(Resolver(folder=Path("/robot"), files=MemoryFiles(files))).triangles(Mesh(uri=f"m.{suffix}"))


@pytest.mark.parametrize("suffix", READABLE_SUFFIXES)
def test_every_format_is_read(suffix: str) -> None:
    extents = np.diff(load(exported(suffix), suffix).bounds, axis=0)[0]
    np.testing.assert_allclose(extents, (1.0, 1.0, 0.0) if suffix == "gltf" else EXTENTS, rtol=1e-6)


@pytest.mark.parametrize(
    ("asset", "node", "extents"),
    [
        ("<up_axis>Y_UP</up_axis>", "", (1.0, 2.0, 3.0)),
        ("<up_axis>X_UP</up_axis>", "", (1.0, 2.0, 3.0)),
        ('<unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis>', "", (0.0254, 0.0508, 0.0762)),
        ("", "<scale>2 3 4</scale>", (2.0, 6.0, 12.0)),
        ("", "<rotate>0 0 1 90</rotate>", (2.0, 1.0, 3.0)),
    ],
)
def test_collada_counts_in_its_unit_and_keeps_its_axes(asset: str, node: str, extents: tuple[float, float, float]) -> None:
    # As DART 6.20 has them: it takes back the turn by which its importer brings the up axis to y.
    bounds = load(collada(asset, node), "dae").bounds
    np.testing.assert_allclose(np.diff(bounds, axis=0)[0], extents, rtol=1e-6)


def test_names_in_any_encoding() -> None:
    for suffix in ("obj", "off"):
        mark = {"obj": b"# Gr\xf6\xdfe\n", "off": b""}[suffix]
        assert len(load(mark + exported(suffix), suffix).faces) == len(BOX.faces)
    text = BOX.export(file_type="stl_ascii").replace("solid", "solid Gr\xf6\xdfe", 1).encode("latin-1")
    assert len(load(text, "stl").faces) == len(BOX.faces)


@pytest.mark.parametrize("name", ["t.bin", "./t.bin", "%74.bin"])
def test_gltf_reads_its_buffers(name: str) -> None:
    header, content = gltf(name)
    assert load(header, "gltf", **{"t.bin": content}).faces.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("name", ["../secret/t.bin", "/secret/t.bin", "%2e%2e/secret/t.bin", "file:///secret/t.bin"])
def test_gltf_does_not_read_elsewhere(name: str) -> None:
    with pytest.raises(AssetError, match="outside"):
        load(gltf(name)[0], "gltf")


def test_gltf_fetches_nothing() -> None:
    with pytest.raises(AssetError) as caught:
        load(gltf("http://localhost/t.bin")[0], "gltf")
    assert "network" in (caught.value.hint or "")


def test_a_gltf_without_header_does_not_borrow_another() -> None:
    with pytest.raises(AssetError, match="not a JSON document"):
        load(b"", "gltf", **{"model.gltf": gltf("data:")[0]})


@dataclass(frozen=True)
class Watched(MemoryFiles):
    """Files that know which of them were read."""

    opened: set[str] = field(default_factory=set)

    def read(self, path: PurePath) -> bytes:
        self.opened.add(str(path))
        return super().read(path)


def test_textures_and_materials_stay_closed() -> None:
    textured = {
        "images": [{"uri": "t.png"}],
        "textures": [{"source": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
    }
    image = '<library_images><image id="i"><init_from>t.png</init_from></image></library_images>'
    files = Watched(
        {
            "/robot/m.obj": b"mtllib t.mtl\nusemtl wood\n" + exported("obj"),
            "/robot/m.gltf": gltf("data:", **textured)[0],
            "/robot/m.dae": collada().replace(b"<library_geometries>", image.encode() + b"<library_geometries>", 1),
            "/robot/t.mtl": b"newmtl wood\nmap_Kd t.png\n",
            "/robot/t.png": b"",
        }
    )
    store = MeshStore(Resolver(folder=Path("/robot"), files=files))
    for suffix in ("obj", "gltf", "dae"):
        assert len(store.triangles(Mesh(uri=f"m.{suffix}")).faces)
    assert files.opened == {"/robot/m.obj", "/robot/m.gltf", "/robot/m.dae"}


PLY = """ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
3 0 1 {}
"""


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        ("ply", PLY.format(77).encode()),
        ("ply", PLY.format(-1).encode()),
        ("gltf", gltf("data:", (0, 1, 99))[0]),
        ("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n"),
        ("off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 77\n"),
        ("obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("obj", b"v 0 0 1e999\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("dae", collada('<unit name="endless" meter="inf"/>')),
        ("dae", packed({"m.dae": collada()})),
        ("dae", collada() + packed({"m.dae": collada()})),
        ("dae", collada(head='<!DOCTYPE c [<!ENTITY x SYSTEM "file:///secret">]>', first="&x; ")),
        ("dae", collada(head='<!DOCTYPE c [<!ENTITY x "1">]>').decode().encode("utf-16")),
        ("zae", packed({"readme.txt": b""})),
        ("zae", packed({"m.dae": packed({"m.dae": collada()})})),
        ("zae", packed({"m.dae": collada()})[:-30]),
        ("zae", packed({"m.dae": collada()})[9:]),
        ("stl", b" " * 80 + b"\xff\xff\xff\xff" + b"\0" * 50),
        ("gltf", b"[" * 100_000),
    ],
)
def test_what_is_not_sound_is_refused(suffix: str, data: bytes) -> None:
    with pytest.raises(AssetError):
        load(data, suffix)


def test_an_archive_is_unpacked_only_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_data_module, "MOST_BYTES", 1 << 20)
    with pytest.raises(AssetError, match="more than"):
        load(packed({"m.dae": b" " * (2 << 20)}), "zae")
    assert len(load(packed({"m.dae": collada(), "big.png": b" " * (2 << 20)}), "zae").faces) == len(BOX.faces)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suffix", READABLE_SUFFIXES)
def test_damaged_files_are_read_or_refused(suffix: str) -> None:
    rng, whole = random.Random(suffix), exported(suffix)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 3, 20))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]
        try:
            triangles = load(bytes(data), suffix)
        except AssetError:
            continue
        assert np.isfinite(triangles.vertices).all()
        assert triangles.faces.max() < len(triangles.vertices)
