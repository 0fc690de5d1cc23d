"""Types of numpy arrays for annotations. They are strings, so that a module that only names them does not import numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"
"""Numbers of any shape."""
Vector: TypeAlias = "NDArray[np.float64]"
"""Numbers of shape (n,); in functions for many vectors at once, of shape (…, n)."""
Matrix: TypeAlias = "NDArray[np.float64]"
"""Numbers of shape (m, n)."""
Points: TypeAlias = "NDArray[np.float64]"
"""Points, of shape (n, 3)."""
Float32Array: TypeAlias = "NDArray[np.float32]"
Int64Array: TypeAlias = "NDArray[np.int64]"
Int32Array: TypeAlias = "NDArray[np.int32]"
Uint8Array: TypeAlias = "NDArray[np.uint8]"
IndexArray: TypeAlias = "NDArray[np.intp]"
"""Indices into other arrays, as numpy returns them."""
BoolArray: TypeAlias = "NDArray[np.bool_]"
AnyArray: TypeAlias = "NDArray[Any]"
"""Numbers of any type and shape."""
IntegerArray: TypeAlias = "NDArray[np.integer]"
"""Integers of any size."""
