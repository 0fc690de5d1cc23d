"""Writer of actuators with a model of their own: transmission, gain, bias and activation dynamics."""

from __future__ import annotations

from ossature.formats.mjcf.attribute_text import numbers_text, polynomial_text, specified_attributes
from ossature.formats.mjcf.passthrough import add_plugin
from ossature.formats.mjcf.schema import known_content, mujoco_element
from ossature.formats.mjcf.write_context import MjcfDocument
from ossature.formats.mjcf.write_joint import bounds_text
from ossature.formats.mjcf.write_mujoco_hints import hint_attributes
from ossature.formats.mjcf.write_tendons_equalities_contact_pairs import site_of
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
    Model,
    MujocoActuator,
    SliderCrank,
    Spherical,
    TendonTransmission,
    hint_of,
)
from ossature.model.value_text import field_text, value_text
from ossature.syntax.xml import element
from ossature.syntax.xml_values import format_number


def write_general_actuator(document: MjcfDocument, model: Model, actuator: Actuator) -> None:
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
            attributes[attribute] = bounds_text(document, limits, f"{model.name}/{actuator.name}.model.{field}")
    hint = hint_of(actuator, MujocoActuator)
    attributes |= specified_attributes(
        lengthrange=parameters.length_range,
        damping=polynomial_text(parameters.damping, None if hint is None else hint.damping),
        armature=parameters.armature or None,
    )
    attributes |= hint_attributes(hint, "input")
    inputs = inputs_of_actuator(actuator)
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
    return known_content(known_content(known_content(mujoco_element())[1]["actuator"])[1][tag])[0]


_RANGES = {"control_limits": "ctrlrange", "force_limits": "forcerange", "activation_limits": "actrange"}


def _transmission(document: MjcfDocument, model: Model, actuator: Actuator) -> dict[str, str]:
    found = actuator.transmission
    if isinstance(found, JointTransmission):
        has_several = isinstance(model.joints[actuator.joint or ""].type, Spherical | Floating)
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
    return {"jointinparent" if in_parent else "joint": document.joint_name(model, actuator.joint or "", number)}


_INPUTS = ("pos", "vel", "ff", "voltage", "none", "pressure")
"""Inputs of actuators, by bit."""


_CHARTS = ("expmap", "quat")


_INPUTS_OF_TAGS = {"position": "pos", "velocity": "vel", "orientation": "expmap"}
"""Inputs that an element implies."""


def inputs_of_actuator(actuator: Actuator) -> str:
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
