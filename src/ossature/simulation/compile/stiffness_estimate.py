"""The stiffness and damping of springs, dampers and motors, per effective mass, that limit the step of explicit integrators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import mujoco
import numpy as np

from ossature.array_types import IndexArray, Vector
from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.model import RotationalSpringDamper, SpringDamper
from ossature.simulation.compile.force_elements import Elements
from ossature.simulation.compile.force_laws import max_slope
from ossature.simulation.compile.generalized_force_matrix import GeneralizedForceMatrix
from ossature.simulation.compile.joint_inertia import compute_mass
from ossature.simulation.compile.largest_eigenpair import largest_eigenpair

STABLE = 0.8
"""Largest h·d + h²·k/4 for the leapfrog integrator, with the largest stiffness k and damping d per mass of any motion of the
model; by the roots of its characteristic polynomial it diverges at 1."""

_CLEARLY_STABLE = 0.999 * STABLE
"""Bound below which rounding does not matter."""

_FEW = 300
"""Numbers of coordinates, and of springs and dampers, up to which dense matrices are faster than sparse ones."""


class _CompliantPart(NamedTuple):
    """A spring or damper: its name, the coordinates and values of the generalised force of its unit force, and coefficients.

    The parts of the coefficients that are of a law are those of forces that every integrator evaluates explicitly.
    """

    name: str
    direction: tuple[IndexArray, Vector]
    stiffness: float
    damping: float
    stiffness_of_law: float = 0.0
    damping_of_law: float = 0.0

    def strain(self, step: float) -> float:
        return _strain(step, self.stiffness, self.damping)


def _strain(step: float, stiffness: float, damping: float) -> float:
    """Return h·d + h²·k/4, which :data:`STABLE` limits, for stiffness k and damping d per mass."""
    return step * damping + 0.25 * step**2 * stiffness


class CompliantParts(NamedTuple):
    """The springs and dampers of a model in its reference configuration.

    Attributes:
        parts: Those of actuators, then those of joints and of weighted sums of their coordinates.
        directions: The generalised forces of their unit forces.
        actuators: The engine's actuators.
    """

    parts: Sequence[_CompliantPart]
    directions: GeneralizedForceMatrix
    actuators: Sequence[int]

    def laws_by_earlier_velocity(self) -> CompliantParts:
        """Return the laws alone, for integrators of first order.

        These evaluate them at the velocity before each step, with which h·d/2 + h²·k/4 is the limit; the leapfrog integrator
        extrapolates the velocity by half a step, which doubles the share of damping.
        """
        laws = [part._replace(stiffness=part.stiffness_of_law, damping=0.5 * part.damping_of_law) for part in self.parts]
        return self._replace(parts=laws)


def find_compliant_parts(model: mujoco.MjModel, elements: Elements) -> CompliantParts:
    """Return the springs and dampers of a model, which do not depend on its inertias."""
    parts = [*_actuator_parts(model, elements), *_joint_parts(model), *_tendon_parts(model)]
    directions = GeneralizedForceMatrix.of([part.direction for part in parts], model.nv)
    return CompliantParts(parts, directions, [actuator for _, actuator, *_ in _compliant_actuators(elements)])


class StiffnessEstimate:
    """The stiffness of a model in its reference configuration."""

    def __init__(self, model: mujoco.MjModel, compliant: CompliantParts) -> None:
        self._model = model
        self._step = float(model.opt.timestep)
        self._parts, self._directions = compliant.parts, compliant.directions

    @cached_property
    def _of_all(self) -> tuple[float, float]:
        """The largest stiffness and damping per mass of any motion."""
        return self._largest([part.stiffness for part in self._parts], [part.damping for part in self._parts])

    @cached_property
    def _of_laws(self) -> tuple[float, float]:
        """The same, of laws alone."""
        return self._largest([part.stiffness_of_law for part in self._parts], [part.damping_of_law for part in self._parts])

    @cached_property
    def _without_laws(self) -> tuple[float, float]:
        """The same, without laws."""
        stiffnesses = [part.stiffness - part.stiffness_of_law for part in self._parts]
        return self._largest(stiffnesses, [part.damping - part.damping_of_law for part in self._parts])

    def _largest(self, stiffnesses: list[float], dampings: list[float]) -> tuple[float, float]:
        with temporary_engine_data(self._model) as data:
            mujoco.mj_fwdPosition(self._model, data)
            stiffness, damping = (
                _largest_strain(self._model, data, self._directions, np.array(coefficients))[0]
                for coefficients in (stiffnesses, dampings)
            )
        return stiffness, damping

    def are_all_soft(self) -> bool:
        """Whether the sum of h·d + h²·k/4 of each element by itself, an upper bound of :meth:`strain`, is below the limit."""
        if not self._parts:
            return True
        if max(self._directions.shape) > _FEW:
            return False
        strains = [_strain(self._step, max(part.stiffness, 0.0), max(part.damping, 0.0)) for part in self._parts]
        forces = self._directions.dense()
        accelerations = np.empty_like(forces)
        with temporary_engine_data(self._model) as data:
            compute_mass(self._model, data)
            mujoco.mj_factorM(self._model, data)
            mujoco.mj_solveM(self._model, data, accelerations, forces)
        return bool(np.dot(strains, (forces * accelerations).sum(axis=1)) < _CLEARLY_STABLE)

    def strain(self, sub_steps: int = 1) -> float:
        """Return h·d + h²·k/4 for the largest stiffness and damping per mass of any motion, at a division of the step."""
        return _strain(self._step / sub_steps, *self._of_all)

    def strain_of_laws(self) -> float:
        """Return the same for the laws alone, without a division."""
        return _strain(self._step, *self._of_laws)

    def strain_without_laws(self, sub_steps: int) -> float:
        """Return the same without the laws."""
        return _strain(self._step / sub_steps, *self._without_laws)

    def stiffest(self) -> str:
        """Return the name of the spring or damper that has the largest h·d + h²·k/4 by itself."""
        strains = np.array([part.strain(self._step) for part in self._parts])
        with temporary_engine_data(self._model) as data:
            mujoco.mj_fwdPosition(self._model, data)
            compliances = [_compliance(self._model, data, self._directions, row) for row in range(len(self._parts))]
        return self._parts[int(np.argmax(strains * compliances))].name


def _largest_strain(
    model: mujoco.MjModel, data: mujoco.MjData, directions: GeneralizedForceMatrix, coefficients: Vector
) -> tuple[float, Vector]:
    """Return the largest eigenvalue of C½ J M⁻¹ Jᵀ C½ with its eigenvector, from the factorized inertia matrix in ``data``."""
    roots = np.sqrt(np.maximum(coefficients, 0.0))

    def multiply(vector: Vector) -> Vector:
        return roots * directions.times(_accelerations(model, data, directions.transposed_times(roots * vector)))

    return largest_eigenpair(multiply, len(roots))


def _accelerations(model: mujoco.MjModel, data: mujoco.MjData, force: Vector) -> Vector:
    """Return the accelerations that a generalised force causes at rest, by the factorized inertia matrix in ``data``."""
    acceleration = np.zeros((1, model.nv))
    mujoco.mj_solveM(model, data, acceleration, force[None])
    return acceleration.ravel()


def _compliance(model: mujoco.MjModel, data: mujoco.MjData, directions: GeneralizedForceMatrix, row: int) -> float:
    """Return the acceleration along one direction, for a unit force along it."""
    unit = np.zeros(directions.shape[0])
    unit[row] = 1.0
    force = directions.transposed_times(unit)
    return float(force @ _accelerations(model, data, force))


def _actuator_parts(model: mujoco.MjModel, elements: Elements) -> list[_CompliantPart]:
    actuators = list(_compliant_actuators(elements))
    if not actuators:
        return []
    with temporary_engine_data(model) as data:
        mujoco.mj_fwdPosition(model, data)
        return [
            _CompliantPart(name, _actuator_direction(data, actuator), *coefficients)
            for name, actuator, *coefficients in actuators
        ]


def _actuator_direction(data: mujoco.MjData, actuator: int) -> tuple[IndexArray, Vector]:
    """Return the generalised force of an actuator's unit force: its coordinates and values."""
    start, count = data.moment_rowadr[actuator], data.moment_rownnz[actuator]
    entries = slice(start, start + count)
    return data.moment_colind[entries].astype(np.intp), data.actuator_moment.ravel()[entries].copy()


