"""Choice of the integrator and of the sub-steps of a World.

*Semi-implicit Euler* is that of DART: first order in the step, with springs and dampers of joints and actuators evaluated at
the end of the step. *Implicit* is the engine's ``implicitfast``, first order. *Leapfrog* (central differences) has velocities
at half steps and evaluates forces at the middle of the step: second order, with explicit forces, so that stiff elements need
sub-steps. *Staggered Euler* is semi-implicit Euler with velocities at half steps: first order for stiff springs or dampers,
second order otherwise, stable for any linear stiffness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import mujoco
import numpy as np

from ossature.array_types import IndexArray, Vector
from ossature.diagnostics.suggestions import Choice
from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.model import RotationalSpringDamper, SpringDamper
from ossature.simulation.compile.constraint_solref import (
    EQUALITY_IMPEDANCE,
    discrete_integrator_joint_stop_solref,
    discrete_integrator_one_step_solref,
    joint_stop_solref,
    one_step_solref,
)
from ossature.simulation.compile.engine_spec import EngineSpec
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

MOST_SUB_STEPS = 64
"""Largest number of sub-steps for the stiffness of the initial configuration; if more are needed, forces are implicit."""
MOST_SUB_STEPS_BY_ERROR = 1024
"""Largest number of sub-steps for the estimated error or a hard stop."""

DEFAULT_TOLERANCE = 1e-3
"""Default largest estimated integration error of a coordinate per second [m/s or rad/s]."""


class Integrator(Choice):
    """An integrator."""

    DISCRETE = "semi-implicit-euler"
    IMPLICIT = "implicit"
    CENTRED = "leapfrog"
    STAGGERED = "staggered-euler"
    MUJOCO = "mujoco"
    """MuJoCo's own step, with the integrator that an MJCF file states."""

    @property
    def order(self) -> int:
        """The order of its error in the step."""
        return 2 if self is Integrator.CENTRED else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StepControl:
    """Step size control: how steps are divided into sub-steps.

    Attributes:
        tolerance: Largest estimated integration error of a coordinate per second [m/s, rad/s].
        is_specified: Whether the user specified the tolerance.
        allows_sub_steps: Whether a step may be divided.
    """

    tolerance: float = DEFAULT_TOLERANCE
    is_specified: bool = False
    allows_sub_steps: bool = True


DEFAULT_STEP_CONTROL = StepControl()
"""The step size control if the user specifies none."""


@dataclass(frozen=True, slots=True)
class IntegratorChoice:
    """An integrator and the reason for it.

    Attributes:
        reason: Why it was chosen.
        sub_steps: Smallest number of sub-steps of each step, because of stiff elements.
        excess: Ratio of the stiffness of the model to the stability limit at these sub-steps if it is 1 or more, else 0.
    """

    scheme: Integrator
    reason: str
    sub_steps: int = 1
    control: StepControl = DEFAULT_STEP_CONTROL
    excess: float = 0.0

    @property
    def division(self) -> str:
        """A text that describes the sub-steps."""
        if not self.control.allows_sub_steps:
            return "none"
        return (
            f"{self.sub_steps} or more, to a tolerance of {self.control.tolerance!r}" if self.scheme.order == 2 else "of stops"
        )


def choose_scheme(
    model: mujoco.MjModel,
    elements: Elements,
    *,
    has_servo: bool,
    as_dart: bool,
    specified: Integrator | None,
    control: StepControl,
) -> IntegratorChoice:
    """Return the integrator for a compiled model.

    Args:
        elements: Springs, bushings and motors.
        has_servo: Whether a servo with an effort limit drives a joint.
        as_dart: Whether the World is a tree of bodies from a file for DART.
        specified: The integrator that the user specified, if any.
    """
    if specified is not None and specified is not Integrator.CENTRED:
        scheme, reason = specified, "as specified"
    elif specified is None and has_servo and not control.is_specified:
        scheme, reason = Integrator.IMPLICIT, "required by a servo with an effort limit"
    elif specified is None and as_dart and not control.is_specified:
        scheme, reason = Integrator.DISCRETE, "that of DART, for a tree of bodies from a file for DART"
    else:
        return choose_scheme_by_stiffness(model, elements, find_compliant_parts(model, elements), specified, control)
    if _has_laws(elements):
        estimate = _StiffnessEstimate(model, find_compliant_parts(model, elements).laws_by_earlier_velocity())
        excess = _excess(estimate.strain())
        if excess:
            reason = f"{reason}; the law of {estimate.stiffest()} is too stiff for one step"
            return IntegratorChoice(scheme, reason, control=control, excess=excess)
    return IntegratorChoice(scheme, reason, control=control)


def depends_on_inertias(choice: IntegratorChoice, specified: Integrator | None, elements: Elements) -> bool:
    """Whether masses and moments of inertia were examined for a choice."""
    is_by_stiffness = specified is not Integrator.STAGGERED and choice.scheme in (Integrator.CENTRED, Integrator.STAGGERED)
    return is_by_stiffness or _has_laws(elements)


