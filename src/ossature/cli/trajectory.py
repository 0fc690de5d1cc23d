"""``ossature trajectory``: what joints do over time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.common import (
    INPUT_AT_FAULT,
    From,
    Json,
    LimitsOption,
    Strict,
    Verbose,
    fail,
    load_world,
    new_report,
    print_findings,
    worst_fails,
)
from ossature.cli.console import output_console, print_json
from ossature.cli.outputs import require_suffix, writing
from ossature.cli.tables import print_table
from ossature.diagnostics import suggestion

if TYPE_CHECKING:
    from ossature.model import Named, Trajectory

trajectory_app = typer.Typer(no_args_is_help=True, help="Show, resample and check trajectories.")

TrajectoryFile = Annotated[Path, typer.Argument(help="A .csv table, or a model file with animations.", show_default=False)]
Name = Annotated[str | None, typer.Option("--name", help="Which trajectory, where the file holds several.")]


@trajectory_app.command()
def show(
    file: TrajectoryFile,
    name: Name = None,
    from_: From = None,
    as_json: Json = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Print what moves, how far, how fast and how suddenly."""
    found = trajectories_in(file, from_, verbose=verbose)
    chosen = [one_of(found, name, file)] if name is not None else list(found)
    if not chosen:
        fail(f"{file}: there is no trajectory in it", INPUT_AT_FAULT)
    data = [_described(trajectory) for trajectory in chosen]
    if as_json:
        print_json(data)
        return
    for description in data:
        _print(description)


@trajectory_app.command()
def resample(
    file: TrajectoryFile,
    output: Annotated[Path, typer.Argument(help="The .csv table to write.", show_default=False)],
    step: Annotated[float, typer.Option(help="Time between two rows [s].")] = 0.01,
    name: Name = None,
    from_: From = None,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Write a trajectory as a table with rows at equal distances in time."""
    from ossature.assets import write_whole
    from ossature.formats.trajectory_files import trajectory_csv
    from ossature.model.resampling import resampled

    require_suffix(output, ".csv", what="tables")
    chosen = one_of(trajectories_in(file, from_, verbose=verbose), name, file)
    try:
        text = trajectory_csv(resampled(chosen, step))
    except ValueError as error:
        fail(str(error))
    with writing(output):
        write_whole(output, text)


@trajectory_app.command()
def check(
    file: TrajectoryFile,
    model: Annotated[
        Path | None, typer.Option("--model", help="The file of the robot; the same file if not given.", show_default=False)
    ] = None,
    name: Name = None,
    from_: From = None,
    strict: Strict = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Check trajectories against the limits of a robot: position, velocity, acceleration and jerk."""
    from ossature.checks.bad_trajectory import check_trajectory
    from ossature.checks.trajectory_over_limit import check_limits

    if model is None and file.suffix.lower() == ".csv":
        fail("a table states no limits: name the robot's file with --model")
    world = load_world(model or file, from_, strict=False, verbose=verbose)
    found = world.trajectories if model is None else trajectories_in(file, from_, verbose=verbose)
    chosen = [one_of(found, name, file)] if name is not None else list(found)
    if not chosen:
        fail(f"{file}: there is no trajectory in it", INPUT_AT_FAULT)
    report = new_report()
    for trajectory in chosen:
        check_trajectory(trajectory, world, report)
        check_limits(trajectory, world, report)
    print_findings(report, verbose=verbose)
    if worst_fails(report, strict=strict):
        raise typer.Exit(INPUT_AT_FAULT)


def trajectories_in(file: Path, format_name: str | None, *, verbose: bool) -> Named[Trajectory]:
    """Return the trajectories in a file with its findings printed; end the command where there are errors."""
    from ossature.formats.trajectory_files import read_trajectories

    report = new_report()
    try:
        found = read_trajectories(file, report, format_name=format_name)
    except ValueError as error:
        fail(str(error))
    print_findings(report, verbose=verbose, quiet=True)
    if report.has_errors:
        raise typer.Exit(INPUT_AT_FAULT)
    return found


def one_of(found: Named[Trajectory], name: str | None, file: Path) -> Trajectory:
    """Return the trajectory of a name, or the only one; end the command where that is not clear."""
    names = found.names()
    if name is None and len(found) == 1:
        return found[0]
    if not names:
        fail(f"{file}: there is no trajectory in it", INPUT_AT_FAULT)
    if name is None:
        fail(f"{file} holds several trajectories: choose one with --name: {', '.join(names)}")
    if name not in found:
        fail(f"{file}: there is no trajectory '{name}': {suggestion(name, names) or ', '.join(names)}")
    return found[name]


def _described(trajectory: Trajectory) -> dict[str, Any]:
    from ossature.model.motion_extremes import extremes

    channels = []
    for channel in trajectory.channels:
        found = {quantity: _finite((extreme.lowest, extreme.highest)) for quantity, extreme in extremes(channel).items()}
        curves = sorted({str(interpolation) for interpolation in channel.interpolations})
        channels.append({"path": channel.path, "keys": len(channel.times), "interpolations": curves} | found)
    return {"name": trajectory.name, "start": trajectory.start, "end": trajectory.end, "channels": channels}


def _finite(numbers: tuple[float, float]) -> list[float | None]:
    return [number if math.isfinite(number) else None for number in numbers]


def _print(description: dict[str, Any]) -> None:

    from ossature.model.motion_extremes import QUANTITIES

    console = output_console()
    console.print(f"{description['name']}: from {description['start']:g} s to {description['end']:g} s", markup=False)
    rows = [
        (
            channel["path"],
            str(channel["keys"]),
            " ".join(channel["interpolations"]),
            *(_range(channel[quantity]) for quantity in QUANTITIES),
        )
        for channel in description["channels"]
    ]
    print_table(("joint", "keys", "curve", *QUANTITIES), rows)


def _range(ends: list[float | None]) -> str:
    lower, upper = ("∞" if end is None else f"{end:.4g}" for end in ends)
    return f"{lower} … {upper}"
