"""The state in which a simulation begins: all bodies where joints and constraints let them be, moving as they allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import mujoco
import numpy as np

from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import rules
from ossature.simulation.compile.address_map import BodyAddress, JointLayout
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.compile.coordinate_mapping import read_velocities
from ossature.simulation.element_paths import equality_path
from ossature.simulation.stepping.applied_forces import Inputs
from ossature.simulation.stepping.constraint_projection import equality_rows, required_rates, weighted_inverse
from ossature.simulation.stepping.coupling_update import CouplingUpdate
from ossature.simulation.stepping.input_signals import MotorInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_CLOSED = 1e-13
_MOST_ITERATIONS = 30
_NOTABLE_GAP = 1e-6
_JUMP = 1e-3
"""Movement of a body to close loops that is a finding [share of the extent of the model, or rad]."""
_CHANGED = 0.01
"""Share of a stated velocity by which a body may begin otherwise."""
_NOTABLE_VELOCITY = 1e-3
"""The same as a velocity [m/s, rad/s]."""


def assemble_mechanism(compiled: Compiled, data: Any, inputs: Inputs, world: World, report: Report) -> None:
    """Put the engine's data into the state in which a mechanism begins; what had to be changed for it is a finding."""
    model, start = compiled.model, np.zeros(1)
    targets, controls = inputs.targets(start), inputs.controls(start)
    if targets is not None:
        inputs.set_targets(targets[0])
    if controls is not None:
        inputs.set_controls(controls[0])
    mujoco.mj_kinematics(model, data)
    placed = data.xpos.copy(), data.xquat.copy()
    gaps = _gaps(compiled, data, inputs)
    close_loops(model, data, inputs.couplings)
    if gaps.largest > _NOTABLE_GAP:
        _report_assembly(compiled, data, placed, gaps, world, report)
    stating = [index for group in compiled.index.bodies.values() for index in group.values() if _states_velocity(index)]
    axes = [index.model.pose.matrix()[:3, :3] for index in stating]
    contradiction = project_velocities(model, data, stating, axes, inputs.motors)
    _report_velocities(compiled, data, stating, axes, report)
    if contradiction > _NOTABLE_GAP:
        message = f"motors and constraints ask for velocities that differ by {contradiction:.3g} m/s or rad/s"
        report.add(rules.CONTRADICTION, message, world.origin, hint="look for a motor that drives what is held")


class _Gaps(NamedTuple):
    """How far constraints are open before bodies are moved.

    Attributes:
        largest: The largest residual [m or rad].
        largest_of_loops: The largest one of a loop, prescribed joints left out.
        name: The path of the joint or constraint with the largest residual.
    """

    largest: float
    largest_of_loops: float
    name: str


def _gaps(compiled: Compiled, data: Any, inputs: Inputs) -> _Gaps:
    inputs.couplings.linearize()
    mujoco.mj_fwdPosition(compiled.model, data)
    residuals = np.abs(data.efc_pos[: data.ne])
    if not residuals.size:
        return _Gaps(0.0, 0.0, "")
    numbers = np.array(data.efc_id[: data.ne])
    closes_loop = compiled.model.eq_type[numbers] != mujoco.mjtEq.mjEQ_JOINT
    name = equality_path(compiled, int(numbers[residuals.argmax()]))
    return _Gaps(float(residuals.max()), float(residuals[closes_loop].max(initial=0.0)), name)


def _report_assembly(
    compiled: Compiled, data: Any, placed: tuple[Vector, Vector], gaps: _Gaps, world: World, report: Report
) -> None:
    """Report which bodies were moved to close loops, and by how much."""
    moves = {}
    for index in _bodies(compiled):
        turn = np.zeros(3)
        mujoco.mju_subQuat(turn, data.xquat[index.number], placed[1][index.number])
        way = float(np.linalg.norm(data.xpos[index.number] - placed[0][index.number]))
        moves[f"{index.model.name}/{index.body.name}"] = way, float(np.linalg.norm(turn))
    farthest = max(moves, key=lambda path: max(moves[path]))
    way, rotation = moves[farthest]
    count = sum(max(move) > _NOTABLE_GAP for move in moves.values())
    moved = f"'{farthest}' was moved by {way:.3g} m and {rotation:.3g} rad" + (f", {count - 1} others by less" * (count > 1))
    message = f"'{gaps.name}' was open by {gaps.largest:.3g} m or rad: {moved}"
    is_jump = way > _JUMP * float(compiled.model.stat.extent) or rotation > _JUMP
    is_unexpected = gaps.largest_of_loops > _NOTABLE_GAP and is_jump
    report.add(rules.ASSEMBLY_JUMP if is_unexpected else rules.LOOPS_CLOSED, message, world.origin, path=farthest)


