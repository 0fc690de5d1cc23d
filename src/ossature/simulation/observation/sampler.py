"""Sampling of positions and velocities from the engine's data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from ossature.array_types import IndexArray
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.dynamics_sample import DynamicsSample, stack_quantities
from ossature.simulation.observation.recording import Recording
from ossature.simulation.observation.sample_layout import Sample, SampleLayout, concatenate_parts
from ossature.simulation.observation.sample_order_after_recompilation import StateSample, reorder_to_first_layout

if TYPE_CHECKING:
    from ossature.simulation.sensors import Reading


class Sampler:
    """Samples the positions and velocities of a simulation.

    Args:
        first: The compilation of the same World that defines the order of bodies and joints in samples; `compiled` if None.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData, first: EngineModel | None = None) -> None:
        self._compiled, self._model, self._data = compiled, compiled.model, data
        self._first = first or compiled
        self._layout = SampleLayout.of(compiled.model)
        self.layout = self._layout if self._first is compiled else SampleLayout.of(self._first.model)
        # Each access to the engine's data, and each operation on small arrays, has a considerable overhead.
        self._slices = self._layout.slices
        self._root = np.array(compiled.model.body_rootid)
        self._copied = (data.xpos.reshape(-1), data.xquat.reshape(-1), data.qpos, data.qvel)
        self._positions, self._centres, self._cvel = data.xpos, data.subtree_com, data.cvel
        self._spins, self._rotations = data.cvel[:, None, :3], data.xmat.reshape(-1, 3, 3)
        self._linear, self._spin_terms, self._arm_terms = _vector_product_terms(compiled.model.nbody)

    def refresh(self) -> None:
        """Update the poses and velocities of bodies, without any effect on the next step."""
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_comVel(self._model, self._data)

    def sample(self) -> Sample:
        """Return the current sample."""
        sample = self._sample()
        if self._first is self._compiled:
            return sample
        return concatenate_parts(
            reorder_to_first_layout(self._layout.parts(sample), self.state_sample(), self._first, self._compiled)
        )

    def state_sample(self) -> StateSample:
        """Return the current positions and velocities by names."""
        index = self._compiled.index
        recording = Recording(**self._layout.parts(self._sample()[None])._asdict(), index=index)
        joints = [(model, name) for model, group in index.joints.items() for name in group]
        positions: dict[str, dict[str, tuple[float, ...]]] = {model: {} for model in index.joints}
        velocities: dict[str, dict[str, tuple[float, ...]]] = {model: {} for model in index.joints}
        for model, name in joints:
            positions[model][name] = recording.joint_positions(model, name)
            velocities[model][name] = recording.joint_velocities(model, name)
        bodies = {model: {name: recording.body(model, name) for name in group} for model, group in index.bodies.items()}
        return StateSample(positions=positions, velocities=velocities, bodies=bodies)

    def _sample(self) -> Sample:
        self.refresh()
        sample = np.empty(self._layout.starts[-1])
        time, positions, wxyz, linear, angular, qpos, qvel = self._slices
        sample[time] = self._data.time
        for part, values in zip((positions, wxyz, qpos, qvel), self._copied, strict=True):
            sample[part] = values
        # The engine has velocities at the centre of mass of each tree; samples have those of the body's origin.
        arms = self._positions - self._centres.take(self._root, axis=0)
        with np.errstate(over="ignore", invalid="ignore"):  # of a motion that diverges
            terms = self._cvel.take(self._spin_terms) * arms.take(self._arm_terms)
            np.add(self._cvel.take(self._linear), terms[0] - terms[1], out=sample[linear])
            np.matmul(self._spins, self._rotations, out=sample[angular].reshape(-1, 1, 3))
        return sample

    def recording(
        self,
        samples: Sequence[Sample],
        forces: Sequence[DynamicsSample] = (),
        readings: Mapping[str, Sequence[Reading]] = MappingProxyType({}),
    ) -> Recording:
        """Return a recording of samples, with energy and forces of each if they are known, and sensor readings."""
        return Recording(
            **self.layout.parts(np.array(samples))._asdict(),
            index=self._first.index,
            elements=stack_quantities([sample_forces.elements for sample_forces in forces]),
            reactions=stack_quantities([sample_forces.reactions for sample_forces in forces]),
            contacts=stack_quantities([sample_forces.contacts for sample_forces in forces]),
            energy=np.array([sample_forces.energy for sample_forces in forces]),
            violation=np.array([sample_forces.violation for sample_forces in forces if sample_forces.violation is not None]),
            readings=dict(readings),
        )


@lru_cache(maxsize=16)
def _vector_product_terms(bodies: int) -> tuple[IndexArray, ...]:
    """Return the flat indices of the terms of vector products: of velocities, spins (two terms), arms (two terms).

    Spins and velocities are rows of the engine's ``cvel``, of six numbers each; arms have three. Indexing the numbers of all
    bodies at once is several times as fast as a vector product of rows.
    """
    rows, axes = np.arange(bodies)[:, None], np.arange(3)
    after, before = (axes + 1) % 3, (axes + 2) % 3
    linear = (6 * rows + 3 + axes).reshape(-1)
    spin_terms = np.stack([6 * rows + after, 6 * rows + before]).reshape(2, -1)
    arm_terms = np.stack([3 * rows + before, 3 * rows + after]).reshape(2, -1)
    return linear, spin_terms, arm_terms
