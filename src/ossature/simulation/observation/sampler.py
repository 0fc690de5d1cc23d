"""Places and velocities of everything at an instant, as the engine has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.observation.force_samples import ForceSample, stacked
from ossature.simulation.observation.recording import Recording
from ossature.simulation.observation.sample_layout import Sample, SampleLayout, concatenate_parts
from ossature.simulation.observation.sample_reordering import StateSample, reorder_to_first_layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ossature.simulation.sensors import Reading


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
        self._layout, self.layout = SampleLayout.of(compiled.model), SampleLayout.of(self._first.model)
        # Each look at the engine's data, and each operation on small arrays, costs as much as a small calculation.
        self._slices = self._layout.slices
        self._root = np.array(compiled.model.body_rootid)
        self._copied = (data.xpos.reshape(-1), data.xquat.reshape(-1), data.qpos, data.qvel)
        self._positions, self._centres, self._cvel = data.xpos, data.subtree_com, data.cvel
        self._spins, self._rotations = data.cvel[:, None, :3], data.xmat.reshape(-1, 3, 3)
        self._linear, self._spin_terms, self._arm_terms = _vector_product_terms(compiled.model.nbody)

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
        return concatenate_parts(
            reorder_to_first_layout(self._layout.parts(sample), self.present(), self._first, self._compiled)
        )

    def present(self) -> StateSample:
        """Return places and velocities now in the model's own words."""
        index = self._compiled.index
        now = Recording(**self._layout.parts(self._sample()[None])._asdict(), index=index)
        joints = [(model, name) for model, group in index.joints.items() for name in group]
        positions: dict[str, dict[str, tuple[float, ...]]] = {model: {} for model in index.joints}
        velocities: dict[str, dict[str, tuple[float, ...]]] = {model: {} for model in index.joints}
        for model, name in joints:
            positions[model][name] = now.joint_positions(model, name)
            velocities[model][name] = now.joint_velocities(model, name)
        bodies = {model: {name: now.body(model, name) for name in group} for model, group in index.bodies.items()}
        return StateSample(positions=positions, velocities=velocities, bodies=bodies)

    def _sample(self) -> Sample:
        self.refresh()
        sample = np.empty(self._layout.starts[-1])
        time, positions, wxyz, linear, angular, qpos, qvel = self._slices
        sample[time] = self._data.time
        for where, values in zip((positions, wxyz, qpos, qvel), self._copied, strict=True):
            sample[where] = values
        # The engine gives velocities at the centre of mass of each tree; what is asked for is the body's origin.
        arms = self._positions - self._centres.take(self._root, axis=0)
        terms = self._cvel.take(self._spin_terms) * arms.take(self._arm_terms)
        np.add(self._cvel.take(self._linear), terms[0] - terms[1], out=sample[linear])
        np.matmul(self._spins, self._rotations, out=sample[angular].reshape(-1, 1, 3))
        return sample

    def recording(
        self,
        samples: Sequence[Sample],
        looks: Sequence[ForceSample] = (),
        readings: Mapping[str, Sequence[Reading]] = MappingProxyType({}),
    ) -> Recording:
        """Return samples, energy and forces in each where they are known, and what sensors read, as a recording."""
        return Recording(
            **self.layout.parts(np.array(samples))._asdict(),
            index=self._first.index,
            elements=stacked([look.elements for look in looks]),
            reactions=stacked([look.reactions for look in looks]),
            contacts=stacked([look.contacts for look in looks]),
            energy=np.array([look.energy for look in looks]),
            violation=np.array([look.violation for look in looks if look.violation is not None]),
            readings=dict(readings),
        )


def _vector_product_terms(bodies: int) -> tuple[NDArray[np.intp], ...]:
    """Return where numbers of vector products are, flat: of velocities, spins (two terms), arms (two terms).

    Spins and velocities are rows of the engine's ``cvel``, of six numbers each; arms have three. Taking the numbers of all
    bodies at once is several times as fast as a vector product of rows.
    """
    rows, axes = np.arange(bodies)[:, None], np.arange(3)
    after, before = (axes + 1) % 3, (axes + 2) % 3
    linear = (6 * rows + 3 + axes).reshape(-1)
    of_spin = np.stack([6 * rows + after, 6 * rows + before]).reshape(2, -1)
    of_arm = np.stack([3 * rows + before, 3 * rows + after]).reshape(2, -1)
    return linear, of_spin, of_arm
