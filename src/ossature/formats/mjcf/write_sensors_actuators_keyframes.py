"""Writer of sensors of states, actuators with a model of their own, and keyframes."""

from __future__ import annotations

from dataclasses import fields

from ossature.formats.mjcf.attribute_text import numbers_text, polynomial_text, specified_attributes
from ossature.formats.mjcf.grammar import known_content, mujoco_element
from ossature.formats.mjcf.passthrough import add_plugin
from ossature.formats.mjcf.write_context import MjcfDocument, is_world
from ossature.formats.mjcf.write_joint import bounds_text
from ossature.formats.mjcf.write_mujoco_hints import hint_attributes
from ossature.formats.mjcf.write_tendons_and_equalities import site_of
from ossature.model import (
    ActivationDynamics,
    Actuator,
    ActuatorModel,
    Bias,
    BodyTransmission,
    Floating,
    FrameTransmission,
    Gain,
    JointTransmission,
    Keyframe,
    MeasuredElement,
    Model,
    MujocoActuator,
    MujocoSensor,
    Sensor,
    SliderCrank,
    Spherical,
    TendonTransmission,
    hint_of,
)
from ossature.model.value_text import field_text, kind_text, value_text
from ossature.spatial import IDENTITY
from ossature.syntax.schema import spellings
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

# Sensors

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
    name = document.names.take("sensor", model.name, sensor.name, f"{model.name}/{sensor.name}")
    attributes = {"name": name}
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
    name = _element_name(document, model, measured)
    return {f"{prefix}type": _OBJECT_TYPES[measured.kind], f"{prefix}name": name}


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


# Actuators


def write_modelled_actuator(document: MjcfDocument, model: Model, actuator: Actuator) -> None:
    """Add an actuator whose force and activation dynamics the World states."""
    assert actuator.model is not None  # noqa: S101  # the caller writes only these
    name = document.names.take("actuator", model.name, actuator.name, f"{model.name}/{actuator.name}")
    attributes = {"name": name, **_transmission(document, model, actuator)}
    parameters = actuator.model
    if parameters.gear != (1.0,):
        attributes["gear"] = numbers_text(parameters.gear)
    for field, attribute in _RANGES.items():
        limits = getattr(parameters, field)
        if field == "activation_limits" and parameters.dynamics is ActivationDynamics.NONE and limits.bounded:
            detail = "an actuator without activation dynamics"
            document.ledger.dropped(f"{model.name}/{actuator.name}.model.{field}", detail, before=value_text(limits))
        elif limits.bounded:
            path = f"{model.name}/{actuator.name}.model.{field}"
            attributes[attribute] = bounds_text(document, limits, path)
    hint = hint_of(actuator, MujocoActuator)
    attributes |= specified_attributes(
        lengthrange=parameters.length_range,
        damping=polynomial_text(parameters.damping, None if hint is None else hint.damping),
        armature=parameters.armature or None,
    )
    attributes |= hint_attributes(hint, "input")
    inputs = _inputs_of(actuator)
    plugin = None if hint is None else hint.plugin
    tag, own = _law(parameters, inputs, is_general=actuator.type == "general" or plugin is not None)
    if not _attributes_of_actuator(tag).issuperset(attributes):
        tag, own = _law(parameters, inputs, is_general=True)
    if plugin is not None:
        tag, own = "plugin", {name: text for name, text in own.items() if name in _attributes_of_actuator("plugin")}
    for field in ("motor", "controller"):
        if getattr(actuator, field) is not None:
            detail = "its force is that of its model"
            document.ledger.dropped(f"{model.name}/{actuator.name}.{field}", detail, before=field_text(actuator, field))
    if actuator.type != tag:
        detail = f"a {tag} actuator with the same force"
        document.ledger.rewritten(f"{model.name}/{actuator.name}.type", detail, before=actuator.type)
    if inputs and inputs != _INPUTS_OF_TAGS.get(tag, ""):
        own["input"] = inputs
    node = element(tag, attributes | own)
    if plugin is not None:
        add_plugin(node, plugin)
    document.actuators.append(node)
    document.actuator_names[model.name, actuator.name] = name
    document.controls.append(0.0)


def _attributes_of_actuator(tag: str) -> frozenset[str]:
    """Return the names of the attributes of an element of an actuator."""
    return known_content(known_content(known_content(mujoco_element())[1]["actuator"])[1][tag])[0]


_RANGES = {"control_limits": "ctrlrange", "force_limits": "forcerange", "activation_limits": "actrange"}


