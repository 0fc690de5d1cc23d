"""Damping ratios of position servos of MuJoCo's schemas, which MuJoCo resolves when it compiles a model.

A servo whose third bias parameter is positive states a damping ratio there instead of a damping. It is resolved with the
inertia that a force at the joint accelerates at the initial positions while all other joints are free.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ossature.assets import MeshStore
from ossature.formats.usd import rules
from ossature.formats.usd.stage import Stage
from ossature.kinematics.coordinate_map import KinematicsError
from ossature.kinematics.model_dynamics import Dynamics
from ossature.model import Actuator, ActuatorModel, Bias, Floating, Gain, Joint, JointTransmission, Model, NamedList

FLOATING = "(floating)"
"""What follows the name of a body in that of the joint of a floating base."""


def resolve_damping_ratios(model: Model, meshes: MeshStore, stage: Stage) -> Model:
    """Return a model whose servos have dampings; one whose inertia is unknown has none, which is reported."""
    if not any(states_damping_ratio(actuator) for actuator in model.actuators):
        return model
    inertias = _inertias(model, meshes)
    actuators = [_resolved(actuator, model, inertias, stage) for actuator in model.actuators]
    return replace(model, actuators=NamedList(actuators))


def states_damping_ratio(actuator: Actuator) -> bool:
    """Whether the third bias parameter of an actuator is a damping ratio."""
    law = actuator.model
    if law is None or law.gain is not Gain.FIXED or law.bias is not Bias.AFFINE or len(law.bias_parameters) < 3:
        return False
    _, stiffness, damping = law.bias_parameters[:3]
    return damping > 0.0 and law.gain_parameters[:1] == (-stiffness,) and stiffness < 0.0


def _inertias(model: Model, meshes: MeshStore) -> dict[str, float]:
    """Return the inertia of each coordinate for a force at it alone, with armatures, by the name of the coordinate."""
    plain = [
        replace(joint, coordinates=tuple([replace(one, coupling=None) for one in joint.coordinates])) for joint in model.joints
    ]
    moved = {joint.child for joint in plain}
    floating = [
        Joint(name=f"{body.name} {FLOATING}", type=Floating(), parent=None, child=body.name)
        for body in model.bodies
        if body.name not in moved
    ]
    joints = NamedList([*plain, *floating])
    chains = replace(model, joints=joints, equalities=NamedList(), constraints=NamedList(), actuators=NamedList())
    try:
        dynamics = Dynamics(chains, meshes=meshes)
        armatures = {_name(joint, number): one.armature for joint in plain for number, one in enumerate(joint.coordinates)}
        mass = dynamics.mass_matrix(dynamics.initial) + np.diag([armatures.get(name, 0.0) for name in dynamics.names])
        mobility = np.linalg.inv(mass).diagonal()
    except (KinematicsError, ValueError, np.linalg.LinAlgError):
        return {}
    return {name: 1.0 / value for name, value in zip(dynamics.names, mobility.tolist(), strict=True) if value > 0.0}


def _name(joint: Joint, coordinate: int) -> str:
    return joint.name if coordinate == 0 else f"{joint.name}[{coordinate}]"


def _resolved(actuator: Actuator, model: Model, inertias: dict[str, float], stage: Stage) -> Actuator:
    law = actuator.model
    if law is None or not states_damping_ratio(actuator):
        return actuator
    inertia = _inertia_of(actuator, law, model, inertias)
    constant, stiffness, ratio = law.bias_parameters[:3]
    if inertia is None:
        message = f"the damping ratio {ratio:g} of the actuator '{actuator.name}' is not read: it has no damping"
        stage.add(rules.UNREAD_ATTRIBUTE, message, hint="state a damping as the third number of mjc:biasPrm, with a minus sign")
    damping = 0.0 if inertia is None else 2.0 * ratio * math.sqrt(-stiffness * inertia)
    return replace(actuator, model=replace(law, bias_parameters=(constant, stiffness, -damping, *law.bias_parameters[3:])))


def _inertia_of(actuator: Actuator, law: ActuatorModel, model: Model, inertias: dict[str, float]) -> float | None:
    """Return the inertia of the coordinate that an actuator drives, at its own side of the gear, or None if it is unknown."""
    transmission = actuator.transmission or JointTransmission()
    if actuator.joint is None or not isinstance(transmission, JointTransmission) or not law.gear or law.gear[0] == 0.0:
        return None
    found = inertias.get(_name(model.joints[actuator.joint], transmission.coordinate))
    return None if found is None else found / law.gear[0] ** 2
