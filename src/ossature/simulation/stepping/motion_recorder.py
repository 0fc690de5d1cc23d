"""The largest motion of a body in a step, recorded in each step."""

from __future__ import annotations

import ctypes

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.simulation.stepping.compiled_stepping_structs import MotionPeaks, set_addresses, set_index_addresses
from ossature.simulation.stepping.engine_memory_addresses import engine_access


class MotionRecorder:
    """Records the largest rotation of a body, and displacement of a centre of mass, in one step.

    Attributes:
        peaks: The largest ones, which the compiled loop records itself.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._data, self._roots = data, np.array(model.body_rootid, dtype=np.int64)
        self._cvel, self._xipos, self._centers = data.cvel, data.xipos, data.subtree_com
        self.peaks = MotionPeaks(body_count=model.nbody)
        set_addresses(self.peaks, cvel=self._cvel, xipos=self._xipos, subtree_com=self._centers)
        set_index_addresses(self.peaks, roots=self._roots)
        access = engine_access()
        self._compiled = None if isinstance(access, str) else access.loop.record_motion
        self._address = ctypes.addressof(self.peaks)

    def record(self, duration: float) -> None:
        """Record a step of a duration [s] that has just been taken."""
        if self._compiled is not None:
            self._compiled(self._address, duration, self._data.time)
        else:
            self.record_in_python(duration)

    def record_in_python(self, duration: float) -> None:
        """Record a step, with the bits of the compiled function."""
        peaks, time = self.peaks, float(self._data.time)
        peaks.step_count += 1
        with np.errstate(over="ignore", invalid="ignore"):  # of a motion that diverges, which is reported
            rotation, spinning = _largest(self._spins, duration)
            displacement, moving = _largest(self._velocities, duration)
        if rotation > peaks.rotation:
            peaks.rotation, peaks.rotated_body, peaks.rotation_time = rotation, spinning, time
        if displacement > peaks.displacement:
            peaks.displacement, peaks.moved_body, peaks.displacement_time = displacement, moving, time

    def clear(self) -> None:
        """Forget all steps."""
        self.peaks.step_count, self.peaks.rotation, self.peaks.displacement = 0, 0.0, 0.0

    @property
    def _spins(self) -> Vector:
        """The angular velocities of bodies, shape (3, n)."""
        return self._cvel[:, :3].T

    @property
    def _velocities(self) -> Vector:
        """The velocities of the centres of mass of bodies, shape (3, n)."""
        (wx, wy, wz), (vx, vy, vz) = self._spins, self._cvel[:, 3:].T
        x, y, z = (self._xipos - self._centers[self._roots]).T
        return np.array([vx + (wy * z - wz * y), vy + (wz * x - wx * z), vz + (wx * y - wy * x)])


def _largest(velocities: Vector, duration: float) -> tuple[float, int]:
    """Return the largest displacement in a duration [s], and the index of the body, without velocities that are no numbers."""
    x, y, z = velocities
    squares = x * x + y * y + z * z
    squares[~(squares >= 0.0)] = 0.0
    fastest = int(squares.argmax())
    return float(np.sqrt(squares[fastest])) * duration, fastest
