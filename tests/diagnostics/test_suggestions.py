"""Hints that name the nearest choice."""

from __future__ import annotations

import pytest

from ossature.diagnostics import suggestion


@pytest.mark.parametrize(
    ("name", "choices", "hint"),
    [
        ("izx", ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"], "did you mean 'ixz'?"),
        ("dampign", ["damping", "friction"], "did you mean 'damping'?"),
        ("Elbow", ["elbow", "wrist"], "did you mean 'elbow'?"),
        ("mass", ["limit", "axis"], "valid: axis, limit"),
        ("mass", [], None),
    ],
)
def test_hints(name: str, choices: list[str], hint: str | None) -> None:
    assert suggestion(name, choices) == hint
