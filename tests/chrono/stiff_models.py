"""Models that strain an integrator, with results of independent ones: tops, a governor, a car's corner, stops, a squeezer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp

from chrono.models import GROUND, read, text
from ossature.diagnostics import Report
from ossature.model import STOP_CURVE, World

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

GRAVITY = 9.81


def _integrated(
    rates: Callable[[float, Vector], Any], start: Any, times: Vector, method: str = "DOP853", **options: Any
) -> Vector:
    """Return the states at times, one in each row, by an integrator of SciPy."""
    settings = {"rtol": 1e-11, "atol": 1e-12} | options
    return np.asarray(solve_ivp(rates, (0.0, times[-1]), start, method=method, t_eval=times, **settings).y.T)


def _with_gravity(world: World, z: float) -> World:
    return replace(world, gravity=(0.0, 0.0, z))


# A heavy symmetric top


@dataclass(frozen=True)
class Top:
    """A heavy symmetric top on a ball joint at the origin.

    Attributes:
        spin: Angular velocity about its axis at the start [rad/s].
        axial: Moment of inertia about its axis [kg·m²].
        transverse: Moment of inertia across it, about the centre of mass [kg·m²].
        mass: Its mass [kg].
        height: Of the centre of mass above the origin [m].
        tilt: Angle of the axis to the vertical at the start [rad].
    """

    spin: float
    axial: float = 0.002
    transverse: float = 0.0015
    mass: float = 1.0
    height: float = 0.1
    tilt: float = 0.6

    def world(self) -> World:
        """Return it as a Chrono model."""
        top = (
            f"    - {{name: top, location: [0, 0, 0], orientation: [{math.cos(self.tilt / 2)}, {math.sin(self.tilt / 2)}, "
            f"0, 0], mass: {self.mass}, com: {{location: [0, 0, {self.height}]}}, "
            f"inertia: {{moments: [{self.transverse}, {self.transverse}, {self.axial}]}}, "
            f"initial_angular_velocity: [0, 0, {self.spin}], initial_linear_velocity: [0, 0, 0]}}"
        )
        pivot = "- {name: pivot, type: SPHERICAL, body1: top, body2: ground, location: [0, 0, 0]}"
        return _with_gravity(read(text(GROUND, top, joints=pivot), Report()), -GRAVITY)

    def axis(self, times: Vector) -> Vector:
        """Return the places of the centre of mass at times [s], shape (times, 3) [m], from Euler's equations."""
        across = self.transverse + self.mass * self.height**2
        weight = self.mass * GRAVITY * self.height

        def rates(_: float, y: Vector) -> list[float]:
            w, x, yy, z, p, q, r = y.tolist()
            # The torque of the weight in axes of the body: the axis (0, 0, 1) times the direction of gravity there.
            torque = 2 * weight * (yy * z + w * x), -2 * weight * (x * z - w * yy)
            return [
                0.5 * (-x * p - yy * q - z * r),
                0.5 * (w * p + yy * r - z * q),
                0.5 * (w * q - x * r + z * p),
                0.5 * (w * r + x * q - yy * p),
                (torque[0] - (self.axial - across) * q * r) / across,
                (torque[1] - (across - self.axial) * p * r) / across,
                0.0,
            ]

        start = [math.cos(self.tilt / 2), math.sin(self.tilt / 2), 0.0, 0.0, 0.0, 0.0, self.spin]
        w, x, y, z = _integrated(rates, start, times)[:, :4].T
        return self.height * np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)


# A flyball governor whose links are stiff spring-dampers