def _report_velocities(
    compiled: Compiled, data: Any, stating: Sequence[BodyAddress], world_axes: Sequence[Vector], report: Report
) -> None:
    """Report bodies and joints that begin with other velocities than they state."""
    mujoco.mj_comVel(compiled.model, data)
    changes = [
        change for index, axes in zip(stating, world_axes, strict=True) for change in _body_changes(compiled, data, index, axes)
    ]
    moving = {index.model.name for index in stating}
    for joint in compiled.index.all_joints():
        if joint.layout not in (JointLayout.NONE, JointLayout.DERIVED) and joint.model not in moving:
            now = np.array(read_velocities(joint, data.qpos, data.qvel))
            stated = np.array(joint.joint.initial_velocities)
            if stated.any():
                changes.append(_VelocityChange(f"{joint.model}/{joint.joint.name}", stated, now, "m/s or rad/s"))
    notable = [change for change in changes if change.size > max(_CHANGED * change.stated_size, _NOTABLE_VELOCITY)]
    if not notable:
        return
    worst = max(notable, key=lambda change: change.size)
    others = ", ".join(f"'{path}'" for path in dict.fromkeys(change.path for change in notable) if path != worst.path)
    message = (
        f"'{worst.path}' states {_numbers(worst.stated)} {worst.unit} and begins with {_numbers(worst.now)}, "
        f"a change of {worst.size:.3g}" + (f"; so do {others}" if others else "")
    )
    report.add(rules.VELOCITY_CHANGED, message, path=worst.path)


class _VelocityChange(NamedTuple):
    path: str
    stated: Vector
    now: Vector
    unit: str

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.now - self.stated))

    @property
    def stated_size(self) -> float:
        return float(np.linalg.norm(self.stated))


def _body_changes(compiled: Compiled, data: Any, index: BodyAddress, axes: Vector) -> Iterator[_VelocityChange]:
    velocity = np.zeros(6)
    mujoco.mj_objectVelocity(compiled.model, data, mujoco.mjtObj.mjOBJ_BODY, index.number, velocity, 0)
    path = f"{index.model.name}/{index.body.name}"
    spin = data.xmat[index.number].reshape(3, 3) @ np.asarray(index.body.initial_angular_velocity_body)
    yield _VelocityChange(path, axes @ np.asarray(index.body.initial_velocity), velocity[3:], "m/s")
    yield _VelocityChange(path, spin, velocity[:3], "rad/s")


def _numbers(values: Vector) -> str:
    return f"({', '.join(f'{value:.4g}' for value in values)})"


def _bodies(compiled: Compiled) -> Iterator[BodyAddress]:
    for bodies in compiled.index.bodies.values():
        yield from bodies.values()


def _states_velocity(index: BodyAddress) -> bool:
    body = index.body
    return any(body.initial_velocity) or any(body.initial_angular_velocity_body)


def close_loops(model: Any, data: Any, couplings: CouplingUpdate) -> float:
    """Move all bodies so that the equality constraints hold, by as little as possible; return the violation before [m, rad]."""
    before = 0.0
    for iteration in range(_MOST_ITERATIONS):
        couplings.linearize()
        mujoco.mj_fwdPosition(model, data)
        violation, J = equality_rows(model, data)
        if not violation.size:
            return 0.0
        largest = float(np.abs(violation).max())
        before = largest if iteration == 0 else before
        if largest < _CLOSED:
            break
        change = -weighted_inverse(model, data, J) @ violation
        mujoco.mj_integratePos(model, data.qpos, change, 1.0)
    return before


def project_velocities(
    model: Any, data: Any, bodies: Sequence[BodyAddress], world_axes: Sequence[Vector], motors: Sequence[MotorInput]
) -> float:
    """Give the joints the velocities that bodies state, as far as constraints allow, and motors their rates.

    The momentum that the bodies would have alone is given to the mechanism: what the constraints do not allow is lost in
    an impact without rebound.

    Args:
        model: The engine's model.
        data: The engine's data, with places set; its velocities are added to.
        bodies: The bodies that state a velocity.
        world_axes: For each of them the rotation matrix of its model in the world.
        motors: The motors.

    Returns:
        By how much constraints and motors contradict each other [m/s, rad/s].
    """
    mujoco.mj_fwdPosition(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    momentum = np.zeros(model.nv)
    for index, axes in zip(bodies, world_axes, strict=True):
        momentum += _momentum(model, data, index, axes)
    if momentum.any():
        data.qvel[:] += np.linalg.solve(mass, momentum)
    _, J = equality_rows(model, data)
    if not J.size:
        return 0.0
    wanted = required_rates(model, J, motors, 0.0)
    data.qvel[:] += weighted_inverse(model, data, J) @ (wanted - J @ data.qvel)
    return float(np.abs(J @ data.qvel - wanted).max())


def _momentum(model: Any, data: Any, index: BodyAddress, axes: Vector) -> Vector:
    """Return the generalised momentum of a body that moves as it states, with the whole of its mass."""
    body, number = index.body, index.number
    if not model.body_mass[number]:
        return np.zeros(model.nv)  # it never moves, and has no mass in the engine
    translation, rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBodyCom(model, data, translation, rotation, number)
    share = body.inertial.mass / model.body_mass[number]
    inertia_axes = data.ximat[number].reshape(3, 3)
    moment = inertia_axes @ np.diag(model.body_inertia[number] * share) @ inertia_axes.T
    linear = axes @ np.asarray(body.initial_velocity)
    spin = data.xmat[number].reshape(3, 3) @ np.asarray(body.initial_angular_velocity_body)
    return np.asarray(translation.T @ (body.inertial.mass * linear) + rotation.T @ (moment @ spin))