def _transmission(document: MjcfDocument, model: Model, actuator: Actuator) -> dict[str, str]:
    found = actuator.transmission
    if isinstance(found, JointTransmission):
        joint = model.joints[actuator.joint or ""]
        has_several = isinstance(joint.type, Spherical | Floating)
        if (found.coordinate == 0 and not found.in_parent) or (found.coordinate and has_several):
            detail = "all coordinates of the joint" if has_several else "the first coordinate of the joint"
            document.ledger.rewritten(f"{model.name}/{actuator.name}.transmission", detail)
    match found:
        case TendonTransmission():
            return {"tendon": document.tendon_name(model, found.tendon)}
        case FrameTransmission():
            reference = {} if found.reference is None else {"refsite": site_of(document, model, found.reference)}
            return {"site": site_of(document, model, found.frame), **reference}
        case BodyTransmission():
            return {"body": document.names.body(model.name, found.body)}
        case SliderCrank():
            crank, slider = (site_of(document, model, frame) for frame in (found.crank, found.slider))
            return {"cranksite": crank, "slidersite": slider, "cranklength": format_number(found.length)}
    number = found.coordinate if isinstance(found, JointTransmission) else 0
    in_parent = isinstance(found, JointTransmission) and found.in_parent
    name = document.joint_name(model, actuator.joint or "", number)
    return {"jointinparent" if in_parent else "joint": name}


_INPUTS = ("pos", "vel", "ff", "voltage", "none", "pressure")
"""Inputs of actuators, by bit."""
_CHARTS = ("expmap", "quat")
_INPUTS_OF_TAGS = {"position": "pos", "velocity": "vel", "orientation": "expmap"}
"""Inputs that an element implies."""


def _inputs_of(actuator: Actuator) -> str:
    """Return the inputs of an actuator in words; MuJoCo has them as bits."""
    hint = hint_of(actuator, MujocoActuator)
    text = "" if hint is None or hint.input is None else hint.input
    if not text.isdigit():
        return text
    is_orientation = actuator.model is not None and actuator.model.gain is Gain.SO3
    return " ".join([word for bit, word in enumerate(_CHARTS if is_orientation else _INPUTS) if int(text) >> bit & 1])


def _law(model: ActuatorModel, inputs: str, *, is_general: bool) -> tuple[str, dict[str, str]]:
    """Return the element of an actuator and the attributes of its force: those of motors and servos if it is one."""
    gain, bias = _trimmed(model.gain_parameters), _trimmed(model.bias_parameters)
    dynamics = _trimmed(model.dynamics_parameters)
    is_static = model.dynamics is ActivationDynamics.NONE and dynamics == (1.0,)
    is_fixed = is_static and not is_general and model.gain is Gain.FIXED
    if is_fixed and model.bias is Bias.NONE and not bias and gain == (1.0,) and not inputs:
        return "motor", {}
    if is_fixed and model.bias is Bias.AFFINE and len(gain) == 1 and not model.activation_limits.bounded:
        (factor,) = gain
        stiffness, damping = (*bias[1:], 0.0, 0.0)[:2]
        if inputs == "pos" and len(bias) in (2, 3) and bias[0] == 0.0 and stiffness == -factor:
            return "position", {"kp": format_number(factor), **({"kv": format_number(-damping)} if damping else {})}
        if inputs == "vel" and len(bias) == 3 and bias[:2] == (0.0, 0.0) and damping == -factor:
            return "velocity", {"kv": format_number(factor)}
    if is_static and not is_general and model.gain is Gain.SO3 and model.bias is Bias.SO3 and model.gear == (1.0,):
        stiffness, damping = (*gain, 0.0)[0], (*bias, 0.0, 0.0, 0.0)[2]
        if _trimmed((0.0, -stiffness, damping)) == bias and len(gain) <= 1:
            return "orientation", {"kp": format_number(stiffness), **({"kv": format_number(-damping)} if damping else {})}
    attributes = specified_attributes(
        dyntype=None if model.dynamics is ActivationDynamics.NONE else model.dynamics.value,
        dynprm=None if dynamics == (1.0,) else model.dynamics_parameters or (0.0,),
        gaintype=None if model.gain is Gain.FIXED else model.gain.value,
        gainprm=None if gain == (1.0,) else gain or (0.0,),
        biastype=None if model.bias is Bias.NONE else model.bias.value,
        biasprm=bias or None,
    )
    return "general", attributes


def _trimmed(parameters: tuple[float, ...]) -> tuple[float, ...]:
    values = list(parameters)
    while values and not values[-1]:
        values.pop()
    return tuple(values)


# Keyframes


