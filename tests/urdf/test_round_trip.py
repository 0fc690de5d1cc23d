"""What is written is read again as it was, to the bit; what URDF cannot say is in the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from ossature.comparison import compare
from ossature.diagnostics import Ledger, Report, Source
from ossature.diagnostics.ledger import Action
from ossature.formats.urdf import read_urdf, write_urdf
from ossature.model import World
from urdf_corpus import load, urdf_files


def written_and_read(world: World, folder: Path) -> tuple[World, Ledger]:
    ledger = Ledger()
    text = write_urdf(world, ledger, folder=folder)
    report = Report()
    again = read_urdf(Source("written.urdf", text.encode()), report, folder=folder)
    assert again is not None
    assert not report.has_errors, str(report)
    return again, ledger


@pytest.mark.parametrize("name", urdf_files())
def test_corpus(corpus: Path, name: str, tmp_path: Path) -> None:
    world = load(corpus, name)
    again, ledger = written_and_read(world, tmp_path)
    assert again == world, compare(world, again)[0]
    # Limits that a file leaves out have to be said, as the largest numbers that there are.
    assert {entry.action for entry in ledger} <= {Action.REWRITTEN}
    assert len(ledger) == (8 if "pr2" in name else 0)
