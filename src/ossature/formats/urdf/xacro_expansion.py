"""Expansion of xacro templates with the package xacrodoc. It evaluates expressions and reads files, and is never automatic.

Expressions are Python's, without most of its functions. They are evaluated in a process of its own, with limited CPU time and
memory.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from ossature.assets import Resolver
from ossature.assets.read_regular_files import file_bytes
from ossature.assets.uri_resolver import SEARCH_PATH_VARIABLE, search_path_from_environment
from ossature.diagnostics import Diagnostic, LimitError, Location, Related, Report, Source, within_limits
from ossature.diagnostics.resource_limits import OUT_OF_MEMORY, READING_TOO_LONG, raising_hint
from ossature.diagnostics.text_escaping import printable
from ossature.formats.format import ReadContext
from ossature.formats.urdf import rules
from ossature.formats.urdf.urdf_with_srdf import read
from ossature.garbage_collection import collector_paused
from ossature.isolated_python_processes import run_program
from ossature.model import World

NEEDS_XACRO = "reading xacro templates needs xacrodoc: pip install 'ossature[xacro]'"
EXPANDED = " (expanded)"
"""What is appended to the name of a template as the name of its expansion."""
_SHARE = 1 / 40
"""Share of the CPU time of reading that the expansion may take."""
_OUT_OF_MEMORY = 3
"""Exit status of the program."""
_PROGRAM = """
import contextlib, io, json, os, sys
from pathlib import Path
import xacro
from xacrodoc import packages  # lets xacro find packages without an installation of ROS

given = json.load(sys.stdin)
output = io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8", errors="backslashreplace", newline="")
sys.stdout = sys.stderr

def find_packages():
    packages.walk_up_from(given["path"])
    if given["folders"]:
        packages.look_in(given["folders"])
    without_manifest = [Path(found.path) for folder in given["folders"] for found in os.scandir(folder) if found.is_dir()]
    for folder in (*without_manifest, *map(Path, given["folders"]), *Path(given["path"]).resolve().parents):
        if not os.path.exists(folder / "package.xml"):
            try:
                packages.get_path(folder.name)
            except packages.PackageNotFoundError:
                packages.update_package_cache({folder.name: folder})

def message(error):
    texts, suffixes = [], []
    while isinstance(error, xacro.XacroException):
        own = Exception.__str__(error)
        if own != "None" and not own.startswith("<class "):  # which repeats the message of the cause
            texts.append(own)
        suffixes.insert(0, error.suffix or "")
        if error.exc is None or (texts and isinstance(error.exc, OSError)):
            break
        error = error.exc
    else:
        texts.append(str(error) or type(error).__name__)
    text = ": ".join(filter(None, texts))
    with contextlib.redirect_stderr(io.StringIO()) as location:
        xacro.print_location()
    lines = [*text.splitlines(), *"".join(suffixes).splitlines(), *location.getvalue().splitlines()]
    return "; ".join(dict.fromkeys(line.strip() for line in lines if line.strip()))

try:
    find_packages()
    text = xacro.process_file(given["path"], mappings=given["arguments"]).toprettyxml(indent="  ")
    output.write(text)
except Exception as error:
    output.write(message(error))
    while getattr(error, "exc", None) is not None:
        error = error.exc
    sys.exit(3 if isinstance(error, MemoryError) else 1)
"""
"""What the process of an expansion runs; its expressions can take any time and memory."""
_HINTS = {
    "Package not found": f"add the folder that contains the package with --search-path or {SEARCH_PATH_VARIABLE}",
    "Undefined substitution argument": "state the argument with --xacro-arg NAME:=VALUE",
    "codec can't decode": "save the file as UTF-8, which is the only encoding that xacro reads",
    "maximum recursion depth exceeded": "a macro calls itself, or a file includes itself, without end",
    "is not a boolean expression": "state arguments with --xacro-arg NAME:=VALUE, or correct the template",
}
"""What to do, by a part of the message of xacro."""
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_INCLUDED = re.compile(r"filename\s*=\s*[\"']([^\"'$]+)[\"']")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """An expanded template.

    Attributes:
        path: The name of its text: that of the template with a suffix.
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
    try:
        text = _text_of(path, arguments, search_path, source, report)
    except LimitError as refusal:
        report.refuse(refusal)
        return None
    except ValueError as error:
        message = f"the template cannot be expanded: {error}"
        hint = next((hint for reason, hint in _HINTS.items() if reason in message), "correct the template")
        location, calls = _error_locations(str(error), source, path)
        report.add(rules.XACRO_ERROR, message, location, hint=hint, related=calls)
        return None
    name = path.with_name(f"{path.name}{EXPANDED}")
    return Expansion(path=name, text=text, templates=(source, *_included(source, path)))


