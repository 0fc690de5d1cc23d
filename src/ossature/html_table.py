"""Tables in HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; all texts are escaped."""
    lines = [("th", head), *(("td", row) for row in rows)]
    cells = ["".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in row) for tag, row in lines]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in cells)}</table>"
