"""Singular values of small matrices, against those of LAPACK, and of matrices with known ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ossature.simulation.singular_values import singular_values


@pytest.mark.parametrize("seed", range(300))
def test_values_are_those_of_lapack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 20, size=2)
    rank = int(rng.integers(0, min(rows, columns) + 1))
    matrix = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns)) * 10.0 ** rng.uniform(-6, 6)
    expected = np.linalg.svd(matrix, compute_uv=False)
    assert singular_values(matrix) == pytest.approx(expected.tolist(), rel=1e-12, abs=1e-14 * expected[0])


@pytest.mark.parametrize("seed", range(100))
def test_small_values_have_a_relative_accuracy(seed: int) -> None:
    """Columns of different lengths that are orthogonal: their lengths are the singular values."""
    rng = np.random.default_rng(seed)
    rows, columns = 8, 5
    orthogonal, _ = np.linalg.qr(rng.normal(size=(rows, columns)))
    lengths = 10.0 ** -np.sort(rng.uniform(0.0, 6.0, size=columns))
    found = singular_values(orthogonal * lengths)
    assert found == pytest.approx(lengths.tolist(), rel=1e-9)


def test_a_transposed_view_is_read_as_its_numbers() -> None:
    matrix = np.arange(12.0).reshape(3, 4)
    assert singular_values(matrix.T) == pytest.approx(singular_values(matrix), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("factor", [0.0, 1e-200, 1e-120, 1e120, 1e150])
def test_tiny_and_huge_numbers(factor: float) -> None:
    matrix = factor * np.array([[3.0, 0.0], [4.0, 5.0]])
    expected = [factor * math.sqrt(45.0), factor * math.sqrt(5.0)]
    assert singular_values(matrix) == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_numbers_that_are_not_finite() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        singular_values(np.array([[1.0, math.nan], [0.0, 1.0]]))


def test_an_empty_matrix_has_none() -> None:
    assert singular_values(np.zeros((0, 3))) == singular_values(np.zeros((3, 0))) == []
