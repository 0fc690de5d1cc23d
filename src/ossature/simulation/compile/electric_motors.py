"""Compilation of the electric motors of a World to actuators of the engine at the joints that they drive.

A motor with known resistance and torque constant becomes the engine's direct-current motor, which is commanded by a voltage,
and an actuator for the torque of a drive that controls its current. At most one of the two is enabled: a motor without a
command has no current. Rotor inertia is the actuator's armature, which the engine multiplies by the gear squared.
"""

from __future__ import annotations

import math

import mujoco

from ossature.model import Actuator, ElectricMotor, Model
from ossature.model.motor_characteristics import Characteristics, characteristics
from ossature.model.value_text import kind_text
from ossature.simulation.compile import rules
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.compile_context import CompileContext, CompiledJoint
from ossature.simulation.compile.engine_spec import SpecActuator, SpecJoint, append
from ossature.simulation.compile.force_elements import CompiledElectricMotor
from ossature.simulation.compile.joint_actuation import DRIVEN
from ossature.simulation.compile.joints import set_friction

OFF_GROUP = 30
"""Engine group of disabled actuators."""
ON_GROUP = 0


def add_electric_motors(work: CompileContext) -> None:
    """Add the electric motors of every model, with their friction and rotor inertia."""
    work.spec.option.disableactuator = 1 << OFF_GROUP
    by_joint = {(entry.model.name, entry.joint.name): entry for entry in work.joints}
    for model in work.world.models:
        for actuator in model.actuators:
            if actuator.motor is not None:
                _add_motor(work, model, actuator, actuator.motor, by_joint.get((model.name, actuator.joint or "")))


def _add_motor(
    work: CompileContext, model: Model, actuator: Actuator, motor: ElectricMotor, entry: CompiledJoint | None
) -> None:
    path = f"{model.name}/{actuator.name}"
    reason = _idle_reason(motor, entry)
    if reason is not None or entry is None:
        work.report.add(rules.IDLE_ACTUATOR, f"{path}: {reason}", actuator.origin, path=path)
        return
    sheet = characteristics(motor)
    engine_joint = entry.added[1] if entry.layout is JointLayout.SCREW else entry.in_joint_order[0]
    _add_friction(engine_joint, motor, sheet, work.options.time_step)
    torque = _add_actuator(work, f"{path} torque", engine_joint, sheet)
    torque.gaintype, torque.gainprm[0] = mujoco.mjtGain.mjGAIN_FIXED, 1.0
    voltage = None
    if sheet.torque_constant is not None and sheet.resistance is not None:
        voltage = _add_actuator(work, f"{path} voltage", engine_joint, sheet)
        voltage.set_to_dc_motor(sheet.torque_constant, sheet.resistance)
    (torque if voltage is None else voltage).armature = sheet.inertia
    work.elements.electric.append(
        CompiledElectricMotor(
            model=model.name,
            actuator=actuator,
            motor=motor,
            sheet=sheet,
            joint=engine_joint,
            torque=torque,
            voltage=voltage,
        )
    )


def _idle_reason(motor: ElectricMotor, entry: CompiledJoint | None) -> str | None:
    """Return why a motor cannot drive its joint, or None if it can."""
    if entry is None or not entry.added:
        return "its joint cannot move"
    if entry.layout not in (JointLayout.SCALARS, JointLayout.SCREW):
        return f"a joint of type {kind_text(type(entry.joint.type))} cannot be driven by one motor"
    if entry.joint.actuation in DRIVEN:
        return f"its joint already has the actuation '{entry.joint.actuation.value}'"
    numbers = (motor.gear_ratio, motor.rotor_inertia, motor.resistance, motor.torque_constant, motor.speed_constant)
    if any(number is not None and not math.isfinite(number) for number in numbers) or motor.gear_ratio == 0.0:
        return "its data sheet has a zero gear ratio or a number that is not finite"
    negative = (*numbers[1:], motor.coulomb_friction, motor.viscous_friction)
    if any(number is not None and number < 0.0 for number in negative):
        return "its data sheet has a negative inertia, friction, resistance or constant"
    return None


def _add_actuator(work: CompileContext, name: str, engine_joint: SpecJoint, sheet: Characteristics) -> SpecActuator:
    actuator = SpecActuator(
        name=name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        target=engine_joint.name,
        gear=[sheet.gear, 0.0, 0.0, 0.0, 0.0, 0.0],
        group=OFF_GROUP,
    )
    return append(work.spec.actuators, actuator)


def _add_friction(engine_joint: SpecJoint, motor: ElectricMotor, sheet: Characteristics, time_step: float) -> None:
    """Add friction to a joint: that of the motor multiplied by the gear, and that behind the gear."""
    friction = abs(sheet.gear) * sheet.lost_torque + (motor.coulomb_friction or 0.0)
    if friction:
        set_friction(engine_joint, float(engine_joint.frictionloss) + friction, time_step)
    if motor.viscous_friction:
        damping = [float(number) for number in engine_joint.damping]
        engine_joint.damping = (damping[0] + motor.viscous_friction, *damping[1:])
