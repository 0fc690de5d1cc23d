"""Chrono spring-dampers and body loads → those of the model."""

from __future__ import annotations

import itertools

from ossature.formats.chrono import rules
from ossature.formats.chrono.read_context import ChronoReadContext
from ossature.formats.chrono.read_function import read_function, read_points
from ossature.formats.chrono.schema_model import (
    BodyLoadElement,
    LoadControllerElement,
    RsdaElement,
    SpringVisualElement,
    Table,
    TsdaElement,
)
from ossature.model import CONSTANT_ONE, EXTERNAL, ForceMap, Load, LoadKind, RotationalSpringDamper, SpringDamper, SpringVisual
from ossature.model.force_element import Curve
from ossature.spatial import ZERO3, Vector3, add, rotate
from ossature.syntax import rules as syntax_rules


def read_tsda(element: TsdaElement, reading: ChronoReadContext) -> SpringDamper | None:
    """Return the spring-damper of an element, or None if it is invalid."""
    if not reading.connects(element) or element.point1 is None or element.point2 is None:
        return None
    reading.not_negative(element, "free_length", "minimum_length", "maximum_length")
    _report_values_ignored_by_chrono(element, reading)
    _report_free_length(element, reading)
    body1, body2 = element.body1 or "", element.body2 or ""
    return SpringDamper(
        name=element.name or "",
        body1=body1,
        body2=body2,
        point1=reading.point_in(body1, element.point1),
        point2=reading.point_in(body2, element.point2),
        free_length=_read_free_length(element),
        stiffness=element.spring_coefficient or 0.0,
        damping=element.damping_coefficient or 0.0,
        degressivity=(element.degressivity_compression or 0.0, element.degressivity_expansion or 0.0),
        spring_curve=_read_curve(element, "spring_curve_data", reading),
        damping_curve=_read_curve(element, "damping_curve_data", reading),
        force_map=_read_force_map(element, reading),
        preload=element.preload,
        length_range=_read_stops(element, reading),
        visual=None if element.visualization is None else _read_visual(element.visualization),
        origin=element.location(),
    )


def _has_linear_or_curve_spring(element: TsdaElement | RsdaElement) -> bool:
    return element.spring_coefficient is not None or element.spring_curve_data is not None


def _read_free_length(element: TsdaElement) -> float | None:
    if element.free_length is None and element.map_data is not None and not _has_linear_or_curve_spring(element):
        return 0.0  # Chrono's free length of a map
    return element.free_length


def _report_free_length(element: TsdaElement, reading: ChronoReadContext) -> None:
    if element.free_length is None and _has_linear_or_curve_spring(element):
        message = f"'{element.name}' has no 'free_length'; the initial length is used"
        reading.report.add(rules.ASSUMED_FREE_LENGTH, message, element.location(), hint="state it")


def _report_values_ignored_by_chrono(element: TsdaElement | RsdaElement, reading: ChronoReadContext) -> None:
    ignored = _ignored_by_chrono(element)
    if ignored:
        message = f"Chrono ignores {', '.join(ignored)} of '{element.name}' silently; Ossature uses it"
        reading.report.add(rules.CHRONO_DROPS, message, element.location(ignored[0].strip("'")))


def _ignored_by_chrono(element: TsdaElement | RsdaElement) -> list[str]:
    """Return the stated keys that Chrono ignores because of other stated keys."""
    given = [name for name in _TERMS if getattr(element, name, None) is not None]
    if "map_data" in given:
        counted = {"map_data"}
    elif "spring_curve_data" in given:
        counted = {"spring_curve_data", "damping_curve_data"}
    elif "damping_curve_data" in given:
        counted = {"damping_curve_data"}
    else:
        counted = {"spring_coefficient", "damping_coefficient"}
    ignored = [name for name in given if name not in counted]
    if given and not {"spring_coefficient", "spring_curve_data", "map_data"} & (counted & set(given)):
        # Chrono's pure dampers have neither preload nor stops.
        ignored += [name for name in ("minimum_length", "maximum_length") if getattr(element, name, None) is not None]
        if element.preload:
            ignored.append("preload")
    if not given and (element.preload or getattr(element, "minimum_length", None) is not None):
        ignored.append("preload" if element.preload else "minimum_length")
    return [f"'{name}'" for name in ignored]


_TERMS = ("spring_coefficient", "damping_coefficient", "spring_curve_data", "damping_curve_data", "map_data")


def _read_curve(element: TsdaElement | RsdaElement, name: str, reading: ChronoReadContext) -> Curve:
    points: Table | None = getattr(element, name)
    return () if points is None else read_points(points, name, element.location(name), reading)


def _is_increasing(values: list[float] | tuple[float, ...]) -> bool:
    return all(first < second for first, second in itertools.pairwise(values))


def _read_force_map(element: TsdaElement, reading: ChronoReadContext) -> ForceMap | None:
    rows, deformations = element.map_data, element.deformation
    if rows is None:
        reading.report_unused(element, "deformation")
        return None
    if not reading.require_fields(element, "deformation") or deformations is None:
        return None
    if not deformations:
        reading.report.add(
            rules.INVALID_LOOKUP_TABLE, f"the map of '{element.name}' has no deformations", element.location("deformation")
        )
        return None
    for number, row in enumerate(rows):
        if len(row) != len(deformations) + 1:
            _report_row(element, number, len(row), len(deformations), reading)
            return None
    if not _is_increasing(deformations) or not _is_increasing([row[0] for row in rows]):
        message = f"deformations and velocities of the map of '{element.name}' must increase"
        reading.report.add(rules.INVALID_LOOKUP_TABLE, message, element.location("map_data"))
        return None
    return ForceMap(
        deformations=deformations,
        velocities=tuple([row[0] for row in rows]),
        forces=tuple([row[1:] for row in rows]),
    )


