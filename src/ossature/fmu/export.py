"""Export of a mechanism as an FMI 2 unit for co-simulation, by PythonFMU."""

from __future__ import annotations

import keyword
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from ossature.argument_types import typed_arguments
from ossature.assets import write_file_atomically
from ossature.comparison import compare
from ossature.diagnostics import OssatureError
from ossature.io import load
from ossature.isolated_python_processes import child_environment, last_line
from ossature.model import Mesh, World
from ossature.simulation import Plant

_SCRIPT = '''"""A mechanism, exported by Ossature."""

from ossature.fmu.slave import FmuSlave


class {name}(FmuSlave):
    MODEL = {model!r}
    INPUTS = {inputs!r}
'''

_LONGEST_NAME = 100


@typed_arguments
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
    name = class_name(world.name)
    with tempfile.TemporaryDirectory() as folder:
        main = _pack(world, Path(folder) / "model")
        script = Path(folder) / f"ossature_unit_{name}.py"
        chosen = None if inputs is None else list(inputs)
        script.write_text(_SCRIPT.format(name=name, model=f"model/{main}", inputs=chosen), encoding="utf-8")
        write_file_atomically(Path(path), _build(script, Path(folder) / "model").read_bytes())
    return Path(path)


def class_name(name: str) -> str:
    """Return the name of a World as one of a Python class, and of its file, that PythonFMU can find."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)[:_LONGEST_NAME]
    return plain if plain.isidentifier() and not keyword.iskeyword(plain) and plain != "FmuSlave" else f"model_{plain}"


def _build(script: Path, model: Path) -> Path:
    """Build a unit in a process of its own, because PythonFMU imports the script, and units replace its modules."""
    output = script.parent / "built"
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", str(script), "-d", str(output), str(model)]
    result = subprocess.run(  # noqa: S603  # our own arguments
        command, capture_output=True, text=True, check=False, env=child_environment()
    )
    built = list(output.glob("*.fmu")) if output.is_dir() else []
    if result.returncode or len(built) != 1:
        raise OssatureError(f"PythonFMU cannot build the unit: {last_line(result.stderr) or 'no unit was written'}")
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
    copies = {uri: str(_copy_mesh(uri, source.parent, folder)) for uri in set(_mesh_uris(world))}
    differences = compare(world, load(folder / source.name))
    if any(not isinstance(one.a, str) or copies.get(one.a) != one.b for one in differences):
        raise OssatureError(
            "the World differs from its file, or consists of several files: save it as one file, and load it again"
        )
    return source.name


def _copy_mesh(uri: str, source: Path, target: Path) -> Path:
    """Copy a mesh from the folder of a model into another folder, and return its path there.

    Raises:
        OssatureError: It is not a file in the folder of the model; a link to another folder is not, either.
    """
    file = Path(os.path.abspath(source / uri.removeprefix("file:")))  # noqa: PTH100  # a link is no place for a copy
    folder = source.absolute()
    if not (file.is_relative_to(folder) and file.is_file() and file.resolve().is_relative_to(folder.resolve())):
        raise OssatureError(f"the mesh '{uri}' is not in the folder of the model; convert the model, which copies its meshes")
    copy = target / file.relative_to(folder)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, copy)
    return copy


def _mesh_uris(world: World) -> Iterator[str]:
    for model in world.models:
        for body in model.bodies:
            shapes = [*(one.geometry for one in body.visuals), *(one.geometry for one in body.collisions)]
            shapes += [one.geometry for one in body.self_collisions or ()]
            yield from [shape.uri for shape in shapes if isinstance(shape, Mesh)]
