"""What a mesh's reader is given: the bytes of its file, without what could harm or hinder the reader."""

from __future__ import annotations

import io
import zipfile

from ossature.assets.archive import ArchiveLimits, is_archive, open_archive
from ossature.assets.manifest import main_document
from ossature.assets.resolver import MOST_BYTES, AssetError
from ossature.diagnostics import Report, Source

_STL_HEADER, _STL_TRIANGLE = 84, 50


def plain_data(uri: str, suffix: str, data: bytes) -> bytes:
    """Return a mesh file's bytes, unpacked and in an encoding that its reader takes.

    Args:
        uri: The file, for messages.
        suffix: Its format; a ``zae`` becomes the ``dae`` in it, unless it is one already.
        data: Its bytes.

    Raises:
        AssetError: The file holds something that no mesh needs: too much data, or entities.
    """
    if suffix == "zae" and is_archive(data):
        data = _unpacked(uri, data)
    if suffix in ("dae", "zae"):
        return _without_traps(uri, data)
    if suffix in ("obj", "off") or (suffix == "stl" and not _is_binary_stl(data)):
        # Comments and names may be in any encoding, and count for nothing.
        return data.decode("utf-8", "replace").encode()
    return data


def _unpacked(uri: str, data: bytes) -> bytes:
    # The choice of the document is a finding for a model; for a mesh only its failure matters.
    report = Report()
    archive = open_archive(Source(uri, data), report, ArchiveLimits(member_bytes=MOST_BYTES))
    main = main_document(archive, report)
    if main is None:
        reason = report.errors[-1]
        raise AssetError(uri, reason.message, hint=reason.hint)
    return archive.read(main.path)


def _without_traps(uri: str, data: bytes) -> bytes:
    # pycollada unpacks whatever looks like an archive, however large, and an older lxml opens what an entity names.
    if zipfile.is_zipfile(io.BytesIO(data)):
        raise AssetError(uri, "is an archive, not a .dae file", hint="name it .zae")
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise AssetError(uri, "declares XML entities, which no mesh needs")
    return data


def _is_binary_stl(data: bytes) -> bool:
    count = int.from_bytes(data[_STL_HEADER - 4 : _STL_HEADER], "little")
    return len(data) == _STL_HEADER + _STL_TRIANGLE * count
