"""A file that is shown: its World, findings and meshes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ossature.assets import MeshStore
from ossature.diagnostics import Diagnostic, Limits, Report
from ossature.formats.load_file import read_file
from ossature.model import World

MeshesOf = Callable[[Path], MeshStore]
"""Returns the mesh store of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedFile:
    """A file that was read.

    Attributes:
        format: Its format, or None if it was detected from suffix or content.
        world: The World, or None if the file has errors.
        report: Findings of reading the file.
        as_read: The World without what options of a command add, or None if that is the same.
    """

    path: Path
    format: str | None
    world: World | None
    report: Report
    meshes: MeshStore = field(repr=False)
    as_read: World | None = field(default=None, repr=False)

    def findings(self) -> list[Diagnostic]:
        """Return the findings of reading and checking, by location in the file; loads the meshes."""
        from ossature.checks import check  # imported late: the scene is shown first

        found = Report(self.report, limits=self.report.limits)
        if self.world is not None:
            check(self.world, report=found, meshes=self.meshes)
        return found.sorted()


def open_file(
    path: Path,
    meshes_of: MeshesOf,
    format: str | None = None,  # a public name
    limits: Limits | None = None,
    srdf: Path | Literal[False] | None = None,
) -> LoadedFile:
    """Read a file; its World is None if there are errors.

    Raises:
        ValueError: There is no format of that name.
    """
    report = Report(limits=limits)
    world = read_file(path, report, format_name=format, srdf=srdf)
    if report.has_errors:
        world = None
    return LoadedFile(path=path, format=format, world=world, report=report, meshes=meshes_of(path))
