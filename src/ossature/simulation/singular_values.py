"""Singular values of small matrices."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ossature.array_types import Array
from ossature.compiled_modules import compiled_module

_SOURCE = Path(__file__).parent / "_singular_values.c"


def singular_values(matrix: Array) -> list[float]:
    """Return the singular values of a matrix of float64, in descending order.

    A compiled function computes those of small matrices, if it is installed.

    Raises:
        numpy.linalg.LinAlgError: They do not converge.
    """
    module = compiled_module(f"{__package__}._singular_values", _SOURCE)
    if module is not None:
        found: list[float] | None = module.singular_values(np.ascontiguousarray(matrix), *matrix.shape)
        if found is not None:
            return found
    values: list[float] = np.linalg.svd(matrix, compute_uv=False).tolist()
    return values
