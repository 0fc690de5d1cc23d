"""Writes couplings of coordinates as formulas of a kinematics model, in MathML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.kinematics.joint_decomposition import chain_of
from ossature.formats.collada.kinematics.schema import FormulaElement, FormulaTechniqueElement
from ossature.formats.collada.kinematics.write_joint import axis_sid
from ossature.formats.collada.mathml.write import write_mathml
from ossature.formats.collada.model_write_context import ModelWriteContext
from ossature.formats.collada.native_extension.difference_encoding import technique_node
from ossature.formats.collada.openrave.schema import PROFILE
from ossature.formats.collada.schema_common import ParamElement, TechniqueElement, ValueElement
from ossature.model import Coupling, Expression, Joint, JointPosition, Model, NamedList, Number, fold_expression, sources_of
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

MAX_DEPTH = 80
"""Maximum nesting depth of operations in a formula, because XML parsers limit the depth."""
_PARTIALS = {1: "first_partial", 2: "second_partial"}


def write_formulas(joints: Iterable[Joint], model: ModelWriteContext) -> Iterator[FormulaElement]:
    """Yield the formulas of joints that can be expressed in axes."""
    for joint in joints:
        for index, formula in writable_formulas(joint, model).items():
            yield _formula_element(formula, JointPosition(joint=joint.name, coordinate=index), model)


def writable_formulas(joint: Joint, model: ModelWriteContext) -> dict[int, Coupling]:
    """Return the couplings of a joint that can be expressed in axes, by the index of the coordinate and its axis."""
    return {
        index: coordinate.coupling
        for index, coordinate in enumerate(joint.coordinates)
        if coordinate.coupling is not None
        and all(partial.order in _PARTIALS for partial in coordinate.coupling.partials)
        and all(_is_axis(position, model) for position in _formula_positions(joint, index))
    }


def _formula_positions(joint: Joint, index: int) -> Iterator[JointPosition]:
    """Yield the coordinates of a formula, the dependent one first."""
    formula = joint.coordinates[index].coupling
    assert formula is not None  # noqa: S101  # checked by the caller
    yield JointPosition(joint=joint.name, coordinate=index)
    yield from sources_of(formula.position)
    for partial in formula.partials:
        yield JointPosition(joint=partial.joint, coordinate=partial.coordinate)
        yield from sources_of(partial.expression)


def _is_axis(position: JointPosition, model: ModelWriteContext) -> bool:
    """Whether a coordinate is the axis with the same index of a written joint."""
    if position.joint not in model.joints:
        return False
    coordinates = chain_of(model.model.joints[position.joint].type).coordinates
    return position.coordinate < len(coordinates) and coordinates[position.coordinate] == position.coordinate


def _position_path(position: JointPosition, model: ModelWriteContext) -> str:
    # OpenRAVE supports only formulas of joints: the axis is omitted if it is the only one.
    path = model.joint_path(position.joint)
    return path if len(model.axes[position.joint]) == 1 else f"{path}/{axis_sid(position.coordinate)}"


def _formula_element(formula: Coupling, position: JointPosition, model: ModelWriteContext) -> FormulaElement:
    def math(expression: Expression) -> XmlNode:
        return write_mathml(expression, lambda part: _position_path(part, model))

    equations = [_equation_node(math(formula.position), {"type": "position"})]
    for partial in formula.partials:
        target = _position_path(JointPosition(joint=partial.joint, coordinate=partial.coordinate), model)
        equations.append(_equation_node(math(partial.expression), {"type": _PARTIALS[partial.order], "target": target}))
    common = xml.element("technique_common")
    common.children = [math(formula.position)]
    return FormulaElement(
        sid=f"{model.joints[position.joint]}_{axis_sid(position.coordinate)}_formula",
        target=ValueElement(param=ParamElement(value=_position_path(position, model))),
        technique_common=FormulaTechniqueElement(node=common),
        technique=(TechniqueElement(profile=PROFILE, node=technique_node(PROFILE, equations)),),
    )


def _equation_node(math: XmlNode, attributes: dict[str, str]) -> XmlNode:
    equation = xml.element("equation", attributes)
    equation.children = [math]
    return equation


def remove_deep_formulas(model: Model, ledger: Ledger) -> Model:
    """Return a model without couplings that exceed the nesting depth of a document."""
    joints = [_remove_deep_formulas(joint, f"{model.name}/{joint.name}", ledger) for joint in model.joints]
    return replace(model, joints=NamedList(joints)) if joints != list(model.joints) else model


def _remove_deep_formulas(joint: Joint, path: str, ledger: Ledger) -> Joint:
    coordinates = list(joint.coordinates)
    for index, coordinate in enumerate(coordinates):
        formula = coordinate.coupling
        specified = [] if formula is None else [formula.position, *(partial.expression for partial in formula.partials)]
        if any(_expression_depth(expression) > MAX_DEPTH for expression in specified):
            ledger.dropped(f"{path}.coordinates[{index}].coupling", f"the formula is nested deeper than {MAX_DEPTH} operations")
            coordinates[index] = replace(coordinate, coupling=None)
    return replace(joint, coordinates=tuple(coordinates)) if coordinates != list(joint.coordinates) else joint


def _expression_depth(expression: Expression) -> int:
    def of_leaf(leaf: Number | JointPosition) -> int:
        return 0

    return fold_expression(expression, of_leaf, lambda operation, depths: 1 + max(depths, default=0))
