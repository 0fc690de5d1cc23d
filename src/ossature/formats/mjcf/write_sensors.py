"""Writer of sensors of states."""

from __future__ import annotations

from dataclasses import fields

from ossature.formats.mjcf.attribute_text import specified_attributes
from ossature.formats.mjcf.passthrough import add_plugin
from ossature.formats.mjcf.schema import known_content, mujoco_element
from ossature.formats.mjcf.write_context import MjcfDocument, is_world
from ossature.formats.mjcf.write_mujoco_hints import hint_attributes
from ossature.model import Floating, MeasuredElement, Model, MujocoSensor, Sensor, Spherical, hint_of
from ossature.model.value_text import field_text, kind_text
from ossature.spatial import IDENTITY
from ossature.syntax.schema import spellings
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

_OF_FRAMES = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")
_OF_FRAMES_IN_THE_WORLD = ("framelinacc", "frameangacc", "user", "plugin")
_DIRECTIONS = ("framequat", "framexaxis", "frameyaxis", "framezaxis", "ballquat")
_OF_PAIRS = ("distance", "normal", "fromto", "contact")
_OBJECT_TYPES = {
    "body": "xbody",
    "inertial": "body",
    "frame": "site",
    "shape": "geom",
    "camera": "camera",
    "joint": "joint",
    "tendon": "tendon",
    "actuator": "actuator",
    "subtree": "body",
}
"""Types of objects in MJCF by the kind of a measured element."""


def write_sensors(document: MjcfDocument, model: Model) -> None:
    """Add the sensors of a model that measure states."""
    for sensor in model.sensors:
        if sensor.measurement is None:
            kind = "sensor" if sensor.description is None else kind_text(type(sensor.description))
            document.ledger.dropped(f"{model.name}/{sensor.name}", f"MuJoCo has no such {kind}", location=sensor.origin)
            continue
        _record_mounting(document, model, sensor)
        with document.dropping(f"{model.name}/{sensor.name}", sensor.origin):
            node = _sensor(document, model, sensor)
            problem = _schema_violation(node)
            if problem is None:
                document.sensors.append(node)
                document.sensor_names[model.name, sensor.name] = node.attributes["name"]
            else:
                document.ledger.dropped(f"{model.name}/{sensor.name}", problem, location=sensor.origin)


def _schema_violation(node: XmlNode) -> str | None:
    """Return why MuJoCo has no such sensor, or None."""
    sensors = known_content(known_content(mujoco_element())[1]["sensor"])[1]
    if node.tag not in sensors:
        return f"MuJoCo has no sensor '{node.tag}'"
    names, _ = known_content(sensors[node.tag])
    unknown = [name for name in node.attributes if name not in names]
    if unknown:
        return f"MuJoCo's sensor '{node.tag}' has no {', '.join(unknown)}"
    required = [spec.name for spec in spellings(sensors[node.tag]).values() if spec.required]
    missing = [str(name) for name in required if name not in node.attributes]
    return f"MuJoCo's sensor '{node.tag}' needs {', '.join(missing)}" if missing else None


def _record_mounting(document: MjcfDocument, model: Model, sensor: Sensor) -> None:
    """Record body and pose of a sensor unless they are those of the site at which it is."""
    measured = None if sensor.measurement is None else sensor.measurement.element
    body, pose = None, IDENTITY
    if measured is not None and measured.kind == "frame":
        body = None if is_world(model, model.bodies[measured.body or ""]) else measured.body
        pose = next(frame.pose for frame in model.bodies[measured.body or ""].frames if frame.name == measured.frame)
    for field, specified, written in (("body", sensor.body, body), ("pose", sensor.pose, pose)):
        if specified != written:
            detail = f"{field} of a sensor: sensors of MuJoCo are at sites"
            before = field_text(sensor, field) if specified is not None else "none"
            document.ledger.dropped(f"{model.name}/{sensor.name}.{field}", detail, before=before, location=sensor.origin)


def _record_element(document: MjcfDocument, model: Model, path: str, quantity: str, measured: MeasuredElement) -> None:
    """Record what a measured element states beside the name of an element of its kind."""
    kind: str = measured.kind
    if quantity.startswith("subtree"):
        kind = "subtree"
    elif quantity in _OF_PAIRS and kind == "inertial":
        kind = "body"
    if kind != measured.kind:
        document.ledger.rewritten(f"{path}.kind", "the kind that the sensor has", before=measured.kind, after=kind)
    joint = model.joints.get(measured.joint or "")
    if measured.coordinate and joint is not None and isinstance(joint.type, Spherical | Floating):
        document.ledger.rewritten(f"{path}.coordinate", "all coordinates of the joint")
    used = _FIELDS_OF_KINDS.get(kind, ("body",))
    for item in fields(MeasuredElement):
        if item.name not in (*used, "kind") and getattr(measured, item.name) != item.default:
            document.ledger.rewritten(f"{path}.{item.name}", f"of a measured element of kind '{kind}'")


