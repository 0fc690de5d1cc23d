"""Checks of masses, moments of inertia and densities."""

from __future__ import annotations

import pytest

from complete_robot import TETRAHEDRON
from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Collision, Inertial, World
from ossature.spatial import Matrix3

from .worlds_and_cases import (
    FIXED,
    MOMENT,
    Cases,
    chain_of,
    diagonal,
    find_none,
    find_one,
    good_body,
    inertial,
    numbered,
    world_of,
)


def of_triangles(moment: Matrix3) -> World:
    shape = m.TriangleMesh(surface=m.LazyMesh(TETRAHEDRON))
    inertial = Inertial(mass=1.0, moment=moment)
    return world_of(good_body(visuals=(), collisions=(Collision(geometry=shape),), inertial=inertial))


BAD: Cases = {
    "non-positive-mass": (
        lambda: inertial(mass=0.0),
        lambda: inertial(mass=-1.0),
    ),
    "inertia-not-positive-definite": (
        lambda: inertial(moment=diagonal(-0.1, 0.1, 0.1)),
        lambda: inertial(moment=((0.1, 0.2, 0.0), (0.2, 0.1, 0.0), (0.0, 0.0, 0.1))),
    ),
    "invalid-inertia-of-fixed-body": (
        lambda: world_of(good_body(inertial=Inertial(mass=-1.0, moment=MOMENT)), joints=(FIXED,)),
        lambda: world_of(good_body(inertial=Inertial(mass=1.0, moment=diagonal(-0.1, 0.1, 0.1))), joints=(FIXED,)),
    ),
    "zero-principal-moment": (
        lambda: inertial(moment=diagonal(0.0, 0.1, 0.1)),
        lambda: inertial(moment=((0.0, 0.0, 2.4e-35), (0.0, 0.0, 0.0), (2.4e-35, 0.0, 0.0))),  # rounding errors
    ),
    "inertia-violates-triangle-inequality": (lambda: inertial(moment=diagonal(0.1, 0.1, 0.3)),),
    "implausible-inertia": (
        lambda: inertial(moment=diagonal(100.0, 100.0, 100.0)),
        lambda: inertial(moment=diagonal(1e-9, 1e-9, 1e-9)),
        lambda: of_triangles(diagonal(100.0, 100.0, 100.0)),
    ),
    "implausible-density": (
        lambda: inertial(mass=1e5, moment=None),
        lambda: inertial(mass=0.5, moment=None),
        lambda: chain_of(0.3, mass=2.0, mesh_scale=5.0),
    ),
}

NEARLY: Cases = {
    "non-positive-mass": (lambda: world_of(good_body(inertial=Inertial(mass=0.0, moment=MOMENT)), joints=(FIXED,)),),
    "inertia-not-positive-definite": (
        lambda: inertial(moment=((0.1, 0.04, 0.0), (0.04, 0.1, 0.0), (0.0, 0.0, 0.1))),
        lambda: inertial(moment=None),
    ),
    "invalid-inertia-of-fixed-body": (
        lambda: world_of(good_body(inertial=Inertial(mass=1.0, moment=diagonal(-1e-9, 0.1, 0.1))), joints=(FIXED,)),
    ),
    "zero-principal-moment": (lambda: world_of(good_body(inertial=Inertial(moment=diagonal(0.0, 0.1, 0.1))), joints=(FIXED,)),),
    "inertia-violates-triangle-inequality": (lambda: inertial(moment=diagonal(0.1, 0.1, 0.2)),),
    "implausible-inertia": (
        lambda: inertial(moment=None),
        lambda: inertial(moment=diagonal(1.0, 1.0, 1.0)),
        lambda: of_triangles(diagonal(0.01, 0.01, 0.01)),
        lambda: world_of(
            good_body(inertial=Inertial(mass=1.0, moment=diagonal(100.0, 100.0, 100.0)), visuals=(), collisions=())
        ),
    ),
    "implausible-density": (
        lambda: inertial(mass=1e4, moment=None),
        lambda: inertial(mass=1.0),
        lambda: inertial(mass=1e-5, moment=None),
        lambda: world_of(good_body(inertial=Inertial(mass=0.5, moment=MOMENT)), joints=(FIXED,)),
        lambda: chain_of(0.3, mass=1.0),
    ),
}


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)
