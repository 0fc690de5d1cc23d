"""Plots draw names as they are, and read no settings of the working folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ossature.isolated_python_processes import child_environment
from ossature.recordings.plot_panels import image_of_panels

pytest.importorskip("matplotlib")
DRAW = """
from recordings.test_matplotlib_settings import draw
open("image.png", "wb").write(draw())
"""


def draw() -> bytes:
    """Return a plot with a title that is no formula and a label that TeX would replace by a file."""
    times = np.linspace(0.0, 1.0, 3)
    return image_of_panels(times, {r"$\frac{": [(r"\input{/etc/passwd}_a$", times)]}, "png")


def test_a_matplotlibrc_of_the_working_folder_has_no_effect(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nfont.size: 40\n")
    command = [sys.executable, "-c", DRAW]
    result = subprocess.run(command, cwd=tmp_path, env=child_environment(), capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "image.png").read_bytes() == draw()
