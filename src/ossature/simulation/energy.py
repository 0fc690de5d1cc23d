"""Potential and kinetic energy of a simulated World."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from ossature.model import STOP_CURVE, SpringDamper
from ossature.model.force import Curve
from ossature.simulation.compiling.elements import BuiltSpring, Elements


def energy_of(model: Any, data: Any, elements: Elements) -> tuple[float, float]:
    """Return potential energy (of gravity, springs, bushings and preloads) and kinetic energy [J].

    Springs of ball and free joints count as far as the engine has them: without rest positions, with the stiffness that all
    turns share. What is beyond that has no potential in general, and neither have maps over velocity and deformation.
    """
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    # The engine counts the weight of bodies that it keeps from falling, too.
    weight_taken = (model.body_gravcomp * model.body_mass) @ (data.xipos @ model.opt.gravity)
    stored = sum(_of_spring(built, data) for built in elements.springs) + _of_bushings(elements, data)
    return float(data.energy[0] + weight_taken + stored), float(data.energy[1])


def _of_spring(built: BuiltSpring, data: Any) -> float:
    spring = built.spring
    length = float(data.actuator_length[built.actuator.id]) - built.offset
    deformation = length - built.free
    stored = 0.5 * spring.stiffness * deformation**2 - spring.preload * length
    stored += _under(spring.spring_curve, deformation)
    if isinstance(spring, SpringDamper) and spring.length_range is not None:
        lower, upper = spring.length_range
        stored += _under(STOP_CURVE, max(lower - length, length - upper, 0.0))
    return stored


def _of_bushings(elements: Elements, data: Any) -> float:
    return sum(
        0.5 * built.bushing.stiffness[component] * float(data.actuator_length[actuator.id]) ** 2
        for built in elements.bushings
        for component, actuator in built.actuators.items()
    )


def _under(curve: Curve, x: float) -> float:
    """Return the area under a curve from zero to an argument."""
    if not curve:
        return 0.0
    xs, ys = np.array(curve).T
    inner = xs[(xs > min(x, 0.0)) & (xs < max(x, 0.0))]
    places = np.sort(np.concatenate([[0.0, x], inner]))
    area = float(np.trapezoid(np.interp(places, xs, ys), places))
    return area if x >= 0.0 else -area
