"""Conversion between ``<mimic>`` elements and couplings."""

from __future__ import annotations

from ossature.model import Coupling, Expression, JointPosition, Number, Operation, Operator


def mimic_coupling(joint: str, multiplier: float, offset: float, *, coordinate: int = 0) -> Coupling:
    """Return the coupling ``multiplier * joint + offset``, without a factor of 1 or an offset of 0."""
    source: Expression = JointPosition(joint=joint, coordinate=coordinate)
    if multiplier != 1.0:
        source = Operation(operator=Operator.MULTIPLY, operands=(Number(value=multiplier), source))
    if offset != 0.0:
        source = Operation(operator=Operator.ADD, operands=(source, Number(value=offset)))
    return Coupling(position=source)


def mimic_parameters(coupling: Coupling) -> tuple[str, float, float] | None:
    """Return the joint, multiplier and offset of a coupling, or None if :func:`mimic_coupling` cannot create it."""
    offset = 0.0
    match coupling.position:
        case Operation(operator=Operator.ADD, operands=(scaled, Number(value=offset))):
            pass
        case scaled:
            pass
    match scaled:
        case Operation(operator=Operator.MULTIPLY, operands=(Number(value=multiplier), JointPosition(joint=joint))):
            parameters = (joint, multiplier, offset)
        case JointPosition(joint=joint):
            parameters = (joint, 1.0, offset)
        case _:
            return None
    return parameters if mimic_coupling(*parameters).position == coupling.position else None
