"""What does work in a simulation: dampers, actuators, prescribed coordinates, friction, contacts and limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from ossature.array_types import IndexArray, Vector
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.force_elements import CompiledBushing, CompiledSpring
from ossature.simulation.compile.force_laws import damping_law
from ossature.simulation.compile.joint_actuation import DRIVEN, is_effort_limited_servo
from ossature.simulation.energy import has_potential
from ossature.simulation.stepping.constraint_projection import find_prescribed_rows


class WorkingForces(NamedTuple):
    """What does work in all models that differ in inertias only.

    Attributes:
        driving_dampers: The dampers of elements without a potential, which supply their work, but not that of their damping.
        sources: The engine's actuators that supply work: those of elements with a potential do not.
        damping: The damping of each degree of freedom.
        is_compensated_by_actuator: Whether the force that compensates its weight counts as one of actuators, which potential
            energy excludes too.
        can_rub: Whether friction, contacts or limits can dissipate energy.
    """

    dampers: Dampers
    driving_dampers: Dampers
    sources: IndexArray
    damping: Vector
    is_compensated_by_actuator: Vector
    can_rub: bool


def find_working_forces(compiled: EngineModel, actuators: int) -> WorkingForces:
    """Return what does work, for the number of actuators whose forces are recorded."""
    model, springs, bushings = compiled.model, compiled.elements.springs, compiled.elements.bushings
    driving_springs = [built for built in springs if not has_potential(built, model)]
    driving_bushings = [built for built in bushings if not has_potential(built, model)]
    storing = {built.actuator.id for built in springs if built not in driving_springs}
    storing |= {a.id for built in bushings if built not in driving_bushings for a in built.actuators.values()}
    can_touch = bool(model.ngeom) and not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    has_friction = bool(model.dof_frictionloss.any() or model.tendon_frictionloss.any())
    has_limits = bool(model.jnt_limited.any() or model.tendon_limited.any())
    return WorkingForces(
        dampers=Dampers(springs, bushings),
        driving_dampers=Dampers(driving_springs, driving_bushings),
        sources=np.array(sorted(set(range(actuators)) - storing), dtype=np.intp),
        damping=np.array(model.dof_damping),
        is_compensated_by_actuator=np.array(model.jnt_actgravcomp[model.dof_jntid], dtype=np.float64),
        can_rub=can_touch or has_friction or has_limits,
    )


class Dampers:
    """The actuators of dampers with their laws."""

    def __init__(self, springs: Sequence[CompiledSpring], bushings: Sequence[CompiledBushing]) -> None:
        coefficients: dict[int, float] = {}
        self._laws: list[tuple[int, Callable[[float], float]]] = []
        for spring in springs:
            law = damping_law(spring.spring)
            if law is not None:
                self._laws.append((spring.actuator.id, law))
            elif spring.spring.damping:
                coefficients[spring.actuator.id] = spring.spring.damping
        for bushing in bushings:
            for component, actuator in bushing.actuators.items():
                if bushing.bushing.damping[component]:
                    coefficients[actuator.id] = bushing.bushing.damping[component]
        self._linear = np.array(list(coefficients), dtype=np.intp)
        self._coefficients = np.array(list(coefficients.values()))
        # The relative velocity of two bodies differs from the rate of the deformation, which is expressed in a rotating
        # frame; the damping is written as a control for the latter, and its force acts on bodies with the former.
        turning = [built for built in bushings if built.turning_frame is not None]
        rotating = [a.id for built in turning for number, a in built.actuators.items() if number < 3 and a.id in coefficients]
        self.rotating = np.array(rotating, dtype=np.intp)
        self.has_any = bool(self._laws or coefficients)

    def powers(self, rates: Vector, ends: Vector, controls: Vector) -> Vector:
        """Return the dissipated power of steps from the rates at which forces act, and those at their ends [W]."""
        means = rates if ends is rates else 0.5 * (rates + ends)
        power = (ends[:, self._linear] * means[:, self._linear] * self._coefficients).sum(axis=1)
        for actuator, law in self._laws:
            power -= np.array([law(rate) for rate in rates[:, actuator].tolist()]) * means[:, actuator]
        if self.rotating.size:
            power -= (controls[:, self.rotating] * means[:, self.rotating]).sum(axis=1)
        return np.asarray(power)


class WorkingConstraints:
    """The engine's constraint rows that do work: prescribed coordinates, friction, contacts and limits.

    Loops and couplings do none, except against contacts and limits that contradict them.

    Args:
        equalities: The index of the engine's equality constraint of each of the first rows, which are constant because none is
            activated or deactivated.

    Attributes:
        columns: The rows of prescribed coordinates, and those between them.
        has_welds: Whether drives of joints are welds.
        power_rows: The rows of servos, of welds of drives, and of prescribed coordinates.
        are_simple: Whether all rows are those of friction, contacts and limits.
    """

    def __init__(self, compiled: EngineModel, equalities: tuple[int, ...]) -> None:
        model = compiled.model
        self._equalities, numbers = len(equalities), np.array(equalities, dtype=np.intp)
        rows, _, self._dofs = find_prescribed_rows(compiled, equalities)
        self.columns = slice(int(rows[0]), int(rows[-1]) + 1) if rows.size else slice(0, 0)
        self._rows, self._columns = rows, rows - self.columns.start
        joints = [index for index in compiled.index.all_joints() if index.dof_count]
        driven = [index for index in joints if index.joint.actuation in DRIVEN]
        welds = compiled.drive_equalities.welds
        stacked = [index for index in driven if index.layout in (JointLayout.BALL, JointLayout.STACK)]
        driven_welds = [welds[index.body] for index in stacked if index.body in welds]
        self._welds = np.flatnonzero(np.isin(numbers, driven_welds)) if driven_welds else np.zeros(0, dtype=np.intp)
        self.has_welds = bool(self._welds.size)
        servos = {
            dof
            for index in driven
            for dof, coordinate in zip(range(model.nv)[index.coordinate_dofs], index.joint.coordinates, strict=True)
            if is_effort_limited_servo(index.joint, coordinate)
        }
        friction_dofs = np.flatnonzero(np.array(model.dof_frictionloss) > 0.0).tolist()
        ranks = [rank for rank, dof in enumerate(friction_dofs) if dof in servos]
        self._servos = np.array(ranks, dtype=np.intp) + self._equalities
        self.power_rows = [np.array(rows, dtype=np.int64) for rows in (self._servos, self._welds, self._rows)]
        self.are_simple = not self._equalities and not self._servos.size

    def powers(self, model: mujoco.MjModel, data: mujoco.MjData, double_velocities: Vector) -> tuple[float, float]:
        """Return the power supplied by drives, and dissipated by all others, from twice the mean velocities of a step [W]."""
        powers = np.empty(data.nefc)
        mujoco.mj_mulJacVec(model, data, powers, double_velocities)
        powers *= data.efc_force
        supplied = 0.5 * sum_in_order(powers[self._servos]) + 0.5 * sum_in_order(powers[self._welds])
        targets = 0.5 * sum_in_order(powers[self._rows])
        return supplied, supplied + targets - 0.5 * sum_in_order(powers)

    def power_of_targets(self, forces: Vector, velocities: Vector) -> Vector:
        """Return the power of prescribed coordinates in each of some steps [W]."""
        return np.asarray((forces[:, self._columns] * velocities[:, self._dofs]).sum(axis=1))


def sum_in_order(values: Vector) -> float:
    """Return a sum in the order of the values; that of numpy's sum differs with their number, and so would its last digit."""
    return float(np.add.accumulate(values)[-1]) if values.size else 0.0
