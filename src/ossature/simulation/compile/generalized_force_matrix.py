"""Generalised forces of unit forces as a sparse matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ossature.array_types import IndexArray, Vector


@dataclass(frozen=True, slots=True)
class GeneralizedForceMatrix:
    """The generalised forces of unit forces, one in each row, without their zeros.

    Attributes:
        rows: The row of each entry.
        columns: Its coordinate.
        shape: The number of rows and of coordinates.
    """

    rows: IndexArray
    columns: IndexArray
    values: Vector
    shape: tuple[int, int]

    @staticmethod
    def of(directions: Sequence[tuple[IndexArray, Vector]], size: int) -> GeneralizedForceMatrix:
        """Return the matrix with rows that are given by their coordinates and values, for a number of coordinates."""
        counts = [len(columns) for columns, _ in directions]
        return GeneralizedForceMatrix(
            np.repeat(np.arange(len(directions)), counts),
            np.concatenate([columns for columns, _ in directions], dtype=np.intp) if directions else np.zeros(0, dtype=np.intp),
            np.concatenate([values for _, values in directions]) if directions else np.zeros(0),
            (len(directions), size),
        )

    def times(self, vector: Vector) -> Vector:
        """Return the product with a vector of coordinates."""
        return np.bincount(self.rows, self.values * vector[self.columns], self.shape[0]).astype(np.float64)

    def transposed_times(self, vector: Vector) -> Vector:
        """Return the product of the transposed matrix with a vector of forces."""
        return np.bincount(self.columns, self.values * vector[self.rows], self.shape[1]).astype(np.float64)

    def dense(self) -> Vector:
        """Return the matrix with its zeros."""
        matrix = np.zeros(self.shape)
        np.add.at(matrix, (self.rows, self.columns), self.values)
        return matrix
