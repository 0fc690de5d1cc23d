"""Recordings: samples of a simulation in files that can be read while they grow."""

from ossature.recordings.columns import Columns, Quantity
from ossature.recordings.file import RecordingError, RecordingFile
from ossature.recordings.header import Header
from ossature.recordings.reading import open_recording
from ossature.recordings.writing import SUFFIXES, RecordingWriter, open_writer

__all__ = [
    "SUFFIXES",
    "Columns",
    "Header",
    "Quantity",
    "RecordingError",
    "RecordingFile",
    "RecordingWriter",
    "open_recording",
    "open_writer",
]
