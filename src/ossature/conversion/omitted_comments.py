"""Comments of the file that a World was read from, which no writer keeps."""

from __future__ import annotations

import re

from ossature.diagnostics import Ledger, Location
from ossature.model import World

_XML = re.compile(rb"<!\[CDATA\[.*?\]\]>|<!--(?P<text>.*?)-->", re.DOTALL)
_YAML = re.compile(rb"(?m)\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|(?:^|(?<=\s))#(?P<text>.*)$")
_BINARY = (b"PXR-USDC", b"PK")


def record_comments(world: World, ledger: Ledger) -> None:
    """Record each comment of the file that a World was read from as omitted, with its line."""
    if world.origin is None:
        return
    source = world.origin.source
    if source.data.startswith(_BINARY):
        return
    pattern = _XML if source.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else _YAML
    for match in pattern.finditer(source.data):
        text = match["text"]
        if text is not None and not source.data.startswith(b"#usda", match.start()):  # the mark of a layer of OpenUSD
            location = Location(source, match.start())
            words = " ".join(text.decode("utf-8", "replace").split())
            ledger.omitted(f"line {location.line}", "comment", before=words, location=location)
