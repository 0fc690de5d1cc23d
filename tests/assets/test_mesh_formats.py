"""Every mesh format is read, alone and with the files it may name; what is broken or a trap is told and does no harm."""

from __future__ import annotations

import base64
import io
import json
import os
import random
import struct
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pytest
import trimesh

from growth import is_growth_below
from ossature.assets import READABLE_SUFFIXES, AssetError, DiskFiles, MemoryFiles, MeshStore, Resolver
from ossature.assets.mesh_formats import READERS
from ossature.model import Mesh, MeshData

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


def load(data: bytes, suffix: str, **beside: bytes) -> MeshData:
    files = {f"/robot/m.{suffix}": data, "/secret/t.bin": b"x" * 48}
    files |= {f"/robot/{name}": content for name, content in beside.items()}
    return MeshStore(Resolver(folder=Path("/robot"), files=MemoryFiles(files))).triangles(Mesh(uri=f"m.{suffix}"))


def test_the_suffixes_are_those_of_the_readers() -> None:
    assert sorted([*READERS, "zae"]) == list(READABLE_SUFFIXES)


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


def glb(version: int = 2, missing: int = 0, trailing: bytes = b"") -> bytes:
    text, content = gltf("m.bin")
    document = json.loads(text)
    del document["buffers"][0]["uri"]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I", len(text)) + b"JSON" + text + struct.pack("<I", len(content)) + b"BIN\0" + content
    return b"glTF" + struct.pack("<II", version, 12 + len(chunks) + missing) + chunks + trailing


@pytest.mark.parametrize("trailing", [b"", b"behind the end of the document"])
def test_binary_gltf_ends_at_the_length_of_its_header(trailing: bytes) -> None:
    assert len(load(glb(trailing=trailing), "glb").faces) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (glb(version=1), "it has the version 1 of the binary format: only version 2 is read"),
        (glb(missing=4), "it is cut off"),
        (glb(missing=-4), "a chunk of 48 bytes is longer than"),
        (glb()[:11], "its header is cut off"),
    ],
)
def test_binary_gltf_of_another_version_or_length_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(AssetError, match=message):
        load(data, "glb")


def test_gltf_without_uncompressed_points_is_refused() -> None:
    document = json.loads(gltf("data:")[0])
    (primitive,) = document["meshes"][0]["primitives"]
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}
    assert len(load(json.dumps(document).encode(), "gltf").faces) == 1  # the extension is not required, and points are there
    del document["accessors"][primitive["attributes"]["POSITION"]]["bufferView"]
    with pytest.raises(AssetError, match="KHR_draco_mesh_compression"):
        load(json.dumps(document).encode(), "gltf")


def test_gltf_of_another_version_is_refused() -> None:
    with pytest.raises(AssetError, match="only version 2 is read"):
        load(gltf("data:", asset={"version": "1.0"})[0], "gltf")


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

    def read(self, path: PurePath, most_bytes: int) -> bytes:
        self.opened.add(str(path))
        return super().read(path, most_bytes)


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


def nested_nodes(levels: int) -> bytes:
    """Return a document of nodes of which each shows the one before twice."""
    twice = '<instance_node url="#n{0}"/><instance_node url="#n{0}"/>'
    nodes = "".join(f'<node id="n{level}">{twice.format(level - 1)}</node>' for level in range(1, levels + 1))
    library = f'<library_nodes><node id="n0"><instance_geometry url="#g"/></node>{nodes}</library_nodes>'
    plain = collada().replace(b"<library_visual_scenes>", library.encode() + b"<library_visual_scenes>")
    return plain.replace(
        b'<instance_geometry url="#g"/></node></visual', f'<instance_node url="#n{levels}"/></node></visual'.encode()
    )


def nested_gltf(levels: int) -> bytes:
    nodes: list[dict[str, Any]] = [{"mesh": 0}, *({"children": [level, level]} for level in range(levels))]
    return gltf("data:", nodes=nodes, scenes=[{"nodes": [levels]}])[0]


def of_accessor(**changes: Any) -> bytes:
    header = json.loads(gltf("data:")[0])
    header["accessors"][0] |= changes
    return json.dumps(header).encode()


def shared_primitives(count: int) -> bytes:
    corners = np.zeros(30_000, "<u4").tobytes()
    header = json.loads(gltf("data:")[0])
    header["buffers"].append({"uri": "data:;base64," + base64.b64encode(corners).decode(), "byteLength": len(corners)})
    header["bufferViews"].append({"buffer": 1, "byteLength": len(corners)})
    header["accessors"].append({"bufferView": 2, "componentType": 5125, "count": 30_000, "type": "SCALAR"})
    header["meshes"][0]["primitives"] = [{"attributes": {"POSITION": 0}, "indices": 2}] * count
    return json.dumps(header).encode()


