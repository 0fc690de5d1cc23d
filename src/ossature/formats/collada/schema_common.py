"""What elements of all parts of COLLADA share: assets, transforms, parameters, and the elements for extensions.

Sources: *COLLADA* is the 1.5.0 specification of the Khronos Group, *page* the published page of OpenRAVE's robot
extensions, *program* what OpenRAVE reads or writes besides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ossature.diagnostics import Location, Report
from ossature.syntax import xml_values
from ossature.syntax.rules import BAD_NUMBER
from ossature.syntax.schema import Element, attribute, child, element, one_of, text
from ossature.syntax.xml_values import INTEGER, NUMBER, STRING, VECTOR3, ValueType, shown, vector, word

COLLADA, PAGE, PROGRAM = "COLLADA", "page", "program"
UP_AXES = ("X_UP", "Y_UP", "Z_UP")
BOOLEAN: ValueType[bool] = replace(xml_values.BOOLEAN, format=lambda value: "true" if value else "false")
"""A truth value as a word, the only spelling that OpenRAVE reads in its extensions."""


def identifier() -> Any:
    """Declare the attribute ``id``."""
    return attribute(STRING, source=COLLADA, doc="Its identifier, unique in the document.")


def scoped_identifier() -> Any:
    """Declare the attribute ``sid``."""
    return attribute(STRING, source=COLLADA, doc="Its identifier among its neighbours.")


def plain_name() -> Any:
    """Declare the attribute ``name``."""
    return attribute(STRING, source=COLLADA, doc="Its name for people.")


def extras() -> Any:
    """Declare any number of ``<extra>``."""
    return element(ExtraElement, name="extra", repeated=True, source=COLLADA, doc="Extensions.")


def techniques() -> Any:
    """Declare any number of ``<technique>`` beside the common one."""
    return element(TechniqueElement, name="technique", repeated=True, source=COLLADA, doc="What one program says.")


_SHORTEST_UNIT, _LONGEST_UNIT = 1e-15, 1e15


def _parse_unit(text: str) -> float:
    value = NUMBER.parse(text)
    if not _SHORTEST_UNIT <= value <= _LONGEST_UNIT:
        raise ValueError(text)
    return value


def _explain_unit(text: str, name: str, location: Location, report: Report) -> None:
    hint = f"a number of metres from {_SHORTEST_UNIT:g} to {_LONGEST_UNIT:g}"
    report.add(BAD_NUMBER, f"{name} is {shown(text)}, not the length of a unit", location, hint=hint)


_UNIT_LENGTH: ValueType[float] = ValueType(
    name="positive number", parse=_parse_unit, format=NUMBER.format, explain=_explain_unit
)


class TechniqueElement(Element):
    """What one program says; its content is that program's."""

    opaque = True
    profile: str | None = attribute(STRING, required=True, source=COLLADA, doc="The program's name.")
    sid: str | None = scoped_identifier()


class ExtraElement(Element):
    """An extension; its type tells what it is. Those that nobody knows are kept and written again."""

    opaque = True
    id: str | None = identifier()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    type: str | None = attribute(STRING, source=COLLADA, doc="What it is.")


class ContributorElement(Element):
    """Who made the document, and with what."""

    unread = frozenset({"author_email", "author_website"})
    author: str | None = child(STRING, source=COLLADA, doc="A person.")
    authoring_tool: str | None = child(
        STRING, source=COLLADA, doc="The program that wrote it. Two old ones wrote joint values in radians."
    )
    comments: str | None = child(STRING, source=COLLADA, doc="Remarks.")
    copyright: str | None = child(STRING, source=COLLADA, doc="Whose it is.")
    source_data: str | None = child(STRING, source=COLLADA, doc="What it was made from.")


class UnitElement(Element):
    """The unit of lengths."""

    name: str | None = attribute(STRING, source=COLLADA, doc="Its name.")
    meter: float = attribute(_UNIT_LENGTH, default=1.0, unit="m", source=COLLADA, doc="How long it is.")


class AssetElement(Element):
    """Where something comes from, and its unit and upward axis, which hold for all inside."""

    unread = frozenset({"coverage"})
    contributor: tuple[ContributorElement, ...] = element(ContributorElement, repeated=True, source=COLLADA, doc="Who made it.")
    created: str | None = child(STRING, source=COLLADA, doc="When it was made (ISO 8601).")
    keywords: str | None = child(STRING, source=COLLADA, doc="Words to find it by.")
    modified: str | None = child(STRING, source=COLLADA, doc="When it was last changed (ISO 8601).")
    revision: str | None = child(STRING, source=COLLADA, doc="Which revision it is.")
    subject: str | None = child(STRING, source=COLLADA, doc="What it is about.")
    title: str | None = child(STRING, source=COLLADA, doc="Its title.")
    unit: UnitElement | None = element(UnitElement, source=COLLADA, doc="The unit of lengths; metres where there is none.")
    up_axis: str | None = child(word(*UP_AXES), source=COLLADA, doc="The axis that points upwards; Y_UP where there is none.")
    extra: tuple[ExtraElement, ...] = extras()


