"""Inertia tensors are compared relative to their largest entry."""

import pytest

from ossature.comparison import compare
from ossature.model import Inertial


def _inertial(scale: float, product: float, change: float = 0.0) -> Inertial:
    moment = ((scale, 0.0, 0.0), (0.0, scale, product + change), (0.0, product + change, scale))
    return Inertial(mass=1.0, moment=moment)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 250.0, 1e9])
def test_rounding_of_small_products_beside_large_moments_is_no_difference(scale: float) -> None:
    product = 1e-4 * scale
    same = compare(_inertial(scale, product), _inertial(scale, product, 4e-15 * scale), tolerance=1e-12)
    assert same == []
    assert compare(_inertial(scale, product), _inertial(scale, product, 1e-11 * scale), tolerance=1e-12)


def test_a_change_of_a_tiny_tensor_is_a_difference() -> None:
    (difference,) = compare(_inertial(1e-13, 0.0), _inertial(1.001e-13, 0.0), tolerance=1e-12)
    assert difference.path == "moment"