def ply(vertices: str = "3", faces: str = "1", kind: str = "ascii") -> bytes:
    head, body = PLY.split("end_header\n")
    head = head.replace("vertex 3", f"vertex {vertices}").replace("face 1", f"face {faces}").replace("ascii", kind)
    return f"{head}end_header\n{body.format(2)}".encode()


IN_UTF_7 = (
    '<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE c +AFsAPAAh-ENTITY x SYSTEM +ACI-file:///etc/passwd+ACIAPgBdAD4-'
)
WRAPPING = [str(1 << 62), str(1 << 63), str(1 << 64), "-1", "9" * 30]
TRAPS = {
    "entities in UTF-7": ("dae", IN_UTF_7.encode() + collada().partition(b"?>")[2]),
    "an encoding that is none": ("dae", collada().replace(b'"1.0"?', b'"1.0" encoding="idna"?')),
    "nested nodes of COLLADA": ("dae", nested_nodes(60)),
    "nodes of COLLADA inside themselves": ("dae", nested_nodes(3).replace(b'url="#n0"', b'url="#n3"')),
    "nested nodes of glTF": ("gltf", nested_gltf(60)),
    "nodes of glTF inside themselves": ("gltf", gltf("data:", nodes=[{"mesh": 0, "children": [0]}])[0]),
    "primitives that share their numbers": ("gltf", shared_primitives(2000)),
    "elements without bytes": (
        "gltf",
        gltf("data:", accessors=[{"componentType": 5126, "count": 1 << 29, "type": "VEC3"}] * 2)[0],
    ),
    "a stride of negative length": ("gltf", of_accessor(byteOffset=-12)),
    "no count": ("gltf", of_accessor(count=1.5)),
    "no list of nodes": ("gltf", gltf("data:", nodes=7)[0]),
    **{f"glTF with {each} points": ("gltf", of_accessor(count=int(each))) for each in WRAPPING},
    **{
        f"COLLADA with {each} points": ("dae", collada().replace(b'count="8"', f'count="{each}"'.encode())) for each in WRAPPING
    },
    **{
        f"COLLADA with a stride of {each}": ("dae", collada().replace(b'stride="3"', f'stride="{each}"'.encode()))
        for each in WRAPPING
    },
    **{f"PLY with {each} vertices": ("ply", ply(vertices=each)) for each in WRAPPING},
    **{f"binary PLY with {each} vertices": ("ply", ply(vertices=each, kind="binary_little_endian")) for each in WRAPPING},
    **{f"PLY with {each} faces": ("ply", ply(faces=each)) for each in WRAPPING},
    **{f"OFF with {each} vertices": ("off", f"OFF\n{each} 1 0\n0 0 0\n3 0 0 0\n".encode()) for each in WRAPPING},
    **{f"OFF with a face of {each}": ("off", f"OFF\n1 1 0\n0 0 0\n{each} 0 0 0\n".encode()) for each in WRAPPING},
    **{
        f"OBJ with vertex {each}": ("obj", f"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 {each}\n".encode())
        for each in [*WRAPPING, "-4", "0"]
        if each != "-1"
    },
}


@pytest.mark.parametrize("name", TRAPS)
def test_traps_are_refused_soon(name: str) -> None:
    suffix, data = TRAPS[name]
    began = time.process_time()
    with pytest.raises(AssetError):
        load(data, suffix)
    assert time.process_time() - began < 5.0


def test_polygons_of_wrapped_counts_are_refused() -> None:
    corners = " ".join(str(index) for index in np.asarray(BOX.faces).ravel())
    for counts in (f"{1 << 62} {1 << 62} {1 << 62} {1 << 62} 36", "-3 39", f"{1 << 63} 3"):
        head = '<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/>'
        polygons = f"{head}<vcount>{counts}</vcount><p>{corners}</p></polylist>"
        before, _, rest = collada().partition(b"<triangles")
        with pytest.raises(AssetError):
            load(before + polygons.encode() + rest.partition(b"</triangles>")[2], "dae")


