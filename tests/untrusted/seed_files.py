"""The files of which mutants are made: those of the tests, of the examples, and of the corpus of real files."""

from __future__ import annotations

import io
import random
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import ossature
from assets.archives import packed
from assets.test_mesh_formats import exported, nested_gltf, nested_nodes, ply, shared_primitives
from calibration.test_calibration import ALL as ALL_CALIBRATIONS
from calibration.test_calibration import TURNED as JOINT_CALIBRATION
from chrono.test_mutations import mutate as mutate_yaml
from conftest import PROJECT, corpus_folder
from ossature.diagnostics import Report
from ossature.simulation import Simulation
from recordings.test_mutations import mutated_bytes
from untrusted.worker import EXAMPLES
from xml_mutations import ALL, change_lines
from xml_mutations import mutate as mutate_xml

MOST_BYTES = 900_000
"""Larger originals are left out."""
_USUAL_BYTES = 5_000
"""Originals are chosen in inverse proportion to their size above this: most of the time would go into the large ones."""
_TESTS = Path(__file__).resolve().parent.parent


MESHES = ("dae", "gltf", "glb", "obj", "ply", "stl", "off")
RECORDINGS = ("csv", "json", "npz", "parquet")


@cache
def originals(kind: str) -> list[tuple[str, bytes]]:
    """Return the names and bytes of the originals of one of :data:`MUTATE`."""
    what, _, suffix = kind.partition(" ")
    if what == "mesh":
        made = [("mesh", data) for data in (exported(suffix), *_MORE_MESHES.get(suffix, ()))]
        found = [(name, data) for name, data in _files((f".{suffix}",)) if suffix != "dae" or b"<kinematics" not in data]
        return [(f"mesh-{name.lower().removesuffix(f'.{suffix}')}.{suffix}", data) for name, data in (*made, *found)]
    if what == "recording":
        return [_recording(example, suffix) for example in EXAMPLES]
    if kind == "calibration":
        return [
            ("calibration.yaml", ALL_CALIBRATIONS.partition("actuators:")[0].encode()),
            ("calibration.yaml", JOINT_CALIBRATION.encode()),
        ]
    if kind == "usdf":
        return [
            *(_recording(example, "usdf") for example in EXAMPLES),
            *((f"recording-{n}", data) for n, data in _files((".usdf",))),
        ]
    if kind == "zae":
        return [*_files((".zae",)), *((f"{name}.zae", packed({name: data})) for name, data in originals("collada")[:10])]
    if kind == "usd":
        return [(name, data) for name, data in _files((".usda",)) if b"@./" not in data]
    if kind == "mjcf":
        return [(name, data) for name, data in _files((".xml",)) if b"<mujoco" in data]
    return _files(_SUFFIXES[kind])


_SUFFIXES = {
    "skel": (".skel",),
    "chrono": (".yaml", ".yml"),
    "collada": (".dae",),
    "urdf": (".urdf",),
    "sdf": (".sdf", ".world"),
}
_MORE_MESHES = {
    "dae": (nested_nodes(3),),
    "gltf": (nested_gltf(3), shared_primitives(3)),
    "ply": (ply(),),
}


