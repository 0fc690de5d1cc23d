"""``ossature state extract``: one state out of a recording, or the one in which a model begins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.common import (
    LimitsOption,
    Verbose,
    fail,
    input_errors,
    load_world,
    mesh_store,
    new_report,
    print_findings,
)
from ossature.cli.outputs import check_outputs, require_suffix, writing
from ossature.cli.states import Sample, Time, read_state


def extract(
    file: Annotated[Path, typer.Argument(help="A recording, a state, or a model file.", show_default=False)],
    output: Annotated[Path, typer.Argument(help="The USDF file to write.", show_default=False)],
    time: Time = None,
    number: Sample = None,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Write one state of a recording, its last one if nothing says which, or the state in which a model begins."""
    from ossature.formats import FORMATS, format_of
    from ossature.formats.states import write_state_file
    from ossature.recordings.writing import SUFFIXES

    check_outputs([file], [output])
    require_suffix(output, ".usdf", what="states")
    report = new_report()
    is_model = file.suffix.lower() not in SUFFIXES and (known := format_of(file)) is not None and known.name in FORMATS
    if is_model and (time is not None or number is not None):
        fail(f"{file} is a model file, which begins in one state: --time and --sample-number choose among those of a recording")
    with input_errors():
        if is_model:
            from ossature.simulation import Simulation

            world = load_world(file, None, strict=False, verbose=verbose)
            state = Simulation(world, meshes=mesh_store(file, None, None), report=report).state()
        else:
            state = read_state(file, report, time=time, number=number, verbose=verbose)
    print_findings(report, verbose=verbose, quiet=True)
    with writing(output):
        write_state_file(state, output)
