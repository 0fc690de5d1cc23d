"""The formats: a table from name to reader and writer."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from ossature.diagnostics import Ledger, Report, Rule, Source
from ossature.model import World
from ossature.syntax.schema import Element


class Reader(Protocol):
    """Reads a file into a World."""

    def __call__(self, source: Source, report: Report, *, folder: Path | None = None) -> World | None:
        """Return the World, or None if the file does not have the format."""


class Writer(Protocol):
    """Writes a World as text."""

    def __call__(self, world: World, ledger: Ledger, *, folder: Path | None = None) -> str:
        """Return the text of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format.

    Attributes:
        name: Its name on the command line.
        title: Its description.
        suffixes: Suffixes of its files.
        roots: Starts of root elements, by which a file with another suffix is recognised.
        syntax: ``xml`` or ``yaml``.
        holds_triangles: Whether its files contain the triangles of meshes; others refer to mesh files.
        rounding: Largest error of numbers after writing and reading, absolute or relative.
        module: The package that has ``read_NAME``, ``write_NAME``, ``schema`` and ``rules``; imported when needed.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    roots: tuple[bytes, ...]
    module: str
    syntax: str = "xml"
    holds_triangles: bool = False
    rounding: float = 0.0

    @property
    def reader(self) -> Reader:
        """Its reader."""
        return cast(Reader, getattr(import_module(self.module), f"read_{self.name}"))

    @property
    def writer(self) -> Writer:
        """Its writer."""
        return cast(Writer, getattr(import_module(self.module), f"write_{self.name}"))

    @property
    def declarations(self) -> tuple[tuple[str, type[Element]], ...]:
        """The schema of its files: name and declaration of each root element."""
        return cast("tuple[tuple[str, type[Element]], ...]", import_module(f"{self.module}.schema").ROOTS)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of its reader."""
        return cast("tuple[Rule, ...]", import_module(f"{self.module}.rules").RULES)


FORMATS: dict[str, Format] = {
    "skel": Format(
        name="skel",
        title="SKEL, DART's world format",
        suffixes=(".skel",),
        roots=(b"<skel",),
        module="ossature.formats.skel",
    ),
    "chrono": Format(
        name="chrono",
        title="Chrono YAML, multibody models of Project Chrono",
        suffixes=(".yaml", ".yml"),
        roots=(b"chrono-version",),
        module="ossature.formats.chrono",
        syntax="yaml",
        rounding=1e-12,
    ),
    "collada": Format(
        name="collada",
        title="COLLADA 1.5 robots with OpenRAVE's extensions",
        suffixes=(".dae", ".zae"),
        roots=(b"<COLLADA", b"PK\x03\x04"),
        module="ossature.formats.collada",
        rounding=1e-12,
        holds_triangles=True,
    ),
    "openrave": Format(
        name="openrave",
        title="COLLADA as OpenRAVE reads it, where that differs from COLLADA",
        suffixes=(),
        roots=(),
        module="ossature.formats.collada",
        rounding=1e-12,
        holds_triangles=True,
    ),
    "urdf": Format(
        name="urdf",
        title="URDF, the robot description of ROS",
        suffixes=(".urdf",),
        roots=(b"<robot ", b"<robot>", b"<robot\n"),
        module="ossature.formats.urdf",
        rounding=1e-12,
    ),
}
"""All formats by name."""

USDF = Format(
    name="usdf",
    title="USDF, states of worlds",
    suffixes=(".usdf",),
    roots=(b"<world_state",),
    module="ossature.formats.usdf",
)
"""The format of states; its files contain no World."""

_SNIFFED_BYTES = 65536


def format_of(path: Path, data: bytes = b"") -> Format | None:
    """Return the format of a file by its suffix, else by its first bytes, or None if it is unknown."""
    for known in FORMATS.values():
        if path.suffix.lower() in known.suffixes:
            return known
    head = data[:_SNIFFED_BYTES]
    for known in FORMATS.values():
        if any(root in head for root in known.roots):
            return known
    return None


__all__ = ["FORMATS", "USDF", "Format", "Reader", "Writer", "format_of"]
