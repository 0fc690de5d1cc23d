"""Export of a mechanism as an FMI 2 unit for co-simulation, by PythonFMU."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from ossature.assets import write_file_atomically
from ossature.comparison import compare
from ossature.diagnostics import OssatureError
from ossature.io import load
from ossature.model import Mesh, World
from ossature.simulation import Plant

_SCRIPT = '''"""A mechanism, exported by Ossature."""

from ossature.fmu.slave import FmuSlave


class {name}(FmuSlave):
    MODEL = {model!r}
    INPUTS = {inputs!r}
'''


def export_fmu(world: World, path: str | Path, inputs: Sequence[str] | None = None) -> Path:
    """Write a World as a functional mock-up unit (FMI 2 for co-simulation), and return its path.

    The inputs are the commands of joints, motors and loads; the outputs are coordinates and velocities of joints. The unit
    contains the model's file with its meshes; where it runs, Python with the same version of Ossature must be installed. A
    communication step must be a multiple of the World's time step.

    Args:
        world: The World, as it was loaded from a file.
        path: The ``.fmu`` file.
        inputs: The commanded elements; see :class:`ossature.Plant`.

    Raises:
        KeyError: An input does not exist.
        OssatureError: PythonFMU is not installed, the World cannot be simulated, or its files cannot be packed.
    """
    if find_spec("pythonfmu") is None:
        raise OssatureError("this needs PythonFMU: pip install 'ossature[fmu]'")
    Plant(world, inputs)  # errors are reported here, and not by the program that runs the unit
    name = re.sub(r"\W", "_", world.name) or "model"
    name = name if name.isidentifier() else f"model_{name}"
    with tempfile.TemporaryDirectory() as folder:
        main = _pack(world, Path(folder) / "model")
        script = Path(folder) / f"ossature_unit_{name}.py"
        chosen = None if inputs is None else list(inputs)
        script.write_text(_SCRIPT.format(name=name, model=f"model/{main}", inputs=chosen), encoding="utf-8")
        built = _build(script, Path(folder) / "model")
        write_file_atomically(Path(path), built.read_bytes())
    return Path(path)


def _build(script: Path, model: Path) -> Path:
    """Build a unit in a process of its own, because PythonFMU imports the script, and units replace its modules.

    Raises:
        OssatureError: PythonFMU fails.
    """
    output = script.parent / "built"
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", str(script), "-d", str(output), str(model)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603  # our own arguments
    built = list(output.glob("*.fmu")) if output.is_dir() else []
    if result.returncode or len(built) != 1:
        last = (result.stderr.strip() or "no unit was written").splitlines()[-1]
        raise OssatureError(f"PythonFMU cannot build the unit: {last}")
    return built[0]


def _pack(world: World, folder: Path) -> str:
    """Copy the file of a World and its meshes into a folder, and return the name of the file.

    Raises:
        OssatureError: The World was not loaded from a file, or it has files outside of the folder of its file.
    """
    source = Path(world.origin.source.name) if world.origin is not None else None
    if source is None or not source.is_file():
        raise OssatureError("only a World that was loaded from a file can be exported: save it, and load it again")
    folder.mkdir()
    shutil.copy(source, folder)
    for uri in dict.fromkeys(_mesh_uris(world)):
        relative = PurePosixPath(uri.removeprefix("file:"))
        if relative.is_absolute() or ".." in relative.parts or not (source.parent / relative).is_file():
            raise OssatureError(
                f"the mesh '{uri}' is not in the folder of the model; convert the model, which copies its meshes"
            )
        (folder / relative).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source.parent / relative, folder / relative)
    if compare(world, load(folder / source.name)):
        raise OssatureError(
            "the World differs from its file, or consists of several files: save it as one file, and load it again"
        )
    return source.name


def _mesh_uris(world: World) -> Iterator[str]:
    for model in world.models:
        for body in model.bodies:
            shapes = [*(one.geometry for one in body.visuals), *(one.geometry for one in body.collisions)]
            shapes += [one.geometry for one in body.self_collisions or ()]
            yield from [shape.uri for shape in shapes if isinstance(shape, Mesh)]
