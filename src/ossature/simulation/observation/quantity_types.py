"""Arrays of numbers by model, element and quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Quantities: TypeAlias = "dict[str, dict[str, dict[str, NDArray[np.float64]]]]"
"""Arrays of numbers by model, element and quantity."""
