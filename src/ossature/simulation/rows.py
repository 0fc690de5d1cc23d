"""A simulation's samples as rows of numbers, quick enough to record every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.recordings.columns import BODIES, BODY_FIELDS, ELEMENTS, JOINT_FIELDS, JOINTS, REACTIONS, TIME, Columns, Quantity
from ossature.simulation.compile import Compiled
from ossature.simulation.index import JointIndex, Layout
from ossature.simulation.looks import Look
from ossature.simulation.sampling import Sample, Sampler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class RowSource:
    """Turns samples into rows.

    Args:
        compiled: The World in the engine.
        sampler: What takes samples.
        look: What forces are at work at the first sample, or None for a World that is no mechanism.
    """

    def __init__(self, compiled: Compiled, sampler: Sampler, look: Look | None) -> None:
        self._sampler = sampler
        bodies = [body for group in compiled.index.bodies.values() for body in group.values()]
        joints = [joint for group in compiled.index.joints.values() for joint in group.values()]
        self._numbers = np.array([body.number for body in bodies], dtype=np.intp)
        quantities = [Quantity(group=TIME)]
        for body in bodies:
            quantities += [
                Quantity(group=BODIES, model=body.model.name, name=body.body.name, field=field, width=width)
                for field, width in BODY_FIELDS.items()
            ]
        start = 1 + 13 * len(bodies)
        # Most joints are plain numbers of the engine's vectors; the others are asked for one by one.
        self._others: list[tuple[JointIndex, int]] = []
        for joint in joints:
            width = joint.joint.degrees_of_freedom
            quantities += [
                Quantity(group=JOINTS, model=joint.model, name=joint.joint.name, field=field, width=width)
                for field in JOINT_FIELDS
            ]
            if not _is_plain(joint):
                self._others.append((joint, start))
            start += 2 * width
        self._plain = _plain_columns(joints, 1 + 13 * len(bodies))
        quantities += [] if look is None else _quantities_of(look)
        self.columns = Columns(tuple(quantities))

    def row(self, sample: Sample, look: Look | None) -> Vector:
        """Return a sample as a row.

        Args:
            sample: The sample.
            look: What forces are at work, as when this was made.
        """
        time, positions, wxyz, linear, angular, qpos, qvel = sample
        row = np.empty(len(self.columns.labels))
        row[0] = time
        numbers = self._numbers
        end = 1 + 13 * len(numbers)
        places = row[1:end].reshape(-1, 13)
        places[:, :3], places[:, 3:7] = positions[numbers], wxyz[numbers]
        places[:, 7:10], places[:, 10:] = linear[numbers], angular[numbers]
        where_positions, where_velocities, of_positions, of_velocities = self._plain
        row[where_positions] = qpos[of_positions]
        row[where_velocities] = qvel[of_velocities]
        if self._others:
            recording = self._sampler.recording([sample])
            for joint, start in self._others:
                width = joint.joint.degrees_of_freedom
                row[start : start + width] = recording.joint_positions(joint.model, joint.joint.name)
                row[start + width : start + 2 * width] = recording.joint_velocities(joint.model, joint.joint.name)
        if look is not None:
            forces = _values_of(look)
            row[len(row) - len(forces) :] = forces
        return row


def _is_plain(joint: JointIndex) -> bool:
    return joint.layout is Layout.SCALARS and not joint.is_reversed


def _plain_columns(joints: list[JointIndex], start: int) -> tuple[NDArray[np.intp], ...]:
    """Return columns of positions and velocities of plain joints, and where the engine has them."""
    entries = []
    for joint in joints:
        width = joint.joint.degrees_of_freedom
        if _is_plain(joint):
            entries += [(start + n, start + width + n, joint.qpos + n, joint.dof + n) for n in range(width)]
        start += 2 * width
    return tuple(np.array(entries, dtype=np.intp).reshape(-1, 4).T)


def _quantities_of(look: Look) -> list[Quantity]:
    quantities = [
        Quantity(group=group, model=model, name=name, field=field, width=len(value) if value.ndim else None)
        for group, found in ((ELEMENTS, look.elements), (REACTIONS, look.reactions))
        for model, names in found.items()
        for name, fields in names.items()
        for field, value in fields.items()
    ]
    energies = [Quantity(group="energy", field=field) for field in ("potential", "kinetic")]
    return [*quantities, *energies, Quantity(group="violation")]


def _values_of(look: Look) -> Vector:
    found: list[Any] = [
        value
        for group in (look.elements, look.reactions)
        for names in group.values()
        for fields in names.values()
        for value in fields.values()
    ]
    return np.concatenate([*(np.atleast_1d(value) for value in found), look.energy, [look.violation]])
