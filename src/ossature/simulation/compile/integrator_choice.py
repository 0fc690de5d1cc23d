"""Which integrator steps a World, at which division of a step, and how that is chosen.

*Semi-implicit Euler* is DART's own: first order in the step, with springs and dampers of joints and actuators taken at the end
of the step. *Implicit* is the engine's ``implicitfast``, first order. *Leapfrog* (central differences) keeps velocities halfway
between the positions and evaluates forces in the middle: second order, with explicit forces, so that stiff elements need
sub-steps. *Staggered Euler* is semi-implicit Euler with velocities halfway between the positions: first order where springs or
dampers are stiff, second order otherwise, stable at any stiffness that is linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import mujoco
import numpy as np

from ossature.model import RotationalSpringDamper, SpringDamper
from ossature.simulation.compile.constraint_solref import (
    EQUALITY_IMPEDANCE,
    joint_stop,
    joint_stop_discrete,
    solref_one_step,
    solref_one_step_discrete,
)
from ossature.simulation.compile.force_elements import Elements
from ossature.simulation.compile.force_laws import max_slope

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_Part: TypeAlias = "tuple[str, Vector, float, float]"
"""Name, generalised force of a unit force, stiffness and damping of something sprung or damped."""

STABLE = 0.8
"""Largest h·d + h²·k/4 that the leapfrog integrator is trusted with, where k and d are the largest stiffness and damping per
mass of any motion of the model; from the roots of its characteristic polynomial it diverges at 1."""

MOST_SUB_STEPS = 64
"""Sub-steps into which a step is divided at most because elements are stiff at the start; beyond, forces are implicit."""
MOST_SUB_STEPS_BY_ERROR = 1024
"""Sub-steps into which a step is divided at most because of the estimated error, or of a hard stop."""

DEFAULT_TOLERANCE = 1e-3
"""Largest estimated error that a coordinate may gain by integration per second, if none is stated [m/s or rad/s]."""


class Integrator(StrEnum):
    """An integrator."""

    DISCRETE = "semi-implicit-euler"
    IMPLICIT = "implicit"
    CENTRED = "leapfrog"
    STAGGERED = "staggered-euler"

    @property
    def order(self) -> int:
        """The order of its error in the step."""
        return 2 if self is Integrator.CENTRED else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StepControl:
    """How steps are divided.

    Attributes:
        tolerance: Largest estimated error that a coordinate may gain by integration per second [m/s, rad/s]; one that is not
            stated is :data:`DEFAULT_TOLERANCE`.
        is_stated: Whether the tolerance was asked for.
        allows_sub_steps: Whether a step may be divided at all.
    """

    tolerance: float = DEFAULT_TOLERANCE
    is_stated: bool = False
    allows_sub_steps: bool = True


DEFAULT_STEP_CONTROL = StepControl()
"""How steps are divided if nothing is asked for."""


@dataclass(frozen=True, slots=True)
class IntegratorChoice:
    """An integrator and the reason for it.

    Attributes:
        scheme: The integrator.
        reason: Why it was chosen.
        sub_steps: Into how many parts each step is divided at least, because of stiff elements.
        control: How steps are divided further.
        excess: By how much the stiffness of the model exceeds what the integrator is trusted with at these sub-steps; 0 if not.
    """

    scheme: Integrator
    reason: str
    sub_steps: int = 1
    control: StepControl = DEFAULT_STEP_CONTROL
    excess: float = 0.0

    @property
    def division(self) -> str:
        """How steps are divided, in a few words."""
        if not self.control.allows_sub_steps:
            return "none"
        return (
            f"{self.sub_steps} or more, to a tolerance of {self.control.tolerance!r}" if self.scheme.order == 2 else "of stops"
        )


def choose_scheme(
    model: Any, elements: Elements, *, has_servo: bool, as_dart: bool, stated: Integrator | None, control: StepControl
) -> IntegratorChoice:
    """Return the integrator for a compiled model.

    Args:
        model: The engine's model.
        elements: Springs, bushings and motors.
        has_servo: Whether a servo with limited effort drives a joint.
        as_dart: Whether the World is a tree of bodies from a file for DART.
        stated: The integrator that was asked for, if any.
        control: How steps are divided.
    """
    if stated is not None and stated is not Integrator.CENTRED:
        return IntegratorChoice(stated, "as asked for", control=control)
    if stated is None and has_servo and not control.is_stated:
        return IntegratorChoice(Integrator.IMPLICIT, "a servo with limited effort needs it", control=control)
    if stated is None and as_dart and not control.is_stated:
        return IntegratorChoice(
            Integrator.DISCRETE, "a tree of bodies from a file for DART, stepped as DART does", control=control
        )
    return _leapfrog(
        _StiffnessEstimate(model, elements), is_stated=stated is not None, about_stops=_about_stops(elements), control=control
    )


def _leapfrog(sprung: _StiffnessEstimate, *, is_stated: bool, about_stops: str, control: StepControl) -> IntegratorChoice:
    """Return the leapfrog integrator with as many sub-steps as stiff elements need, or one with implicit forces."""
    why = "as asked for; " if is_stated else ""
    most = MOST_SUB_STEPS_BY_ERROR if is_stated or control.is_stated else MOST_SUB_STEPS
    if not control.allows_sub_steps:
        most = 1
    count, factor = 1, sprung.strain() / STABLE
    while count < most and sprung.strain(count) >= STABLE:
        count *= 2
    excess = sprung.strain(count) / STABLE
    if excess < 1.0 and count == 1:
        return IntegratorChoice(
            Integrator.CENTRED, f"{why}nothing is too stiff for it at this step{about_stops}", control=control
        )
    stiff = f"{sprung.stiffest()} is {factor:.2g} times as stiff as one step allows"
    if excess < 1.0 or is_stated:
        return IntegratorChoice(
            Integrator.CENTRED, f"{why}{stiff}{about_stops}", count, control, excess if excess >= 1.0 else 0.0
        )
    return IntegratorChoice(
        Integrator.STAGGERED, f"{stiff}, too stiff for second order with {most} sub-steps{about_stops}", control=control
    )


def _about_stops(elements: Elements) -> str:
    has_stops = any(isinstance(built.spring, SpringDamper) and built.spring.length_range for built in elements.springs)
    return "; a step that touches a hard stop is divided" if has_stops else ""


class _StiffnessEstimate:
    """All that is sprung or damped in a model, where it stands."""

    def __init__(self, model: Any, elements: Elements) -> None:
        self._model, self._elements = model, elements
        self._step = float(model.opt.timestep)
        self._data = mujoco.MjData(model)
        mujoco.mj_fwdPosition(model, self._data)
        self._parts = self.parts()
        self._mass = np.zeros((model.nv, model.nv) if self._parts else (0, 0))
        if self._parts:
            mujoco.mj_fullM(model, self._data, self._mass)
        along = np.array([moment for _, moment, _, _ in self._parts])
        self._stiffness = self._largest(along, np.array([k for _, _, k, _ in self._parts]))
        self._damping = self._largest(along, np.array([d for _, _, _, d in self._parts]))

    @property
    def data(self) -> Any:
        """The engine's data of the configuration that is looked at."""
        return self._data

    def parts(self) -> list[_Part]:
        """Return all that is sprung or damped, at the configuration of the data."""
        return [*self._actuators(self._model, self._elements), *_joints(self._model)]

    def strain(self, sub_steps: int = 1) -> float:
        """Return h·d + h²·k/4 for the largest stiffness and damping per mass of any motion, at a division of the step."""
        step = self._step / sub_steps
        return step * self._damping + 0.25 * step**2 * self._stiffness

    def stiffest(self) -> str:
        """Return the name of the part that strains a step most by itself."""
        return max(self._parts, key=self._own_strain)[0]

    def _own_strain(self, part: _Part) -> float:
        _, moment, stiffness, damping = part
        inverse_mass = float(moment @ np.linalg.solve(self._mass, moment))
        return (self._step * damping + 0.25 * self._step**2 * stiffness) * inverse_mass

    def _largest(self, along: Vector, coefficients: Vector) -> float:
        """Return the largest eigenvalue of the matrix that coefficients make along their moments, per mass."""
        if not self._parts:
            return 0.0
        rooted = along * np.sqrt(np.maximum(coefficients, 0.0))[:, None]
        return float(np.linalg.norm(rooted @ np.linalg.solve(self._mass, rooted.T), 2))

    def _actuators(self, model: Any, elements: Elements) -> Iterator[_Part]:
        for name, actuator, stiffness, damping in _sprung_actuators(elements):
            yield name, self._moment(model, actuator), stiffness, damping

    def _moment(self, model: Any, actuator: int) -> Vector:
        """Return the generalised force of an actuator's unit force."""
        data = self._data
        moment = np.zeros(model.nv)
        start, count = data.moment_rowadr[actuator], data.moment_rownnz[actuator]
        moment[data.moment_colind[start : start + count]] = data.actuator_moment.ravel()[start : start + count]
        return moment