def choose_scheme_by_stiffness(
    model: mujoco.MjModel, elements: Elements, parts: CompliantParts, specified: Integrator | None, control: StepControl
) -> IntegratorChoice:
    """Return the integrator for a compiled model whose springs and dampers are known."""
    estimate, stop_note = _StiffnessEstimate(model, parts), _stop_note(elements)
    return _choose_leapfrog(estimate, is_specified=specified is not None, stop_note=stop_note, control=control)


def _choose_leapfrog(
    estimate: _StiffnessEstimate, *, is_specified: bool, stop_note: str, control: StepControl
) -> IntegratorChoice:
    """Return the leapfrog integrator with the sub-steps that stiff elements need, or one with implicit forces."""
    prefix = "as specified; " if is_specified else ""
    soft = IntegratorChoice(
        Integrator.CENTRED, f"{prefix}no element is too stiff for it at this step{stop_note}", control=control
    )
    if estimate.are_all_soft():
        return soft
    limit = MOST_SUB_STEPS_BY_ERROR if is_specified or control.is_specified else MOST_SUB_STEPS
    if not control.allows_sub_steps:
        limit = 1
    factor, count = estimate.strain() / STABLE, _stable_division(estimate, limit)
    if estimate.strain(count) < STABLE and count == 1:
        return soft
    stiff = f"{estimate.stiffest()} is {factor:.2g} times as stiff as one step allows"
    is_leapfrog, excess_of_laws = is_specified, 0.0
    if estimate.strain(count) >= STABLE:
        excess_of_laws = _excess(estimate.strain_of_laws())
        if excess_of_laws and control.allows_sub_steps:
            # No integrator is better for laws, which all of them evaluate explicitly.
            finest = _stable_division(estimate, MOST_SUB_STEPS_BY_ERROR)
            count = finest if estimate.strain(finest) < STABLE else count
            is_leapfrog = is_specified or estimate.strain_without_laws(count) < STABLE
    if estimate.strain(count) < STABLE or is_leapfrog:
        excess = _excess(estimate.strain(count))
        return IntegratorChoice(Integrator.CENTRED, f"{prefix}{stiff}{stop_note}", count, control, excess)
    reason = f"{stiff}, too stiff for second order with {limit} sub-steps{stop_note}"
    return IntegratorChoice(Integrator.STAGGERED, reason, control=control, excess=excess_of_laws)


def _stable_division(estimate: _StiffnessEstimate, limit: int) -> int:
    """Return the smallest number of sub-steps, a power of two up to a limit, that is stable; the limit if there is none."""
    count = 1
    while count < limit and estimate.strain(count) >= STABLE:
        count *= 2
    return count


def _excess(strain: float) -> float:
    """Return by which factor a strain exceeds the stability limit, or 0 if it does not."""
    return strain / STABLE if strain >= STABLE else 0.0


def _stop_note(elements: Elements) -> str:
    has_stops = any(isinstance(built.spring, SpringDamper) and built.spring.length_range for built in elements.springs)
    return "; a step in which a hard stop is reached is divided" if has_stops else ""


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


