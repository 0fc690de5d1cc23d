"""Commands replace no input, write no file of another format, and name output files alike."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature.cli.app import app

EXAMPLES = PROJECT / "examples"


def usage_error(*arguments: object) -> str:
    """Run a command that ends with the exit code of invalid usage, and return its message on one line."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 2, result.output
    return " ".join(result.stderr.split())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("arm.skel", "palletizer.urdf", "picker.dae"):
        shutil.copy(EXAMPLES / name, tmp_path)
    (tmp_path / "calibration.yaml").write_text("calibration: {}\n")
    (tmp_path / "motion.csv").write_text("time,waist\n0,0\n1,1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "attach palletizer.urdf picker.dae palletizer.urdf --at base",
        "calibration apply palletizer.urdf calibration.yaml palletizer.urdf",
        "calibration diff palletizer.urdf palletizer.urdf --output palletizer.urdf",
        "trajectory resample motion.csv motion.csv",
        "convert arm.skel arm.skel",
        "ik picker.dae --list-target-types --output picker.dae",
    ],
)
def test_an_input_is_not_overwritten(command: str, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert "is given twice: it would be overwritten" in usage_error(*command.split())
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "command",
    [
        "render arm.skel missing/arm.png",
        "fmu arm.skel missing/arm.fmu",
        "trajectory resample motion.csv missing/motion.csv",
        "attach palletizer.urdf picker.dae missing/both.urdf --at base",
        "sweep plot results missing/plot.png",
    ],
)
def test_a_missing_folder_is_reported_before_the_work(command: str, folder: Path) -> None:
    assert "the folder does not exist" in usage_error(*command.split())


def test_standard_output_is_no_output_file(folder: Path) -> None:
    assert "'-' is no output file" in usage_error("convert", "arm.skel", "-", "--output-format", "urdf")
    assert not (folder / "-").exists()


def test_a_compiled_model_is_written_to_files_of_mjcf_only(folder: Path) -> None:
    assert "to files with the suffix .xml or .mjcf, not '.urdf'" in usage_error("convert", "arm.skel", "a.urdf", "--compiled")
    message = usage_error("convert", "arm.skel", "a.xml", "--compiled", "--output-format", "urdf")
    assert "--compiled writes MJCF: it contradicts --output-format urdf" in message
    assert not list(folder.glob("a.*"))


def test_the_kind_of_actuators_is_refused_by_formats_without_it(folder: Path) -> None:
    for arguments, name in (("a.urdf", "urdf"), ("a.xml --compiled", "mjcf-compiled")):
        message = usage_error("convert", "arm.skel", *arguments.split(), "--actuators", "motor")
        assert f"--actuators is for MJCF that is not compiled, not for {name}" in message
    for options in ({}, {"format": "mjcf-compiled"}):
        with pytest.raises(ossature.OssatureError, match="the kind of actuators is chosen for MJCF that is not compiled"):
            ossature.convert("arm.skel", "a.urdf", actuators="motor", **options)
    assert not list(folder.glob("a.*"))


def test_an_unknown_format_of_models_is_answered_by_formats_of_models() -> None:
    message = usage_error("info", EXAMPLES / "arm.skel", "--input-format", "foo")
    assert "urdf" in message
    assert "recording" not in message
    message = usage_error("schema", "foo")
    assert "skel" in message
    assert "recording" not in message


def test_the_image_of_a_sweep_is_an_argument_and_the_former_option(folder: Path) -> None:
    for arguments in (("plot.png",), ("--output", "plot.png"), ("-o", "plot.png")):
        result = CliRunner().invoke(app, ["sweep", "plot", str(folder), *arguments])
        assert "this is no folder with results of a sweep" in result.stderr
    for arguments in ((), ("plot.png", "-o", "plot.png")):
        assert "state one image to write: ossature sweep plot FOLDER OUT" in usage_error("sweep", "plot", folder, *arguments)


def test_a_report_without_findings_is_printed_as_such() -> None:
    assert str(ossature.Report()) == "no findings"
