"""Serialization of samples as USDF, directly from their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ossature.array_types import Array
from ossature.formats.usdf.schema import PREFIX
from ossature.formats.usdf.write import grasps_text, pose_text, sample_text
from ossature.model import ActiveGrasp
from ossature.model.state_frame_tree import WORLD_FRAME
from ossature.recordings.header import Header
from ossature.recordings.number_formatting import PLACEHOLDER, NumberTemplate
from ossature.recordings.sample_columns import BODIES, JOINTS, TIME, RecordedQuantity
from ossature.recordings.sampled_link_motions import Links, roll_pitch_yaw
from ossature.recordings.state_conversion import states_of_rows
from ossature.syntax import xml

_STATE_GROUPS = (TIME, BODIES, JOINTS)
_LINK_NUMBERS = 16


def non_state_quantities(header: Header) -> list[RecordedQuantity]:
    """Return the quantities that are not part of a state: forces, energy, constraint violation."""
    return [quantity for quantity in header.columns.quantities if quantity.group not in _STATE_GROUPS]


def non_state_values(header: Header, row: Array) -> tuple[float, ...]:
    """Return the numbers of a sample that are not part of a state."""
    return tuple([value for span in _non_state_slices(header) for value in row[span].tolist()])


def _non_state_slices(header: Header) -> list[slice]:
    return [span for quantity, span in header.columns.slices if quantity.group not in _STATE_GROUPS]


class UsdfSamples:
    """Serializes samples."""

    def __init__(self, header: Header) -> None:
        self._header, self._links = header, Links(header)
        text = _TemplateText(header, self._links)
        self._template = NumberTemplate("\n".join([*text.lines(), ""]), text.order)

    def text(self, row: Array, grasps: Sequence[ActiveGrasp] | None = None) -> bytes:
        """Return the text of a sample.

        Args:
            grasps: The grasps if they have changed since the previous sample, or None.
        """
        text = b"".join(self.texts(row[None]))
        if grasps is None:
            return text
        end = text.rindex(b"  </")
        return text[:end] + grasps_text(grasps).encode() + text[end:]

    def texts(self, rows: Array) -> Iterator[bytes]:
        """Yield the texts of samples without grasps, shape (samples, columns); many at once take half of the time."""
        if not np.isfinite(rows).all():  # missing values are omitted from the text
            for row, state in zip(rows, states_of_rows(self._header, rows), strict=True):
                yield sample_text(state, non_state_values(self._header, row)).encode()
            return
        position, wxyz, twist = self._links.motions(rows)
        link_numbers = np.concatenate((*wxyz, *position, *roll_pitch_yaw(wxyz), *twist), axis=1)
        yield from self._template.fill_rows(np.concatenate((link_numbers, rows), axis=1))


class _TemplateText:
    """Writes the text of a sample with placeholders for numbers.

    Attributes:
        order: The indices of their numbers: first 16 components of links, each of all links, then the row.
    """

    def __init__(self, header: Header, links: Links) -> None:
        self.order: list[int] = []
        self._header, self._links = header, links
        self._row = _LINK_NUMBERS * len(links.names)

    def lines(self) -> Iterator[str]:
        yield f'  <{PREFIX}:sample time="{self._placeholders([self._row])}">'
        for model in dict.fromkeys(model for model, _ in self._links.names):
            yield f"    <model_state name={xml.quoted(model)}>"
            if model in self._header.poses:
                yield f"      {pose_text(self._header.poses[model])}"
            else:
                yield f"      <parent>{WORLD_FRAME}</parent>"
            for number, (link_model, link) in enumerate(self._links.names):
                if link_model == model:
                    yield from self._link_template(link, number)
            for joint, spans in self._joint_column_ranges(model).items():
                yield from self._joint_template(joint, spans)
            yield "    </model_state>"
        indices = [index for span in _non_state_slices(self._header) for index in range(span.start, span.stop)]
        if indices:
            yield f"    <{PREFIX}:values>{self._row_placeholders(indices)}</{PREFIX}:values>"
        yield f"  </{PREFIX}:sample>"

    def _link_template(self, name: str, number: int) -> Iterator[str]:
        components = range(number, self._row, len(self._links.names))
        rotation, pose, twist = (self._placeholders(part) for part in (components[:4], components[4:10], components[10:]))
        yield f"      <link_state name={xml.quoted(name)}>"
        yield f'        <pose {PREFIX}:wxyz="{rotation}">{pose}</pose>'
        yield f"        <twist>{twist}</twist>"
        yield "      </link_state>"

    def _joint_column_ranges(self, model: str) -> dict[str, dict[str, range]]:
        joints: dict[str, dict[str, range]] = {}
        for quantity, span in self._header.columns.slices:
            if quantity.group == JOINTS and quantity.model == model:
                joints.setdefault(quantity.name, {})[quantity.field] = range(span.start, span.stop)
        return joints

    def _joint_template(self, name: str, spans: dict[str, range]) -> Iterator[str]:
        yield f"      <joint_state name={xml.quoted(name)}>"
        for field, columns in spans.items():
            yield f"        <{field}>{self._row_placeholders(columns)}</{field}>"
        yield "      </joint_state>"

    def _row_placeholders(self, columns: Iterable[int]) -> str:
        return self._placeholders([self._row + column for column in columns])

    def _placeholders(self, numbers: Iterable[int]) -> str:
        before = len(self.order)
        self.order.extend(numbers)
        return " ".join([PLACEHOLDER] * (len(self.order) - before))
