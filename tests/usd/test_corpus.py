"""Every stage of the corpus: whether it is read, what it contains, and which errors and warnings are found."""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
import usd  # noqa: F401  # skipped without usd-core
from conftest import corpus_folder
from ossature.diagnostics import Severity
from usd.corpus_outcomes import OUTCOMES


def stages() -> list[str]:
    """Return the stages of the corpus; other files are their layers."""
    corpus = corpus_folder()
    if corpus is None:
        return []
    root = corpus / "corpus" / "usd"
    paths = [path.relative_to(root) for path in root.rglob("*.usd*")]
    return sorted(path.as_posix() for path in paths if not {"Payload", "Geometry"} & set(path.parts))


@pytest.mark.corpus
@pytest.mark.parametrize("name", stages())
def test_outcome(corpus: Path, name: str) -> None:
    world, report = ossature.read(corpus / "corpus" / "usd" / name)
    found = sorted({finding.rule.name for finding in report if finding.severity is not Severity.NOTE})
    if world is None:
        assert OUTCOMES[name] == ("refused", *found)
        return
    models = [model for model in world.models if not model.static]
    counts = (len(models), sum(len(one.bodies) for one in models), sum(one.degrees_of_freedom for one in models))
    assert OUTCOMES[name] == (*counts, *found)


def test_the_table_lists_all_files(corpus: Path) -> None:
    assert OUTCOMES.keys() == set(stages())
