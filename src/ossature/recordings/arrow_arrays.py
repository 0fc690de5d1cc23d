"""Numbers as Arrow arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Vector

if TYPE_CHECKING:
    import pyarrow


def arrow_array(numbers: Vector) -> pyarrow.Array:
    """Return numbers as an Arrow array, which shares their memory if they follow each other in it.

    Arrow's own function imports pandas, if it is installed, which takes longer than to write a short recording.
    """
    import pyarrow

    # Other numbers would be read as those of this type.
    buffer = pyarrow.py_buffer(np.ascontiguousarray(numbers, dtype=np.float64))
    return pyarrow.Array.from_buffers(pyarrow.float64(), len(numbers), [None, buffer])
