"""Samples: positions and velocities of all bodies and joints of the engine at an instant, in one vector."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from ossature.array_types import Array

if TYPE_CHECKING:
    import mujoco

Sample: TypeAlias = "Array"
"""The parts of :class:`Parts`, flattened and concatenated."""


class Parts(NamedTuple):
    """The parts of a sample, or of an array of samples, whose dimensions come first."""

    times: Array
    """The time, shape () [s]."""
    positions: Array
    """Origins of all engine bodies, shape (bodies, 3) [m]."""
    wxyz: Array
    """Rotations of all engine bodies, shape (bodies, 4)."""
    linear_velocities: Array
    """Velocities of the origins, in axes of the world, shape (bodies, 3) [m/s]."""
    angular_velocities_body: Array
    """Angular velocities, in axes of each body, shape (bodies, 3) [rad/s]."""
    qpos: Array
    """The engine's positions."""
    qvel: Array
    """The engine's velocities."""


@dataclass(frozen=True, slots=True)
class SampleLayout:
    """The offsets of the parts of a sample.

    Attributes:
        starts: Offset of each part, and the length of the sample.
    """

    starts: tuple[int, ...]
    bodies: int

    @classmethod
    def of(cls, model: mujoco.MjModel) -> SampleLayout:
        """Return the layout of the samples of an engine model."""
        bodies = int(model.nbody)
        widths = (1, 3 * bodies, 4 * bodies, 3 * bodies, 3 * bodies, int(model.nq), int(model.nv))
        return cls((0, *accumulate(widths)), bodies)

    @property
    def slices(self) -> tuple[slice, ...]:
        """The slice of each part."""
        return tuple([slice(start, end) for start, end in zip(self.starts[:-1], self.starts[1:], strict=True)])

    def parts(self, samples: Array) -> Parts:
        """Return views of the parts of samples, shape (..., width)."""
        times, positions, wxyz, linear, angular, qpos, qvel = (samples[..., part] for part in self.slices)
        outer = samples.shape[:-1]
        three, four = (*outer, self.bodies, 3), (*outer, self.bodies, 4)
        linear, angular = linear.reshape(three), angular.reshape(three)
        return Parts(times[..., 0], positions.reshape(three), wxyz.reshape(four), linear, angular, qpos, qvel)


def concatenate_parts(parts: Parts) -> Sample:
    """Return a sample from its parts."""
    return np.concatenate([np.ravel(part) for part in parts])
