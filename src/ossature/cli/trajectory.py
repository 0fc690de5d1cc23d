"""``ossature trajectory``: print, resample and check joint trajectories."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, fail, fail_on, output_console, print_findings, print_json
from ossature.cli.deprecated_options import Command, Group
from ossature.cli.output_path_checks import check_outputs, require_suffix, writing
from ossature.cli.read_model import has_failures, load_world
from ossature.cli.read_options import Json, ReadOptions, expand_options, new_report
from ossature.cli.terminal_tables import print_table
from ossature.diagnostics import suggestion

if TYPE_CHECKING:
    from ossature.model import NamedList, Trajectory

app = typer.Typer(cls=Group, no_args_is_help=True, help="Print, resample and check trajectories.")

TrajectoryFile = Annotated[Path, typer.Argument(metavar="FILE", help="A .csv table, or a model file with animations.")]
Name = Annotated[str | None, typer.Option("--name", help="Name of the trajectory, if the file contains several.")]


def show(file: TrajectoryFile, read: ReadOptions, name: Name = None, as_json: Json = False) -> None:
    """Print the extrema of each joint: position, velocity, acceleration and jerk."""
    found = trajectories_in(file, read.format_name, verbose=read.verbose)
    chosen = [select_trajectory(found, name, file)] if name is not None else list(found)
    if not chosen:
        fail(f"{file}: the file contains no trajectory", EXIT_INVALID_INPUT)
    data = [_trajectory_data(trajectory) for trajectory in chosen]
    if as_json:
        print_json(data)
        return
    for description in data:
        _print_trajectory(description)


def resample(
    file: TrajectoryFile,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The .csv table to write.")],
    read: ReadOptions,
    sample_interval: Annotated[float, typer.Option(help="Time between rows [s].")] = 0.01,
    name: Name = None,
) -> None:
    """Write a trajectory as a table with equally spaced times."""
    from ossature.assets import write_file_atomically
    from ossature.formats.trajectory_files import trajectory_csv
    from ossature.model.trajectory_resampling import resample_trajectory

    check_outputs([file], [output])
    require_suffix(output, ".csv", what="tables")
    chosen = select_trajectory(trajectories_in(file, read.format_name, verbose=read.verbose), name, file)
    with fail_on(ValueError):
        text = trajectory_csv(resample_trajectory(chosen, sample_interval))
    with writing(output):
        write_file_atomically(output, text)


def check(
    file: TrajectoryFile,
    read: ReadOptions,
    model: Annotated[
        Path | None, typer.Option("--model", help="The model file of the robot; the same file by default.")
    ] = None,
    name: Name = None,
) -> None:
    """Check trajectories against the limits of a robot: position, velocity, acceleration and jerk."""
    from ossature.checks.invalid_trajectory import check_trajectory
    from ossature.checks.trajectory_exceeds_limits import check_limits

    if model is None and file.suffix.lower() == ".csv":
        fail("a table contains no limits: give the model file with --model")
    world = load_world(model or file, replace(read, strict=False))
    found = world.trajectories if model is None else trajectories_in(file, read.format_name, verbose=read.verbose)
    chosen = [select_trajectory(found, name, file)] if name is not None else list(found)
    if not chosen:
        fail(f"{file}: the file contains no trajectory", EXIT_INVALID_INPUT)
    report = new_report()
    for trajectory in chosen:
        check_trajectory(trajectory, world, report)
        check_limits(trajectory, world, report)
    print_findings(report, verbose=read.verbose)
    if has_failures(report, strict=read.strict):
        raise typer.Exit(EXIT_INVALID_INPUT)


def trajectories_in(file: Path, format_name: str | None, *, verbose: bool) -> NamedList[Trajectory]:
    """Return the trajectories in a file with its findings printed; end the command if there are errors."""
    from ossature.formats.trajectory_files import read_trajectories

    report = new_report()
    with fail_on(ValueError):
        found = read_trajectories(file, report, format_name=format_name)
    print_findings(report, verbose=verbose, quiet=True)
    if report.has_errors:
        raise typer.Exit(EXIT_INVALID_INPUT)
    return found


def select_trajectory(found: NamedList[Trajectory], name: str | None, file: Path) -> Trajectory:
    """Return the trajectory of a name, or the only one; end the command if that is ambiguous."""
    names = found.names()
    if name is None and len(found) == 1:
        return found[0]
    if not names:
        fail(f"{file}: the file contains no trajectory", EXIT_INVALID_INPUT)
    if name is None:
        fail(f"{file} contains several trajectories: select one with --name: {', '.join(names)}")
    if name not in found:
        fail(f"{file}: there is no trajectory '{name}': {suggestion(name, names) or ', '.join(names)}")
    return found[name]


def _trajectory_data(trajectory: Trajectory) -> dict[str, Any]:
    from ossature.model.trajectory_extrema import extrema

    channels = []
    for channel in trajectory.channels:
        found = {
            quantity: [number if math.isfinite(number) else None for number in (extreme.lowest, extreme.highest)]
            for quantity, extreme in extrema(channel).items()
        }
        curves = sorted({str(interpolation) for interpolation in channel.interpolations})
        channels.append({"path": channel.path, "keys": len(channel.times), "interpolations": curves} | found)
    return {"name": trajectory.name, "start": trajectory.start, "end": trajectory.end, "channels": channels}


def _print_trajectory(description: dict[str, Any]) -> None:

    from ossature.model.trajectory_extrema import QUANTITIES

    console = output_console()
    console.print(f"{description['name']}: from {description['start']:g} s to {description['end']:g} s", markup=False)
    rows = [
        (
            channel["path"],
            str(channel["keys"]),
            " ".join(channel["interpolations"]),
            *(_range_text(channel[quantity]) for quantity in QUANTITIES),
        )
        for channel in description["channels"]
    ]
    print_table(("joint", "keys", "curve", *QUANTITIES), rows)


def _range_text(ends: list[float | None]) -> str:
    lower, upper = ("∞" if end is None else f"{end:.4g}" for end in ends)
    return f"{lower} … {upper}"


for _command in (show, resample, check):
    app.command(cls=Command)(expand_options(_command))
