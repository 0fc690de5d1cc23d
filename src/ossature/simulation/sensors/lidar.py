"""Range finders that scan: in a plane, or in lines that are turned about x."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ossature.model import Laser2D, Laser3D
from ossature.sensor_models.scan_pattern import angles_of
from ossature.simulation.sensors.ray_geometry import Rays
from ossature.simulation.sensors.raycast import cast_one_by_one, raycast, rays_now
from ossature.simulation.sensors.raycast_scene import RaycastScene, ShapeSelection
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_context import WorldFrame
from ossature.simulation.sensors.sensor_reading import Reading, output, pose_numbers, pose_of
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

NOISE_OF_DISTANCES = "Each measured distance gets a normal error of `distance_deviation`."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaserScan(Reading):
    """A scan. Its time and frame are those of its first ray."""

    angles: Vector = output("Angle of each ray from x towards y.", shape="rays", unit="rad")
    ray_times: Vector = output("When each ray was cast.", shape="rays", unit="s")
    distances: Vector = output("Distance along each ray; infinite where nothing is in range.", shape="rays", unit="m")
    points: Vector = output(
        "Where each ray ended, in the sensor's frame as it was when that ray was cast.", shape="rays, 3", unit="m"
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaserLines(Reading):
    """A scan of several lines. Its time and frame are those of its first ray."""

    turns: Vector = output("Turn of each line about x.", shape="lines", unit="rad")
    angles: Vector = output("Angle of each ray in its line, from x towards the turned y.", shape="rays", unit="rad")
    ray_times: Vector = output("When each ray was cast.", shape="lines, rays", unit="s")
    distances: Vector = output("Distance along each ray; infinite where nothing is in range.", shape="lines, rays", unit="m")
    points: Vector = output(
        "Where each ray ended, in the sensor's frame as it was when that ray was cast.", shape="lines, rays, 3", unit="m"
    )


@dataclass(slots=True)
class _Scan:
    """A scan under way.

    Attributes:
        pose: The sensor's frame in the world when its first ray was cast.
        began: When that was [s].
        cast: How many rays were cast.
        distances: What they measured.
    """

    pose: Pose
    began: float
    cast: int
    distances: Vector


class LaserDevice(Device):
    """Casts rays one after the other, while the robot moves."""

    TIMING: ClassVar[str] = (
        "A scan begins at each measurement time, at the first step that is not before it. Ray i is cast `i * time_increment` "
        "later, with all bodies where they are then, between two steps on the way from one to the other; the reading is "
        "there when its last ray was cast. A scan that takes longer than the measurement time delays the next one. Read "
        "without being switched on, all rays are cast at once."
    )
    NOISE: ClassVar[str] = NOISE_OF_DISTANCES

    description: Laser2D | Laser3D

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self._scan: _Scan | None = None
        self._directions = self._all_directions()

    def begin(self) -> None:
        """Forget a scan under way."""
        self._scan = None

    @property
    def watches_steps(self) -> bool:
        """Whether a scan is under way."""
        return self._scan is not None

    def _memory(self) -> dict[str, NDArray[Any]]:
        scan = self._scan
        if scan is None:
            return {}
        progress = np.array([scan.began, scan.cast])
        return {"progress": progress, "distances": scan.distances.copy(), "pose": pose_numbers(scan.pose)}

    def _recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        self._scan = None
        if memory:
            began, cast_rays = memory["progress"].tolist()
            self._scan = _Scan(pose_of(memory["pose"]), began, int(cast_rays), np.array(memory["distances"]))

    def sense(self) -> Reading:
        """Return a scan whose rays are all cast now."""
        frame = self.frame()
        scene = self._around.scene(ShapeSelection.TOUCHED)
        body = scene.body(self._model.name, str(self.sensor.body))
        directions = self._directions @ frame.rotation.T
        distances = measured(scene, frame.position, directions, body, self.description, self._random)
        return self._reading(frame.pose(), self._around.time, 0.0, distances)

    def after(self, before: Vector | None) -> Reading | None:
        """Cast the rays whose time has come; return the reading when it is complete."""
        if not self.description.time_increment:
            return super().after(before)
        if self._scan is None:
            self._scan = _Scan(self.frame().pose(), self._around.time, 0, np.full(len(self._directions), np.inf))
        self._go_on(self._scan, before)
        if self._scan.cast < len(self._directions):
            return None
        scan, self._scan = self._scan, None
        self._last = self._reading(scan.pose, scan.began, self.description.time_increment, scan.distances)
        self._wait()
        return self._last

    def _go_on(self, scan: _Scan, before: Vector | None) -> None:
        increment, now = float(self.description.time_increment or 0.0), self._around.time
        step = float(self._around.compiled.model.opt.timestep)
        # A ray that is due at this very instant belongs to it, however its time is rounded.
        due = min(int((now - scan.began) / increment + 1e-6) + 1, len(self._directions))
        rays = []
        for ray in range(scan.cast, due):
            share = 1.0 if before is None else min(1.0, 1.0 - (now - scan.began - ray * increment) / step)
            rays.append(self._ray(before, share, ray))
        if rays:
            nearest, farthest = self._reach
            scene = self._around.scene(ShapeSelection.TOUCHED)
            body = scene.body(self._model.name, str(self.sensor.body))
            hits = cast_one_by_one(scene, rays, farthest=farthest - nearest, exclude=body)
            scan.distances[scan.cast : due] = noisy(hits.distances + nearest, self.description, self._random)
        scan.cast = due

    def _ray(self, before: Vector | None, share: float, ray: int) -> Rays:
        """Return one ray, on the way from earlier positions to those of now."""
        if before is None or share >= 1.0:
            scene, frame = self._around.scene(ShapeSelection.TOUCHED), self.frame()
        else:
            scene, data = self._around.between(ShapeSelection.TOUCHED, before, share)
            frame = self.frame_on(WorldFrame(data.xpos[self._body], data.xmat[self._body].reshape(3, 3)))
        direction = self._directions[ray : ray + 1] @ frame.rotation.T
        nearest, _ = self._reach
        return rays_now(scene, frame.position + nearest * direction[0], direction)

    @property
    def _reach(self) -> tuple[float, float]:
        """Smallest and largest distance [m]."""
        return float(self.description.min_distance or 0.0), float(self.description.max_distance or 0.0)

    def _all_directions(self) -> Vector:
        """Return the directions of all rays in the sensor's frame, shape (n, 3)."""
        raise NotImplementedError

    def _reading(self, pose: Pose, began: float, increment: float, distances: Vector) -> Reading:
        raise NotImplementedError

    def _ray_times(self, began: float, increment: float) -> Vector:
        return np.asarray(began + increment * np.arange(len(self._directions)))


