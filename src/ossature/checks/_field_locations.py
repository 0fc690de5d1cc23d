"""Locations of fields of the model in files; an element of the model has only its own location."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from ossature.diagnostics import Location, Source
from ossature.syntax import xml_parser
from ossature.syntax.xml import XmlNode

_PATHS: Mapping[str, tuple[str, ...]] = {
    "name": ("@name",),
    "mass": ("inertial/mass@value", "inertia/mass", "technique_common/mass"),
    "moment": ("inertial/inertia", "inertia/moment_of_inertia", "technique_common/inertia"),
    "ixx": ("inertial/inertia@ixx", "inertia/moment_of_inertia/ixx"),
    "iyy": ("inertial/inertia@iyy", "inertia/moment_of_inertia/iyy"),
    "izz": ("inertial/inertia@izz", "inertia/moment_of_inertia/izz"),
    "gravity": ("world/physics/gravity", "physics/gravity"),
    "time_step": ("world/physics/time_step", "physics/time_step"),
    "initial_position": ("init_pos",),
    "ixy": ("inertial/inertia@ixy", "inertia/moment_of_inertia/ixy"),
    "ixz": ("inertial/inertia@ixz", "inertia/moment_of_inertia/ixz"),
    "iyz": ("inertial/inertia@iyz", "inertia/moment_of_inertia/iyz"),
    "inertial_rpy": ("inertial/origin@rpy",),
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
"""Paths of fields below the element, in URDF, SKEL and COLLADA: tags, then an attribute after ``@``."""
_KEYS: Mapping[str, str] = {
    "mass": "mass",
    **dict.fromkeys(("moment", "ixx", "iyy", "izz"), "inertia"),
    "center_of_mass": "com",
    "stiffness": "spring_coefficient",
    "damping": "damping_coefficient",
}
"""Keys of fields in Chrono YAML."""


def field_location(origin: Location | None, *fields: str) -> Location | None:
    """Return the location of the first of the fields that the file states, or that of the element.

    Args:
        origin: Location of the element: of a body, joint or shape.
        fields: Names of fields, see ``_PATHS``.
    """
    if origin is not None and not origin.source.is_xml:
        return _key_location(origin, fields) or origin
    return next((location for location, _ in _specified_fields(origin, fields)), origin)


def _key_location(origin: Location, fields: tuple[str, ...]) -> Location | None:
    """Return the location of the first of the keys that a mapping of YAML states, found by the indentation of its lines."""
    source, offset = origin
    keys = [_KEYS[field] for field in fields if field in _KEYS]
    column = origin.column
    if not keys or offset is None or column is None:
        return None
    text = source.text_from(offset, _MOST_BYTES_OF_MAPPING)
    end = re.search(rf"\n(?! {{{column - 1}}}|[ \t]*(?:#|\n|$))", text)
    found = re.search(rf"(?:^|[{{,]|\n)[ \t]*({'|'.join(keys)})\s*:", text[: end.start()] if end is not None else text)
    return None if found is None else Location(source, offset + len(text[: found.start(1)].encode(source.encoding)))


_MOST_BYTES_OF_MAPPING = 1 << 14


def specified_value(origin: Location | None, *fields: str) -> str:
    """Return the text of the first of the fields that the file states; empty if there is none. See :func:`field_location`."""
    return next((text for _, text in _specified_fields(origin, fields)), "")


def moment_location(origin: Location | None, *, smallest: bool) -> Location | None:
    """Return the location of the smallest or largest of the moments of inertia that the file states for a body."""
    moments = [(_number(text), location) for location, text in _specified_fields(origin, ("ixx", "iyy", "izz"))]
    if not moments:
        return field_location(origin, "moment")
    return (min if smallest else max)(moments, key=lambda moment: moment[0])[1]


def _specified_fields(origin: Location | None, fields: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
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
    element = xml_parser.element_at(origin)
    return _rigid_body_of(element) or element if element is not None and element.tag == "link" else element


def _rigid_body_of(link: XmlNode) -> XmlNode | None:
    """Return the rigid body of COLLADA that has the name of a link, if it is the only one."""
    name = link.attributes.get("name") or link.attributes.get("sid")
    if name is None or link.find("inertial", "visual", "collision") is not None:
        return None
    places = _rigid_bodies(link.source).get(name.encode(), ())
    return xml_parser.element_at(Location(link.source, places[0])) if len(places) == 1 else None


@lru_cache(maxsize=2)
def _rigid_bodies(source: Source) -> Mapping[bytes, Sequence[int]]:
    """Return the places of the rigid bodies of COLLADA by name."""
    places: dict[bytes, list[int]] = {}
    for match in re.finditer(rb'<rigid_body\b[^>]*?\bname="([^"]*)"', source.data):
        places.setdefault(match[1], []).append(match.start())
    return places
