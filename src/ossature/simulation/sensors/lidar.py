"""Scanning lidars: in a plane, or in lines that are rotated about x."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.model import Laser2D, Laser3D
from ossature.sensor_models.scan_pattern import angles_of
from ossature.simulation.sensors.raycast import cast_separate_rays, raycast, rays_from_point
from ossature.simulation.sensors.raycast_scene import RaycastScene, ShapeSelection
from ossature.simulation.sensors.reading_base import Reading, output, pose_numbers, pose_of
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_context import WorldFrame
from ossature.simulation.sensors.shape_raycast import Rays
from ossature.spatial import Pose

DISTANCE_NOISE = "Each measured distance has a normally distributed error with the standard deviation `distance_deviation`."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaserScan(Reading):
    """A scan in a plane. Its time and frame are those of its first ray."""

    angles: Vector = output("Angle of each ray from x towards y.", shape="rays", unit="rad")
    ray_times: Vector = output("Time at which each ray was cast.", shape="rays", unit="s")
    distances: Vector = output("Distance along each ray; infinite if no shape is in range.", shape="rays", unit="m")
    points: Vector = output("End point of each ray, in the sensor's frame at the time of that ray.", shape="rays, 3", unit="m")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaserLines(Reading):
    """A scan of several lines. Its time and frame are those of its first ray."""

    turns: Vector = output("Rotation angle of each line about x.", shape="lines", unit="rad")
    angles: Vector = output("Angle of each ray in its line, from x towards the rotated y.", shape="rays", unit="rad")
    ray_times: Vector = output("Time at which each ray was cast.", shape="lines, rays", unit="s")
    distances: Vector = output("Distance along each ray; infinite if no shape is in range.", shape="lines, rays", unit="m")
    points: Vector = output(
        "End point of each ray, in the sensor's frame at the time of that ray.", shape="lines, rays, 3", unit="m"
    )


@dataclass(slots=True)
class _Scan:
    """An incomplete scan.

    Attributes:
        pose: The sensor's frame in the world when its first ray was cast.
        start_time: The time of its first ray [s].
        cast_count: The number of rays that were cast.
        distances: The measured distances [m].
    """

    pose: Pose
    start_time: float
    cast_count: int
    distances: Vector


class LaserDevice(Device):
    """Casts rays one after the other, while the robot moves."""

    TIMING: ClassVar[str] = (
        "A scan starts at each measurement time, at the first step that is not before it. Ray i is cast `i * time_increment` "
        "later, with the poses of all bodies interpolated between the two steps; the reading is "
        "available when its last ray was cast. A scan that takes longer than the measurement time delays the next one. If "
        "read while the sensor is off, all rays are cast at once."
    )
    NOISE: ClassVar[str] = DISTANCE_NOISE

    description: Laser2D | Laser3D

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self._scan: _Scan | None = None
        self._directions = self._ray_directions()

    def reset(self) -> None:
        """Discard an incomplete scan."""
        self._scan = None

    @property
    def needs_every_step(self) -> bool:
        """Whether there is an incomplete scan."""
        return self._scan is not None

    def _get_state(self) -> dict[str, AnyArray]:
        scan = self._scan
        if scan is None:
            return {}
        progress = np.array([scan.start_time, scan.cast_count])
        return {"progress": progress, "distances": scan.distances.copy(), "pose": pose_numbers(scan.pose)}

    def _set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        self._scan = None
        if saved_state:
            start_time, cast_rays = saved_state["progress"].tolist()
            self._scan = _Scan(pose_of(saved_state["pose"]), start_time, int(cast_rays), np.array(saved_state["distances"]))

    def sense(self) -> Reading:
        """Return a scan with all rays cast at the present time."""
        frame = self.frame()
        scene = self._context.scene(ShapeSelection.COLLISION)
        body = scene.body(self._model.name, str(self.sensor.body))
        directions = self._directions @ frame.rotation.T
        distances = measure_distances(scene, frame.position, directions, body, self.description, self._random)
        return self._make_reading(frame.pose(), self._context.time, 0.0, distances)

    def update(self, before: Vector | None) -> Reading | None:
        """Cast the rays that are due; return the reading when it is complete."""
        if not self.description.time_increment:
            return super().update(before)
        if self._scan is None:
            self._scan = _Scan(self.frame().pose(), self._context.time, 0, np.full(len(self._directions), np.inf))
        self._cast_due_rays(self._scan, before)
        if self._scan.cast_count < len(self._directions):
            return None
        scan, self._scan = self._scan, None
        self._last = self._make_reading(scan.pose, scan.start_time, self.description.time_increment, scan.distances)
        self._schedule_next()
        return self._last

    def _cast_due_rays(self, scan: _Scan, before: Vector | None) -> None:
        increment, now = float(self.description.time_increment or 0.0), self._context.time
        step = float(self._context.compiled.model.opt.timestep)
        # A ray that is due at exactly this time is included, independent of rounding.
        due = min(int((now - scan.start_time) / increment + 1e-6) + 1, len(self._directions))
        rays = []
        for ray in range(scan.cast_count, due):
            share = 1.0 if before is None else min(1.0, 1.0 - (now - scan.start_time - ray * increment) / step)
            rays.append(self._make_ray(before, share, ray))
        if rays:
            nearest, farthest = self._range
            scene = self._context.scene(ShapeSelection.COLLISION)
            body = scene.body(self._model.name, str(self.sensor.body))
            hits = cast_separate_rays(scene, rays, farthest=farthest - nearest, exclude=body)
            scan.distances[scan.cast_count : due] = add_noise(hits.distances + nearest, self.description, self._random)
        scan.cast_count = due

    def _make_ray(self, before: Vector | None, share: float, ray: int) -> Rays:
        """Return one ray, with positions interpolated between earlier and present ones."""
        if before is None or share >= 1.0:
            scene, frame = self._context.scene(ShapeSelection.COLLISION), self.frame()
        else:
            scene, data = self._context.interpolated_scene(ShapeSelection.COLLISION, before, share)
            frame = self.frame_on(WorldFrame(data.xpos[self._body], data.xmat[self._body].reshape(3, 3)))
        direction = self._directions[ray : ray + 1] @ frame.rotation.T
        nearest, _ = self._range
        return rays_from_point(scene, frame.position + nearest * direction[0], direction)

    @property
    def _range(self) -> tuple[float, float]:
        """Smallest and largest distance [m]."""
        return float(self.description.min_distance or 0.0), float(self.description.max_distance or 0.0)

    def _ray_directions(self) -> Vector:
        """Return the directions of all rays in the sensor's frame, shape (n, 3)."""
        raise NotImplementedError

    def _make_reading(self, pose: Pose, start_time: float, increment: float, distances: Vector) -> Reading:
        raise NotImplementedError

    def _ray_times(self, start_time: float, increment: float) -> Vector:
        return np.asarray(start_time + increment * np.arange(len(self._directions)))