class _StiffnessEstimate:
    """The stiffness of a model in its reference configuration."""

    def __init__(self, model: mujoco.MjModel, compliant: CompliantParts) -> None:
        self._model = model
        self._step = float(model.opt.timestep)
        self.parts, self.directions = compliant.parts, compliant.directions

    @cached_property
    def _of_all(self) -> tuple[float, float]:
        """The largest stiffness and damping per mass of any motion."""
        return self._largest([part.stiffness for part in self.parts], [part.damping for part in self.parts])

    @cached_property
    def _of_laws(self) -> tuple[float, float]:
        """The same, of laws alone."""
        return self._largest([part.stiffness_of_law for part in self.parts], [part.damping_of_law for part in self.parts])

    @cached_property
    def _without_laws(self) -> tuple[float, float]:
        """The same, without laws."""
        stiffnesses = [part.stiffness - part.stiffness_of_law for part in self.parts]
        return self._largest(stiffnesses, [part.damping - part.damping_of_law for part in self.parts])

    def _largest(self, stiffnesses: list[float], dampings: list[float]) -> tuple[float, float]:
        with temporary_engine_data(self._model) as data:
            mujoco.mj_fwdPosition(self._model, data)
            stiffness, damping = (
                _largest_strain(self._model, data, self.directions, np.array(coefficients))[0]
                for coefficients in (stiffnesses, dampings)
            )
        return stiffness, damping

    def are_all_soft(self) -> bool:
        """Whether the sum of h·d + h²·k/4 of each element by itself, an upper bound of :meth:`strain`, is below the limit."""
        if not self.parts:
            return True
        if max(self.directions.shape) > _FEW:
            return False
        strains = [self._step * max(part.damping, 0.0) + 0.25 * self._step**2 * max(part.stiffness, 0.0) for part in self.parts]
        forces = self.directions.dense()
        accelerations = np.empty_like(forces)
        with temporary_engine_data(self._model) as data:
            compute_mass(self._model, data)
            mujoco.mj_factorM(self._model, data)
            mujoco.mj_solveM(self._model, data, accelerations, forces)
        return bool(np.dot(strains, (forces * accelerations).sum(axis=1)) < _CLEARLY_STABLE)

    def strain(self, sub_steps: int = 1) -> float:
        """Return h·d + h²·k/4 for the largest stiffness and damping per mass of any motion, at a division of the step."""
        return self._strain(self._of_all, sub_steps)

    def strain_of_laws(self) -> float:
        """Return the same for the laws alone, without a division."""
        return self._strain(self._of_laws, 1)

    def strain_without_laws(self, sub_steps: int) -> float:
        """Return the same without the laws."""
        return self._strain(self._without_laws, sub_steps)

    def _strain(self, stiffness_and_damping: tuple[float, float], sub_steps: int) -> float:
        step, (stiffness, damping) = self._step / sub_steps, stiffness_and_damping
        return step * damping + 0.25 * step**2 * stiffness

    def stiffest(self) -> str:
        """Return the name of the spring or damper that has the largest h·d + h²·k/4 by itself."""
        strains = np.array([self._step * part.damping + 0.25 * self._step**2 * part.stiffness for part in self.parts])
        with temporary_engine_data(self._model) as data:
            mujoco.mj_fwdPosition(self._model, data)
            compliances = [_compliance(self._model, data, self.directions, row) for row in range(len(self.parts))]
        return self.parts[int(np.argmax(strains * compliances))].name


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
        stiffness = max_slope(spring.spring_curve) + _map_stiffness(spring)
        damping = max_slope(spring.damping_curve) + _map_damping(spring)
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


def _has_laws(elements: Elements) -> bool:
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
        self._strains = np.maximum([step * part.damping + 0.25 * step**2 * part.stiffness for part in parts], 0.0)
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


def _map_stiffness(spring: SpringDamper | RotationalSpringDamper) -> float:
    table = spring.force_map if isinstance(spring, SpringDamper) else None
    if table is None:
        return 0.0
    return max(max_slope(tuple(zip(table.deformations, row, strict=True))) for row in table.forces)


def _map_damping(spring: SpringDamper | RotationalSpringDamper) -> float:
    table = spring.force_map if isinstance(spring, SpringDamper) else None
    if table is None:
        return 0.0
    columns = zip(*table.forces, strict=True)
    return max(max_slope(tuple(zip(table.velocities, column, strict=True))) for column in columns)


_INTEGRATORS = {
    Integrator.DISCRETE: mujoco.mjtIntegrator.mjINT_DISCRETE,
    Integrator.STAGGERED: mujoco.mjtIntegrator.mjINT_DISCRETE,
    Integrator.IMPLICIT: mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    Integrator.CENTRED: mujoco.mjtIntegrator.mjINT_EULER,
}
_AT_END_OF_STEP = (Integrator.DISCRETE, Integrator.STAGGERED)
"""The integrators that evaluate constraint forces at the end of the step."""
_EXPLICIT_DAMPING = int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)


def equality_reference(scheme: Integrator, time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of equality constraints for an integrator."""
    return discrete_integrator_one_step_solref(time_step) if scheme in _AT_END_OF_STEP else one_step_solref(time_step)


def stop_reference(scheme: Integrator, time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of joints' position limits for an integrator."""
    return discrete_integrator_joint_stop_solref(time_step) if scheme in _AT_END_OF_STEP else joint_stop_solref(time_step)


def apply_scheme(scheme: Integrator, spec: EngineSpec) -> None:
    """Set the options of an integrator in the engine's specification."""
    time_step = spec.option.timestep
    spec.option.integrator = _INTEGRATORS[scheme]
    if scheme is Integrator.CENTRED:
        spec.option.disableflags |= _EXPLICIT_DAMPING
    for equality in spec.equalities:
        equality.solref = equality_reference(scheme, time_step)
        equality.solimp = EQUALITY_IMPEDANCE
    for joint in spec.joints:
        if joint.limited == mujoco.mjtLimited.mjLIMITED_TRUE:
            joint.solref_limit = stop_reference(scheme, time_step)


def apply_scheme_to_model(scheme: Integrator, model: mujoco.MjModel) -> None:
    """Set the options of an integrator in the engine's compiled model."""
    model.opt.integrator = _INTEGRATORS[scheme]
    if scheme is Integrator.CENTRED:
        model.opt.disableflags |= _EXPLICIT_DAMPING
    model.eq_solref[:] = equality_reference(scheme, model.opt.timestep)
    model.jnt_solref[np.flatnonzero(model.jnt_limited)] = stop_reference(scheme, model.opt.timestep)
