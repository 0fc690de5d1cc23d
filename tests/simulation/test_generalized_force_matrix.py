"""Sparse directions of forces, and the largest eigenvalue by Lanczos's method, against dense matrices of numpy."""

from __future__ import annotations

import numpy as np
import pytest

import ossature
from growth import is_growth_below
from ossature.simulation.compile.generalized_force_matrix import GeneralizedForceMatrix
from ossature.simulation.compile.largest_eigenpair import largest_eigenpair


@pytest.mark.parametrize("size", [1, 2, 7, 60, 400])
@pytest.mark.parametrize("rank", [1, 3, 400])
def test_the_largest_eigenvalue_is_that_of_numpy(size: int, rank: int) -> None:
    factor = np.random.default_rng(size * rank).normal(size=(size, min(rank, size)))
    matrix = factor @ factor.T
    largest, vector = largest_eigenpair(lambda x: matrix @ x, size)
    assert largest == pytest.approx(np.linalg.eigvalsh(matrix)[-1], rel=1e-9)
    assert matrix @ vector == pytest.approx(largest * vector, abs=1e-5 * largest)


def test_the_largest_eigenvalue_of_nothing_is_zero() -> None:
    assert largest_eigenpair(lambda x: x, 0)[0] == 0.0
    assert largest_eigenpair(lambda x: 0.0 * x, 5)[0] == 0.0
    assert largest_eigenpair(lambda x: 3.0 * x, 5)[0] == pytest.approx(3.0)


def test_products_are_those_of_the_dense_matrix() -> None:
    random = np.random.default_rng(1)
    rows = [(np.array([2, 0]), random.normal(size=2)), (np.array([], dtype=np.intp), np.zeros(0)), (np.array([3]), np.ones(1))]
    directions = GeneralizedForceMatrix.of(rows, 5)
    dense, x, y = directions.dense(), random.normal(size=5), random.normal(size=3)
    assert dense[0, 2] == rows[0][1][0] and not dense[1].any()
    assert directions.times(x) == pytest.approx(dense @ x)
    assert directions.transposed_times(y) == pytest.approx(dense.T @ y)


def damped_chains(count: int) -> bytes:
    """Return chains of ten links with damped joints."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = [f'<link name="l{number}">{inertial}</link>' for number in range(count + 1)]
    joints = [
        f'<joint name="j{number}" type="continuous"><parent link="l{number - 1 if number % 10 else 0}"/>'
        f'<child link="l{number}"/><axis xyz="0 0 1"/><dynamics damping="0.1"/></joint>'
        for number in range(1, count + 1)
    ]
    return f'<robot name="r">{"".join([*links, *joints])}</robot>'.encode()


def test_the_time_of_choosing_an_integrator_is_not_cubic() -> None:
    few, many = (ossature.load(damped_chains(count), format="urdf") for count in (150, 1200))
    assert is_growth_below(24.0, lambda: ossature.Simulation(few), lambda: ossature.Simulation(many))
