"""Drives of UsdPhysics, and actuators and tendons of MuJoCo's and Newton's schemas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossature.formats.usd import rules
from ossature.formats.usd.joint_spec import JointSpec
from ossature.formats.usd.solver_parameters import solver_parameter
from ossature.formats.usd.stage import Prim, Stage
from ossature.model import (
    ActivationDynamics,
    Actuator,
    ActuatorModel,
    Bias,
    BodyTransmission,
    FrameReference,
    FrameTransmission,
    Gain,
    JointSum,
    JointTerm,
    JointTransmission,
    MujocoActuator,
    MujocoTendon,
    Range,
    Tendon,
    TendonTransmission,
    Transmission,
)
from ossature.model.joint import UNBOUNDED
from ossature.model.unique_names import take_unique_name

ACTUATORS = ("MjcActuator", "NewtonActuator")
_TENDON = "MjcTendon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Where the models have what other prims refer to, by the paths of prims.

    Attributes:
        joints: Name of the joint, and index of its coordinate.
        bodies: Names of bodies.
        frames: Sites.
        limits: Limits of the positions of joints.
    """

    joints: Mapping[str, tuple[str, int]]
    bodies: Mapping[str, str]
    frames: Mapping[str, FrameReference]
    limits: Mapping[str, Range]


def drive_actuators(joint: JointSpec, name: str, used: set[str]) -> list[Actuator]:
    """Return the drives of a joint as actuators whose command is added to the target that the stage states.

    Args:
        name: The name of the joint.
        used: Names of actuators, to which those are added.
    """
    actuators = []
    for drive in joint.drives:
        kind = "position" if drive.stiffness else "velocity" if drive.damping else "motor"
        gain = {"position": drive.stiffness, "velocity": drive.damping, "motor": 1.0}[kind]
        constant = drive.stiffness * drive.target + drive.damping * drive.target_velocity
        is_passive = kind == "motor"
        bias = () if is_passive else (constant, -drive.stiffness, -drive.damping)
        limit = drive.force_limit
        suffix = f"_{drive.coordinate}" if len(joint.coordinates) > 1 else ""
        actuators.append(
            Actuator(
                name=take_unique_name(f"{name}{suffix}", used),
                joint=name,
                type=kind,
                transmission=JointTransmission(coordinate=drive.coordinate) if drive.coordinate else None,
                model=ActuatorModel(
                    gain=Gain.FIXED,
                    gain_parameters=(gain,),
                    bias=Bias.NONE if is_passive else Bias.AFFINE,
                    bias_parameters=bias,
                    force_limits=Range(-limit, limit) if 0.0 < limit < math.inf else UNBOUNDED,
                ),
                origin=joint.prim.stage.location,
            )
        )
    return actuators


def read_tendon(prim: Prim, names: Names, used: set[str]) -> Tendon | None:
    """Return a tendon that is a sum of joint positions, or None with a finding for another one."""
    targets, coefficients = prim.targets("mjc:path"), prim.numbers("mjc:path:coef")
    order = [int(index) for index in prim.numbers("mjc:path:indices")] or list(range(len(targets)))
    path = [targets[index] for index in order if 0 <= index < len(targets)]
    is_sum = prim.token("mjc:type", "spatial") == "fixed" and len(path) == len(coefficients) == len(order)
    if not is_sum or not all(target in names.joints for target in path):
        what = "a spatial tendon" if prim.token("mjc:type", "spatial") == "spatial" else "a tendon without joints"
        prim.stage.add(rules.UNREAD_PRIM, f"{prim.path} is {what}: it is not read")
        return None
    terms = [
        JointTerm(joint=names.joints[target][0], coordinate=names.joints[target][1], coefficient=coefficient)
        for target, coefficient in zip(path, coefficients, strict=True)
    ]
    rest = prim.numbers("mjc:springlength")
    return Tendon(
        name=take_unique_name(prim.name, used),
        path=JointSum(terms=tuple(terms)),
        length_limits=_range(prim, "range", "limited"),
        effort_limits=_range(prim, "actuatorfrcrange", "actuatorfrclimited"),
        rest_length=Range(rest[0], rest[1]) if len(rest) == 2 and 0.0 <= rest[0] <= rest[1] else None,
        stiffness=prim.finite("mjc:stiffness", 0.0),
        damping=prim.finite("mjc:damping", 0.0),
        friction=prim.finite("mjc:frictionloss", 0.0),
        armature=prim.finite("mjc:armature", 0.0),
        hints=(
            MujocoTendon(
                solreflimit=solver_parameter(prim, "solreflimit"),
                solimplimit=solver_parameter(prim, "solimplimit"),
                solreffriction=solver_parameter(prim, "solreffriction"),
                solimpfriction=solver_parameter(prim, "solimpfriction"),
                margin=prim.finite("mjc:margin", 0.0) or None,
                group=int(prim.finite("mjc:group", 0.0)) or None,
            ),
        ),
        origin=prim.stage.location,
    )


def _range(prim: Prim, name: str, limited: str) -> Range:
    """Return a range of MuJoCo's schemas, which applies unless the word beside it forbids it."""
    low, high = prim.finite(f"mjc:{name}:min", 0.0), prim.finite(f"mjc:{name}:max", 0.0)
    return Range(low, high) if prim.token(f"mjc:{limited}", "auto") != "false" and low < high else UNBOUNDED


