"""Journals → tables: Parquet and npz."""

from __future__ import annotations

import zipfile
from io import RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Array
from ossature.assets import open_output
from ossature.recordings.arrow_arrays import arrow_array
from ossature.recordings.header import Header
from ossature.recordings.journal import Journal

if TYPE_CHECKING:
    import pyarrow

METADATA_KEY = b"ossature"
NPZ_HEADER = "ossature"
NPZ_SAMPLES = "samples"
NPZ_COLUMNS = "columns"


def write_parquet(journal: Journal, path: Path) -> None:
    """Write a journal as Parquet, with a row group for each block.

    Raises:
        ImportError: Pyarrow is not installed.
        OSError: The file cannot be written.
    """
    schema = arrow_schema(journal.header)
    with open_output(path) as file, _parquet_writer(file, schema) as writer:
        for block in journal.blocks():
            writer.write_table(arrow_table(block, schema))


def _parquet_writer(file: RawIOBase, schema: pyarrow.Schema) -> pyarrow.parquet.ParquetWriter:
    """Return a writer without dictionaries: numbers of a simulation hardly repeat, so that they cost time and space."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetWriter(file, schema, write_page_checksum=True, use_dictionary=False)


def arrow_schema(header: Header) -> pyarrow.Schema:
    """Return the Arrow schema of a recording."""
    import pyarrow

    fields = [pyarrow.field(label, pyarrow.float64()) for label in header.columns.labels]
    return pyarrow.schema(fields, metadata={METADATA_KEY: header.to_json().encode()})


def arrow_table(block: Array, schema: pyarrow.Schema) -> pyarrow.Table:
    """Return samples as an Arrow table."""
    import pyarrow

    return pyarrow.Table.from_arrays([arrow_array(column) for column in np.ascontiguousarray(block.T)], schema=schema)


def write_npz(journal: Journal, path: Path) -> None:
    """Write a journal as a NumPy archive: ``samples`` of shape (samples, columns), and the names ``columns``.

    Raises:
        OSError: The file cannot be written.
    """
    labels = np.array(journal.header.columns.labels)
    with open_output(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        with archive.open(f"{NPZ_COLUMNS}.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array(member, labels)
        with archive.open(f"{NPZ_HEADER}.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array(member, np.array(journal.header.to_json()))
        with archive.open(f"{NPZ_SAMPLES}.npy", "w", force_zip64=True) as member:
            shape = {"descr": "<f8", "fortran_order": False, "shape": (journal.count, len(labels))}
            np.lib.format.write_array_header_2_0(member, shape)
            for block in journal.blocks():
                member.write(block.tobytes())
