"""The COLLADA documents of the corpus, plain or in archives."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from conftest import corpus_folder

FOLDERS = ("openrave", "openrave-elements")


def openrave_files() -> list[str]:
    """Return the names of the corpus' files, ``openrave/pumaarm.zae``; none without a corpus."""
    folder = corpus_folder()
    if folder is None:
        return []
    return sorted(f"{name}/{path.name}" for name in FOLDERS for path in (folder / "corpus" / name).glob("*.*"))


def documents(path: Path) -> Iterator[bytes]:
    """Yield the documents of a file: itself, or those inside of it where it is an archive, whatever it is called."""
    data = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(data)):
        yield data
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        yield from (archive.read(name) for name in archive.namelist() if name.endswith(".dae"))
