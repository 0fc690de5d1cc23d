"""A lack of memory is one line, not a traceback."""

from __future__ import annotations

import sys

import pytest

from ossature import cli


def test_a_lack_of_memory_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise MemoryError("the arena")

    monkeypatch.setattr(cli, "_run", fail)
    monkeypatch.setattr(sys, "argv", ["ossature", "info", "x.urdf"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "error: there is not enough memory: the arena\n"
