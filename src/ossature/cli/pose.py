"""``ossature pose``: where every body is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.common import (
    CalibrationFile,
    File,
    From,
    Json,
    LimitsOption,
    OpenRave,
    Verbose,
    fail,
    format_named,
    input_errors,
    load_world,
    mesh_store,
    numbers,
)
from ossature.cli.console import errors_console, print_json
from ossature.cli.hands import gripped
from ossature.cli.tables import print_table
from ossature.diagnostics import suggestion

if TYPE_CHECKING:
    from ossature.assets import MeshStore
    from ossature.model import World
    from ossature.spatial import Pose


def pose(
    file: File,
    joint: Annotated[
        list[str] | None,
        typer.Option("--joint", "-j", help="NAME=value[,value…] or MODEL/NAME=…: coordinates [rad or m]; repeatable."),
    ] = None,
    close: Annotated[
        list[str] | None, typer.Option(help="ARM: close the gripper of a manipulator, until limits or contact; repeatable.")
    ] = None,
    open_: Annotated[
        list[str] | None, typer.Option("--open", help="ARM: open the gripper of a manipulator likewise; repeatable.")
    ] = None,
    from_: From = None,
    openrave: OpenRave = False,
    calibration: CalibrationFile = None,
    as_json: Json = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Print the pose of every body in the world, at the joints' initial positions or at given ones, with closed loops."""
    from ossature.kinematics import poses

    world = load_world(file, format_named(from_, openrave), strict=False, verbose=verbose, calibration=calibration)
    positions: dict[str, dict[str, Sequence[float]]] = {}
    for text in joint or ():
        model, name, values = parse_assignment(text, world)
        positions.setdefault(model, {})[name] = values
    if close or open_:
        with input_errors():
            positions = gripped(world, positions, mesh_store(file, None, None), close=close, open_=open_)
    try:
        placed = poses(world, positions)
    except (KeyError, ValueError) as error:
        fail(str(error.args[0]))
    if not positions:
        report_open_loops(world, mesh_store(file, None, None))
    if as_json:
        print_json(matrices(placed))
        return
    _print(placed)


def report_open_loops(world: World, meshes: MeshStore) -> None:
    """Print a note for each loop that is open at the initial positions."""
    from ossature.checks import open_loop
    from ossature.checks.context import CheckContext
    from ossature.diagnostics import Report

    report = Report()
    open_loop.check(world, report, CheckContext(meshes))
    for finding in report:
        errors_console().print(f"note: {finding.message}; a given coordinate closes it", markup=False)


def tell_of_loops(world: World) -> None:
    """Print a note if joints close loops."""
    from ossature.kinematics import spanning_tree

    open_ones = [f"{model.name}/{loop.name}" for model in world.models for loop in spanning_tree(model).loops]
    if open_ones:
        names = ", ".join(open_ones[:3]) + (" …" if len(open_ones) > 3 else "")
        errors_console().print(f"note: {names} closes a loop, which these coordinates may leave open", markup=False)


def parse_assignment(text: str, world: World) -> tuple[str, str, list[float]]:
    """Return model, joint and numbers of ``MODEL/NAME=value,value``; the model may be left out where it is clear."""
    path, separator, numbers = text.rpartition("=")
    try:
        values = [float(number) for number in numbers.split(",")]
    except ValueError:
        fail(f"'{text}' is not NAME=value[,value…]")
    if not separator:
        fail(f"'{text}' is not NAME=value[,value…]")
    if not all(map(math.isfinite, values)):
        fail(f"'{text}': no joint is at {numbers}")
    owners = [model.name for model in world.models if path in model.joints or path in model.motors]
    if len(owners) == 1:
        return owners[0], path, values
    for model in world.models:
        name = path.removeprefix(f"{model.name}/")
        if name != path and (name in model.joints or name in model.motors):
            return model.name, name, values
    if owners:
        fail(f"several models have a joint '{path}': {', '.join(f'{owner}/{path}' for owner in owners)}")
    names = [name for model in world.models for name in model.joints.names()]
    return fail(f"there is no joint '{path}': {suggestion(path, names) or 'there are none'}")


def matrices(placed: dict[str, dict[str, Pose]]) -> dict[str, dict[str, list[list[float]]]]:
    """Return poses as 4×4 matrices, row by row."""
    return {model: {body: pose.matrix().tolist() for body, pose in bodies.items()} for model, bodies in placed.items()}


def _print(placed: dict[str, dict[str, Pose]]) -> None:
    rows = [
        (f"{model}/{body}", numbers(found.position), numbers(found.wxyz))
        for model, bodies in placed.items()
        for body, found in bodies.items()
    ]
    print_table(("body", "position [m]", "rotation wxyz"), rows)