@dataclass(frozen=True)
class Governor:
    """Two arms with balls on a turning shaft, and a sleeve that stiff spring-dampers couple to the arms."""

    stiffness: float = 8e5
    damping: float = 4e4
    arm_moment: float = 5.3
    arm_mass: float = 6.0
    arm_centre: float = 0.9
    long_moment: float = 0.01
    sleeve: float = 3.0
    shaft_moment: float = 0.1
    half: float = 0.5
    angle: float = math.pi / 6
    speed: float = 2 * math.pi

    def world(self) -> World:
        """Return it as a Chrono model."""
        about_centre = self.arm_moment - self.arm_mass * self.arm_centre**2
        lines = [
            GROUND,
            f"    - {{name: shaft, location: [0, 0, 0], mass: 1, inertia: {{moments: [1, 1, {self.shaft_moment}]}}, "
            f"initial_angular_velocity: [0, 0, {self.speed}]}}",
        ]
        low = -2 * self.half * math.cos(self.angle)
        lines.append(
            f"    - {{name: sleeve, location: [0, 0, {low}], mass: {self.sleeve}, inertia: {{moments: [0.01, 0.01, 1.0e-6]}}, "
            f"initial_angular_velocity: [0, 0, {self.speed}]}}"
        )
        joints = [
            "- {name: shaft, type: REVOLUTE, body1: shaft, body2: ground, location: [0, 0, 0], axis: [0, 0, 1]}",
            f"- {{name: sleeve, type: PRISMATIC, body1: sleeve, body2: shaft, location: [0, 0, {low}], axis: [0, 0, 1]}}",
        ]
        springs = []
        for name, sign in (("left", -1), ("right", 1)):
            x, z = sign * math.sin(self.angle), -math.cos(self.angle)
            tilt = -sign * self.angle  # turns -z into the arm's direction
            # The shaft's angular velocity in axes of the arm.
            spin = [-math.sin(tilt) * self.speed, 0.0, math.cos(tilt) * self.speed]
            fast = self.speed * x * self.arm_centre
            lines.append(
                f"    - {{name: {name}, location: [0, 0, 0], orientation: [{math.cos(tilt / 2)}, 0, {math.sin(tilt / 2)}, 0], "
                f"mass: {self.arm_mass}, com: {{location: [0, 0, {-self.arm_centre}]}}, "
                f"inertia: {{moments: [{about_centre}, {about_centre}, {self.long_moment}]}}, "
                f"initial_angular_velocity: {spin}, initial_linear_velocity: [0, {fast}, 0]}}"
            )
            joints.append(
                f"- {{name: {name}, type: REVOLUTE, body1: {name}, body2: shaft, location: [0, 0, 0], axis: [0, 1, 0]}}"
            )
            springs.append(
                f"- {{name: link_{name}, type: TSDA, body1: {name}, body2: sleeve, point1: [{self.half * x}, 0, "
                f"{self.half * z}], point2: [0, 0, {low}], free_length: {self.half}, spring_coefficient: {self.stiffness}, "
                f"damping_coefficient: {self.damping}}}"
            )
        content = text(*lines, joints="\n".join(joints), tsdas="\n".join(springs))
        return _with_gravity(read(content, Report()), -GRAVITY)

    def sleeve_height(self, times: Vector) -> Vector:
        """Return the heights of the sleeve at times [s], shape (times, 1) [m], from Lagrange's equations."""

        def rates(_: float, y: Vector) -> list[float]:
            a, z, da, dz, momentum = y
            s, c = math.sin(a), math.cos(a)
            turning = self.shaft_moment + 1e-6 + 2 * (self.arm_moment * s * s + self.long_moment * c * c)
            turn = momentum / turning
            dx, dy = self.half * s, -self.half * c - z
            length = math.hypot(dx, dy)
            by_angle = (dx * self.half * c + dy * self.half * s) / length
            by_height = -dy / length
            rate = by_angle * da + by_height * dz
            force = -self.stiffness * (length - self.half) - self.damping * rate
            twist = (self.arm_moment - self.long_moment) * s * c * turn**2
            fall = -self.arm_mass * GRAVITY * self.arm_centre * s
            return [
                da,
                dz,
                (twist + fall + force * by_angle) / self.arm_moment,
                2 * force * by_height / self.sleeve - GRAVITY,
                0.0,
            ]

        s, c = math.sin(self.angle), math.cos(self.angle)
        turning = self.shaft_moment + 1e-6 + 2 * (self.arm_moment * s * s + self.long_moment * c * c)
        start = [self.angle, -2 * self.half * c, 0.0, 0.0, turning * self.speed]
        method = "Radau" if self.damping > 1e3 else "DOP853"
        return _integrated(rates, start, times, method, rtol=1e-9, atol=1e-10)[:, 1:2]


# The corner of a car on stiff bushings


