"""Redaction of passwords in URIs."""

from __future__ import annotations

import re

# After the colon of a host follows a port if it is a number, else the start of a password.
_HOST_WITHOUT_PORT = r"((?<![^:\s\"'=(])//[^\s/?#@<>\[]*?):(?!\d*(?:[/?#\s\"'<>&]|:\s|$)|\*\*\*)"

# Up to the last @ of the host's part, or else of the line, or else to the end: hiding too much does no harm.
_SECRET = re.compile(_HOST_WITHOUT_PORT + r"(?:[^/?#<>\n]{0,1000}@|[^<>\n]{0,1000}@|[^\s/?#<>]*)")

# In the text of a file the @ may be escaped, or on the next line.
_PERHAPS_SECRET = re.compile(_HOST_WITHOUT_PORT)


def without_passwords(text: str) -> str:
    """Return text in which the passwords of URIs (``scheme://user:password@host/path``) are replaced by stars."""
    return _SECRET.sub(_hide_password, text) if "//" in text else text


def may_contain_password(line: str) -> bool:
    """Whether a line of a file has a URI that may contain a password."""
    return _PERHAPS_SECRET.search(line) is not None


def _hide_password(found: re.Match[str]) -> str:
    return f"{found[1]}:***{'@' if found[0].endswith('@') else ''}"
