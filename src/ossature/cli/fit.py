"""``ossature fit``: find the parameters with which a model follows a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, input_errors, output_console, print_findings, print_json
from ossature.cli.output_path_checks import check_outputs, require_suffix, writing
from ossature.cli.read_model import load_world
from ossature.cli.read_options import Json, ModelOptions, new_report
from ossature.cli.sweep import ExecutorOption
from ossature.cli.terminal_tables import print_table


def fit(
    file: Annotated[Path, typer.Argument(metavar="SPEC", help="The .yaml file of the fit.")],
    read: ModelOptions,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the values to this .yaml file, a calibration of the model.")
    ] = None,
    executor: Annotated[ExecutorOption, typer.Option(help="Where the runs are simulated.")] = ExecutorOption.SERIAL,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of threads or processes; the number of processors by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the parameters with which a model follows a recording; print them with their standard errors."""
    check_outputs([file], [output])
    require_suffix(output, ".yaml", ".yml", what="calibrations")
    with input_errors():
        from ossature.assets import write_file_atomically
        from ossature.formats.calibration import write_calibration
        from ossature.sweeps import fit as fit_parameters
        from ossature.sweeps import make_executor, read_fit

        report = new_report()
        found = read_fit(file, report)
        print_findings(report, verbose=read.verbose, quiet=True)
        if found is None or report.has_errors:
            raise typer.Exit(EXIT_INVALID_INPUT)
        defined, model = found
        world = load_world(model, read, prints_bases=True)
        result = fit_parameters(world, defined, make_executor(executor.value, workers), report)
    if output is not None:
        with writing(output):
            write_file_atomically(output, write_calibration(result.calibration()))
    if as_json:
        names = ("values", "standard_errors", "rms", "runs", "is_converged")
        print_json({name: getattr(result, name) for name in names})
        return
    rows = [(name, f"{value:.6g}", f"{result.standard_errors[name]:.2g}") for name, value in result.values.items()]
    print_table(("parameter", "value", "standard error"), rows)
    unit = "standard deviations" if defined.measurements[0].standard_deviation is not None else "the unit of the measurements"
    state = "" if result.is_converged else "; the fit has not converged"
    output_console().print(f"residuals {result.rms:.3g} rms in {unit}, {result.runs} runs{state}", markup=False)