def quarter_car(stiffness: float = 5e6, damping: float = 500.0) -> World:
    """Return a sprung mass, two arms on bushings, a wheel carrier, a strut and a tyre, 20 mm too high."""

    def arm(name: str, z: float) -> str:
        return f"    - {{name: {name}, location: [0.2, 0, {z}], mass: 4, inertia: {{moments: [0.01, 0.06, 0.06]}}}}"

    bodies = [
        GROUND,
        "    - {name: chassis, location: [0, 0, 0.5], mass: 300, inertia: {moments: [10, 10, 10]}}",
        "    - {name: carrier, location: [0.4, 0, 0.42], mass: 35, inertia: {moments: [0.8, 0.8, 0.8]}}",
        arm("lower", 0.32),
        arm("upper", 0.52),
    ]
    joints = [
        "- {name: rail, type: PRISMATIC, body1: chassis, body2: ground, location: [0, 0, 0.5], axis: [0, 0, 1]}",
        "- {name: low_ball, type: REVOLUTE, body1: carrier, body2: lower, location: [0.4, 0, 0.32], axis: [0, 1, 0]}",
        "- {name: high_ball, type: REVOLUTE, body1: carrier, body2: upper, location: [0.4, 0, 0.52], axis: [0, 1, 0]}",
    ]
    data = (
        f"bushing_data: {{stiffness_linear: {stiffness}, damping_linear: {damping}, "
        f"stiffness_rotational: 100, damping_rotational: 0.5}}"
    )
    for name, z in (("lower", 0.32), ("upper", 0.52)):
        joints.append(f"- {{name: bush_{name}, type: LOCK, body1: {name}, body2: chassis, location: [0, 0, {z}], {data}}}")
    springs = [
        "- {name: strut, type: TSDA, body1: chassis, body2: lower, point1: [0.15, 0, 0.75], point2: [0.3, 0, 0.32], "
        "free_length: 0.56, spring_coefficient: 40000, damping_coefficient: 2000}",
        "- {name: tyre, type: TSDA, body1: ground, body2: carrier, point1: [0.4, 0, 0], point2: [0.4, 0, 0.42], "
        "free_length: 0.43, spring_coefficient: 200000, damping_coefficient: 100}",
    ]
    world = read(text(*bodies, joints="\n".join(joints), tsdas="\n".join(springs)), Report())
    return _with_gravity(world, -GRAVITY)


# Bodies between stops without damping


@dataclass(frozen=True)
class Stops:
    """Two bodies on a rail, which hard stops without damping throw to and fro."""

    speed: float = 5.0
    masses: tuple[float, float] = (1.0, 2.0)
    stiffness: float = 20.0
    wall: tuple[float, float] = (0.8, 1.2)
    between: tuple[float, float] = (0.4, 0.6)

    def world(self) -> World:
        """Return it as a Chrono model."""
        first, second = self.masses
        bodies = [
            GROUND,
            f"    - {{name: a, location: [1, 0, 0], mass: {first}, inertia: {{moments: [0.1, 0.1, 0.1]}}, "
            f"initial_linear_velocity: [{self.speed}, 0, 0]}}",
            f"    - {{name: b, location: [1.5, 0, 0], mass: {second}, inertia: {{moments: [0.1, 0.1, 0.1]}}}}",
        ]
        joints = [
            f"- {{name: rail_{n}, type: PRISMATIC, body1: {n}, body2: ground, location: [{x}, 0, 0], axis: [1, 0, 0]}}"
            for n, x in (("a", 1), ("b", 1.5))
        ]
        springs = [
            f"- {{name: wall, type: TSDA, body1: ground, body2: a, point1: [0, 0, 0], point2: [1, 0, 0], free_length: 1, "
            f"spring_coefficient: {self.stiffness}, minimum_length: {self.wall[0]}, maximum_length: {self.wall[1]}}}",
            f"- {{name: gap, type: TSDA, body1: a, body2: b, point1: [1, 0, 0], point2: [1.5, 0, 0], free_length: 0.5, "
            f"spring_coefficient: {self.stiffness}, minimum_length: {self.between[0]}, maximum_length: {self.between[1]}}}",
        ]
        return _with_gravity(read(text(*bodies, joints="\n".join(joints), tsdas="\n".join(springs)), Report()), 0.0)

    def places(self, times: Vector) -> Vector:
        """Return the places of both bodies at times [s], shape (times, 2) [m]."""
        xs, ys = np.array(STOP_CURVE).T

        def stop(length: float, limits: tuple[float, float]) -> float:
            if length < limits[0]:
                return float(np.interp(limits[0] - length, xs, ys))
            return -float(np.interp(length - limits[1], xs, ys)) if length > limits[1] else 0.0

        def rates(_: float, y: Vector) -> list[float]:
            a, b, da, db = y
            wall = -self.stiffness * (a - 1.0) + stop(a, self.wall)
            gap = -self.stiffness * (b - a - 0.5) + stop(b - a, self.between)
            return [da, db, (wall - gap) / self.masses[0], gap / self.masses[1]]

        return _integrated(rates, [1.0, 1.5, self.speed, 0.0], times, max_step=2e-4, rtol=1e-8, atol=1e-10)[:, :2]