def _report_row(element: TsdaElement, number: int, length: int, deformations: int, reading: ChronoReadContext) -> None:
    reading.report.add(
        rules.INVALID_LOOKUP_TABLE,
        f"row {number + 1} of the map of '{element.name}' has {length} numbers",
        element.location("map_data"),
        hint=f"{deformations + 1} are required: a velocity, and a force for each of {deformations} deformations",
    )


def _read_stops(element: TsdaElement, reading: ChronoReadContext) -> tuple[float, float] | None:
    lower, upper = element.minimum_length, element.maximum_length
    if lower is None and upper is None:
        return None
    if lower is None or upper is None:
        name = "minimum_length" if upper is None else "maximum_length"
        message = f"'{element.name}' has only '{name}'; it has no stops, as in Chrono"
        reading.report.add(rules.ONE_SIDED_STOP, message, element.location(name), hint="state both")
        return None
    if lower > upper:
        message = f"'minimum_length' {lower:g} m of '{element.name}' exceeds 'maximum_length' {upper:g} m; it has no stops"
        reading.report.add(rules.ONE_SIDED_STOP, message, element.location("minimum_length"))
        return None
    return (lower, upper)


def _read_visual(element: SpringVisualElement) -> SpringVisual:
    return SpringVisual(
        style=(element.type or "SPRING").lower(),
        radius=element.radius,
        coil_count=element.turns,
        resolution=element.resolution,
        color=None if element.color is None else (*element.color, 1.0),
    )


def read_rsda(element: RsdaElement, reading: ChronoReadContext) -> RotationalSpringDamper | None:
    """Return the rotational spring-damper of an element, or None if it is invalid."""
    if not reading.connects(element):
        return None
    axis = reading.axis(element, "axis") if element.axis is not None else None
    if axis is None:
        return None
    _report_values_ignored_by_chrono(element, reading)
    if element.free_angle is None and _has_linear_or_curve_spring(element):
        message = f"'{element.name}' has no 'free_angle'; 0 is used"
        reading.report.add(rules.ASSUMED_FREE_LENGTH, message, element.location(), hint="state it")
    body1 = element.body1 or ""
    return RotationalSpringDamper(
        name=element.name or "",
        body1=body1,
        body2=element.body2,
        axis=reading.vector_in(body1, axis),
        point=ZERO3 if element.position is None else reading.point_in(body1, element.position),
        free_angle=None if element.free_angle is None else reading.angle(element.free_angle),
        stiffness=element.spring_coefficient or 0.0,
        damping=element.damping_coefficient or 0.0,
        spring_curve=_read_curve(element, "spring_curve_data", reading),
        damping_curve=_read_curve(element, "damping_curve_data", reading),
        preload=element.preload,
        origin=element.location(),
    )


def read_load(element: BodyLoadElement | LoadControllerElement, reading: ChronoReadContext) -> Load | None:
    """Return the load of an element, or None if it is invalid."""
    if element.type is None or not reading.knows(element, "body"):
        return None
    if isinstance(element, BodyLoadElement) and element.load is None:
        return None
    if element.type == "FORCE" and not reading.require_fields(element, "point"):
        return None
    if element.type == "TORQUE":
        reading.report_unused(element, "point", "local_point")
    elif element.local_point is None and not reading.states(element, "local_point"):
        message = f"'{element.name}' has no 'local_point'; false is used"
        reading.report.add(
            syntax_rules.DEFAULT_USED, message, element.location(), hint="state it: Chrono rejects a force without it"
        )
    body = element.body or ""
    is_force = element.type == "FORCE"
    modulation = CONSTANT_ONE
    value: Vector3 | None = None
    if isinstance(element, LoadControllerElement) and element.local_load and body in reading.com_wxyz:
        reading.rotated_vectors.append(element.location("local_load"))
    if isinstance(element, BodyLoadElement):
        value = element.load
        if value is not None and element.local_load:
            value = reading.local_vector(body, value, element.location("load"))
        if element.modulation_function is not None:
            modulation = read_function(element.modulation_function, reading) or EXTERNAL
    return Load(
        name=element.name or "",
        body=body,
        kind=LoadKind.FORCE if is_force else LoadKind.TORQUE,
        value=value,
        expressed_in_body_frame=element.local_load,
        point=_read_point(element, body, reading) if is_force else ZERO3,
        applied_at_body_point=bool(element.local_point) if is_force else True,
        modulation=modulation,
        origin=element.location(),
    )


def _read_point(element: BodyLoadElement | LoadControllerElement, body: str, reading: ChronoReadContext) -> Vector3:
    point = element.point or ZERO3
    if not element.local_point:
        return point
    # In Chrono the point is relative to the centre-of-mass frame.
    wxyz_com = reading.com_wxyz.get(body)
    return add(reading.bodies[body].inertial.center_of_mass, point if wxyz_com is None else rotate(wxyz_com, point))
