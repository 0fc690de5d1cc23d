"""Writing of archives; ``archive`` and ``manifest`` read them."""

from __future__ import annotations

import io
import zipfile
from urllib.parse import quote

from ossature.syntax.xml import escaped

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip; a fixed one makes equal documents equal archives


def write_archive(name: str, text: str) -> bytes:
    """Return a document as an archive whose manifest names it.

    Args:
        name: The document's file name in the archive.
        text: The document.
    """
    manifest = f'<?xml version="1.0" encoding="utf-8"?>\n<dae_root>./{escaped(quote(name))}</dae_root>\n'
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in (("manifest.xml", manifest), (name, text)):
            entry = zipfile.ZipInfo(member, _EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data.encode())
    return content.getvalue()