def grouped_obj(count: int) -> bytes:
    return ("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "".join(f"g g{n}\nusemtl m{n}\nf 1 2 3\n" for n in range(count))).encode()


def split_collada(count: int) -> bytes:
    group = b'<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>'
    return collada().replace(b"</mesh>", count * group + b"</mesh>")


@pytest.mark.parametrize(("suffix", "make"), [("obj", grouped_obj), ("dae", split_collada)])
def test_many_groups_are_read_in_proportion(suffix: str, make: Callable[[int], bytes]) -> None:
    few, many = make(1000), make(8000)
    assert is_growth_below(32, lambda: load(few, suffix), lambda: load(many, suffix))  # eight times as many; quadratic were 64


def test_triangles_of_every_kind_of_primitive_and_binary_ply() -> None:
    quad = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], "<f4")
    indices = {4: (0, 1, 2, 0, 2, 3), 5: (0, 1, 3, 2), 6: (0, 1, 2, 3)}
    for mode, corners in indices.items():
        content = quad.tobytes() + np.array(corners, "<u2").tobytes()
        header = {
            "asset": {"version": "2.0"},
            "nodes": [{"mesh": 0, "scale": [1, 1, -1], "translation": [0, 0, 2]}],
            "meshes": [
                {
                    "primitives": [
                        {"attributes": {"POSITION": 0}, "indices": 1, "mode": mode},
                        {"attributes": {"POSITION": 0}, "mode": 0},
                    ]
                }
            ],
            "buffers": [{"uri": "data:;base64," + base64.b64encode(content).decode(), "byteLength": len(content)}],
            "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 2 * len(corners)}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5123, "count": len(corners), "type": "SCALAR"},
            ],
        }
        mesh = load(json.dumps(header).encode(), "gltf")
        a, b, c = mesh.vertices[mesh.faces].swapaxes(0, 1)
        normals = np.cross(b - a, c - a)
        assert normals.tolist() == [[0, 0, -1], [0, 0, -1]], "a node that mirrors turns them round"
        assert (mesh.vertices[:, 2] == 2.0).all()
    for order, kind in (("<", "binary_little_endian"), (">", "binary_big_endian")):
        head = PLY.format(2).partition("end_header")[0].replace("ascii", kind).replace("face 1", "face 2")
        for polygons in (((0, 1, 2), (0, 2, 3)), ((0, 1, 2, 3), (0, 1, 3))):
            body = quad.astype(f"{order}f4").tobytes()
            body += b"".join(bytes([len(each)]) + np.array(each, f"{order}i4").tobytes() for each in polygons)
            mesh = load(head.replace("vertex 3", "vertex 4").encode() + b"end_header\n" + body, "ply")
            assert len(mesh.faces) == sum(len(each) - 2 for each in polygons)
            assert np.ptp(mesh.vertices, axis=0).tolist() == [1.0, 1.0, 0.0]


def test_text_formats_as_programs_write_them() -> None:
    obj = "# a\r\no x\r\nv 0 0 0 1 0 0\r\nv 1 0 0 1 0 0\r\nv 1 1 0 1 0 0\r\nv 0 1 0 1 0 0\r\nvt 0 0\r\n"
    obj += "f -4/1 -3/1 -2/1 \\\r\n-1/1 # quad\r\nl 1 2\r\n"
    assert load(obj.encode(), "obj").faces.tolist() == [[0, 1, 2], [0, 2, 3]]
    stl = "solid a\nfacet normal 0 0 1\n outer loop\n  VERTEX 0 0 0\n  vertex 1e0 0 0\n  vertex 0 +1 0\n endloop\n"
    stl += "endfacet\nendsolid a\n"
    assert load(stl.encode(), "stl").vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    off = "OFF 4 2 0 # counts\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2 255 0 0\n"
    assert load(off.encode(), "off").faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2]]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
def test_what_becomes_a_link_after_it_was_checked_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder or file is exchanged for a link to a secret at the last moment."""
    home, secret = tmp_path / "robot", tmp_path / "secret"
    for folder in (home / "meshes", secret):
        folder.mkdir(parents=True)
        (folder / "m.obj").write_bytes(exported("obj"))
    resolver = Resolver(folder=home)
    assert resolver.read("meshes/m.obj")
    honest = os.open

    def exchange(change: Callable[[], object]) -> None:
        def open_(*arguments: Any, **named: Any) -> int:
            monkeypatch.setattr(os, "open", honest)
            change()
            return honest(*arguments, **named)

        monkeypatch.setattr(os, "open", open_)
        monkeypatch.setattr(os, "supports_dir_fd", {*os.supports_dir_fd, open_})

    def link_folder() -> None:
        (home / "meshes").rename(home / "before")
        (home / "meshes").symlink_to(secret)

    def link_file() -> None:
        (home / "meshes" / "m.obj").unlink()
        (home / "meshes" / "m.obj").symlink_to(secret / "m.obj")

    for change in (link_folder, link_file):
        exchange(change)
        with pytest.raises(AssetError):
            resolver.read("meshes/m.obj")
        if (home / "before").exists():
            (home / "meshes").unlink()
            (home / "before").rename(home / "meshes")
    with pytest.raises(AssetError, match="outside"):
        resolver.read("meshes/m.obj")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
def test_links_inside_the_folder_are_followed_and_pipes_do_not_wait(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_bytes(exported("obj"))
    (tmp_path / "meshes").symlink_to(tmp_path)
    resolver = Resolver(folder=tmp_path)
    assert resolver.read("meshes/m.obj") == exported("obj")
    assert Resolver(allowed=(tmp_path / "m.obj",)).read(str(tmp_path / "m.obj")) == exported("obj")
    os.mkfifo(tmp_path / "pipe.obj")
    with pytest.raises(OSError, match="not a regular file"):
        DiskFiles().read_beneath(tmp_path, PurePath("pipe.obj"), 1 << 20)
    with pytest.raises(OSError, match="more than the 16"):
        DiskFiles().read_beneath(tmp_path, PurePath("m.obj"), 16)