def _recording(example: str, suffix: str) -> tuple[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"recording.{suffix}"
        world = ossature.load(PROJECT / "examples" / example)
        Simulation(world, report=Report()).run(0.02, sample=0.01, record=file, keep=False)
        return f"recording-{example}-.{suffix}", file.read_bytes()


def mutated_members(data: bytes, rng: random.Random) -> bytes:
    """Return an archive of which a file is mutated and packed again, or, a third of the time, some bytes of the whole."""
    if rng.random() < 1 / 3 or not zipfile.is_zipfile(io.BytesIO(data)):
        return mutated_bytes(data, rng)  # also of files that only have the suffix of an archive
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    if name.endswith((".dae", ".xml")):
        members[name] = mutate_xml(members[name].decode("utf-8", "replace"), rng, kinds=ALL)
    else:
        members[name] = mutated_numbers(members[name], rng)
    return packed(members)


_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_NUMBER_OF_USDA = re.compile(rb"(?<=[ (\[])-?\d+(?:\.\d+)?(?:e-?\d+)?(?=[,)\]\n])")
_STRANGE_NUMBERS = (
    b"-1",
    b"0",
    b"1e308",
    b"1e-320",
    b"1e9",
    b"1e-9",
    b"nan",
    b"4294967296",
    b"9223372036854775807",
    b"18446744073709551616",
    b"0.5",
    b"2",
)


def mutated_numbers(data: bytes, rng: random.Random) -> bytes:
    """Return data of which some bytes are mutated, or numbers in digits or in bytes are replaced by strange ones."""
    return rng.choice((mutated_bytes, _with_strange_numbers, _with_strange_bytes))(data, rng)


def mutated_xml(data: bytes, rng: random.Random) -> bytes:
    """Return XML of which elements, attributes and bytes are mutated, or, half of the time, numbers alone."""
    if rng.random() < 0.5:
        return mutate_xml(data.decode("utf-8", "replace"), rng, kinds=ALL)
    return rng.choice((_with_strange_numbers, _with_likely_numbers))(data, rng)


def mutated_yaml(data: bytes, rng: random.Random) -> bytes:
    """Return YAML of which lines and tokens are mutated, or, half of the time, numbers alone: most of it can be read."""
    if rng.random() < 0.5:
        return mutate_yaml(data.decode("utf-8", "replace"), rng)
    return _with_strange_numbers(data, rng)


def mutated_usda(data: bytes, rng: random.Random) -> bytes:
    """Return a stage of which numbers are replaced, or, a third of the time, lines: a wrong byte makes most unreadable."""
    if rng.random() < 1 / 3:
        return _with_changed_lines(data, rng)
    numbers = rng.choice((_STRANGE_NUMBERS, _NUMBER_OF_USDA.findall(data)))
    return _with_numbers(data, rng, numbers, _NUMBER_OF_USDA)


def mutated_text(data: bytes, rng: random.Random) -> bytes:
    """Return a text of which some bytes or lines are mutated, or numbers are replaced by strange or by likely ones."""
    return rng.choice((mutated_bytes, _with_changed_lines, _with_strange_numbers, _with_likely_numbers))(data, rng)


def _with_changed_lines(data: bytes, rng: random.Random) -> bytes:
    return change_lines(data.decode("utf-8", "replace"), rng).encode()


def _with_likely_numbers(data: bytes, rng: random.Random) -> bytes:
    """Return a text of which one to three numbers are replaced by others of the same text."""
    return _with_numbers(data, rng, _NUMBER.findall(data))


def _with_strange_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return data of the same length of which one to four numbers, in four or eight bytes, are replaced."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        number = rng.choice(_STRANGE_BYTES) if rng.random() < 0.7 else rng.randbytes(4)
        place = rng.randrange(max(len(changed) - len(number), 0) + 1)
        changed[place : place + len(number)] = number[: len(changed) - place]
    return bytes(changed)


_STRANGE_BYTES = (
    *(struct.pack("<f", number) for number in (0.0, -1.0, 1e38, 1e-42, float("nan"), float("inf"))),
    *(struct.pack("<d", number) for number in (1e308, 5e-324, float("nan"), float("-inf"))),
    *(struct.pack("<I", number) for number in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)),
    *(struct.pack("<Q", number) for number in (1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)),
)


def _with_strange_numbers(data: bytes, rng: random.Random) -> bytes:
    return _with_numbers(data, rng, _STRANGE_NUMBERS)


def _with_numbers(data: bytes, rng: random.Random, numbers: Sequence[bytes], pattern: re.Pattern[bytes] = _NUMBER) -> bytes:
    for _ in range(rng.randint(1, 3)):
        places = [match.span() for match in pattern.finditer(data)]
        if places:
            first, last = rng.choice(places)
            data = data[:first] + rng.choice(numbers) + data[last:]
    return data


@cache
def _weights(kind: str) -> list[float]:
    rarer = _OTHER_FILES.get(kind)
    return [
        (0.1 if rarer is not None and rarer.search(data) else 1.0) / max(len(data), _USUAL_BYTES) for _, data in originals(kind)
    ]


_OTHER_FILES = {"mjcf": re.compile(rb"\sfile=|<include"), "chrono": re.compile(rb"\w+_file(?:name)?:|\.yaml")}
"""Formats of which a file is refused if it names another one that is missing: most originals of these are chosen rarely."""


def _files(suffixes: tuple[str, ...]) -> list[tuple[str, bytes]]:
    corpus = corpus_folder()
    folders = [PROJECT / "examples", _TESTS, *([corpus / "corpus"] if corpus is not None else [])]
    found = sorted(
        path for folder in folders for path in folder.rglob("*") if path.suffix.lower() in suffixes and path.is_file()
    )
    return [(path.name, path.read_bytes()) for path in found if path.stat().st_size <= MOST_BYTES]


MUTATE: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "skel": mutated_xml,
    "chrono": mutated_yaml,
    "collada": mutated_xml,
    "urdf": mutated_xml,
    "mjcf": mutated_xml,
    "sdf": mutated_xml,
    "usdf": mutated_xml,
    "usd": mutated_usda,
    "calibration": mutated_yaml,
    "zae": mutated_members,
    **{f"mesh {suffix}": mutated_text for suffix in MESHES},
    **{f"mesh {suffix}": mutated_numbers for suffix in ("stl", "glb")},
    "mesh dae": mutated_xml,
    **{f"recording {suffix}": mutated_text for suffix in RECORDINGS},
    "recording parquet": mutated_numbers,
    "recording npz": mutated_members,
}
"""How the originals of each kind are mutated."""


def mutants(kind: str, first: int, count: int, folder: Path) -> list[Path]:
    """Write seeded mutants into a folder and return their paths; the same number makes the same mutant."""
    known = originals(kind)
    files = []
    for number in range(first, first + count):
        rng = random.Random(f"{kind} {number}")
        ((name, data),) = rng.choices(known, _weights(kind))
        stem, _, suffix = name.rpartition(".")
        path = folder / f"{stem}-{kind.replace(' ', '-')}{number}.{suffix}"
        path.write_bytes(MUTATE[kind](data, rng))
        files.append(path)
    return files
