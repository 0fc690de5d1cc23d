"""The documents of one model: the first one and those that it names, in archives or beside them, each read once."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from ossature.assets.archive import Archive, is_archive, member_path, open_archive
from ossature.assets.archive_main_document import MainDocument, main_document
from ossature.assets.rules import MISSING_DOCUMENT, UNREADABLE_ARCHIVE
from ossature.assets.uri_resolver import AssetError, Resolver, data_path_from_environment, search_path_from_environment
from ossature.diagnostics import Location, Report, Source
from ossature.diagnostics.resource_limits import FILE_TOO_LARGE, TOO_MANY_DOCUMENTS, raising_hint

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|[A-Za-z]://")  # one letter alone is a drive


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentKey:
    """Which document.

    Attributes:
        path: Its file, or the archive that contains it; None for a document in memory.
        member: Its path in the archive; empty if the file is the document.
    """

    path: Path | None
    member: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _LoadedDocument:
    """A file and, if it is an archive, its content.

    Attributes:
        archive: Its content, or None for a plain document.
        main: The main document; with an empty path for a plain document.
    """

    source: Source
    archive: Archive | None
    main: MainDocument


def open_document(source: Source, report: Report) -> tuple[Source, Archive | None] | None:
    """Return the main document of a file, and its archive, if any.

    Args:
        source: A document, or an archive of documents, recognised by its content.
        report: Report to add findings to.

    Returns:
        None if the file is an archive without a readable document; the report contains the reason.
    """
    opened = _load_first_document(source, report)
    return None if opened is None else (_read_member(opened, opened.main.path), opened.archive)


def report_missing_document(error: AssetError, location: Location, report: Report) -> None:
    """Add the finding that a document names another one that is unavailable, or beyond a limit.

    Args:
        error: Why not.
        location: Location of the reference.
        report: Report to add the finding to.
    """
    report.add(error.limit or MISSING_DOCUMENT, error.details, location, hint=error.hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentStore:
    """Finds, reads and caches the documents of one model, by the resolver's rules.

    Attributes:
        first: The main document.
        first_fragment: The part of it that the manifest of its archive names, or empty.
        resolver: Finds files; its folder is that of the first file.
        report: Report for findings about archives.
    """

    first: DocumentKey
    first_fragment: str = ""
    resolver: Resolver
    report: Report = field(repr=False, compare=False)
    _files: dict[Path | None, _LoadedDocument] = field(default_factory=dict, repr=False, compare=False)
    _failures: dict[Path | None, AssetError] = field(default_factory=dict, repr=False, compare=False)
    _documents: dict[DocumentKey, Source] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, source: Source, report: Report, folder: Path | None = None, resolver: Resolver | None = None
    ) -> DocumentStore | None:
        """Return the store of a file.

        Args:
            source: The file: a document, or an archive of documents.
            report: Report for findings about archives, now and later.
            folder: The file's folder; None for a document in memory, which cannot refer to files beside it.
            resolver: Finds files, with any folder; by default in the folders of the environment variables.

        Returns:
            None if the file is an archive without a readable document; the report contains the reason.
        """
        opened = _load_first_document(source, report)
        if opened is None:
            return None
        known = resolver or Resolver(search_path=search_path_from_environment(), data_path=data_path_from_environment())
        folder = Path(os.path.abspath(folder)) if folder is not None else None  # noqa: PTH100  # without asking the disk for links
        path = folder / Path(source.name).name if folder is not None else None
        store = cls(
            first=DocumentKey(path=path, member=opened.main.path),
            first_fragment=opened.main.fragment,
            resolver=replace(known, folder=folder),
            report=report,
        )
        store._files[path] = opened
        store._documents[store.first] = _read_member(opened, opened.main.path)
        return store

    def resolve(self, reference: str, base: DocumentKey) -> tuple[DocumentKey, str]:
        """Return which document a reference means, and which part of it.

        Args:
            reference: A URI, or a relative one; the part follows a ``#``.
            base: The document that contains it.

        Returns:
            The document, and the part or an empty string. Without a part in the reference, the manifest may name one.

        Raises:
            AssetError: There is no such file, it may not be opened, or it is an archive that cannot be read.
        """
        name, _, part = reference.strip().partition("#")
        fragment = unquote(part)
        if not name:
            return base, fragment
        member = self._find_member(name, base)
        if member is not None:
            return DocumentKey(path=base.path, member=member), fragment
        path = self._locate(name, base)
        main = self._cached_document(path).main
        return DocumentKey(path=path, member=main.path), fragment or main.fragment

    def read(self, key: DocumentKey) -> Source:
        """Return a document.

        Raises:
            AssetError: It is unavailable, or there are too many documents, or they are too large.
        """
        if key not in self._documents:
            file = self._cached_document(key.path)
            if file.archive is not None:
                self._require_memory(file.archive.member_name(key.member), file.archive.size(key.member))
            self._documents[key] = _read_member(file, key.member)
        return self._documents[key]

    def archive(self, key: DocumentKey) -> Archive | None:
        """Return the archive of a document, or None for a plain file."""
        return self._cached_document(key.path).archive

    def _find_member(self, name: str, base: DocumentKey) -> str | None:
        archive = self._cached_document(base.path).archive
        if archive is None or _SCHEME.match(name) or name.startswith("/"):
            return None
        for path in _candidate_members(name, base):
            if path in archive.members or path in archive.refused:
                archive.size(path)  # raises the reason if it is never opened
                return path
        return None

    def _locate(self, name: str, base: DocumentKey) -> Path:
        if _SCHEME.match(name):
            return self.resolver.locate(name)
        if base.path is None:
            raise AssetError(name, "the document that names it lies in no folder", hint="read the document from a file")
        candidates = list(_sibling_paths(name, base.path, base))
        path = next(filter(self.resolver.files.is_file, candidates), candidates[0])
        try:
            return self.resolver.locate(str(path))
        except AssetError as error:
            raise AssetError(name, error.reason, error.tried, error.hint) from error

    def _cached_document(self, path: Path | None) -> _LoadedDocument:
        if path in self._failures:
            raise self._failures[path]
        if path not in self._files:
            try:
                self._files[path] = self._load_document(path)
            except AssetError as error:
                self._failures[path] = error
                raise
        return self._files[path]

    def _load_document(self, path: Path | None) -> _LoadedDocument:
        if path is None:
            raise AssetError("<memory>", "the document is not available", hint="read it first")
        name = self._display_path(path)
        self._require_memory(name, 0)
        data = self.resolver.read(str(path), self.report.limits)
        self._require_memory(name, len(data))
        opened = _load_document(Source(name, data), self.report)
        if opened is None:
            raise AssetError(name, "the archive contains no readable document", hint="see the findings about it")
        return opened

    def _require_memory(self, name: str, size: int) -> None:
        most = self.report.limits.documents
        if max(len(self._files), len(self._documents)) >= most:
            reason = f"with it, there are more than {most} documents"
            raise AssetError(name, reason, (), raising_hint("documents", 4 * most), TOO_MANY_DOCUMENTS)
        # Unpacked documents stay in memory beside the archive.
        members = (len(source.data) for key, source in self._documents.items() if key.member)
        files = (len(file.source.data) for file in self._files.values())
        total, most_bytes = size + sum(members) + sum(files), self.report.limits.unpacked_bytes
        if total > most_bytes:
            reason = f"with it, the documents have more than {most_bytes} bytes"
            raise AssetError(name, reason, (), raising_hint("unpacked_bytes", total), FILE_TOO_LARGE)

    def _display_path(self, path: Path) -> str:
        # Spelled like the first file's folder, so that findings of one model look alike.
        folder = self.resolver.folder
        if folder is None or not path.is_relative_to(folder):
            return str(path)
        return str(Path(self._files[self.first.path].source.name).parent / path.relative_to(folder))


def _load_first_document(source: Source, report: Report) -> _LoadedDocument | None:
    try:
        opened = _load_document(source, report)
        if opened is not None:
            _read_member(opened, opened.main.path)
        return opened
    except AssetError as error:
        report.add(error.limit or UNREADABLE_ARCHIVE, error.reason, Location(Source(error.uri)), hint=error.hint)
        return None


def _load_document(source: Source, report: Report) -> _LoadedDocument | None:
    if not is_archive(source.data):
        return _LoadedDocument(source=source, archive=None, main=MainDocument(path=""))
    archive = open_archive(source, report)
    main = main_document(archive, report)
    return _LoadedDocument(source=source, archive=archive, main=main) if main is not None else None


def _read_member(file: _LoadedDocument, member: str) -> Source:
    if file.archive is None:
        return file.source
    document = Source(file.archive.member_name(member), file.archive.read(member))
    if is_archive(document.data):
        raise AssetError(document.name, "is an archive in an archive", hint="unpack it, and put its files into one archive")
    return document


def _candidate_members(name: str, base: DocumentKey) -> Iterator[str]:
    folder = posixpath.dirname(base.member)
    yield from (member_path(posixpath.join(folder, spelled)) for spelled in _name_spellings(name))


def _sibling_paths(name: str, file: Path, base: DocumentKey) -> Iterator[Path]:
    # A document in an archive names files outside as if the archive were a folder, or as if it lay beside the archive.
    for spelled in _name_spellings(name):
        if base.member and not spelled.startswith("/"):
            inside = member_path(posixpath.join(posixpath.dirname(base.member), spelled))
            if inside.startswith("../"):
                yield Path(os.path.normpath(file / inside))
        yield Path(os.path.normpath(file.parent / spelled))


def _name_spellings(name: str) -> Iterator[str]:
    # Programs differ in whether they encode blanks and the like.
    yield from dict.fromkeys((unquote(name), name))
