"""The real URDF robots, for the tests that go over them."""

from __future__ import annotations

from pathlib import Path

from conftest import corpus_folder
from ossature.diagnostics import Report, Source
from ossature.formats.urdf import read_urdf
from ossature.model import World


def urdf_files() -> list[str]:
    """Return the files of the corpus by their path in it, without suffix; none where there is no corpus."""
    folder = corpus_folder()
    if folder is None:
        return []
    root = folder / "corpus" / "urdf"
    return sorted(path.relative_to(root).with_suffix("").as_posix() for path in root.rglob("*.urdf"))


def urdf_path(corpus: Path, name: str) -> Path:
    """Return the path of a file of the corpus."""
    return corpus / "corpus" / "urdf" / f"{name}.urdf"


def load(corpus: Path, name: str) -> World:
    """Return the World of a file of the corpus, whose errors fail the test."""
    path = urdf_path(corpus, name)
    report = Report()
    world = read_urdf(Source(str(path), path.read_bytes()), report, folder=path.parent)
    assert world is not None
    assert not report.has_errors, str(report)
    return world
