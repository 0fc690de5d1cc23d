"""The generated pages are up to date. What the lines of the coverage page say is tested beside each format."""

from __future__ import annotations

import pytest

from generated_pages import first_cell, generate


def test_pages() -> None:
    for path, text in generate.quick_pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is out of date: run `make docs`"


@pytest.mark.slow
def test_the_table_of_conversions() -> None:
    text = (generate.DOCS / "conversion_table.md").read_text(encoding="utf-8")
    assert text == generate.pages()[generate.DOCS / "conversion_table.md"], (
        "conversion_table.md is out of date: run `make docs`"
    )


def test_the_coverage_page_has_a_line_for_each_row() -> None:
    lines = (generate.DOCS / "coverage.md").read_text(encoding="utf-8").split("\n")
    names = [first_cell(line) if line.startswith("| `") and "| passed through |" not in line else line for line in lines]
    expected = generate.coverage_page(lambda row: f"| `{row.path}`", lambda row: f"| `{row}`", lambda row: f"| `{row.path}`")
    assert names == expected.split("\n"), "coverage.md is out of date: run `make docs`"
