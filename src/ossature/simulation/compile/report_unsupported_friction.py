"""Friction of SDFormat that is not simulated: it differs by direction, or acts against turning about the normal."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ossature.diagnostics import Report
from ossature.model import Extension, Model
from ossature.model.value_text import quoted_names
from ossature.simulation.compile import rules

_NUMBER = re.compile(r"<(\w+)>\s*([-+.\w]+)\s*</")


def report_unsupported_friction(model: Model, report: Report) -> None:
    """Report the bodies of a model with such friction."""
    bodies = [body for body in model.bodies if any(map(_is_unsupported_friction, body.extensions))]
    if bodies:
        message = (
            f"'{model.name}': friction that differs by direction, or acts against turning about the normal, is not simulated: "
            f"{quoted_names(body.name for body in bodies)}"
        )
        hint = "the coefficient of the first direction (<mu>) acts in all directions"
        report.add(rules.NOT_SIMULATED, message, bodies[0].origin, path=model.name, hint=hint)


def _is_unsupported_friction(extension: Extension) -> bool:
    """Whether an extension is such friction; SDFormat's defaults are 1 for coefficients, and no patch for contacts."""
    if extension.format != "sdf" or "/friction/" not in extension.key:
        return False
    numbers = _read_numbers(extension.value)
    if extension.key.endswith("/torsional"):
        return numbers.get("coefficient", 1.0) > 0.0 and any(numbers.get(name) for name in ("patch_radius", "surface_radius"))
    first, second = (numbers.get(names[0], numbers.get(names[1], 1.0)) for names in (("mu", "friction"), ("mu2", "friction2")))
    return first != second or any(numbers.get(name) for name in ("slip1", "slip2"))


def _read_numbers(text: str) -> Mapping[str, float]:
    """Return the numbers of elements by tag; those that are none are reported where the file is read."""
    numbers = {}
    for tag, value in _NUMBER.findall(text):
        try:
            numbers[tag] = float(value)
        except ValueError:
            continue
    return numbers
