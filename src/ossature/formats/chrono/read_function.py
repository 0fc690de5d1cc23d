"""Chrono functions of time → functions of the model."""

from __future__ import annotations

import itertools

from ossature import model
from ossature.diagnostics import Location
from ossature.formats.chrono import rules
from ossature.formats.chrono.read_context import ChronoReadContext
from ossature.formats.chrono.schema_model import FunctionElement, RepeatElement, Table

_NEEDED = {
    "CONSTANT": ("value",),
    "POLYNOMIAL": ("coefficients",),
    "SINE": ("amplitude", "frequency"),
    "RAMP": ("slope",),
    "DATA": ("data",),
    "CONTROLLER": (),
}
_ALL = ("value", "coefficients", "amplitude", "frequency", "slope", "data")


def read_function(element: FunctionElement, reading: ChronoReadContext) -> model.Function | None:
    """Return the function of an element, or None if it is invalid."""
    if element.type is None or not reading.require_fields(element, *_NEEDED[element.type]):
        return None
    reading.report_unused(element, *(name for name in _ALL if name not in _NEEDED[element.type]))
    function = _read_base_function(element, reading)
    if function is None or element.repeat is None or isinstance(function, model.ExternalFunction | model.RepeatedFunction):
        return function
    return _read_repetition(element.repeat, function, reading)


def _read_base_function(element: FunctionElement, reading: ChronoReadContext) -> model.Function | None:
    match element.type:
        case "CONSTANT":
            return model.ConstantFunction(value=element.value or 0.0)
        case "POLYNOMIAL":
            return _read_polynomial(element, reading)
        case "SINE":
            return model.SineFunction(
                amplitude=element.amplitude or 0.0,
                frequency=element.frequency or 0.0,
                phase=reading.angle(element.phase),
                offset=element.shift,
            )
        case "RAMP":
            return model.RampFunction(slope=element.slope or 0.0, intercept=element.intercept)
        case "DATA":
            return _read_table(element, reading)
    return model.EXTERNAL


def _read_polynomial(element: FunctionElement, reading: ChronoReadContext) -> model.Function | None:
    coefficients = element.coefficients or ()
    if len(coefficients) < 2:
        message = f"a polynomial of {len(coefficients)} coefficients; at least 2 are required"
        reading.report.add(
            rules.INVALID_LOOKUP_TABLE, message, element.location("coefficients"), hint="use CONSTANT for one value"
        )
        if not coefficients:
            return None
    return model.PolynomialFunction(coefficients=coefficients)


def _read_table(element: FunctionElement, reading: ChronoReadContext) -> model.Function | None:
    points = read_points(element.data or (), "data", element.location("data"), reading)
    return model.TableFunction(points=points) if points else None


def read_points(
    table: Table, name: str, location: Location | None, reading: ChronoReadContext
) -> tuple[tuple[float, float], ...]:
    """Return the points of a curve in the order of their arguments, or none if two have the same argument."""
    points = tuple(sorted([(point[0], point[1]) for point in table]))
    if any(first[0] == second[0] for first, second in itertools.pairwise(points)):
        reading.report.add(rules.INVALID_LOOKUP_TABLE, f"two points of '{name}' have the same argument", location)
        return ()
    if any(first[0] > second[0] for first, second in itertools.pairwise(table)):
        message = f"the arguments of '{name}' do not increase; the points are sorted"
        reading.report.add(rules.UNORDERED_POINTS, message, location)
    return points


def _read_repetition(
    element: RepeatElement,
    function: model.ConstantFunction | model.PolynomialFunction | model.SineFunction | model.RampFunction | model.TableFunction,
    reading: ChronoReadContext,
) -> model.Function:
    if element.width is None:
        return function
    if element.width <= 0.0:
        reading.report.add(
            rules.VALUE_OUT_OF_RANGE, f"'width' is {element.width:g} s; it must be positive", element.location("width")
        )
        return function
    if element.shift < 0.0:
        message = f"'shift' is {element.shift:g} s: Chrono starts before the interval"
        hint = f"use {element.shift % element.width:g}"
        reading.report.add(rules.NEGATIVE_SHIFT, message, element.location("shift"), hint=hint)
    return model.RepeatedFunction(function=function, start=element.start, width=element.width, shift=element.shift)
