"""``ossature ik``: inverse kinematics of a manipulator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.console import (
    EXIT_INVALID_INPUT,
    errors_console,
    fail,
    fail_on,
    input_errors,
    output_console,
    print_findings,
    print_json,
)
from ossature.cli.ik_target_options import parse_target
from ossature.cli.joint_assignments import parse_assignment
from ossature.cli.output_path_checks import check_outputs, writing
from ossature.cli.pose import print_loops
from ossature.cli.read_model import load_world
from ossature.cli.read_options import Json, ModelFile, ModelOptions, mesh_store
from ossature.cli.suspicious_values import note_joint_positions
from ossature.cli.terminal_tables import print_table
from ossature.diagnostics import OssatureError, Report

if TYPE_CHECKING:
    from ossature.kinematics import IkResult, Suitability
    from ossature.model import Manipulator, Model, World

_EVERY = 64
"""Largest number of solutions of --all; redundant arms have infinitely many."""


def ik(
    file: ModelFile,
    read: ModelOptions,
    manipulator: Annotated[
        str | None, typer.Option("--manipulator", "-m", help="Name of the manipulator, if there are several.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Name of the model, if several have a manipulator of that name.")] = None,
    tip: Annotated[str | None, typer.Option(help="Body to use as tip frame, instead of a manipulator.")] = None,
    base: Annotated[str | None, typer.Option(help="With --tip: base body of the chain; the world by default.")] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            metavar="TYPE:NUMBERS",
            help="Target of the tip frame in the world [m, rad]: transform6d:X,Y,Z,QW,QX,QY,QZ (or X,Y,Z,ROLL,PITCH,YAW), "
            "rotation3d:QW,QX,QY,QZ (or ROLL,PITCH,YAW), translation3d:X,Y,Z, direction3d:DX,DY,DZ, ray4d:X,Y,Z,DX,DY,DZ, "
            "lookat3d:X,Y,Z, translation-direction5d:X,Y,Z,DX,DY,DZ.",
        ),
    ] = None,
    seed: Annotated[
        list[str] | None,
        typer.Option(
            "--seed",
            "-s",
            metavar="NAME=VALUE[,VALUE…]",
            help="Seed of the solver, or position of a joint outside the chain; repeatable.",
        ),
    ] = None,
    sample_joint: Annotated[
        list[str] | None,
        typer.Option(
            "--sample-joint", metavar="NAME=STEP", help="Sample a redundant joint at this step [rad or m]; repeatable."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help=f"Find all solutions, up to {_EVERY}.")] = False,
    collision_free: Annotated[bool, typer.Option("--collision-free", help="Accept only solutions without collisions.")] = False,
    tolerance: Annotated[float, typer.Option(help="Largest residual [m] and [rad].")] = 1e-6,
    list_target_types: Annotated[
        bool, typer.Option("--list-target-types", help="List the target types that the manipulator can reach.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="With --list-target-types: write the model with the reachable types added."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Solve inverse kinematics: find joint positions that bring the tip frame of a manipulator to a target.

    Roll, pitch and yaw are rotations about the fixed axes x, y, z. Exit code 1 if there is no solution; the reason is printed.
    """
    wanted = parse_target(target or ())
    if (wanted is None) is not list_target_types:
        fail("give one --target, such as translation3d:X,Y,Z, or --list-target-types")
    if output is not None and (not list_target_types or tip is not None):
        fail("--output needs --list-target-types and a manipulator")
    check_outputs([file], [output])
    if not 0.0 < tolerance < 1.0:
        fail(f"--tolerance must be between 0 and 1, not {tolerance:g}")
    world = load_world(file, read)
    if wanted is None:
        _list_or_write_target_types(world, manipulator, model, tip, base, output, as_json=as_json)
        return
    from ossature.ik_api import inverse_kinematics

    seeds = [parse_assignment(text, world) for text in seed or ()]
    for model_name, name, values in seeds:
        note_joint_positions(world, {model_name: {name: values}})
    steps = [parse_assignment(text, world) for text in sample_joint or ()]
    report = Report()
    with input_errors() if collision_free else fail_on(OssatureError, code=EXIT_INVALID_INPUT), _command_line_errors():
        result = inverse_kinematics(
            world,
            wanted,
            manipulator=manipulator,
            model=model,
            tip=tip,
            base=base,
            seed={name: values for _, name, values in seeds},
            free_joints={name: values[0] for _, name, values in steps} if steps else None,
            limit=_EVERY if every else 1,
            tolerance=tolerance,
            avoid_collisions=collision_free,
            meshes=mesh_store(file, read),
            report=report,
        )
    print_findings(report, verbose=read.verbose, quiet=True)
    print_loops(world)
    _print_result(result, as_json=as_json)


