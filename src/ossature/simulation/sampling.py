"""Places and velocities of everything at an instant, as the engine has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import mujoco
import numpy as np

from ossature.simulation.compile import Compiled
from ossature.simulation.layout import in_first_layout
from ossature.simulation.looks import Look, stacked
from ossature.simulation.recording import Recording
from ossature.simulation.taking_over import Present

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ossature.simulation.sensing import Reading

Sample: TypeAlias = "tuple[NDArray[np.float64], ...]"
"""Time, and of all engine bodies origins, rotations, velocities of origins, angular velocities in the body; qpos and qvel."""


class Sampler:
    """Takes samples of a simulation.

    Args:
        compiled: The World in the engine.
        data: The engine's data.
        first: A compilation of the same World in whose order of bodies and joints samples are; the same one if not given.
    """

    def __init__(self, compiled: Compiled, data: Any, first: Compiled | None = None) -> None:
        self._compiled, self._model, self._data = compiled, compiled.model, data
        self._first = first or compiled
        # Each look at the engine's data costs as much as a small calculation.
        self._root = compiled.model.body_rootid
        self._places = (data.xpos, data.xquat, data.qpos, data.qvel)
        self._motion = (data.cvel[:, :3], data.cvel[:, 3:], data.subtree_com, data.xmat.reshape(-1, 3, 3))

    def refresh(self) -> None:
        """Bring places and velocities of bodies up to date; nothing that the next step depends on changes."""
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_comVel(self._model, self._data)

    def sample(self) -> Sample:
        """Return places and velocities now."""
        sample = self._sample()
        if self._first is self._compiled:
            return sample
        return in_first_layout(sample, self.present(), self._first, self._compiled)

    def present(self) -> Present:
        """Return places and velocities now in the model's own words."""
        index = self._compiled.index
        now = replace(self.recording([self._sample()]), index=index)
        joints = [(model, name) for model, group in index.joints.items() for name in group]
        positions: dict[str, dict[str, tuple[float, ...]]] = {model: {} for model in index.joints}
        velocities: dict[str, dict[str, tuple[float, ...]]] = {model: {} for model in index.joints}
        for model, name in joints:
            positions[model][name] = now.joint_positions(model, name)
            velocities[model][name] = now.joint_velocities(model, name)
        bodies = {model: {name: now.body(model, name) for name in group} for model, group in index.bodies.items()}
        return Present(positions=positions, velocities=velocities, bodies=bodies)

    def _sample(self) -> Sample:
        self.refresh()
        positions, wxyz, qpos, qvel = (array.copy() for array in self._places)
        spin, linear, centre, rotation = self._motion
        # The engine gives velocities at the centre of mass of each tree; what is asked for is the body's origin.
        origin_velocity = linear + _cross(spin, positions - centre[self._root])
        spin_body = np.einsum("bij,bi->bj", rotation, spin)
        return np.array(self._data.time), positions, wxyz, origin_velocity, spin_body, qpos, qvel

    def recording(
        self,
        samples: Sequence[Sample],
        looks: Sequence[Look] = (),
        readings: Mapping[str, Sequence[Reading]] = MappingProxyType({}),
    ) -> Recording:
        """Return samples, what forces were at work in each where that is known, and what sensors read, as a recording."""
        times, positions, wxyz, linear, angular, qpos, qvel = (np.stack(column) for column in zip(*samples, strict=True))
        return Recording(
            times=times,
            positions=positions,
            wxyz=wxyz,
            linear_velocities=linear,
            angular_velocities_body=angular,
            qpos=qpos,
            qvel=qvel,
            index=self._first.index,
            elements=stacked([look.elements for look in looks]),
            reactions=stacked([look.reactions for look in looks]),
            energy=np.array([look.energy for look in looks]),
            violation=np.array([look.violation for look in looks]),
            readings=dict(readings),
        )


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return vector products row by row; numpy's own function takes several times as long for some ten rows."""
    ax, ay, az = a.T
    bx, by, bz = b.T
    product = np.empty_like(b)
    product[:, 0], product[:, 1], product[:, 2] = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return product
