"""Every attribute of MJCF, changed in turn: our model and the written file are those that MuJoCo compiles.

Attributes that only other formats lack are in the ledgers of conversions to them, which ``test_convert.py`` compares.
"""

from __future__ import annotations

import pytest

from mjcf.attribute_changes import attributes, change_of, outcome_of

_OLD = "MuJoCo 4 has no such element or attribute any more"
_NEEDS_OTHERS = "MuJoCo accepts it only with content that the own files do not have"
NOT_ACCEPTED: dict[str, str] = {}
"""Attributes that cannot be changed in an own file, with the reason; an element stands for all its attributes."""


def _reason(path: str) -> str | None:
    return next((reason for known, reason in NOT_ACCEPTED.items() if path == known or path.startswith(f"{known}/")), None)


@pytest.mark.parametrize(("first", "step"), [(7, 190), *(pytest.param(n, 8, marks=pytest.mark.slow) for n in range(8))])
def test_a_changed_attribute_has_the_effect_that_it_has_in_mujoco(first: int, step: int) -> None:
    for attribute in attributes()[first::step]:
        change = change_of(attribute)
        assert (change is None) == (_reason(attribute.path) is not None), attribute.path
        if change is not None:
            outcome = outcome_of(change)
            assert not (outcome.read or outcome.written), f"{attribute.path} in {change.base}: {outcome}"
