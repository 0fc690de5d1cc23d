"""How a World is stepped, and how that is chosen.

*Discrete* is the engine's integrator that steps as DART does: it takes stiff springs and dampers of joints and actuators
at the end of the step. *Implicit* is the engine's implicit one. *Centred* keeps velocities halfway between the places
and evaluates forces in the middle, which makes it second order in the step, with explicit forces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import mujoco
import numpy as np

from ossature.model import RotationalSpringDamper, SpringDamper
from ossature.simulation.compiling.constraint_settings import (
    EQUALITY_IMPEDANCE,
    deadbeat,
    deadbeat_discrete,
    joint_stop,
    joint_stop_discrete,
)
from ossature.simulation.compiling.elements import Elements
from ossature.simulation.compiling.laws import steepest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_Part: TypeAlias = "tuple[str, Vector, float, float]"
"""Name, generalised force of a unit force, stiffness and damping of something sprung or damped."""

STABLE = 0.8
"""Largest h·d + h²·k/4 that the centred scheme is trusted with, where k and d are the largest stiffness and damping per mass
of any motion of the model; from the roots of its characteristic polynomial it diverges at 1."""


class Scheme(StrEnum):
    """A way of stepping."""

    DISCRETE = "discrete"
    IMPLICIT = "implicit"
    CENTRED = "centred"
    STAGGERED = "discrete, staggered"
    """As discrete, with velocities halfway between the places."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A way of stepping and the reason for it."""

    scheme: Scheme
    reason: str


def choose_scheme(model: Any, elements: Elements, *, has_servo: bool, as_dart: bool) -> Choice:
    """Return how a compiled model is to be stepped."""
    if has_servo:
        return Choice(Scheme.IMPLICIT, "a servo with limited effort needs it")
    if as_dart:
        return Choice(Scheme.DISCRETE, "a tree of bodies from a file for DART, stepped as DART does")
    sprung = _Sprung(model, elements)
    strain = sprung.strain()
    if strain < STABLE:
        return Choice(Scheme.CENTRED, f"second order; nothing is too stiff for it at this step{_about_stops(elements)}")
    reason = f"{sprung.stiffest()} is too stiff for the centred scheme at this step, by {strain / STABLE:.2g}"
    return Choice(Scheme.STAGGERED, reason + _about_stops(elements))


def _about_stops(elements: Elements) -> str:
    has_stops = any(isinstance(built.spring, SpringDamper) and built.spring.length_range for built in elements.springs)
    return "; a step that touches a hard stop is divided" if has_stops else ""


class _Sprung:
    """All that is sprung or damped in a model, where it stands."""

    def __init__(self, model: Any, elements: Elements) -> None:
        self._step = float(model.opt.timestep)
        self._data = mujoco.MjData(model)
        mujoco.mj_fwdPosition(model, self._data)
        self._parts = [*self._actuators(model, elements), *_joints(model)]
        self._mass = np.zeros((model.nv, model.nv) if self._parts else (0, 0))
        if self._parts:
            mujoco.mj_fullM(model, self._data, self._mass)

    def strain(self) -> float:
        """Return h·d + h²·k/4 for the largest stiffness and damping per mass of any motion."""
        if not self._parts:
            return 0.0
        along = np.array([moment for _, moment, _, _ in self._parts])
        stiffness = self._largest(along, np.array([k for _, _, k, _ in self._parts]))
        damping = self._largest(along, np.array([d for _, _, _, d in self._parts]))
        return self._step * damping + 0.25 * self._step**2 * stiffness

    def stiffest(self) -> str:
        """Return the name of the part that strains a step most by itself."""
        return max(self._parts, key=self._own_strain)[0]

    def _own_strain(self, part: _Part) -> float:
        _, moment, stiffness, damping = part
        inverse_mass = float(moment @ np.linalg.solve(self._mass, moment))
        return (self._step * damping + 0.25 * self._step**2 * stiffness) * inverse_mass

    def _largest(self, along: Vector, coefficients: Vector) -> float:
        """Return the largest eigenvalue of the matrix that coefficients make along their moments, per mass."""
        rooted = along * np.sqrt(np.maximum(coefficients, 0.0))[:, None]
        return float(np.linalg.norm(rooted @ np.linalg.solve(self._mass, rooted.T), 2))

    def _actuators(self, model: Any, elements: Elements) -> Iterator[_Part]:
        for built in elements.springs:
            spring = built.spring
            damping = spring.damping + steepest(spring.damping_curve) + _map_damping(spring)
            stiffness = spring.stiffness + steepest(spring.spring_curve) + _map_stiffness(spring)
            moment = self._moment(model, built.actuator.id)
            yield f"spring-damper '{spring.name}'", moment, stiffness, damping
        for bushing in elements.bushings:
            for component, actuator in bushing.actuators.items():
                stiffness, damping = bushing.bushing.stiffness[component], bushing.bushing.damping[component]
                yield f"bushing '{bushing.bushing.name}'", self._moment(model, actuator.id), stiffness, damping

        for motor in elements.electric:
            sheet = motor.sheet
            if sheet.torque_constant is not None and sheet.resistance is not None:
                braking = sheet.torque_constant**2 / sheet.resistance
                yield f"the back-EMF of '{motor.actuator.name}'", self._moment(model, motor.torque.id), 0.0, braking

    def _moment(self, model: Any, actuator: int) -> Vector:
        """Return the generalised force of an actuator's unit force."""
        data = self._data
        moment = np.zeros(model.nv)
        start, count = data.moment_rowadr[actuator], data.moment_rownnz[actuator]
        moment[data.moment_colind[start : start + count]] = data.actuator_moment.ravel()[start : start + count]
        return moment


