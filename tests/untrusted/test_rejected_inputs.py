"""Inputs that once ended in a traceback: each ends in a finding."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from ossature.diagnostics import Report, Source
from ossature.diagnostics.suggestions import Suggestions
from ossature.formats.chrono import read_chrono
from ossature.formats.skel import read_skel
from ossature.simulation import Simulation, SimulationError
from ossature.simulation.stepping.command_signals import Constant, SampledSignal, restore_signal, signal_state
from ossature.viewer.file_watcher import FileWatcher
from untrusted.attacks import ATTACKS


def test_a_shape_with_a_zero_axis_is_a_finding() -> None:
    report = Report()
    assert read_chrono(Source("a.yaml", ATTACKS["zero_axis.yaml"]()), report) is not None
    assert report.take("zero-axis")


@pytest.mark.parametrize("step", ["1e300", "1e-320", "5e-324"])
def test_a_time_step_that_cannot_be_computed_with_is_a_finding(step: str) -> None:
    world = read_skel(Source("a.skel", ATTACKS[f"step_{step}.skel"]()), Report())
    assert world is not None
    with pytest.raises(SimulationError) as refused:
        Simulation(world)
    assert refused.value.report.take("unusable-time-step")


@pytest.mark.parametrize("signal", [Constant(np.zeros(6)), SampledSignal([0.0, 1.0], [[0.0] * 6] * 2)])
def test_a_command_of_other_width_is_refused(signal: Constant | SampledSignal) -> None:
    assert signal_state(restore_signal(signal_state(signal), None, 6)).keys() == signal_state(signal).keys()
    with pytest.raises(ValueError, match="values"):
        restore_signal(signal_state(signal), None, 1)


def test_an_encoding_without_characters_of_one_byte_is_a_finding() -> None:
    report = Report()
    assert read_skel(Source("a.skel", ATTACKS["idna.skel"]()), report) is None
    assert "malformed-xml" in str(report)


def test_hints_are_made_in_bounded_time() -> None:
    hints = Suggestions()
    choices = [f"joint{number}" for number in range(1000)]
    found = [hints.hint(f"jiont{number}", choices) for number in range(60)]
    assert found[0] == "did you mean 'joint0'?"
    assert (found[-1] or "").startswith("valid, among others: joint0, joint1")


def test_the_watch_goes_on_after_a_file_that_cannot_be_shown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "a.skel"
    file.write_text("1")
    seen = []

    def saved(path: Path) -> None:
        seen.append(path)
        if len(seen) == 1:
            raise ArithmeticError("cannot be shown")

    watch = FileWatcher([file], saved)
    for content in ("22", "333"):
        file.write_text(content)
        with caplog.at_level(logging.ERROR):
            watch.poll()
    assert seen == [file, file]
    assert "cannot be shown" in caplog.text
