"""Samples as JSON."""

from __future__ import annotations

import json
import re

import numpy as np

from ossature.recordings.number_formatting import PLACE, NumberTemplate
from ossature.recordings.sample_columns import Columns

_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|[0-9.e+]+')


def json_template(columns: Columns) -> NumberTemplate:
    """Return the text of a sample, as :meth:`Columns.nested` arranges it; its numbers are those of a row."""
    order: list[int] = []

    def place(found: re.Match[str]) -> str:
        if found[0].startswith('"'):
            return found[0]
        order.append(round(float(found[0])))
        return PLACE

    numbered = columns.nested(np.arange(float(len(columns.labels))))
    return NumberTemplate(_STRING_OR_NUMBER.sub(place, json.dumps(numbered, ensure_ascii=False)), order)
