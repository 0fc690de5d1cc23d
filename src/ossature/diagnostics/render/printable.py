"""Text that every terminal and every encoding can show."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text with control characters and lone surrogates spelled out; line breaks and tabs stay.

    Names of files may hold both: an escape sequence would be obeyed by a terminal, a surrogate cannot be encoded.
    """
    if text.isprintable():
        return text
    return "".join([part if part.isprintable() or part in "\n\t" else _spelled(part) for part in text])


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