# Andrews' squeezing mechanism

SQUEEZER_AT_30_MS = {
    "beta": 15.81077119629904,
    "gamma": 0.04082224013073101,
    "delta": 0.5244099658805304,
    "epsilon": 1.048080741042263,
}
"""Angles of its bodies at 30 ms [rad], from the Test Set for IVP Solvers (Mazzia and Magherini)."""


def squeezer() -> World:
    """Return Andrews' squeezing mechanism, with the data of the Test Set for IVP Solvers, in the plane x, y."""
    beta, theta, gamma, phi = -0.06171389001427645, 0.0, 0.45527981916307038, 0.22266839016588588
    delta, omega, epsilon = 0.48736497954384255, -0.22266839016588588, 1.23054744454982119
    a, b, c = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])

    def at(angle: float) -> Vector:
        return np.array([math.cos(angle), math.sin(angle)])

    f = 0.007 * at(beta)
    e = f - 0.028 * at(beta + theta)
    g, h = a + 0.04 * at(delta), a + 0.04 * np.array([math.sin(epsilon), -math.cos(epsilon)])
    g_to_e = np.array([math.sin(phi + delta), -math.cos(phi + delta)])
    centres = {
        "k1": (0.00092 * at(beta), beta, 0.04325, 2.194e-6),
        "k2": (f - 0.0115 * at(beta + theta), beta + theta, 0.00365, 4.410e-7),
        "k3": (b + 0.01874 * np.array([math.sin(gamma), -math.cos(gamma)]) + 0.01043 * at(gamma), gamma, 0.02373, 5.255e-6),
        "k4": (g + (0.02 - 0.01421) * g_to_e, phi + delta, 0.00706, 5.667e-7),
        "k5": (a + 0.02308 * at(delta) + 0.00916 * np.array([-math.sin(delta), math.cos(delta)]), delta, 0.07050, 1.169e-5),
        "k6": (h + (0.02 - 0.01421) * at(omega + epsilon), omega + epsilon, 0.00706, 5.667e-7),
        "k7": (
            a + 0.01228 * np.array([math.sin(epsilon), -math.cos(epsilon)]) + 0.00449 * at(epsilon),
            epsilon,
            0.05498,
            1.912e-5,
        ),
    }
    lines = [
        f"    - {{name: {name}, location: [{p[0]}, {p[1]}, 0], orientation: [{math.cos(turn / 2)}, 0, 0, "
        f"{math.sin(turn / 2)}], mass: {mass}, inertia: {{moments: [{moment}, {moment}, {moment}]}}}}"
        for name, (p, turn, mass, moment) in centres.items()
    ]
    pins = [("k1", "ground", np.zeros(2)), ("k2", "k1", f), ("k3", "ground", b), ("k5", "ground", a), ("k7", "ground", a)]
    pins += [("k3", "k2", e), ("k4", "k5", g), ("k6", "k7", h), ("k4", "k2", e), ("k6", "k2", e)]
    joints = [
        f"- {{name: {one}_{other}, type: REVOLUTE, body1: {one}, body2: {other}, location: [{p[0]}, {p[1]}, 0], "
        "axis: [0, 0, 1]}"
        for one, other, p in pins
    ]
    d = b + 0.018 * np.array([math.sin(gamma), -math.cos(gamma)]) + 0.02 * at(gamma)
    spring = (
        f"- {{name: spring, type: TSDA, body1: k3, body2: ground, point1: [{d[0]}, {d[1]}, 0], point2: [{c[0]}, {c[1]}, 0], "
        "free_length: 0.07785, spring_coefficient: 4530}"
    )
    drive = "- {name: drive, type: TORQUE, body: k1, load: [0, 0, 0.033], local_load: false}"
    return _with_gravity(read(text(GROUND, *lines, joints="\n".join(joints), tsdas=spring, body_loads=drive), Report()), 0.0)
