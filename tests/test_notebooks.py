"""The notebooks of the examples run, and have a page with their outputs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conftest import PROJECT

sys.path.insert(0, str(PROJECT / "docs"))
try:
    import notebook_page
finally:
    sys.path.pop(0)


@pytest.mark.parametrize("path", notebook_page.notebooks(), ids=lambda path: path.stem)
def test_the_notebook_runs(path: Path) -> None:
    text, images = notebook_page.execute(path)
    assert text.startswith("# ")
    assert images
    assert all(name in text and data.startswith(b"\x89PNG") for name, data in images.items())


@pytest.mark.parametrize("path", notebook_page.notebooks(), ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert '"outputs": []' in text
    assert "image/png" not in text
