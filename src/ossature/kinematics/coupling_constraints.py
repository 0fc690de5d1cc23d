"""The constraint equations of coupled coordinates: a coordinate minus the value of its formula."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.absolute_coordinates import AbsoluteCoordinates
from ossature.kinematics.expression_evaluation import evaluate, partial
from ossature.kinematics.joint_constraints import JointEquations
from ossature.kinematics.joint_couplings import CoupledCoordinate
from ossature.model import JointPosition


def coupling_residual(follower: CoupledCoordinate, joints: Mapping[str, JointEquations]) -> Array:
    """Return the residual of a coupling [rad or m], shape (1,)."""
    position = joints[follower.joint.name].q[follower.number]
    return np.array([float(position - evaluate(follower.formula.position, _source_positions(follower, joints)))])


def coupling_jacobian(follower: CoupledCoordinate, joints: Mapping[str, JointEquations], bodies: AbsoluteCoordinates) -> Array:
    """Return the Jacobian of a coupling, shape (1, size)."""
    positions = _source_positions(follower, joints)
    row: Array = joints[follower.joint.name].coordinate_rates(bodies)[follower.number]
    for source in follower.sources:
        slope = float(partial(follower.formula.position, positions, source))
        row = row - slope * joints[source.joint].coordinate_rates(bodies)[source.coordinate]
    return row[None, :]


def _source_positions(follower: CoupledCoordinate, joints: Mapping[str, JointEquations]) -> dict[JointPosition, float]:
    return {source: float(joints[source.joint].q[source.coordinate]) for source in follower.sources}
