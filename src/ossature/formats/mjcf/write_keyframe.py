"""Writer of keyframes."""

from __future__ import annotations

from ossature.formats.mjcf.attribute_text import numbers_text, specified_attributes
from ossature.formats.mjcf.write_context import Coordinates, JointState, MjcfDocument
from ossature.formats.mjcf.write_general_actuator import inputs_of_actuator
from ossature.kinematics import reversed_state
from ossature.model import ActivationDynamics, Actuator, Gain, Keyframe, KeyframeJoint, Model, MujocoActuator, hint_of
from ossature.syntax.xml import XmlNode, element


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
        positions, velocities = (state.positions, state.velocities) if own is None else _state_in_file(model, own, state)
        qpos += state.qpos(positions)
        qvel += state.qvel(positions, velocities)
    path = f"{model.name}/{keyframe.name}"
    written = {document.states[id(node)].label for node in order if document.states[id(node)].model == model.name}
    for missing in (name for name in joints if name not in written):
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


def _state_in_file(model: Model, own: KeyframeJoint, state: JointState) -> tuple[Coordinates, Coordinates]:
    """Return positions and velocities of a joint in a keyframe, in the coordinates of the file."""
    joint = model.joints[own.joint]
    positions = joint.initial_positions if own.positions is None else own.positions
    velocities = joint.initial_velocities if own.velocities is None else own.velocities
    return reversed_state(joint, model, positions, velocities) if state.is_reversed else (positions, velocities)


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
    words = inputs_of_actuator(actuator)
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
