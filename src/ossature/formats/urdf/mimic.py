"""URDF's <mimic> ⇄ formulas."""

from __future__ import annotations

from ossature.model import Coupling, Expression, JointPosition, Number, Operation, Operator


def mimic_formula(joint: str, multiplier: float, offset: float) -> Coupling:
    """Return the formula ``multiplier * joint + offset``, without what changes nothing."""
    source: Expression = JointPosition(joint=joint)
    if multiplier != 1.0:
        source = Operation(operator=Operator.MULTIPLY, operands=(Number(value=multiplier), source))
    if offset != 0.0:
        source = Operation(operator=Operator.ADD, operands=(source, Number(value=offset)))
    return Coupling(position=source)


def mimic_of(formula: Coupling) -> tuple[str, float, float] | None:
    """Return the joint, multiplier and offset that :func:`mimic_formula` would make the same position from, or None."""
    offset = 0.0
    match formula.position:
        case Operation(operator=Operator.ADD, operands=(scaled, Number(value=offset))):
            pass
        case scaled:
            pass
    match scaled:
        case Operation(operator=Operator.MULTIPLY, operands=(Number(value=multiplier), JointPosition(joint=joint))):
            found = (joint, multiplier, offset)
        case JointPosition(joint=joint):
            found = (joint, 1.0, offset)
        case _:
            return None
    return found if mimic_formula(*found).position == formula.position else None
