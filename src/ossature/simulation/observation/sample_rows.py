"""A simulation's samples as rows of numbers, quick enough to record every step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

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
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.observation.force_samples import ForceSample
from ossature.simulation.observation.sample_layout import Sample, SampleLayout
from ossature.simulation.observation.sampler import Sampler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

T = TypeVar("T")


class RowSource:
    """Turns samples into rows.

    Args:
        compiled: The World in the engine.
        sampler: What takes samples.
        look: Energy and forces at the first sample.

    Attributes:
        columns: What the numbers of a row are.
        turns: The joints, by model and name, whose first three coordinates are a rotation vector.
    """

    def __init__(self, compiled: Compiled, sampler: Sampler, look: ForceSample) -> None:
        self._sampler = sampler
        layout = sampler.layout
        quantities, places = [RecordedQuantity(group=TIME)], [0]
        for body in _all(compiled.index.bodies):
            quantities += quantities_of_body(body.model.name, body.body.name)
            places += _sample_slices_of_body(body.number, layout)
        # Most joints are plain numbers of the engine's vectors; the others are asked for one by one.
        self._others: list[tuple[JointAddress, int]] = []
        for joint in _all(compiled.index.joints):
            width = joint.joint.degrees_of_freedom
            quantities += quantities_of_joint(joint.model, joint.joint.name, width)
            if _is_plain(joint):
                *_, qpos, qvel, _ = layout.starts
                places += [*range(qpos + joint.qpos, qpos + joint.qpos + width)]
                places += [*range(qvel + joint.dof, qvel + joint.dof + width)]
            else:
                self._others.append((joint, len(places)))
                places += [0] * (2 * width)
        self._places = np.array(places, dtype=np.intp)
        quantities += _quantities_of(look)
        self.columns = Columns(tuple(quantities))
        self.turns = [
            (joint.model, joint.joint.name)
            for joint in _all(compiled.index.joints)
            if isinstance(joint.joint.type, Spherical | Floating)
        ]

    def row(self, sample: Sample, look: ForceSample) -> Vector:
        """Return a sample as a row.

        Args:
            sample: The sample.
            look: Energy and forces, with the quantities that it had when this was made.
        """
        row: Vector = sample.take(self._places)
        if self._others:
            self._fill_others(row, sample)
        return np.concatenate((row, _values_of(look)))

    def _fill_others(self, row: Vector, sample: Sample) -> None:
        recording = self._sampler.recording([sample])
        for joint, start in self._others:
            width = joint.joint.degrees_of_freedom
            row[start : start + width] = recording.joint_positions(joint.model, joint.joint.name)
            row[start + width : start + 2 * width] = recording.joint_velocities(joint.model, joint.joint.name)


def _all(groups: Mapping[str, Mapping[str, T]]) -> Iterator[T]:
    return (one for group in groups.values() for one in group.values())


def _sample_slices_of_body(number: int, layout: SampleLayout) -> Iterator[int]:
    """Yield where the numbers of a body are in a sample, in the order of its quantities."""
    for start, width in zip(layout.starts[1:5], BODY_FIELDS.values(), strict=True):
        yield from range(start + number * width, start + (number + 1) * width)


def _is_plain(joint: JointAddress) -> bool:
    return joint.layout is JointLayout.SCALARS and not joint.is_reversed


def _quantities_of(look: ForceSample) -> list[RecordedQuantity]:
    quantities = [
        RecordedQuantity(group=group, model=model, name=name, field=field, width=len(value) if value.ndim else None)
        for group, found in ((ELEMENTS, look.elements), (REACTIONS, look.reactions), (CONTACTS, look.contacts))
        for model, names in found.items()
        for name, fields in names.items()
        for field, value in fields.items()
    ]
    energies = [RecordedQuantity(group="energy", field=field) for field in ("potential", "kinetic")]
    return [*quantities, *energies, *([] if look.violation is None else [RecordedQuantity(group="violation")])]


def _values_of(look: ForceSample) -> Vector:
    found: list[Any] = [
        value
        for group in (look.elements, look.reactions, look.contacts)
        for names in group.values()
        for fields in names.values()
        for value in fields.values()
    ]
    violation = () if look.violation is None else (look.violation,)
    return np.concatenate([*(np.atleast_1d(value) for value in found), (*look.energy, *violation)])
