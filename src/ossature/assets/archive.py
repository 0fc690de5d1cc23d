"""Archives (``.zae``), recognised by their content and unpacked in memory, without trust in their headers."""

from __future__ import annotations

import io
import math
import posixpath
import stat
import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from ossature.assets.rules import DUPLICATE_ARCHIVE_MEMBER
from ossature.assets.uri_resolver import AssetError
from ossature.diagnostics import Limits, Location, Report, Source, suggestion
from ossature.diagnostics.resource_limits import FILE_TOO_LARGE, TOO_MANY_DOCUMENTS, raising_hint
from ossature.syntax.xml import escaped

_MARK = b"PK"
_DIRECTORY_ENTRY = b"PK\x01\x02"
_MEMBER_HEADER = b"PK\x03\x04"
_MEMBER_HEADER_SIZE, _LENGTHS_IN_HEADER = 30, 26
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods allow a few bytes to request gigabytes of memory
_PACK_AGAIN = "pack the files again with an ordinary zip program"


UNRESTRICTED_UNPACKED_BYTES = 64 << 20
"""Up to this size of the unpacked files [bytes], their ratio to the size of the archive is not limited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The files in an archive, by their paths in it: relative, with slashes, without ``.`` and ``..``.

    Attributes:
        source: The archive itself.
        limits: Limits of unpacking.
        members: The files that can be read, in the archive's order.
        refused: Files that are never opened, and why not.
    """

    source: Source
    limits: Limits
    members: dict[str, zipfile.ZipInfo] = field(repr=False)
    refused: dict[str, str] = field(repr=False)
    _packed: zipfile.ZipFile = field(repr=False)
    _unpacked: dict[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def location(self) -> Location:
        """The archive as a whole."""
        return Location(self.source)

    def member_name(self, path: str) -> str:
        """Return the name by which people know a file in the archive: ``robot.zae/robot.dae``."""
        return f"{self.source.name}/{path}"

    def is_file(self, path: str) -> bool:
        """Whether there is such a file that can be read."""
        return member_path(path) in self.members

    def size(self, path: str) -> int:
        """Return the size of a file that its header states; reading never returns more.

        Raises:
            AssetError: There is no such file, or it is never opened.
        """
        return self._member(member_path(path)).file_size

    def read(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            AssetError: There is no such file, it is never opened, is damaged, or is too large.
        """
        path = member_path(path)
        if path not in self._unpacked:
            self._unpacked[path] = self._unpack(path, self._member(path))
        return self._unpacked[path]

    def _member(self, path: str) -> zipfile.ZipInfo:
        if path in self.refused:
            raise AssetError(self.member_name(path), self.refused[path], hint=_PACK_AGAIN)
        if path not in self.members:
            raise AssetError(self.member_name(path), "no such file in the archive", hint=suggestion(path, self.members))
        return self.members[path]

    def _unpack(self, path: str, member: zipfile.ZipInfo) -> bytes:
        name = self.member_name(path)
        self._require_memory(name, member)
        try:
            with self._packed.open(member) as file:
                # The size was permitted. More than it would be a lie of the header, and is not unpacked.
                data = file.read(member.file_size + 1)
        except Exception as error:  # zipfile raises various exceptions for a damaged archive
            raise AssetError(name, f"cannot be unpacked: {_error_text(error)}", hint=_PACK_AGAIN) from error
        if len(data) != member.file_size:
            raise AssetError(name, f"{len(data)} bytes instead of the stated {member.file_size}", hint=_PACK_AGAIN)
        return data

    def _require_memory(self, name: str, member: zipfile.ZipInfo) -> None:
        # All that was unpacked counts together: many files of a small archive can each be as large as is allowed.
        total = member.file_size + sum(map(len, self._unpacked.values()))
        most = self.limits.unpacked_bytes
        if total > most:
            reason = f"with it, the archive unpacks to {total} bytes, more than {most}"
            raise AssetError(name, reason, (), raising_hint("unpacked_bytes", total), FILE_TOO_LARGE)
        ratio = total / max(len(self.source.data), 1)
        if total > UNRESTRICTED_UNPACKED_BYTES and ratio > self.limits.unpacked_ratio:
            reason = f"with it, the archive unpacks to {total} bytes, more than {self.limits.unpacked_ratio} times its own size"
            raise AssetError(name, reason, (), raising_hint("unpacked_ratio", math.ceil(ratio)), FILE_TOO_LARGE)


def member_path(name: str) -> str:
    """Return the normalised path of a file in an archive: without ``.``, double slashes, and ``..`` inside."""
    return posixpath.normpath(name)


def is_archive(data: bytes) -> bool:
    """Whether data starts like an archive; names and suffixes are not considered."""
    return data.startswith(_MARK)


def open_archive(source: Source, report: Report) -> Archive:
    """Return the content of an archive, without unpacking it.

    Args:
        source: The archive.
        report: Report to add findings to (duplicate names). Its limits bound the unpacked size.

    Raises:
        AssetError: It is damaged, contains too many files, or files that share their bytes.
    """
    most = report.limits.archive_members
    # Each entry of the directory starts so: the number is bounded before they are parsed.
    if source.data.count(_DIRECTORY_ENTRY) > most:
        hint = raising_hint("archive_members", 4 * most)
        raise AssetError(source.name, f"more than {most} files in the archive", (), hint, TOO_MANY_DOCUMENTS)
    try:
        packed = zipfile.ZipFile(io.BytesIO(source.data))
    except Exception as error:  # zipfile raises various exceptions for a damaged archive
        raise AssetError(source.name, f"cannot be opened as an archive: {_error_text(error)}", hint=_PACK_AGAIN) from error
    _require_disjoint(source, packed)
    members: dict[str, zipfile.ZipInfo] = {}
    refused: dict[str, str] = {}
    for entry in packed.infolist():
        _add_entry(entry, members, refused, report, Location(source))
    return Archive(source=source, limits=report.limits, members=members, refused=refused, _packed=packed)


def _add_entry(
    entry: zipfile.ZipInfo, members: dict[str, zipfile.ZipInfo], refused: dict[str, str], report: Report, location: Location
) -> None:
    if entry.orig_filename.endswith("/"):  # a folder
        return
    path = member_path(entry.orig_filename)
    reason = _refusal_reason(entry)
    if path in members or path in refused:
        report.add(
            DUPLICATE_ARCHIVE_MEMBER, f"'{path}' is in the archive twice; the first one counts", location, hint="remove one"
        )
    elif reason is not None:
        refused[path] = reason
    else:
        members[path] = entry


def _refusal_reason(entry: zipfile.ZipInfo) -> str | None:
    name, mode = entry.orig_filename, entry.external_attr >> 16
    if "\0" in name:
        return "its name contains a null character"
    if "\\" in name:
        return "its name contains a backslash; folders in an archive are separated by slashes"
    if name.startswith("/") or name[1:2] == ":":
        return "its name is an absolute path"
    if ".." in name.split("/"):
        return "its name leads out of the archive"
    if stat.S_IFMT(mode) and not stat.S_ISREG(mode):
        return "it is a link" if stat.S_ISLNK(mode) else "it is no regular file"
    if entry.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if entry.compress_type not in _METHODS:
        return f"it is packed with method {entry.compress_type}; stored and deflated files are read"
    return None


def _require_disjoint(source: Source, packed: zipfile.ZipFile) -> None:
    # Files that share packed bytes make a small archive unpack to any size; no regular program writes them.
    extents = sorted(_extents(source.data, packed.infolist()))
    ends = [*(start for start, _, _ in extents[1:]), packed.start_dir]
    for (_, end, name), limit in zip(extents, ends, strict=False):
        if end > limit:
            reason = f"'{name}' shares its bytes with other parts of the archive"
            raise AssetError(source.name, reason, hint=_PACK_AGAIN)


def _extents(data: bytes, entries: Sequence[zipfile.ZipInfo]) -> Iterator[tuple[int, int, str]]:
    for entry in entries:
        start = entry.header_offset
        header = data[start : start + _MEMBER_HEADER_SIZE] if start >= 0 else b""
        # If a header is damaged its size is unknown, and it will not be unpacked either.
        if len(header) == _MEMBER_HEADER_SIZE and header.startswith(_MEMBER_HEADER):
            name_length, extra_length = struct.unpack_from("<HH", header, _LENGTHS_IN_HEADER)
            end = start + _MEMBER_HEADER_SIZE + name_length + extra_length + entry.compress_size
            yield start, end, entry.filename


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__


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
