"""Declared elements: frozen, compared by their fields, with defaults for missing fields."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from ossature.diagnostics import Report, Source
from ossature.syntax import xml_parser
from ossature.syntax.schema import Element, attribute, child, replace_fields, spellings
from ossature.syntax.xml_binding import bind
from ossature.syntax.xml_values import NUMBER, STRING


class Named(Element):
    name: str | None = attribute(STRING, doc="Name.")
    mass: float = child(NUMBER, default=1.0, doc="Mass.")


class Heavy(Named):
    mass: float = child(NUMBER, default=100.0, doc="Mass.")


class Coloured(Named):
    color: tuple[str, ...] = child(STRING, repeated=True, doc="Colours.")


class HeavyAndColoured(Coloured, Heavy):
    """The override of one base has priority over the inherited field of the other."""


def test_missing_fields_have_their_defaults() -> None:
    assert (Named().name, Named().mass, Coloured().color) == (None, 1.0, ())
    assert HeavyAndColoured().mass == spellings(HeavyAndColoured)["mass"].default == 100.0
    assert list(spellings(HeavyAndColoured)) == ["name", "mass", "color"]


def test_elements_are_compared_by_their_fields() -> None:
    root = xml_parser.parse(Source("file", b"<named name='a'/>"), Report())
    assert root is not None
    read = bind(Named, root, Report())
    assert read.node is root
    assert read == Named(name="a") == Named(name="a", mass=1.0)
    assert hash(read) == hash(Named(name="a"))
    assert read != Heavy(name="a", mass=1.0)
    assert read != Named(name="b")
    assert repr(read) == "Named(name='a')"


def test_elements_are_frozen() -> None:
    specified = Named(name="a")
    with pytest.raises(FrozenInstanceError):
        specified.name = "b"  # type: ignore[misc]  # the tested error
    with pytest.raises(FrozenInstanceError):
        del specified.name
    assert replace_fields(specified, mass=2.0) == Named(name="a", mass=2.0)
    assert specified.mass == 1.0


def test_undeclared_field_is_rejected() -> None:
    with pytest.raises(TypeError, match="Named has no field colour"):
        Named(colour="red")  # type: ignore[call-arg]  # the tested error


def test_the_hint_for_a_missing_field_states_what_to_write() -> None:
    spec = attribute(NUMBER, doc="Moment about x.", name="ixx")
    assert spec.hint_for_missing("ixx=…") == "state ixx=…: Moment about x"
    assert attribute(NUMBER, doc="Radius.", name="radius").hint_for_missing("radius=…") == "state radius=…"
    assert attribute(NUMBER, doc="RGB colour.", name="color").hint_for_missing("<color>") == "state <color>: RGB colour"
