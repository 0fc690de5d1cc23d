"""The page of diagnostics has the form that its script writes, and a row for each file of the corpora."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from conftest import PROJECT
from ossature.simulation import rules
from ossature.simulation.compile import rules as compile_rules

sys.path.insert(0, str(PROJECT / "docs"))
try:
    import validation
finally:
    sys.path.pop(0)

CORPUS = Path(os.environ.get("OSSATURE_CORPUS", PROJECT.parent / "shared")) / "corpus"


def rows() -> dict[str, dict[str, list[str]]]:
    """Return the cells of the page by corpus and file."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in validation.PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found[line.removeprefix("## ")] = {}
        elif line.startswith("| ") and not line.startswith(("| ---", "| file ")):
            name, *cells = line.strip("| ").split(" | ")
            found[list(found)[-1]][name] = cells
    return found


def test_the_page_has_the_form_that_the_script_writes() -> None:
    text = validation.PAGE.read_text(encoding="utf-8")
    assert text.startswith(validation.INTRODUCTION.format(duration=validation.DEFAULT_DURATION, longest=validation.LONGEST))
    assert text.count(validation.Row(cells=validation.HEADER).line()) == len(validation.CORPORA)
    assert list(rows()) == list(validation.CORPORA)


def test_findings_on_the_page_are_rules() -> None:
    names = {rule.name for rule in (*compile_rules.RULES, *rules.RULES)}
    for files in rows().values():
        for cells in files.values():
            findings = cells[-1].removeprefix("refused: ").split(", ")
            assert findings == ["none"] or set(findings) <= names | {"ChronoError", "XmlError"}, cells


@pytest.mark.skipif(not CORPUS.is_dir(), reason="there are no corpora")
@pytest.mark.parametrize("corpus", validation.CORPORA)
def test_every_file_has_a_row(corpus: str) -> None:
    folder = CORPUS / corpus
    files = {path.relative_to(folder).as_posix() for path in validation.files_of(folder, validation.CORPORA[corpus])}
    assert files == set(rows()[corpus])
