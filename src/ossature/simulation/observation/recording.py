"""Recordings: the states of bodies and joints over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.argument_types import typed_arguments, whole_number
from ossature.array_types import Array
from ossature.assets import write_file_atomically
from ossature.diagnostics.counted_nouns import counted
from ossature.html_table import html_table
from ossature.recordings.recording_tables import Tabular
from ossature.recordings.sample_columns import (
    BODY_FIELDS,
    CONTACTS,
    ELEMENTS,
    REACTIONS,
    TIME,
    Columns,
    RecordedQuantity,
    quantities_of_body,
    quantities_of_joint,
)
from ossature.recordings.write_text_samples import samples_text
from ossature.simulation.accuracy_results import RunDiagnostics
from ossature.simulation.compile.address_map import AddressMap, JointAddress, JointLayout
from ossature.simulation.compile.coordinate_mapping import (
    derived_positions,
    derived_velocities,
    read_positions,
    read_velocities,
)
from ossature.simulation.observation.quantity_type_aliases import Quantities
from ossature.spatial import Pose, pose_from, vector_from

if TYPE_CHECKING:
    from ossature.simulation.sensors import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyState:
    """The state of one body.

    Attributes:
        position: Origin of the body frame in the world [m].
        wxyz: Rotation of the body frame in the world.
        linear_velocity: Velocity of the body frame's origin, in axes of the world [m/s].
        angular_velocity_body: Angular velocity, in axes of the body [rad/s].
    """

    position: tuple[float, ...]
    wxyz: tuple[float, ...]
    linear_velocity: tuple[float, ...]
    angular_velocity_body: tuple[float, ...]


def _empty_array() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, repr=False)
class Plot:
    """A plot as an SVG image."""

    svg: str

    def __repr__(self) -> str:
        return f"Plot({len(self.svg) / 1e3:.0f} kB of SVG)"

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording(Tabular):
    """Samples of a simulation as arrays.

    Attributes:
        times: Times, shape (n,) [s].
        positions: Origins of all engine bodies, shape (n, bodies, 3) [m].
        wxyz: Rotations of all engine bodies, shape (n, bodies, 4).
        linear_velocities: Velocities of the origins, in axes of the world, shape (n, bodies, 3) [m/s].
        angular_velocities_body: Angular velocities, in axes of each body, shape (n, bodies, 3) [rad/s].
        qpos: The engine's positions, shape (n, nq); :meth:`joint_positions` reads them.
        qvel: The engine's velocities, shape (n, nv).
        index: Addresses of bodies and joints.
        elements: Lengths, angles and forces of springs, bushings, loads and motors, by model, name and quantity, each of shape
            (n,) or (n, 3); for mechanisms, or if forces are recorded.
        reactions: Force and torque on the child of each joint, and on the first body of each motor, bushing and constraint, at
            the joint, in axes of the world, each of shape (n, 3); recorded together with elements.
        contacts: The force on the first body of each pair that can collide, by its model, ``BODY on MODEL:BODY`` and
            ``force``, in axes of the world, shape (n, 3); recorded together with elements.
        energy: Potential and kinetic energy, shape (n, 2) [J]; empty if not recorded.
        violation: The largest residual of a constraint, shape (n,) [m or rad]; empty if not recorded.
        readings: Readings of the recorded sensors at their own times, by ``model/name``.
        diagnostics: Accuracy of the run from the start of its simulation to its last sample; None for samples that are not a
            run.
    """

    times: Array
    positions: Array
    wxyz: Array
    linear_velocities: Array
    angular_velocities_body: Array
    qpos: Array
    qvel: Array
    index: AddressMap
    elements: Quantities = field(default_factory=dict)
    reactions: Quantities = field(default_factory=dict)
    contacts: Quantities = field(default_factory=dict)
    energy: Array = field(default_factory=_empty_array)
    violation: Array = field(default_factory=_empty_array)
    readings: Mapping[str, Sequence[Reading]] = field(default_factory=dict)
    diagnostics: RunDiagnostics | None = None

    def __repr__(self) -> str:
        span = f", {self.times[0]:g} to {self.times[-1]:g} s" if len(self.times) else ""
        return f"Recording({len(self.times)} samples{span}; models: {', '.join(self.index.bodies) or 'none'})"

    def _repr_html_(self) -> str:
        recorded = [("samples", str(len(self.times)))]
        if len(self.times):
            recorded.append(("time [s]", f"{self.times[0]:g} to {self.times[-1]:g}"))
        recorded += [
            (model, f"{len(bodies)} bodies, {len(self.index.joints.get(model, {}))} joints")
            for model, bodies in self.index.bodies.items()
        ]
        groups = {"elements": self.elements, "reactions": self.reactions, "contacts": self.contacts}
        forces = [f"{name}: {sum(map(len, group.values()))}" for name, group in groups.items() if group]
        recorded += [("forces", ", ".join(forces))] if forces else []
        recorded += [("sensors", ", ".join(self.readings))] if self.readings else []
        return html_table(("recording", ""), recorded) + "<p><code>plot()</code> plots it.</p>"

    def plot(self) -> Plot:
        """Return plots over time, a panel for each kind of quantity, for the output of a notebook's cell.

        Raises:
            OssatureError: Matplotlib is not installed.
        """
        draw = import_module("ossature.simulation.observation.plot_recording").svg_of_recording  # late: it imports this module
        return Plot(draw(self))

    def body(self, model: str, body: str, sample: int = -1) -> BodyState:
        """Return the state of a body in one sample.

        Raises:
            IndexError: There is no such sample.
            KeyError: There is no such model or body.
            TypeError: The sample is no whole number, or a name no text.
        """
        sample, number = self._require_sample(sample), self.index.body(model, body).number
        return BodyState(
            position=tuple(self.positions[sample, number].tolist()),
            wxyz=tuple(self.wxyz[sample, number].tolist()),
            linear_velocity=tuple(self.linear_velocities[sample, number].tolist()),
            angular_velocity_body=tuple(self.angular_velocities_body[sample, number].tolist()),
        )

    def joint_positions(self, model: str, joint: str, sample: int = -1) -> tuple[float, ...]:
        """Return the coordinates of a joint in one sample.

        Raises:
            IndexError: There is no such sample.
            KeyError: There is no such model or joint.
            TypeError: The sample is no whole number, or a name no text.
        """
        sample, index = self._require_sample(sample), self.index.joint(model, joint)
        if index.layout is JointLayout.DERIVED:
            return derived_positions(index, self._body_pose(index.parent, sample), self._body_pose(index.body, sample))
        return read_positions(index, self.qpos[sample])

    def joint_velocities(self, model: str, joint: str, sample: int = -1) -> tuple[float, ...]:
        """Return the velocities of a joint in one sample.

        Raises:
            IndexError: There is no such sample.
            KeyError: There is no such model or joint.
            TypeError: The sample is no whole number, or a name no text.
        """
        sample, index = self._require_sample(sample), self.index.joint(model, joint)
        if index.layout is JointLayout.DERIVED:
            spinning, moving = self.angular_velocities_body[sample], self.linear_velocities[sample]
            spins = (vector_from(spinning[index.parent]), vector_from(spinning[index.body]))
            velocities = (vector_from(moving[index.parent]), vector_from(moving[index.body]))
            poses = self._body_pose(index.parent, sample), self._body_pose(index.body, sample)
            return derived_velocities(index, *poses, spins, velocities)
        return read_velocities(index, self.qpos[sample], self.qvel[sample])

    def _require_sample(self, sample: int) -> int:
        number, count = whole_number("sample", sample), len(self.times)
        if not -count <= number < count:
            raise IndexError(f"there is no sample {number}: the recording has {counted(count, 'sample')}")
        return number

    def _body_pose(self, number: int, sample: int) -> Pose:
        return pose_from(self.positions[sample, number], self.wxyz[sample, number])

    def to_dict(self) -> dict[str, Any]:
        """Return the samples as JSON data."""
        return {"samples": [self._sample_data(number) for number in range(len(self.times))]}

    def _sample_data(self, sample: int) -> dict[str, Any]:
        return self._bodies_and_joints(sample) | self._energy_and_forces_data(sample)

    def _energy_and_forces_data(self, sample: int) -> dict[str, Any]:
        groups = {"elements": self.elements, "reactions": self.reactions, "contacts": self.contacts}
        sample_data: dict[str, Any] = {
            group: _quantities_at(quantities, sample) for group, quantities in groups.items() if quantities
        }
        if len(self.energy):
            sample_data["energy"] = {"potential": float(self.energy[sample, 0]), "kinetic": float(self.energy[sample, 1])}
        if len(self.violation):
            sample_data["violation"] = float(self.violation[sample])
        return sample_data

    def _bodies_and_joints(self, sample: int) -> dict[str, Any]:
        return {
            "time": float(self.times[sample]),
            "bodies": {
                model: {body: _body_state_as_data(self.body(model, body, sample)) for body in bodies}
                for model, bodies in self.index.bodies.items()
            },
            "joints": {
                model: {
                    joint: {
                        "positions": list(self.joint_positions(model, joint, sample)),
                        "velocities": list(self.joint_velocities(model, joint, sample)),
                    }
                    for joint in joints
                }
                for model, joints in self.index.joints.items()
                if joints
            },
        }

    def to_rows(self) -> tuple[Columns, Array]:
        """Return the meaning of each column, and all samples, shape (samples, columns)."""
        return _rows_of(self)

    @typed_arguments
    def save(self, path: str | Path) -> None:
        """Write the recording to a ``.json`` or ``.csv`` file, atomically.

        Raises:
            OssatureError: The suffix is not supported.
            OSError: The file cannot be written.
        """
        file = Path(path)
        write_file_atomically(file, self.to_bytes(file.suffix.lower()))

    @typed_arguments
    def to_bytes(self, suffix: str) -> bytes:
        """Return the content of a ``.json`` or ``.csv`` file with the recording.

        Raises:
            OssatureError: The suffix is not supported.
        """
        return samples_text(self.to_dict()["samples"], suffix)


def _quantities_at(quantities: Quantities, sample: int) -> dict[str, Any]:
    return {
        model: {
            name: {quantity: series[sample].tolist() for quantity, series in group.items()} for name, group in names.items()
        }
        for model, names in quantities.items()
    }


def _body_state_as_data(state: BodyState) -> dict[str, list[float]]:
    return {
        "position": list(state.position),
        "wxyz": list(state.wxyz),
        "linear_velocity": list(state.linear_velocity),
        "angular_velocity_body": list(state.angular_velocity_body),
    }


def _rows_of(recording: Recording) -> tuple[Columns, Array]:
    """Return the columns of a recording, and all samples, shape (samples, columns)."""
    quantities, parts = [RecordedQuantity(group=TIME)], [recording.times[:, None]]
    fields = {
        "position": recording.positions,
        "wxyz": recording.wxyz,
        "linear_velocity": recording.linear_velocities,
        "angular_velocity_body": recording.angular_velocities_body,
    }
    for bodies in recording.index.bodies.values():
        for body in bodies.values():
            quantities += quantities_of_body(body.model.name, body.body.name)
            parts += [fields[field][:, body.number] for field in BODY_FIELDS]
    for joint in recording.index.all_joints():
        quantities += quantities_of_joint(joint.model, joint.joint.name, joint.joint.degrees_of_freedom)
        parts += coordinate_series(recording, joint)
    groups = {ELEMENTS: recording.elements, REACTIONS: recording.reactions, CONTACTS: recording.contacts}
    for group, elements in groups.items():
        for model, names in elements.items():
            for name, series_by_field in names.items():
                for quantity, series in series_by_field.items():
                    width = None if series.ndim == 1 else series.shape[1]
                    quantities.append(RecordedQuantity(group=group, model=model, name=name, field=quantity, width=width))
                    parts.append(series.reshape(len(series), -1))
    if len(recording.energy):
        quantities += [RecordedQuantity(group="energy", field=field) for field in ("potential", "kinetic")]
        parts.append(recording.energy)
    if len(recording.violation):
        quantities.append(RecordedQuantity(group="violation"))
        parts.append(recording.violation[:, None])
    return Columns(tuple(quantities)), np.concatenate(parts, axis=1)


def coordinate_series(recording: Recording, joint: JointAddress) -> list[Array]:
    """Return positions and velocities of a joint, each of shape (samples, coordinates)."""
    width, count = joint.joint.degrees_of_freedom, len(recording.times)
    if joint.layout is JointLayout.SCALARS and not joint.is_reversed:
        return [recording.qpos[:, joint.qpos : joint.qpos + width], recording.qvel[:, joint.dof : joint.dof + width]]
    place = (joint.model, joint.joint.name)
    positions = [recording.joint_positions(*place, number) for number in range(count)]
    velocities = [recording.joint_velocities(*place, number) for number in range(count)]
    return [np.array(values, dtype=float).reshape(count, width) for values in (positions, velocities)]
