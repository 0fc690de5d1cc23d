"""The initial state of a simulation, with positions and velocities that satisfy joints and constraints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.diagnostics import Report
from ossature.kinematics.initial_body_velocities import moves_at_start
from ossature.model import Actuation, World
from ossature.simulation import rules
from ossature.simulation.compile.address_map import BodyAddress, JointLayout
from ossature.simulation.compile.coordinate_mapping import read_velocities
from ossature.simulation.compile.engine_enumerations import JOINT_EQUALITY
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.equality_constraints import find_equalities
from ossature.simulation.engine_element_paths import equality_path
from ossature.simulation.stepping.constraint_projection import equality_rows, required_rates, weighted_inverse
from ossature.simulation.stepping.coupling_update import CouplingUpdate
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.motor_and_load_inputs import MotorInput

_RESIDUAL_TOLERANCE = 1e-13
_MOST_ITERATIONS = 30
_NOTABLE_GAP = 1e-6
_JUMP = 1e-3
"""Displacement of a body to close loops that is a warning [share of the extent of the model, or rad]."""
_NOTABLE_CHANGE = 0.01
"""Change of a specified velocity that is a finding, as a share of it."""
_NOTABLE_VELOCITY = 1e-3
"""Change of a specified velocity that is a finding [m/s, rad/s]."""


def assemble_mechanism(compiled: EngineModel, data: mujoco.MjData, inputs: Inputs, world: World, report: Report) -> None:
    """Set the initial state of a mechanism in the engine's data; changes of specified values are findings."""
    model, start = compiled.model, np.zeros(1)
    targets, controls = inputs.targets(start), inputs.controls(start)
    if targets is not None:
        inputs.set_targets(targets[0])
    if controls is not None:
        inputs.set_controls(controls[0])
    inputs.couplings.linearize()
    mujoco.mj_fwdPosition(model, data)
    residuals = np.abs(data.efc_pos[: data.ne])
    largest = residuals.max(initial=0.0)
    if not largest < _RESIDUAL_TOLERANCE:
        poses_before = data.xpos.copy(), data.xquat.copy()
        close_loops(model, data, inputs.couplings)
        if largest > _NOTABLE_GAP:
            _report_assembly(compiled, data, poses_before, residuals, world, report)
    specifying = [index for group in compiled.index.bodies.values() for index in group.values() if moves_at_start(index.body)]
    axes = [index.model.pose.matrix()[:3, :3] for index in specifying]
    contradiction = project_velocities(model, data, specifying, axes, inputs.motors, _accelerating_equalities(compiled))
    _report_velocities(compiled, data, specifying, axes, report)
    if contradiction > _NOTABLE_GAP:
        message = f"motors and constraints prescribe velocities that differ by {contradiction:.3g} m/s or rad/s"
        report.add(rules.CONTRADICTION, message, world.origin, hint="check for a motor that drives a constrained coordinate")


def _report_assembly(
    compiled: EngineModel,
    data: mujoco.MjData,
    poses_before: tuple[Vector, Vector],
    residuals: Vector,
    world: World,
    report: Report,
) -> None:
    """Report which bodies were moved to close loops, and by how much.

    Args:
        residuals: The residual of each row of the equality constraints before [m or rad].
    """
    numbers = data.efc_id[: data.ne]
    of_loops = residuals[compiled.model.eq_type[numbers] != JOINT_EQUALITY]
    name = equality_path(compiled, int(numbers[residuals.argmax()]))
    moves = {}
    for index in _bodies(compiled):
        rotation_vector = np.zeros(3)
        mujoco.mju_subQuat(rotation_vector, data.xquat[index.number], poses_before[1][index.number])
        distance = float(np.linalg.norm(data.xpos[index.number] - poses_before[0][index.number]))
        moves[f"{index.model.name}/{index.body.name}"] = distance, float(np.linalg.norm(rotation_vector))
    farthest = max(moves, key=lambda path: max(moves[path]))
    distance, rotation = moves[farthest]
    count = sum(max(move) > _NOTABLE_GAP for move in moves.values())
    others = f", {count - 1} others by less" if count > 1 else ""
    moved = f"'{farthest}' was moved by {distance:.3g} m and {rotation:.3g} rad{others}"
    message = f"'{name}' had a residual of {residuals.max():.3g} m or rad: {moved}"
    is_jump = distance > _JUMP * float(compiled.model.stat.extent) or rotation > _JUMP
    is_unexpected = of_loops.max(initial=0.0) > _NOTABLE_GAP and is_jump
    report.add(
        rules.INITIAL_ASSEMBLY_JUMP if is_unexpected else rules.INITIAL_ASSEMBLY_ADJUSTED, message, world.origin, path=farthest
    )


