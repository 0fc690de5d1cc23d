"""What forces are at work at an instant: in springs, bushings, motors and joints.

They are those of the step that begins at that instant. So one step is taken, looked at, and taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import mujoco
import numpy as np

from ossature.model import SpringDamper
from ossature.simulation.compiling.compiled import Compiled
from ossature.simulation.compiling.elements import BuiltMotor
from ossature.simulation.compiling.index import JointIndex, Layout
from ossature.simulation.memory import Carrier
from ossature.simulation.moving.drives import Drive as StepDrive
from ossature.simulation.moving.drives import ServoDrive
from ossature.simulation.moving.motor_drive import MotorDrive
from ossature.simulation.moving.steppers import Stepper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

Quantities: TypeAlias = "dict[str, dict[str, dict[str, Vector]]]"
"""Numbers by model, element and quantity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Efforts:
    """What accelerates and pulls the engine's bodies at an instant: turning first, in axes of the world, at one point each.

    Attributes:
        centers: The points, shape (bodies, 3) [m].
        accelerations: Spatial accelerations, less gravity, shape (bodies, 6).
        velocities: Spatial velocities, shape (bodies, 6).
        wrenches: Torque and force on each body by the one that carries it, shape (bodies, 6) [N·m, N].
    """

    centers: Vector
    accelerations: Vector
    velocities: Vector
    wrenches: Vector


