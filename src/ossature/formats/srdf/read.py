"""Reading SRDF files: the file of a robot, and its syntax. Its meaning is in ``apply``."""

from __future__ import annotations

from pathlib import Path

from ossature.assets.filesystem import Files
from ossature.assets.read_regular_files import file_bytes
from ossature.diagnostics import Report, Source, within_limits
from ossature.formats.srdf import rules
from ossature.formats.srdf.schema import SemanticRobotElement
from ossature.syntax import xml_parser
from ossature.syntax.xml_binding import bind

SUFFIX = ".srdf"


def find_srdf(path: Path, files: Files) -> Path | None:
    """Return the SRDF file that belongs to a URDF file: the one of the same name beside it, or None if there is none."""
    beside = path.with_suffix(SUFFIX) if path.name else None
    return beside if beside is not None and files.is_file(beside.absolute()) else None


def read_srdf(path: Path, files: Files, report: Report) -> SemanticRobotElement | None:
    """Return the content of an SRDF file, or None if it cannot be read; problems are reported."""
    data = file_bytes(path, report, read=lambda path, most_bytes: files.read(path.absolute(), most_bytes))
    return None if data is None else parse_srdf(Source(str(path), data), report)


@within_limits
def parse_srdf(source: Source, report: Report) -> SemanticRobotElement | None:
    """Return the content of an SRDF text, or None if it is none."""
    root = xml_parser.parse(source, report)
    if root is None:
        return None
    if root.tag != "robot":
        message = f"the root element is <{root.tag[:80]}>"
        report.add(rules.WRONG_ROOT_ELEMENT, message, root.location, hint="the root element of an SRDF file is <robot>")
        return None
    return bind(SemanticRobotElement, root, report)
