"""From one format to another: writing whole files, with a ledger of what was kept, rewritten, approximated, dropped."""

from __future__ import annotations

from pathlib import Path

from ossature.assets import MeshStore, write_whole
from ossature.conversion.placed import placed_at_start, with_moments
from ossature.conversion.trees import as_trees
from ossature.diagnostics import Ledger, OssatureError, Report, suggestion
from ossature.formats import FORMATS
from ossature.model import World

WRITTEN_FORMATS = {**{name: known.suffixes for name, known in FORMATS.items()}, "mjcf": (".xml", ".mjcf")}
"""Formats that are written, by name, with their suffixes."""


def format_to_write(path: Path, name: str | None = None) -> str:
    """Return the format in which a file is to be written: the named one, or that of its suffix.

    Raises:
        OssatureError: There is no such format.
    """
    if name is not None:
        if name not in WRITTEN_FORMATS:
            raise OssatureError(f"there is no format '{name}' to write: {suggestion(name, WRITTEN_FORMATS)}")
        return name
    for known, suffixes in WRITTEN_FORMATS.items():
        if path.suffix.lower() in suffixes:
            return known
    choices = ", ".join(f"{known} ({' '.join(suffixes)})" for known, suffixes in WRITTEN_FORMATS.items())
    raise OssatureError(f"the suffix '{path.suffix}' says nothing about the format; name it: {choices}")


def save(
    world: World,
    path: str | Path,
    *,
    format: str | None = None,  # the public word for it
    meshes: MeshStore | None = None,
    report: Report | None = None,
) -> Ledger:
    """Write a World to a file, whole or not at all.

    Args:
        world: What to write.
        path: The file.
        format: Its format; by its suffix where none is named.
        meshes: Where meshes come from, for formats that carry their triangles; from beside the World's own file if not
            given.
        report: Where findings go.

    Returns:
        What the format could not say, or says differently.

    Raises:
        OssatureError: The format is unknown, or cannot carry this World at all.
        OSError: The file cannot be written.
    """
    path = Path(path)
    ledger = Ledger()
    report = report if report is not None else Report()
    text = to_text(world, ledger, report, name=format_to_write(path, format), path=path, meshes=meshes)
    write_whole(path, text)
    return ledger


def to_text(world: World, ledger: Ledger, report: Report, *, name: str, path: Path, meshes: MeshStore | None = None) -> str:
    """Return a World as the text of a file; see :func:`save`."""
    if name == "mjcf":
        from ossature.conversion.mjcf import write_mjcf  # loads the engine

        return write_mjcf(world, ledger, meshes=meshes or MeshStore.of(world), report=report)
    if name == "chrono":
        world = placed_at_start(with_moments(world, meshes or MeshStore.of(world), ledger), ledger)
    elif name == "skel":
        world = as_trees(world, ledger)
    return FORMATS[name].writer(world, ledger, folder=path.resolve().parent)