def write_keyframe(document: MjcfDocument, model: Model, keyframe: Keyframe, order: list[XmlNode]) -> XmlNode:
    """Return a keyframe of a model; other models are in their initial state.

    Args:
        order: The joint elements in the order of the document.
    """
    joints = {joint.joint: joint for joint in keyframe.joints}
    qpos: list[float] = []
    qvel: list[float] = []
    for node in order:
        state = document.states[id(node)]
        own = joints.get(state.label) if state.model == model.name else None
        positions = state.positions if own is None or own.positions is None else own.positions
        velocities = state.velocities if own is None or own.velocities is None else own.velocities
        qpos += state.qpos(positions)
        qvel += state.qvel(positions, velocities)
    path = f"{model.name}/{keyframe.name}"
    written = {document.states[id(node)].label for node in order if document.states[id(node)].model == model.name}
    for missing in joints.keys() - written:
        document.ledger.dropped(f"{path}.joints", f"the file does not have joint '{missing}'", location=keyframe.origin)
    for specified in keyframe.joints:
        joint = model.joints[specified.joint]
        is_default = specified.positions in (None, joint.initial_positions) and not any(specified.velocities or ())
        if is_default or not any(specified.velocities or (1.0,)) or specified.positions == joint.initial_positions:
            document.ledger.rewritten(f"{path}.joints", "states that are those without a keyframe are not repeated")
    attributes = {"name": document.names.take("key", model.name, keyframe.name, path)}
    attributes |= specified_attributes(time=keyframe.time or None, qpos=qpos or None, qvel=qvel if any(qvel) else None)
    attributes |= _inputs(document, model, keyframe)
    return element("key", attributes | _mocap_poses(document, model, keyframe))


def _inputs(document: MjcfDocument, model: Model, keyframe: Keyframe) -> dict[str, str]:
    states = {(model.name, state.actuator): state for state in keyframe.actuators}
    controls: list[float] = []
    activations: list[float] = []
    actuators = [(owner.name, actuator) for owner in document.world.models for actuator in owner.actuators]
    for owner_name, actuator in actuators:
        state = states.get((owner_name, actuator.name))
        path = f"{model.name}/{keyframe.name}.actuators"
        if (owner_name, actuator.name) not in document.actuator_names:
            if state is not None:
                document.ledger.dropped(path, f"the file does not have '{actuator.name}'", location=keyframe.origin)
            continue
        for field, count in (("control", control_count(actuator)), ("activation", _activation_count(actuator))):
            if state is not None and len(getattr(state, field)) > count:
                detail = f"'{actuator.name}' has {count} values of {field}"
                document.ledger.dropped(path, detail, location=keyframe.origin)
        controls += _padded(() if state is None else state.control, control_count(actuator))
        activations += _padded(() if state is None else state.activation, _activation_count(actuator))
    return specified_attributes(ctrl=controls if any(controls) else None, act=activations if any(activations) else None)


def control_count(actuator: Actuator) -> int:
    """Return the number of controls of an actuator of MuJoCo."""
    words = _inputs_of(actuator)
    if not words and actuator.model is not None and actuator.model.gain is Gain.SO3:
        words = "expmap"
    if not words and actuator.model is not None and actuator.model.gain is Gain.PID:
        words = "pos vel"
    return {"expmap": 3, "quat": 4, "none": 0}.get(words, max(len(words.split()), 1))


_DYNAMICS_OF_ONE_STATE = (
    ActivationDynamics.INTEGRATOR,
    ActivationDynamics.FILTER,
    ActivationDynamics.FILTER_EXACT,
    ActivationDynamics.MUSCLE,
)


def _activation_count(actuator: Actuator) -> int:
    hint = hint_of(actuator, MujocoActuator)
    if hint is not None and hint.actdim is not None and hint.actdim >= 0:
        return hint.actdim
    return 1 if actuator.model is not None and actuator.model.dynamics in _DYNAMICS_OF_ONE_STATE else 0


def _padded(values: tuple[float, ...], count: int) -> list[float]:
    return [*values[:count], *[0.0] * max(count - len(values), 0)]


def _mocap_poses(document: MjcfDocument, model: Model, keyframe: Keyframe) -> dict[str, str]:
    specified = {(model.name, body.body): body.pose for body in keyframe.bodies}
    for key in specified:
        if document.body_nodes[key].attributes.get("mocap") != "true":
            document.ledger.dropped(f"{model.name}/{keyframe.name}.bodies", f"'{key[1]}' is no mocap body")
    if not specified:
        return {}
    order = [key for key, node in document.body_nodes.items() if node.attributes.get("mocap") == "true"]
    models = document.world.models
    poses = [specified.get((owner, body), models[owner].pose @ models[owner].bodies[body].pose) for owner, body in order]
    return {
        "mpos": numbers_text([value for pose in poses for value in pose.position]),
        "mquat": numbers_text([value for pose in poses for value in pose.wxyz]),
    }