class TranslateElement(Element):
    """A displacement."""

    value: tuple[float, float, float] | None = text(VECTOR3, unit="length", source=COLLADA, doc="Along x, y and z.")
    sid: str | None = scoped_identifier()


class RotateElement(Element):
    """A turn about an axis."""

    value: tuple[float, float, float, float] | None = text(
        vector(4), unit="1, degree", source=COLLADA, doc="The axis, then the angle."
    )
    sid: str | None = scoped_identifier()


class ScaleElement(Element):
    """Factors along the axes."""

    value: tuple[float, float, float] | None = text(VECTOR3, source=COLLADA, doc="Along x, y and z.")
    sid: str | None = scoped_identifier()


class MatrixElement(Element):
    """A homogeneous transform."""

    value: tuple[float, ...] | None = text(vector(16), unit="1, length", source=COLLADA, doc="Row by row.")
    sid: str | None = scoped_identifier()


class LookatElement(Element):
    """A place and a direction to look in: minus z points at the target, y upwards."""

    value: tuple[float, ...] | None = text(
        vector(9), unit="length, length, 1", source=COLLADA, doc="The place, the target, the upward direction."
    )
    sid: str | None = scoped_identifier()


class SkewElement(Element):
    """A shear: points move along the second axis, the more the farther they are along the first."""

    value: tuple[float, ...] | None = text(
        vector(7), unit="degree, 1, 1", source=COLLADA, doc="The angle, the axis of rotation, the axis of translation."
    )
    sid: str | None = scoped_identifier()


Transform = TranslateElement | RotateElement | ScaleElement | MatrixElement | LookatElement | SkewElement


def transforms() -> Any:
    """Declare any number of transforms of all kinds, applied from the last to the first."""
    return one_of(
        {
            "lookat": LookatElement,
            "matrix": MatrixElement,
            "rotate": RotateElement,
            "scale": ScaleElement,
            "skew": SkewElement,
            "translate": TranslateElement,
        },
        repeated=True,
        source=COLLADA,
        doc="Transforms, the outermost first.",
    )


def rigid_transforms() -> Any:
    """Declare any number of translations and rotations."""
    return one_of(
        {"rotate": RotateElement, "translate": TranslateElement},
        repeated=True,
        source=COLLADA,
        doc="Translations and rotations, the outermost first.",
    )


class ParamElement(Element):
    """The name of a parameter that holds the value."""

    value: str | None = text(STRING, source=COLLADA, doc="The parameter's name.")
    ref: str | None = attribute(STRING, source=COLLADA, doc="The parameter's name, the other way to say it.")

    @property
    def target(self) -> str | None:
        """The parameter's name."""
        return self.ref or self.value


class ValueElement(Element):
    """A value, or the name of what holds it."""

    float_value: float | None = child(NUMBER, name="float", source=COLLADA, doc="A number.")
    int_value: int | None = child(INTEGER, name="int", source=COLLADA, doc="A whole number.")
    bool_value: bool | None = child(BOOLEAN, name="bool", source=COLLADA, doc="true or false.")
    sidref: str | None = child(STRING, name="SIDREF", source=COLLADA, doc="A path of scoped identifiers.")
    param: ParamElement | None = element(ParamElement, source=COLLADA, doc="A parameter.")
    plain: str | None = text(STRING, source=PROGRAM, doc="A value without an element around it.")
    sid: str | None = scoped_identifier()

    @property
    def number(self) -> Any:
        """The number, whole number or truth value that it states, or None."""
        stated = (self.float_value, self.int_value, self.bool_value)
        return next((value for value in stated if value is not None), None)

    @property
    def reference(self) -> str | None:
        """The parameter or path that it names, or None."""
        return self.sidref or (self.param.target if self.param is not None else None)


class NewparamElement(ValueElement):
    """A parameter: a name for a value or for a place in the document."""


class SetparamElement(ValueElement):
    """A new value for a parameter of what is instantiated."""

    ref: str | None = attribute(STRING, source=COLLADA, doc="The parameter.")


class BindElement(ValueElement):
    """A value for a symbol of what is instantiated."""

    symbol: str | None = attribute(STRING, source=COLLADA, doc="The symbol.")