@dataclass(frozen=True, slots=True)
class Observer:
    """Looks at the forces of a simulation.

    Attributes:
        compiled: The World in the engine.
        data: The engine's data.
        stepper: What steps it.
        carriers: All that has to be taken back after a step.
        electric: The electric motors.
    """

    compiled: Compiled
    data: Any
    stepper: Stepper
    carriers: Sequence[Carrier]
    electric: Sequence[MotorDrive]

    def look(self, drives: list[StepDrive], servos: list[ServoDrive]) -> tuple[Quantities, Quantities, float]:
        """Return the quantities of springs, motors and so on, the reactions of joints and motors, and the loops' violation.

        Reactions are the force [N] and torque [N·m] on the child (of a motor: the first body) at the joint, in axes of the
        world.
        """
        speeds = [drive.speed for drive in self.electric]
        coordinates = {id(motor): self._coordinate(motor) for motor in self.compiled.elements.motors}
        with self._step_taken(drives, servos):
            return self._elements(coordinates, speeds), self._reactions(), self._violation()

    def efforts(self, drives: list[StepDrive], servos: list[ServoDrive]) -> Efforts:
        """Return what accelerates and pulls all bodies."""
        with self._step_taken(drives, servos):
            model, data = self.compiled.model, self.data
            return Efforts(
                centers=data.subtree_com[model.body_rootid],
                accelerations=data.cacc.copy(),
                velocities=data.cvel.copy(),
                wrenches=data.cfrc_int - _floating(model, data),
            )

    @contextmanager
    def _step_taken(self, drives: list[StepDrive], servos: list[ServoDrive]) -> Iterator[None]:
        """Take a step to look at its forces, and take it back."""
        saved = [(carrier, carrier.memory()) for carrier in self.carriers]
        try:
            self.stepper.steps(1, drives, servos)
            mujoco.mj_rnePostConstraint(self.compiled.model, self.data)
            yield
        finally:
            for carrier, memory in saved:
                carrier.recall(memory)

    def _elements(self, coordinates: dict[int, dict[str, float]], speeds: list[float]) -> Quantities:
        found: Quantities = {}
        data, elements = self.data, self.compiled.elements
        for spring in elements.springs:
            actuator = spring.actuator.id
            names = ("length", "force") if isinstance(spring.spring, SpringDamper) else ("angle", "torque")
            values = (data.actuator_length[actuator] - spring.offset, data.actuator_force[actuator])
            _put(found, spring.model, spring.spring.name, dict(zip(names, values, strict=True)))
        for bushing in elements.bushings:
            wrench = np.zeros(6)
            for component, actuator in bushing.actuators.items():
                wrench[component] = data.actuator_force[actuator.id]
            _put(found, bushing.model, bushing.bushing.name, {"force": wrench[:3], "torque": wrench[3:]})
        for motor in elements.motors:
            effort = "torque" if motor.motor.guide.turns else "force"
            quantities = coordinates[id(motor)] | {effort: self._motor_effort(motor)}
            _put(found, motor.model, motor.motor.name, quantities)
        for drive, speed in zip(self.electric, speeds, strict=True):
            _put(found, drive.built.model, drive.built.actuator.name, drive.quantities(speed))
        return found

    def _coordinate(self, built: BuiltMotor) -> dict[str, float]:
        """Return coordinate and rate of a motor now; nothing of one that drives no joint."""
        if built.joint is None:
            return {}
        model, joint = self.compiled.model, built.joint.id
        position = built.sign * (float(self.data.qpos[model.jnt_qposadr[joint]]) - built.start)
        rate = built.sign * float(self.data.qvel[model.jnt_dofadr[joint]])
        return {"angle" if built.motor.guide.turns else "position": position, "rate": rate}

    def _motor_effort(self, built: BuiltMotor) -> float:
        if built.actuator is not None:
            return float(self.data.actuator_force[built.actuator.id])
        if built.equality is None:
            return 0.0
        return built.sign * float(self.data.efc_force[self._rows(built.equality.id)].sum())

    def _rows(self, equality: int) -> NDArray[np.intp]:
        """Return the rows of an equality among the engine's constraints, of which equalities come first."""
        return np.flatnonzero(self.data.efc_id[: self.data.ne] == equality)

    def _reactions(self) -> Quantities:
        found: Quantities = {}
        for joints in self.compiled.index.joints.values():
            for index in joints.values():
                wrench = self._reaction(index)
                if wrench is not None:
                    _put(found, index.model, index.joint.name, {"force": wrench[0], "torque": wrench[1]})
        return found

    def _reaction(self, index: JointIndex) -> tuple[Vector, Vector] | None:
        if index.layout is Layout.DERIVED:
            return self._reaction_of_point(index)
        if index.layout is Layout.FREE or index.body == 0 or self.compiled.model.body_weldid[index.body] == 0:
            return None
        data = self.data
        wrench = np.array(data.cfrc_int[index.body])
        at = data.xpos[index.body] + data.xmat[index.body].reshape(3, 3) @ np.asarray(index.built.pose.position)
        centre = data.subtree_com[self.compiled.model.body_rootid[index.body]]
        force = wrench[3:]
        torque = wrench[:3] + np.cross(centre - at, force)
        return (-force, -torque) if index.is_reversed else (force, torque)

    def _reaction_of_point(self, index: JointIndex) -> tuple[Vector, Vector] | None:
        label = f"{index.model}/{index.joint.name}"
        equality = mujoco.mj_name2id(self.compiled.model, mujoco.mjtObj.mjOBJ_EQUALITY, label)
        if equality < 0:
            return None
        return np.array(self.data.efc_force[self._rows(equality)]), np.zeros(3)

    def _violation(self) -> float:
        """Return the largest violation of what holds bodies together; driven and following joints are not among it."""
        data, kinds = self.data, self.compiled.model.eq_type
        following = {coupling.equality.id for coupling in self.compiled.couplings}
        rows = [row for row in range(data.ne) if data.efc_id[row] not in following]
        held = [row for row in rows if kinds[data.efc_id[row]] != mujoco.mjtEq.mjEQ_JOINT]
        return float(np.abs(data.efc_pos[held]).max()) if held else 0.0


def _floating(model: Any, data: Any) -> Vector:
    """Return what bodies without gravity lack of their weight, with all that they carry, as wrenches; the engine counts it."""
    wrenches = np.zeros((model.nbody, 6))
    for body in np.flatnonzero(model.body_gravcomp):
        lift = -model.opt.gravity * model.body_mass[body] * model.body_gravcomp[body]
        arm = data.xipos[body] - data.subtree_com[model.body_rootid[body]]
        wrench, carrier = np.concatenate([np.cross(arm, lift), lift]), body
        while carrier:
            wrenches[carrier] += wrench
            carrier = model.body_parentid[carrier]
    return wrenches


def _put(found: Quantities, model: str, name: str, values: dict[str, Any]) -> None:
    group = found.setdefault(model, {}).setdefault(name, {})
    for quantity, value in values.items():
        group[quantity] = np.asarray(value, dtype=float)
