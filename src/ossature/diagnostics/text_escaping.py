"""Text that every terminal and every encoding can show."""

from __future__ import annotations


def printable(text: str, *, line_breaks: bool = True) -> str:
    """Return text with control characters, marks of direction, and lone surrogates spelled out; tabs stay.

    Names may hold all of them: an escape sequence would be obeyed by a terminal, marks of direction make a text look like
    another one, and a surrogate cannot be encoded.

    Args:
        text: The text.
        line_breaks: Whether line breaks stay, too. They are spelled out where the text is part of one line: a name could
            otherwise print a line that looks like one of the program's own.
    """
    if text.isprintable():
        return text
    kept = "\n\t" if line_breaks else "\t"
    return "".join([part if part.isprintable() or part in kept else _spelled(part) for part in text])


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