def _sprung_actuators(elements: Elements) -> Iterator[tuple[str, int, float, float]]:
    """Yield the name, the engine's actuator, stiffness and damping of every element that is sprung or damped."""
    for built in elements.springs:
        spring = built.spring
        damping = spring.damping + max_slope(spring.damping_curve) + _map_damping(spring)
        stiffness = spring.stiffness + max_slope(spring.spring_curve) + _map_stiffness(spring)
        yield f"spring-damper '{spring.name}'", built.actuator.id, stiffness, damping
    for bushing in elements.bushings:
        for component, actuator in bushing.actuators.items():
            stiffness, damping = bushing.bushing.stiffness[component], bushing.bushing.damping[component]
            yield f"bushing '{bushing.bushing.name}'", actuator.id, stiffness, damping
    for motor in elements.electric:
        sheet = motor.sheet
        if sheet.torque_constant is not None and sheet.resistance is not None:
            braking = sheet.torque_constant**2 / sheet.resistance
            yield f"the back-EMF of '{motor.actuator.name}'", motor.torque.id, 0.0, braking


def _joints(model: Any) -> Iterator[_Part]:
    for dof in range(model.nv):
        joint = model.dof_jntid[dof]
        stiffness, damping = float(model.jnt_stiffness[joint]), float(model.dof_damping[dof])
        if stiffness or damping:
            moment = np.zeros(model.nv)
            moment[dof] = 1.0
            yield f"joint '{model.joint(joint).name}'", moment, stiffness, damping


