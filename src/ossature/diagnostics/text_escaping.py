"""Text that every terminal and every encoding can show."""

from __future__ import annotations

import re

WORKFLOW_COMMAND = re.compile(r"##(?=(?:vso)?\[)")
"""Commands of Azure Pipelines, which GitHub accepts too, anywhere in a line."""
WORKFLOW_LINE = re.compile(r"\s*::")
"""Commands of GitHub, at the start of a line."""


def printable(text: str, *, line_breaks: bool = True) -> str:
    """Return text with control characters, bidirectional marks, and lone surrogates escaped; tabs are kept.

    Names may contain all of them: a terminal would execute an escape sequence, bidirectional marks make a text look like
    another one, and a surrogate cannot be encoded.

    Args:
        line_breaks: Whether line breaks are kept. They are escaped if the text is part of one line: a name could
            otherwise print a line that looks like one of the program's own.
    """
    if text.isprintable():
        return text
    kept = "\n\t" if line_breaks else "\t"
    return "".join([part if part.isprintable() or part in kept else _escape_character(part) for part in text])


def _escape_character(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
