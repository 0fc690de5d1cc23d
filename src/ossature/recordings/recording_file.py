"""A recording file, and the errors of reading one."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import Location, Report, Source
from ossature.formats.usdf.rules import TRUNCATED_RECORDING
from ossature.model import State
from ossature.recordings.header import Header
from ossature.recordings.recording_errors import MissingSampleError, raising_recording_error
from ossature.recordings.recording_tables import Tabular
from ossature.recordings.sample_columns import Columns
from ossature.recordings.sampled_link_motions import Links
from ossature.recordings.state_conversion import states_of_rows

T = TypeVar("T")
Rows: TypeAlias = "Iterator[Array]"


@dataclass(frozen=True, slots=True)
class RecordingFile(Tabular):
    """A recording, which can be read repeatedly.

    Attributes:
        path: The file.
        header: The header of the recording.
        report: Collects the findings.
        read_rows: Starts reading rows.
        read_states: Starts reading states, or None if states are computed from rows.
    """

    path: Path
    header: Header
    report: Report
    read_rows: Callable[[], Rows]
    read_states: Callable[[], Iterator[State]] | None = None

    def __post_init__(self) -> None:
        if self.read_states is None:
            Links(self.header)  # raises an error if columns are missing

    def rows(self) -> Rows:
        """Yield samples in blocks, of shape (samples, columns).

        Raises:
            RecordingError: A part of the file cannot be read.
        """
        with raising_recording_error(self.path, self.report):
            yield from self._blocks()

    def states(self) -> Iterator[State]:
        """Yield the state of each sample.

        Raises:
            RecordingError: A part of the file cannot be read.
        """
        with raising_recording_error(self.path, self.report):
            if self.read_states is not None:
                yield from validated_states(self._limit_time(self.read_states()))
                return
            for block in self._blocks():
                yield from states_of_rows(self.header, block)

    def state(self, *, time: float | None = None, number: int | None = None) -> State:
        """Return the state of one sample, by default of the last one.

        Args:
            time: Selects the last sample at or before this time [s].
            number: Selects the sample of this number: 0 is the first, -1 the last.

        Raises:
            RecordingError: A part of the file cannot be read.
            MissingSampleError: There is no such sample; the message states which samples the file has.
            ValueError: Both a time and a number are given, or the time is not a number.
        """
        state = select_state(self.states(), time, number)
        if state is None:
            raise self.missing_sample()
        return state

    def missing_sample(self) -> MissingSampleError:
        """Return the exception for a sample that does not exist, with the samples that the file has.

        Raises:
            RecordingError: A part of the file cannot be read.
        """
        count = sum(len(block) for block in self.rows())
        first, last = self.time_range()
        available = f"samples 0 to {count - 1}, from {first:g} to {last:g} s" if count > 1 else f"only sample 0, at {first:g} s"
        if count and math.isnan(first):
            available = "only one state, without a time stamp"
        return MissingSampleError(f"{self.path}: no such sample; the file has {available if count else 'no samples'}")

    def _blocks(self) -> Rows:
        return validated_blocks(self._limit_time(self.read_rows()), may_be_timeless=self.read_states is not None)

    def _limit_time(self, items: Iterator[T]) -> Iterator[T]:
        return self.report.budget.timed(items, Location(Source(str(self.path))))

    def time_range(self) -> tuple[float, float]:
        """Return the times of the first and the last sample [s]; NaN if there are none."""
        first, last = math.nan, math.nan
        for block in self.rows():
            first = float(block[0, 0]) if math.isnan(first) else first
            last = float(block[-1, 0])
        return first, last

    def to_rows(self) -> tuple[Columns, Array]:
        """Return the meaning of each column, and all samples, shape (samples, columns).

        Raises:
            RecordingError: A part of the file cannot be read, or the table is larger than the limit of an array.
        """
        return self.header.columns, self.table()

    def table(self) -> Array:
        """Return all samples, of shape (samples, columns).

        Raises:
            RecordingError: A part of the file cannot be read, or the table is larger than the limit of an array.
        """
        blocks, count = [], 0
        for block in self.rows():
            count += len(block)
            with raising_recording_error(self.path, self.report):
                self.report.budget.require_array(count * self.header.columns.count, 8, Location(Source(str(self.path))))
            blocks.append(block)
        return np.concatenate(blocks) if blocks else np.zeros((0, self.header.columns.count))


def select_state(states: Iterable[State], time: float | None, number: int | None) -> State | None:
    """Return the last state at or before a time, or the one of a number, or the last one; None if there is none.

    Raises:
        ValueError: Both a time and a number are given, or the time is not a number.
    """
    if time is not None and number is not None:
        raise ValueError("a time and a sample number both select a sample: use one of them")
    if time is not None and math.isnan(time):
        raise ValueError(f"the time must be a number of seconds, not {time:g}")
    if number is not None and number < 0:
        kept = deque(states, maxlen=-number)
        return kept[0] if len(kept) == -number else None
    found = None
    for index, state in enumerate(states):
        if time is not None and state.time is not None and state.time > time + 1e-9:
            break
        found = state
        if index == number:
            return state
    return None if number is not None else found


def group_in_blocks(rows: Iterable[Array], length: int = 1024) -> Rows:
    """Yield rows in blocks."""
    block: list[Array] = []
    for row in rows:
        block.append(row)
        if len(block) == length:
            yield np.array(block)
            block = []
    if block:
        yield np.array(block)


def warn_truncated(path: Path, report: Report) -> None:
    """Report once that the last sample is incomplete."""
    if not any(finding.rule is TRUNCATED_RECORDING for finding in report):
        report.add(TRUNCATED_RECORDING, "the last sample is incomplete and ignored", Location(Source(str(path))))


def validated_blocks(blocks: Iterable[Array], *, may_be_timeless: bool) -> Iterator[Array]:
    """Yield blocks of samples unchanged, and validate their times.

    Args:
        blocks: The blocks, of shape (samples, columns), whose first column is the time.
        may_be_timeless: Whether the first sample may have no time, like a state.

    Raises:
        ValueError: A time is not finite, or does not increase.
    """
    count, before = 0, -math.inf
    for block in blocks:
        times = block[:, 0]
        earlier = np.concatenate(([before], times[:-1]))
        is_invalid = ~np.isfinite(times) | (times <= earlier)
        if count == 0 and may_be_timeless and math.isnan(times[0]):
            is_invalid[0] = False
        for index in np.flatnonzero(is_invalid)[:1].tolist():
            raise ValueError(_time_error(count + index, float(times[index]), float(earlier[index])))
        yield block
        count, before = count + len(block), float(times[-1])


def validated_states(states: Iterable[State]) -> Iterator[State]:
    """Yield states unchanged, and validate their times; the first one may have no time.

    Raises:
        ValueError: A time is not finite, or does not increase.
    """
    before = -math.inf
    for number, state in enumerate(states):
        time = math.nan if state.time is None else state.time
        is_timeless_state = number == 0 and state.time is None
        if not is_timeless_state and (not math.isfinite(time) or time <= before):
            raise ValueError(_time_error(number, time, before))
        yield state
        before = time


def _time_error(number: int, time: float, before: float) -> str:
    if not math.isfinite(time):
        return f"the time of sample {number} is {time:g}, which is not finite"
    return f"the time of sample {number}, {time} s, does not exceed that of the previous sample, {before} s"
