"""Examples of findings: for each rule a command, and small files with which it reports the rule.

An example is a text in the txtar form: lines with commands, then for each file a line ``-- NAME --`` and its content. A name
that ends in ``.base64`` is that of a binary file, without this ending.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from importlib import resources

_HEADING = re.compile(r"^-- (\S+) --\n", re.MULTILINE)
_BASE64 = ".base64"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Commands and files.

    Attributes:
        text: The example as it is written, in the txtar form.
        commands: The command lines, in order; the last one reports the rule.
        files: The content of each file by its name.
    """

    text: str
    commands: tuple[str, ...]
    files: dict[str, bytes]


def example_of(rule: str) -> Example | None:
    """Return the example of a rule, or None."""
    file = resources.files("ossature.diagnostics").joinpath("examples", f"{rule}.txtar")
    return parse_example(file.read_text(encoding="utf-8")) if file.is_file() else None


def parse_example(text: str) -> Example:
    """Return the commands and files of an example in the txtar form."""
    commands, *sections = _HEADING.split(text)
    files: dict[str, bytes] = {}
    for name, content in zip(sections[::2], sections[1::2], strict=True):
        is_binary = name.endswith(_BASE64)
        files[name.removesuffix(_BASE64)] = base64.b64decode(content) if is_binary else content.encode()
    return Example(text=text, commands=tuple(line for line in commands.splitlines() if line.strip()), files=files)
