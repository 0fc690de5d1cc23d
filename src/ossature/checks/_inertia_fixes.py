"""Fixes of inertia tensors: they change numbers that may be measured, so that none is safe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np

from ossature.checks._field_locations import field_location, specified_value
from ossature.checks.context import CheckContext
from ossature.diagnostics import Fix, Safety
from ossature.kinematics import infer_inertia
from ossature.model import Body, Model, NamedList, World
from ossature.spatial import quaternion_from_euler, rotation_matrix
from ossature.syntax.xml_edits import value_at
from ossature.syntax.xml_fixes import replace_at
from ossature.syntax.xml_values import format_number

_ENTRIES = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
_UNIT_ERRORS = (-9, -7, -6, -4, -3, 3, 4, 6, 7, 9)
"""Powers of ten between kg·m² and products of grams or tonnes with millimetres, centimetres or metres."""
_PLAUSIBLE_RADII = (0.2, 1.0)
"""Plausible radii of gyration, as multiples of the size of the shapes."""
_NO_MOMENT = ((0.0, 0.0, 0.0),) * 3


def scale_or_infer_moments(body: Body, radius: float, size: float, context: CheckContext) -> Fix | None:
    """Return the fix of moments in other units, or else that of moments from the shapes.

    Args:
        radius: Its largest radius of gyration [m].
        size: The size of its shapes [m].
        context: The data that checks share.
    """
    lower, upper = _PLAUSIBLE_RADII
    powers = [power for power in _UNIT_ERRORS if lower <= radius * 10.0 ** (power / 2.0) / size <= upper]
    return _scale_moments(body, powers[0]) if len(powers) == 1 else infer_moments(body, context)


def _scale_moments(body: Body, power: int) -> Fix | None:
    places = [field_location(body.origin, name) for name in _ENTRIES]
    try:
        specified = [Decimal(value_at(place)) for place in places if place is not None]
        values = [format_number(float(value.scaleb(power))) for value in specified]
    except (ValueError, ArithmeticError):
        return None
    if len(values) < len(places):
        return None
    title = f"multiply the moments of '{body.name}' by 1e{power}"
    return replace_at(list(zip(places, values, strict=True)), title=title, safety=Safety.UNSAFE)


def infer_moments(body: Body, context: CheckContext) -> Fix | None:
    """Return the fix that replaces the moments of a body by those of its shapes with its mass, as homogeneous solids."""
    if not body.inertial.mass > 0.0:
        return None
    bare = replace(body, inertial=replace(body.inertial, moment=_NO_MOMENT))
    _, inferred = infer_inertia(World(models=NamedList([Model(name="m", bodies=NamedList([bare]))])), meshes=context.meshes)
    if not inferred or inferred[0].body.inertial.moment is None:
        return None
    axes = _inertial_axes(body)
    moment = axes.T @ np.array(inferred[0].body.inertial.moment) @ axes
    places = [(field_location(body.origin, name), format_number(float(moment[entry]))) for name, entry in _ENTRIES.items()]
    title = f"compute the moments of '{body.name}' {inferred[0].source.partition(' at ')[0]}"
    return replace_at(places, title=title, safety=Safety.UNSAFE)


def _inertial_axes(body: Body) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the axes in which a file states the moments of a body, in the frame of the body."""
    specified: Sequence[float] = [float(each) for each in specified_value(body.origin, "inertial_rpy").split()]
    if len(specified) != 3:
        return np.eye(3)
    roll, pitch, yaw = specified
    return np.array(rotation_matrix(quaternion_from_euler((yaw, pitch, roll), "zyx")))
