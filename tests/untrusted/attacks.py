"""Small files, each under a megabyte, that try to take all time or memory, or to end the program.

``ATTACKS`` maps the name of a file, whose suffix and beginning say how it is used, to what makes it.
"""

# ruff: noqa: E501  # each element of a generated file stands on one line here, as in the file

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import numpy as np

from assets.archives import packed
from collada_documents import TETRAHEDRON, document, geometry, robot, shown
from ossature.recordings.write_parquet_and_npz import NPZ_HEADER, NPZ_SAMPLES
from scaling_files import INERTIA, KINDS, Style, chrono, skel

MEGABYTE = 1_000_000


def _skel(content: str) -> bytes:
    return skel(content).encode()


def _body(inside: str = "") -> str:
    return f'<skeleton name="s"><body name="b">{INERTIA}{inside}</body></skeleton>'


def _time_step(text: str) -> bytes:
    return _skel(f"<physics><time_step>{text}</time_step><gravity>0 0 -9.81</gravity></physics>{_body()}")


def _mesh(faces: str, *, accessor: str = 'count="4" stride="3"', numbers: str = "0 0 0 1 0 0 0 1 0 0 0 1") -> bytes:
    params = '<param name="X"/><param name="Y"/><param name="Z"/>'
    mesh = (
        f'<source id="p"><float_array id="n" count="12">{numbers}</float_array><technique_common><accessor source="#n" {accessor}>{params}</accessor>'
        f'</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{faces}'
    )
    return robot(geometries=f'<geometry id="g"><mesh>{mesh}</mesh></geometry>', base_node=shown("g")).encode()


def _polygons(counts: str, corners: str = "0 1 2 0 1 2 3") -> bytes:
    inner = f'<input offset="0" semantic="VERTEX" source="#v"/><vcount>{counts}</vcount><p>{corners}</p>'
    return _mesh(f'<polylist count="2">{inner}</polylist>')


def _triangles(attributes: str = 'offset="0"') -> str:
    return f'<triangles count="1"><input {attributes} semantic="VERTEX" source="#v"/><p>0 1 2</p></triangles>'


def _functions(levels: int, call: str) -> bytes:
    formulas = [
        f'<formula id="f{i}" sid="f{i}"><newparam sid="x"><float>0</float></newparam><technique_common><math>{call.format(next=i + 1)}</math></technique_common></formula>'
        for i in range(levels)
    ]
    last = f'<formula id="f{levels}" sid="l"><newparam sid="x"><float>0</float></newparam><technique_common><math><ci>x</ci></math></technique_common></formula>'
    first = '<formula sid="top"><target><param>arm/elbow</param></target><technique_common><math><apply><ci>f0</ci><cn>1</cn></apply></math></technique_common></formula>'
    return robot(libraries=f"<library_formulas>{''.join(formulas)}{last}</library_formulas>", formulas=first).encode()


def _node_levels(levels: int, copies: int, inside: str = "") -> bytes:
    nodes = "".join(
        f'<node id="n{i}">{inside}' + f'<instance_node url="#n{i + 1}"/>' * copies + "</node>" for i in range(levels)
    )
    return robot(
        libraries=f'<library_nodes>{nodes}<node id="n{levels}">{inside}</node></library_nodes>',
        base_node='<instance_node url="#n0"/>',
        geometries=geometry("g"),
    ).encode()


def _npz(header: bytes, samples: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{NPZ_HEADER}.npy", header)
        archive.writestr(f"{NPZ_SAMPLES}.npy", samples)
    return buffer.getvalue()


def _npy(header: str) -> bytes:
    data = header.encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(data).to_bytes(2, "little") + data


def _yaml_aliases() -> bytes:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"] + [
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)
    ]
    return "\n".join(["chrono-version: 10.0", *lines]).encode()


def _yaml_merges() -> bytes:
    keys = ", ".join(f"k{i}: 1" for i in range(5000))
    return ("chrono-version: 10.0\na: &a {" + keys + "}\nb: [" + ", ".join(["{<<: *a}"] * 5000) + "]\n").encode()


def _mjcf(content: str) -> bytes:
    return f"<mujoco>{content}</mujoco>".encode()


def _repeated(part: str, count: int) -> str:
    return part * count


