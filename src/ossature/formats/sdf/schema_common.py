"""Parts of the declarations of SDFormat that several elements use."""

from __future__ import annotations

from typing import Any, ClassVar

from ossature.diagnostics import Report
from ossature.diagnostics.location import Location
from ossature.syntax import rules
from ossature.syntax.schema import Element, attribute, one_of, text
from ossature.syntax.xml_values import BOOLEAN, NUMBERS, STRING, ValueType, shown, word

SDF = "SDFormat"
"""The source of declarations: the element descriptions of SDFormat 1.12."""


def _parse_color(text: str) -> tuple[float, ...]:
    values = NUMBERS.parse(text)
    if len(values) not in (3, 4):
        raise ValueError(text)
    return values


def _explain_color(text: str, name: str, location: Location, report: Report) -> None:
    hint = "write red, green, blue and opacity, each from 0 to 1"
    report.add(rules.INVALID_NUMBER, f"{name} is {shown(text)}, not 3 or 4 numbers", location, hint=hint)


COLOR: ValueType[tuple[float, ...]] = ValueType(
    name="3 or 4 numbers", parse=_parse_color, format=NUMBERS.format, explain=_explain_color
)
"""Red, green, blue, and opacity, which is 1 if absent."""


class SdfElement(Element, source=SDF):
    """Base of the elements of SDFormat: elements with a prefix of a namespace may be anywhere in them."""

    passes_prefixed: ClassVar[bool] = True


class LinkPoseElement(SdfElement):
    """A pose: a position, then roll, pitch and yaw about the fixed axes x, y and z, or a quaternion."""

    rotation_format: str = attribute(
        word("euler_rpy", "quat_xyzw"), default="euler_rpy", doc="Three angles, or the quaternion x y z w."
    )
    degrees: bool = attribute(BOOLEAN, default=False, doc="Whether angles are in degrees.")
    numbers: tuple[float, ...] | None = text(NUMBERS, unit="m, then rad", doc="Six or seven numbers.")


class PoseElement(LinkPoseElement):
    """A pose that can be stated in another frame."""

    relative_to: str = attribute(STRING, default="", doc="The frame in which it is stated.")


class PassedThroughElement(Element):
    """An element that is passed through as text: it does not describe the mechanism."""

    opaque: ClassVar[bool] = True
    has_passthrough: ClassVar[bool] = True


def passed_through(*tags: str) -> Any:
    """Declare child elements that are passed through as text."""
    return one_of(dict.fromkeys(tags, PassedThroughElement), repeated=True, source=SDF, doc="Passed through.")
