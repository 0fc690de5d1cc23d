"""Samples as USDF, written straight from their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.formats.usdf.schema import PREFIX
from ossature.formats.usdf.write import grasps_text, pose_text, sample_text
from ossature.model import ActiveGrasp
from ossature.recordings.header import Header
from ossature.recordings.link_kinematics import Links, roll_pitch_yaw
from ossature.recordings.number_formatting import PLACE, NumberTemplate
from ossature.recordings.sample_columns import BODIES, JOINTS, TIME, RecordedQuantity
from ossature.recordings.state_conversion import states_of
from ossature.syntax import xml

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OF_STATES = (TIME, BODIES, JOINTS)
_LINK_NUMBERS = 16


def quantities_besides(header: Header) -> list[RecordedQuantity]:
    """Return the quantities for which states have no word: forces, energy, violation."""
    return [quantity for quantity in header.columns.quantities if quantity.group not in _OF_STATES]


def values_besides(header: Header, row: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the numbers of a sample for which states have no word."""
    return tuple([value for where in _besides(header) for value in row[where].tolist()])


def _besides(header: Header) -> list[slice]:
    return [where for quantity, where in header.columns.slices if quantity.group not in _OF_STATES]


class UsdfSamples:
    """Turns samples into text.

    Args:
        header: What the recording says once.
    """

    def __init__(self, header: Header) -> None:
        self._header, self._links = header, Links(header)
        text = _Text(header, self._links)
        self._template = NumberTemplate("\n".join([*text.lines(), ""]), text.order)

    def text(self, row: NDArray[np.float64], held: Sequence[ActiveGrasp] | None = None) -> bytes:
        """Return the text of a sample.

        Args:
            row: Its numbers.
            held: What hands hold, where that is something else than before.
        """
        text = self._text(row)
        if held is None:
            return text
        end = text.rindex(b"  </")
        return text[:end] + grasps_text(held).encode() + text[end:]

    def _text(self, row: NDArray[np.float64]) -> bytes:
        if not np.isfinite(row).all():  # what is not stated has no place in the text
            state = next(states_of(self._header, row[None]))
            return sample_text(state, values_besides(self._header, row)).encode()
        position, wxyz, twist = self._links.motions(row[None])
        of_links = np.concatenate((*wxyz, *position, *roll_pitch_yaw(wxyz), *twist)).reshape(-1)
        return self._template.filled(np.concatenate((of_links, row)))


class _Text:
    """Writes the text of a sample with places for numbers.

    Attributes:
        order: The numbers of these places: first 16 components of links, each of all links, then the row.
    """

    def __init__(self, header: Header, links: Links) -> None:
        self.order: list[int] = []
        self._header, self._links = header, links
        self._row = _LINK_NUMBERS * len(links.names)

    def lines(self) -> Iterator[str]:
        yield f'  <{PREFIX}:sample time="{self._places([self._row])}">'
        for model in dict.fromkeys(model for model, _ in self._links.names):
            yield f"    <model_state name={xml.quoted(model)}>"
            if model in self._header.poses:
                yield f"      {pose_text(self._header.poses[model])}"
            for number, (of_model, link) in enumerate(self._links.names):
                if of_model == model:
                    yield from self._link(link, number)
            for joint, places in self._joints(model).items():
                yield from self._joint(joint, places)
            yield "    </model_state>"
        besides = [place for where in _besides(self._header) for place in range(where.start, where.stop)]
        if besides:
            yield f"    <{PREFIX}:values>{self._of_row(besides)}</{PREFIX}:values>"
        yield f"  </{PREFIX}:sample>"

    def _link(self, name: str, number: int) -> Iterator[str]:
        components = range(number, self._row, len(self._links.names))
        rotation, pose, twist = (self._places(part) for part in (components[:4], components[4:10], components[10:]))
        yield f"      <link_state name={xml.quoted(name)}>"
        yield f'        <pose {PREFIX}:wxyz="{rotation}">{pose}</pose>'
        yield f"        <twist>{twist}</twist>"
        yield "      </link_state>"

    def _joints(self, model: str) -> dict[str, dict[str, range]]:
        joints: dict[str, dict[str, range]] = {}
        for quantity, where in self._header.columns.slices:
            if quantity.group == JOINTS and quantity.model == model:
                joints.setdefault(quantity.name, {})[quantity.field] = range(where.start, where.stop)
        return joints

    def _joint(self, name: str, places: dict[str, range]) -> Iterator[str]:
        yield f"      <joint_state name={xml.quoted(name)}>"
        for field, columns in places.items():
            yield f"        <{field}>{self._of_row(columns)}</{field}>"
        yield "      </joint_state>"

    def _of_row(self, columns: Iterable[int]) -> str:
        return self._places([self._row + column for column in columns])

    def _places(self, numbers: Iterable[int]) -> str:
        before = len(self.order)
        self.order.extend(numbers)
        return " ".join([PLACE] * (len(self.order) - before))
