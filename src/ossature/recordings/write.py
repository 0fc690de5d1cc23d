"""Writing of recordings sample by sample; the file is readable after each one."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

import numpy as np

from ossature import model
from ossature.array_types import Array
from ossature.assets import FileLock
from ossature.diagnostics import OssatureError
from ossature.formats import REGISTRY, Content
from ossature.formats.usdf.write import series_text
from ossature.model import State
from ossature.recordings.append_only_file import AppendOnlyFile
from ossature.recordings.header import Header
from ossature.recordings.journal import SUFFIX, Journal, JournalWriter
from ossature.recordings.write_mcap import write_mcap
from ossature.recordings.write_parquet_and_npz import write_npz, write_parquet
from ossature.recordings.write_rerun import write_rerun
from ossature.recordings.write_text_samples import csv_head, csv_lines, json_template
from ossature.recordings.write_usdf_samples import UsdfSamples, non_state_quantities, non_state_values

_MOST_ROWS = 16
"""Largest number of samples that are written together."""
_LONGEST_WAIT = 0.05
"""Time since the last samples were written after which the next one is written at once [s]."""

Grasps: TypeAlias = "tuple[model.ActiveGrasp, ...] | None"


class RecordingWriter(ABC):
    """Writes samples, as a context manager; after an error in the context a table remains a journal."""

    @property
    def pending(self) -> int:
        """The number of samples that are not in the file yet: at most 15, taken within 50 ms."""
        return 0

    @abstractmethod
    def write(self, row: Array, grasps: Grasps = None) -> None:
        """Write a sample.

        Args:
            row: The numbers of the sample.
            grasps: The current grasps, or None if they are unknown; only USDF stores them.

        Raises:
            OSError: It cannot be written; samples before it are in the file, but for those that are pending.
        """

    @abstractmethod
    def close(self, *, is_complete: bool = True) -> None:
        """Complete the recording.

        Args:
            is_complete: Whether all samples were written; otherwise a table remains a journal.

        Raises:
            OSError: A table cannot be written; its journal remains.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close(is_complete=error is None)


class _Block:
    """Samples that are written together, because that takes less time: at most 16, taken within 50 ms.

    Args:
        write: Writes samples, shape (samples, columns).
    """

    def __init__(self, write: Callable[[Array], None]) -> None:
        self._write = write
        self._rows: list[Array] = []
        self._written_at = -math.inf
        self._has_failed = False

    @property
    def pending(self) -> int:
        """The number of samples that are not written yet."""
        return len(self._rows)

    def add(self, row: Array) -> None:
        """Add a sample, and write all if they are many or the last ones were written a while ago."""
        self._rows.append(row)
        if len(self._rows) >= _MOST_ROWS or time.monotonic() - self._written_at > _LONGEST_WAIT:
            self.write()

    def write(self) -> None:
        if self._rows and not self._has_failed:
            self._has_failed = True
            self._write(np.stack(self._rows))
            self._rows.clear()
            self._has_failed, self._written_at = False, time.monotonic()


class _Lines(RecordingWriter):
    """Writes text formats to a file with its head; ``text`` returns the text of samples."""

    def __init__(self, file: AppendOnlyFile, text: Callable[[Array], bytes]) -> None:
        self._file, self._block = file, _Block(lambda rows: file.append(text(rows)))

    @property
    def pending(self) -> int:
        return self._block.pending

    def write(self, row: Array, grasps: Grasps = None) -> None:
        self._block.add(row)

    def close(self, *, is_complete: bool = True) -> None:
        try:
            self._block.write()
        finally:
            self._file.close()


class _Table(RecordingWriter):
    """Writes a journal, which is converted to a table at the end."""

    def __init__(self, path: Path, header: Header, convert: Callable[[Journal, Path], None]) -> None:
        self._path, self._convert = path, convert
        self._journal_path = sample_file(path)
        if self._journal_path.exists():
            message = f"{self._journal_path} contains an interrupted recording"
            raise OssatureError(f"{message}; convert it with `ossature state resample`, or remove it")
        self._journal = JournalWriter(self._journal_path, header)
        self._block = _Block(self._journal.write)

    @property
    def pending(self) -> int:
        return self._block.pending

    def write(self, row: Array, grasps: Grasps = None) -> None:
        self._block.add(row)

    def close(self, *, is_complete: bool = True) -> None:
        try:
            self._block.write()
        finally:
            self._journal.close()
        if is_complete:
            self._convert(Journal(self._journal_path), self._path)
            self._journal_path.unlink()


class _Locked(RecordingWriter):
    """Writes a recording to a locked file, and releases the lock when it is closed."""

    def __init__(self, writer: RecordingWriter, lock: FileLock) -> None:
        self._writer, self._lock = writer, lock

    @property
    def pending(self) -> int:
        return self._writer.pending

    def write(self, row: Array, grasps: Grasps = None) -> None:
        self._writer.write(row, grasps)

    def close(self, *, is_complete: bool = True) -> None:
        try:
            self._writer.close(is_complete=is_complete)
        finally:
            self._lock.release()


def csv_writer(path: Path, header: Header, first: State) -> RecordingWriter:
    """Open a CSV file; see :func:`open_writer`."""
    return _Lines(AppendOnlyFile(path, csv_head(header.columns)), csv_lines)


