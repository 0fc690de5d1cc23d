"""Commands with hostile options and files: states, recordings, commands, trajectories, calibrations, sensors and meshes.

``COMMAND_ATTACKS`` maps the name of an attack to what makes its commands and files, in the form of rule examples. Each ends in a
result or an error, within the ceilings of :mod:`untrusted.worker`, and prints no control characters.
"""

# ruff: noqa: E501  # each element of a generated file is on one line here, as in the file

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Iterable

from assets.archives import packed
from conftest import PROJECT
from scaling_files import chrono, skel

EXAMPLES = PROJECT / "examples"
ARM, CRANK, SCANNER, PICKER = (EXAMPLES / name for name in ("arm.skel", "slider_crank.yaml", "scanner.dae", "picker.dae"))
HOSTILE = "\x1b[31m\u202e\r\n::error::x\n##[error]x"
"""A name with an escape sequence, a bidirectional mark, and lines that are workflow commands."""
INERTIA = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
STRANGE = ("nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "5e-324", "1e400", "9" * 400, "0x10", "1_0", "٣", "", "-0.0")
"""Texts of numbers that are not finite, overflow, or are none."""


def example(commands: str | Iterable[str], **files: str | bytes) -> str:
    """Return commands and files as text; an underscore in a keyword stands for the dot of a file name."""
    lines = [commands] if isinstance(commands, str) else list(commands)
    parts = [f"ossature {line}\n" for line in lines]
    for keyword, content in files.items():
        stem, _, suffix = keyword.rpartition("_")
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        parts.append(f"-- {stem}.{suffix}.base64 --\n{base64.b64encode(data).decode()}\n")
    return "".join(parts)


def urdf(link: str = "", joint: str = "", *, name: str = "r") -> str:
    """Return a robot of two links, with elements in the second one and in the joint."""
    return (
        f'<robot name="{name}"><link name="world"/><link name="a">{INERTIA}{link}</link><joint name="j" type="revolute">'
        f'<parent link="world"/><child link="a"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>{joint}</joint></robot>'
    )


def mesh(file: str) -> str:
    geometry = f'<geometry><mesh filename="{file}"/></geometry>'
    return urdf(f"<visual>{geometry}</visual><collision>{geometry}</collision>")


def _meshes(name: str, content: str | bytes) -> str:
    stem, suffix = name.split(".")
    files = {f"{stem}_{suffix}": content, "m_urdf": mesh(name)}
    return example(
        [
            "check m.urdf",
            "simulate m.urdf --duration 0.002",
            "convert m.urdf m.dae",
            "convert m.urdf m.xml",
            "render m.urdf m.png --size 16x16",
        ],
        **files,
    )


def _gltf(**changes: object) -> str:
    data = base64.b64encode(struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)).decode()
    document: dict[str, object] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "buffers": [{"uri": f"data:application/octet-stream;base64,{data}", "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
    }
    return json.dumps(document | changes)


def _ply(header: str, body: bytes = b"") -> bytes:
    return f"ply\n{header}end_header\n".encode() + body


def _state(content: str) -> str:
    return f'<world_state name="w" xmlns:ossature="https://ossature.dev/usdf">{content}</world_state>'


def _header(**changes: object) -> dict[str, object]:
    columns = [["time", "", "", "", None], ["joints", "r", "j", "positions", 1]]
    return {"columns": columns, "name": "world", "poses": {}, "turns": [], "fingerprint": None} | changes


def _recording(header: object, *samples: object) -> str:
    return json.dumps({"header": header, "samples": list(samples)})


def _recording_commands(file: str) -> list[str]:
    return [
        f"state show {file}",
        f"state diff {file} {file}",
        f"state resample {file} out.csv --sample-interval 0.001",
        f"state resample {file} out.npz",
        f"state extract {file} out.usdf",
        f"state plot {file} out.svg",
        f"state show {file} --sample-number 99999999999",
    ]


def _calibrated(content: str) -> str:
    return example(
        [
            f"check {ARM} --calibration c.yaml",
            f"calibration apply {ARM} c.yaml out.skel",
            f"simulate {ARM} --calibration c.yaml --duration 0.002",
        ],
        c_yaml=content,
    )


def _with_formula(inner: str) -> str:
    math = f'<math xmlns="http://www.w3.org/1998/Math/MathML">{inner}</math>'
    formula = f'<formula sid="f"><target><param>arm/elbow</param></target><technique_common>{math}</technique_common></formula>'
    from collada_documents import robot

    return robot(formulas=formula)


def _options(command: str, option: str, values: Iterable[str], rest: str = "") -> Callable[[], str]:
    return lambda: example(f"{command} {option}={json.dumps(value) if value.isascii() else value} {rest}" for value in values)


NUMBERS = [value for value in STRANGE if value]
TARGETS = [
    *(f"translation3d:{value},0,0" for value in NUMBERS),
    *(
        "",
        ":",
        "transform6d:",
        "transform6d:0,0,0,0,0,0,0",
        "transform6d:1,2",
        "transform6d:" + "1," * 100_000,
        "rotation3d:0,0,0,0",
    ),
    *("direction3d:0,0,0", "ray4d:0,0,0,0,0,0", "ray4d:0,0,0,1e308,1e308,1e308", "lookat3d:1e308,0,0", "nothing:1"),
    *("translation-direction5d:0,0,0,0,0,0", "TRANSLATION3D:0,0,0", "translation3d:0;0;0"),
]


COMMAND_ATTACKS: dict[str, Callable[[], str]] = {
    # Options
    "targets": _options(f"ik {ARM} --tip=hand", "--target", TARGETS),
    "seeds": _options(
        f"ik {PICKER} --target=translation3d:0,0,0",
        "--seed",
        ["", "=", "a=", "shoulder=nan", "shoulder=1e400", "=1", "a=1,", "x" * 100_000 + "=1"],
    ),
    "sampled joints": _options(
        f"ik {PICKER} --all --target=translation3d:0.3,0,0.4",
        "--sample-joint",
        ["shoulder=1e-300", "shoulder=0", "shoulder=-1", "shoulder=nan", "shoulder=1e-9", "shoulder=5e-324"],
    ),
    "tolerances": _options(f"ik {PICKER} --target=translation3d:0.3,0,0.4", "--tolerance", NUMBERS),
    "layers": _options(
        f"render {ARM} o.png --size 16x16", "--layer", ["", "nothing", "joint-axes", "\x1b[31m", "../../x", "a" * 100_000]
    ),
    "sizes": _options(
        f"render {ARM} o.png",
        "--size",
        ["0x0", "-1x5", "1e9x1e9", "99999999x99999999", "1000000000x1", "axb", "5", "nanxnan", "16384x16384x2"],
    ),
    "joints": _options(
        f"pose {ARM}",
        "--joint",
        [
            "",
            "=",
            "a=1",
            "lift=nan",
            "lift=1e308",
            "lift=1,2,3",
            "arm/lift=inf",
            "lift=1e-320",
            "wrist=1e308,1e308",
            "mount=1",
            "turn=9e99",
            "/=1",
            "//=1",
        ],
    ),
    "durations": _options(f"simulate {ARM} --record o.csv", "--duration", ["nan", "inf", "-1", "1e-320", "x"]),
    "time steps": _options(f"simulate {ARM} --duration 0.001", "--time-step", [*NUMBERS, "0"]),
    "sample intervals": _options(f"simulate {ARM} --duration 0.002 --record o.csv", "--sample-interval", [*NUMBERS, "0", "-1"]),
    "integration tolerances": _options(
        f"simulate {ARM} --duration 0.002 --integrator=leapfrog", "--tolerance", [*NUMBERS, "0", "-1"]
    ),
    "contact constants": _options(
        f"simulate {EXAMPLES / 'contact.skel'} --duration 0.002", "--contact-time-constant", [*NUMBERS, "0", "-1"]
    ),
    "contact damping": _options(
        f"simulate {EXAMPLES / 'contact.skel'} --duration 0.002", "--contact-damping-ratio", [*NUMBERS, "0", "-1"]
    ),
    "grasps": _options(
        f"simulate {PICKER} --duration 0.002",
        "--grasp",
        [
            "",
            "@",
            ":@",
            "palm:forearm@nan",
            "palm:forearm@1e400",
            "palm:forearm:base,x@0",
            "palm:base@0",
            "::::@0",
            "palm:palm@0",
            "picker/palm:picker/base:base,base@0",
        ],
    ),
    "limits": _options(
        f"check {ARM}",
        "--limit",
        [
            "",
            "=",
            "elements=nan",
            "elements=inf",
            "elements=1e400",
            "depth=1e9",
            "elements=0",
            "elements=1e-5",
            "a=1",
            "elements",
            "seconds=5e-324",
            "findings=1",
            ",,,",
        ],
    ),
    "calls of grippers": _options(
        f"simulate {PICKER} --duration 0.002", "--close-gripper", ["", "@", "a@nan", "arm@1e400", "arm@-1", "@@@"]
    ),
    "reading options": lambda: example(
        [f"check {ARM} --input-format={name}" for name in ("", "skel", "urdf", "collada", "chrono", "nothing", "../x")]
        + [f"check {ARM} --dialect={name}" for name in ("", "openrave", "x")]
        + [f"info {ARM} --motor-speed-unit={name}" for name in ("", "rev/s", "x")]
        + [
            f"check {PICKER} --search-path= --allow-path=\0",
            f"check {PICKER} --search-path=/dev/null --allow-path=/proc/self/mem",
        ]
    ),
    "references": lambda: example(
        [
            f"convert {PICKER} o.dae --reference={text}"
            for text in ("", "=", "a=b", "picker=/dev/null", "picker=..", "picker=" + "x" * 5000)
        ]
    ),
    "attachment poses": _options(
        f"attach {ARM} {EXAMPLES / 'palletizer.urdf'} o.dae --at hand",
        "--pose",
        [*(f"{value},0,0" for value in NUMBERS), "0,0,0,0,0,0,0", "1,2", "0,0,0,1e-320,0,0,0", "0,0,0,1e308,1e308,0,0"],
    ),
    "attachment of itself": lambda: example(
        [
            "attach a.urdf a.urdf o.urdf --at a",
            "attach o.urdf o.urdf p.urdf --at a --name ''",
            "attach a.urdf a.urdf a.urdf --at a --part-link world",
            "attach a.urdf nothing.urdf p.urdf --at a",
            "attach a.urdf a.urdf o.dae --at a --reference",
            "attach o.dae o.dae o.dae --at a --reference",
            "check o.dae",
        ],
        a_urdf=urdf(),
    ),
    # Names
    "names in text": lambda: example(
        [
            "check n.skel",
            "info n.skel",
            "pose n.skel",
            "simulate n.skel --duration 0.002 --record o.csv",
            "state show o.csv",
            "convert n.skel o.urdf",
        ],
        n_skel=skel(
            f'<skeleton name="s{_character_references(HOSTILE)}"><body name="{_character_references(HOSTILE)}"><inertia><mass>0</mass></inertia></body></skeleton>'
        ),
    ),
    "names in json": lambda: example(
        [
            "check n.urdf --format json",
            "check n.urdf --format sarif",
            "info n.urdf --json",
            "check n.urdf --format github",
            "sensor list n.urdf --json",
        ],
        n_urdf=urdf(name=_character_references(HOSTILE)).replace('"a"', f'"{_character_references(HOSTILE)}"'),
    ),
    "surrogates in yaml": lambda: example(
        ["check n.yaml --format sarif", "info n.yaml --json", "convert n.yaml o.skel"],
        n_yaml=chrono(
            bodies='[{name: "\\ud800\\udfff\\0\\e\\u202e", location: [0,0,0], mass: 1, inertia: {moments: [1,1,1]}}]'
        ),
    ),
    "equal names": lambda: example(["info n.urdf"], n_urdf='<robot name="r">' + '<link name="a"/>' * 25_000 + "</robot>"),
    # Numbers
    "numbers of urdf": lambda: example(
        [f"{command} n{index}.urdf" for index in range(len(STRANGE)) for command in ("check", "pose")],
        **{
            f"n{index}_urdf": urdf(
                f'<visual><origin xyz="{v} 0 0" rpy="{v} 0 0"/><geometry><cylinder radius="{v}" length="{v}"/></geometry></visual>',
                f'<origin xyz="{v} 0 0" rpy="0 {v} 0"/><dynamics damping="{v}" friction="{v}"/><mimic joint="j" multiplier="{v}" offset="{v}"/>',
            )
            for index, v in enumerate(STRANGE)
        },
    ),
    "inertias of urdf": lambda: example(
        [f"simulate n{index}.urdf --duration 0.002" for index in range(len(STRANGE))],
        **{f"n{index}_urdf": urdf().replace('"1"', f'"{v}"') for index, v in enumerate(STRANGE)},
    ),
    "numbers of sensors": lambda: example(
        [
            command
            for index in range(len(STRANGE))
            for command in (
                f"sensor list n{index}.urdf",
                f"sensor read n{index}.urdf --sensor s",
                f"sensor read n{index}.urdf --sensor s -o o.png",
            )
        ],
        **{
            f"n{index}_urdf": urdf().replace(
                "</robot>",
                f'<sensor name="s" update_rate="{v}"><parent link="a"/><origin xyz="{v} 0 0"/><ray><horizontal samples="{v}" resolution="{v}" min_angle="{v}" max_angle="{v}"/></ray></sensor><gazebo reference="a"><sensor type="ray" name="g"><update_rate>{v}</update_rate><ray><scan><horizontal><samples>{v}</samples></horizontal></scan></ray></sensor></gazebo></robot>',
            )
            for index, v in enumerate(STRANGE)
        },
    ),
    "many rays": lambda: example(
        [
            "sensor read n.dae --sensor lidar",
            "sensor read n.dae -s lidar -o o.png",
            "sensor read n.dae -s imu -o o.json",
            "sensor list n.dae",
        ],
        n_dae=_changed_scanner("1e-9", "2000000000"),
    ),
    "numbers of chrono": lambda: example(
        [
            f"{command} n{index}.yaml{rest}"
            for index in range(len(STRANGE))
            for command, rest in (("check", ""), ("simulate", " --duration 0.002"))
        ],
        **{f"n{index}_yaml": CRANK.read_text().replace(" 1.0", f" {v}").replace("0.5", v) for index, v in enumerate(STRANGE)},
    ),
    "numbers of collada": lambda: example(
        [f"{command} n{index}.dae" for index in range(len(STRANGE)) for command in ("check", "info")],
        **{f"n{index}_dae": PICKER.read_text().replace(">1<", f">{v}<").replace("0.1", v) for index, v in enumerate(STRANGE)},
    ),
    # Formulas
    "deep formula": lambda: example(
        ["check n.dae", "info n.dae"], n_dae=_with_formula("<apply><minus/>" * 5000 + "<cn>1</cn>" + "</apply>" * 5000)
    ),
    "wide formula": lambda: example(
        ["check n.dae", "pose n.dae"], n_dae=_with_formula("<apply><plus/>" + "<cn>1e308</cn>" * 20_000 + "</apply>")
    ),
    "powers in formulas": lambda: example(
        [f"pose n{i}.dae" for i in range(7)],
        **{
            f"n{i}_dae": _with_formula(f"<apply>{inner}</apply>")
            for i, inner in enumerate(
                (
                    "<power/><cn>1e308</cn><cn>1e308</cn>",
                    "<divide/><cn>1</cn><cn>0</cn>",
                    "<ln/><cn>-1</cn>",
                    "<factorial/><cn>1e9</cn>",
                    "<power/><cn type='integer'>9999999999</cn><cn type='integer'>9999999999</cn>",
                    "<root/><degree><cn>0</cn></degree><cn>-1</cn>",
                    "<tan/><cn>1e400</cn>",
                )
            )
        },
    ),
    "strange formula elements": lambda: example(
        ["check n.dae"],
        n_dae=_with_formula(
            "<lambda><bvar><ci>x</ci></bvar><ci>x</ci></lambda><cn type='e-notation'>1<sep/>999999999</cn><cn base='0'>1</cn><csymbol/><ci/><apply/><piecewise/><semantics/>"
        ),
    ),
    # States, recordings, commands and trajectories
    "states": lambda: example(
        [
            command
            for i in range(7)
            for command in (
                f"state show n{i}.usdf",
                f"state apply n{i}.usdf {ARM} o.skel",
                f"simulate {ARM} --duration 0.002 --initial-state n{i}.usdf",
                f"simulate {ARM} --duration 0.002 --initial-state n{i}.usdf --ignore-mismatch",
            )
        ],
        **{
            f"n{i}_usdf": _state(content)
            for i, content in enumerate(
                (
                    "<time>1e400</time>",
                    '<time>-1</time><model_state name="arm"><joint name="lift"><angle axis="0">nan</angle></joint></model_state>',
                    '<model_state name="arm"><link name="upper_arm"><pose>1e308 1e308 1e308 1e308 1e308 1e308</pose><velocity>nan 0 0 0 0 0</velocity></link></model_state>'
                    * 2,
                    f'<model_state name="{_character_references(HOSTILE)}"/>',
                    '<ossature:remembered plain="x"><ossature:array name="a">'
                    + "1 " * 100_000
                    + "</ossature:array></ossature:remembered>",
                    '<insertions><model name="x"/></insertions><deletions><name>arm</name></deletions>',
                    '<ossature:remembered plain="[]"><ossature:array name="qpos" shape="99999999999 99999999999">1</ossature:array></ossature:remembered>',
                )
            )
        },
    ),
    "altered checkpoints": lambda: example(
        [
            f"simulate {ARM} --duration 0.004 --save-state s.usdf",
            *(f"simulate {ARM} --duration 0.002 --initial-state {i}.usdf" for i in ("no", "s")),
        ],
        no_usdf=_state(""),
    ),
    "recordings in json": lambda: example(
        [command for i in range(9) for command in _recording_commands(f"n{i}.json")],
        **{
            f"n{i}_json": content
            for i, content in enumerate(
                (
                    _recording(
                        _header(),
                        {"time": 1e308, "joints": {"r": {"j": {"positions": [1e308]}}}},
                        {"time": -1e308, "joints": {"r": {"j": {"positions": [-1e308]}}}},
                    ),
                    _recording(_header(columns=[["time", "", "", "", 1e9]])),
                    _recording(_header(columns=[["joints", "r", "j", "positions", 10**12]])),
                    _recording(_header(columns=[])),
                    _recording(_header(columns=[["time", "", "", "", None]] * 3)),
                    _recording(_header(turns=[[0, 10**9]], poses={"r": [1] * 7})),
                    _recording(_header(name=HOSTILE), {"time": 0.0, "joints": {"r": {"j": {"positions": ["nan"]}}}}),
                    _recording([]),
                    '{"header": ' + "{" * 5000,
                )
            )
        },
    ),
    "recordings in csv": lambda: example(
        [command for i in range(8) for command in _recording_commands(f"n{i}.csv")],
        **{
            f"n{i}_csv": content
            for i, content in enumerate(
                (
                    "time\n",
                    "time,time\n0,0\n",
                    "time,a\n0\n1,2,3\n",
                    "time\nnan\ninf\n",
                    "time,joints/r/j/positions\n0,1e400\n0,-1e400\n",
                    "time," + ",".join(["a"] * 20_000) + "\n",
                    '"' * 100_000,
                    "time\n" + "0\n" * 60_000,
                )
            )
        },
    ),
    "commands in csv": lambda: example(
        [f"simulate {EXAMPLES / 'palletizer.urdf'} --duration 0.002 --command n{i}.csv" for i in range(7)],
        **{
            f"n{i}_csv": content
            for i, content in enumerate(
                (
                    "time",
                    "time,\n0,1",
                    "time,palletizer/turn\n" + "".join(f"{j},1\n" for j in range(50_000)),
                    "time,palletizer/turn\nnan,1\n",
                    "time,palletizer/turn\n1,1\n0,1\n",
                    "\0" * 1000,
                    "time,palletizer/turn\n0,1e308\n5e-324,-1e308\n",
                )
            )
        },
    ),
    "commands in json": lambda: example(
        [f"simulate {ARM} --duration 0.002 --command n{i}.json" for i in range(7)],
        **{
            f"n{i}_json": content
            for i, content in enumerate(
                (
                    "[]",
                    "[" * 100_000,
                    '{"arm/lift": {"times": [0, 0], "values": [1e308, -1e308]}}',
                    '{"a": ' * 3000,
                    "1e400",
                    '"' + "\\ud800" * 1000 + '"',
                    '{"arm/lift": {"times": [NaN, Infinity], "values": [1, 2]}}',
                )
            )
        },
    ),
    "trajectories": lambda: example(
        [
            command
            for i in range(6)
            for command in (
                f"simulate {EXAMPLES / 'palletizer.urdf'} --duration 0.002 --track n{i}.csv",
                f"simulate {EXAMPLES / 'palletizer.urdf'} --duration 0.002 --track n{i}.csv:x",
            )
        ],
        **{
            f"n{i}_csv": content
            for i, content in enumerate(
                (
                    "time\n",
                    "time,palletizer/turn\n0,0\n0,1\n",
                    "time,palletizer/turn\n0,nan\n",
                    "time,palletizer/turn\n0,1e308\n5e-324,-1e308\n",
                    "palletizer/turn\n1\n",
                    "time,palletizer/turn\n" + "".join(f"{j},0\n" for j in range(30_000)),
                )
            )
        },
    ),
    "trajectory commands": lambda: example(
        [
            f"trajectory {verb} t.csv{rest}"
            for verb, rest in (("show", ""), ("check", ""), ("show", ":x"), ("resample", " o.csv"))
        ]
        + [
            f"trajectory resample t.csv o.csv --sample-interval {step}"
            for step in ("1e-300", "nan", "0", "-1", "5e-324", "1e-9", "1e308")
        ],
        t_csv="time,a/b\n0,0\n1,1\n",
    ),
    # Calibrations
    "calibrations": lambda: "\n".join(_calibrated(content) for content in ("",)),
    **{
        f"calibration {i}": (lambda content=content: _calibrated(content))
        for i, content in enumerate(
            (
                "ossature-calibration: 1\njoints: [{joint: arm/lift, offset: .nan}]",
                "ossature-calibration: 1\njoints: [{joint: arm/lift, offset: 1e308, scale: .inf}]",
                "ossature-calibration: 99999999999999999999\n",
                "ossature-calibration: 1\njoints: {a: b}\n",
                "ossature-calibration: 1\nlinks: [{link: arm/upper_arm, mass: -1, inertia: [1e308, 1e308, 1e308]}]",
                f"ossature-calibration: 1\njoints: [{{joint: {json.dumps(HOSTILE)}, offset: 1}}]",
                "ossature-calibration: 1\njoints: " + "[" * 3000,
                "&a [*a]",
                "ossature-calibration: !!python/object/apply:os.system ['true']\n",
                "ossature-calibration: 1\n<<: &x {<<: *x}\n",
                "%TAG ! tag:yaml.org,2002:\n--- !str a\n",
                "ossature-calibration: 1\n? [a, b]\n: 1\n? {c: d}\n: 2\n",
            )
        )
    },
    # YAML
    "anchors": lambda: example(
        [f"check n{i}.yaml" for i in range(5)],
        **{
            f"n{i}_yaml": content
            for i, content in enumerate(
                (
                    "chrono-version: 10.0\nmodel: &m {name: m, bodies: [*m]}\n",
                    "chrono-version: 10.0\nmodel: &a\n  <<: [*a, *a]\n",
                    "chrono-version: 10.0\nmodel: {bodies: &b ["
                    + ", ".join(["{name: x}"] * 300)
                    + "], joints: ["
                    + ", ".join(["*b"] * 5000)
                    + "]}",
                    "chrono-version: 10.0\n"
                    + "".join(f"k{j}: &k{j} [*k{j - 1}, *k{j - 1}]\n" if j else "k0: &k0 [1]\n" for j in range(40)),
                    "chrono-version: 10.0\nmodel: *nothing\n",
                )
            )
        },
    ),
    "yaml streams": lambda: example(
        [f"check n{i}.yaml" for i in range(4)],
        **{
            f"n{i}_yaml": content
            for i, content in enumerate(
                (
                    "--- a\n" * 50_000,
                    "\ufeff" * 1000 + "chrono-version: 10.0",
                    "chrono-version: 10.0\nmodel: |\n" + " x\n" * 100_000,
                    "chrono-version: 0o17\nmodel: {name: 2001-12-14t21:59:43.10-05:00, bodies: 0b1, joints: 190:20:30, motors: .inf}\n",
                )
            )
        },
    ),
    # Archives
    "archive members": lambda: example(
        [f"check n{i}.zae" for i in range(6)],
        **{
            f"n{i}_zae": packed(files)
            for i, files in enumerate(
                (
                    {"manifest.xml": b"<dae_root>" + b"../" * 30_000 + b"a.dae</dae_root>"},
                    {f"{'d/' * 20}{j}.dae": b"" for j in range(5000)},
                    {"manifest.xml": b"<a>" * 100_000, "a.dae": b""},
                    {"manifest.xml": b"<dae_root>manifest.xml</dae_root>"},
                    {"": b"", ".": b"", "..": b"", "/": b"", "con.dae": b"<COLLADA/>"},
                    {"a\x1b[31m\u202e.dae": b"<COLLADA version='1.5.0'><x/></COLLADA>"},
                )
            )
        },
    ),
    # Meshes
    "gltf numbers": lambda: _meshes(
        "m.gltf", _gltf(nodes=[{"mesh": 0, "scale": [1e308, 1e308, 1e308], "rotation": [0, 0, 0, 0], "matrix": [1e308] * 16}])
    ),
    "gltf cycle": lambda: _meshes("m.gltf", _gltf(nodes=[{"mesh": 0, "children": [0, 0]}])),
    "gltf tree": lambda: _meshes("m.gltf", _gltf(nodes=[{"children": [i + 1, i + 1]} for i in range(40)] + [{"mesh": 0}])),
    "gltf deep": lambda: _meshes("m.gltf", _gltf(nodes=[{"children": [i + 1]} for i in range(30_000)] + [{"mesh": 0}])),
    "gltf types": lambda: _meshes("m.gltf", _gltf(nodes={"0": 1}, meshes="x", accessors=None, scene="a", scenes=[[]])),
    "gltf null": lambda: _meshes("m.gltf", "null"),
    "gltf files": lambda: _meshes("m.gltf", _gltf(buffers=[{"uri": "../../../../../../etc/passwd", "byteLength": 36}])),
    "gltf device": lambda: _meshes("m.gltf", _gltf(buffers=[{"uri": "file:///dev/zero", "byteLength": 36}])),
    "glb chunks": lambda: _meshes("m.glb", b"glTF" + struct.pack("<III", 2, 0xFFFFFFFF, 0xFFFFFFFF) + b"JSON" + b" " * 100),
    "obj indices": lambda: _meshes("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n"),
    "obj polygon": lambda: _meshes("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf" + " 1 2 3" * 50_000 + "\n"),
    "obj points": lambda: _meshes("m.obj", "v nan inf 1e400\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
    "obj huge points": lambda: _meshes(
        "m.obj", "v 1e308 0 0\nv -1e308 1e308 0\nv 0 1 1e308\nv 0 0 0\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n"
    ),
    "obj flat": lambda: _meshes("m.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n" * 100),
    "stl zero triangles": lambda: _meshes("m.stl", bytes(84)),
    "stl nan": lambda: _meshes("m.stl", bytes(80) + struct.pack("<I12fH", 1, *[float("nan")] * 12, 0)),
    "stl text": lambda: _meshes("m.stl", "solid\n" + "vertex 1 2 3\n" * 50_000),
    "ply lists": lambda: _meshes(
        "m.ply",
        _ply(
            "format binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1000000000\nproperty list uint uint vertex_indices\n",
            struct.pack("<9f", *range(9)) + b"\xff" * 100,
        ),
    ),
    "ply properties": lambda: _meshes("m.ply", _ply("format ascii 1.0\nelement vertex 1\n" + "property float x\n" * 20_000)),
    "ply negative": lambda: _meshes(
        "m.ply",
        _ply(
            "format ascii 1.0\nelement vertex -5\nproperty float x\nelement face 1e9\nproperty list float float vertex_indices\n",
            b"-1 nan\n",
        ),
    ),
    "off counts": lambda: _meshes("m.off", "OFF\n999999999999 999999999999 0\n0 0 0\n"),
    "mesh is an archive": lambda: _meshes(
        "m.zae", packed({"manifest.xml": b"<dae_root>a.dae</dae_root>", "a.dae": packed({"a.dae": b""})})
    ),
    "meshes of many bodies": lambda: example(
        ["check n.urdf"],
        n_urdf='<robot name="r">'
        + "".join(
            f'<link name="l{i}"><visual><geometry><mesh filename="{"a/" * 20}{i}.obj"/></geometry></visual></link>'
            for i in range(3000)
        )
        + "</robot>",
    ),
    # Examples and rules
    "rules": lambda: example(
        [f"explain {text}" for text in ("''", "x" * 5000, "../../etc/passwd", "FILE999999", "\x1b[31m", "file001", "%s", "{0}")]
        + ["schema ''", "schema ../x", "schema " + "x" * 5000]
    ),
}


def _character_references(text: str) -> str:
    """Return text as an attribute of XML, with control characters that XML does not allow left out."""
    return "".join(f"&#{ord(character)};" for character in text if character not in "\x1b")


def _changed_scanner(increment: str, count: str) -> str:
    text = SCANNER.read_text()
    for tag, value in (("increment", increment), ("image_dimensions", f"{count} {count} 3"), ("measurement_time", "5e-324")):
        begin, end = f"<{tag}>", f"</{tag}>"
        for part in text.split(begin)[1:]:
            text = text.replace(begin + part.partition(end)[0] + end, begin + value + end)
    return text
