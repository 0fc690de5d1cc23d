"""Reads what the real DART makes of the sample files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from conftest import corpus_folder
from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.model import World


def skel_files() -> list[str]:
    """Return the names of the corpus' SKEL files, ``test/boxes`` for ``test/boxes.skel``; none without a corpus."""
    folder = corpus_folder()
    if folder is None:
        return []
    root = folder / "corpus" / "skel"
    return sorted(str(path.relative_to(root).with_suffix("")) for path in root.rglob("*.skel"))


def referenced_files(kind: str = "models") -> list[str]:
    """Return the names of the files for which there is a reference."""
    folder = corpus_folder()
    if folder is None:
        return []
    stems = {path.stem for path in (folder / "reference" / "dart" / kind).glob("*.json")}
    return [name for name in skel_files() if _stem(name, kind) in stems]


def _stem(name: str, kind: str) -> str:
    return name.replace("/", "__") if kind == "models" else name.rpartition("/")[2]


@dataclass(frozen=True)
class Case:
    """A file, read by us, beside what DART made of it."""

    name: str
    world: World
    reference: dict[str, Any]
    path: Path


def load(corpus: Path, name: str) -> World:
    """Return a file of the corpus, its findings not looked at."""
    path = corpus / "corpus" / "skel" / f"{name}.skel"
    world = read_skel(Source(str(path), path.read_bytes()), Report(), folder=path.parent)
    assert world is not None
    return world


@cache
def case(corpus: Path, name: str, kind: str = "models") -> Case:
    """Return a file with its reference."""
    reference = corpus / "reference" / "dart" / kind / f"{_stem(name, kind)}.json"
    return Case(
        name=name,
        world=load(corpus, name),
        reference=json.loads(reference.read_text()),
        path=corpus / "corpus" / "skel" / f"{name}.skel",
    )
