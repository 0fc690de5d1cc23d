"""Schema of elements common to all parts of COLLADA: assets, transforms, parameters and extensions.

Sources: *COLLADA* is the 1.5.0 specification of the Khronos Group, *page* the published page of OpenRAVE's robot
extensions, *program* what OpenRAVE also reads or writes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ossature.diagnostics import Location, Report
from ossature.formats.collada.rules import INCOMPLETE_EXTENSION
from ossature.spatial import Vector3
from ossature.syntax import xml_values
from ossature.syntax.rules import INVALID_NUMBER
from ossature.syntax.schema import Element, attribute, child, element, one_of, text
from ossature.syntax.xml_values import INTEGER, NUMBER, STRING, VECTOR3, ValueType, shown, vector, word

COLLADA, PAGE, PROGRAM = "COLLADA", "page", "program"
UP_AXES = ("X_UP", "Y_UP", "Z_UP")
BOOLEAN: ValueType[bool] = replace(xml_values.BOOLEAN, format=lambda value: "true" if value else "false")
"""A Boolean as ``true`` or ``false``, the only spelling that OpenRAVE reads in its extensions."""


def identifier() -> Any:
    """Declare the attribute ``id``."""
    return attribute(STRING, source=COLLADA, doc="Identifier, unique in the document.")


def scoped_identifier() -> Any:
    """Declare the attribute ``sid``."""
    return attribute(STRING, source=COLLADA, doc="Scoped identifier, unique among its siblings.")


def plain_name() -> Any:
    """Declare the attribute ``name``."""
    return attribute(STRING, source=COLLADA, doc="Name for display.")


def extras() -> Any:
    """Declare any number of ``<extra>``."""
    return element(ExtraElement, name="extra", repeated=True, source=COLLADA, doc="Extensions.")


def techniques() -> Any:
    """Declare any number of ``<technique>`` beside the common one."""
    return element(TechniqueElement, name="technique", repeated=True, source=COLLADA, doc="Content for one program.")


_SHORTEST_UNIT, _LONGEST_UNIT = 1e-15, 1e15


def _parse_unit(text: str) -> float:
    value = NUMBER.parse(text)
    if not _SHORTEST_UNIT <= value <= _LONGEST_UNIT:
        raise ValueError(text)
    return value


def _explain_unit(text: str, name: str, location: Location, report: Report) -> None:
    hint = f"a number of metres from {_SHORTEST_UNIT:g} to {_LONGEST_UNIT:g}"
    report.add(INVALID_NUMBER, f"{name} is {shown(text)}, not a valid unit of length", location, hint=hint)


_UNIT_LENGTH: ValueType[float] = ValueType(
    name="positive number", parse=_parse_unit, format=NUMBER.format, explain=_explain_unit
)


class TechniqueElement(Element, source=COLLADA):
    """Content for one program, with a format of its own."""

    opaque = True
    profile: str | None = attribute(STRING, required=True, doc="Name of the program.")
    sid: str | None = scoped_identifier()


class ExtraElement(Element, source=COLLADA):
    """An extension. Those of unknown types are passed through as text."""

    opaque = True
    id: str | None = identifier()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    type: str | None = attribute(STRING, doc="Type of the extension.")


class ContributorElement(Element, source=COLLADA):
    """Author and authoring tool of the document."""

    unread = frozenset({"author_email", "author_website"})
    author: str | None = child(STRING, doc="Author.")
    authoring_tool: str | None = child(STRING, doc="Authoring tool. Two old ones wrote joint values in radians.")
    comments: str | None = child(STRING, doc="Remarks.")
    copyright: str | None = child(STRING, doc="Copyright.")
    source_data: str | None = child(STRING, doc="URL of the source data.")


class UnitElement(Element, source=COLLADA):
    """The unit of length."""

    name: str | None = attribute(STRING, doc="Name.")
    meter: float = attribute(_UNIT_LENGTH, default=1.0, unit="m", doc="Length of the unit in metres.")


class AssetElement(Element, source=COLLADA):
    """Provenance of an element; unit of length and up axis of all of its content."""

    unread = frozenset({"coverage"})
    contributor: tuple[ContributorElement, ...] = element(ContributorElement, repeated=True, doc="Authors and tools.")
    created: str | None = child(STRING, doc="Time of creation (ISO 8601).")
    keywords: str | None = child(STRING, doc="Keywords.")
    modified: str | None = child(STRING, doc="Time of the last change (ISO 8601).")
    revision: str | None = child(STRING, doc="Revision.")
    subject: str | None = child(STRING, doc="Subject.")
    title: str | None = child(STRING, doc="Title.")
    unit: UnitElement | None = element(UnitElement, doc="The unit of length; metre if absent.")
    up_axis: str | None = child(word(*UP_AXES), doc="The up axis; Y_UP if absent.")
    extra: tuple[ExtraElement, ...] = extras()


class TranslateElement(Element, source=COLLADA):
    """A translation."""

    value: Vector3 | None = text(VECTOR3, unit="length", doc="Components along x, y and z.")
    sid: str | None = scoped_identifier()


class RotateElement(Element, source=COLLADA):
    """A rotation about an axis."""

    value: tuple[float, float, float, float] | None = text(vector(4), unit="1, degree", doc="The axis, then the angle.")
    sid: str | None = scoped_identifier()


class ScaleElement(Element, source=COLLADA):
    """Scale factors along the axes."""

    value: Vector3 | None = text(VECTOR3, doc="Components along x, y and z.")
    sid: str | None = scoped_identifier()


class MatrixElement(Element, source=COLLADA):
    """A homogeneous transform."""

    value: tuple[float, ...] | None = text(vector(16), unit="1, length", doc="The elements in row-major order.")
    sid: str | None = scoped_identifier()


class LookatElement(Element, source=COLLADA):
    """A viewing pose: -z points at the target, y upwards."""

    value: tuple[float, ...] | None = text(vector(9), unit="length, length, 1", doc="Position, target and up direction.")
    sid: str | None = scoped_identifier()


class SkewElement(Element, source=COLLADA):
    """A shear: points move along the translation axis, in proportion to their coordinate along the rotation axis."""

    value: tuple[float, ...] | None = text(
        vector(7), unit="degree, 1, 1", doc="The angle, the axis of rotation, the axis of translation."
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


class ParamElement(Element, source=COLLADA):
    """A reference to a parameter with the value."""

    value: str | None = text(STRING, doc="Name of the parameter.")
    ref: str | None = attribute(STRING, doc="Name of the parameter, as an attribute.")

    @property
    def target(self) -> str | None:
        """Name of the parameter."""
        return self.ref or self.value


class ExtensionElement(Element):
    """An element of an extension: without its required content it is ignored, and the rest of the document is read."""

    missing_rule = INCOMPLETE_EXTENSION


class ValueElement(Element, source=COLLADA):
    """A value, or a reference to one."""

    float_value: float | None = child(NUMBER, name="float", doc="A number.")
    int_value: int | None = child(INTEGER, name="int", doc="An integer.")
    bool_value: bool | None = child(BOOLEAN, name="bool", doc="true or false.")
    sidref: str | None = child(STRING, name="SIDREF", doc="A SID path.")
    param: ParamElement | None = element(ParamElement, doc="A parameter.")
    plain: str | None = text(STRING, source=PROGRAM, doc="A value as plain text, without an inner element.")
    sid: str | None = scoped_identifier()

    @property
    def number(self) -> Any:
        """The stated float, integer or Boolean, or None."""
        specified = (self.float_value, self.int_value, self.bool_value)
        return next((value for value in specified if value is not None), None)

    @property
    def reference(self) -> str | None:
        """The name of the parameter or the SID path that it refers to, or None."""
        return self.sidref or (self.param.target if self.param is not None else None)


class NewparamElement(ValueElement):
    """A parameter: a name for a value or for an element of the document."""


class SetparamElement(ValueElement, source=COLLADA):
    """A new value for a parameter of the instantiated element."""

    ref: str | None = attribute(STRING, doc="The parameter.")


class BindElement(ValueElement, source=COLLADA):
    """A value for a symbol of the instantiated element."""

    symbol: str | None = attribute(STRING, doc="The symbol.")
