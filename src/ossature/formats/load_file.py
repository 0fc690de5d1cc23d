"""Reads a file of any format: its bytes, its format, and what it contains."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from ossature.assets.read_regular_files import file_bytes
from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Location, Report, Source, within_limits
from ossature.formats.file_content_rules import UNEXPECTED_CONTENT, UNKNOWN_FORMAT
from ossature.formats.format import Content, Format, Loaded, ReadContext
from ossature.formats.registry import REGISTRY, suffix_problem
from ossature.formats.sniffing import description
from ossature.garbage_collection import collector_paused
from ossature.model import World

_DESCRIPTIONS = {
    Content.WORLD: ("a model", "give it as the model file"),
    Content.STATE: (
        "the state of a world",
        "use it with `ossature state`, or with its model in `simulate` or `view` with `--initial-state`",
    ),
    Content.TRAJECTORY: ("a trajectory", "use it with `ossature trajectory`, or with its model in `simulate` with `--track`"),
    Content.RECORDING: ("a recording", "use it with `ossature state`, or with its model in `view` with `--recording`"),
    Content.SEMANTICS: ("the semantics of a robot", "it is read with the URDF file of the same name, or with `--srdf`"),
    Content.CALIBRATION: ("the calibration of a robot", "use it with its model and `--calibration`"),
    Content.SWEEP: ("a sweep", "run it with `ossature sweep`"),
    Content.FIT: ("a fit", "run it with `ossature fit`"),
}


def read_file(
    path: str | Path,
    report: Report,
    *,
    format_name: str | None = None,
    dialect: str | None = None,
    resolver: Resolver | None = None,
    search_path: tuple[Path, ...] = (),
    allowed: tuple[Path, ...] = (),
    data: bytes | None = None,
    srdf: Path | Literal[False] | None = None,
    strict_options: bool = False,
) -> World | None:
    """Return the World in a file, or None if there is none; problems are reported. See :func:`load_file`."""
    wanted = (Content.WORLD,)
    return load_file(
        path,
        report,
        contents=wanted,
        format_name=format_name,
        dialect=dialect,
        resolver=resolver,
        search_path=search_path,
        allowed=allowed,
        data=data,
        srdf=srdf,
        strict_options=strict_options,
    ).world


def load_file(
    path: str | Path,
    report: Report,
    *,
    contents: Collection[Content],
    format_name: str | None = None,
    dialect: str | None = None,
    resolver: Resolver | None = None,
    search_path: tuple[Path, ...] = (),
    allowed: tuple[Path, ...] = (),
    data: bytes | None = None,
    srdf: Path | Literal[False] | None = None,
    strict_options: bool = False,
) -> Loaded:
    """Return what is in a file; problems are reported.

    Args:
        report: Receives findings.
        contents: What the file should contain.
        format_name: The file's format or dialect; determined from its suffix and first bytes if None.
        dialect: The program whose interpretation is used; that of the specification if None.
        resolver: Finds the files to which it refers; by default in its folder and those of environment variables, and in:
        search_path: Folders with packages and data.
        allowed: Folders outside its own from which files may be opened.
        data: The content of the file, if it is not to be read.
        srdf: The SRDF file of a URDF robot; None for the one beside its URDF file, False for none.
        strict_options: Whether a dialect or an SRDF file is refused if the format of the file has none. Otherwise files of
            several formats can be read with the same options.

    Raises:
        ValueError: There is no format of that name, or that of the file has no such dialect; or no SRDF file.
    """
    known, implied = (
        (None, None)
        if format_name is None
        else REGISTRY.named(format_name, lambda each: each.content in contents and each.read is not None)
    )
    dialect = dialect or implied
    if known is not None:
        _require_applicable(known, dialect, None)
    if known is None and dialect is not None and dialect not in REGISTRY.dialects():
        raise ValueError(f"no format has the dialect '{dialect}': {_dialects(REGISTRY.dialects())}")
    folders = (search_path, allowed) if resolver is None else (resolver.search_path, resolver.allowed)
    return _load_file(Path(path), report, contents, known, dialect, resolver, folders, data, srdf, strict_options) or Loaded()


def _require_applicable(known: Format, dialect: str | None, srdf: Path | Literal[False] | None) -> None:
    if dialect is not None and dialect not in known.dialects:
        raise ValueError(f"the format '{known.name}' has no dialect '{dialect}': {_dialects(known.dialects)}")
    if isinstance(srdf, Path) and not known.has_semantics:
        raise ValueError(f"an SRDF file belongs to a URDF file, not to a file of the format '{known.name}'")


def _dialects(known: Collection[str]) -> str:
    return f"valid: {', '.join(known)}" if known else "it has none"


@within_limits
def _load_file(
    path: Path,
    report: Report,
    contents: Collection[Content],
    known: Format | None,
    dialect: str | None,
    resolver: Resolver | None,
    folders: tuple[tuple[Path, ...], tuple[Path, ...]],
    data: bytes | None,
    srdf: Path | Literal[False] | None,
    strict_options: bool,
) -> Loaded | None:
    data = file_bytes(path, report) if data is None else data
    if data is None:
        return None
    source = Source(str(path), data, *folders)
    if known is not None and dialect is not None and not known.sniff(data):  # a dialect states the format of other files too
        _require_applicable(REGISTRY.find(path, data, contents) or known, dialect, None)
    known = known or REGISTRY.find(path, data, contents, report) or _only_format(contents)
    if known is None:
        names = ", ".join(each.name for each in REGISTRY.all(*contents) if each.read is not None)
        message = f"{suffix_problem(path)}, and {description(data)}"
        report.add(
            UNKNOWN_FORMAT, message, Location(source), hint=f"state the format (--input-format, in Python format=): {names}"
        )
        return None
    if known.read is None or known.content not in contents or known.opens_file:
        _report_unexpected(known, contents, source, report)
        return None
    if strict_options:
        _require_applicable(known, dialect, srdf)
    with collector_paused():
        known_dialect = dialect if dialect in known.dialects else None
        return known.read(ReadContext.of_file(source, report, resolver, known_dialect, srdf))


def _only_format(contents: Collection[Content]) -> Format | None:
    """Return the only format with a content, whose reader then reports why a file does not have it."""
    found = [known for known in REGISTRY.all(*contents) if known.read is not None]
    return found[0] if len(found) == 1 else None


def _report_unexpected(known: Format, contents: Collection[Content], source: Source, report: Report) -> None:
    found, hint = _DESCRIPTIONS[known.content]
    expected = " or ".join(_DESCRIPTIONS[content][0] for content in contents)
    if known.content in contents:
        message, hint = f"files of the format '{known.name}' can be written, but not read", "convert it with another program"
    elif known.sniff(source.data):
        message = f"this file contains {found}, not {expected}"
    else:
        message = f"files with the suffix '{Path(source.name).suffix}' contain {found}, not {expected}"
    report.add(UNEXPECTED_CONTENT, message, Location(source, 0), hint=hint)