class Laser2DDevice(LaserDevice):
    """Scans in the xy plane."""

    READING: ClassVar[type[Reading]] = LaserScan
    description: Laser2D

    def _all_directions(self) -> Vector:
        laser = self.description
        self._angles = angles_of(laser.min_angle, laser.max_angle, laser.angle_increment)
        return np.stack([np.cos(self._angles), np.sin(self._angles), np.zeros_like(self._angles)], axis=1)

    def _reading(self, pose: Pose, began: float, increment: float, distances: Vector) -> Reading:
        return LaserScan(
            sensor=self.path,
            time=began,
            pose_world_sensor=pose,
            angles=self._angles,
            ray_times=self._ray_times(began, increment),
            distances=distances,
            points=ends(distances, self._directions),
        )


class Laser3DDevice(LaserDevice):
    """Scans in lines."""

    READING: ClassVar[type[Reading]] = LaserLines
    description: Laser3D

    def _all_directions(self) -> Vector:
        laser = self.description
        self._angles = angles_of(laser.min_angle, laser.max_angle, laser.angle_increment)
        self._turns = angles_of(laser.min_turn, laser.max_turn, laser.turn_increment)
        sines = np.sin(self._angles)
        x = np.broadcast_to(np.cos(self._angles), (len(self._turns), len(self._angles)))
        y, z = np.outer(np.cos(self._turns), sines), np.outer(np.sin(self._turns), sines)
        return np.stack([x, y, z], axis=2).reshape(-1, 3)

    def _reading(self, pose: Pose, began: float, increment: float, distances: Vector) -> Reading:
        shape = (len(self._turns), len(self._angles))
        return LaserLines(
            sensor=self.path,
            time=began,
            pose_world_sensor=pose,
            turns=self._turns,
            angles=self._angles,
            ray_times=self._ray_times(began, increment).reshape(shape),
            distances=distances.reshape(shape),
            points=ends(distances, self._directions).reshape(*shape, 3),
        )


def measured(
    scene: RaycastScene, origin: Vector, directions: Vector, body: int, range_finder: Any, random: np.random.Generator
) -> Vector:
    """Return the distances that a range finder measures along rays, with its noise.

    Rays begin at its smallest distance, so what is nearer is not seen, and pass through the body that carries it.
    """
    nearest, farthest = float(range_finder.min_distance), float(range_finder.max_distance)
    return noisy(_beyond(scene, origin, directions, body, nearest, farthest), range_finder, random)


def noisy(distances: Vector, range_finder: Any, random: np.random.Generator) -> Vector:
    """Return distances with the noise of a range finder."""
    deviation = range_finder.distance_deviation
    return distances if not deviation else distances + float(deviation) * random.standard_normal(len(distances))


def _beyond(scene: RaycastScene, origin: Vector, directions: Vector, body: int, nearest: float, farthest: float) -> Vector:
    """Return distances along rays of one origin; those that hit something nearer go on from the smallest distance."""
    found = raycast(scene, origin, directions, farthest=farthest, exclude=body).distances
    for ray in np.flatnonzero(found < nearest):
        along = directions[ray : ray + 1]
        beyond = raycast(scene, origin + nearest * along[0], along, farthest=farthest - nearest, exclude=body)
        found[ray] = beyond.distances[0] + nearest
    return found


def ends(distances: Vector, directions: Vector) -> Vector:
    """Return where rays end; where nothing was hit, points are not numbers."""
    return np.asarray(np.where(np.isfinite(distances), distances, np.nan)[:, None] * directions)