class StiffnessMeter:
    """Computes how stiff springs and dampers are at any configuration.

    Args:
        model: The engine's model.
        elements: Springs, bushings and motors.
        sub_steps: Into how many sub-steps a step is divided at least.
    """

    def __init__(self, model: Any, elements: Elements, sub_steps: int) -> None:
        self._model = model
        step = float(model.opt.timestep) / sub_steps
        sprung = _StiffnessEstimate(model, elements)
        parts = sprung.parts()
        self._data = sprung.data
        self._names = [name for name, _, _, _ in parts]
        self._actuators = np.array([number for _, number, _, _ in _sprung_actuators(elements)], dtype=np.intp)
        self._along = np.array([moment for _, moment, _, _ in parts])
        self._strains = np.maximum([step * d + 0.25 * step**2 * k for _, _, k, d in parts], 0.0)
        self._mass = np.zeros((model.nv, model.nv))
        self._moments = np.zeros((model.nu, model.nv))
        self.has_parts = bool(parts)

    def strain_at(self, qpos: Vector) -> tuple[float, str]:
        """Return h·d + h²·k/4 at a configuration, and the name of what has the largest share in it; see :data:`STABLE`.

        Where it is small it is the sum of the shares of all parts, which is no less than the largest eigenvalue.
        """
        model, data, along = self._model, self._data, self._along
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_tendon(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_fullM(model, data, self._mass)
        if self._actuators.size:
            mujoco.mj_transmission(model, data)
            rows = data.moment_rownnz, data.moment_rowadr, data.moment_colind
            mujoco.mju_sparse2dense(self._moments, data.actuator_moment.ravel(), *rows)
            along[: self._actuators.size] = self._moments[self._actuators]
        compliance = along @ np.linalg.solve(self._mass, along.T)
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
"""The schemes that evaluate forces of constraints at the end of the step."""
_EXPLICIT_DAMPING = int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)


def equality_reference(scheme: Integrator, time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of equality constraints that goes with a way of stepping."""
    return solref_one_step_discrete(time_step) if scheme in _AT_END_OF_STEP else solref_one_step(time_step)


def stop_reference(scheme: Integrator, time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of joints' position limits that goes with a way of stepping."""
    return joint_stop_discrete(time_step) if scheme in _AT_END_OF_STEP else joint_stop(time_step)


def apply_scheme(scheme: Integrator, spec: Any, equalities: Iterable[Any], time_step: float) -> None:
    """Set what a way of stepping needs in the engine's specification."""
    spec.option.integrator = _INTEGRATORS[scheme]
    if scheme is Integrator.CENTRED:
        spec.option.disableflags |= _EXPLICIT_DAMPING
    for equality in equalities:
        equality.solref = equality_reference(scheme, time_step)
        equality.solimp = EQUALITY_IMPEDANCE
    for joint in spec.joints:
        if joint.limited == mujoco.mjtLimited.mjLIMITED_TRUE:
            joint.solref_limit = stop_reference(scheme, time_step)


def apply_scheme_to_model(scheme: Integrator, model: Any) -> None:
    """Set what a way of stepping needs in the engine's compiled model."""
    model.opt.integrator = _INTEGRATORS[scheme]
    if scheme is Integrator.CENTRED:
        model.opt.disableflags |= _EXPLICIT_DAMPING
    model.eq_solref[:] = equality_reference(scheme, model.opt.timestep)
    model.jnt_solref[np.flatnonzero(model.jnt_limited)] = stop_reference(scheme, model.opt.timestep)
