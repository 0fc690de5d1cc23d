"""Limits: how they are stated, that each refuses with a finding of its own, and that they hold for every reader."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ossature
from ossature.assets.read_regular_files import FileSizeLimitError, UnsuitableFileError, read_regular_file
from ossature.diagnostics import Limits, Report, Source
from ossature.diagnostics.resource_limits import RULES, LimitError, within_limits
from ossature.diagnostics.rule_examples import example_of

SKEL = b'<skel version="1.0"><world name="w">' + b'<skeleton name="s"/>' * 300 + b"</world></skel>"


@pytest.mark.parametrize(
    "text",
    [
        "elements",
        "elements=",
        "elements=x",
        "elements=-1",
        "elements=nan",
        "elements=inf",
        "weight=3",
        "depth=1e9",
        "elements=1.5",
    ],
)
def test_text_that_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="limit"):
        Limits().with_values(text)


def test_limits_are_specified_as_text() -> None:
    limits = Limits().with_values("elements=1e6, seconds=0.5")
    assert (limits.elements, limits.seconds, limits.depth) == (1_000_000, 0.5, Limits().depth)


def read_skel(limits: Limits) -> Report:
    from ossature.formats.skel import read_skel

    report = Report(limits=limits)
    read_skel(Source("a.skel", SKEL), report)
    return report


@pytest.mark.parametrize(
    ("limits", "rule"),
    [
        (Limits(elements=100), "too-many-elements"),
        (Limits(depth=2), "nesting-too-deep"),
        (Limits(findings=10), "too-many-findings"),
        (Limits(seconds=1e-9), "reading-too-long"),
    ],
)
def test_each_limit_refuses_with_a_rule_of_its_own(limits: Limits, rule: str) -> None:
    (found,) = read_skel(limits).take(rule)
    assert found.hint is not None
    assert "--limit" in found.hint
    assert any(char.isdigit() for char in found.message)


@pytest.mark.parametrize(
    ("limits", "rule"), [(Limits(depth=2), "nesting-too-deep"), (Limits(expansions=2), "too-many-expansions")]
)
def test_the_collada_reader_respects_the_limits_of_its_report(limits: Limits, rule: str) -> None:
    from ossature.formats.collada import read_collada

    example = example_of("too-many-expansions")
    assert example is not None
    report = Report(limits=limits)
    assert read_collada(Source("robot.dae", example.files["robot.dae"]), report) is None
    assert report.take(rule)


def test_findings_beyond_the_limit_are_not_kept() -> None:
    assert len(read_skel(Limits(findings=10))) == 11


def test_a_file_with_more_bytes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.skel"
    file.write_bytes(SKEL)
    world, report = ossature.read(file, limits=Limits(file_bytes=100))
    assert world is None
    assert report.take("file-too-large")


def test_memory_and_stack_that_do_not_suffice_are_findings() -> None:
    @within_limits
    def reader(source: Source, report: Report, error: type[Exception]) -> None:
        raise error

    report = Report()
    reader(Source("a"), report, MemoryError)
    reader(Source("a"), report, RecursionError)
    assert [found.rule.name for found in report] == ["out-of-memory", "nesting-too-deep"]
    assert not report.budget.is_timed


def test_nested_readers_count_together() -> None:
    @within_limits
    def inner(source: Source, report: Report) -> None:
        report.budget.add_expansions(60)

    @within_limits
    def outer(source: Source, report: Report) -> bool:
        inner(source, report)
        inner(source, report)
        return True

    report = Report(limits=Limits(expansions=100))
    assert outer(Source("a"), report)
    assert report.take("too-many-expansions")


def test_every_rule_is_of_a_limit() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    with pytest.raises(LimitError, match="array_bytes"):
        Report().budget.require_array(2**62)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("suffix", [".skel", ".yaml", ".dae", ".urdf", ".usdf"])
def test_pipes_and_devices_are_not_read(tmp_path: Path, suffix: str) -> None:
    pipe, device = tmp_path / f"pipe{suffix}", tmp_path / f"zero{suffix}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for file in (pipe, device):
        world, report = ossature.read(file)
        assert world is None
        assert report.take("unreadable-file")


def test_only_regular_files_of_permitted_size_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_regular_file(tmp_path / "a", 5) == b"12345"
    with pytest.raises(FileSizeLimitError):
        read_regular_file(tmp_path / "a", 4)
    with pytest.raises(UnsuitableFileError, match="folder"):
        read_regular_file(tmp_path, 5)


def test_the_command_line_states_limits(tmp_path: Path) -> None:
    file = tmp_path / "a.skel"
    file.write_bytes(SKEL)
    command = [sys.executable, "-m", "ossature", "info", str(file), "--limit"]
    refused = subprocess.run([*command, "elements=100"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "too-many-elements" in refused.stderr
    wrong = subprocess.run([*command, "weight=1"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
