"""Trajectory tracking: simulation of robots that follow trajectories, and their tracking errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from ossature.array_types import Vector
from ossature.diagnostics import Report
from ossature.kinematics.forward_kinematics import start_joint
from ossature.model import Actuation, Channel, Trajectory, World
from ossature.model.trajectory_curves import Curve
from ossature.simulation import rules
from ossature.simulation.observation.recording import Recording
from ossature.simulation.simulation import Simulation


@dataclass(frozen=True, slots=True)
class PositionReference:
    """The values of a curve as a position signal.

    Attributes:
        start: Time of the trajectory at the start of the simulation [s].
    """

    curve: Curve
    start: float

    def at(self, time: float) -> Vector:
        """Return the value at a time [s]."""
        return self.curve.at(np.array([time + self.start])).values

    def integral(self, start: float, stop: float) -> Vector:
        """Return the integral of the values from one time to another [s], by Simpson's rule."""
        ends, middle = self.at(start) + self.at(stop), self.at((start + stop) / 2.0)
        return np.asarray((ends + 4.0 * middle) * ((stop - start) / 6.0))


@dataclass(frozen=True, slots=True)
class VelocityReference:
    """The rates of curves as a velocity signal, with exact integrals.

    Attributes:
        curves: A curve for each coordinate, or None for a constant one.
        start: Time of the trajectory at the start of the simulation [s].
    """

    curves: tuple[Curve | None, ...]
    start: float

    def at(self, time: float) -> Vector:
        """Return the rates at a time [s]."""
        times = np.array([time + self.start])
        return np.array([0.0 if curve is None else curve.at(times).velocities[0] for curve in self.curves])

    def integral(self, start: float, stop: float) -> Vector:
        """Return the displacements from one time to another [s]."""
        times = np.array([start, stop]) + self.start
        return np.array([0.0 if curve is None else np.diff(curve.at(times).values)[0] for curve in self.curves])


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackingError:
    """The tracking error of a coordinate.

    Attributes:
        path: The coordinate, as ``MODEL/JOINT``.
        drive: The electric motor that drove it, or None for an ideal servo.
        largest: The largest error [rad or m].
        largest_at: Time of the largest error, in the time of the trajectory [s].
        mean_square: Root mean square of the errors [rad or m].
        final: The error at the end: actual minus desired position [rad or m].
    """

    path: str
    drive: str | None
    largest: float
    largest_at: float
    mean_square: float
    final: float


