"""The page of the corpora has a row for each model file, and a reason for each refusal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conftest import PROJECT

sys.path.insert(0, str(PROJECT / "docs"))
try:
    import corpus as corpus_page
finally:
    sys.path.pop(0)


def rows() -> dict[str, dict[str, list[str]]]:
    """Return the cells of the page by corpus and file."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in corpus_page.PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found[line.removeprefix("## ")] = {}
        elif found and line.startswith("| ") and not line.startswith("| file |"):
            name, *cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            found[list(found)[-1]][name] = cells
    return found


def test_the_page_has_the_form_that_the_script_writes() -> None:
    assert corpus_page.PAGE.read_text(encoding="utf-8").startswith(corpus_page.INTRODUCTION)
    assert list(rows()) == list(corpus_page.CORPORA)


def test_every_file_with_errors_has_a_reason() -> None:
    missing = [
        f"{corpus}/{name}"
        for corpus, files in rows().items()
        for name, (outcome, *_, reasons) in files.items()
        if outcome != "read" and not reasons
    ]
    assert not missing


def test_the_page_contains_no_path_of_a_machine() -> None:
    assert not any(cell.startswith("/") for files in rows().values() for cells in files.values() for cell in cells)


@pytest.mark.parametrize("name", corpus_page.CORPORA)
def test_every_file_has_a_row(name: str, corpus: Path) -> None:
    root = corpus / "corpus"
    assert {path.relative_to(root / name).as_posix() for path in corpus_page.files_of(root, name)} == set(rows()[name])


@pytest.mark.parametrize(("name", "file"), [("mjcf-elements", "converter/ball_joints.xml"), ("skel", "cartpole.skel")])
def test_a_row_is_what_the_file_gives(name: str, file: str, corpus: Path) -> None:
    row = corpus_page.examine(corpus / "corpus" / name / file, name, file, False)
    assert row.line() in corpus_page.PAGE.read_text(encoding="utf-8").splitlines()


def test_the_readme_counts_what_the_page_counts() -> None:
    files = [cells for name in ("mjcf", "mjcf-elements") for cells in rows()[name].values()]
    compiled = [cells for cells in files if corpus_page.REFUSED["mjcf"] not in cells[-1]]
    read = [cells for cells in compiled if cells[0] != "refused"]
    assert f"{len(read)} of the {len(compiled)} MJCF files" in (PROJECT / "README.md").read_text(encoding="utf-8")
