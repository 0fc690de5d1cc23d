"""Content of SDFormat that changes the motion of bodies and is not simulated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from ossature.diagnostics import Report
from ossature.model import Body, Extension, Model, World
from ossature.model.value_text import quoted_names
from ossature.simulation.compile import rules

_TEXT = re.compile(r"<(\w+)[^>]*>\s*([^<>]*?)\s*</")
_TRUE = ("1", "true")


def report_unsupported_sdf_content(world: World, model: Model, report: Report) -> None:
    """Report the bodies of a model with such content: a finding for each kind."""
    extended = [body for body in model.bodies if body.extensions]
    for kind, is_found, hint in _KINDS if extended else ():
        bodies = [body for body in extended if any(map(is_found, _extensions_of(body)))]
        _report(kind, bodies, hint, model, report)
    if any(_has_wind(extension) for extension in world.extensions):
        bodies = [body for body in model.bodies if _is_in_wind(body, model)]
        _report("wind", bodies, "add a load to the bodies", model, report)


def _report(kind: str, bodies: Sequence[Body], hint: str, model: Model, report: Report) -> None:
    if bodies:
        message = f"'{model.name}': {kind} is not simulated: {quoted_names(body.name for body in bodies)}"
        report.add(rules.NOT_SIMULATED, message, bodies[0].origin, path=model.name, hint=hint)


def _extensions_of(element: World | Model | Body) -> Iterable[Extension]:
    return (extension for extension in element.extensions if extension.format == "sdf")


def _is_unsupported_friction(extension: Extension) -> bool:
    """Whether an extension is such friction; SDFormat's defaults are 1 for coefficients, and no patch for contacts."""
    if "/friction/" not in extension.key:
        return False
    numbers = _read_numbers(extension.value)
    if extension.key.endswith("/torsional"):
        return numbers.get("coefficient", 1.0) > 0.0 and any(numbers.get(name) for name in ("patch_radius", "surface_radius"))
    first, second = (numbers.get(names[0], numbers.get(names[1], 1.0)) for names in (("mu", "friction"), ("mu2", "friction2")))
    return first != second or any(numbers.get(name) for name in ("slip1", "slip2"))


def _has_velocity_decay(extension: Extension) -> bool:
    return extension.key == "velocity_decay" and any(_read_numbers(extension.value).values())


def _has_added_mass(extension: Extension) -> bool:
    return extension.key == "inertial/fluid_added_mass" and any(_read_numbers(extension.value).values())


def _is_kinematic(extension: Extension) -> bool:
    return extension.key == "kinematic" and _is_true(extension)


_KINDS: Sequence[tuple[str, Callable[[Extension], bool], str]] = (
    (
        "friction that differs by direction, or acts against turning about the normal,",
        _is_unsupported_friction,
        "the coefficient of the first direction (<mu>) acts in all directions",
    ),
    ("damping of the velocity of a link (<velocity_decay>)", _has_velocity_decay, "state the damping of joints"),
    ("the added mass of a fluid", _has_added_mass, "add it to the inertia of the link if it is the same in all directions"),
    ("a link without dynamics (<kinematic>)", _is_kinematic, "connect it to the world, or command its joint"),
)
"""What is not simulated, whether an extension states it, and a hint."""


def _is_in_wind(body: Body, model: Model) -> bool:
    """Whether wind acts on a body; a link that does not state it has the value of its model."""
    for element in (body, model):
        specified = [extension for extension in _extensions_of(element) if extension.key == "enable_wind"]
        if specified:
            return _is_true(specified[-1])
    return False


def _has_wind(extension: Extension) -> bool:
    if extension.format != "sdf" or extension.key != "wind":
        return False
    return any(number not in ("0", "0.0") for tag, text in _TEXT.findall(extension.value) for number in text.split())


def _is_true(extension: Extension) -> bool:
    return any(text.lower() in _TRUE for _, text in _TEXT.findall(extension.value))


def _read_numbers(text: str) -> Mapping[str, float]:
    """Return the numbers of elements by tag; those that are none are reported where the file is read."""
    numbers = {}
    for tag, value in _TEXT.findall(text):
        try:
            numbers[tag] = float(value)
        except ValueError:
            continue
    return numbers
