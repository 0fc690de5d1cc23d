"""Every row of the coverage table: it occurs in a file of our own, and changing it there does something."""

from __future__ import annotations

import pytest

from collada_coverage import (
    NO_EFFECT,
    NOT_ACTING,
    SUPPORTED_FIELDS,
    Row,
    is_read,
    measure,
    rows,
    why_not_acting,
    why_without_effect,
)
from collada_documents import read, robot, technique
from generated_pages import generate, is_on_the_page
from ossature.model import Extension

ROWS = rows()


def test_every_row_is_read_or_has_a_reason() -> None:
    assert [row.key for row in ROWS if not is_read(row)] == [row.key for row in ROWS if why_without_effect(row)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_row(row: Row) -> None:
    result = measure(row)
    assert result is not None, f"{row.key} is in no file under tests/collada/files"
    assert is_on_the_page(generate.collada_line(row, result))
    why = why_without_effect(row)
    assert (result.read == "nothing") == (why is not None), f"changing {row.key} does: {result.read} ({why})"
    if result.read == "World":
        assert result.written is not False, f"{row.key} is changed and does not survive writing"
        assert result.acts or why_not_acting(row), f"{row.key} is changed and nothing stands, looks or moves differently"


def test_reasons_are_those_of_rows() -> None:
    reasons = {*NO_EFFECT, *(name for names in NOT_ACTING for name in names.split())}
    assert reasons <= {row.key for row in ROWS}


@pytest.mark.parametrize(
    ("kind", "field"), [(kind, field) for kind, fields in SUPPORTED_FIELDS.items() for field in fields.split()]
)
def test_fields_of_devices_are_passed_through(kind: str, field: str) -> None:
    tag, type_ = kind.split()
    inside = f'<{tag} type="{type_}" id="thing"><{field}>1 2 3</{field}></{tag}>'
    bound = '<frame_origin link="base"/>' if tag == "sensor" else '<bind_actuator joint="elbow"/>'
    attached = technique(f"attach_{tag}", f'<instance_{tag} url="#thing"/>{bound}', attributes='name="it"')
    world = read(robot(motion_extra=attached, extra=technique(f"library_{tag}s", inside)))
    (model,) = world.models
    (one,) = model.sensors if tag == "sensor" else model.actuators
    assert (one.type, one.settings) == (type_, (Extension(format="collada", key=field, value="1 2 3"),))
