"""Samples: what is known at an instant of all that moves in the engine, in one vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Sample: TypeAlias = "NDArray[np.float64]"
"""The parts of :class:`Parts`, flat, one behind the other."""


class Parts(NamedTuple):
    """What samples hold; as many dimensions more in front as there are in a stack of samples."""

    times: NDArray[np.float64]
    """The time, shape () [s]."""
    positions: NDArray[np.float64]
    """Origins of all engine bodies, shape (bodies, 3) [m]."""
    wxyz: NDArray[np.float64]
    """Their rotations, shape (bodies, 4)."""
    linear_velocities: NDArray[np.float64]
    """Of their origins in axes of the world, shape (bodies, 3) [m/s]."""
    angular_velocities_body: NDArray[np.float64]
    """In axes of each body, shape (bodies, 3) [rad/s]."""
    qpos: NDArray[np.float64]
    """The engine's positions."""
    qvel: NDArray[np.float64]
    """The engine's velocities."""


@dataclass(frozen=True, slots=True)
class SampleLayout:
    """Where the parts of a sample are.

    Attributes:
        starts: Where each part begins, and at last where the sample ends.
        bodies: How many bodies the engine has.
    """

    starts: tuple[int, ...]
    bodies: int

    @classmethod
    def of(cls, model: Any) -> SampleLayout:
        """Return the layout of an engine's model."""
        bodies = int(model.nbody)
        widths = (1, 3 * bodies, 4 * bodies, 3 * bodies, 3 * bodies, int(model.nq), int(model.nv))
        return cls((0, *np.cumsum(widths).tolist()), bodies)

    @property
    def slices(self) -> tuple[slice, ...]:
        """The places of the parts."""
        return tuple([slice(begin, end) for begin, end in zip(self.starts[:-1], self.starts[1:], strict=True)])

    def parts(self, samples: NDArray[np.float64]) -> Parts:
        """Return the parts of samples, shape (..., width), without copying them."""
        times, positions, wxyz, linear, angular, qpos, qvel = (samples[..., where] for where in self.slices)
        outer = samples.shape[:-1]
        three, four = (*outer, self.bodies, 3), (*outer, self.bodies, 4)
        linear, angular = linear.reshape(three), angular.reshape(three)
        return Parts(times[..., 0], positions.reshape(three), wxyz.reshape(four), linear, angular, qpos, qvel)


def concatenate_parts(parts: Parts) -> Sample:
    """Return the parts of one sample as one."""
    return np.concatenate([np.ravel(part) for part in parts])