ATTACKS: dict[str, Callable[[], bytes]] = {
    # Text
    "idna.skel": lambda: b'<?xml version="1.0" encoding="idna"?><skel version="1.0"><a/></skel>',
    "unicode_escape.skel": lambda: b'<?xml version="1.0" encoding="unicode_escape"?><skel version="1.0"><a/></skel>',
    "many_elements.skel": lambda: _skel("<a/>" * 240_000),
    "deep.skel": lambda: b"<skel>" + b"<a>" * 300_000,
    "deep_known.urdf": lambda: b"<robot>" + b"<link>" * 150_000,
    "open_comment.dae": lambda: b"<COLLADA><!--" + b"<p> 1" * 190_000,
    "open_tags.dae": lambda: b"<COLLADA>" + b"<p " * 300_000,
    "open_tags_2.dae": lambda: b"<COLLADA>" + b"<float_array x='" * 60_000,
    "long_texts_in_comments.dae": lambda: document("<!--" + ("<p>" + "1 " * 50) * 8_000 + "-->").encode(),
    "long_name.skel": lambda: _skel(f'<skeleton name="{"x" * 900_000}"/>' + "<skeleton/>" * 5000),
    "long_names.urdf": lambda: (
        f'<robot name="r">{"".join(f"""<link name="{"y" * 9000}"/>""" for _ in range(100))}</robot>'.encode()
    ),
    "attributes.urdf": lambda: (
        f'<robot name="r"><link {" ".join(f"a{i}=" + chr(34) * 2 for i in range(80_000))}/></robot>'.encode()
    ),
    "texts.urdf": lambda: f'<robot name="r"><link name="a">{"x<a/>" * 180_000}</link></robot>'.encode(),
    "passwords.urdf": lambda: (
        f'<robot name="r"><link name="a"><visual><geometry><mesh filename="{"//a:" * 200_000}"/></geometry></visual></link></robot>'.encode()
    ),
    "many_numbers.skel": lambda: _skel(f"<physics><gravity>{'1 ' * 450_000}</gravity></physics>"),
    "long_number.skel": lambda: _skel(f"<physics><time_step>{'1' * 900_000}</time_step></physics>"),
    "entities.skel": lambda: b'<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><skel>&b;</skel>',
    "nul.skel": lambda: b"\0" * MEGABYTE,
    "utf16.skel": lambda: skel("<a/>" * 60_000).encode("utf-16"),
    # SKEL
    **{
        f"step_{text}.skel": (lambda text=text: _time_step(text))
        for text in ("1e300", "1e-320", "5e-324", "1e-12", "1e3", "-1e308")
    },
    "chain.skel": lambda: _skel(
        '<skeleton name="s">'
        + "".join(
            f'<body name="b{i}">{INERTIA}</body><joint type="revolute" name="j{i}"><parent>{f"b{i - 1}" if i else "world"}</parent><child>b{i}</child></joint>'
            for i in range(4500)
        )
        + "</skeleton>"
    ),
    "star.skel": lambda: _skel(
        '<skeleton name="s">' + "".join(f'<body name="b{i}">{INERTIA}</body>' for i in range(9000)) + "</skeleton>"
    ),
    "touching.skel": lambda: _skel(
        '<skeleton name="s">'
        + "".join(
            f'<body name="b{i}">{INERTIA}<collision_shape><geometry><sphere><radius>1</radius></sphere></geometry></collision_shape></body>'
            for i in range(2500)
        )
        + "</skeleton>"
    ),
    "cycle.skel": lambda: _skel(
        '<skeleton name="s">'
        + "".join(
            f'<body name="b{i}">{INERTIA}</body><joint type="revolute" name="j{i}"><parent>b{(i + 1) % 3000}</parent><child>b{i}</child></joint>'
            for i in range(3000)
        )
        + "</skeleton>"
    ),
    "equal_bodies.skel": lambda: _skel('<skeleton name="s">' + f'<body name="b">{INERTIA}</body>' * 14_000 + "</skeleton>"),
    "equal_skeletons.skel": lambda: _skel('<skeleton name="s"/>' * 45_000),
    "huge_numbers.skel": lambda: _skel(
        '<skeleton name="s"><transformation>1e308 -1e308 1e308 1e308 1e-320 1e308</transformation>'
        '<body name="b"><inertia><mass>1e308</mass><moment_of_inertia><ixx>1e308</ixx><iyy>1e-320</iyy><izz>1e308</izz></moment_of_inertia></inertia>'
        "<collision_shape><geometry><box><size>1e308 1e-320 1e308</size></box></geometry></collision_shape></body></skeleton>"
    ),
    "multi_sphere.skel": lambda: _skel(
        _body(
            "<collision_shape><geometry><multi_sphere>"
            + "<sphere><radius>1</radius><position>0 0 0</position></sphere>" * 15_000
            + "</multi_sphere></geometry></collision_shape>"
        )
    ),
    # Chrono YAML
    "aliases.yaml": _yaml_aliases,
    "merges.yaml": _yaml_merges,
    "one_line.yaml": lambda: (
        "chrono-version: 10.0\nmodel: {name: m, bodies: [" + ", ".join(["{nam: x}"] * 80_000) + "]}"
    ).encode(),
    "brackets.yaml": lambda: b"chrono-version: " + b"[" * 500_000,
    "dashes.yaml": lambda: b"- " * 400_000,
    "quotes.yaml": lambda: b"chrono-version: '" + b"''" * 400_000,
    "anchors.yaml": lambda: ("chrono-version: 10.0\na: [" + ", ".join(f"&a{i} 1" for i in range(80_000)) + "]").encode(),
    "zero_axis.yaml": lambda: chrono(
        bodies="[{name: a, location: [0,0,0], mass: 1, visualization: {shapes: [{type: CYLINDER, radius: 1, length: 1, axis: [0,0,0]}]}}]"
    ).encode(),
    "many_points.yaml": lambda: chrono(
        bodies="[{name: a, location: [0,0,0], mass: 1, inertia: {moments: [1,1,1]}}, {name: b, fixed: true, location: [0,0,0]}]",
        motors="[{name: m, type: ROTATION, spindle: REVOLUTE, body1: a, body2: b, location: [0,0,0], axis: [0,1,0], actuation_type: SPEED, "
        "actuation_function: {type: DATA, data: [" + ", ".join(f"[{i}, 1]" for i in range(60_000)) + "]}}]",
    ).encode(),
    # COLLADA
    "wrapping_counts.dae": lambda: _polygons(
        "3074457345618258603 3074457345618258603 3074457345618258603 3074457345618258603 3074457345618258603 3074457345618258603 7"
    ),
    "wrapping_sum.dae": lambda: _polygons("9223372036854775807 9223372036854775807 9"),
    "negative_counts.dae": lambda: _polygons("-9223372036854775808 -9223372036854775808 7"),
    "stride.dae": lambda: _mesh(_triangles(), accessor='count="4" stride="9223372036854775807"'),
    "count.dae": lambda: _mesh(_triangles(), accessor='count="99999999999999999999" stride="3"'),
    "offset.dae": lambda: _mesh(_triangles(), accessor='count="4" stride="3" offset="-9223372036854775808"'),
    "input_offset.dae": lambda: _mesh(_triangles('offset="9223372036854775807"')),
    "corners.dae": lambda: _mesh(_triangles().replace("0 1 2", "0 1 9223372036854775807")),
    "large_points.dae": lambda: _mesh(_triangles(), numbers="1e308 " * 12),
    "many_groups.dae": lambda: _mesh(_triangles() * 5_000, accessor='count="40000" stride="3"', numbers="0 0 0 " * 40_000),
    "failing_mesh.dae": lambda: robot(
        geometries=f'<geometry id="g"><mesh>{TETRAHEDRON.format(id="g").replace("0 0 0", "0 0 x" + " 0" * 200_000)}{_triangles().replace("#v", "#g_vertices")}</mesh></geometry>',
        base_node=shown("g") * 10_000,
    ).encode(),
    "functions.dae": lambda: _functions(
        40, "<apply><plus/><apply><ci>f{next}</ci><ci>x</ci></apply><apply><ci>f{next}</ci><ci>x</ci></apply></apply>"
    ),
    "functions_differ.dae": lambda: _functions(
        40,
        "<apply><plus/><apply><ci>f{next}</ci><ci>x</ci></apply><apply><ci>f{next}</ci><apply><plus/><ci>x</ci><cn>1</cn></apply></apply></apply>",
    ),
    "function_chain.dae": lambda: _functions(3000, "<apply><ci>f{next}</ci><ci>x</ci></apply>"),
    "copies.dae": lambda: _node_levels(30, 2),
    "copies_of_meshes.dae": lambda: _node_levels(14, 2, shown("g")),
    "copies_wide.dae": lambda: _node_levels(4, 40, shown("g")),
    "copies_deep.dae": lambda: _node_levels(9000, 1),
    "copies_of_transforms.dae": lambda: _node_levels(12, 2, "<translate>1 2 3</translate>" * 500),
    "convex_hulls.dae": lambda: robot(
        geometries=f'<geometry id="g"><mesh>{TETRAHEDRON.format(id="g")}{_triangles().replace("#v", "#g_vertices") * 4000}</mesh></geometry>'
        + "".join(f'<geometry id="h{i}"><convex_mesh convex_hull_of="#g"/></geometry>' for i in range(3000)),
        base_node="".join(shown(f"h{i}") for i in range(3000)),
    ).encode(),
    "unresolved.dae": lambda: robot(
        base_node="".join(f'<instance_geometry url="#gone{i}"/>' for i in range(24_000)),
        geometries="".join(f'<geometry id="g{i}"/>' for i in range(5000)),
    ).encode(),
    "joints.dae": lambda: robot(
        joints="".join(f'<joint sid="j{i}"><revolute sid="a"><axis>0 0 1</axis></revolute></joint>' for i in range(10_000))
    ).encode(),
    # Quick to read, slow to compile
    "springs.yaml": lambda: KINDS["Chrono springs"].text(7_900, Style.PLAIN).encode(),
    "height_field.xml": lambda: _mjcf(
        '<asset><hfield name="h" nrow="2896" ncol="2896" size="1 1 1 1"/></asset>'
        '<worldbody><geom type="hfield" hfield="h"/></worldbody>'
    ),
    "grid.xml": lambda: _mjcf(
        '<worldbody><body name="b"><flexcomp name="f" type="grid" dim="2" count="66 66 1" radius="0.002" spacing="0.01 0.01 0.01" mass="1"/></body></worldbody>'
    ),
    # Archives
    "elements.zae": lambda: packed({"robot.dae": b"<COLLADA>" + b"<a/>" * 24_000_000 + b"</COLLADA>"}),
    "many_large.zae": lambda: packed({f"{i}.dae": bytes(60 << 20) for i in range(10)}),
    "comment.zae": lambda: packed({"robot.dae": b"<COLLADA><!--" + b"<p> 1" * 10_000_000}),
    "blanks.zae": lambda: packed({"robot.dae": b"<COLLADA>" + b" " * (60 << 20) + b"</COLLADA>"}),
    "attribute.zae": lambda: packed({"robot.dae": b'<COLLADA a="' + b"x" * (60 << 20) + b'"/>'}),
    "text.zae": lambda: packed({"robot.dae": b"<COLLADA>" + b"x " * (30 << 20) + b"</COLLADA>"}),
    "known.zae": lambda: packed(
        {"robot.dae": b"<COLLADA><library_nodes>" + b'<node id="a"/>' * 4_000_000 + b"</library_nodes></COLLADA>"}
    ),
    "numbers.zae": lambda: packed(
        {"robot.dae": _mesh(_triangles(), accessor='count="9000000" stride="3"', numbers="0 0 0 " * 9_000_000)}
    ),
    # USDF and recordings
    "recording_models.usdf": lambda: ('<world_state name="w">' + "<o:x/>" * 140_000 + "</world_state>").encode(),
    "recording_frames.usdf": lambda: (
        '<world_state name="w">'
        + "".join(f'<frame name="f{i}" parent="f{(i + 1) % 18000}"/>' for i in range(18_000))
        + "</world_state>"
    ).encode(),
    "recording_deep.usdf": lambda: b'<world_state name="w">' + b'<model_state name="m">' * 40_000,
    "recording_deep.json": lambda: b"[" * 900_000,
    "recording_labels.csv": lambda: (",".join(f"a{i}" for i in range(150_000)) + "\n1\n").encode(),
    "recording_quote.csv": lambda: b'time,"' + b"a" * 900_000,
    "recording_header.npz": lambda: _npz(_npy("{'descr': '<U99999999', 'fortran_order': False, 'shape': ()}\n")),
    "recording_deep.npz": lambda: _npz(_npy("(" * 5000 + "\n")),
    "recording_names.npz": lambda: _npz(_npy("{'descr': __import__, 'shape': ()}\n")),
    "recording_token.npz": lambda: _npz(_npy("{'descr': '<U1', 'fortran_order': False, 'shape': (\n")),
    "recording_shape.npz": lambda: _npz(_npy("{'descr': '<U4', 'fortran_order': False, 'shape': (-1, 2L)}\n")),
    "recording_zeros.npz": lambda: _npz(bytes(90_000_000)),
    "recording.parquet": lambda: b"PAR1" + bytes(np.arange(200, dtype=np.uint8)) + b"\xff\xff\xff\x7fPAR1",
    "recording.npz.part": lambda: b"OSSATURE" * 1000,
    # Calibrations
    "calibration_joints.yaml": lambda: (
        "ossature-calibration: 1\njoints: [" + ", ".join(f"{{joint: a/b{i}, offset: 1e308}}" for i in range(25_000)) + "]"
    ).encode(),
    "calibration_deep.yaml": lambda: b"ossature-calibration: " + b"{a: " * 200_000,
}
