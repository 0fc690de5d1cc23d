"""A file that is shown: its World, its findings, and where its joints are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ossature.assets import MeshStore
from ossature.diagnostics import Diagnostic, Limits, Report
from ossature.formats.open_file import read_file
from ossature.model import World

MeshesOf = Callable[[Path], MeshStore]
"""Returns where the meshes of a file are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedFile:
    """A file that was read.

    Attributes:
        path: The file.
        format: Its format, or None where its suffix or beginning tells.
        world: The World, or None where it cannot be used.
        report: What reading it found.
        meshes: Where its meshes are.
    """

    path: Path
    format: str | None
    world: World | None
    report: Report
    meshes: MeshStore = field(repr=False)

    def findings(self) -> list[Diagnostic]:
        """Return what reading and checking found, by place in the file; meshes are loaded for it."""
        from ossature.checks import check  # not needed before something is seen

        found = Report(self.report, limits=self.report.limits)
        if self.world is not None:
            check(self.world, report=found, meshes=self.meshes)
        return found.sorted()


def open_file(
    path: Path,
    meshes_of: MeshesOf,
    format: str | None = None,  # the public word
    limits: Limits | None = None,
) -> LoadedFile:
    """Return a file that was read; its World is None where there is an error in it.

    Raises:
        ValueError: There is no format of that name.
    """
    report = Report(limits=limits)
    world = read_file(path, report, format_name=format)
    if report.has_errors:
        world = None
    return LoadedFile(path=path, format=format, world=world, report=report, meshes=meshes_of(path))
