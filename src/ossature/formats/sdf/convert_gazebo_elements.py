"""Pass: ``<gazebo>`` elements of URDF, which contain SDFormat for a link, a joint or the robot, become content of the model.

Gazebo itself converts URDF in this way: elements of SDFormat are added to the link, joint or model, and some tags of an older
vocabulary (``mu1``, ``turnGravityOff``, ``provideFeedback``) mean elements of SDFormat. Fixed joints remain, which Gazebo
removes, so that ``preserveFixedJoint`` has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.format import WriteContext
from ossature.formats.sdf.read import read_sdf
from ossature.formats.sdf.read_shapes import GAZEBO_COLORS
from ossature.formats.urdf.passthrough import FORMAT, element_in, passthrough_element
from ossature.model import Body, Coordinate, Extension, Joint, Material, Model, NamedList, Sensor, World
from ossature.model.unique_names import take_unique_name
from ossature.syntax import xml, xml_parser
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import BOOLEAN, NUMBER

_TAG = "gazebo"
_WITHOUT_EFFECT = ("preserveFixedJoint", "disableFixedJointLumping")
"""Settings of Gazebo's conversion, which joins the links of fixed joints."""
_OF_JOINT_PHYSICS: Mapping[str, tuple[str, ...]] = {
    "provideFeedback": ("provide_feedback",),
    "implicitSpringDamper": ("ode", "implicit_spring_damper"),
    "stopCfm": ("ode", "limit", "cfm"),
    "stopErp": ("ode", "limit", "erp"),
    "fudgeFactor": ("ode", "fudge_factor"),
}
"""Where the ``<physics>`` of a joint has the value of a tag."""


def convert_gazebo_elements(world: World, context: WriteContext) -> World:
    """Return a World with the ``<gazebo>`` elements of URDF as sensors, as settings of bodies and joints, and as extensions.

    What SDFormat does not have remains, and is not written.
    """
    return replace(world, models=world.models.map(lambda model: _Conversion(model, context.ledger).converted()))


