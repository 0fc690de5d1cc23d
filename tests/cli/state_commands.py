"""What tests of states share: commands, recordings and places in files."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner, Result

from conftest import PROJECT
from ossature.cli.app import app

PENDULUM = str(PROJECT / "examples" / "double_pendulum.skel")

CRANK = str(PROJECT / "examples" / "slider_crank.yaml")

HEAP = str(PROJECT / "examples" / "contact.skel")

PALLETIZER = str(PROJECT / "examples" / "palletizer.urdf")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def fine(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def recorded(folder: Path, suffix: str) -> Path:
    file = folder / f"run{suffix}"
    assert run("simulate", PENDULUM, "--duration", 0.1, "--sample-interval", 0.01, "--record", file).exit_code == 0
    return file


def place_in(file: Path, text: str) -> str:
    """Return the file, line and column of a text."""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if text in line:
            return f"{file}:{number}:{line.index(text) + 1}"
    raise AssertionError(text)


def with_displaced_rod(crank: Path, folder: Path) -> Path:
    """Return a state in which the rod is apart from the crank."""
    half = (crank / "half.usdf").read_text("utf-8")
    path = folder / "half.usdf"
    displaced = re.sub(r'(<link_state name="rod">.*?<pose[^>]*>)\S+', r"\g<1>0.9", half, count=1, flags=re.DOTALL)
    path.write_text(displaced, "utf-8")
    return path
