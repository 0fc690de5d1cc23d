"""Tables show names as they are, and keep numbers on one line."""

from __future__ import annotations

import pytest

from ossature.cli.terminal_tables import format_number, format_rotation, print_table


def test_brackets_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("position [m]", "name"), [("1.0 2.0", "[red]arm[/red]"), ("3.0 4.0", "[link=x]")])
    output = capsys.readouterr().out
    assert "position [m]" in output
    assert "[red]arm[/red]" in output
    assert "[link=x]" in output


def test_numbers_stay_on_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    words = "a long text that has to go over several lines of so narrow a window"
    print_table(("name", "numbers", "text"), [("x" * 20, "1.0000 2.0000 -3.0000", words)])
    output = capsys.readouterr().out
    assert "1.0000 2.0000 -3.0000" in output
    assert "x" * 16 in output
    assert words not in output


def test_programs_get_whole_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    print_table(("name", "text"), [("x", "word " * 60)])
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_lines_have_no_trailing_blanks(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "text"), [("x", "a long text"), ("y", ""), ("", "")])
    assert capsys.readouterr().out == "name  text\nx     a long text\ny\n\n"


@pytest.mark.parametrize("value", [-1e-9, -0.0, -4.9e-5])
def test_numbers_that_round_to_zero_have_no_sign(value: float) -> None:
    assert "-" not in format_number(value)
    assert "-" not in format_rotation((1.0, value, value, value / 100.0))


def test_negative_numbers_keep_their_sign() -> None:
    assert format_number(-1.5).strip() == "-1.5000"
