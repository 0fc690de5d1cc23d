"""Reading of recordings in all formats, including growing and truncated files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ossature.assets.regular_files import require_regular
from ossature.diagnostics import Report
from ossature.recordings.journal import SUFFIX
from ossature.recordings.read_binary import read_journal, read_npz, read_parquet
from ossature.recordings.read_csv_and_json import read_csv, read_json
from ossature.recordings.read_usdf import read_usdf
from ossature.recordings.recording_file import RecordingFile, raising_recording_error

_READERS: dict[str, Callable[[Path, Report], RecordingFile]] = {
    ".usdf": read_usdf,
    ".csv": read_csv,
    ".json": read_json,
    ".npz": read_npz,
    ".parquet": read_parquet,
    SUFFIX: read_journal,
}


def open_recording(path: Path, report: Report) -> RecordingFile:
    """Open a recording, or its journal if the table does not exist yet.

    Raises:
        RecordingError: It cannot be read.
    """
    with raising_recording_error(path, report):
        journal = path if path.name.endswith(SUFFIX) else path.with_name(path.name + SUFFIX)
        if journal.exists() and (journal == path or not path.exists()):
            path = journal
        reader = _READERS.get(path.suffix.lower())
        if path.exists():
            require_regular(path)
        if reader is None:
            raise ValueError(f"unsupported recording format '{path.suffix}'; use {', '.join(_READERS)}")
        return reader(path, report)
