"""npz, Parquet and journals → samples."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from ossature.diagnostics import Budget, Report
from ossature.recordings.header import Header, header_from_json
from ossature.recordings.journal import Journal
from ossature.recordings.recording_file import RecordingFile, Rows
from ossature.recordings.write_parquet_and_npz import METADATA_KEY, NPZ_HEADER, NPZ_SAMPLES

_BLOCK_BYTES = 1 << 22
_MAX_HEADER_BYTES = 1 << 28


def read_journal(path: Path, report: Report) -> RecordingFile:
    """Return the recording in a journal.

    Raises:
        OSError: It cannot be read.
        ValueError: It is not a recording.
    """
    journal = Journal(path)
    return RecordingFile(path, journal.header, report, journal.blocks)


def read_parquet(path: Path, report: Report) -> RecordingFile:
    """Return a recording in Parquet.

    Raises:
        ImportError: Pyarrow is not installed.
        OSError: It cannot be read.
        ValueError: It is not a recording.
    """
    import pyarrow
    import pyarrow.parquet

    @contextmanager
    def reading() -> Iterator[None]:
        try:
            yield
        except pyarrow.ArrowException as error:
            raise ValueError(str(error).splitlines()[0]) from error

    with reading():
        metadata = pyarrow.parquet.read_schema(str(path)).metadata or {}
    if METADATA_KEY not in metadata:
        raise ValueError("the table is not an Ossature recording")
    header = header_from_json(metadata[METADATA_KEY])

    def rows() -> Rows:
        with reading(), pyarrow.parquet.ParquetFile(str(path), page_checksum_verification=True) as file:
            if file.schema_arrow.names != header.columns.labels:
                raise ValueError("the samples do not match the columns")
            length = min(max(1, _BLOCK_BYTES // (8 * header.columns.count)), 16384)
            report.budget.require_array(min(length, file.metadata.num_rows) * header.columns.count)
            for batch in file.iter_batches(batch_size=length):
                # Unlike `to_numpy`, this does not import pandas, which takes longer than to read a short recording.
                yield np.column_stack([np.from_dlpack(column) for column in batch.columns]).astype(float, copy=False)

    return RecordingFile(path, header, report, rows)


def read_npz(path: Path, report: Report) -> RecordingFile:
    """Return a recording in a NumPy archive; samples are read in blocks, and only as many as the file contains.

    Raises:
        OSError: It cannot be read.
        ValueError: It is not a recording.
    """
    with _open_archive(path) as archive, _open_member(archive, NPZ_HEADER) as file:
        header = _read_header(file, report.budget)
    width = header.columns.count

    def rows() -> Rows:
        with _open_archive(path) as archive, _open_member(archive, NPZ_SAMPLES) as file:
            count = _count_samples(file, width)
            length = max(1, _BLOCK_BYTES // (8 * width))
            report.budget.require_array(min(length, count) * width)
            for start in range(0, count, length):
                size = 8 * width * min(length, count - start)
                block = file.read(size)
                if len(block) != size:
                    raise ValueError("the last samples are missing")
                yield np.frombuffer(block, "<f8").reshape(-1, width)

    return RecordingFile(path, header, report, rows)


@contextmanager
def _open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"the archive is damaged: {error}") from error


def _open_member(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    try:
        return archive.open(f"{name}.npy")
    except KeyError as error:
        raise ValueError(f"the archive is not an Ossature recording: it has no array '{name}'") from error


def _read_header(file: IO[bytes], budget: Budget) -> Header:
    """Return the header from a scalar string array, which NumPy stores with four bytes per character."""
    shape, _, kind = _array_header(file)
    if shape != () or kind.kind != "U" or not 0 < kind.itemsize <= _MAX_HEADER_BYTES:
        raise ValueError("the header is not that of an Ossature recording")
    budget.require_array(kind.itemsize // 4, 4)
    data = file.read(kind.itemsize)
    if len(data) != kind.itemsize:
        raise ValueError("the header is incomplete")
    # NumPy crashes the interpreter for a code point outside Unicode; the codec rejects it.
    is_little = kind == kind.newbyteorder("<")
    return header_from_json(data.decode("utf-32-le" if is_little else "utf-32-be").rstrip("\0"))


def _count_samples(file: IO[bytes], width: int) -> int:
    shape, is_fortran, kind = _array_header(file)
    if len(shape) != 2 or shape[1] != width or shape[0] < 0 or is_fortran or kind != np.dtype("<f8"):
        raise ValueError("the samples do not match the columns")
    return shape[0]


def _array_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    try:
        return _read_array_header(file)
    except Exception as error:  # NumPy evaluates the header as Python, which can raise any error
        raise ValueError(f"the header of an array is damaged: {error}") from error


def _read_array_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(file)
    if version == (2, 0):
        return np.lib.format.read_array_header_2_0(file)
    raise ValueError(f"version {version[0]}.{version[1]} of NumPy arrays is not supported")
