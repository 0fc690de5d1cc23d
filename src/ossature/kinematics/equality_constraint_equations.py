"""The equalities of a model, as edges of its constraint graph and as equations of its bodies and coordinates."""

from __future__ import annotations

from ossature.kinematics.joint_couplings import CoupledCoordinate
from ossature.kinematics.joint_factorization import factor_joint
from ossature.model import (
    Connection,
    Coupling,
    Equality,
    Expression,
    Floating,
    FrameReference,
    Joint,
    JointEquality,
    JointPosition,
    Model,
    MujocoJoint,
    Number,
    Operation,
    Operator,
    Weld,
    hint_of,
)
from ossature.spatial import IDENTITY, Pose


def supported_equalities(model: Model) -> list[Equality]:
    """Return the active equalities that are considered in kinematics."""
    return [one for one in model.equalities if one.active and not _unsupported_reason(one, model)]


def unsupported_equalities(model: Model) -> dict[str, str]:
    """Return the reason for each active equality that is not considered in kinematics, by its name."""
    reasons = {one.name: _unsupported_reason(one, model) for one in model.equalities if one.active}
    return {name: reason for name, reason in reasons.items() if reason}


def _unsupported_reason(equality: Equality, model: Model) -> str:
    """Return why an equality is not considered in kinematics; empty if it is."""
    kind = equality.type
    if isinstance(kind, Connection | Weld):
        unknown = [name for name in (kind.body1, kind.body2) if name is not None and name not in model.bodies]
        if unknown:
            return f"there is no body '{unknown[0]}'"
        followed = [name for name in (kind.body1, kind.body2) if name is not None and model.bodies[name].mocap]
        return f"the pose of the mocap body '{followed[0]}' is an input of a simulation" if followed else ""
    if not isinstance(kind, JointEquality):
        return "it constrains tendons"
    missing = sorted(name for name in joints_of(kind) if name not in model.joints)
    if missing:
        return f"there is no joint '{missing[0]}'"
    if any(isinstance(model.joints[name].type, Floating) for name in joints_of(kind)):
        return "it is one of a free joint"
    positions = ((kind.joint1, kind.coordinate1), (kind.joint2, kind.coordinate2))
    if any(name is not None and _is_rotation_vector(model.joints[name], coordinate) for name, coordinate in positions):
        return "it is one of a ball joint"
    return ""


def _is_rotation_vector(joint: Joint, coordinate: int) -> bool:
    """Whether a coordinate is one of the three of a rotation vector."""
    firsts = [factor.coordinate for factor in factor_joint(joint.type) if factor.axis is None]
    return any(first <= coordinate < first + 3 for first in firsts)


def joints_of(kind: JointEquality) -> set[str]:
    """Return the names of the joints of an equality of coordinates."""
    return {name for name in (kind.joint1, kind.joint2) if name is not None}


def equality_coupling(kind: JointEquality, model: Model) -> CoupledCoordinate:
    """Return an equality of coordinates as a coupling: the first one minus the polynomial of the other one is zero."""
    joint = model.joints[kind.joint1]
    start = reference_position(joint, kind.coordinate1)
    sources: tuple[JointPosition, ...] = ()
    if kind.joint2 is None:
        position: Expression = Number(value=start + kind.polynomial[0])
    else:
        source = JointPosition(joint=kind.joint2, coordinate=kind.coordinate2)
        sources = (source,)
        position = _polynomial(kind, source, start, reference_position(model.joints[kind.joint2], kind.coordinate2))
    return CoupledCoordinate(joint=joint, number=kind.coordinate1, formula=Coupling(position=position), sources=sources)


def reference_position(joint: Joint, coordinate: int) -> float:
    """Return the position of a coordinate from which equalities are measured: MuJoCo's reference, or zero."""
    hint = hint_of(joint.coordinates[coordinate], MujocoJoint)
    return 0.0 if hint is None or hint.ref is None else hint.ref


def _polynomial(kind: JointEquality, source: JointPosition, start: float, reference: float) -> Expression:
    """Return the position of the first coordinate of an equality as a function of the second one."""
    constant, factor, *others = kind.polynomial
    if not any(others):
        scaled: Expression = source
        if factor != 1.0:
            scaled = Operation(operator=Operator.MULTIPLY, operands=(Number(value=factor), source))
        offset = start + constant - factor * reference
        return Operation(operator=Operator.ADD, operands=(scaled, Number(value=offset))) if offset else scaled
    displacement: Expression = source
    if reference:
        displacement = Operation(operator=Operator.SUBTRACT, operands=(source, Number(value=reference)))
    value: Expression = Number(value=kind.polynomial[-1])
    for coefficient in reversed((start + constant, *kind.polynomial[1:-1])):  # Horner's scheme
        product = Operation(operator=Operator.MULTIPLY, operands=(value, displacement))
        value = Operation(operator=Operator.ADD, operands=(Number(value=coefficient), product))
    return value


def weld_frames(kind: Weld, model: Model) -> tuple[Pose, Pose]:
    """Return the frames that a weld keeps coincident, one in the frame of each body."""
    return _named_frame(kind.frame1, model) @ kind.pose, _named_frame(kind.frame2, model)


def _named_frame(frame: FrameReference | None, model: Model) -> Pose:
    if frame is None or frame.body is None:
        return IDENTITY
    return next(one.pose for one in model.bodies[frame.body].frames if one.name == frame.frame)
