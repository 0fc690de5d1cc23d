"""Comparison of elements field by field, for everything that has no comparison of its own: with units and tolerances."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ossature import model
from ossature.comparison import ABSENT, compare, is_number
from ossature.model.program_hints import Hint
from ossature.model.value_text import field_text, field_unit, is_rotation, kind_text, value_text
from ossature.model_diff.changes import Category, Change, PathPair
from ossature.model_diff.joint_motions import displacement_text
from ossature.model_diff.number_text import between, change_text
from ossature.model_diff.tolerance import are_equal, distance_between
from ossature.spatial import Pose

_STEP = re.compile(r"\.?(\w+)|\[(\d+)\]")
_WITHOUT_UNIT = ("absent", "none", "unbounded")
"""Texts of values that are no numbers."""
_CATEGORIES = {
    "position_limits": Category.LIMITS,
    "velocity_limits": Category.LIMITS,
    "acceleration_limits": Category.LIMITS,
    "effort_limits": Category.LIMITS,
    "jerk_limits": Category.LIMITS,
    "hard_limits": Category.LIMITS,
    "continuous": Category.LIMITS,
    "coupling": Category.KINEMATICS,
    "damping": Category.DYNAMICS,
    "friction": Category.DYNAMICS,
    "stiffness": Category.DYNAMICS,
    "spring_reference": Category.DYNAMICS,
    "actuation": Category.ACTUATION,
    "initial_position": Category.INITIAL_STATE,
    "initial_velocity": Category.INITIAL_STATE,
    "initial_angular_velocity_body": Category.INITIAL_STATE,
    "initial_acceleration": Category.INITIAL_STATE,
    "initial_effort": Category.INITIAL_STATE,
    "grasps": Category.INITIAL_STATE,
    "extensions": Category.OTHER,
    "settings": Category.OTHER,
    "hints": Category.OTHER,
    "soft_skin": Category.GEOMETRY,
    "static": Category.STRUCTURE,
}
_OF_ELEMENTS = {
    model.Sensor: Category.SENSORS,
    model.Actuator: Category.ACTUATION,
    model.Motor: Category.ACTUATION,
    model.Manipulator: Category.ACTUATION,
    model.Load: Category.DYNAMICS,
}


def field_changes(a: Any, b: Any, paths: PathPair, tolerance: float) -> Iterator[Change]:
    """Yield the differences of two elements of the same class, of B in the terms of A, with their units.

    Args:
        a: The element of A.
    """
    seen = set()
    b = _with_same_extensions(a, b)
    for difference in compare(a, b):
        steps = _value_steps(a, difference.path)
        if steps in seen:
            continue
        seen.add(steps)
        change = _field_change(a, b, steps, paths, tolerance)
        if change is not None:
            yield change


def _with_same_extensions(a: Any, b: Any) -> Any:
    """Return an element of B whose extensions are those of A if they are equal but for their order."""
    for name in ("extensions", "settings"):
        one, other = getattr(a, name, ()), getattr(b, name, ())
        if one != other and Counter(one) == Counter(other):
            b = replace(b, **{name: one})
    return b


def _value_steps(root: Any, path: str) -> tuple[str | int, ...]:
    """Return the steps to a value that differs: to a pose or a range as a whole, and to a list without its order."""
    steps: list[str | int] = []
    value = root
    for name, index in _STEP.findall(path.removesuffix(" (order)")):
        if isinstance(value, Pose | model.Range | model.LazyMesh | model.Coupling | model.HardLimits) or (
            isinstance(value, tuple) and isinstance(value[0], model.Extension | Hint)
        ):
            break
        step = name or int(index)
        value = value[step] if isinstance(step, int) else getattr(value, step)
        steps.append(step)
    return tuple(steps)


def _field_change(a: Any, b: Any, steps: tuple[str | int, ...], paths: PathPair, tolerance: float) -> Change | None:
    one, other, rotation = a, b, True
    owners = a, b
    for step in steps:
        if isinstance(one, model.Joint) and isinstance(step, str):
            joint_type = one.type
        if isinstance(step, int) and isinstance(one[step], model.Coordinate):
            rotation = is_rotation(joint_type, step)
        if isinstance(step, str):
            owners = one, other
        one, other = (value[step] if isinstance(step, int) else getattr(value, step) for value in (one, other))
    names = [str(step) for step in steps if isinstance(step, str)]
    unit = field_unit(owners[0], names[-1], rotation=rotation)
    if are_equal(one, other, tolerance, unit):
        return None
    return paths.change(
        category=_category(a, names),
        quantity=_quantity(a, names),
        text=_text(one, other, unit) if names[-1] != "hard_limits" else _hard_limits_text(owners, rotation),
        field="".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix("."),
        amount=_amount(one, other),
    )


def _category(element: Any, names: list[str]) -> Category:
    if names == ["name"]:
        return Category.NAMES
    if {"extensions", "settings", "hints"} & {*names}:
        return Category.OTHER
    of_element = next((category for kind, category in _OF_ELEMENTS.items() if isinstance(element, kind)), None)
    if of_element is not None:
        return of_element
    specified = next((_CATEGORIES[name] for name in names if name in _CATEGORIES), None)
    if specified is not None:
        return specified
    return Category.DYNAMICS if hasattr(element, "body1") or "gravity" in names else Category.OTHER


def _quantity(element: Any, names: list[str]) -> str:
    words = [name.replace("_", " ") for name in names if name not in ("coordinates", "description", "inertial")]
    return " ".join(words)


def _text(a: Any, b: Any, unit: str) -> str:
    if isinstance(a, Pose) and isinstance(b, Pose):
        return displacement_text(a, b)
    if is_number(a) and is_number(b):
        return change_text(a, b, unit)
    if isinstance(a, model.Coupling | None) and isinstance(b, model.Coupling | None) and a is not b:
        return _couplings_text(a, b)
    if _are_extensions(a) and _are_extensions(b):
        return _extensions_text(a, b)
    one, other = between(a, b, lambda value: "absent" if value is ABSENT else value_text(value))
    if other in _WITHOUT_UNIT and one not in _WITHOUT_UNIT:
        return f"{one} {unit}".rstrip() + f" → {other}"
    return f"{one} → {other} {unit if other not in _WITHOUT_UNIT else ''}".rstrip()


def _couplings_text(a: model.Coupling | None, b: model.Coupling | None) -> str:
    """Return the formulas of two couplings; of equal formulas also the partial derivatives, which differ then."""
    formulas = ["none" if one is None else model.formula_text(one.position) for one in (a, b)]
    if a is None or b is None or formulas[0] != formulas[1]:
        return " → ".join(formulas)
    partials = [
        ", ".join(f"{model.formula_text(one.expression)} by {one.joint}" for one in side.partials) or "none" for side in (a, b)
    ]
    return f"{formulas[0]}: stated partial derivatives {' → '.join(partials)}"


def _hard_limits_text(owners: tuple[Any, Any], rotation: bool) -> str:
    sides = [None if one.hard_limits is None else field_text(one, "hard_limits", rotation=rotation) for one in owners]
    return f"{sides[0] or 'none'} → {sides[1] or 'none'}"


def _are_extensions(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(part, model.Extension) for part in value)


def _extensions_text(a: tuple[model.Extension, ...], b: tuple[model.Extension, ...]) -> str:
    """Return how many contents of one format only one side has, with the first of them."""
    parts = []
    for side, extra in (("A", Counter(a) - Counter(b)), ("B", Counter(b) - Counter(a))):
        found = [*extra.elements()]
        if found:
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            parts.append(f"only in {side}: {value_text(found[0], longest=60)}{more}")
    return "; ".join(parts)


def _amount(a: Any, b: Any) -> float | None:
    if isinstance(a, Pose) and isinstance(b, Pose):
        return distance_between(a, b)
    return abs(b - a) if is_number(a) and is_number(b) else None


def absent_change(element: Any, paths: PathPair) -> Change:
    """Return the change of an element that only one side has."""
    kind = kind_text(type(element))
    category = next((category for known, category in _OF_ELEMENTS.items() if isinstance(element, known)), Category.STRUCTURE)
    return paths.change(category, kind)
