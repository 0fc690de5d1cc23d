"""``ossature diff``: the differences between two model files of any formats."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, fail, output_console, print_findings, print_json
from ossature.cli.named_robots import locate_models
from ossature.cli.read_model import read_world
from ossature.cli.read_options import Json, ModelOptions, mesh_store, new_report

if TYPE_CHECKING:
    from ossature.assets import MeshStore
    from ossature.model import World
    from ossature.model_diff import WorldDiff

_GIT_ARGUMENTS = (7, 9)
"""Numbers of arguments with which git calls diff drivers: path, old file, hash, mode, new file, hash, mode (, name, score)."""
_EXIT_UNREADABLE = 2


def diff(
    files: Annotated[
        list[Path], typer.Argument(metavar="A B", help="The two model files, of any formats.", callback=locate_models)
    ],
    read: ModelOptions,
    tolerance: Annotated[
        float, typer.Option(help="Largest difference that is ignored: lengths in m, angles in rad, all else relative.", min=0.0)
    ] = 1e-5,
    as_json: Json = False,
) -> None:
    """Print how two robots differ: structure, kinematics, inertia, geometry, limits, dynamics, actuators, sensors.

    Bodies and joints are matched by name, and by structure if they are renamed. The order and the frames of bodies do not
    matter; a joint with another sign or zero is one difference.

    Exit codes: 0 no differences, 1 differences, 2 a file cannot be read. As a diff driver of git
    (`git config diff.robot.command "ossature diff"`) it always ends with 0, as git requires.
    """
    if len(files) in _GIT_ARGUMENTS and "GIT_DIFF_PATH_COUNTER" in os.environ:
        _print_git_diff(files, read, tolerance)
        return
    if len(files) != 2:
        fail(f"two files are compared, not {len(files)}")
    found = _compare([_read_side(file, read, file) for file in files], tolerance)
    if as_json:
        print_json({"a": str(files[0]), "b": str(files[1]), **found.to_dict()})
    else:
        _print_text(found, str(files[0]), str(files[1]), verbose=read.verbose)
    if found:
        raise typer.Exit(EXIT_INVALID_INPUT)


def _print_git_diff(files: list[Path], read: ModelOptions, tolerance: float) -> None:
    """Print the differences between two revisions of a file, as git calls its drivers; other files are relative to its path."""
    path, old, new = files[0], files[1], files[4]
    name = str(files[7]) if len(files) > 7 else str(path)  # the new name of a renamed file
    missing = [file for file in (old, new) if str(file) == os.devnull]
    if missing:
        output_console().print(f"{path}: {'added' if missing[0] is old else 'deleted'}", markup=False)
        return
    try:
        sides = [_read_side(file, read, Path(name)) for file in (old, new)]
    except typer.Exit:
        output_console().print(f"{path}: a revision cannot be read", markup=False)
        return
    _print_text(_compare(sides, tolerance), f"a/{path}", f"b/{name}", verbose=read.verbose)


def _read_side(file: Path, read: ModelOptions, beside: Path) -> tuple[World, MeshStore]:
    """Return the World in a file and its meshes, which are found relative to a path; end the command if it has errors."""
    report = new_report()
    world = read_world(file, read, report, beside=beside)
    if world is None or report.has_errors:
        print_findings(report, verbose=read.verbose)
        raise typer.Exit(_EXIT_UNREADABLE)
    return world, mesh_store(beside, read)


def _compare(sides: list[tuple[World, MeshStore]], tolerance: float) -> WorldDiff:
    from ossature.model_diff import diff as compare_worlds

    (a, meshes_a), (b, meshes_b) = sides
    return compare_worlds(a, b, tolerance=tolerance, meshes_a=meshes_a, meshes_b=meshes_b)


def _print_text(found: WorldDiff, a: str, b: str, *, verbose: bool) -> None:
    from ossature.model_diff.diff_text import diff_lines

    console = output_console()
    console.print(f"--- A {a}", markup=False)
    console.print(f"+++ B {b}", markup=False)
    for line in diff_lines(found, verbose=verbose):
        console.print(line, markup=False)