class Laser2DDevice(LaserDevice):
    """Scans in the xy plane."""

    READING: ClassVar[type[Reading]] = LaserScan
    description: Laser2D

    def _ray_directions(self) -> Vector:
        laser = self.description
        self._angles = angles_of(laser.min_angle, laser.max_angle, laser.angle_increment)
        return np.stack([np.cos(self._angles), np.sin(self._angles), np.zeros_like(self._angles)], axis=1)

    def _make_reading(self, pose: Pose, start_time: float, increment: float, distances: Vector) -> Reading:
        return LaserScan(
            sensor=self.path,
            time=start_time,
            pose_world_sensor=pose,
            angles=self._angles,
            ray_times=self._ray_times(start_time, increment),
            distances=distances,
            points=ray_end_points(distances, self._directions),
        )


class Laser3DDevice(LaserDevice):
    """Scans in several lines."""

    READING: ClassVar[type[Reading]] = LaserLines
    description: Laser3D

    def _ray_directions(self) -> Vector:
        laser = self.description
        self._angles = angles_of(laser.min_angle, laser.max_angle, laser.angle_increment)
        self._line_angles = angles_of(laser.min_turn, laser.max_turn, laser.turn_increment)
        sines = np.sin(self._angles)
        x = np.broadcast_to(np.cos(self._angles), (len(self._line_angles), len(self._angles)))
        y, z = np.outer(np.cos(self._line_angles), sines), np.outer(np.sin(self._line_angles), sines)
        return np.stack([x, y, z], axis=2).reshape(-1, 3)

    def _make_reading(self, pose: Pose, start_time: float, increment: float, distances: Vector) -> Reading:
        shape = (len(self._line_angles), len(self._angles))
        return LaserLines(
            sensor=self.path,
            time=start_time,
            pose_world_sensor=pose,
            turns=self._line_angles,
            angles=self._angles,
            ray_times=self._ray_times(start_time, increment).reshape(shape),
            distances=distances.reshape(shape),
            points=ray_end_points(distances, self._directions).reshape(*shape, 3),
        )


def measure_distances(
    scene: RaycastScene, origin: Vector, directions: Vector, body: int, range_finder: Any, random: np.random.Generator
) -> Vector:
    """Return the distances that a range finder measures along rays, with its noise.

    Rays start at its smallest distance, so that nearer shapes are not detected, and pass through the sensor's body.
    """
    nearest, farthest = float(range_finder.min_distance), float(range_finder.max_distance)
    return add_noise(_cast_from_min_distance(scene, origin, directions, body, nearest, farthest), range_finder, random)


def add_noise(distances: Vector, range_finder: Any, random: np.random.Generator) -> Vector:
    """Return distances with the noise of a range finder, which stay within its range; infinite ones have no noise."""
    deviation = range_finder.distance_deviation
    if not deviation:
        return distances
    noisy = distances + float(deviation) * random.standard_normal(len(distances))
    within = np.clip(noisy, float(range_finder.min_distance), float(range_finder.max_distance))
    return np.where(np.isfinite(distances), within, distances)


def _cast_from_min_distance(
    scene: RaycastScene, origin: Vector, directions: Vector, body: int, nearest: float, farthest: float
) -> Vector:
    """Return distances along rays of one origin; rays that hit a nearer shape are cast again from the smallest distance."""
    found = raycast(scene, origin, directions, farthest=farthest, exclude=body).distances
    for ray in np.flatnonzero(found < nearest):
        along = directions[ray : ray + 1]
        farther = raycast(scene, origin + nearest * along[0], along, farthest=farthest - nearest, exclude=body)
        found[ray] = farther.distances[0] + nearest
    return found


def ray_end_points(distances: Vector, directions: Vector) -> Vector:
    """Return the end points of rays; NaN for rays without a hit."""
    return np.asarray(np.where(np.isfinite(distances), distances, np.nan)[:, None] * directions)