def _error_locations(message: str, source: Source, path: Path) -> tuple[Location, tuple[Related, ...]]:
    """Return where the cause of an error is, as far as the message of xacro states it, and where its macro is called."""
    macro = _MACRO_OF_ERROR.search(message)
    calls = [] if macro is None else _unique_location(rf"<xacro:{re.escape(macro['name'])}(?=[\s/>])", source)
    if macro is not None and _WRONG_CALL.search(message):
        return (*calls, Location(source, 0))[0], ()
    named = macro or _FILE_OF_ERROR.search(message)
    file = path if named is None else Path(named["file"])
    data = file_bytes(file, Report()) if file.suffix == ".xacro" and file != path else None
    where = source if data is None else Source(str(file), data)
    place, found = _PLACE.search(message), []
    if place is not None:
        found = [Location(where, where.offset_of(int(place["line"]), int(place["column"]) + 1))]
    elif (cause := _CAUSE.search(message)) is not None:
        words = {"expression": r"\$\{{\s*{}\s*\}}", "tag": r"<{}(?=[\s/>])", "argument": r"\$\(arg\s+{}\)"}
        found = _unique_location(words[str(cause.lastgroup)].format(re.escape(str(cause[str(cause.lastgroup)]))), where)
    related = tuple([Related(location=call, message="the macro is called here") for call in calls])
    return (*found, Location(where, 0))[0], related


_MACRO_OF_ERROR = re.compile(r"when instantiating macro: (?P<name>[^;\s]+) \((?P<file>[^;]*)\)")
_FILE_OF_ERROR = re.compile(r"when processing file: (?P<file>[^;]*)")
_PLACE = re.compile(r"line (?P<line>\d{1,9}), column (?P<column>\d{1,9})(?=;|$)")
_WRONG_CALL = re.compile(r"^(?:Undefined parameters|Invalid parameter) ")
_CAUSE = re.compile(
    r"when evaluating expression '(?P<expression>.*?)'(?=;|$)|unknown macro name: (?P<tag>[^;\s]+)|"
    r"Undefined substitution argument: (?P<argument>[^;\s]+)"
)
"""Parts of the messages of xacro, which states lines in malformed files only."""


def _unique_location(pattern: str, source: Source) -> list[Location]:
    """Return the location of a pattern if the file has it once, else nothing."""
    found = [each.start() for each in re.finditer(pattern, source.text)]
    return [Location(source, source.byte_offset(found[0]))] if len(found) == 1 else []


def _text_of(path: Path, arguments: Mapping[str, str], search_path: Sequence[Path], source: Source, report: Report) -> bytes:
    """Return the expanded text.

    Raises:
        ValueError: xacro cannot expand the template; the message is its own.
        LimitError: It takes too much time or memory.
    """
    limits, location = report.limits, Location(source, 0)
    seconds = _SHARE * limits.seconds
    folders = [
        str(folder)
        for folder in (*search_path, *search_path_from_environment())
        if os.access(folder, os.R_OK | os.X_OK) and folder.is_dir()
    ]
    given = {"path": str(path), "arguments": dict(arguments), "folders": folders}
    done = run_program(_PROGRAM, json.dumps(given).encode(), seconds=seconds, memory=limits.array_bytes)
    if done is None:
        message = f"expanding the template takes more than {seconds:g} s of CPU time"
        raise LimitError(READING_TOO_LONG, message, location, raising_hint("seconds", 2 * limits.seconds))
    if done.returncode == _OUT_OF_MEMORY:
        message = f"expanding the template takes more than {limits.array_bytes} bytes of memory"
        raise LimitError(OUT_OF_MEMORY, message, location, raising_hint("array_bytes", 2 * limits.array_bytes))
    for line in _COLOR.sub("", done.stderr.decode("utf-8", "replace")).splitlines():
        sys.stderr.write(f"xacro: {printable(line)}\n")
    if done.returncode:
        raise ValueError(done.stdout.decode("utf-8", "replace"))
    return done.stdout


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
    world = _read_expansion(expansion, found, resolver, srdf)
    report.extend(with_template_locations(list(found), expansion))
    return world


@within_limits
def _read_expansion(
    expansion: Expansion, report: Report, resolver: Resolver | None, srdf: Path | Literal[False] | None
) -> World | None:
    folders = ((), ()) if resolver is None else (resolver.search_path, resolver.allowed)
    source = Source(str(expansion.path), expansion.text, *folders)
    with collector_paused():
        return read(replace(ReadContext.of_file(source, report, resolver, srdf=srdf), is_expanded=True)).world


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
            text = _canonical_line(line.decode("utf-8", "replace"))
            if text:
                lines.setdefault(text, []).append(Location(source, offset + len(line) - len(line.lstrip())))
            offset += len(line) + 1
    return [_with_template_location(finding, expansion, lines) for finding in findings]


def _with_template_location(finding: Diagnostic, expansion: Expansion, lines: dict[str, list[Location]]) -> Diagnostic:
    location = finding.location
    if location is None or location.file != str(expansion.path):
        return finding
    line = expansion.text.split(b"\n")[(location.line or 1) - 1].decode("utf-8", "replace")
    found = lines.get(_canonical_line(line), [])
    if len(found) != 1:
        return finding
    return replace(finding, related=(*finding.related, Related(location=found[0], message="in the template")))


def _canonical_line(line: str) -> str:
    """Return the tag and the sorted attributes of a line, or a text without blanks: xacro orders attributes by name."""
    text = line.strip().replace("'", '"')
    tag = _TAG.match(text)
    return " ".join([tag[0], *sorted(_ATTRIBUTE.findall(text))]) if tag is not None else "".join(text.split())


_TAG = re.compile(r"<[\w:.-]+")
_ATTRIBUTE = re.compile(r"[\w:.-]+=\"[^\"]*\"")
