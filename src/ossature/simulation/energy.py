"""Potential and kinetic energy of a simulated World."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import mujoco
import numpy as np

from ossature.array_types import Array, Int32Array
from ossature.model import STOP_CURVE, Floating, SpringDamper
from ossature.model.force_element import Curve
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.coordinate_mapping import read_positions
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.force_elements import CompiledBushing, CompiledSpring
from ossature.simulation.compile.joints import is_displaced_free_joint

if TYPE_CHECKING:
    from ossature.simulation.stepping.engine_inputs import Inputs


class EnergyMeter:
    """Computes the energy of a World in the state of the engine's data, without side effects on later steps.

    Potential energy is that of gravity (zero for a body in the world's origin), of springs of joints, spring-dampers, bushings
    and preloads. Kinetic energy is that of all moving bodies and of the rotors of motors.

    Springs of ball joints, and of the rotation of free joints, are included as far as the engine supports them: without rest
    positions, and with the stiffness that all axes have in common. Other ones have no potential in general, nor have springs of
    free joints whose frame is displaced in the body, and force maps over velocity and deformation. Energy stored in compliant
    contacts and constraints is not included.

    Args:
        inputs: The inputs of each step; they unwrap the angles of rotational springs.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData, inputs: Inputs) -> None:
        self._model, self._data, self._inputs = compiled.model, data, inputs
        self._elements = compiled.elements
        self._has_forces = bool(self._elements.springs or self._elements.bushings)
        self._sliding, self._nonconservative, self._auxiliary_dofs = compiled.shared_results.get(_find_parts, compiled, None)
        # The engine includes the weight of bodies with gravity compensation.
        compensated = compiled.model.body_gravcomp * compiled.model.body_mass
        self._compensated_mass = compensated if compensated.any() else None

    def energy(self) -> tuple[float, float]:
        """Return potential and kinetic energy [J]; poses and velocities of bodies must be up to date."""
        model, data = self._model, self._data
        mujoco.mj_makeM(model, data)
        if model.ntendon:
            mujoco.mj_tendon(model, data)
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        potential, kinetic = data.energy.tolist()
        if self._compensated_mass is not None:
            potential += float(self._compensated_mass @ (data.xipos @ model.opt.gravity))
        if self._has_forces:
            mujoco.mj_transmission(model, data)
            potential += sum(map(self._spring_energy, self._elements.springs))
            potential += sum(map(self._bushing_energy, self._elements.bushings))
        if self._sliding:
            potential += sum(_sliding_spring_energy(index, data.qpos) for index in self._sliding)
        return potential, kinetic - self.auxiliary_part()

    def auxiliary_part(self) -> float:
        """Return the kinetic energy of inertia that the World does not have [J]; the motors that accelerate it do work."""
        dofs = self._auxiliary_dofs
        return 0.5 * float(self._model.dof_armature[dofs] @ self._data.qvel[dofs] ** 2) if dofs.size else 0.0

    def nonconservative_part(self) -> float:
        """Return the part of the potential energy just computed whose force is counted as work in the energy balance.

        It is that of elements without a potential, see :func:`has_potential`, and of the springs that drives apply.
        """
        springs, bushings = self._nonconservative
        if not (springs or bushings or self._sliding):
            return 0.0
        stored = sum(map(self._spring_energy, springs)) + sum(map(self._bushing_energy, bushings))
        return stored + sum(_sliding_spring_energy(index, self._data.qpos) for index in self._sliding)

    def _spring_energy(self, built: CompiledSpring) -> float:
        spring = built.spring
        length = self._inputs.element_forces.length(built)
        deformation = length - built.free
        stored = 0.5 * spring.stiffness * _square(deformation) - spring.preload * length
        stored += _area_under(spring.spring_curve, deformation)
        if isinstance(spring, SpringDamper) and spring.length_range is not None:
            lower, upper = spring.length_range
            stored += _area_under(STOP_CURVE, max(lower - length, length - upper, 0.0))
        return stored

    def _bushing_energy(self, built: CompiledBushing) -> float:
        lengths = self._data.actuator_length
        return sum(
            0.5 * built.bushing.stiffness[component] * _square(float(lengths[actuator.id]))
            for component, actuator in built.actuators.items()
        )


class _Parts(NamedTuple):
    """The parts of the energy of a World besides those that the engine computes, and that of its elements.

    Attributes:
        sliding: The free joints with translational springs that have a potential; the engine does not support them.
        nonconservative: The spring-dampers and bushings without a potential.
        auxiliary_dofs: The degrees of freedom with inertia that the World does not have.
    """

    sliding: Sequence[JointAddress]
    nonconservative: tuple[Sequence[CompiledSpring], Sequence[CompiledBushing]]
    auxiliary_dofs: Int32Array


def _find_parts(compiled: EngineModel, _: None) -> _Parts:
    model, elements = compiled.model, compiled.elements
    springs = [built for built in elements.springs if not has_potential(built, model)]
    bushings = [built for built in elements.bushings if not has_potential(built, model)]
    driven = [motor.joint.id for motor in elements.motors if motor.has_auxiliary_inertia and motor.joint is not None]
    return _Parts(list(_sliding_springs(compiled)), (springs, bushings), model.jnt_dofadr[driven])


def has_potential(built: CompiledSpring | CompiledBushing, model: mujoco.MjModel) -> bool:
    """Whether the elastic force of an element has a potential.

    A force map over velocity and deformation has none in general, nor has the angle of two bodies about an axis about which no
    hinge joins them: the component of their rotation vector. The force of a bushing acts at a point of each body; with an
    anisotropic translational stiffness in a frame that rotates with a body, it has none either.
    """
    if isinstance(built, CompiledBushing):
        carrier = int(model.site_bodyid[built.reference.id])
        return not model.body_weldid[carrier] or len(set(built.bushing.stiffness[:3])) == 1
    return not (built.wraps or (isinstance(built.spring, SpringDamper) and built.spring.force_map))


def _sliding_springs(compiled: EngineModel) -> Iterator[JointAddress]:
    for index in compiled.index.all_joints():
        is_free = index.layout is JointLayout.STACK and isinstance(index.joint.type, Floating)
        is_free &= not is_displaced_free_joint(index.joint)
        if is_free and any(coordinate.stiffness for coordinate in index.joint.coordinates[3:]):
            yield index


def _sliding_spring_energy(index: JointAddress, qpos: Array) -> float:
    sliding = zip(read_positions(index, qpos)[3:], index.joint.coordinates[3:], strict=True)
    return sum(0.5 * coordinate.stiffness * _square(position - coordinate.spring_reference) for position, coordinate in sliding)


def _square(x: float) -> float:
    """Return x²; infinite if it overflows, while Python's power raises an exception."""
    return x * x


def _area_under(curve: Curve, x: float) -> float:
    """Return the integral of a curve from zero to an argument."""
    if not curve:
        return 0.0
    xs, ys = np.array(curve).T
    inner = xs[(xs > min(x, 0.0)) & (xs < max(x, 0.0))]
    knots = np.sort(np.concatenate([[0.0, x], inner]))
    values = np.interp(knots, xs, ys)
    area = float((np.diff(knots) * (values[1:] + values[:-1]) / 2.0).sum())  # np.trapezoid needs NumPy 2
    return area if x >= 0.0 else -area
