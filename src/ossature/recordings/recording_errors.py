"""Errors of reading recordings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ossature.diagnostics import LimitError, LoadError, Location, Report, Rule, Source
from ossature.diagnostics.resource_limits import OUT_OF_MEMORY

INVALID_RECORDING = Rule.error(
    "invalid-recording",
    "REC001",
    "A file is not a valid recording.",
    "Recordings are files that `ossature simulate --record` writes: .usdf, .parquet, .npz, .csv and .json, and the journals "
    "(.parquet.part, .npz.part) of interrupted simulations. Sample times are finite and increase. Record the simulation again, "
    "or correct the file.",
    aliases=("bad-recording",),
)


RULES = (INVALID_RECORDING,)


class RecordingError(LoadError):
    """A recording cannot be read."""


class MissingSampleError(LookupError):
    """A recording has no sample of this number, or none before this time."""


@contextmanager
def raising_recording_error(path: Path, report: Report) -> Iterator[None]:
    """Convert exceptions of readers to findings.

    Raises:
        RecordingError: An exception was raised.
    """
    try:
        yield
    except OSError as error:
        raise _recording_error(path, report, (error.strerror or str(error)).lower()) from error
    except ImportError as error:
        raise _recording_error(path, report, "Parquet needs pyarrow: pip install 'ossature[tables]'") from error
    except UnicodeDecodeError as error:
        raise _recording_error(path, report, f"the file is not {error.encoding.upper()} text: {error.reason}") from error
    except KeyError as error:
        raise _recording_error(path, report, f"{error} is missing") from error
    except LimitError as error:
        report.refuse(error)
        raise RecordingError(report) from error
    except MemoryError as error:
        report.refuse(LimitError(OUT_OF_MEMORY, "there is not enough memory for this file", Location(Source(str(path))), ""))
        raise RecordingError(report) from error
    except (ValueError, TypeError, IndexError, ArithmeticError, RecursionError) as error:
        raise _recording_error(path, report, str(error)) from error


def _recording_error(path: Path, report: Report, message: str) -> RecordingError:
    report.add(INVALID_RECORDING, message, Location(Source(str(path))), hint="select a recording or its journal")
    return RecordingError(report)
