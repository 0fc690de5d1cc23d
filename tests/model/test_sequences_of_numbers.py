"""Sequences of numbers in elements of models: accepted at once if they have the declared type, else converted."""

from __future__ import annotations

import numpy as np
import pytest

from growth import is_growth_below
from ossature.model import Body, Collision, HeightField, ModelError
from ossature.model.element_fields import elements


def height_field(elevations: tuple[object, ...]) -> HeightField:
    return HeightField(rows=1, columns=len(elevations), size=(1.0, 1.0, 1.0, 1.0), elevations=elevations)  # type: ignore[arg-type]


def test_numbers_of_the_declared_type_are_kept() -> None:
    elevations = (0.0, 0.5, 1.0)
    assert height_field(elevations).elevations is elevations


@pytest.mark.parametrize("elevations", [(0, 1.0), (np.float64(0.0), 1.0), (np.float32(0.5), 0.25)])
def test_other_numbers_are_converted(elevations: tuple[object, ...]) -> None:
    found = height_field(elevations).elevations
    assert found == elevations
    assert {type(one) for one in found} == {float}


@pytest.mark.parametrize("wrong", [True, "0.5", None])
def test_what_is_no_number_is_refused(wrong: object) -> None:
    with pytest.raises(ModelError, match="item 1: expected a number"):
        height_field((0.0, wrong))


def test_numbers_are_accepted_and_passed_over_at_once() -> None:
    def use(count: int) -> None:
        body = Body(name="b", collisions=(Collision(geometry=height_field((0.5,) * count)),))
        assert len(list(elements(body))) > 1

    assert is_growth_below(100.0, lambda: use(200), lambda: use(20_000))
