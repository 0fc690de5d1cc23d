"""A World through a format, in memory: as ``ossature convert`` writes it, and as the format's reader reads it."""

from __future__ import annotations

from pathlib import Path

from ossature.assets import MeshStore
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats import REGISTRY, ReadContext, WriteContext
from ossature.model import World


def written(world: World, name: str, path: Path, ledger: Ledger, meshes: MeshStore | None = None) -> bytes:
    """Return the main file of a World in a format, after its passes."""
    context = WriteContext(path=path, ledger=ledger, meshes=meshes or MeshStore.of(world))
    return REGISTRY.named(name)[0].written_files(world, context)[path]


def written_with_meshes(world: World, name: str, path: Path, ledger: Ledger) -> bytes:
    """Return the main file of a World in a format, after its passes; write the files beside it, its meshes."""
    files = REGISTRY.named(name)[0].written_files(world, WriteContext(path=path, ledger=ledger, meshes=MeshStore.of(world)))
    for file, content in files.items():
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    return files[path]


def read_as(name: str, data: bytes, folder: Path | None, report: Report | None = None) -> World | None:
    """Return the World in the bytes of a file of a format."""
    known, dialect = REGISTRY.named(name)
    assert known.read is not None
    context = ReadContext(source=Source("written", data), report=report or Report(), folder=folder, dialect=dialect)
    return known.read(context).world
