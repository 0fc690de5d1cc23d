"""Locations of fields of the model in files; an element of the model has only its own location."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from ossature.diagnostics import Location
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

_PATHS: Mapping[str, tuple[str, ...]] = {
    "name": ("@name",),
    "mass": ("inertial/mass@value", "inertia/mass"),
    "moment": ("inertial/inertia", "inertia/moment_of_inertia"),
    "ixx": ("inertial/inertia@ixx", "inertia/moment_of_inertia/ixx"),
    "iyy": ("inertial/inertia@iyy", "inertia/moment_of_inertia/iyy"),
    "izz": ("inertial/inertia@izz", "inertia/moment_of_inertia/izz"),
    "center_of_mass": ("inertial/origin@xyz", "inertia/offset"),
    "pose": ("origin@xyz", "transformation"),
    "size": ("geometry/box@size", "geometry/sphere@radius", "geometry/box/size", "geometry/sphere/radius"),
    "radius": ("geometry/cylinder@radius", "geometry/capsule@radius", "geometry/*/radius"),
    "length": ("geometry/cylinder@length", "geometry/capsule@length", "geometry/*/length", "geometry/*/height"),
    "uri": ("geometry/mesh@filename", "geometry/mesh/file_name"),
    "scale": ("geometry/mesh@scale", "geometry/mesh/scale", "geometry/mesh@filename", "geometry/mesh"),
    "color": ("material/color@rgba", "material@name", "color"),
    "lower": ("limit@lower", "axis/limit/lower", "limit"),
    "upper": ("limit@upper", "axis/limit/upper", "limit"),
    "velocity": ("limit@velocity",),
    "effort": ("limit@effort",),
    "damping": ("dynamics@damping", "axis/dynamics/damping"),
    "friction": ("dynamics@friction", "axis/dynamics/friction"),
    "stiffness": ("axis/dynamics/spring_stiffness",),
    "coupling": ("mimic@joint",),
    "multiplier": ("mimic@multiplier",),
    "texture": ("material/texture@filename",),
    "child": ("child@link", "child"),
}
"""Paths of fields below the element, in URDF and SKEL: tags, then an attribute after ``@``."""


def field_location(origin: Location | None, *fields: str) -> Location | None:
    """Return the location of the first of the fields that the file states, or that of the element.

    Args:
        origin: Location of the element: of a body, joint or shape.
        fields: Names of fields, see ``_PATHS``.
    """
    return next((location for location, _ in _stated_fields(origin, fields)), origin)


def moment_location(origin: Location | None, *, smallest: bool) -> Location | None:
    """Return the location of the smallest or largest of the moments of inertia that the file states for a body."""
    moments = [(_number(text), location) for location, text in _stated_fields(origin, ("ixx", "iyy", "izz"))]
    if not moments:
        return field_location(origin, "moment")
    return (min if smallest else max)(moments, key=lambda moment: moment[0])[1]


def _stated_fields(origin: Location | None, fields: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
    element = _element_at(origin) if origin is not None else None
    if element is not None:
        for path in [path for field in fields for path in _PATHS[field]]:
            yield from _follow(element, path)


def _follow(element: XmlNode, path: str) -> Iterator[tuple[Location, str]]:
    tags, _, attribute = path.partition("@")
    nodes = [element]
    for tag in tags.split("/") if tags else ():
        nodes = [child for node in nodes for child in node if tag in ("*", child.tag)]
    for node in nodes:
        if not attribute:
            yield node.location, node.text
        elif attribute in node.attributes:
            yield node.attribute_location(attribute), node.attributes[attribute]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


@lru_cache(maxsize=8)
def _element_at(origin: Location) -> XmlNode | None:
    return xml.element_at(origin)
