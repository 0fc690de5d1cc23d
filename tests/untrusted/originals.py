"""The files of which mutants are made: those of the tests, of the examples, and of the corpus of real files."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import ossature
from assets.archives import packed
from assets.test_mesh_formats import exported, nested_gltf, nested_nodes, ply, shared_primitives
from chrono.test_mutations import mutate as mutate_yaml
from conftest import PROJECT, corpus_folder
from ossature.diagnostics import Report
from ossature.simulation import Simulation
from recordings.test_mutations import mutated_bytes
from xml_mutations import ALL, PLAIN
from xml_mutations import mutate as mutate_xml

MOST_BYTES = 200_000
"""Larger originals are left out: most of the time would go into them."""
_TESTS = Path(__file__).resolve().parent.parent
_CALIBRATION = """\
ossature-calibration: 1
links:
  - {link: arm/hand, position: [0.501, 0.0, 0.002]}
joints:
  - {joint: arm/elbow, offset: 0.0131}
sensors:
  - {sensor: arm/eye, intrinsic: [[801.2, 0, 319.0], [0, 800.7, 241.3]]}
"""


MESHES = ("dae", "gltf", "glb", "obj", "ply", "stl", "off")
RECORDINGS = ("csv", "json", "npz", "parquet")


@cache
def originals(kind: str) -> list[tuple[str, bytes]]:
    """Return the names and bytes of the originals of one of :data:`MUTATE`."""
    what, _, suffix = kind.partition(" ")
    if what == "mesh":
        return [(f"mesh.{suffix}", data) for data in (exported(suffix), *_MORE_MESHES.get(suffix, ()))]
    if what == "recording":
        return [_recording(example, suffix) for example in ("double_pendulum.skel", "picker.dae")]
    if kind == "calibration":
        return [("calibration.yaml", _CALIBRATION.encode())]
    if kind == "usdf":
        return [(f"recording_{name}", data) for name, data in _files((".usdf",))]
    if kind == "zae":
        return [*_files((".zae",)), *((f"{name}.zae", packed({name: data})) for name, data in originals("collada")[:10])]
    return _files({"skel": (".skel",), "chrono": (".yaml", ".yml"), "collada": (".dae",), "urdf": (".urdf",)}[kind])


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
        return file.name, file.read_bytes()


_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_STRANGE_NUMBERS = (b"-1", b"0", b"1e308", b"nan", b"4294967296", b"9223372036854775807", b"18446744073709551616", b"0.5", b"2")


def mutated_numbers(data: bytes, rng: random.Random) -> bytes:
    """Return data of which numbers are replaced by strange ones, or, half of the time, some bytes by others."""
    if rng.random() < 0.5:
        return mutated_bytes(data, rng)
    for _ in range(rng.randint(1, 3)):
        places = [match.span() for match in _NUMBER.finditer(data)]
        if places:
            first, last = rng.choice(places)
            data = data[:first] + rng.choice(_STRANGE_NUMBERS) + data[last:]
    return data


def _files(suffixes: tuple[str, ...]) -> list[tuple[str, bytes]]:
    corpus = corpus_folder()
    folders = [PROJECT / "examples", _TESTS, *([corpus / "corpus"] if corpus is not None else [])]
    found = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in suffixes and path.is_file())
    return [(path.name, path.read_bytes()) for path in found if path.stat().st_size <= MOST_BYTES]


def _of_text(mutate: Callable[[str, random.Random], bytes]) -> Callable[[bytes, random.Random], bytes]:
    def mutated(data: bytes, rng: random.Random) -> bytes:
        return mutate(data.decode("utf-8", "replace"), rng)

    return mutated


MUTATE: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "skel": _of_text(lambda text, rng: mutate_xml(text, rng, kinds=PLAIN)),
    "chrono": _of_text(mutate_yaml),
    "collada": _of_text(lambda text, rng: mutate_xml(text, rng, kinds=ALL)),
    "urdf": _of_text(lambda text, rng: mutate_xml(text, rng, kinds=ALL)),
    "usdf": _of_text(lambda text, rng: mutate_xml(text, rng, kinds=PLAIN)),
    "calibration": _of_text(mutate_yaml),
    "zae": mutated_bytes,
    **{f"mesh {suffix}": mutated_numbers for suffix in MESHES},
    "mesh dae": _of_text(lambda text, rng: mutate_xml(text, rng, kinds=ALL)),
    **{f"recording {suffix}": mutated_numbers for suffix in RECORDINGS},
}
"""How the originals of each kind are mutated."""


def mutants(kind: str, first: int, count: int, folder: Path) -> list[Path]:
    """Write seeded mutants into a folder and return their paths; the same number makes the same mutant."""
    known = originals(kind)
    files = []
    for number in range(first, first + count):
        rng = random.Random(f"{kind} {number}")
        name, data = rng.choice(known)
        stem, _, suffix = name.rpartition(".")
        path = folder / f"{stem}-{kind.replace(' ', '-')}{number}.{suffix}"
        path.write_bytes(MUTATE[kind](data, rng))
        files.append(path)
    return files
