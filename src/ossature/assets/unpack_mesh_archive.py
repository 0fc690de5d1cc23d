"""The bytes of a mesh file; of an archive, those of the document in it."""

from __future__ import annotations

from ossature.assets.archive import is_archive, open_archive
from ossature.assets.archive_main_document import main_document
from ossature.assets.resolver import AssetError
from ossature.diagnostics import Limits, Report, Source


def unpack_mesh_bytes(uri: str, suffix: str, data: bytes, limits: Limits) -> bytes:
    """Return a mesh file's bytes, unpacked.

    Args:
        uri: The file, for messages.
        suffix: Its format; a ``zae`` becomes the ``dae`` in it, unless it is one already.
        limits: Limits of unpacking.

    Raises:
        AssetError: The archive cannot be read or exceeds a limit, or the file is one without being called so.
    """
    if suffix == "zae" and is_archive(data):
        data = _read_main_document(uri, data, limits)
    if suffix in ("dae", "zae") and is_archive(data):
        raise AssetError(uri, "is an archive, not a .dae file", hint="name it .zae")
    return data


def _read_main_document(uri: str, data: bytes, limits: Limits) -> bytes:
    # The choice of the document is a finding for a model; for a mesh only its failure matters.
    report = Report(limits=limits)
    archive = open_archive(Source(uri, data), report)
    main = main_document(archive, report)
    if main is None:
        reason = report.errors[-1]
        raise AssetError(uri, reason.message, hint=reason.hint)
    return archive.read(main.path)
