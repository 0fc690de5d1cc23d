"""Serialization of samples as JSON."""

from __future__ import annotations

import json
import re

import numpy as np

from ossature.recordings.number_formatting import PLACEHOLDER, NumberTemplate
from ossature.recordings.sample_columns import Columns

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