def read_actuator(prim: Prim, names: Names, tendons: Mapping[str, str], used: set[str]) -> Actuator | None:
    """Return an actuator of MuJoCo's or Newton's schemas, or None with a finding if it cannot be represented."""
    is_newton = prim.type == "NewtonActuator"
    targets = prim.targets("newton:targets" if is_newton else "mjc:target")
    found = None if len(targets) != 1 else _transmission(prim, targets[0], names, tendons)
    model = None if found is None else _newton_model(prim) if is_newton else _mujoco_model(prim, names.limits.get(targets[0]))
    if found is None or model is None:
        prim.stage.add(
            rules.UNREAD_PRIM, f"the actuator {prim.path} is not read", hint="its target or its law is not supported"
        )
        return None
    joint, transmission = found
    return Actuator(
        name=take_unique_name(prim.name, used),
        joint=joint,
        type="general",
        transmission=transmission,
        model=model,
        hints=(
            MujocoActuator(
                group=int(prim.finite("mjc:group", 0.0)) or None,
                actearly=True if prim.flag("mjc:actEarly", False) else None,
            ),
        ),
        origin=prim.stage.location,
    )


def _transmission(
    prim: Prim, target: str, names: Names, tendons: Mapping[str, str]
) -> tuple[str | None, Transmission | None] | None:
    if target in names.joints:
        joint, coordinate = names.joints[target]
        in_parent = prim.flag("mjc:jointInParent", False)
        is_plain = coordinate == 0 and not in_parent
        return joint, None if is_plain else JointTransmission(coordinate=coordinate, in_parent=in_parent)
    if target in tendons:
        return None, TendonTransmission(tendon=tendons[target])
    if prim.targets("mjc:sliderSite"):
        return None
    if target in names.frames:
        reference = [names.frames[site] for site in prim.targets("mjc:refSite") if site in names.frames]
        return None, FrameTransmission(frame=names.frames[target], reference=reference[0] if reference else None)
    return (None, BodyTransmission(body=names.bodies[target])) if target in names.bodies else None


def _mujoco_model(prim: Prim, joint: Range | None) -> ActuatorModel | None:
    try:
        dynamics = ActivationDynamics(prim.token("mjc:dynType", "none").lower())
        gain, bias = Gain(prim.token("mjc:gainType", "fixed").lower()), Bias(prim.token("mjc:biasType", "none").lower())
    except ValueError:
        return None
    lengths = prim.finite("mjc:lengthRange:min", 0.0), prim.finite("mjc:lengthRange:max", 0.0)
    return ActuatorModel(
        dynamics=dynamics,
        dynamics_parameters=_parameters(prim, "mjc:dynPrm", (1.0,)),
        gain=gain,
        gain_parameters=_parameters(prim, "mjc:gainPrm", (1.0,)),
        bias=bias,
        bias_parameters=_parameters(prim, "mjc:biasPrm", ()),
        gear=_parameters(prim, "mjc:gear", (1.0,)),
        control_limits=_control_limits(prim, joint),
        force_limits=_range(prim, "forceRange", "forceLimited"),
        activation_limits=_range(prim, "actRange", "actLimited"),
        length_range=lengths if lengths[0] < lengths[1] else None,
    )


def _control_limits(prim: Prim, joint: Range | None) -> Range:
    """Return the limits of the control; a servo may state them as a multiple of the limits of its joint."""
    factor = prim.finite("mjc:inheritRange", 0.0)
    if factor <= 0.0 or joint is None or not (joint.lower > -math.inf and joint.upper < math.inf):
        return _range(prim, "ctrlRange", "ctrlLimited")
    middle, reach = (joint.lower + joint.upper) / 2.0, factor * (joint.upper - joint.lower) / 2.0
    return Range(middle - reach, middle + reach)


def _parameters(prim: Prim, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """Return numbers without zeros at their end."""
    values = list(prim.numbers(name)) if name in prim.attributes else list(default)
    while values and values[-1] == 0.0:
        values.pop()
    return tuple(values)


def _newton_model(prim: Prim) -> ActuatorModel | None:
    """Return the law of a controller with proportional and derivative gains in joint space, which are per radian."""
    if not prim.has("NewtonPDControlAPI"):
        return None
    stiffness, damping = prim.finite("newton:kp", 0.0), prim.finite("newton:kd", 0.0)
    limit = prim.number("newton:maxEffort", math.inf) if prim.has("NewtonMaxEffortClampingAPI") else math.inf
    return ActuatorModel(
        gain=Gain.FIXED,
        gain_parameters=(stiffness,),
        bias=Bias.AFFINE,
        bias_parameters=(prim.finite("newton:constEffort", 0.0), -stiffness, -damping),
        force_limits=Range(-limit, limit) if 0.0 < limit < math.inf else UNBOUNDED,
    )


def tendon_prims(stage: Stage) -> Sequence[Prim]:
    """Return the tendons of a stage."""
    return [prim for prim in stage.prims.values() if prim.type == _TENDON]


def actuator_prims(stage: Stage) -> Sequence[Prim]:
    """Return the actuators of a stage."""
    return [prim for prim in stage.prims.values() if prim.type in ACTUATORS]
