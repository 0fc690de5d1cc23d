"""XML as TinyXML reads it, the parser of MuJoCo and SDFormat: comments may contain ``--``, which XML forbids."""

from __future__ import annotations

import re

from ossature.diagnostics import Report, Source
from ossature.syntax import xml_parser
from ossature.syntax.xml import XmlNode

_COMMENT = re.compile(rb"<!--(.*?)-->", re.DOTALL)
_NOT_NEWLINE = re.compile(rb"[^\r\n]")


def parse_with_loose_comments(source: Source, report: Report) -> XmlNode | None:
    """Return the root element of a document, or None with a finding if it is not well-formed."""
    if any(b"--" in comment for comment in _COMMENT.findall(source.data)):
        data = _COMMENT.sub(lambda match: b"<!--" + _NOT_NEWLINE.sub(b" ", match[1]) + b"-->", source.data)
        source = Source(source.name, data)
    return xml_parser.parse(source, report)
