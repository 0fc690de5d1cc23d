"""Commands execute no Python file of the working folder, in their own process or in those that they start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import PROJECT

EXAMPLES = PROJECT / "examples"
MODULES = ("json", "math", "mujoco", "multiprocessing", "numpy", "ossature", "pickle", "pythonfmu", "typing")
MUSCLE = """<mujoco><worldbody><body><joint name="{0}" axis="0 1 0" range="-1 1"/><geom size="0.1" pos="0.3 0 0"/></body>
</worldbody><actuator><muscle joint="{0}"/></actuator></mujoco>"""
STAGE = """#usda 1.0
(metersPerUnit = 1)
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 1
}
"""
FILES = 24
"""Enough that they are checked in two processes."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with modules that write a file when they are executed, and models."""
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"open('executed {name}', 'w').close()\n")
    for number in range(FILES):
        (tmp_path / f"muscle{number}.xml").write_text(MUSCLE.format(f"j{number}"))
    return tmp_path


def run(folder: Path, arguments: Sequence[object]) -> str:
    command = [sys.executable, "-P", "-m", "ossature", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert [path.name for path in folder.glob("executed*")] == []
    return done.stdout + done.stderr


def test_the_length_range_of_a_muscle(folder: Path) -> None:
    run(folder, ["check", "muscle0.xml", "--no-cache"])


def test_a_script_beside_a_file_with_the_name_of_a_standard_module(tmp_path: Path) -> None:
    """Python imports some modules before the folder of the script precedes the standard library, but not in each process."""
    pytest.importorskip("pxr")
    (tmp_path / "enum.py").write_text("raise ImportError('the module beside the script')\n")
    (tmp_path / "muscle.xml").write_text(MUSCLE.format("j"))
    (tmp_path / "body.usda").write_text(STAGE)
    script = f"import enum, sys; sys.path.insert(0, {str(tmp_path)!r})\nimport ossature\n"
    script += "for name in ('muscle.xml', 'body.usda'):\n    ossature.load(name)\n"
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("check", ".", "--no-cache", "--jobs", "2"),
        ("sweep", EXAMPLES / "spring_sweep.yaml", "-o", "results", "--executor", "processes", "--workers", "2"),
        ("fmu", EXAMPLES / "cart_pole.urdf", "o.fmu"),
        ("convert", EXAMPLES / "cart_pole.urdf", "o.skel", "--verify"),
    ],
    ids=lambda command: command[0],
)
def test_commands_that_start_processes(folder: Path, command: Sequence[object]) -> None:
    if command[0] == "fmu":
        pytest.importorskip("pythonfmu")
    run(folder, command)
