"""URIs of files to which an SDFormat file refers."""

from __future__ import annotations

import os
from pathlib import Path


def relative_uri(uri: str, folder: Path | None) -> str:
    """Return a URI, or an absolute path as one that is relative to a folder; None leaves it unchanged."""
    if folder is None or "://" in uri or not Path(uri).is_absolute():
        return uri
    return Path(os.path.relpath(uri, folder.resolve())).as_posix()