class TrajectoryTracker:
    """A simulation in which a robot follows a trajectory.

    The robot starts at the start of the trajectory. A coordinate with an electric motor is driven by position commands to its
    drive. Other coordinates are driven by ideal servos, each of which is reported.

    Args:
        world: The World.
        trajectory: The trajectory; all its joints must exist.
        report: Collects the findings.
        options: Further options of :class:`Simulation`.
    """

    def __init__(self, world: World, trajectory: Trajectory, *, report: Report, **options: object) -> None:
        self.trajectory = trajectory
        self._curves = {channel.path: Curve(channel) for channel in trajectory.channels}
        self._motors = dict(_motors_of_channels(world, trajectory.channels))
        self._report_servos(report)
        initial = _world_at_start(world, trajectory, self._curves, self._motors)
        self.simulation = Simulation(initial, report=report, **options)  # type: ignore[arg-type]  # Simulation checks them
        self._command_joints()

    def _report_servos(self, report: Report) -> None:
        for channel in self.trajectory.channels:
            if channel.path not in self._motors:
                message = (
                    f"{channel.path}: an ideal servo with unlimited effort drives the joint, because it has no electric motor"
                )
                report.add(rules.IDEAL_SERVO, message, channel.origin, path=f"{channel.model}/{channel.joint}")

    def _command_joints(self) -> None:
        start = self.trajectory.start
        servos: dict[tuple[str, str], dict[int, Curve]] = {}
        for channel in self.trajectory.channels:
            curve = self._curves[channel.path]
            motor = self._motors.get(channel.path)
            if motor is None:
                servos.setdefault((channel.model, channel.joint), {})[channel.coordinate] = curve
            else:
                self.simulation.command(channel.model, f"{motor}:position", PositionReference(curve, start))
        for (model, joint), curves in servos.items():
            count = self.simulation.world.models[model].joints[joint].degrees_of_freedom
            self.simulation.command(
                model, joint, VelocityReference(tuple([curves.get(number) for number in range(count)]), start)
            )

    def run(
        self, duration: float | None = None, *, sample: float | None = None, progress: Callable[[float], None] | None = None
    ) -> Recording:
        """Follow the trajectory to its end, or for a duration [s]; see :meth:`Simulation.run`."""
        span = self.trajectory.end - self.trajectory.start
        return self.simulation.run(span if duration is None else duration, sample=sample, progress=progress)

    def errors(self, recording: Recording) -> list[TrackingError]:
        """Return the tracking error of each coordinate over the samples of a recording."""
        return [self._tracking_error(channel, recording) for channel in self.trajectory.channels]

    def _tracking_error(self, channel: Channel, recording: Recording) -> TrackingError:
        times = recording.times + self.trajectory.start
        count = len(times)
        actual = [recording.joint_positions(channel.model, channel.joint, n)[channel.coordinate] for n in range(count)]
        errors = np.asarray(actual) - self._curves[channel.path].at(times).values
        worst = int(np.argmax(np.abs(errors)))
        return TrackingError(
            path=channel.path,
            drive=self._motors.get(channel.path),
            largest=float(abs(errors[worst])),
            largest_at=float(times[worst]),
            mean_square=float(np.sqrt(np.mean(errors**2))),
            final=float(errors[-1]),
        )


def _motors_of_channels(world: World, channels: Iterable[Channel]) -> Iterable[tuple[str, str]]:
    """Yield the electric motor of each coordinate: the first of those that drive its joint."""
    for channel in channels:
        model = world.models[channel.model]
        free = model.joints[channel.joint].actuation in (Actuation.FORCE, Actuation.PASSIVE)
        for actuator in model.actuators:
            if free and channel.coordinate == 0 and actuator.joint == channel.joint and actuator.motor is not None:
                yield channel.path, actuator.name
                break


def _world_at_start(world: World, trajectory: Trajectory, curves: dict[str, Curve], motors: dict[str, str]) -> World:
    """Return a World at the start of a trajectory, with servos in the joints without motors."""
    start = np.array([trajectory.start])
    for channel in trajectory.channels:
        model = world.models[channel.model]
        joint = model.joints[channel.joint]
        motion = curves[channel.path].at(start)
        position, velocity = float(motion.values[0]), float(motion.velocities[0])
        others: list[float | None] = [None] * joint.degrees_of_freedom
        positions, velocities = [*others], [*others]
        positions[channel.coordinate] = position
        velocities[channel.coordinate] = velocity if np.isfinite(velocity) else 0.0
        actuation = joint.actuation if channel.path in motors else Actuation.VELOCITY
        driven = replace(start_joint(joint, positions, velocities), actuation=actuation)
        world = replace(world, models=world.models.replaced(replace(model, joints=model.joints.replaced(driven))))
    return world


def recorded_trajectory(recording: Recording, name: str = "recorded") -> Trajectory:
    """Return the joint motion of a recording as a trajectory with a key for each sample."""
    times = tuple(recording.times.tolist())
    channels = []
    for model, joints in recording.index.joints.items():
        for joint, index in joints.items():
            rows = [recording.joint_positions(model, joint, sample) for sample in range(len(times))]
            for number in range(index.joint.degrees_of_freedom):
                if index.joint.coordinates[number].coupling is None:
                    values = tuple([row[number] for row in rows])
                    channels.append(Channel(model=model, joint=joint, coordinate=number, times=times, values=values))
    return Trajectory(name=name, channels=tuple(channels))
