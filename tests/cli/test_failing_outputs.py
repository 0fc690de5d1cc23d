"""Every output of every command, with each of its file operations failing once.

What was there before stays, or the whole new output is there; nothing is left beside it; the error is one line, and the exit
code is 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import ossature
from conftest import PROJECT
from failing_file_operations import FAILURES, FaultyOs, faulty
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.recordings import RecordingError, open_recording
from ossature.recordings.journal import SUFFIX

pytestmark = pytest.mark.usefixtures("heap_of_one_module")
ARM, CRANK = PROJECT / "examples" / "arm.skel", PROJECT / "examples" / "slider_crank.yaml"
PICKER = PROJECT / "examples" / "picker.dae"
TINY = """<skel version="1.0"><world name="world"><skeleton name="s"><body name="b"><inertia><mass>1</mass></inertia></body>
<joint type="free" name="j"><parent>world</parent><child>b</child></joint></skeleton></world></skel>"""
OLD = b"as it was before"


@dataclass(frozen=True)
class Output:
    """A command that writes a file.

    Attributes:
        name: What it is called in reports of tests.
        suffix: Of the file.
        arguments: The command; ``OUT`` is the file, ``RUN`` a recording, ``STATE`` a state, ``TINY`` a model.
        needs: The module without which it is skipped.
        is_recording: Whether the file grows, so that samples before a failure are in it.
    """

    name: str
    suffix: str
    arguments: tuple[object, ...]
    needs: str = "ossature"
    is_recording: bool = False


def simulated(option: str, suffix: str, needs: str = "ossature") -> Output:
    arguments = ("simulate", ARM, "--duration", "0.004", option, "OUT")
    return Output(f"simulate {option} {suffix}", suffix, arguments, needs, is_recording=option == "--record")


QUICK = [Output("convert", ".skel", ("convert", "TINY", "OUT")), simulated("--record", ".npz")]
ALL = [
    *QUICK,
    Output("ledger", ".json", ("convert", "TINY", "converted.urdf", "--ledger", "OUT")),
    *(simulated("--record", suffix) for suffix in (".usdf", ".csv")),
    *(Output(f"convert {suffix}", suffix, ("convert", ARM, "OUT")) for suffix in (".urdf", ".xml", ".dae", ".zae")),
    Output("convert .yaml", ".yaml", ("convert", CRANK, "OUT")),
    simulated("--record", ".json"),
    simulated("--record", ".parquet", "pyarrow"),
    simulated("--save-state", ".usdf"),
    simulated("--save-world", ".skel"),
    simulated("--plot", ".svg", "matplotlib"),
    Output("state extract", ".usdf", ("state", "extract", "RUN", "OUT")),
    Output("state apply", ".skel", ("state", "apply", "STATE", ARM, "OUT")),
    Output("state resample", ".csv", ("state", "resample", "RUN", "OUT")),
    Output("state resample .npz", ".npz", ("state", "resample", "RUN", "OUT")),
    Output("state plot", ".png", ("state", "plot", "RUN", "OUT"), "matplotlib"),
    Output("calibrate diff", ".yaml", ("calibration", "diff", ARM, ARM, "-o", "OUT")),
    Output("render", ".png", ("render", ARM, "OUT", "--size", "32x32"), "embreex"),
    Output("view --export", ".html", ("view", ARM, "--export", "OUT"), "viser"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for one output, which is the working folder; what commands read is in another one."""
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    simulation = ossature.Simulation(ossature.load(ARM))
    simulation.run(0.004, 0.002, record=inputs / "run.csv")
    run("simulate", ARM, "--duration", "0.004", "--save-state", inputs / "state.usdf")
    (inputs / "tiny.skel").write_text(TINY)
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    monkeypatch.chdir(outputs)
    return outputs


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def written(output: Output, folder: Path, number: int, failure: Callable[..., object]) -> tuple[Result, FaultyOs, Path]:
    """Run a command over an old output, with one operation failing."""
    for path in folder.iterdir():
        path.unlink()
    file = folder / f"out{output.suffix}"
    file.write_bytes(OLD)
    inputs = folder.parent / "inputs"
    words = {"OUT": file, "RUN": inputs / "run.csv", "STATE": inputs / "state.usdf", "TINY": inputs / "tiny.skel"}
    with faulty(number, failure) as system:
        result = run(*(words.get(str(argument), argument) for argument in output.arguments))
    return result, system, file


