"""Reading of recordings in all formats, including growing and truncated files."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from ossature.argument_types import typed_arguments
from ossature.assets.read_regular_files import require_regular
from ossature.diagnostics import Report, Source
from ossature.formats import REGISTRY, Content, ReadContext
from ossature.recordings.journal import SUFFIX
from ossature.recordings.recording_errors import raising_recording_error
from ossature.recordings.recording_file import RecordingFile


@typed_arguments
def open_recording(path: str | Path, report: Report | None = None) -> RecordingFile:
    """Open a recording or a state file, or the journal of a recording if its table does not exist yet.

    Args:
        path: The file.
        report: Collects the findings, also those of samples that are read later; a new report by default.

    Raises:
        RecordingError: It cannot be read; the exception has the report.
    """
    path, report = Path(path), report if report is not None else Report()
    with raising_recording_error(path, report):
        journal = path if path.name.endswith(SUFFIX) else path.with_name(path.name + SUFFIX)
        if journal.exists() and (journal == path or not path.exists()):
            path = journal
        known = REGISTRY.find(path, contents=(Content.RECORDING,))
        if path.exists():
            require_regular(path)
        if known is None or known.read is None or known.content is not Content.RECORDING:
            raise ValueError(_explain_other_format(path))
        return cast(RecordingFile, known.read(ReadContext.of_file(Source(str(path)), report)).recording)


def _explain_other_format(path: Path) -> str:
    """Return why a file is no recording: it does not exist, or is one of another format."""
    if not path.exists():
        return "no such file"
    other = REGISTRY.find(path, contents=(Content.WORLD,))
    if other is not None and other.content is Content.WORLD:
        return f"this is a model in the format {other.name}, not a recording or the state of a world"
    suffixes = [suffix for each in REGISTRY.all(Content.RECORDING) for suffix in each.suffixes]
    return f"unsupported recording format '{path.suffix}'; use {', '.join(suffixes)}"
