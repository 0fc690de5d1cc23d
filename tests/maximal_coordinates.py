"""The motion of Chrono models in maximal coordinates: six velocities for each body, and constraint forces.

Nothing of the package is used: files are read by PyYAML, and the equations M·a = f + Gᵀ·λ, G·a = γ are integrated by SciPy.
The Jacobian G and the velocity terms γ are differences of the constraints. Only what the test models have is supported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

Vector = NDArray[np.float64]
Frame = Callable[["Motion"], tuple[Vector, Vector]]
"""Position and axes of a frame that is fixed in a body."""
Forces = list[tuple[str, Vector, Vector, Vector]]
"""Body, point of action, force and torque."""
_RATE = 20.0
"""Rate at which deviations from constraints decay [1/s]."""
_COLUMN, _STEP = 1e-5, 2e-3
"""Distances of differences: of a coordinate [m or rad], and in time [s]."""
FREE_ROTATIONS = {"LOCK": (), "REVOLUTE": (5,), "SPHERICAL": (3, 4, 5)}
ROWS: Mapping[str, tuple[int, ...]] = {
    "LOCK": (0, 1, 2, 3, 4, 5),
    "REVOLUTE": (0, 1, 2, 6, 7),
    "PRISMATIC": (0, 1, 3, 4, 5),
    "CYLINDRICAL": (0, 1, 6, 7),
    "SPHERICAL": (0, 1, 2),
    "POINTLINE": (0, 1),
    "POINTPLANE": (2,),
    "NONE": (),
}
"""Constrained components: of the displacement, of the rotation, and of the z axis, in the second body."""
GUIDES = {"FREE": "NONE", "SPHERICAL": "POINTLINE"}


@dataclass(frozen=True)
class Motion:
    """Positions of centres of mass, axes, velocities and angular velocities of bodies; angles of rotational springs."""

    centers: Vector
    axes: Vector
    velocities: Vector
    spins: Vector
    angles: Vector

    def moved(self, translations: Vector, rotations: Vector) -> Motion:
        turned = _turns(rotations) @ self.axes
        return Motion(self.centers + translations, turned, self.velocities, self.spins, self.angles)


@dataclass
class MaximalCoordinates:
    """A model whose bodies move in maximal coordinates.

    Args:
        text: The content of a Chrono model file with angles in radians.
        gravity: The acceleration of gravity [m/s²].
    """

    text: str
    gravity: Vector = field(default_factory=lambda: np.array([0.0, 0.0, -9.8]))

    def __post_init__(self) -> None:
        model = yaml.safe_load(self.text)["model"]
        self.constraints: list[Callable[[Motion, float], list[float]]] = []
        self.forces: list[Callable[[Motion, float], Forces]] = []
        self.rates: list[Callable[[Motion], float]] = []
        self.bodies = [item for item in model["bodies"] if not item.get("fixed")]
        self.names = [item["name"] for item in self.bodies]
        self.masses = [float(item["mass"]) for item in self.bodies]
        self.inertias = [_inertia(item["inertia"]) for item in self.bodies]
        self.origins = [np.array((item.get("com") or {}).get("location", [0, 0, 0]), float) for item in self.bodies]
        axes = np.array([_axes(item.get("orientation", [0, 0, 0])) for item in self.bodies])
        places = [np.array(item["location"], float) for item in self.bodies]
        centers = np.array([place + turn @ arm for place, turn, arm in zip(places, axes, self.origins, strict=True)])
        velocities = np.array([item.get("initial_linear_velocity", [0, 0, 0]) for item in self.bodies], float)
        spins = [item.get("initial_angular_velocity", [0, 0, 0]) for item in self.bodies]
        turned = np.array([turn @ np.array(spin, float) for turn, spin in zip(axes, spins, strict=True)])
        self.initial = Motion(centers, axes, velocities, turned, np.zeros(len(model.get("rsdas", []))))
        readers = {
            "joints": self._joint,
            "constraints": self._distance,
            "motors": self._motor,
            "tsdas": self._spring,
            "rsdas": self._rotational_spring,
            "body_loads": self._load,
        }
        for key, read in readers.items():
            for item in model.get(key, []):
                read(item)

    # Elements

    def _index(self, name: str) -> int | None:
        return self.names.index(name) if name in self.names else None

    def _frame(self, name: str, position: Any, axes: Vector) -> Frame:
        """Return a frame of a body that has a position and axes at time zero."""
        number, place = self._index(name), np.array(position, float)
        if number is None:
            return lambda motion: (place, axes)
        back = self.initial.axes[number].T
        arm, own = back @ (place - self.initial.centers[number]), back @ axes
        return lambda motion: (motion.centers[number] + motion.axes[number] @ arm, motion.axes[number] @ own)

    def _frames(self, item: Mapping[str, Any], axes: Vector) -> tuple[Frame, Frame]:
        place = item.get("location", [0, 0, 0])
        return self._frame(item["body1"], place, axes), self._frame(item["body2"], place, axes)

    def _twist(self, name: str, motion: Motion, point: Vector) -> tuple[Vector, Vector]:
        number = self._index(name)
        if number is None:
            return np.zeros(3), np.zeros(3)
        spin = motion.spins[number]
        return motion.velocities[number] + np.cross(spin, point - motion.centers[number]), spin

    def _constrain(self, kind: str, frames: tuple[Frame, Frame]) -> None:
        rows = list(ROWS[kind])

        def residuals(motion: Motion, time: float) -> list[float]:
            displacement, turn = _relative(frames, motion)
            return [float(value) for value in np.concatenate([displacement, _sine(turn), turn[:2, 2]])[rows]]

        self.constraints.append(residuals)

    def _joint(self, item: Mapping[str, Any]) -> None:
        kind = item["type"].upper().replace("_", "")
        if "bushing_data" in item:
            self._bushing(item, kind)
        elif kind == "UNIVERSAL":
            first = _unit(item["axis1"])
            second = np.array(item["axis2"], float)
            one = self._frame(item["body1"], item["location"], _axes_along(first))
            other = self._frame(item["body2"], item["location"], _axes_along(second - first * (first @ second)))

            def residuals(motion: Motion, time: float) -> list[float]:
                (place1, axes1), (place2, axes2) = one(motion), other(motion)
                return [*(place1 - place2), axes1[:, 2] @ axes2[:, 2]]

            self.constraints.append(residuals)
        else:
            axes = _axes_along(item["axis"]) if "axis" in item else np.eye(3)
            self._constrain(kind, self._frames(item, axes))

    def _distance(self, item: Mapping[str, Any]) -> None:
        ends = [self._frame(item[f"body{end}"], item[f"point{end}"], np.eye(3)) for end in (1, 2)]
        length = math.dist(item["point1"], item["point2"])
        self.constraints.append(lambda motion, time: [float(np.linalg.norm(ends[0](motion)[0] - ends[1](motion)[0])) - length])

    def _motor(self, item: Mapping[str, Any]) -> None:
        value, integral = _function(item["actuation_function"])
        frames, rotates = self._frames(item, _axes_along(item["axis"])), item["type"] == "ROTATION"
        guide = item["spindle" if rotates else "guide"]
        self._constrain(GUIDES.get(guide, guide), frames)
        if item["actuation_type"] == "FORCE":

            def forces(motion: Motion, time: float) -> Forces:
                place, along = frames[0](motion)[0], frames[1](motion)[1][:, 2] * value(time)
                force, torque = (np.zeros(3), along) if rotates else (along, np.zeros(3))
                return [(item["body1"], place, force, torque), (item["body2"], place, -force, -torque)]

            self.forces.append(forces)
            return
        target = value if item["actuation_type"] == "POSITION" else integral

        def residuals(motion: Motion, time: float) -> list[float]:
            displacement, turn = _relative(frames, motion)
            if not rotates:
                return [displacement[2] - target(time)]
            sine, cosine, wanted = turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1], target(time)
            if guide != "FREE":
                return [float(0.5 * (sine * math.cos(wanted) - cosine * math.sin(wanted)))]
            # The angle of a rotation about the axis, before or after one about another axis across it.
            return [math.sin(math.atan2(sine, cosine) - wanted)]

        self.constraints.append(residuals)

    def _spring(self, item: Mapping[str, Any]) -> None:
        ends = [self._frame(item[f"body{end}"], item[f"point{end}"], np.eye(3)) for end in (1, 2)]

        def forces(motion: Motion, time: float) -> Forces:
            first, second = ends[0](motion)[0], ends[1](motion)[0]
            length = float(np.linalg.norm(second - first))
            along = (second - first) / length
            speeds = [self._twist(item[f"body{end}"], motion, at)[0] for end, at in ((1, first), (2, second))]
            rate = (speeds[1] - speeds[0]) @ along
            force = -item["spring_coefficient"] * (length - item["free_length"]) - item["damping_coefficient"] * rate
            none = np.zeros(3)
            return [(item["body1"], first, -force * along, none), (item["body2"], second, force * along, none)]

        self.forces.append(forces)

    def _rotational_spring(self, item: Mapping[str, Any]) -> None:
        number, frame = len(self.rates), self._frames(item, _axes_along(item["axis"]))[0]

        def rate(motion: Motion) -> float:
            spins = [self._twist(item[f"body{end}"], motion, np.zeros(3))[1] for end in (1, 2)]
            return float((spins[1] - spins[0]) @ frame(motion)[1][:, 2])

        def forces(motion: Motion, time: float) -> Forces:
            torque = item.get("preload", 0.0) - item["spring_coefficient"] * (motion.angles[number] - item["free_angle"])
            along = (torque - item.get("damping_coefficient", 0.0) * rate(motion)) * frame(motion)[1][:, 2]
            none = np.zeros(3)
            return [(item["body1"], none, none, -along), (item["body2"], none, none, along)]

        self.rates.append(rate)
        self.forces.append(forces)

    def _bushing(self, item: Mapping[str, Any], kind: str) -> None:
        data, free = item["bushing_data"], FREE_ROTATIONS[kind]
        frames = self._frames(item, _axes_along(item["axis"]) if kind == "REVOLUTE" else np.eye(3))
        stiffness, damping = (
            np.array(
                [
                    (data["DOF"] if number in free else data)[f"{name}_{'linear' if number < 3 else 'rotational'}"]
                    for number in range(6)
                ],
                float,
            )
            for name in ("stiffness", "damping")
        )

        def forces(motion: Motion, time: float) -> Forces:
            (place1, _), (place2, axes2) = frames[0](motion), frames[1](motion)
            displacement, turn = _relative(frames, motion)
            (speed1, spin1), (speed2, spin2) = (
                self._twist(item["body1"], motion, place1),
                self._twist(item["body2"], motion, place2),
            )
            rate = axes2.T @ (speed1 - speed2 - np.cross(spin2, place1 - place2))
            rotation = Rotation.from_matrix(turn).as_rotvec()
            force = axes2 @ (-stiffness[:3] * displacement - damping[:3] * rate)
            torque = axes2 @ (-stiffness[3:] * rotation - damping[3:] * (axes2.T @ (spin1 - spin2)))
            return [(item["body1"], place1, force, torque), (item["body2"], place2, -force, -torque)]

        self.forces.append(forces)

    def _load(self, item: Mapping[str, Any]) -> None:
        number = self.names.index(item["body"])
        factor = _function(item["modulation_function"])[0] if "modulation_function" in item else lambda time: 1.0
        vector, point = np.array(item["load"], float), np.array(item.get("point", [0, 0, 0]), float)

        def forces(motion: Motion, time: float) -> Forces:
            along = factor(time) * (motion.axes[number] @ vector if item["local_load"] else vector)
            if item["type"] == "TORQUE":
                return [(item["body"], np.zeros(3), np.zeros(3), along)]
            place = motion.centers[number] + motion.axes[number] @ point if item["local_point"] else point
            return [(item["body"], place, along, np.zeros(3))]

        self.forces.append(forces)

    # Equations of motion

    def _residuals(self, motion: Motion, time: float) -> Vector:
        return np.array([value for one in self.constraints for value in one(motion, time)], float)

    def _jacobian(self, motion: Motion, time: float) -> Vector:
        columns = []
        for coordinate in range(6 * len(self.names)):
            change = np.zeros((len(self.names), 6))
            change.flat[coordinate] = _COLUMN
            after, before = (
                self._residuals(motion.moved(sign * change[:, :3], sign * change[:, 3:]), time) for sign in (1.0, -1.0)
            )
            columns.append((after - before) / (2.0 * _COLUMN))
        return np.array(columns).T

    def _rates_along(self, motion: Motion, time: float) -> tuple[Vector, Vector, Vector]:
        """Return the residuals, and their first and second derivatives at constant velocities."""
        values = [
            self._residuals(motion.moved(k * _STEP * motion.velocities, k * _STEP * motion.spins), time + k * _STEP)
            for k in range(-2, 3)
        ]
        first = (values[0] - 8.0 * values[1] + 8.0 * values[3] - values[4]) / (12.0 * _STEP)
        second = (-values[0] + 16.0 * values[1] - 30.0 * values[2] + 16.0 * values[3] - values[4]) / (12.0 * _STEP**2)
        return values[2], first, second

    def _inverse_mass(self, motion: Motion) -> Vector:
        count = len(self.names)
        inverse = np.zeros((6 * count, 6 * count))
        for number, (mass, inertia) in enumerate(zip(self.masses, self.inertias, strict=True)):
            first, turn = 6 * number, motion.axes[number]
            inverse[first : first + 3, first : first + 3] = np.eye(3) / mass
            inverse[first + 3 : first + 6, first + 3 : first + 6] = np.linalg.inv(turn @ inertia @ turn.T)
        return inverse

    def _applied(self, motion: Motion, time: float) -> Vector:
        applied = np.zeros((len(self.names), 6))
        for number, (mass, inertia) in enumerate(zip(self.masses, self.inertias, strict=True)):
            turn, spin = motion.axes[number], motion.spins[number]
            applied[number, :3] = mass * self.gravity
            applied[number, 3:] = -np.cross(spin, turn @ inertia @ turn.T @ spin)
        for one in self.forces:
            for body, place, force, torque in one(motion, time):
                number_or_none = self._index(body)
                if number_or_none is not None:
                    applied[number_or_none, :3] += force
                    applied[number_or_none, 3:] += torque + np.cross(place - motion.centers[number_or_none], force)
        return applied.reshape(-1)

    def _accelerations(self, motion: Motion, time: float) -> Vector:
        inverse, applied = self._inverse_mass(motion), self._applied(motion, time)
        if not self._residuals(motion, time).size:
            return (inverse @ applied).reshape(-1, 6)
        jacobian = self._jacobian(motion, time)
        residuals, first, second = self._rates_along(motion, time)
        wanted = -second - 2.0 * _RATE * first - _RATE**2 * residuals
        forces = _solve(jacobian @ inverse @ jacobian.T, wanted - jacobian @ inverse @ applied)
        return (inverse @ (applied + jacobian.T @ forces)).reshape(-1, 6)

    def _start(self) -> Motion:
        """Return the initial motion: constraints are closed, and velocities are those after an impact without rebound."""
        motion = self.initial
        for _ in range(20):
            residuals = self._residuals(motion, 0.0)
            if np.abs(residuals).max(initial=0.0) < 1e-13:
                break
            inverse, jacobian = self._inverse_mass(motion), self._jacobian(motion, 0.0)
            move = (-inverse @ jacobian.T @ _solve(jacobian @ inverse @ jacobian.T, residuals)).reshape(-1, 6)
            motion = motion.moved(move[:, :3], move[:, 3:])
        if not self._residuals(motion, 0.0).size:
            return motion
        inverse, jacobian = self._inverse_mass(motion), self._jacobian(motion, 0.0)
        rates = self._rates_along(motion, 0.0)[1]
        change = (-inverse @ jacobian.T @ _solve(jacobian @ inverse @ jacobian.T, rates)).reshape(-1, 6)
        velocities, spins = motion.velocities + change[:, :3], motion.spins + change[:, 3:]
        return Motion(motion.centers, motion.axes, velocities, spins, motion.angles)

    def _pack(self, motion: Motion) -> Vector:
        quaternions = Rotation.from_matrix(motion.axes).as_quat()
        parts = (motion.centers, quaternions, motion.velocities, motion.spins, motion.angles)
        return np.concatenate([np.ravel(part) for part in parts])

    def _unpack(self, packed: Vector) -> Motion:
        count = len(self.names)
        ends = np.cumsum([3 * count, 4 * count, 3 * count, 3 * count])
        centers, quaternions, velocities, spins, angles = np.split(packed, ends)
        axes = Rotation.from_quat(quaternions.reshape(-1, 4)).as_matrix()
        return Motion(centers.reshape(-1, 3), axes, velocities.reshape(-1, 3), spins.reshape(-1, 3), angles)

    def _derivative(self, time: float, packed: Vector) -> Vector:
        motion, count = self._unpack(packed), len(self.names)
        quaternions = packed[3 * count : 7 * count].reshape(-1, 4)  # scalar last
        vectors, scalars, spins = quaternions[:, :3], quaternions[:, 3:], motion.spins
        turning = 0.5 * np.column_stack([scalars * spins + np.cross(spins, vectors), -(spins * vectors).sum(axis=1)])
        accelerations = self._accelerations(motion, time)
        rates = np.array([rate(motion) for rate in self.rates])
        parts = (motion.velocities, turning, accelerations[:, :3], accelerations[:, 3:], rates)
        return np.concatenate([np.ravel(part) for part in parts])

    def positions(self, time: float) -> dict[str, Vector]:
        """Return the positions of the bodies' frames at a time [m]."""
        start = self._pack(self._start())
        solution = solve_ivp(self._derivative, (0.0, time), start, method="DOP853", rtol=1e-8, atol=1e-9)
        assert solution.success, solution.message
        motion = self._unpack(solution.y[:, -1])
        places = motion.centers - (motion.axes @ np.array(self.origins)[..., None])[..., 0]
        return dict(zip(self.names, places, strict=True))


