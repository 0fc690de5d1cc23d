"""Checks of closed loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkages import POINTS, Z, hinged
from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import NamedList, World

from .worlds_and_cases import Cases, find_none, find_one, loop, numbered


def tilted_four_bar(tilt: float) -> World:
    """Return a four-bar linkage of hinges, one of them tilted [rad]."""
    return World(models=NamedList([hinged(POINTS, [Z, Z, (0.0, math.sin(tilt), math.cos(tilt)), Z])]))


def collinear_parallelogram(offset: float) -> World:
    points = ((0.0, 0.0, 0.0), (math.cos(offset), math.sin(offset), 0.0), (2.0 + math.cos(offset), math.sin(offset), 0.0))
    return World(models=NamedList([hinged([*points, (2.0, 0.0, 0.0)])]))


def ring(count: int) -> World:
    """Return a closed chain of hinges on a circle."""
    points = [(math.cos(angle), math.sin(angle), 0.0) for angle in np.linspace(0.0, 6.0, count)]
    return World(models=NamedList([hinged(points)]))


BAD: Cases = {
    "unclosed-loop": (
        lambda: loop(m.Fixed(), 0.1),
        lambda: loop(m.Prismatic(axis=(1.0, 0.0, 0.0)), 0.1),
        lambda: loop(m.Revolute(axis=(1.0, 0.0, 0.0)), 0.1),
        lambda: loop(m.Cylindrical(axis=(1.0, 0.0, 0.0)), 0.1),
        lambda: loop(m.Universal(axis1=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0)), 0.1),
    ),
    "locked-joint": (lambda: tilted_four_bar(0.02), lambda: tilted_four_bar(1e-4)),
    "singular-initial-configuration": (lambda: collinear_parallelogram(0.0),),
    "loops-not-analysed": (lambda: ring(700),),
}

NEARLY: Cases = {
    "unclosed-loop": (
        lambda: loop(m.Fixed(), 0.0),
        lambda: loop(m.Spherical(), 0.1),
        lambda: loop(m.Revolute(), 0.1),
        lambda: loop(m.Screw(), 0.1),
    ),
    "locked-joint": (lambda: tilted_four_bar(1e-7),),
    "singular-initial-configuration": (lambda: collinear_parallelogram(0.01),),
    "loops-not-analysed": (lambda: ring(7),),
}


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)