def _report_velocities(
    compiled: EngineModel, data: mujoco.MjData, specifying: Sequence[BodyAddress], world_axes: Sequence[Vector], report: Report
) -> None:
    """Report bodies and joints whose initial velocities differ from the specified ones."""
    if specifying:
        mujoco.mj_comVel(compiled.model, data)
    changes = [
        change
        for index, axes in zip(specifying, world_axes, strict=True)
        for change in _body_changes(compiled, data, index, axes)
    ]
    moving = {index.model.name for index in specifying}
    for joint in compiled.index.all_joints():
        if joint.layout not in (JointLayout.NONE, JointLayout.DERIVED) and joint.model not in moving:
            specified = joint.joint.initial_velocities
            if any(specified):
                now = np.array(read_velocities(joint, data.qpos, data.qvel))
                changes.append(_VelocityChange(f"{joint.model}/{joint.joint.name}", np.array(specified), now, "m/s or rad/s"))
    notable = [change for change in changes if change.size > max(_NOTABLE_CHANGE * change.specified_size, _NOTABLE_VELOCITY)]
    if not notable:
        return
    worst = max(notable, key=lambda change: change.size)
    others = ", ".join(f"'{path}'" for path in dict.fromkeys(change.path for change in notable) if path != worst.path)
    message = (
        f"'{worst.path}' specifies {_vector_text(worst.specified)} {worst.unit} and starts with {_vector_text(worst.now)}: "
        f"a change of {worst.size:.3g}" + (f"; also changed: {others}" if others else "")
    )
    report.add(rules.INITIAL_VELOCITY_CHANGED, message, path=worst.path)


class _VelocityChange(NamedTuple):
    path: str
    specified: Vector
    now: Vector
    unit: str

    @property
    def size(self) -> float:
        return math.hypot(*(self.now - self.specified).tolist())

    @property
    def specified_size(self) -> float:
        return math.hypot(*self.specified.tolist())


def _body_changes(compiled: EngineModel, data: mujoco.MjData, index: BodyAddress, axes: Vector) -> Iterator[_VelocityChange]:
    velocity = np.zeros(6)
    mujoco.mj_objectVelocity(compiled.model, data, mujoco.mjtObj.mjOBJ_BODY, index.number, velocity, 0)
    path = f"{index.model.name}/{index.body.name}"
    spin = data.xmat[index.number].reshape(3, 3) @ np.asarray(index.body.initial_angular_velocity_body)
    yield _VelocityChange(path, axes @ np.asarray(index.body.initial_velocity), velocity[3:], "m/s")
    yield _VelocityChange(path, spin, velocity[:3], "rad/s")


def _vector_text(values: Vector) -> str:
    return f"({', '.join(f'{value:.4g}' for value in values)})"


def _bodies(compiled: EngineModel) -> Iterator[BodyAddress]:
    for bodies in compiled.index.bodies.values():
        yield from bodies.values()


def close_loops(model: mujoco.MjModel, data: mujoco.MjData, couplings: CouplingUpdate) -> None:
    """Satisfy the equality constraints with the smallest displacements.

    Args:
        data: The engine's data, with what depends on the positions before and afterwards.
    """
    for _ in range(_MOST_ITERATIONS):
        violation, J = equality_rows(model, data)
        if np.abs(violation).max(initial=0.0) < _RESIDUAL_TOLERANCE:
            return
        change = -weighted_inverse(model, data, J) @ violation
        mujoco.mj_integratePos(model, data.qpos, change, 1.0)
        couplings.linearize()
        mujoco.mj_fwdPosition(model, data)


