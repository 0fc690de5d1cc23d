"""Results of a sweep: a folder with a Parquet data set that grows, and the provenance of its rows.

    manifest.json             the sweep, digests of the model and the sweep, and each session with its executor and versions
    runs/part-00000017.parquet    rows, beginning with that of run 17
    recordings/run-00000017.parquet   the recording of run 17

A part is written to a temporary file, flushed and renamed: a part that is there is complete. What is missing is run again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import BoolArray
from ossature.assets import open_output, write_file_atomically
from ossature.assets.file_lock import FileLock
from ossature.diagnostics import OssatureError
from ossature.recordings.arrow_arrays import arrow_column
from ossature.sweeps.provenance import Session
from ossature.sweeps.sweep_spec import Statistic, Sweep, Variants
from ossature.sweeps.task import Row

if TYPE_CHECKING:
    import pyarrow

MANIFEST, RUNS, RECORDINGS = "manifest.json", "runs", "recordings"
VERSION = 1


class ResultsError(OssatureError):
    """Results cannot be read, or are those of another sweep."""


def arrow_schema(sweep: Sweep) -> pyarrow.Schema:
    """Return the columns of the results of a sweep."""
    pyarrow = import_pyarrow()
    number, text = pyarrow.float64(), pyarrow.string()
    columns = {"index": pyarrow.int64(), "status": text, "end_time": number}
    columns |= {one.name: text if isinstance(one.source, Variants) else number for one in sweep.parameters}
    is_series = {one.name: one.statistic is Statistic.SERIES for one in sweep.run.outputs}
    columns |= {name: pyarrow.list_(number) if series else number for name, series in is_series.items()}
    columns |= dict.fromkeys([*(one.name for one in sweep.run.metrics), *sweep.run.functions], number)
    return pyarrow.schema({**columns, "warnings": text, "rule": text, "message": text})


def arrow_table(rows: Iterable[Row], schema: pyarrow.Schema) -> pyarrow.Table:
    """Return rows of results as a table; what a run does not have is null."""
    pyarrow = import_pyarrow()
    cells = [_cells(row) for row in rows]
    columns = [arrow_column([row.get(field.name) for row in cells], field.type) for field in schema]
    return pyarrow.Table.from_arrays(columns, schema=schema)


def _cells(row: Row) -> dict[str, Any]:
    parameters = {
        name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.parameters.items()
    }
    own = {"index": row.index, "status": row.status, "end_time": row.end_time, "rule": row.rule, "message": row.message}
    return {**parameters, **row.results, **own, "warnings": " ".join(row.warnings)}


class ResultFolder:
    """The folder with the results of a sweep.

    Args:
        path: The folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def recordings(self) -> Path:
        """The folder of the recordings."""
        return self.path / RECORDINGS

    def manifest(self) -> dict[str, Any]:
        """Return the provenance of the results.

        Raises:
            ResultsError: There is none.
        """
        try:
            found = json.loads((self.path / MANIFEST).read_bytes())
            if found["ossature-sweep-results"] != VERSION:
                raise ValueError("another version")
            return dict(found)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ResultsError(f"{self.path}: this is no folder with results of a sweep") from error

    def begin(self, identity: Mapping[str, Any], session: Session) -> FileLock:
        """Create the folder, or continue it, and return a lock on it.

        Args:
            identity: What the results depend on: the sweep and the model.
            session: How further runs are simulated.

        Raises:
            ResultsError: The folder has results of another sweep, or contains something else.
            FileInUseError: Another process is writing results there.
            OSError: It cannot be written.
        """
        self.path.mkdir(exist_ok=True)
        lock = FileLock(self.path / MANIFEST)
        try:
            sessions = self._sessions(identity)
            (self.path / RUNS).mkdir(exist_ok=True)
            manifest = {"ossature-sweep-results": VERSION, **identity, "sessions": [*sessions, asdict(session)]}
            write_file_atomically(self.path / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False))
        except BaseException:
            lock.release()
            raise
        return lock

    def _sessions(self, identity: Mapping[str, Any]) -> list[Any]:
        """Return the earlier sessions of the same sweep."""
        others = [one.name for one in self.path.iterdir() if not one.name.startswith((".", MANIFEST))]
        if not (self.path / MANIFEST).exists():
            if others:
                raise ResultsError(f"{self.path}: the folder has other content: '{others[0]}'")
            return []
        found = self.manifest()
        for key, value in identity.items():
            if key in _IDENTITY and found.get(key) != value:
                raise ResultsError(f"{self.path}: these are results of another {_IDENTITY[key]}: choose another folder")
        return list(found["sessions"])

    def write_part(self, rows: Sequence[Row], schema: pyarrow.Schema) -> None:
        """Add rows, as a part that is complete or absent.

        Raises:
            OSError: It cannot be written.
        """
        parquet = import_pyarrow().parquet
        table = arrow_table(sorted(rows, key=lambda row: row.index), schema)
        with open_output(self.path / RUNS / f"part-{min(row.index for row in rows):08d}.parquet") as file:
            parquet.write_table(table, file, use_dictionary=["status", "rule", "warnings"])

    def parts(self) -> list[Path]:
        """Return the files with rows."""
        return sorted((self.path / RUNS).glob("part-*.parquet"))

    def finished(self, count: int) -> BoolArray:
        """Return which of the runs are there, shape (count,).

        Raises:
            ResultsError: A part cannot be read.
        """
        found = np.zeros(count, dtype=bool)
        for indices in self._columns(["index"]):
            for chunk in indices.column("index").chunks:
                found[np.from_dlpack(chunk)] = True
        return found

    def table(self) -> pyarrow.Table:
        """Return all rows that are there, in the order of the runs; also while a sweep writes them.

        Raises:
            ResultsError: A part cannot be read, or there is none.
        """
        parts = list(self._columns(None))
        if not parts:
            raise ResultsError(f"{self.path}: there are no results yet")
        return import_pyarrow().concat_tables(parts).sort_by("index")

    def _columns(self, names: list[str] | None) -> Iterator[pyarrow.Table]:
        pyarrow = import_pyarrow()
        for part in self.parts():
            try:
                yield pyarrow.parquet.ParquetFile(part).read(columns=names)
            except (OSError, pyarrow.ArrowException) as error:
                raise ResultsError(f"{part}: {error}") from error


_IDENTITY = {"sweep_digest": "sweep", "model_digest": "model", "count": "number of runs", "precision": "precision"}


def import_pyarrow() -> Any:
    """Return pyarrow with its submodule for Parquet.

    Raises:
        ResultsError: It is not installed.
    """
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ResultsError("sweeps need pyarrow: pip install 'ossature[sweep]'") from error
    return pyarrow