def is_whole(output: Output, file: Path, expected: int) -> bool:
    """Whether a file is a new output, whole, or a recording that can be read."""
    if not output.is_recording:
        return abs(file.stat().st_size - expected) < 0.05 * expected + 100  # times and dates differ
    try:
        open_recording(file, Report())
    except RecordingError:
        return False
    return True


def check(output: Output, failures: list[str], folder: Path, *, first_of_each: bool = False) -> None:
    """Let operations fail, all of them or the first one of each name."""
    if find_spec(output.needs) is None:
        pytest.skip(f"{output.needs} is not installed")
    result, system, file = written(output, folder, -1, FAILURES["full"])
    assert result.exit_code == 0, result.output
    size, beside = file.stat().st_size, {path.name for path in folder.iterdir()}
    operations = list(system.done)
    assert "fsync" in operations
    for failure in failures:
        numbers = sorted({name: number for number, name in reversed(list(enumerate(operations)))}.values())
        for number in numbers if first_of_each else range(len(operations)):
            name = operations[number]
            where = f"{output.name}: {failure} at {number}: {name}"
            result, system, file = written(output, folder, number, FAILURES[failure])
            assert system.done[: number + 1] == operations[: number + 1], where
            assert system.forced, where
            where += f" of {system.forced}"
            assert not system.closed_again, where
            assert not system.descriptors, where
            if failure == "short" or (result.exit_code == 0 and name == "lseek"):  # zipfile goes on without
                assert result.exit_code == 0, f"{where}\n{result.output}"
                assert is_whole(output, file, size), where
                assert file.read_bytes() != OLD, where
                continue
            assert result.exit_code != 0, where
            if failure != "interrupted":
                assert result.exit_code == 1, f"{where}\n{result.output}"
                assert isinstance(result.exception, SystemExit), f"{where}\n{result.exception!r}"
                errors = [line for line in result.stderr.splitlines() if line.startswith("error")]
                assert len(errors) == 1, f"{where}\n{result.output}"
                assert "Traceback" not in result.output
            is_in_place = "replace" in operations[:number]  # perhaps a recording that has no sample yet
            assert file.read_bytes() == OLD or is_whole(output, file, size) or (output.is_recording and is_in_place), where
            assert is_in_place or file.read_bytes() == OLD, where
            left = {path.name for path in folder.iterdir()} - beside
            if output.is_recording:
                left -= {file.name + SUFFIX}  # samples that no table could be made of
            if name == "unlink":
                left = {path for path in left if not path.endswith(".lock")}
            assert not left, where


@pytest.mark.parametrize(
    "output",
    QUICK,
    ids=lambda output: output.name,
)
def test_a_full_disk_leaves_what_was_there(output: Output, folder: Path) -> None:
    check(output, ["full"], folder, first_of_each=True)


def test_operations_do_not_depend_on_the_speed_of_the_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = simulated("--record", ".npz")
    operations = []
    for clock in (itertools.repeat(0.0), itertools.count(0.0, 1.0)):
        monkeypatch.setattr("ossature.recordings.write.time.monotonic", partial(next, clock))
        operations.append(written(output, folder, -1, FAILURES["full"])[1].done)
    assert operations[0] == operations[1]


@pytest.mark.slow
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("output", ALL, ids=lambda output: output.name)
def test_every_failure_of_every_operation_of_every_output(output: Output, failure: str, folder: Path) -> None:
    check(output, [failure], folder)
