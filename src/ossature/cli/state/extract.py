"""``ossature state extract``: one state of a recording, or the initial state of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.console import fail, input_errors, print_findings
from ossature.cli.output_path_checks import check_outputs, require_suffix, writing
from ossature.cli.read_model import load_world
from ossature.cli.read_options import ModelOptions, mesh_store, new_report
from ossature.cli.state_options import Sample, Time, read_state


def extract(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording, a state, or a model file.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The USDF file to write.")],
    read: ModelOptions,
    time: Time = None,
    number: Sample = None,
) -> None:
    """Write one state of a recording or model; by default the last one of a recording, and the initial state of a model."""
    from ossature.formats import REGISTRY, Content
    from ossature.io import save_state

    check_outputs([file], [output])
    require_suffix(output, ".usdf", what="states")
    report = new_report()
    known = REGISTRY.find(file, contents=(Content.RECORDING, Content.WORLD))
    is_model = known is not None and known.content is Content.WORLD
    if is_model and (time is not None or number is not None):
        fail(f"{file} is a model file, which has one initial state: --time and --sample-number select a sample of a recording")
    with input_errors():
        if is_model:
            from ossature.simulation import Simulation

            state = Simulation(load_world(file, read), meshes=mesh_store(file, read), report=report).state()
        else:
            state = read_state(file, report, time=time, number=number, verbose=read.verbose)
    print_findings(report, verbose=read.verbose, quiet=True)
    with writing(output):
        save_state(state, output)
