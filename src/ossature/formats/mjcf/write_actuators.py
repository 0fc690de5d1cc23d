"""Writer of actuators: those of transmissions, electric motors and controllers, or one kind for all joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from ossature.array_types import Array
from ossature.assets import AssetError
from ossature.formats.format import ActuatorKind
from ossature.formats.mjcf.attribute_text import numbers_text
from ossature.formats.mjcf.write_context import NO_FUNCTIONS, UNBOUNDED, MjcfDocument, WrittenCoordinate
from ossature.formats.passes.motors_as_joints import start_text
from ossature.kinematics import Tree, motion_pose, value_at
from ossature.kinematics.default_moment_of_inertia import default_moment_of_inertia
from ossature.model import Actuation, Actuator, DriveMode, ElectricMotor, Extension, Model, Range
from ossature.model.motor_characteristics import characteristics
from ossature.model.value_text import value_text
from ossature.spatial import Pose, Vector3, rotate, rotation_matrix, subtract
from ossature.syntax import xml_parser
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

NATURAL_FREQUENCY = 2.0 * math.pi * 5.0
"""Undamped natural frequency of a position controller whose gains no file states [rad/s]."""
_VELOCITY_BANDWIDTH = 2.0 * math.pi * 10.0
"""Bandwidth of a velocity controller whose gain no file states [rad/s]."""
_LEAST_INERTIA = 1e-4

_KIND_OF_INTERFACE = {"position": ActuatorKind.POSITION, "velocity": ActuatorKind.VELOCITY, "effort": ActuatorKind.MOTOR}
"""Kind of actuator by a word in the name of a hardware interface of ROS."""


class ActuatorWriter:
    """Writes the actuators of models.

    Args:
        kind: The kind of actuator of all joints; by default that of the World's actuators, transmissions and actuation.
    """

    def __init__(self, document: MjcfDocument, kind: ActuatorKind | None) -> None:
        self._document = document
        self._kind = kind
        self.has_chosen_gains = False

    def write_model(self, model: Model, tree: Tree) -> None:
        """Add the actuators of a model: one for each coordinate that follows no other."""
        if model.static or self._kind is ActuatorKind.NONE:
            for driver in (*model.actuators, *model.motors):
                self._document.ledger.dropped(f"{model.name}/{driver.name}", "written without actuators")
            return
        plain = [actuator for actuator in model.actuators if actuator.model is None or self._kind is not None]
        by_joint = {actuator.joint or "": actuator for actuator in reversed(plain)}
        modelled = {actuator.joint for actuator in model.actuators if actuator not in plain}
        transmissions = _transmission_kinds(model.extensions)
        inertia = _ReflectedInertia(model, tree, self._document)
        for (name, label, number), coordinate in self._document.coordinates.items():
            if (
                name != model.name
                or label in modelled
                or (self._document.is_mjcf_world and not self._kind and label not in by_joint)
            ):
                continue
            own: Actuator | None = by_joint.get(label) if number == 0 else None
            if coordinate.coordinate.coupling is not None:
                if own is not None:
                    self._document.ledger.dropped(f"{model.name}/{own.name}", "its joint follows another one")
                continue
            self._write_coordinate(coordinate, label, own, transmissions, inertia)
        self._record_types(model)
        self._record_unused(model, by_joint)

    def _write_coordinate(
        self,
        coordinate: WrittenCoordinate,
        label: str,
        actuator: Actuator | None,
        transmissions: Mapping[str, ActuatorKind | None],
        inertia: _ReflectedInertia,
    ) -> None:
        if self._kind is None and actuator is not None and actuator.motor is not None and actuator.controller is None:
            self._add_electric_motor(coordinate, actuator, actuator.motor)
            return
        kind = self._kind or self._kind_of(coordinate, label, actuator, transmissions)
        if kind is None:
            return
        _record_actuation(coordinate, kind, self._document)
        name = self._document.names.take("actuator", coordinate.model.name, actuator.name if actuator else coordinate.name)
        attributes = {"name": name, "joint": coordinate.name}
        if actuator is None:
            self._document.ledger.added(f"{coordinate.model.name}/{name}", "an actuator for the commands of the joint")
        else:
            for field in ("type", "model"):
                self._document.ledger.rewritten(f"{coordinate.model.name}/{actuator.name}.{field}", f"a {kind} actuator")
        self._document.actuators.append(_WRITERS[kind](self, coordinate, attributes, actuator, inertia))
        self._document.controls.append(_initial_control(kind, coordinate, label))

    def _kind_of(
        self,
        coordinate: WrittenCoordinate,
        label: str,
        actuator: Actuator | None,
        transmissions: Mapping[str, ActuatorKind | None],
    ) -> ActuatorKind | None:
        """Return the kind of actuator that the model implies for a coordinate, or None if it is passive."""
        if actuator is not None and actuator.controller is not None:
            return ActuatorKind.POSITION
        if transmissions:
            return transmissions.get(coordinate.joint.name)
        motor = coordinate.model.motors.get(coordinate.joint.name) if label != coordinate.joint.name else None
        if motor is not None:
            before = value_text(motor.function, longest=None)
            path = f"{coordinate.model.name}/{motor.name}"
            self._document.ledger.replaced(path, "an actuator of the joint that it drives")
            self._document.ledger.approximated(
                f"{path}.function", NO_FUNCTIONS + start_text(motor, coordinate.model), before=before
            )
            return _KIND_OF_DRIVE[motor.drive]
        if coordinate.joint.actuation is Actuation.FORCE and actuator is None and _is_moved_by_motors(coordinate):
            return None
        return _KIND_OF_ACTUATION.get(coordinate.joint.actuation)

    def _add_electric_motor(self, coordinate: WrittenCoordinate, actuator: Actuator, motor: ElectricMotor) -> None:
        sheet = characteristics(motor)
        path = f"{coordinate.model.name}/{actuator.name}"
        numbers = (sheet.gear, sheet.inertia, sheet.lost_torque, motor.coulomb_friction or 0.0, motor.viscous_friction or 0.0)
        if not all(map(math.isfinite, numbers)) or sheet.gear == 0.0 or min(numbers[1:]) < 0.0:
            self._document.ledger.dropped(path, "its data sheet has a zero gear ratio or an invalid number")
            return
        attributes = coordinate.node.attributes
        added = {
            "armature": ("armature", sheet.gear**2 * sheet.inertia),
            "friction": ("frictionloss", abs(sheet.gear) * sheet.lost_torque + (motor.coulomb_friction or 0.0)),
            "damping": ("damping", motor.viscous_friction or 0.0),
        }
        for field, (attribute, value) in added.items():
            if value:
                attributes[attribute] = format_number(float(attributes.get(attribute, "0")) + value)
                self._document.ledger.rewritten(f"{coordinate.path}.{field}", f"with that of the motor '{actuator.name}'")
        name = self._document.names.take("actuator", coordinate.model.name, actuator.name, path)
        own = {"name": name, "joint": coordinate.name, "gear": format_number(sheet.gear)}
        if sheet.torque_constant and sheet.resistance:
            own |= {
                "motorconst": format_number(sheet.torque_constant),
                "resistance": format_number(sheet.resistance),
                "input": "voltage",
            }
            if math.isfinite(sheet.voltage):
                own["ctrlrange"] = numbers_text((-sheet.voltage, sheet.voltage))
            kind = "dcmotor"
            self._document.ledger.rewritten(f"{path}.motor", "a DC motor; inertia and friction of its rotor at the joint")
        else:
            if math.isfinite(sheet.stall_torque):
                own["ctrlrange"] = numbers_text((-sheet.stall_torque, sheet.stall_torque))
            kind = "motor"
            self._document.ledger.approximated(f"{path}.motor", "its electrical constants are unknown: torque is commanded")
        self._document.actuators.append(element(kind, own))
        for field in ("model", "hints"):
            self._document.ledger.rewritten(f"{path}.{field}", f"a {kind} actuator")
        self._document.controls.append(0.0)

    def _record_types(self, model: Model) -> None:
        for actuator in model.actuators:
            if actuator.type is not None and actuator.model is None:
                detail = "type of an actuator of another format"
                self._document.ledger.dropped(f"{model.name}/{actuator.name}.type", detail, before=actuator.type)

    def _record_unused(self, model: Model, by_joint: Mapping[str, Actuator]) -> None:
        for actuator in model.actuators:
            if actuator.model is not None and self._kind is None:
                continue
            path = f"{model.name}/{actuator.name}"
            if (model.name, actuator.joint or "", 0) not in self._document.coordinates:
                self._document.ledger.dropped(path, "its joint is not a hinge or slide that moves")
            elif by_joint[actuator.joint or ""] is not actuator:
                self._document.ledger.dropped(path, "its joint already has an actuator")

    # Kinds

    def motor(
        self, coordinate: WrittenCoordinate, attributes: dict[str, str], actuator: Actuator | None, _: _ReflectedInertia
    ) -> XmlNode:
        """Return a motor: the control is the force."""
        limits = effort_limits(coordinate, actuator)
        return element("motor", attributes | ({"ctrlrange": limits} if limits else {}))

    def position(
        self, coordinate: WrittenCoordinate, attributes: dict[str, str], actuator: Actuator | None, inertia: _ReflectedInertia
    ) -> XmlNode:
        """Return a position controller: with the gains of the World, or critically damped for the inertia of its joint."""
        controller = None if actuator is None else actuator.controller
        if controller is not None:
            attributes |= {"kp": format_number(controller.proportional), "kv": format_number(controller.derivative)}
            if controller.integral:
                path = f"{coordinate.model.name}/{actuator.name if actuator else ''}.controller.integral"
                self._document.ledger.dropped(path, "MuJoCo's position actuator has no integral gain")
        else:
            stiffness = inertia.of(coordinate) * NATURAL_FREQUENCY**2
            attributes |= {"kp": _text_with_three_digits(stiffness), "dampratio": "1"}
            self.has_chosen_gains = True
        if "range" in coordinate.node.attributes:
            attributes["inheritrange"] = "1"
        return element("position", attributes | _force_range(coordinate, actuator))

    def velocity(
        self, coordinate: WrittenCoordinate, attributes: dict[str, str], actuator: Actuator | None, inertia: _ReflectedInertia
    ) -> XmlNode:
        """Return a velocity controller."""
        attributes["kv"] = _text_with_three_digits(inertia.of(coordinate) * _VELOCITY_BANDWIDTH)
        self.has_chosen_gains = True
        limits = coordinate.coordinate.velocity_limits
        if math.isfinite(limits.lower) and math.isfinite(limits.upper) and limits.lower < limits.upper:
            attributes["ctrlrange"] = numbers_text((limits.lower, limits.upper))
        return element("velocity", attributes | _force_range(coordinate, actuator))


_KIND_OF_ACTUATION = {
    Actuation.FORCE: ActuatorKind.MOTOR,
    Actuation.SERVO: ActuatorKind.VELOCITY,
    Actuation.VELOCITY: ActuatorKind.VELOCITY,
    Actuation.ACCELERATION: ActuatorKind.VELOCITY,
}
_KIND_OF_DRIVE = {
    DriveMode.FORCE: ActuatorKind.MOTOR,
    DriveMode.SPEED: ActuatorKind.VELOCITY,
    DriveMode.POSITION: ActuatorKind.POSITION,
}
_WRITERS = {
    ActuatorKind.MOTOR: ActuatorWriter.motor,
    ActuatorKind.POSITION: ActuatorWriter.position,
    ActuatorKind.VELOCITY: ActuatorWriter.velocity,
}


def _record_actuation(coordinate: WrittenCoordinate, kind: ActuatorKind, document: MjcfDocument) -> None:
    """Record that an actuator with gains follows a command that the model follows exactly."""
    actuation = coordinate.joint.actuation
    if _KIND_OF_ACTUATION.get(actuation) is ActuatorKind.VELOCITY:
        path = f"{coordinate.model.name}/{coordinate.joint.name}.actuation"
        document.ledger.approximated(path, f"a {kind} actuator", before=actuation.value)


def _initial_control(kind: ActuatorKind, coordinate: WrittenCoordinate, label: str) -> float:
    own = coordinate.coordinate
    motor = coordinate.model.motors.get(coordinate.joint.name)
    if motor is not None and label != coordinate.joint.name:
        return float(value_at(motor.function, 0.0))
    if kind is ActuatorKind.MOTOR:
        return own.initial_effort
    return own.initial_position if kind is ActuatorKind.POSITION else own.initial_velocity


def _is_moved_by_motors(coordinate: WrittenCoordinate) -> bool:
    """Whether the model is moved by its motors only, as those of Chrono are, and none of them drives this joint."""
    model, joint = coordinate.model, coordinate.joint
    is_from_chrono = model.origin is not None and not model.origin.source.is_xml
    driven = [{motor.body1, motor.body2} for motor in model.motors]
    return (is_from_chrono or bool(driven)) and {joint.parent, joint.child} not in driven


def _text_with_three_digits(value: float) -> str:
    return f"{value:.3g}" if 1e-3 <= value < 1e6 else format_number(float(f"{value:.3g}"))


def effort_limits(coordinate: WrittenCoordinate, actuator: Actuator | None) -> str | None:
    """Return the range of the force of an actuator, or None if it is unlimited."""
    limits = coordinate.coordinate.effort_limits
    if actuator is not None and actuator.motor is not None and not limits.bounded:
        sheet = characteristics(actuator.motor)
        largest = abs(sheet.gear) * sheet.stall_torque
        limits = Range(lower=-largest, upper=largest)
    if not limits.bounded or limits.lower >= limits.upper:
        return None
    return numbers_text((max(limits.lower, -UNBOUNDED), min(limits.upper, UNBOUNDED)))


def _force_range(coordinate: WrittenCoordinate, actuator: Actuator | None) -> dict[str, str]:
    limits = effort_limits(coordinate, actuator)
    return {"forcerange": limits} if limits else {}


def _transmission_kinds(extensions: tuple[Extension, ...]) -> dict[str, ActuatorKind | None]:
    """Return the kind of actuator of each joint that transmissions of URDF or ros2_control state."""
    kinds: dict[str, ActuatorKind | None] = {}
    for extension in extensions:
        if extension.format != "urdf" or extension.key not in ("transmission", "ros2_control"):
            continue
        node = xml_parser.parse_text(extension.value)
        for joint in [] if node is None else (child for child in node.children if child.tag == "joint"):
            interfaces = list(_interfaces(joint)) or ["effort"]
            found = [kind for word, kind in _KIND_OF_INTERFACE.items() if any(word in name.lower() for name in interfaces)]
            name = joint.attributes.get("name", "")
            if name not in kinds:
                kinds[name] = found[0] if found else ActuatorKind.MOTOR
    return kinds


def _interfaces(joint: XmlNode) -> Iterator[str]:
    for child in joint.children:
        if child.tag == "hardwareInterface":
            yield child.text
        elif child.tag == "command_interface":
            yield child.attributes.get("name", "")


class _ReflectedInertia:
    """The inertia that each coordinate moves, with all joints at zero: of its subtree, about or along its axis."""

    def __init__(self, model: Model, tree: Tree, document: MjcfDocument) -> None:
        self._model = model
        self._children: dict[str, list[str]] = {}
        for branch in tree.branches:
            if branch.inboard is not None and branch.inboard.parent is not None:
                self._children.setdefault(branch.inboard.parent, []).append(branch.body.name)
        self._meshes = document.context.meshes
        self._known: dict[str, Array] = {}

    def of(self, coordinate: WrittenCoordinate) -> float:
        """Return the inertia [kg·m² or kg], at least a small one."""
        joint = coordinate.joint
        pose = self._model.bodies[joint.child].pose @ joint.pose
        total = 0.0
        axis = np.array(rotate(pose.wxyz, _axis_of(coordinate)))
        pending = [joint.child]
        while pending:
            name = pending.pop()
            pending += self._children.get(name, ())
            body = self._model.bodies[name]
            mass = max(body.inertial.mass, 0.0)
            if not coordinate.is_rotation:
                total += mass
                continue
            with np.errstate(over="ignore", invalid="ignore"):
                lever = np.cross(axis, np.array(subtract(body.pose.transform(body.inertial.center_of_mass), pose.position)))
                total += mass * float(lever @ lever) + float(axis @ self._moment(name) @ axis)
        return max(total, _LEAST_INERTIA) if math.isfinite(total) else 1.0

    def _moment(self, name: str) -> Array:
        if name not in self._known:
            body = self._model.bodies[name]
            try:
                moment = np.array(default_moment_of_inertia(body, self._meshes))
            except AssetError:
                moment = np.zeros((3, 3))
            rotation = np.array(rotation_matrix(body.pose.wxyz))
            self._known[name] = rotation @ moment @ rotation.T
        return self._known[name]


def _axis_of(coordinate: WrittenCoordinate) -> Vector3:
    """Return the direction of a coordinate in the joint frame, with all coordinates at zero."""
    step = [0.0] * coordinate.joint.degrees_of_freedom
    step[coordinate.number] = 1e-3
    moved: Pose = motion_pose(coordinate.joint.type, step)
    _, x, y, z = moved.wxyz
    vector = np.array((x, y, z) if coordinate.is_rotation else moved.position)
    length = float(np.linalg.norm(vector))
    first, second, third = (vector / length).tolist() if length else (0.0, 0.0, 1.0)
    return (first, second, third)