def _relative(frames: tuple[Frame, Frame], motion: Motion) -> tuple[Vector, Vector]:
    """Return the displacement and the rotation of the first frame in the second one."""
    (place1, axes1), (place2, axes2) = frames[0](motion), frames[1](motion)
    return axes2.T @ (place1 - place2), axes2.T @ axes1


def _turns(vectors: Vector) -> Vector:
    """Return the matrices of rotation vectors, shape (n, 3, 3), by the formula of Rodrigues."""
    angles = np.sqrt((vectors * vectors).sum(axis=1))[:, None, None]
    across = np.zeros((len(vectors), 3, 3))
    for component, (row, column) in enumerate(((2, 1), (0, 2), (1, 0))):
        across[:, row, column], across[:, column, row] = vectors[:, component], -vectors[:, component]
    half = np.sinc(0.5 * angles / math.pi)
    return np.eye(3) + np.sinc(angles / math.pi) * across + 0.5 * half * half * (across @ across)


def _sine(turn: Vector) -> Vector:
    """Return the axis of a rotation, times the sine of its angle."""
    return 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])


def _solve(matrix: Vector, right: Vector) -> Vector:
    """Return the smallest solution: constraints may be redundant."""
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=1e-9)[0])


def _unit(vector: Any) -> Vector:
    values = np.array(vector, float)
    return values / np.linalg.norm(values)


