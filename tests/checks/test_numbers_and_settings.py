"""Checks of poses, of numbers of any field, and of the settings of a World."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Collision, Inertial, NamedList, Range
from ossature.spatial import Pose

from .worlds_and_cases import (
    BOX,
    Cases,
    chain_of,
    diagonal,
    find_none,
    find_one,
    good_body,
    good_joint,
    inertial,
    numbered,
    with_coordinate,
    world_of,
)

TURNED = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))

STILL = replace(chain_of(300.0).models[0], static=True)


BAD: Cases = {
    "non-finite-number": (
        lambda: with_coordinate(damping=math.nan),
        lambda: with_coordinate(velocity_limits=Range(lower=math.nan)),
        lambda: world_of(good_body(pose=Pose((math.inf, 0.0, 0.0)))),
        lambda: world_of(good_body(pose=Pose(wxyz=(math.nan, 0.0, 0.0, 0.0)))),
        lambda: world_of(joints=(good_joint(type=m.Revolute(axis=(math.nan, 0.0, 1.0))),)),
        lambda: inertial(moment=diagonal(math.nan, 0.1, 0.1)),
    ),
    "non-unit-quaternion": (
        lambda: world_of(good_body(pose=Pose(wxyz=(2.0, 0.0, 0.0, 0.0)))),
        lambda: world_of(joints=(good_joint(pose=Pose(wxyz=(0.0, 0.0, 0.0, 0.0))),)),
        lambda: world_of(good_body(collisions=(Collision(geometry=BOX, pose=Pose(wxyz=(1.0, 1.0, 0.0, 0.0))),))),
    ),
    "implausible-distance": (
        lambda: chain_of(300.0),
        lambda: world_of(good_body(inertial=Inertial(mass=1.0, center_of_mass=(0.0, 150.0, 0.0)))),
    ),
    "non-positive-time-step": (lambda: world_of(time_step=0.0), lambda: world_of(time_step=-0.001)),
    "large-time-step": (lambda: world_of(time_step=1.0),),
    "large-gravity": (lambda: world_of(gravity=(0.0, 0.0, -981.0)),),
}

NEARLY: Cases = {
    "non-finite-number": (lambda: with_coordinate(position_limits=Range(lower=-math.inf, upper=math.inf)),),
    "non-unit-quaternion": (
        lambda: world_of(good_body(pose=Pose(wxyz=TURNED))),
        lambda: world_of(good_body(pose=Pose(wxyz=(-1.0, 0.0, 0.0, 0.0)))),
    ),
    "implausible-distance": (lambda: chain_of(3.0), lambda: replace(chain_of(300.0), models=NamedList([STILL]))),
    "non-positive-time-step": (lambda: world_of(time_step=1e-9),),
    "large-time-step": (lambda: world_of(time_step=0.02),),
    "large-gravity": (lambda: world_of(gravity=(0.0, 0.0, 0.0)), lambda: world_of(gravity=(0.0, 24.8, 0.0))),
}


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)
