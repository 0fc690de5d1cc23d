"""Reads formulas as joint couplings.

Angles in formulas are in radians and lengths in the unit of the document, also if the rest of the document uses degrees: so do
OpenRAVE and existing documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from ossature.diagnostics import Location, Report
from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import Document, Item, extension_of_technique
from ossature.formats.collada.kinematics.read_articulated_systems import AxisState, JointInstance, ModelInstance, System
from ossature.formats.collada.kinematics.schema import FormulaElement, InstanceFormulaElement, RevoluteElement
from ossature.formats.collada.mathml.read import Definition, read_mathml
from ossature.formats.collada.openrave.schema import EquationElement, FormulaEquationsElement
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.schema_common import ValueElement
from ossature.formats.collada.sid_resolution import AxisTarget, Scope, split_sid_path
from ossature.model import Coupling, Expression, Joint, JointPosition, Number, Operation, Operator, PartialDerivative
from ossature.syntax.schema import Element
from ossature.syntax.xml import XmlNode


def with_formulas(
    joints: list[Joint], system: System, names: dict[JointInstance, str], reading: ColladaReadContext
) -> list[Joint]:
    """Return the joints with their couplings."""
    reader = _FormulaReader(system, names, reading)
    formulas: dict[JointPosition, Coupling] = {}
    for element, item, axis in _iterate_formulas(system):
        found = reader.read(element, item, axis)
        if found is not None:
            formulas[found[0]] = found[1]
    return [_with_joint_formulas(joint, formulas) for joint in joints] if formulas else joints


def _with_joint_formulas(joint: Joint, formulas: dict[JointPosition, Coupling]) -> Joint:
    found = [formulas.get(JointPosition(joint=joint.name, coordinate=index)) for index in range(joint.degrees_of_freedom)]
    if not any(found):
        return joint
    coordinates = [
        coordinate if formula is None or coordinate.coupling is not None else replace(coordinate, coupling=formula)
        for coordinate, formula in zip(joint.coordinates, found, strict=True)
    ]
    return replace(joint, coordinates=tuple(coordinates))


def _iterate_formulas(system: System) -> Iterator[tuple[FormulaElement | InstanceFormulaElement, Item, AxisTarget | None]]:
    """Yield every formula of a system, with the element that contains it, and the axis of its axis_info, or None."""
    for instance in system.instances:
        content = instance.element.technique_common
        for formula in content.formulas if content is not None else ():
            yield formula, instance.item, None
    for instance, joint, index in system.axes():
        state: AxisState = joint.axes[index]
        if state.kinematics is not None:
            info, _, container = state.kinematics
            for formula in info.formulas:
                yield formula, container, AxisTarget(instance.scope, joint.sid, index)


@dataclass(frozen=True)
class _FormulaReader:
    """Reads the formulas of one system; ``definitions`` caches the functions of each document, by its id."""

    system: System
    names: dict[JointInstance, str]
    reading: ColladaReadContext
    definitions: dict[int, dict[str, Definition]] = field(default_factory=dict)

    def read(
        self, specified: FormulaElement | InstanceFormulaElement, item: Item, axis: AxisTarget | None
    ) -> tuple[JointPosition, Coupling] | None:
        """Return a coordinate and its coupling, or None with a finding if the formula cannot be read."""
        element, report = specified, self.reading.report
        parameters: dict[str | None, ValueElement] = {}
        if isinstance(element, InstanceFormulaElement):
            found = self.reading.documents.find(element.url, FormulaElement, item.document, element, "url")
            if found is None:
                return None
            parameters.update({parameter.ref: parameter for parameter in element.setparam})
            element, item = found.element, found
        assert isinstance(element, FormulaElement)  # noqa: S101
        target = self._resolve_target(element, axis)
        if target is None:
            return None
        position, (joint, index) = target
        own = 1.0 if _is_revolute(joint, index) else item.meter
        parameters = {parameter.sid: parameter for parameter in element.newparam} | parameters
        equations = _Equations(self, item, self._definitions_in(item.document), parameters, report, self.names[joint])
        formula = equations.read(element, own)
        return None if formula is None else (position, formula)

    def _resolve_target(
        self, element: FormulaElement, axis: AxisTarget | None
    ) -> tuple[JointPosition, tuple[JointInstance, int]] | None:
        specified = element.target
        path = specified.reference or specified.plain if specified is not None else None
        if path:
            return self.coordinate(path, element.location("target"))
        if axis is not None:
            return self._coordinate_of(axis)
        self.reading.report.add(
            rules.FORMULA_WITHOUT_TARGET, "the formula has no target joint", element.location(), hint="<target>"
        )
        return None

    def coordinate(self, path: str, location: Location | None) -> tuple[JointPosition, tuple[JointInstance, int]] | None:
        """Return the coordinate that a SID path refers to, or None with a finding."""
        parts = split_sid_path(path)
        scope = self.system.scope
        targets = [scope.find(parts)] if isinstance(scope, Scope) and parts else []
        targets += [instance.scope.find(parts) for instance in self.system.instances if parts]
        for target in targets:
            if isinstance(target, AxisTarget):
                found = self._coordinate_of(target)
                if found is not None:
                    return found
        self.reading.report.add(
            rules.UNKNOWN_LINK,
            f"a formula refers to the joint '{path}', which does not exist",
            location,
            hint=self.reading.report.suggestion(parts[-1] if parts else "", (joint.sid for joint in self.names)),
        )
        return None

    def _coordinate_of(self, target: AxisTarget) -> tuple[JointPosition, tuple[JointInstance, int]] | None:
        instance: ModelInstance | None = next((one for one in self.system.instances if one.scope is target.model), None)
        joint = instance.joints.get(target.joint) if instance is not None else None
        if joint is None or joint not in self.names:
            return None
        return JointPosition(joint=self.names[joint], coordinate=target.axis), (joint, target.axis)

    def _definitions_in(self, document: Document) -> dict[str, Definition]:
        if id(document) not in self.definitions:
            self.definitions[id(document)] = {
                formula.element.id: Definition(parameters=tuple([one.sid or "" for one in formula.element.newparam]), body=body)
                for formula in document.of_kind(FormulaElement)
                if formula.element.id and (body := _find_math(formula.element.technique_common)) is not None
            }
        return self.definitions[id(document)]

    @cached_property
    def prismatic(self) -> set[JointPosition]:
        return {
            JointPosition(joint=name, coordinate=index)
            for joint, name in self.names.items()
            for index in range(len(joint.axes))
            if not _is_revolute(joint, index)
        }


@dataclass(frozen=True, slots=True)
class _Equations:
    reader: _FormulaReader
    item: Item
    definitions: dict[str, Definition]
    parameters: dict[str | None, ValueElement]
    report: Report
    path: str

    def read(self, element: FormulaElement, own: float) -> Coupling | None:
        """Return the coupling; the technique of OpenRAVE has priority over the common one."""
        content = next(
            (
                found
                for technique in element.technique
                if (found := extension_of_technique(technique, FormulaEquationsElement, self.report)) is not None
            ),
            None,
        )
        equations = content.equation if content is not None else ()
        specified = next((equation for equation in equations if equation.type == "position"), None)
        position = self._read_expression(_find_math(specified if specified is not None else element.technique_common))
        if position is None:
            return None
        partials = [partial for equation in equations if (partial := self._read_partial(equation, own)) is not None]
        return Coupling(position=_scale_expression(position, own), partials=tuple(partials))

    def _read_partial(self, equation: EquationElement, own: float) -> PartialDerivative | None:
        order = {"first_partial": 1, "second_partial": 2}.get(equation.type or "")
        if order is None:
            return None
        found = self.reader.coordinate(equation.target or "", equation.location("target"))
        expression = self._read_expression(_find_math(equation))
        if found is None or expression is None:
            return None
        position, (joint, index) = found
        by = 1.0 if _is_revolute(joint, index) else self.item.meter
        return PartialDerivative(
            order=order,
            joint=position.joint,
            coordinate=position.coordinate,
            expression=_scale_expression(expression, own / by**order),
        )

    def _read_expression(self, math: XmlNode | None) -> Expression | None:
        if math is None:
            return None
        expression = read_mathml(math, self._resolve_position, self.report, definitions=self.definitions, path=self.path)
        return None if expression is None else self._convert_to_metres(expression)

    def _resolve_position(self, text: str, location: Location) -> Expression | None:
        parameter = self.parameters.get(text)
        if parameter is not None and parameter.number is not None:
            return Number(value=float(parameter.number))
        path = parameter.reference if parameter is not None else None
        found = self.reader.coordinate(path or text, location)
        return None if found is None else found[0]

    def _convert_to_metres(self, expression: Expression) -> Expression:
        """Return a formula of prismatic positions in the unit of the document as one of positions in metres."""
        if self.item.meter == 1.0:
            return expression
        return _with_divided_positions(expression, self.reader.prismatic, self.item.meter)


def _with_divided_positions(expression: Expression, prismatic: set[JointPosition], meter: float) -> Expression:
    if isinstance(expression, JointPosition):
        return _divide_expression(expression, meter) if expression in prismatic else expression
    if isinstance(expression, Operation):
        return replace(
            expression, operands=tuple([_with_divided_positions(operand, prismatic, meter) for operand in expression.operands])
        )
    return expression


def _divide_expression(expression: Expression, divisor: float) -> Expression:
    return Operation(operator=Operator.DIVIDE, operands=(expression, Number(value=divisor)))


def _scale_expression(expression: Expression, factor: float) -> Expression:
    if factor == 1.0:
        return expression
    return Operation(operator=Operator.MULTIPLY, operands=(Number(value=factor), expression))


def _is_revolute(joint: JointInstance, index: int) -> bool:
    return isinstance(joint.element.axes[index], RevoluteElement)


def _find_math(element: Element | None) -> XmlNode | None:
    node = element.node if element is not None else None
    if not isinstance(node, XmlNode):
        return None
    return next((child for child in node.children if child.local_tag == "math"), None)
