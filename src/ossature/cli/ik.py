"""``ossature ik``: joint coordinates that bring a manipulator to a target."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.common import (
    INPUT_AT_FAULT,
    AllowPath,
    CalibrationFile,
    File,
    From,
    Json,
    LimitsOption,
    OpenRave,
    SearchPath,
    Verbose,
    fail,
    format_named,
    input_errors,
    load_world,
    mesh_store,
)
from ossature.cli.console import errors_console, output_console, print_json
from ossature.cli.ik_target import target_of
from ossature.cli.outputs import writing
from ossature.cli.pose import parse_assignment, tell_of_loops
from ossature.cli.tables import print_table
from ossature.diagnostics import OssatureError

if TYPE_CHECKING:
    from ossature.kinematics import IkResult, Suitability
    from ossature.model import Manipulator, Model, World

_EVERY = 64
"""How many solutions --all gives at the most; some arms have infinitely many."""


def ik(
    file: File,
    manipulator: Annotated[
        str | None, typer.Option("--manipulator", "-m", help="Name of the manipulator, where there are several.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Name of the model, where several have one of that name.")] = None,
    tip: Annotated[str | None, typer.Option(help="Body whose frame is meant, in place of a manipulator.")] = None,
    base: Annotated[str | None, typer.Option(help="With --tip: body where the arm begins; the world if not given.")] = None,
    transform6d: Annotated[str | None, typer.Option(help="X,Y,Z,QW,QX,QY,QZ or X,Y,Z,ROLL,PITCH,YAW: a pose [m, rad].")] = None,
    rotation3d: Annotated[str | None, typer.Option(help="QW,QX,QY,QZ or ROLL,PITCH,YAW: an orientation [rad].")] = None,
    translation3d: Annotated[str | None, typer.Option(help="X,Y,Z: a point [m], in any orientation.")] = None,
    direction3d: Annotated[str | None, typer.Option(help="DX,DY,DZ: its direction along this one, anywhere.")] = None,
    ray4d: Annotated[str | None, typer.Option(help="X,Y,Z,DX,DY,DZ: its direction on this line.")] = None,
    lookat3d: Annotated[str | None, typer.Option(help="X,Y,Z: its direction towards a point [m].")] = None,
    translation_direction5d: Annotated[
        str | None,
        typer.Option("--translation-direction5d", help="X,Y,Z,DX,DY,DZ: a point [m] with its direction along this one."),
    ] = None,
    seed: Annotated[
        list[str] | None,
        typer.Option("--seed", "-s", help="NAME=value[,value…]: be near this; also places other joints; repeatable."),
    ] = None,
    free: Annotated[
        list[str] | None, typer.Option("--free", help="NAME=step: a joint takes values at this step; repeatable.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help=f"Give all solutions, up to {_EVERY}.")] = False,
    collision_free: Annotated[bool, typer.Option("--collision-free", help="Nothing that the arm moves may touch.")] = False,
    tolerance: Annotated[float, typer.Option(help="How much may be left [m] and [rad].")] = 1e-6,
    suggest: Annotated[bool, typer.Option("--suggest", help="Tell which types of targets suit the manipulator.")] = False,
    write: Annotated[Path | None, typer.Option(help="With --suggest: write the file with the types that suit added.")] = None,
    from_: From = None,
    openrave: OpenRave = False,
    calibration: CalibrationFile = None,
    search_path: SearchPath = None,
    allow_path: AllowPath = None,
    as_json: Json = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Find joint coordinates that bring a manipulator's frame to a target in the world.

    Give one target. Angles are radians; roll, pitch and yaw turn about the fixed axes x, y, z. Exit code 1 says that there is
    no solution; the reason is printed.
    """
    target = target_of(
        {
            "--transform6d": transform6d,
            "--rotation3d": rotation3d,
            "--translation3d": translation3d,
            "--direction3d": direction3d,
            "--ray4d": ray4d,
            "--lookat3d": lookat3d,
            "--translation-direction5d": translation_direction5d,
        }
    )
    if (target is None) is not suggest:
        fail("give one target, such as --translation3d X,Y,Z, or --suggest")
    if write is not None and (not suggest or tip is not None):
        fail("--write is for --suggest and a manipulator")
    if not 0.0 < tolerance < 1.0:
        fail(f"--tolerance must be between 0 and 1, not {tolerance:g}")
    world = load_world(file, format_named(from_, openrave), strict=False, verbose=verbose, calibration=calibration)
    if target is None:
        _suggest(world, manipulator, model, tip, base, write, as_json=as_json)
        return
    from ossature.reaching import inverse_kinematics

    seeds = [parse_assignment(text, world) for text in seed or ()]
    steps = [parse_assignment(text, world) for text in free or ()]
    with input_errors() if collision_free else _errors_without_engine(), _command_line_errors():
        result = inverse_kinematics(
            world,
            target,
            manipulator=manipulator,
            model=model,
            tip=tip,
            base=base,
            seed={name: values for _, name, values in seeds},
            free_joints={name: values[0] for _, name, values in steps} if steps else None,
            limit=_EVERY if every else 1,
            tolerance=tolerance,
            avoid_collisions=collision_free,
            meshes=mesh_store(file, search_path, allow_path),
        )
    tell_of_loops(world)
    _print(result, as_json=as_json)


@contextmanager
def _errors_without_engine() -> Iterator[None]:
    """Turn the package's own errors into a message and exit code 1 without loading the engine for it."""
    try:
        yield
    except OssatureError as error:
        fail(str(error), INPUT_AT_FAULT)


@contextmanager
def _command_line_errors() -> Iterator[None]:
    """Turn names that do not exist and bad numbers into a message and exit code 2; other errors pass."""
    from ossature.kinematics import ArmError

    try:
        yield
    except ArmError as error:
        fail(str(error))
    except OssatureError:
        raise
    except ValueError as error:
        fail(str(error))


def _print(result: IkResult, *, as_json: bool) -> None:
    if as_json:
        print_json(_as_data(result))
    if result.failure is not None:
        fail(result.failure.message, INPUT_AT_FAULT)
    if not as_json:
        _print_lines(result)


def _as_data(result: IkResult) -> dict[str, Any]:
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
            f"{name}={','.join(f'{value:.6f}' for value in stated)}" for name, stated in solution.positions.items()
        )
        errors = f"{solution.position_error:.1e} m, {solution.angle_error:.1e} rad"
        console.print(f"{joints}  distance {solution.distance:.3f}, off by {errors}", markup=False)


def _suggest(
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

    with _errors_without_engine(), _command_line_errors():
        if tip is not None:
            found = suitability(*find_arm(world, tip, base, model))
        else:
            owner, known = find_manipulator(world, manipulator, model)
            found = suitability(owner, known)
            if write is not None:
                _write(world, owner, known, write)
    if as_json:
        data = [
            {
                "type": one.type.value,
                "suits": one.suits,
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
        (one.type.value, "yes" if one.suits else "no", *map(str, (one.conditions, one.rank, one.degrees_of_freedom)))
        for one in found
    ]
    print_table(("type", "suits", "conditions", "meets", "degrees of freedom"), rows)


def _write(world: World, model: Model, manipulator: Manipulator, output: Path) -> None:
    from ossature.conversion import save
    from ossature.kinematics import with_solvers

    extended, new = with_solvers(world, model, manipulator)
    with writing(output):
        ledger = save(extended, output)
    console = errors_console()
    added = ", ".join(type_.value for type_ in new) or "no types: it states all that suit"
    console.print(f"{output}: '{manipulator.name}' gets {added}", markup=False)
    for line in ledger.lines():
        console.print(line, markup=False)
