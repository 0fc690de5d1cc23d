"""The option ``--track`` of ``ossature simulate``: the trajectory, and the tracking errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, output_console, print_findings
from ossature.cli.read_options import new_report
from ossature.cli.terminal_tables import print_table
from ossature.cli.trajectory import select_trajectory, trajectories_in

if TYPE_CHECKING:
    from ossature.model import Trajectory, World
    from ossature.simulation import TrackingError

_OWN = "-"


def trajectory_to_track(text: str, world: World, *, verbose: bool) -> Trajectory:
    """Return the trajectory that an option names; end the command if there is none that the World can track."""
    from ossature.checks.invalid_trajectory import check_trajectory
    from ossature.checks.trajectory_exceeds_limits import check_limits

    path, name = _split_file_and_name(text)
    found = world.trajectories if path == _OWN else trajectories_in(Path(path), None, verbose=verbose)
    trajectory = select_trajectory(found, name, Path(path))
    report = new_report()
    check_trajectory(trajectory, world, report)
    check_limits(trajectory, world, report)
    print_findings(report, verbose=verbose, quiet=True)
    if report.has_errors:
        raise typer.Exit(EXIT_INVALID_INPUT)
    return trajectory


def _split_file_and_name(text: str) -> tuple[str, str | None]:
    """Return file and name of ``FILE:NAME``; an existing file may have a colon in its name."""
    path, colon, name = text.rpartition(":")
    return (path, name) if colon and path and not Path(text).exists() else (text, None)


def print_tracking(errors: Sequence[TrackingError]) -> None:
    """Print the tracking errors of a trajectory."""
    if not errors:
        return
    output_console().print("tracking errors [rad or m]", markup=False)
    headers = ("joint", "motor", "largest error", "at [s]", "RMS error", "final error")
    print_table(headers, [(error.path, error.drive or "ideal servo", *_error_cells(error)) for error in errors])


def _error_cells(error: TrackingError) -> tuple[str, ...]:
    return (f"{error.largest:.3g}", f"{error.largest_at:.3f}", f"{error.mean_square:.3g}", f"{error.final:.3g}")
