"""Forces of springs, bushings and loads that depend on the state: they are computed in the middle of a step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.model import SpringDamper
from ossature.simulation.compile.force_elements import CompiledBushing, CompiledMoment, CompiledSpring, Elements
from ossature.simulation.compile.force_laws import Law, Term, make_law, stop_correction, stop_energy, stop_stiffness
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.motor_and_load_inputs import LoadInput
from ossature.simulation.stepping.nonlinear_spring import NonlinearSpring, unwrap_angle, wrap_correction
from ossature.spatial import Pose

if TYPE_CHECKING:
    import mujoco

_LARGEST_BUSHING_ANGLE_RAD = math.radians(10.0)
"""Rotation above which the force law of a bushing is not valid."""
_LARGEST_TILT_RAD = math.radians(10.0)
"""Angle between the axes of a rotational spring on its two bodies above which its law is not valid."""
_STOP_RESOLUTION = 4.0
"""Steps per radian of the oscillation of a body against a hard stop."""

_MAX_PARTS = 1000


@dataclass(frozen=True, slots=True)
class DampedBushing:
    """Damping of a bushing on a moving second body, and views of the axes and the angular velocity of its frame.

    ``ancestor_spin`` is the angular velocity of the last common ancestor of both bodies, or None without one that moves: the
    engine's rates are those that an observer on it sees.
    """

    actuators: list[int | None]
    damping: tuple[float, ...]
    axes: Vector
    spin: Vector
    ancestor_spin: Vector | None


class _Moment:
    """A torque that depends on forces between two sites: see :class:`CompiledMoment`.

    Args:
        built: The torque in the engine.
    """

    def __init__(self, built: CompiledMoment, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._data = data
        self._sites = (built.first.id, built.second.id)
        self._actuators = [actuator.id for actuator in built.actuators]
        self._frame = data.site_xmat[built.second.id].reshape(3, 3)
        self._axes = data.site_xmat[built.axes.id].reshape(3, 3)
        self._forces = [actuator.id for actuator in built.forces.values()]
        self._along = np.array([np.eye(3)[axis] for axis in built.forces])
        self._law = model.actuator_biasprm[self._forces, :3].copy()
        self._factor = built.factor

    def update(self) -> None:
        """Set the torque, from the lengths, rates and controls of the forces."""
        data, forces = self._data, self._forces
        constant, stiffness, damping = self._law.T
        forces_along_axes = (
            data.ctrl[forces] + constant + stiffness * data.actuator_length[forces] + damping * data.actuator_velocity[forces]
        )
        first, second = self._sites
        (x, y, z), (a, b, c) = (
            (data.site_xpos[first] - data.site_xpos[second]).tolist(),
            (self._frame @ (forces_along_axes @ self._along)).tolist(),
        )
        moment = (y * c - z * b, z * a - x * c, x * b - y * a)
        data.ctrl[self._actuators] = self._factor * (moment @ self._axes)


class ElementForces:
    """Forces of elements that their actuators do not compute.

    Attributes:
        springs: The spring-dampers with a law that their actuators do not have.
        damped_bushings: The damping of bushings on moving bodies.
        fixed_point_forces: The forces [N], in axes of the world, of loads at points fixed in the world, as last applied.
        bodies_with_world_fixed_loads: The engine's indices of bodies with such loads.
        has_bushings: Whether there are bushings.
        has_stops: Whether a spring has hard stops.
        has_state: Whether revolutions are counted from step to step.
        are_compiled: Whether the compiled loop has all of them.
    """

    def __init__(self, elements: Elements, loads: Sequence[LoadInput], model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data, self._ctrl = model, data, data.ctrl
        self._lengths, self._rates = data.actuator_length, data.actuator_velocity
        self.springs = [
            self._make_spring(built, terms, law)
            for built in elements.springs
            if (law := make_law(terms := built.terms())) is not None
        ]
        self._plain_springs = [(s.actuator, s.law, s.offset) for s in self.springs if not s.wraps]
        self._wrapping_springs = [s for s in self.springs if s.wraps]
        self._unwrapped_springs = [built for built in elements.springs if built.wraps]
        self._sites = model.actuator_trnid[[built.actuator.id for built in self._unwrapped_springs]].reshape(-1, 2)
        self._stop_springs = [
            s for s in self.springs if isinstance(s.spring, SpringDamper) and s.spring.length_range is not None
        ]
        self.damped_bushings = [
            self._make_damped_bushing(built) for built in elements.bushings if built.turning_frame is not None
        ]
        self._bushings = elements.bushings
        self._moments = [_Moment(built, model, data) for built in elements.moments]
        self._fixed_point_loads = [load for load in loads if not load.built.actuators]
        self.fixed_point_forces: dict[tuple[str, str], Vector] = {}
        self.bodies_with_world_fixed_loads = frozenset([load.built.body.id for load in self._fixed_point_loads])
        self.has_bushings, self.has_stops = bool(self._bushings), bool(self._stop_springs)
        self.has_state = bool(self._wrapping_springs)
        self.are_compiled = not (self._moments or self._fixed_point_loads)

    def __bool__(self) -> bool:
        return bool(self.springs or self.damped_bushings or self._moments or self._fixed_point_loads)

    def _make_spring(self, built: CompiledSpring, terms: Sequence[Term], law: Law) -> NonlinearSpring:
        actuator = built.actuator.id
        inverse_mass = 0.0 if built.tendon is None else float(self._model.tendon_invweight0[built.tendon.id])
        return NonlinearSpring(actuator, tuple(terms), law, built.spring, built.wraps, built.offset, inverse_mass)

    def _make_damped_bushing(self, built: CompiledBushing) -> DampedBushing:
        assert built.turning_frame is not None  # noqa: S101  # checked by the caller
        actuators = [built.actuators[axis].id if axis in built.actuators else None for axis in range(3)]
        return DampedBushing(
            actuators=actuators,
            damping=built.bushing.damping[:3],
            axes=self._data.site_xmat[built.reference.id].reshape(3, 3),
            spin=self._data.cvel[built.turning_frame.id, :3],
            ancestor_spin=None if built.common_ancestor is None else self._data.cvel[built.common_ancestor.id, :3],
        )

    def get_state(self) -> ComponentState:
        """Return the counted revolutions of springs."""
        return {"turns": np.array([spring.turns for spring in self.springs]).reshape(-1)} if self.springs else {}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        turns = saved_state["turns"].reshape(-1, 2) if self.springs else ()
        for spring, each in zip(self.springs, turns, strict=True):
            spring.turns[:] = each

    def length(self, built: CompiledSpring) -> float:
        """Return the present length [m] or angle [rad] of a spring-damper, with whole revolutions counted."""
        length = float(self._lengths[built.actuator.id]) - built.offset
        if not built.wraps:
            return length
        spring = next(spring for spring in self._wrapping_springs if spring.spring is built.spring)
        revolutions, last = spring.turns.tolist()
        return float(length + revolutions + wrap_correction(length - last))

    def compute(self, time: float, span: float = 0.0) -> None:
        """Compute the forces from the present lengths and rates, and write them into the engine.

        Args:
            time: The present time [s].
            span: Interval, centred at the present time, over which the force of hard stops is averaged [s].
        """
        if self.springs:
            lengths, rates, ctrl = self._lengths.tolist(), self._rates.tolist(), self._ctrl
            for actuator, law, offset in self._plain_springs:
                ctrl[actuator] = law(lengths[actuator] - offset, rates[actuator])
            for spring in self._wrapping_springs:
                ctrl[spring.actuator] = spring.law(unwrap_angle(spring, lengths[spring.actuator]), rates[spring.actuator])
            if self._stop_springs and span:
                self._average_stop_forces(lengths, rates, span)
        for bushing in self.damped_bushings:
            self._correct_damping(bushing)
        for moment in self._moments:
            moment.update()
        for load in self._fixed_point_loads:
            self._data.xfrc_applied[load.built.body.id] = 0.0
        for load in self._fixed_point_loads:
            self._apply_fixed_point_load(load, time)

    def _average_stop_forces(self, lengths: list[float], rates: list[float], span: float) -> None:
        """Apply the mean force of hard stops over an interval [s] centred at the present time."""
        for spring in self._stop_springs:
            actuator = spring.actuator
            length = lengths[actuator] - spring.offset
            self._ctrl[actuator] += stop_correction(spring.spring.length_range, length, span * rates[actuator])

    def _correct_damping(self, bushing: DampedBushing) -> None:
        """Correct the damping for the rotation of the frame in which it is measured: by the damping of ω × s."""
        (xx, yx, zx), (xy, yy, zy), (xz, yz, zz) = bushing.axes.tolist()
        spin = bushing.spin if bushing.ancestor_spin is None else bushing.spin - bushing.ancestor_spin
        wx, wy, wz = spin.tolist()
        ax, ay, az = wx * xx + wy * xy + wz * xz, wx * yx + wy * yy + wz * yz, wx * zx + wy * zy + wz * zz
        lengths = self._lengths.tolist()
        x, y, z = (0.0 if actuator is None else lengths[actuator] for actuator in bushing.actuators)
        frame_rates = (ay * z - az * y, az * x - ax * z, ax * y - ay * x)
        for actuator, damping, rate in zip(bushing.actuators, bushing.damping, frame_rates, strict=True):
            if actuator is not None:
                self._ctrl[actuator] = damping * rate

    def _apply_fixed_point_load(self, load: LoadInput, time: float) -> None:
        data, built = self._data, load.built
        body = built.body.id
        vector = np.asarray(built.load.value if built.load.value is not None else (1.0, 1.0, 1.0))
        force = vector * load.values(np.array([time]))[0]
        if built.load.expressed_in_body_frame:
            force = data.xmat[body].reshape(3, 3) @ force
        else:
            force = np.array(Pose(wxyz=built.model_pose.wxyz).transform(tuple(force.tolist())))
        self.fixed_point_forces[built.model, built.load.name] = force
        data.xfrc_applied[body, :3] += force
        point = np.array(built.model_pose.transform(built.load.point))
        data.xfrc_applied[body, 3:] += np.cross(point - data.xipos[body], force)

    def sub_steps(self, step: float, tolerance: float) -> int:
        """Return the number of parts into which a step that touches a hard stop has to be divided.

        The number is the same for the whole rebound: it is chosen for the largest penetration that the present energy allows.

        Args:
            step: The length of the step [s].
            tolerance: Largest error per second [m/s].
        """
        count = 1
        for spring in self._stop_springs:
            rate = float(self._rates[spring.actuator])
            length = float(self._lengths[spring.actuator]) - spring.offset
            ahead = length + step * rate
            lower, upper = limits = spring.spring.length_range
            if (lower <= length <= upper and lower <= ahead <= upper) or not spring.inverse_mass:
                continue
            energy = 0.5 * rate**2 / spring.inverse_mass + stop_energy(limits, length)
            swing = step * math.sqrt(stop_stiffness(energy) * spring.inverse_mass)
            speed = math.sqrt(2.0 * energy * spring.inverse_mass)
            # A step of this length has an error of (swing / parts)²·speed/24 per second; the factor 1.5 is a safety margin.
            parts = swing * max(_STOP_RESOLUTION, 1.5 * math.sqrt(speed / (24.0 * tolerance)))
            count = max(count, math.ceil(min(parts, _MAX_PARTS)))
        return count

    def rotated_bushings(self) -> Iterator[tuple[float, CompiledBushing]]:
        """Yield the bushings whose law is not valid, and their rotations about their compliant axes [rad]."""
        for built in self._bushings:
            angles = [float(self._lengths[built.actuators[axis].id]) for axis in (3, 4, 5) if axis in built.actuators]
            angle = math.hypot(*angles)
            if angle > _LARGEST_BUSHING_ANGLE_RAD:
                yield angle, built

    def tilted_springs(self) -> Iterator[tuple[float, CompiledSpring]]:
        """Yield the rotational springs whose law is not valid, and the angles between their axes on both bodies [rad].

        Springs whose angle is the coordinate of a joint have no tilt.
        """
        if not self._unwrapped_springs:
            return
        second, first = self._data.site_xmat[self._sites.T, 2::3]
        sines = np.linalg.norm(np.cross(first, second), axis=1)
        tilts = np.arctan2(sines, (first * second).sum(axis=1))
        for number in np.flatnonzero(tilts > _LARGEST_TILT_RAD).tolist():
            yield float(tilts[number]), self._unwrapped_springs[number]
