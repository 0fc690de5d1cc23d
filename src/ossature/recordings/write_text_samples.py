"""Serialization of samples as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import OssatureError
from ossature.recordings.number_formatting import PLACEHOLDER, NumberTemplate, number_text
from ossature.recordings.sample_columns import Columns, columns_from_sample

_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|[0-9.e+]+')


def json_template(columns: Columns) -> NumberTemplate:
    """Return the template of a sample with the structure of :meth:`Columns.nested`, for the numbers of a row."""
    order: list[int] = []

    def substitute(found: re.Match[str]) -> str:
        if found[0].startswith('"'):
            return found[0]
        order.append(round(float(found[0])))
        return PLACEHOLDER

    numbered = columns.nested(np.arange(float(len(columns.labels))))
    return NumberTemplate(_STRING_OR_NUMBER.sub(substitute, json.dumps(numbered, ensure_ascii=False)), order)


def csv_head(columns: Columns) -> bytes:
    """Return the line with the names of columns."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(columns.labels)
    return text.getvalue().encode()


def csv_lines(rows: Iterable[Array]) -> bytes:
    """Return the lines of samples."""
    return b"".join([number_text(row) + b"\n" for row in rows])


def samples_text(samples: Sequence[dict[str, Any]], suffix: str) -> bytes:
    """Return samples with the structure of :meth:`Columns.nested` as the content of a ``.json`` or ``.csv`` file.

    Raises:
        OssatureError: The suffix is another one.
    """
    if suffix not in (".json", ".csv"):
        raise OssatureError(f"recordings are written as .json or .csv, not '{suffix}'")
    columns = columns_from_sample(samples[0]) if samples else Columns(())
    rows = map(columns.row, samples)
    if suffix == ".csv":
        return csv_head(columns) + csv_lines(rows)
    template = json_template(columns)
    return b'{"samples": [' + b",".join([b"\n" + template.filled(row) for row in rows]) + b"\n]}\n"