class _Conversion:
    """The conversion of one model."""

    def __init__(self, model: Model, ledger: Ledger) -> None:
        self._model, self._ledger = model, ledger
        self._bodies: dict[str, Body] = {}
        self._joints: dict[str, Joint] = {}
        self._sensors: list[Sensor] = []
        self._extensions: list[Extension] = []
        self._is_static = model.static
        self._sensor_names = set(model.sensors.names())

    def converted(self) -> Model:
        """Return the model."""
        model = self._model
        if not any(one.format == FORMAT and one.key == _TAG for one in model.extensions):
            return model
        remaining = [left for one in model.extensions if (left := self._remaining(one)) is not None]
        return replace(
            model,
            bodies=NamedList([self._bodies.get(body.name, body) for body in model.bodies]),
            joints=NamedList([self._joints.get(joint.name, joint) for joint in model.joints]),
            sensors=NamedList([*model.sensors, *self._sensors]),
            extensions=(*remaining, *self._extensions),
            static=self._is_static,
        )

    def _remaining(self, extension: Extension) -> Extension | None:
        """Convert the content of an extension; return what of it remains, or None."""
        node = element_in(extension)
        if node is None or node.tag != _TAG:
            return extension
        left = [child for child in node.children if not self._convert(child, node)]
        if len(left) == len(node.children):
            return extension
        self._ledger.rewritten(f"{self._model.name}.extensions", "the content of <gazebo> as that of SDFormat")
        node.children = left
        return passthrough_element(node) if left else None

    def _convert(self, child: XmlNode, node: XmlNode) -> bool:
        """Convert an element of a ``<gazebo>`` element; return whether that is possible."""
        name = node.attributes.get("reference")
        try:
            if not name:
                return self._convert_for_model(child)
            if name in self._model.bodies:
                return self._convert_for_body(child, node, self._bodies.get(name, self._model.bodies[name]))
            if name in self._model.joints:
                return self._convert_for_joint(child, self._joints.get(name, self._model.joints[name]))
        except ValueError:  # no number, or neither true nor false
            return False
        return False

    # The robot

    def _convert_for_model(self, child: XmlNode) -> bool:
        if child.tag == "static":
            self._is_static = _truth(child)
            self._record("static")
            return True
        found = _read_fragment(child, lambda text: f'{text}<link name="link"/>')
        if found is None or not found.extensions:
            return False
        self._extensions += found.extensions
        self._record("extensions")
        return True

    # Links

    def _convert_for_body(self, child: XmlNode, node: XmlNode, body: Body) -> bool:
        found = self._with_setting(child, node, body)
        if found is None:
            return self._add_content(child, body)
        fields, self._bodies[body.name] = found
        for field in fields:
            self._record(f"{body.name}.{field}", "/")
        return True

    def _with_setting(self, child: XmlNode, node: XmlNode, body: Body) -> tuple[list[str], Body] | None:
        """Return the fields with a setting, and a body with it; None if the element is no setting that the model has."""
        match child.tag:
            case "selfCollide" | "self_collide":
                return ["self_collide"], replace(body, self_collide=_truth(child))
            case "turnGravityOff":
                return ["gravity"], replace(body, gravity=not _truth(child))
            case "gravity":
                return ["gravity"], replace(body, gravity=_truth(child))
            case "mu1" | "mu" if body.collisions:
                return _with_friction(body, _number(child))
            case "mu2" if (
                body.collisions and (first := node.find("mu1", "mu")) is not None and _number(child) == _number(first)
            ):
                return _with_friction(body, _number(first))
            case "material" if body.visuals and (color := GAZEBO_COLORS.get(_value(child))) is not None:
                visuals = tuple([replace(one, color=color) for one in body.visuals])
                return [f"visuals[{index}].color" for index in range(len(visuals))], replace(body, visuals=visuals)
        return None

    def _add_content(self, child: XmlNode, body: Body) -> bool:
        """Add an element of SDFormat to a link."""
        if child.tag == "dampingFactor":
            value = _value(child)
            child = xml.element("velocity_decay")
            child.children = [xml.element(tag, text=value) for tag in ("linear", "angular")]
        found = _read_fragment(child, lambda text: f'<link name="link">{text}</link>')
        if found is None:
            return False
        self._add_sensors(found, body.name)
        extensions = found.bodies[0].extensions
        if extensions:
            self._bodies[body.name] = replace(body, extensions=(*body.extensions, *extensions))
            self._record(f"{body.name}.extensions", "/")
        return bool(found.sensors or extensions)

    # Joints

    def _convert_for_joint(self, child: XmlNode, joint: Joint) -> bool:
        if child.tag in _WITHOUT_EFFECT:
            return True
        if child.tag in ("springStiffness", "springReference") and len(joint.coordinates) == 1:
            self._joints[joint.name] = replace(joint, coordinates=(_with_spring(joint.coordinates[0], child),))
            self._record(f"{joint.name}.coordinates[0]", "/")
            return True
        if child.tag in _OF_JOINT_PHYSICS:
            return self._add_joint_physics(child, joint)
        found = _read_fragment(child, _in_joint)
        if found is None:
            return False
        self._add_sensors(found, joint.child)
        return self._add_joint_extensions(found, joint) or bool(found.sensors)

    def _add_joint_physics(self, child: XmlNode, joint: Joint) -> bool:
        """Add a value to the ``<physics>`` of a joint."""
        present = next((one for one in joint.extensions if one.key == "physics"), None)
        physics = (None if present is None else xml_parser.parse_text(present.value)) or xml.element("physics")
        at = physics
        for tag in _OF_JOINT_PHYSICS[child.tag]:
            inner = at.find(tag)
            if inner is None:
                inner = xml.element(tag)
                at.children.append(inner)
            at = inner
        at.text = _value(child)
        found = _read_fragment(physics, _in_joint)
        others = replace(joint, extensions=tuple([one for one in joint.extensions if one is not present]))
        return found is not None and self._add_joint_extensions(found, others)

    def _add_joint_extensions(self, found: Model, joint: Joint) -> bool:
        extensions = found.joints[0].extensions
        if extensions:
            self._joints[joint.name] = replace(joint, extensions=(*joint.extensions, *extensions))
            self._record(f"{joint.name}.extensions", "/")
        return bool(extensions)

    def _add_sensors(self, found: Model, body: str) -> None:
        for sensor in found.sensors:
            name = take_unique_name(sensor.name, self._sensor_names)
            self._sensors.append(replace(sensor, name=name, body=body))
            self._record(name, "/")

    def _record(self, path: str, separator: str = ".") -> None:
        self._ledger.rewritten(f"{self._model.name}{separator}{path}", "as <gazebo> states it")


def _read_fragment(child: XmlNode, surround: Callable[[str], str]) -> Model | None:
    """Return a model with an element, or None if SDFormat does not have the element there.

    Args:
        surround: Returns the content of the model for the text of the element.
    """
    if child.tag == "include":  # a file that the robot's reader was not given
        return None
    if any(":" in name for node in xml.elements_of(child) for name in (node.tag, *node.attributes)):
        return None  # the namespace is one of the URDF file
    text = f'<sdf version="1.7"><model name="model">{surround(xml.compact(child))}</model></sdf>'
    report = Report()
    world = read_sdf(Source("<gazebo>", text.encode()), report, resolver=Resolver())
    return None if world is None or report.has_errors else world.models[0]


def _in_joint(text: str) -> str:
    return f'<link name="link"/><joint name="joint" type="fixed"><parent>world</parent><child>link</child>{text}</joint>'


def _with_spring(coordinate: Coordinate, child: XmlNode) -> Coordinate:
    value = _number(child)
    return (
        replace(coordinate, stiffness=value) if child.tag == "springStiffness" else replace(coordinate, spring_reference=value)
    )


def _with_friction(body: Body, friction: float) -> tuple[list[str], Body]:
    """Return a body whose collision shapes have a coefficient of friction, and the fields with their materials."""
    collisions = [replace(one, material=replace(one.material or Material(), friction=friction)) for one in body.collisions]
    return [f"collisions[{index}].material" for index in range(len(collisions))], replace(body, collisions=tuple(collisions))


def _value(node: XmlNode) -> str:
    return node.attributes.get("value", node.text).strip()


def _number(node: XmlNode) -> float:
    return NUMBER.parse(_value(node))


def _truth(node: XmlNode) -> bool:
    return BOOLEAN.parse(_value(node))
