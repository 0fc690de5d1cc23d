"""Distances of corresponding bodies of two models at corresponding joint positions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ossature.kinematics import FormulaError, model_poses
from ossature.model import Coordinate, Model
from ossature.model_diff.alignment import Alignment
from ossature.model_diff.changes import PoseDistances
from ossature.model_diff.joint_motions import CoordinateRelation
from ossature.model_diff.matching import Matching, Side
from ossature.model_diff.tolerance import distance_between

_CONFIGURATIONS = 8
_UNLIMITED = 1.0
"""Positions of joints without limits are in this range to both sides [rad or m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPair:
    """Two models of which bodies and joints correspond.

    Attributes:
        matching: Corresponding elements.
        alignment: Frames of corresponding bodies.
        maps: Maps of the coordinates of joints of the trees, by joint in A; joints with other coordinates are missing.
    """

    a: Side
    b: Side
    matching: Matching
    alignment: Alignment
    maps: Mapping[str, tuple[CoordinateRelation, ...]]


def pose_distances(pairs: Iterable[ModelPair]) -> PoseDistances | None:
    """Return how far corresponding bodies are apart with all joints of A at zero, and in random configurations.

    Loop joints are not considered. None if no bodies correspond, or the poses of a model cannot be computed.
    """
    at_zero, anywhere, farthest = 0.0, 0.0, None
    generator = np.random.default_rng(17)
    pairs = list(pairs)
    for number in range(_CONFIGURATIONS + 1):
        for pair in pairs:
            distances = _distances(pair, generator, number == 0)
            if distances is None:
                return None
            for body, distance in distances.items():
                if distance > anywhere:
                    anywhere, farthest = distance, f"{pair.a.model.name}/{body}"
                if number == 0:
                    at_zero = max(at_zero, distance)
    if not any(pair.matching.bodies for pair in pairs):
        return None
    return PoseDistances(configurations=_CONFIGURATIONS, at_zero=at_zero, anywhere=anywhere, body=farthest)


def _distances(pair: ModelPair, generator: np.random.Generator, at_zero: bool) -> dict[str, float] | None:
    in_a, in_b = _zeros(pair.a.model), _zeros(pair.b.model)
    for name, maps in pair.maps.items():
        joint, other = pair.a.model.joints[name], pair.b.model.joints[pair.matching.joints[name]]
        if name not in in_a or other.name not in in_b:
            continue  # coupled
        q = [0.0 if at_zero else _random_position(coordinate, generator) for coordinate in joint.coordinates]
        in_a[name] = q
        in_b[other.name] = [by.inverse(value) for by, value in zip(maps, q, strict=True)]
    try:
        poses_a = model_poses(pair.a.model, in_a, pair.a.tree)
        poses_b = model_poses(pair.b.model, in_b, pair.b.tree)
    except (FormulaError, ValueError, OverflowError):
        return None
    offset = pair.a.model.pose @ pair.b.model.pose.inverse()
    return {
        one: distance_between(poses_a[one], offset @ poses_b[other] @ pair.alignment.of(one).inverse())
        for one, other in pair.matching.bodies.items()
    }


def _zeros(model: Model) -> dict[str, Sequence[float]]:
    """Return zeros for the joints of a model that follow no others."""
    return {
        joint.name: (0.0,) * joint.degrees_of_freedom
        for joint in model.joints
        if all(coordinate.coupling is None for coordinate in joint.coordinates)
    }


def _random_position(coordinate: Coordinate, generator: np.random.Generator) -> float:
    limits = coordinate.position_limits
    lower = limits.lower if math.isfinite(limits.lower) else min(-_UNLIMITED, limits.upper - _UNLIMITED)
    upper = limits.upper if math.isfinite(limits.upper) else max(_UNLIMITED, lower + _UNLIMITED)
    return generator.uniform(lower, upper) if lower <= upper else 0.0
