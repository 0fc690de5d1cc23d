"""Writer of SDFormat sensors: their element, if the model was read from one, else one from their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.sdf.passthrough import FORMAT
from ossature.formats.sdf.read_pose import pose_of
from ossature.formats.sdf.read_sensor import OPTICAL_AXES, camera_of, read_sensor
from ossature.formats.sdf.schema_common import PoseElement
from ossature.formats.sdf.schema_sensors import SdfSensorElement
from ossature.formats.sdf.write_pose import write_pose
from ossature.formats.sdf.write_sensor_parameters import parameters_element
from ossature.model import Force6D, Imu, Laser2D, PinholeCamera, Sensor
from ossature.model.unsupported_fields import drop_extension
from ossature.model.value_text import kind_with_article
from ossature.spatial import IDENTITY, Pose
from ossature.syntax import xml, xml_parser
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import bind, unbind

_TYPES: Mapping[type, tuple[str, ...]] = {
    PinholeCamera: ("camera",),
    Laser2D: ("gpu_lidar", "lidar", "ray", "gpu_ray"),
    Imu: ("imu",),
    Force6D: ("force_torque",),
}
"""The types of SDFormat with each kind of parameters, the usual one first."""


def unsupported_reason(sensor: Sensor) -> str | None:
    """Return why SDFormat cannot represent a sensor, or None if it can."""
    if sensor.body is None:
        return "a sensor of SDFormat is part of a link or joint"
    if sensor.measurement is not None:
        return "SDFormat has no sensors of single quantities of the state"
    if _own_element(sensor) is not None:
        return None
    if sensor.description is None:
        return f"a sensor of type {sensor.type}, whose parameters are unknown"
    if type(sensor.description) not in _TYPES:
        return f"SDFormat has no sensor for the parameters of {kind_with_article(type(sensor.description))}"
    return None


def write_sensor(sensor: Sensor, name: str, frame: Pose, path: str, ledger: Ledger) -> XmlNode:
    """Return the ``<sensor>`` element of a sensor.

    Args:
        frame: The frame of the link or joint that contains it, in that of its body.
    """
    own = _own_element(sensor)
    node = _from_parameters(sensor, path, ledger) if own is None else own
    node.attributes["name"] = name
    if own is None or not _has_pose(own, sensor, frame):
        _write_pose(node, sensor, frame)
    settings = [extension.value for extension in sensor.settings]
    if settings != [xml.compact(node)]:
        ledger.rewritten(f"{path}.settings", "the element of the sensor")
    return node


def _write_pose(node: XmlNode, sensor: Sensor, frame: Pose) -> None:
    """Write the pose of a sensor, whose camera has none of its own."""
    pose = sensor.pose if frame == IDENTITY else frame.inverse() @ sensor.pose
    if isinstance(sensor.description, PinholeCamera):
        pose = pose @ OPTICAL_AXES.inverse()
        for child in node.children:
            if child.tag == "camera":
                _remove_pose(child)
    _remove_pose(node)
    written = write_pose(pose, PoseElement)
    if written is not None:
        node.children.insert(0, unbind("pose", written))


def _has_pose(node: XmlNode, sensor: Sensor, frame: Pose) -> bool:
    """Whether an element states the pose of a sensor in the link or joint, to the bit."""
    element = bind(SdfSensorElement, node, Report())
    camera = camera_of(element)
    poses = [element.pose, *([] if camera is None else [camera.pose])]
    if any(pose is not None and pose.relative_to for pose in poses):
        return False
    stated = frame
    for pose in poses:
        stated = stated @ pose_of(pose, Report())
    return (stated if camera is None else stated @ OPTICAL_AXES) == sensor.pose


def is_in_joint(sensor: Sensor) -> bool:
    """Whether a sensor is part of the joint of its body."""
    return isinstance(sensor.description, Force6D) or sensor.type == "force_torque"


def _own_element(sensor: Sensor) -> XmlNode | None:
    """Return the element from which a sensor was read, if its parameters are still the same."""
    for extension in sensor.settings:
        node = xml_parser.parse_text(extension.value) if (extension.format, extension.key) == (FORMAT, "sensor") else None
        if node is not None and node.tag == "sensor":
            return node if _has_parameters(sensor, node) else None
    return None


def _has_parameters(sensor: Sensor, node: XmlNode) -> bool:
    """Whether an element has the parameters of a sensor."""
    element = bind(SdfSensorElement, node, Report())
    read = read_sensor(element, sensor.name, sensor.body or "", sensor.pose, Report())
    return (read.description, read.type, read.pose) == (sensor.description, sensor.type, sensor.pose)


def _remove_pose(node: XmlNode) -> None:
    node.children = [child for child in node.children if child.tag != "pose"]


def _from_parameters(sensor: Sensor, path: str, ledger: Ledger) -> XmlNode:
    description = sensor.description
    assert description is not None  # noqa: S101  # see unsupported_reason
    usual, *others = _TYPES[type(description)]
    kind = sensor.type if sensor.type in (usual, *others) else usual
    if kind != sensor.type:
        ledger.rewritten(f"{path}.type", f"the type in SDFormat is {kind}")
    for index, extension in enumerate(sensor.settings):
        drop_extension(extension, f"{path}.settings[{index}]", ledger, sensor.origin)
    return unbind("sensor", parameters_element(sensor, kind, f"{path}.description", ledger))