_FIELDS_OF_KINDS = {
    "frame": ("body", "frame"),
    "shape": ("body", "shape"),
    "joint": ("joint", "coordinate"),
    "tendon": ("tendon",),
    "actuator": ("actuator",),
    "camera": ("camera",),
}
"""Fields that name a measured element, by its kind; others are bodies."""


def _sensor(document: MjcfDocument, model: Model, sensor: Sensor) -> XmlNode:
    measured = sensor.measurement
    assert measured is not None  # noqa: S101  # the caller writes only these
    quantity, first, second = measured.quantity, measured.element, measured.reference
    attributes = {"name": document.names.take("sensor", model.name, sensor.name, f"{model.name}/{sensor.name}")}
    path = f"{model.name}/{sensor.name}"
    for field, each in (("element", first), ("reference", second)):
        if each is not None:
            _record_element(document, model, f"{path}.measurement.{field}", quantity, each)
    if sensor.type != quantity:
        document.ledger.rewritten(f"{path}.type", "the measured quantity", before=sensor.type, after=quantity)
    hint = hint_of(sensor, MujocoSensor)
    if quantity in _OF_PAIRS:
        attributes |= _pair_attributes(document, model, first, second)
    elif quantity == "insidesite" and first is not None and second is not None and second.kind == "frame":
        attributes |= {"site": _element_name(document, model, second), **_object(document, model, first, "obj")}
    elif quantity in (*_OF_FRAMES, *_OF_FRAMES_IN_THE_WORLD):
        attributes |= {} if first is None else _object(document, model, first, "obj")
        attributes |= {} if second is None else _object(document, model, second, "ref")
    else:
        for measured_element in (first, second):
            if measured_element is not None:
                attributes[_ATTRIBUTES[measured_element.kind]] = _element_name(document, model, measured_element)
    attributes |= specified_attributes(mesh=None if hint is None else hint.mesh)
    has_cutoff = not (quantity in _DIRECTIONS or (hint is not None and hint.datatype in ("axis", "quaternion")))
    if measured.cutoff and not has_cutoff:
        detail = "MuJoCo does not limit directions and orientations"
        document.ledger.dropped(f"{path}.measurement.cutoff", detail, before=f"{measured.cutoff:g}")
    elif measured.cutoff:
        attributes["cutoff"] = format_number(measured.cutoff)
    attributes |= specified_attributes(noise=measured.noise or None)
    specified = hint_attributes(hint)
    if quantity == "contact" and "dim" in specified:
        specified["num"] = specified.pop("dim")
    node = element(quantity, attributes | specified)
    if quantity == "plugin" and hint is not None and hint.plugin is not None:
        add_plugin(node, hint.plugin)
    return node


_ATTRIBUTES = {
    "frame": "site",
    "shape": "geom",
    "body": "body",
    "inertial": "body",
    "subtree": "body",
    "joint": "joint",
    "tendon": "tendon",
    "actuator": "actuator",
    "camera": "camera",
}
"""Attributes of sensors by the kind of the measured element."""


def _element_name(document: MjcfDocument, model: Model, measured: MeasuredElement) -> str:
    body = measured.body
    match measured.kind:
        case "frame":
            return document.site_name(model, body or "", measured.frame or "")
        case "shape":
            return document.geom_name(model, body or "", measured.shape or "")
        case "joint":
            return document.joint_name(model, measured.joint or "", measured.coordinate)
        case "tendon":
            return document.tendon_name(model, measured.tendon or "")
        case "actuator":
            return document.actuator_name(model, measured.actuator or "")
        case "camera":
            return document.names.wanted("camera", model.name, measured.camera or "")
        case _:
            return document.names.body(model.name, body)


def _object(document: MjcfDocument, model: Model, measured: MeasuredElement, prefix: str) -> dict[str, str]:
    return {f"{prefix}type": _OBJECT_TYPES[measured.kind], f"{prefix}name": _element_name(document, model, measured)}


def _pair_attributes(
    document: MjcfDocument, model: Model, first: MeasuredElement | None, second: MeasuredElement | None
) -> dict[str, str]:
    attributes = {}
    for number, measured in enumerate((first, second), start=1):
        if measured is None:
            continue
        kind = {"shape": "geom", "subtree": "subtree", "frame": "site"}.get(measured.kind, "body")
        attributes[kind if kind == "site" else f"{kind}{number}"] = _element_name(document, model, measured)
    return attributes
