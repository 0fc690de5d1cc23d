"""``ossature pose``: forward kinematics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import errors_console, fail, input_errors, print_json
from ossature.cli.gripper_options import with_grippers_moved
from ossature.cli.joint_assignments import parse_assignment
from ossature.cli.read_model import load_world
from ossature.cli.read_options import Json, ModelFile, ModelOptions, mesh_store
from ossature.cli.suspicious_values import note_coupled_positions, note_joint_positions
from ossature.cli.terminal_tables import format_numbers, print_table

if TYPE_CHECKING:
    from ossature.assets import MeshStore
    from ossature.model import World
    from ossature.spatial import Pose

_ROUNDING = 1e-4
"""Displacement of joint positions that counts as rounding [rad, or m per characteristic length of the mechanism]."""


def pose(
    file: ModelFile,
    read: ModelOptions,
    joint: Annotated[
        list[str] | None,
        typer.Option(
            "--joint", "-j", metavar="NAME=VALUE[,VALUE…]", help="Joint positions [rad or m], also MODEL/NAME=…; repeatable."
        ),
    ] = None,
    close: Annotated[
        list[str] | None,
        typer.Option(
            "--close-gripper",
            metavar="ARM",
            help="Close the gripper of a manipulator until joint limits or contact; repeatable.",
        ),
    ] = None,
    open_: Annotated[
        list[str] | None,
        typer.Option(
            "--open-gripper", metavar="ARM", help="Open the gripper of a manipulator until joint limits or contact; repeatable."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the world pose of every body: at the initial joint positions or at given ones, with closed loops."""
    world = load_world(file, read)
    positions: dict[str, dict[str, Sequence[float]]] = {}
    for text in joint or ():
        model, name, values = parse_assignment(text, world, positions)
        positions.setdefault(model, {})[name] = values
    note_joint_positions(world, positions)
    note_coupled_positions(world, positions, is_applied=True)
    if close or open_:
        with input_errors():
            positions = with_grippers_moved(world, positions, mesh_store(file, read), close=close, open_=open_)
    try:
        placed = _closed_poses(world, positions)
    except (KeyError, ValueError) as error:
        fail(str(error.args[0]))
    if not positions:
        report_open_loops(world, mesh_store(file, read))
    report_unsupported_equalities(world)
    if as_json:
        print_json(pose_matrices(placed))
        return
    _print_poses(placed)
    if any(model.tendons for model in world.models):
        _print_tendons(world, positions)


def _closed_poses(world: World, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, dict[str, Pose]]:
    """Return poses with closed loops; a note states by how much rounded joint positions have to move for that."""
    from ossature.kinematics import LoopClosureError, poses

    try:
        return poses(world, positions)
    except LoopClosureError:
        placed = poses(world, positions, tolerance=_ROUNDING)
    for name, specified in positions.items():
        try:
            poses(world, {name: specified})
        except LoopClosureError as error:
            errors_console().print(f"note: {error}, which they do", markup=False)
    return placed


def report_open_loops(world: World, meshes: MeshStore) -> None:
    """Print a note for each loop that is not closed at the initial joint positions."""
    from ossature.checks import unclosed_loop
    from ossature.checks.context import CheckContext
    from ossature.diagnostics import Report

    report = Report()
    unclosed_loop.check(world, report, CheckContext(meshes))
    for finding in report:
        errors_console().print(f"note: {finding.message}; with --joint loops are closed", markup=False)


def report_unsupported_equalities(world: World) -> None:
    """Print a note for each equality that poses do not consider."""
    from ossature.kinematics.equality_constraint_equations import unsupported_equalities

    for model in world.models:
        for name, reason in ({} if model.static else unsupported_equalities(model)).items():
            message = f"note: equality '{name}' of model '{model.name}' is not considered: {reason}"
            errors_console().print(message, markup=False)


def print_loops(world: World) -> None:
    """Print a note if joints close loops."""
    from ossature.kinematics import spanning_tree

    open_ones = [f"{model.name}/{loop.name}" for model in world.models for loop in spanning_tree(model).loops]
    if open_ones:
        names = ", ".join(open_ones[:3]) + (" …" if len(open_ones) > 3 else "")
        errors_console().print(f"note: {names} closes a loop, which these joint positions may leave open", markup=False)


def pose_matrices(placed: dict[str, dict[str, Pose]]) -> dict[str, dict[str, list[list[float]]]]:
    """Return poses as 4×4 matrices, row by row."""
    return {model: {body: pose.matrix().tolist() for body, pose in bodies.items()} for model, bodies in placed.items()}


def _print_poses(placed: dict[str, dict[str, Pose]]) -> None:
    rows = [
        (f"{model}/{body}", format_numbers(found.position), format_numbers(found.wxyz))
        for model, bodies in placed.items()
        for body, found in bodies.items()
    ]
    print_table(("body", "position [m]", "rotation wxyz"), rows)


def _print_tendons(world: World, positions: Mapping[str, Mapping[str, float | Sequence[float]]]) -> None:
    """Print the lengths of tendons [m], or the sums of joint positions that they are [m or rad]."""
    from ossature.simulation import tendon_paths

    with input_errors():
        found = tendon_paths(world, positions)
    rows = [(f"{model}/{name}", f"{path.length:.6g}") for model, paths in found.items() for name, path in paths.items()]
    if rows:
        print_table(("tendon", "length"), rows)
