"""Expansion of xacro templates with the package xacrodoc. It evaluates expressions and reads files, and is never automatic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from xml.parsers.expat import ExpatError

from ossature.assets import Resolver
from ossature.assets.read_regular_files import file_bytes
from ossature.diagnostics import Diagnostic, Location, Related, Report, Source
from ossature.formats.load_file import read_file
from ossature.formats.urdf import rules
from ossature.model import World

NEEDS_XACRO = "reading xacro templates needs xacrodoc: pip install 'ossature[xacro]'"
EXPANDED = " (expanded)"
"""What is appended to the name of a template as the name of its expansion."""
_INCLUDED = re.compile(r"filename\s*=\s*[\"']([^\"'$]+)[\"']")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """An expanded template.

    Attributes:
        path: The name of its text: that of the template with a suffix.
        text: The URDF text.
        templates: The template, and files that it includes by a plain path.
    """

    path: Path
    text: bytes
    templates: tuple[Source, ...]


def expand_xacro(
    path: Path, arguments: Mapping[str, str], report: Report, *, search_path: Sequence[Path] = ()
) -> Expansion | None:
    """Return the URDF text of a xacro template, or None if it cannot be expanded; the reason is reported.

    Args:
        path: The template.
        arguments: Values of its arguments.
        report: Receives the findings.
        search_path: Folders with packages.

    Raises:
        ImportError: The package xacrodoc is not installed.
    """
    data = file_bytes(path, report)
    if data is None:
        return None
    source = Source(str(path), data)
    if find_spec("xacrodoc") is None:
        raise ImportError(NEEDS_XACRO)
    import xacro
    from xacrodoc import packages  # lets xacro find packages without an installation of ROS

    packages.walk_up_from(str(path))
    if search_path:
        packages.look_in([str(folder) for folder in search_path])
    errors = (
        xacro.XacroException,
        packages.PackageNotFoundError,
        ExpatError,
        OSError,
        LookupError,
        ValueError,
        TypeError,
        NameError,
    )
    try:
        text = xacro.process_file(str(path), mappings=dict(arguments)).toprettyxml(indent="  ")
    except (*errors, ArithmeticError, AttributeError, SyntaxError, RuntimeError) as error:
        message = f"the template cannot be expanded: {str(error) or type(error).__name__}"
        report.add(rules.XACRO_ERROR, message, Location(source, 0), hint="state arguments with --xacro-arg NAME:=VALUE")
        return None
    name = path.with_name(f"{path.name}{EXPANDED}")
    return Expansion(path=name, text=text.encode(), templates=(source, *_included(source, path)))


def read_template(
    path: Path,
    arguments: Mapping[str, str],
    report: Report,
    *,
    search_path: Sequence[Path] = (),
    resolver: Resolver | None = None,
    srdf: Path | Literal[False] | None = None,
) -> World | None:
    """Return the World in a xacro template; findings are located in its expansion, with the line of a template if it is known.

    Args:
        path: The template.
        arguments: Values of its arguments.
        report: Receives the findings.
        search_path: Folders with packages.
        resolver: Finds the files to which the robot refers.
        srdf: Its SRDF file; see :class:`ossature.formats.ReadContext`.

    Raises:
        ImportError: The package xacrodoc is not installed.
    """
    expansion = expand_xacro(path, arguments, report, search_path=search_path)
    if expansion is None:
        return None
    found = Report(limits=report.limits)
    world = read_file(expansion.path, found, format_name="urdf", resolver=resolver, data=expansion.text, srdf=srdf)
    report.extend(with_template_locations(list(found), expansion))
    return world


def _included(source: Source, path: Path) -> list[Source]:
    """Return the files that a template includes by a plain path, for the positions of findings only."""
    found = []
    for name in _INCLUDED.findall(source.data.decode("utf-8", "replace")):
        file = path.parent / name
        data = file_bytes(file, Report()) if file.suffix == ".xacro" else None
        if data is not None:
            found.append(Source(str(file), data))
    return found


def with_template_locations(findings: Sequence[Diagnostic], expansion: Expansion) -> list[Diagnostic]:
    """Return findings in the expanded text with the location in a template that has the same line, if it is the only one."""
    lines: dict[str, list[Location]] = {}
    for source in expansion.templates:
        offset = 0
        for line in source.data.split(b"\n"):
            text = _plain(line.decode("utf-8", "replace"))
            if text:
                lines.setdefault(text, []).append(Location(source, offset + len(line) - len(line.lstrip())))
            offset += len(line) + 1
    return [_with_template_location(finding, expansion, lines) for finding in findings]


def _with_template_location(finding: Diagnostic, expansion: Expansion, lines: dict[str, list[Location]]) -> Diagnostic:
    location = finding.location
    if location is None or location.file != str(expansion.path):
        return finding
    line = expansion.text.split(b"\n")[(location.line or 1) - 1].decode("utf-8", "replace")
    found = lines.get(_plain(line), [])
    if len(found) != 1:
        return finding
    return replace(finding, related=(*finding.related, Related(location=found[0], message="in the template")))


def _plain(line: str) -> str:
    """Return the tag and the sorted attributes of a line, or a text without blanks: xacro orders attributes by name."""
    text = line.strip().replace("'", '"')
    tag = _TAG.match(text)
    return " ".join([tag[0], *sorted(_ATTRIBUTE.findall(text))]) if tag is not None else "".join(text.split())


_TAG = re.compile(r"<[\w:.-]+")
_ATTRIBUTE = re.compile(r"[\w:.-]+=\"[^\"]*\"")
