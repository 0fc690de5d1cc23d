"""Conversion of a simulation's samples to rows of numbers, fast enough to record every step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from ossature.array_types import Vector
from ossature.model import Floating, Spherical
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
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.dynamics_sample import DynamicsSample
from ossature.simulation.observation.sample_layout import Sample, SampleLayout
from ossature.simulation.observation.sampler import Sampler

T = TypeVar("T")


class RowSource:
    """Converts samples to rows.

    Args:
        forces: Energy and forces at the first sample.

    Attributes:
        columns: The quantities of a row.
        turns: The joints, by model and name, whose first three coordinates are a rotation vector.
    """

    def __init__(self, compiled: EngineModel, sampler: Sampler, forces: DynamicsSample) -> None:
        self._sampler = sampler
        layout = sampler.layout
        quantities, indices = [RecordedQuantity(group=TIME)], [0]
        for body in _flatten_groups(compiled.index.bodies):
            quantities += quantities_of_body(body.model.name, body.body.name)
            indices += _indices_of_body(body.number, layout)
        # The coordinates of most joints are numbers of the engine's vectors; the others are computed one by one.
        self._others: list[tuple[JointAddress, int]] = []
        for joint in _flatten_groups(compiled.index.joints):
            width = joint.joint.degrees_of_freedom
            quantities += quantities_of_joint(joint.model, joint.joint.name, width)
            if joint.layout is JointLayout.SCALARS and not joint.is_reversed:
                *_, qpos, qvel, _ = layout.starts
                indices += [*range(qpos + joint.qpos, qpos + joint.qpos + width)]
                indices += [*range(qvel + joint.dof, qvel + joint.dof + width)]
            else:
                self._others.append((joint, len(indices)))
                indices += [0] * (2 * width)
        self._indices = np.array(indices, dtype=np.intp)
        quantities += _quantities_of(forces)
        self.columns = Columns(tuple(quantities))
        self._count = self.columns.count
        self.turns = [
            (joint.model, joint.joint.name)
            for joint in _flatten_groups(compiled.index.joints)
            if isinstance(joint.joint.type, Spherical | Floating)
        ]

    def row(self, sample: Sample, forces: DynamicsSample) -> Vector:
        """Return a sample as a row.

        Args:
            forces: Energy and forces, with the same quantities as at the first sample.
        """
        row: Vector = np.empty(self._count)
        sample.take(self._indices, out=row[: len(self._indices)], mode="clip")  # checking the indices would cost a copy
        if self._others:
            self._fill_others(row, sample)
        row[len(self._indices) :] = _values_of(forces)
        return row

    def _fill_others(self, row: Vector, sample: Sample) -> None:
        recording = self._sampler.recording([sample])
        for joint, start in self._others:
            width = joint.joint.degrees_of_freedom
            row[start : start + width] = recording.joint_positions(joint.model, joint.joint.name)
            row[start + width : start + 2 * width] = recording.joint_velocities(joint.model, joint.joint.name)


def _flatten_groups(groups: Mapping[str, Mapping[str, T]]) -> Iterator[T]:
    return (one for group in groups.values() for one in group.values())


def _indices_of_body(number: int, layout: SampleLayout) -> Iterator[int]:
    """Yield the indices of the numbers of a body in a sample, in the order of its quantities."""
    for start, width in zip(layout.starts[1:5], BODY_FIELDS.values(), strict=True):
        yield from range(start + number * width, start + (number + 1) * width)


def _quantities_of(forces: DynamicsSample) -> list[RecordedQuantity]:
    quantities = [
        RecordedQuantity(group=group, model=model, name=name, field=field, width=len(value) if value.ndim else None)
        for group, values in ((ELEMENTS, forces.elements), (REACTIONS, forces.reactions), (CONTACTS, forces.contacts))
        for model, names in values.items()
        for name, fields in names.items()
        for field, value in fields.items()
    ]
    energies = [RecordedQuantity(group="energy", field=field) for field in ("potential", "kinetic")]
    return [*quantities, *energies, *([] if forces.violation is None else [RecordedQuantity(group="violation")])]


def _values_of(forces: DynamicsSample) -> Any:
    """Return the numbers of forces and energy, as a sequence or an array."""
    values: list[Any] = [
        value
        for group in (forces.elements, forces.reactions, forces.contacts)
        for names in group.values()
        for fields in names.values()
        for value in fields.values()
    ]
    last = forces.energy if forces.violation is None else (*forces.energy, forces.violation)
    return np.concatenate([*(np.atleast_1d(value) for value in values), last]) if values else last
