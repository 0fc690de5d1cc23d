"""Writing recordings, one sample after the other; what is written is whole at any time."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

from ossature import model
from ossature.assets import FileLock
from ossature.diagnostics import OssatureError, suggestion
from ossature.formats.usdf.write import series_text
from ossature.model import State
from ossature.recordings.append_only_file import AppendOnlyFile
from ossature.recordings.header import Header
from ossature.recordings.journal import SUFFIX, Journal, JournalWriter
from ossature.recordings.number_formatting import number_text
from ossature.recordings.table_export import write_npz, write_parquet
from ossature.recordings.write_json_samples import json_template
from ossature.recordings.write_usdf_samples import UsdfSamples, quantities_besides, values_besides

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Held: TypeAlias = "tuple[model.ActiveGrasp, ...] | None"


class RecordingWriter(ABC):
    """Writes samples; finishes at the end of a ``with`` statement, where a table stays a journal after an error."""

    @abstractmethod
    def write(self, row: NDArray[np.float64], held: Held = None) -> None:
        """Write a sample.

        Args:
            row: Its numbers.
            held: What hands hold, or None where nobody knows; only USDF has a place for it.

        Raises:
            OSError: There is no room for it; what was written before stays.
        """

    @abstractmethod
    def close(self, *, is_complete: bool = True) -> None:
        """Finish.

        Args:
            is_complete: Whether all samples were written; otherwise a table stays a journal.

        Raises:
            OSError: A table cannot be written; its journal stays.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close(is_complete=error is None)


class _Lines(RecordingWriter):
    """Writes text formats, a piece for each sample.

    Args:
        file: The file, begun.
        piece: Returns the text of a sample.
    """

    def __init__(self, file: AppendOnlyFile, piece: Callable[[NDArray[np.float64]], bytes]) -> None:
        self._file, self._piece = file, piece

    def write(self, row: NDArray[np.float64], held: Held = None) -> None:
        self._file.append(self._piece(row))

    def close(self, *, is_complete: bool = True) -> None:
        self._file.close()


class _Table(RecordingWriter):
    """Writes a journal, and makes a table of it at the end.

    Args:
        path: The table.
        header: What the recording says once.
        convert: Makes the table.
    """

    def __init__(self, path: Path, header: Header, convert: Callable[[Journal, Path], None]) -> None:
        self._path, self._convert = path, convert
        self._journal_path = file_of(path)
        if self._journal_path.exists():
            message = f"{self._journal_path} holds a run that did not come to its end"
            raise OssatureError(f"{message}: make a table of it by `ossature state resample`, or remove it")
        self._journal = JournalWriter(self._journal_path, header)

    def write(self, row: NDArray[np.float64], held: Held = None) -> None:
        self._journal.write(row)

    def close(self, *, is_complete: bool = True) -> None:
        self._journal.close()
        if is_complete:
            self._convert(Journal(self._journal_path), self._path)
            self._journal_path.unlink()


class _Locked(RecordingWriter):
    """Writes a recording, and keeps its file locked until it is closed.

    Args:
        writer: What writes.
        lock: The lock.
    """

    def __init__(self, writer: RecordingWriter, lock: FileLock) -> None:
        self._writer, self._lock = writer, lock

    def write(self, row: NDArray[np.float64], held: Held = None) -> None:
        self._writer.write(row, held)

    def close(self, *, is_complete: bool = True) -> None:
        try:
            self._writer.close(is_complete=is_complete)
        finally:
            self._lock.release()


def _csv(path: Path, header: Header, first: State) -> RecordingWriter:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(header.columns.labels)
    return _Lines(AppendOnlyFile(path, text.getvalue().encode()), lambda row: number_text(row) + b"\n")


def _json(path: Path, header: Header, first: State) -> RecordingWriter:
    template = json_template(header.columns)
    separator = b"\n"

    def piece(row: NDArray[np.float64]) -> bytes:
        nonlocal separator
        content = separator + template.filled(row)
        separator = b",\n"
        return content

    return _Lines(AppendOnlyFile(path, f'{{"header": {header.to_json()}, "samples": ['.encode(), b"\n]}\n"), piece)


class _Usdf(RecordingWriter):
    """Writes USDF, whose head holds the first sample.

    Args:
        path: The file.
        header: What the recording says once.
        first: The state of the first sample.
    """

    def __init__(self, path: Path, header: Header, first: State) -> None:
        self._path, self._header, self._first = path, header, first
        self._samples, self._held = UsdfSamples(header), first.grasps
        self._file: AppendOnlyFile | None = None

    def write(self, row: NDArray[np.float64], held: Held = None) -> None:
        if self._file is not None:
            is_new = held is not None and held != self._held
            self._file.append(self._samples.text(row, held if is_new else None))
            self._held = held
            return
        quantities = [one.to_data() for one in quantities_besides(self._header)]
        head, tail = series_text(self._first, quantities, values_besides(self._header, row), self._header.turns)
        self._file = AppendOnlyFile(self._path, head.encode(), tail.encode())

    def close(self, *, is_complete: bool = True) -> None:
        if self._file is not None:
            self._file.close()


def _npz(path: Path, header: Header, first: State) -> RecordingWriter:
    return _Table(path, header, write_npz)


def _parquet(path: Path, header: Header, first: State) -> RecordingWriter:
    try:
        import pyarrow.parquet  # noqa: F401  # before hours of simulation rather than after them
    except ImportError as error:
        raise OssatureError("Parquet needs pyarrow: pip install 'ossature[tables]'") from error
    return _Table(path, header, write_parquet)


_WRITERS: dict[str, Callable[[Path, Header, State], RecordingWriter]] = {
    ".usdf": _Usdf,
    ".parquet": _parquet,
    ".npz": _npz,
    ".csv": _csv,
    ".json": _json,
}
SUFFIXES = tuple(_WRITERS)
"""Suffixes of recordings."""


def file_of(path: Path) -> Path:
    """Return the file in which the samples of a recording are while it is being written."""
    return path.with_name(path.name + SUFFIX) if path.suffix.lower() in (".parquet", ".npz") else path


def check_suffix(path: Path) -> None:
    """Refuse a suffix that says nothing.

    Raises:
        OssatureError: It is none of a recording.
    """
    if path.suffix.lower() not in _WRITERS:
        hint = suggestion(path.suffix, SUFFIXES)
        raise OssatureError(f"recordings are written as {', '.join(SUFFIXES)}, not '{path.suffix}'; {hint}")


def open_writer(path: Path, header: Header, first: State) -> RecordingWriter:
    """Return a writer for a file; its suffix says which kind.

    Args:
        path: The file.
        header: What the recording says once.
        first: The state of the first sample, which is to be written like the others.

    Raises:
        FileInUseError: Another process is recording into the file.
        OssatureError: There is no such kind, it needs a library that is not installed, or the journal of another run is there.
        OSError: The file cannot be written.
    """
    check_suffix(path)
    lock = FileLock(path)
    try:
        return _Locked(_WRITERS[path.suffix.lower()](path, header, first), lock)
    except BaseException:
        lock.release()
        raise