@contextmanager
def _command_line_errors() -> Iterator[None]:
    """Print unknown names and invalid numbers as messages and exit with code 2; other errors pass."""
    from ossature.kinematics import ArmError

    try:
        yield
    except ArmError as error:
        fail(str(error))
    except OssatureError:
        raise
    except ValueError as error:
        fail(str(error))


def _print_result(result: IkResult, *, as_json: bool) -> None:
    if as_json:
        print_json(_result_data(result))
    if result.failure is not None:
        fail(result.failure.message, EXIT_INVALID_INPUT)
    if not as_json:
        _print_lines(result)


def _result_data(result: IkResult) -> dict[str, Any]:
    failure = result.failure
    return {
        "type": result.target.type.value,
        "solutions": [
            {
                "positions": {name: list(values) for name, values in solution.positions.items()},
                "distance": solution.distance,
                "position_error": solution.position_error,
                "angle_error": solution.angle_error,
            }
            for solution in result.solutions
        ],
        "failure": None
        if failure is None
        else {
            "kind": failure.kind.value,
            "message": failure.message,
            "position_error": failure.position_error,
            "angle_error": failure.angle_error,
            "joints": list(failure.joints),
            "collisions": [list(pair) for pair in failure.collisions],
        },
    }


def _print_lines(result: IkResult) -> None:
    """Print a line for each solution, with joints as ``ossature pose`` takes them."""
    console = output_console()
    for solution in result.solutions:
        joints = " ".join(
            f"{name}={','.join(f'{value:z.6f}' for value in specified)}" for name, specified in solution.positions.items()
        )
        errors = f"{solution.position_error:.1e} m, {solution.angle_error:.1e} rad"
        console.print(f"{joints}  distance from the seed {solution.distance:.3f}, residual {errors}", markup=False)


def _list_or_write_target_types(
    world: World,
    manipulator: str | None,
    model: str | None,
    tip: str | None,
    base: str | None,
    write: Path | None,
    *,
    as_json: bool,
) -> None:
    from ossature.kinematics import find_arm, find_manipulator, suitability

    with fail_on(OssatureError, code=EXIT_INVALID_INPUT), _command_line_errors():
        if tip is not None:
            found = suitability(*find_arm(world, tip, base, model))
        else:
            owner, known = find_manipulator(world, manipulator, model)
            found = suitability(owner, known)
            if write is not None:
                _write_solvers(world, owner, known, write)
    if as_json:
        data = [
            {
                "type": one.type.value,
                "suits": one.is_supported,
                "conditions": one.conditions,
                "rank": one.rank,
                "degrees_of_freedom": one.degrees_of_freedom,
            }
            for one in found
        ]
        print_json(data)
        return
    _print_suitability(found)


def _print_suitability(found: tuple[Suitability, ...]) -> None:
    rows = [
        (one.type.value, "yes" if one.is_supported else "no", *map(str, (one.conditions, one.rank, one.degrees_of_freedom)))
        for one in found
    ]
    print_table(("type", "reachable", "conditions", "rank", "degrees of freedom"), rows)


def _write_solvers(world: World, model: Model, manipulator: Manipulator, output: Path) -> None:
    from ossature.conversion import save
    from ossature.kinematics import with_solvers

    extended, new = with_solvers(world, model, manipulator)
    with writing(output):
        ledger = save(extended, output)
    console = errors_console()
    added = ", ".join(type_.value for type_ in new) or "no types: it states all reachable ones"
    console.print(f"{output}: '{manipulator.name}' adds {added}", markup=False)
    for line in ledger.lines():
        console.print(line, markup=False)
