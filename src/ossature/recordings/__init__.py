"""Recordings: files with the samples of a simulation, which can be read while they are written."""

from ossature.recordings.header import Header
from ossature.recordings.read import open_recording
from ossature.recordings.recording_errors import MissingSampleError, RecordingError
from ossature.recordings.recording_file import RecordingFile, select_state
from ossature.recordings.sample_columns import Columns, RecordedQuantity
from ossature.recordings.write import SUFFIXES, RecordingWriter, open_writer

__all__ = [
    "SUFFIXES",
    "Columns",
    "Header",
    "MissingSampleError",
    "RecordedQuantity",
    "RecordingError",
    "RecordingFile",
    "RecordingWriter",
    "open_recording",
    "open_writer",
    "select_state",
]