def _compliant_actuators(elements: Elements) -> Iterator[tuple[str, int, float, float, float, float]]:
    """Yield the name, the engine's actuator, stiffness and damping of every element, and the parts of them that are of laws."""
    for built in elements.springs:
        spring = built.spring
        map_stiffness, map_damping = _slopes_of_force_map(spring)
        stiffness = max_slope(spring.spring_curve) + map_stiffness
        damping = max_slope(spring.damping_curve) + map_damping
        total_stiffness, total_damping = spring.stiffness + stiffness, spring.damping + damping
        if built.wraps:
            stiffness, damping = total_stiffness, total_damping
        elif isinstance(spring, SpringDamper) and any(spring.degressivity):
            damping = total_damping
        yield f"spring-damper '{spring.name}'", built.actuator.id, total_stiffness, total_damping, stiffness, damping
    for bushing in elements.bushings:
        for component, actuator in bushing.actuators.items():
            stiffness, damping = bushing.bushing.stiffness[component], bushing.bushing.damping[component]
            yield f"bushing '{bushing.bushing.name}'", actuator.id, stiffness, damping, 0.0, 0.0
    for motor in elements.electric:
        sheet = motor.sheet
        if sheet.torque_constant is not None and sheet.resistance is not None:
            braking = sheet.torque_constant**2 / sheet.resistance
            yield f"the back-EMF of '{motor.actuator.name}'", motor.torque.id, 0.0, braking, 0.0, 0.0