def project_velocities(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    bodies: Sequence[BodyAddress],
    world_axes: Sequence[Vector],
    motors: Sequence[MotorInput],
    accelerating: Sequence[int],
) -> float:
    """Set the joint velocities from the specified body velocities and motor rates, as far as constraints allow.

    The mechanism gets the momentum that the bodies would have alone: what the constraints do not allow is lost as in an impact
    without rebound. What the velocities of joints in the engine's data give these bodies already is not added again.

    Args:
        data: The engine's data, with what depends on the positions, and the velocities of joints set.
        bodies: The bodies with a specified velocity.
        world_axes: For each of them the rotation matrix of its model in the world.
        accelerating: Equality constraints of joints with a commanded acceleration, which keep their velocities.

    Returns:
        The largest contradiction between constraints and motors [m/s or rad/s].
    """
    momentum, of_joints = np.zeros(model.nv), np.array(data.qvel)
    clones = _clones(model) if bodies and model.neq else {}
    for index, axes in zip(bodies, world_axes, strict=True):
        momentum += _body_momentum(model, data, index, axes, clones.get(index.number, ()))
    if momentum.any():
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        mass -= np.diag(model.dof_armature)  # a rotor has the velocity of its joint, whatever its momentum is
        data.qvel[:] += np.linalg.solve(mass, momentum)
    _, J = equality_rows(model, data)
    if not J.size:
        return 0.0
    target = required_rates(data, motors, 0.0)
    if accelerating:
        rows = np.isin(data.efc_id[: data.ne], accelerating)
        target[rows] = J[rows] @ of_joints
    lacking = target - J @ data.qvel
    if lacking.any():
        data.qvel[:] += weighted_inverse(model, data, J) @ lacking
    return float(np.abs(J @ data.qvel - target).max())


def _accelerating_equalities(compiled: EngineModel) -> list[int]:
    """Return the engine's equality constraints of joints with a commanded acceleration."""
    joints = [one for one in compiled.index.all_joints() if one.joint.actuation is Actuation.ACCELERATION and one.dof_count]
    if not joints:
        return []
    found = find_equalities(compiled.model, compiled.grasp_plan.weld_names)
    hinges = [int(number) for one in joints for number in compiled.model.dof_jntid[one.coordinate_dofs]]
    return [
        *[found.joints[number] for number in hinges if number in found.joints],
        *[found.welds[one.body] for one in joints if one.body in found.welds],
    ]


def _clones(model: mujoco.MjModel) -> dict[int, list[int]]:
    """Return the clones of the engine's bodies, which have shares of their masses."""
    found: dict[int, list[int]] = {}
    names = [model.body(number).name for number in range(model.nbody)]
    numbers = {name: number for number, name in enumerate(names)}
    for number, name in enumerate(names):
        original = name.rpartition(" clone ")[0]
        if original in numbers:
            found.setdefault(numbers[original], []).append(number)
    return found


def _body_momentum(
    model: mujoco.MjModel, data: mujoco.MjData, index: BodyAddress, axes: Vector, clones: Sequence[int]
) -> Vector:
    """Return the generalised momentum that a body of its whole mass lacks to have its specified velocity."""
    body, number = index.body, index.number
    if not model.body_mass[number]:
        return np.zeros(model.nv)  # it never moves, and has no mass in the engine
    translation, rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBodyCom(model, data, translation, rotation, number)
    mass = body.inertial.mass + (body.soft_skin.mass if body.soft_skin is not None else 0.0)
    share = mass / model.body_mass[number]
    inertia_axes = data.ximat[number].reshape(3, 3)
    moment = inertia_axes @ np.diag(model.body_inertia[number] * share) @ inertia_axes.T
    linear = axes @ np.asarray(body.initial_velocity)
    spin = data.xmat[number].reshape(3, 3) @ np.asarray(body.initial_angular_velocity_body)
    if clones:
        # They have the rest of its mass, and the velocities of other joints: what these give them counts, too.
        wanted = translation.T @ (mass * linear) + rotation.T @ (moment @ spin)
        return np.asarray(wanted - sum(_engine_momentum(model, data, part) for part in (number, *clones)))
    linear, spin = linear - translation @ data.qvel, spin - rotation @ data.qvel
    return np.asarray(translation.T @ (mass * linear) + rotation.T @ (moment @ spin))


def _engine_momentum(model: mujoco.MjModel, data: mujoco.MjData, number: int) -> Vector:
    """Return the generalised momentum of one of the engine's bodies."""
    translation, rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBodyCom(model, data, translation, rotation, number)
    axes = data.ximat[number].reshape(3, 3)
    moment = axes @ np.diag(model.body_inertia[number]) @ axes.T
    linear, spin = translation @ data.qvel, rotation @ data.qvel
    return np.asarray(translation.T @ (model.body_mass[number] * linear) + rotation.T @ (moment @ spin))
