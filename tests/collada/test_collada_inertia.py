"""Moments of inertia on their way through a COLLADA document."""

from __future__ import annotations

import pytest

from complete_robot import TURNED
from ossature import model as m
from ossature.comparison import compare
from ossature.diagnostics import Action, Ledger, Report, Source
from ossature.formats.collada import read_collada, write_collada
from ossature.spatial import Matrix3


@pytest.mark.parametrize(
    ("moment", "is_told"),
    [
        (((2.0, 0.5, 0.25), (0.5, 3.0, -0.125), (0.25, -0.125, 4.0)), False),
        (((2.0, 0.5, 0.0), (0.25, 3.0, 0.0), (0.0, 0.0, 4.0)), True),
    ],
)
def test_moments(moment: Matrix3, is_told: bool) -> None:
    """What is no tensor of inertia is written as its symmetric part, and the ledger tells so."""
    body = m.Body(name="b", pose=TURNED, inertial=m.Inertial(moment=moment))
    world = m.World(models=m.NamedList([m.Model(name="m", bodies=m.NamedList([body]))]))
    ledger = Ledger()
    again = read_collada(Source("written", write_collada(world, ledger).encode()), Report())
    assert again is not None
    differences = compare(world, again, tolerance=1e-12)
    assert all(ledger.covers(found.path) for found in differences)
    assert bool(differences) == is_told == any(entry.action is Action.APPROXIMATED for entry in ledger)
