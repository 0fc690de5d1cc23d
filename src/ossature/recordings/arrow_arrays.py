"""Numbers, texts and lists as Arrow arrays.

Arrow's own functions import pandas, if it is installed, which takes longer than to write a short recording.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import Vector

if TYPE_CHECKING:
    import pyarrow


def arrow_array(numbers: Vector) -> pyarrow.Array:
    """Return numbers as an Arrow array, which shares their memory if they follow each other in it."""
    import pyarrow

    # Other numbers would be read as those of this type.
    buffer = pyarrow.py_buffer(np.ascontiguousarray(numbers, dtype=np.float64))
    return pyarrow.Array.from_buffers(pyarrow.float64(), len(numbers), [None, buffer])


def arrow_column(values: Sequence[Any], kind: pyarrow.DataType) -> pyarrow.Array:
    """Return values as an Arrow array; None is null.

    Args:
        kind: Its type: float64, int64, string, or a list of these.
    """
    import pyarrow

    is_valid = np.array([value is not None for value in values], dtype=bool)
    buffers = [None if is_valid.all() else pyarrow.py_buffer(np.packbits(is_valid, bitorder="little"))]
    children = []
    if pyarrow.types.is_list(kind):
        lists = [value or [] for value in values]
        buffers.append(_offsets(lists))
        children.append(arrow_column([item for one in lists for item in one], kind.value_type))
    elif pyarrow.types.is_string(kind):
        texts = [b"" if value is None else value.encode() for value in values]
        buffers += [_offsets(texts), pyarrow.py_buffer(b"".join(texts))]
    else:
        numbers = np.array([0 if value is None else value for value in values], dtype=_NUMBERS[str(kind)])
        buffers.append(pyarrow.py_buffer(numbers))
    return pyarrow.Array.from_buffers(kind, len(values), buffers, children=children)


_NUMBERS = {"double": np.float64, "int64": np.int64}
"""The numpy types of Arrow's types of numbers."""


def _offsets(parts: Sequence[Sequence[Any]]) -> pyarrow.Buffer:
    """Return the index of the first item of each part, and that after the last one, if they follow each other."""
    import pyarrow

    return pyarrow.py_buffer(np.cumsum([0, *map(len, parts)], dtype=np.int32))
