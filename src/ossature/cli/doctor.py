"""``ossature doctor``: why a simulation may be wrong, and what to do."""

from __future__ import annotations

from typing import Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, input_errors, output_console, print_findings, print_json
from ossature.cli.read_model import load_world
from ossature.cli.read_options import Json, ModelFile, ModelOptions, mesh_store, new_report
from ossature.cli.time_options import require_duration, require_step


def doctor(
    file: ModelFile,
    read: ModelOptions,
    duration: Annotated[
        float | None, typer.Option(help="Duration [s]; the end time that the file states by default, else 1 s.", min=0.0)
    ] = None,
    time_step: Annotated[float | None, typer.Option(help="Time step [s]; the file's own by default.")] = None,
    as_json: Json = False,
) -> None:
    """Measure how accurate a simulation is, and print what to do; the model is simulated twice, also at half the time step.

    Exit code 1 if there is a problem.
    """
    require_duration("--duration", duration)
    require_step("--time-step", time_step)
    world = load_world(file, read, prints_bases=True)
    report = new_report()
    if duration is None:
        duration = 1.0 if world.end_time is None else world.end_time
    with input_errors():
        from ossature.simulation import examine_simulation

        found = examine_simulation(world, duration, time_step=time_step, meshes=mesh_store(file, read), report=report)
    if as_json:
        print_json(found.to_dict() | {"findings": [finding.rule.name for finding in report]})
    else:
        print_findings(report, verbose=read.verbose, quiet=True)
        console = output_console()
        console.print(f"simulated {found.duration:g} s")
        for item in found.items:
            console.print(f"{item.judgement.value}: {item.topic}: {item.text}", markup=False, highlight=False)
            console.print(f"    {item.meaning}", markup=False, highlight=False)
            if item.advice:
                console.print(f"    to do: {item.advice}", markup=False, highlight=False)
    if found.has_problems:
        raise typer.Exit(EXIT_INVALID_INPUT)