def has_laws(elements: Elements) -> bool:
    """Whether an element has a force that every integrator evaluates explicitly."""
    return any(stiffness or damping for _, _, _, _, stiffness, damping in _compliant_actuators(elements))


def _joint_parts(model: mujoco.MjModel) -> Iterator[_CompliantPart]:
    for dof in range(model.nv):
        joint = model.dof_jntid[dof]
        stiffness, damping = float(model.jnt_stiffness[joint]), float(model.dof_damping[dof])
        if stiffness or damping:
            yield _CompliantPart(f"joint '{model.joint(joint).name}'", (np.array([dof]), np.ones(1)), stiffness, damping)


def _tendon_parts(model: mujoco.MjModel) -> Iterator[_CompliantPart]:
    """Yield the springs along weighted sums of coordinates of joints: the edges of soft skins."""
    for tendon in np.flatnonzero(model.tendon_stiffness).tolist():
        wraps = slice(model.tendon_adr[tendon], model.tendon_adr[tendon] + model.tendon_num[tendon])
        dofs = model.jnt_dofadr[model.wrap_objid[wraps]].astype(np.intp)
        stiffness = float(model.tendon_stiffness[tendon])
        yield _CompliantPart("an edge of a soft skin", (dofs, np.array(model.wrap_prm[wraps])), stiffness, 0.0)


class StiffnessMeter:
    """Computes the stiffness of springs and dampers in any configuration.

    Args:
        compliant: Springs and dampers.
        sub_steps: Smallest number of sub-steps.
    """

    def __init__(self, model: mujoco.MjModel, compliant: CompliantParts, sub_steps: int) -> None:
        self._model = model
        step = float(model.opt.timestep) / sub_steps
        parts = compliant.parts
        self._names = [part.name for part in parts]
        self._actuators = compliant.actuators
        self._joint_directions = [part.direction for part in parts[len(self._actuators) :]]
        self._strains = np.maximum([part.strain(step) for part in parts], 0.0)
        self.has_parts = bool(parts)

    def strain_at(self, qpos: Vector) -> tuple[float, str]:
        """Return h·d + h²·k/4 in a configuration, and the name of the element with the largest share in it; see :data:`STABLE`.

        For few elements it is the sum of the shares of all of them if that is small, an upper bound of the largest eigenvalue.
        """
        model = self._model
        with temporary_engine_data(model) as data:
            data.qpos[:] = qpos
            compute_mass(model, data)
            if self._actuators:
                mujoco.mj_transmission(model, data)
            directions = [*(_actuator_direction(data, number) for number in self._actuators), *self._joint_directions]
            if max(len(directions), model.nv) <= _FEW:
                return self._strain_of_few(data, directions)
            mujoco.mj_factorM(model, data)
            matrix = GeneralizedForceMatrix.of(directions, model.nv)
            strain, motion = _largest_strain(model, data, matrix, self._strains)
        return strain, self._names[int(np.abs(motion).argmax())]

    def _strain_of_few(self, data: mujoco.MjData, directions: Sequence[tuple[IndexArray, Vector]]) -> tuple[float, str]:
        mass = np.zeros((self._model.nv, self._model.nv))
        mujoco.mj_fullM(self._model, data, mass)
        moments = np.zeros((len(directions), self._model.nv))
        for row, (columns, values) in zip(moments, directions, strict=True):
            row[columns] = values
        compliance = moments @ np.linalg.solve(mass, moments.T)
        shares = self._strains * compliance.diagonal()
        strain = float(shares.sum())
        if strain >= STABLE:
            roots = np.sqrt(self._strains)
            strain = float(np.linalg.norm(roots[:, None] * compliance * roots, 2))
        return strain, self._names[int(shares.argmax())]


def _slopes_of_force_map(spring: SpringDamper | RotationalSpringDamper) -> tuple[float, float]:
    """Return the largest stiffness and damping of the force map of a spring-damper, or zeros without one."""
    table = spring.force_map if isinstance(spring, SpringDamper) else None
    if table is None:
        return 0.0, 0.0
    columns = zip(*table.forces, strict=True)
    stiffness = max(max_slope(tuple(zip(table.deformations, row, strict=True))) for row in table.forces)
    return stiffness, max(max_slope(tuple(zip(table.velocities, column, strict=True))) for column in columns)