def _joints(model: Any) -> Iterator[_Part]:
    for dof in range(model.nv):
        joint = model.dof_jntid[dof]
        stiffness, damping = float(model.jnt_stiffness[joint]), float(model.dof_damping[dof])
        if stiffness or damping:
            moment = np.zeros(model.nv)
            moment[dof] = 1.0
            yield f"joint '{model.joint(joint).name}'", moment, stiffness, damping


def _map_stiffness(spring: SpringDamper | RotationalSpringDamper) -> float:
    table = spring.force_map if isinstance(spring, SpringDamper) else None
    if table is None:
        return 0.0
    return max(steepest(tuple(zip(table.deformations, row, strict=True))) for row in table.forces)


def _map_damping(spring: SpringDamper | RotationalSpringDamper) -> float:
    table = spring.force_map if isinstance(spring, SpringDamper) else None
    if table is None:
        return 0.0
    columns = zip(*table.forces, strict=True)
    return max(steepest(tuple(zip(table.velocities, column, strict=True))) for column in columns)


_INTEGRATORS = {
    Scheme.DISCRETE: mujoco.mjtIntegrator.mjINT_DISCRETE,
    Scheme.STAGGERED: mujoco.mjtIntegrator.mjINT_DISCRETE,
    Scheme.IMPLICIT: mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    Scheme.CENTRED: mujoco.mjtIntegrator.mjINT_EULER,
}
_AT_END_OF_STEP = (Scheme.DISCRETE, Scheme.STAGGERED)
"""The schemes that evaluate forces of constraints at the end of the step."""
_EXPLICIT_DAMPING = int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)


def equality_reference(scheme: Scheme, time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of equality constraints that goes with a way of stepping."""
    return deadbeat_discrete(time_step) if scheme in _AT_END_OF_STEP else deadbeat(time_step)


def stop_reference(scheme: Scheme, time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of joints' position limits that goes with a way of stepping."""
    return joint_stop_discrete(time_step) if scheme in _AT_END_OF_STEP else joint_stop(time_step)


def apply_scheme(scheme: Scheme, spec: Any, equalities: Iterable[Any], time_step: float) -> None:
    """Set what a way of stepping needs in the engine's specification."""
    spec.option.integrator = _INTEGRATORS[scheme]
    if scheme is Scheme.CENTRED:
        spec.option.disableflags |= _EXPLICIT_DAMPING
    for equality in equalities:
        equality.solref = equality_reference(scheme, time_step)
        equality.solimp = EQUALITY_IMPEDANCE
    for joint in spec.joints:
        if joint.limited == mujoco.mjtLimited.mjLIMITED_TRUE:
            joint.solref_limit = stop_reference(scheme, time_step)


def apply_scheme_to_model(scheme: Scheme, model: Any) -> None:
    """Set what a way of stepping needs in the engine's compiled model."""
    model.opt.integrator = _INTEGRATORS[scheme]
    if scheme is Scheme.CENTRED:
        model.opt.disableflags |= _EXPLICIT_DAMPING
    model.eq_solref[:] = equality_reference(scheme, model.opt.timestep)
    model.jnt_solref[np.flatnonzero(model.jnt_limited)] = stop_reference(scheme, model.opt.timestep)
