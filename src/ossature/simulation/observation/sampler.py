"""Sampling of positions and velocities from the engine's data."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.dynamics_sample import DynamicsSample, stack_quantities
from ossature.simulation.observation.recording import Recording
from ossature.simulation.observation.sample_layout import Parts, Sample, SampleLayout, concatenate_parts
from ossature.simulation.observation.sample_order_after_recompilation import StateSample, reorder_to_first_layout
from ossature.simulation.stepping.compiled_stepping_structs import SampledState, address_of, set_addresses, set_index_addresses
from ossature.simulation.stepping.engine_memory_addresses import engine_access

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
        self._state = SampledState(body_count=compiled.model.nbody, nq=compiled.model.nq, nv=compiled.model.nv)
        of_data = ("xpos", "xquat", "xmat", "subtree_com", "cvel", "qpos", "qvel")
        set_addresses(self._state, **{name: getattr(data, name) for name in of_data})
        self._roots = np.array(compiled.model.body_rootid, dtype=np.int64)
        set_index_addresses(self._state, roots=self._roots)
        self._address = ctypes.addressof(self._state)
        access = engine_access()
        self._write = None if isinstance(access, str) else access.loop.write_sample

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
        if self._write is None:
            return self.sample_in_python()
        sample = np.empty(self._layout.starts[-1])
        sample[0] = self._data.time
        self._write(self._address, address_of(sample) + sample.itemsize)
        return sample

    def sample_in_python(self) -> Sample:
        """Return a sample of poses and velocities that are up to date, with the bits of the compiled function."""
        data = self._data
        # The engine has velocities at the centre of mass of each tree; samples have those of the body's origin.
        x, y, z = (data.xpos - data.subtree_com[self._roots]).T
        u, v, w = data.cvel[:, :3].T
        with np.errstate(over="ignore", invalid="ignore"):  # of a motion that diverges
            linear = data.cvel[:, 3:] + np.stack([v * z - w * y, w * x - u * z, u * y - v * x], axis=1)
            rotations = data.xmat.reshape(-1, 3, 3)
            angular = u[:, None] * rotations[:, 0] + v[:, None] * rotations[:, 1] + w[:, None] * rotations[:, 2]
        return concatenate_parts(Parts(np.array(data.time), data.xpos, data.xquat, linear, angular, data.qpos, data.qvel))

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
