"""What ``ossature simulate --follow`` adds: which trajectory, and how well it was followed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ossature.cli.common import INPUT_AT_FAULT, new_report, print_findings
from ossature.cli.console import output_console
from ossature.cli.tables import print_table
from ossature.cli.trajectory import one_of, trajectories_in

if TYPE_CHECKING:
    from ossature.model import Trajectory, World
    from ossature.simulation import TrackingError

_OWN = "-"


def trajectory_to_follow(text: str, world: World, *, verbose: bool) -> Trajectory:
    """Return the trajectory that an option names; end the command where there is none that the World can follow."""
    from ossature.checks.bad_trajectory import check_trajectory

    path, name = _split(text)
    found = world.trajectories if path == _OWN else trajectories_in(Path(path), None, verbose=verbose)
    trajectory = one_of(found, name, Path(path))
    report = new_report()
    check_trajectory(trajectory, world, report)
    if report.has_errors:
        print_findings(report, verbose=verbose)
        raise typer.Exit(INPUT_AT_FAULT)
    return trajectory


def _split(text: str) -> tuple[str, str | None]:
    """Return file and name of ``FILE:NAME``; a file that is there may have a colon in its name."""
    path, colon, name = text.rpartition(":")
    return (path, name) if colon and path and not Path(text).exists() else (text, None)


def print_tracking(errors: Sequence[TrackingError]) -> None:
    """Print by how much a trajectory was missed."""
    if not errors:
        return
    output_console().print("tracking errors [rad or m]", markup=False)
    headers = ("joint", "moved by", "largest error", "at [s]", "root mean square", "at the end")
    print_table(headers, [(error.path, error.drive or "an ideal servo", *_numbers(error)) for error in errors])


def _numbers(error: TrackingError) -> tuple[str, ...]:
    return (f"{error.largest:.3g}", f"{error.largest_at:.3f}", f"{error.mean_square:.3g}", f"{error.final:.3g}")
