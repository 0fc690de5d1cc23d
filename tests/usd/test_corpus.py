"""Every stage of the corpus: whether it is read, what it contains, and which errors and warnings are found.

Those that were converted from other files are read once, in ``test_sources.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
import usd  # noqa: F401  # skipped without usd-core
from conftest import corpus_folder
from usd.corpus_outcomes import OUTCOMES, outcome
from usd.test_sources import pairs


def stages() -> list[str]:
    """Return the stages of the corpus; other files are their layers."""
    corpus = corpus_folder()
    if corpus is None:
        return []
    root = corpus / "corpus" / "usd"
    paths = [path.relative_to(root) for path in root.rglob("*.usd*")]
    return sorted(path.as_posix() for path in paths if not {"Payload", "Geometry"} & set(path.parts))


def stages_without_source() -> list[str]:
    """Return the stages that no other test reads."""
    folders = tuple(f"{kind}/{name}/" for kind, name in pairs())
    return [name for name in stages() if not name.startswith(folders)]


@pytest.mark.corpus
@pytest.mark.parametrize("name", stages_without_source())
def test_outcome(corpus: Path, name: str) -> None:
    assert OUTCOMES[name] == outcome(*ossature.read(corpus / "corpus" / "usd" / name))


def test_the_table_lists_all_files(corpus: Path) -> None:
    assert OUTCOMES.keys() == set(stages())
