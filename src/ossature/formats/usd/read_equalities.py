"""Equality constraints of MuJoCo's schemas."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ossature.formats.usd import rules
from ossature.formats.usd.joint_spec import JointSpec
from ossature.formats.usd.read_actuators import Names
from ossature.formats.usd.solver_parameters import solver_parameter
from ossature.formats.usd.stage import Prim
from ossature.model import Connection, Equality, JointEquality, MujocoConstraint, Weld
from ossature.model.unique_names import take_unique_name

_POLYNOMIAL = tuple(f"mjc:coef{power}" for power in range(5))


def read_equalities(closing: Sequence[JointSpec], joints: Sequence[JointSpec], names: Names) -> list[Equality]:
    """Return the equality constraints of a model.

    Args:
        closing: Joints that are constraints between bodies.
        joints: The joints of the model, of which some have constraints with others.
    """
    used: set[str] = set()
    found = [_body_equality(joint, names, take_unique_name(joint.prim.name, used)) for joint in closing]
    for joint in joints:
        for prim, _ in joint.parts:
            if prim.has("MjcEqualityJointAPI"):
                equality = _joint_equality(prim, names, take_unique_name(prim.name, used))
                found += [] if equality is None else [equality]
    return found


def _body_equality(joint: JointSpec, names: Names, name: str) -> Equality:
    prim, (first, second) = joint.prim, joint.ends
    body1 = None if first.body is None else names.bodies[first.body.path]
    body2 = None if second.body is None else names.bodies[second.body.path]
    kind: Connection | Weld
    if prim.has("MjcEqualityWeldAPI"):
        factor = prim.finite("mjc:torqueScale", 1.0)
        anchor = second.frame.position
        kind = Weld(body1=body1, body2=body2, pose=first.frame @ second.frame.inverse(), anchor=anchor, torque_scale=factor)
    else:
        kind = Connection(body1=body1, body2=body2, point1=first.frame.position, point2=second.frame.position)
    return Equality(name=name, type=kind, hints=(_solver_parameters(prim),), origin=prim.stage.location)


def _joint_equality(prim: Prim, names: Names, name: str) -> Equality | None:
    targets = prim.targets("mjc:target") or prim.targets("newton:mimicJoint")
    own, other = names.joints.get(prim.path), names.joints.get(targets[0]) if targets else None
    if own is None or (targets and other is None):
        prim.stage.add(rules.INVALID_VALUE, f"the equality of {prim.path} refers to no joint: it is ignored")
        return None
    prim.used |= {"newton:mimicJoint", "newton:mimicCoef0", "newton:mimicCoef1", "newton:mimicEnabled"}
    unit = math.pi / 180.0 if prim.type == "PhysicsRevoluteJoint" else prim.stage.length
    constant, factor = prim.finite("newton:mimicCoef0", 0.0) * unit, prim.finite("newton:mimicCoef1", 1.0)
    defaults = (constant, factor, 0.0, 0.0, 0.0)
    a, b, c, d, e = (prim.finite(key, default) for key, default in zip(_POLYNOMIAL, defaults, strict=True))
    kind = JointEquality(
        joint1=own[0],
        coordinate1=own[1],
        joint2=None if other is None else other[0],
        coordinate2=0 if other is None else other[1],
        polynomial=(a, b, c, d, e),
    )
    return Equality(name=name, type=kind, hints=(_solver_parameters(prim),), origin=prim.stage.location)


def is_equality(prim: Prim) -> bool:
    """Whether a joint is a constraint between bodies that the solver may violate."""
    return prim.has("MjcEqualityConnectAPI") or prim.has("MjcEqualityWeldAPI")


def _solver_parameters(prim: Prim) -> MujocoConstraint:
    return MujocoConstraint(solref=solver_parameter(prim, "solref"), solimp=solver_parameter(prim, "solimp"))
