"""Writing samples to a file during a simulation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from ossature.diagnostics import OssatureError
from ossature.model import ActiveGrasp, State
from ossature.recordings import Header, open_writer
from ossature.recordings.write import sample_file
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.dynamics_sample import DynamicsSample
from ossature.simulation.observation.sample_layout import Sample
from ossature.simulation.observation.sampler import Sampler
from ossature.simulation.observation.samples_to_rows import RowSource

T = TypeVar("T")


class RecordingStoppedError(OssatureError):
    """A recording could not be continued; the file has all samples before."""


class Recorder:
    """Writes samples to a file. It is closed at the end of a ``with`` statement, which completes a table.

    Args:
        forces: Energy and forces at the first sample.
        first: The state at the first sample.

    Raises:
        OssatureError: The file format is not supported.
        RecordingStoppedError: The file cannot be written.
    """

    def __init__(self, path: Path, compiled: EngineModel, sampler: Sampler, forces: DynamicsSample, first: State) -> None:
        self._path, self._count, self._stopped = path, 0, False
        self._rows = RowSource(compiled, sampler, forces)
        self._writer = self._guarded(lambda: open_writer(path, Header.of(self._rows.columns, first, self._rows.turns), first))

    def write(self, sample: Sample, forces: DynamicsSample, grasps: tuple[ActiveGrasp, ...]) -> None:
        """Write a sample.

        Raises:
            RecordingStoppedError: The file cannot be written, for example because the disk is full.
        """
        row = self._rows.row(sample, forces)
        self._guarded(lambda: self._writer.write(row, grasps))
        self._count += 1

    def _guarded(self, action: Callable[[], T]) -> T:
        try:
            return action()
        except OSError as error:
            self._stopped = True
            reason = (error.strerror or str(error)).lower()
            count = self._count - self._pending()
            where = f"; {count} samples are in {sample_file(self._path)}" if count else ""
            raise RecordingStoppedError(f"{self._path}: {reason}{where}") from error

    def _pending(self) -> int:
        """Return the number of samples before the last one that are not in the file."""
        writer = getattr(self, "_writer", None)  # the first call makes it
        return 0 if writer is None else max(writer.pending - 1, 0)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        # After an error in the simulation the table is completed, but not if the file cannot be written.
        self._guarded(lambda: self._writer.close(is_complete=not self._stopped))