def json_writer(path: Path, header: Header, first: State) -> RecordingWriter:
    """Open a JSON file; see :func:`open_writer`."""
    template = json_template(header.columns)
    separator = b"\n"

    def text(rows: Array) -> bytes:
        nonlocal separator
        content = separator + b",\n".join(template.fill_rows(rows))
        separator = b",\n"
        return content

    return _Lines(AppendOnlyFile(path, f'{{"header": {header.to_json()}, "samples": ['.encode(), b"\n]}\n"), text)


class UsdfWriter(RecordingWriter):
    """Writes USDF, whose head contains the first sample.

    Args:
        first: The state of the first sample.
    """

    def __init__(self, path: Path, header: Header, first: State) -> None:
        self._path, self._header, self._first = path, header, first
        self._samples, self._grasps = UsdfSamples(header), first.grasps
        self._file: AppendOnlyFile | None = None
        self._block = _Block(lambda rows: self._append(b"".join(self._samples.texts(rows))))

    @property
    def pending(self) -> int:
        """The number of samples that are not in the file yet."""
        return self._block.pending

    def _append(self, text: bytes) -> None:
        assert self._file is not None  # noqa: S101  # the first sample opens it
        self._file.append(text)

    def write(self, row: Array, grasps: Grasps = None) -> None:
        """Write a sample."""
        if self._file is not None:
            if grasps is None or grasps == self._grasps:
                self._block.add(row)
            else:
                self._block.write()
                self._append(self._samples.text(row, grasps))
            self._grasps = grasps
            return
        quantities = [one.to_data() for one in non_state_quantities(self._header)]
        head, tail = series_text(self._first, quantities, non_state_values(self._header, row), self._header.rotation_vectors)
        self._file = AppendOnlyFile(self._path, head.encode(), tail.encode())

    def close(self, *, is_complete: bool = True) -> None:
        """Complete the recording."""
        if self._file is None:
            return
        try:
            self._block.write()
        finally:
            self._file.close()


def npz_writer(path: Path, header: Header, first: State) -> RecordingWriter:
    """Open a NumPy archive; see :func:`open_writer`."""
    return _Table(path, header, write_npz)


def parquet_writer(path: Path, header: Header, first: State) -> RecordingWriter:
    """Open a Parquet table; see :func:`open_writer`."""
    try:
        import pyarrow.parquet  # noqa: F401  # fail before hours of simulation, not after them
    except ImportError as error:
        raise OssatureError("Parquet needs pyarrow: pip install 'ossature[tables]'") from error
    return _Table(path, header, write_parquet)


def mcap_writer(path: Path, header: Header, first: State) -> RecordingWriter:
    """Open an MCAP file; see :func:`open_writer`."""
    try:
        import mcap.writer  # noqa: F401  # fail before hours of simulation, not after them
    except ImportError as error:
        raise OssatureError("MCAP needs the package mcap: pip install 'ossature[mcap]'") from error
    return _Table(path, header, write_mcap)


def rerun_writer(path: Path, header: Header, first: State) -> RecordingWriter:
    """Open a file for Rerun; see :func:`open_writer`."""
    try:
        import rerun  # noqa: F401  # fail before hours of simulation, not after them
    except ImportError as error:
        raise OssatureError("Rerun needs rerun-sdk: pip install 'ossature[rerun]'") from error
    return _Table(path, header, write_rerun)


_WRITTEN = tuple(known for known in REGISTRY.own(Content.RECORDING) if known.record)
SUFFIXES = tuple(suffix for known in _WRITTEN if known.read for suffix in known.suffixes)
"""Suffixes of recordings that the package writes and reads itself."""


_TABLES = (".parquet", ".npz", ".mcap", ".rrd")
"""Suffixes of recordings that are made from a journal at the end."""


def sample_file(path: Path) -> Path:
    """Return the file of the samples of a recording while it is being written."""
    return path.with_name(path.name + SUFFIX) if path.suffix.lower() in _TABLES else path


def check_suffix(path: Path) -> None:
    """Check that a suffix is that of a recording format.

    Raises:
        OssatureError: The recording format is not supported.
    """
    _writer_of(path)


def _writer_of(path: Path) -> Callable[[Path, Header, State], RecordingWriter]:
    known = REGISTRY.find(path, contents=(Content.RECORDING,))
    if known is None or known.record is None:
        suffixes = ", ".join(suffix for one in _WRITTEN for suffix in one.suffixes)
        raise OssatureError(f"unsupported recording format '{path.suffix}'; use {suffixes}")
    return known.record


def open_writer(path: Path, header: Header, first: State) -> RecordingWriter:
    """Return a writer for a file; its suffix selects the format.

    Args:
        path: The file.
        header: The header of the recording.
        first: The state of the first sample, which must be written like the other samples.

    Raises:
        FileInUseError: Another process is recording into the file.
        OssatureError: The format is unsupported or needs a missing library, or a journal of another run exists.
        OSError: The file cannot be written.
    """
    writer = _writer_of(path)
    lock = FileLock(path)
    try:
        return _Locked(writer(path, header, first), lock)
    except BaseException:
        lock.release()
        raise
