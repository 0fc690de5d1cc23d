"""The document of the page: its title, and a style that hides viser's settings until they are opened."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from functools import lru_cache
from html import escape

from websockets.http11 import Response

from ossature.diagnostics.text_escaping import printable

# Viser shows its settings, with the address of the server and its token, also where the panel has no elements yet: before the
# page is connected, and while panels are replaced. The arrow is on the button that closes the settings.
_STYLE = """<style>
body:not(:has(.tabler-icon-arrow-back)) .mantine-Stack-root:has(> .mantine-TextInput-root .mantine-TextInput-section img) {
  display: none;
}
</style>"""


def with_title(html: str, title: str) -> str:
    """Return an HTML document with another title, which is text, not HTML."""
    element = f"<title>{escape(printable(title))}</title>"
    return re.sub(r"<title>.*?</title>", lambda _: element, html, count=1, flags=re.DOTALL)


def adapt_document(response: Response, title: str) -> Response:
    """Return a response of viser, with another title and style if it is the document of the page."""
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return response
    body = _adapted(bytes(response.body), title, is_compressed=response.headers.get("Content-Encoding") == "gzip")
    headers = response.headers.copy()
    headers.pop("Content-Length", None)
    headers["Content-Length"] = str(len(body))
    return replace(response, headers=headers, body=body)


@lru_cache(maxsize=2)
def _adapted(body: bytes, title: str, *, is_compressed: bool) -> bytes:
    html = (gzip.decompress(body) if is_compressed else body).decode()
    adapted = with_title(html, title).replace("</head>", f"{_STYLE}</head>", 1).encode()
    return gzip.compress(adapted) if is_compressed else adapted