def _axes_along(axis: Any) -> Vector:
    """Return axes whose third one is along an axis."""
    z = _unit(axis)
    x = _unit(np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.8 else [1.0, 0.0, 0.0], z))
    return np.column_stack([x, np.cross(z, x), z])


def _axes(orientation: list[float]) -> Vector:
    """Return the axes of a body from its rotations about z, y and x, each in the frame that the one before has turned."""
    return np.asarray(Rotation.from_euler("ZYX", orientation).as_matrix())


def _inertia(item: Mapping[str, Any]) -> Vector:
    xy, xz, yz = item.get("products", (0.0, 0.0, 0.0))
    x, y, z = item["moments"]
    return np.array([[x, xy, xz], [xy, y, yz], [xz, yz, z]], float)


def _function(item: Mapping[str, Any]) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Return a function of time and its integral from zero on."""
    polynomial = np.polynomial.Polynomial
    match item["type"]:
        case "SINE":
            omega, phase = math.tau * item["frequency"], item["phase"]
            amplitude, shift = item["amplitude"], item["shift"]
            return (
                lambda time: amplitude * math.sin(omega * time + phase) + shift,
                lambda time: shift * time - amplitude / omega * (math.cos(omega * time + phase) - math.cos(phase)),
            )
        case "RAMP":
            value = polynomial([item["intercept"], item["slope"]])
        case "CONSTANT":
            value = polynomial([item["value"]])
        case _:
            value = polynomial(item["coefficients"])
    integral = value.integ()
    return (lambda time: float(value(time))), (lambda time: float(integral(time)))
