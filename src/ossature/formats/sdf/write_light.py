"""Writer of lights: those of bodies are part of links, the others of the world."""

from __future__ import annotations

import math

from ossature.diagnostics.ledger import Ledger
from ossature.formats.sdf.schema_common import PoseElement
from ossature.formats.sdf.write_pose import write_pose
from ossature.model import Light, Model
from ossature.spatial import Pose
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind
from ossature.syntax.xml_values import NUMBERS, format_number

_TYPES = ("spot", "directional", "point")


def is_in_link(light: Light, model: Model) -> bool:
    """Whether a light is part of a link in SDFormat."""
    return light.type in _TYPES and light.body is not None and light.body in model.bodies


def is_in_world(light: Light) -> bool:
    """Whether a light is part of the world in SDFormat."""
    return light.type in _TYPES and light.body is None


def record_unsupported(model: Model, ledger: Ledger) -> None:
    """Record the lights that are not written."""
    for light in model.lights:
        if not (is_in_link(light, model) or is_in_world(light)):
            reason = "it is fixed to an unknown body" if light.type in _TYPES else f"SDFormat has no {light.type} lights"
            ledger.dropped(f"{model.name}/{light.name}", reason, location=light.origin)


def write_light(light: Light, name: str, model: str, ledger: Ledger) -> XmlNode:
    """Return the ``<light>`` element of a light, in the frame of its body or of the world.

    Args:
        name: Its name in the file.
        model: The name of its model in the World.
    """
    path = f"{model}/{light.name}"
    ledger.extension(path, "a light of SDFormat, which is read as text", location=light.origin)
    ledger.rewritten("extensions" if light.body is None else f"{model}/{light.body}.extensions", "lights")
    for field in ("mode", "target", "ambient", "texture", "softness", "bulb_radius", "intensity", "exponent"):
        if getattr(light, field) != getattr(_DEFAULT, field):
            ledger.dropped(f"{path}.{field}", "lights of SDFormat do not state it", location=light.origin)
    pose = write_pose(Pose(light.position), PoseElement)
    constant, linear, quadratic = light.attenuation
    attenuation = xml.element("attenuation")
    attenuation.children += [
        _number("range", light.range),
        _number("constant", constant),
        _number("linear", linear),
        _number("quadratic", quadratic),
    ]
    node = xml.element("light", {"name": name, "type": light.type})
    node.children += [
        *([] if pose is None else [unbind("pose", pose)]),
        xml.element("cast_shadows", text=str(light.casts_shadows).lower()),
        xml.element("light_on", text=str(light.active).lower()),
        _numbers("diffuse", (*light.diffuse, 1.0)),
        _numbers("specular", (*light.specular, 1.0)),
        attenuation,
        _numbers("direction", light.direction),
        *([_write_cone(light)] if light.type == "spot" else []),
    ]
    return node


_DEFAULT = Light(name="", body=None)


def _write_cone(light: Light) -> XmlNode:
    """Return the cone of a spot light: SDFormat has its whole angle."""
    node = xml.element("spot")
    angle = min(2.0 * light.cutoff, math.pi)
    node.children += [_number("inner_angle", 0.0), _number("outer_angle", angle), _number("falloff", 1.0)]
    return node


def _number(tag: str, value: float) -> XmlNode:
    return xml.element(tag, text=format_number(value))


def _numbers(tag: str, values: tuple[float, ...]) -> XmlNode:
    return xml.element(tag, text=NUMBERS.format(values))
