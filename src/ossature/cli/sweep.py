"""``ossature sweep``: simulate a model many times with different parameters, and show the results."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.console import (
    EXIT_INVALID_INPUT,
    errors_console,
    fail,
    input_errors,
    output_console,
    print_findings,
    print_json,
)
from ossature.cli.deprecated_options import Command, Group
from ossature.cli.output_path_checks import check_outputs, require_plot, writing
from ossature.cli.read_model import load_world
from ossature.cli.read_options import FileOptions, Json, ModelOptions, expand_options, new_report
from ossature.cli.terminal_tables import print_table

if TYPE_CHECKING:
    from ossature.model import World
    from ossature.sweeps import Progress, ResultFolder, Sweep


class ExecutorOption(StrEnum):
    """The executors; see :func:`ossature.sweeps.make_executor`."""

    SERIAL = "serial"
    THREADS = "threads"
    PROCESSES = "processes"
    RAY = "ray"
    WARP = "warp"


class SweepGroup(Group):
    """Commands about sweeps; without the name of one, the arguments are those of ``run``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=SweepGroup,
    no_args_is_help=True,
    help="Simulate a model many times with different parameters: `ossature sweep SPEC.yaml` runs a sweep.",
)

ResultsFolder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder with the results.")]


def run(
    file: Annotated[Path, typer.Argument(metavar="SPEC", help="The .yaml file of the sweep.")],
    read: ModelOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the results; by default that of the name of the file. Runs that are there are not repeated.",
        ),
    ] = None,
    executor: Annotated[ExecutorOption, typer.Option(help="Where the runs are simulated.")] = ExecutorOption.SERIAL,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of threads or processes; the number of processors by default.")
    ] = None,
    address: Annotated[str | None, typer.Option(help="Address of a running Ray cluster; a local one by default.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print points and an estimate of the duration only.")] = False,
) -> None:
    """Simulate a model many times with different parameters.

    The results are a folder with a Parquet data set. A sweep that was interrupted continues if it is started again.
    """
    with input_errors():
        from ossature.sweeps import Points, make_executor, read_sweep, run_sweep

        report = new_report()
        found = read_sweep(file, report)
        print_findings(report, verbose=read.verbose, quiet=True)
        if found is None or report.has_errors:
            raise typer.Exit(EXIT_INVALID_INPUT)
        sweep, model = found
        worlds = _load_worlds(file, sweep, model, read)
        if dry_run:
            _print_plan(sweep, Points(sweep), worlds)
            return
        folder = output or file.with_suffix("").with_name(f"{file.stem}-results")
        made = make_executor(executor.value, workers, address=address)
        with writing(folder), _Bar() as bar:
            result = run_sweep(sweep, worlds, made, folder, report, bar.show)
    for row in result.failures:
        errors_console().print(f"error[{row.rule}]: run {row.index}: {row.message}", markup=False)
    counts = ", ".join(f"{count} {status}" for status, count in sorted(result.statuses.items()))
    output_console().print(f"{folder}: {counts or 'all runs are there'}", markup=False)


def _load_worlds(file: Path, sweep: Sweep, model: Path | None, read: ModelOptions) -> dict[str, World]:
    files = {"": model} if model is not None else {name: file.parent / name for name in sweep.variants}
    return {name: load_world(path, read, prints_bases=True) for name, path in files.items()}


class _Bar:
    """Shows the progress of a sweep on a terminal."""

    def __enter__(self) -> _Bar:
        from rich.progress import Progress as RichProgress

        console = errors_console()
        self._bar = RichProgress(console=console, transient=True, disable=not console.is_terminal)
        self._bar.start()
        self._task = self._bar.add_task("simulating", total=1.0)
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def show(self, progress: Progress) -> None:
        left = "" if progress.remaining is None else f", {progress.remaining:.0f} s left"
        text = f"{progress.finished} of {progress.total} runs, {progress.rate:.1f} per second{left}"
        self._bar.update(self._task, description=text, completed=progress.finished / max(progress.total, 1))


_SHOWN_POINTS = 10


def _print_plan(sweep: Sweep, points: Any, worlds: dict[str, World]) -> None:
    """Print the first points, and how long all runs take, from the duration of the first one."""
    import time

    from ossature.sweeps.binding import bind_sweep

    report = new_report()
    task = bind_sweep(sweep, worlds, report)
    if task is None:
        print_findings(report, verbose=False)
        raise typer.Exit(EXIT_INVALID_INPUT)
    shown = [points[index] for index in range(min(len(points), _SHOWN_POINTS))]
    names = [one.name for one in sweep.parameters]
    print_table(
        ("run", *names, ""),
        [
            (str(one.index), *(_text(one.values[name]) for name in names), "excluded" if one.is_excluded else "")
            for one in shown
        ],
    )
    first = next((replace(one, index=1) for one in shown if not one.is_excluded), None)
    console = output_console()
    console.print(
        f"{len(points)} points" + (f", of which the first {len(shown)} are shown" if len(points) > len(shown) else "")
    )
    if first is None:
        return
    started = time.perf_counter()
    row = task.row(first)
    seconds = time.perf_counter() - started
    if row.status == "failed":
        fail(f"the first run fails: {row.message}", EXIT_INVALID_INPUT)
    console.print(f"one run takes {seconds:.3g} s, all about {seconds * len(points):.3g} s on one processor")


def _text(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value)} samples"
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)


def show(
    folder: ResultsFolder,
    read: FileOptions,
    limit: Annotated[int, typer.Option(min=1, help="Number of rows to print.")] = 20,
    failed: Annotated[bool, typer.Option("--failed", help="Print only runs that failed.")] = False,
    shows_sensitivities: Annotated[
        bool, typer.Option("--sensitivities", help="Print how much each result depends on each parameter.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the results of a sweep, also while it runs."""
    from ossature.sweeps import ResultFolder

    if shows_sensitivities:
        _show_sensitivities(ResultFolder(folder), as_json=as_json)
        return
    with input_errors():
        results = ResultFolder(folder)
        manifest, table = results.manifest(), results.table()
    rows = table.to_pylist()
    if failed:
        rows = [row for row in rows if row["status"] == "failed"]
    if as_json:
        print_json({"manifest": manifest, "rows": rows})
        return
    hidden = ["rule"] if any(row["rule"] for row in rows) else ["rule", "message"]
    names = [name for name in table.column_names if name not in hidden and (name != "warnings" or any(r[name] for r in rows))]
    print_table(names, [[_text(row[name]) for name in names] for row in rows[:limit]])
    left = len(rows) - limit
    output_console().print(
        f"{table.num_rows} of {manifest['count']} runs" + (f"; {left} more rows: --limit" if left > 0 else ""), markup=False
    )


def _show_sensitivities(results: ResultFolder, *, as_json: bool) -> None:
    from ossature.sweeps import sensitivities

    with input_errors():
        found = sensitivities(results)
    cells = [(one.effect.result, one.effect.parameter, one.effect.size, one.first_order, one.total) for one in found]
    if as_json:
        keys = ("result", "parameter", "main_effect", "first_order", "total")
        print_json([dict(zip(keys, row, strict=True)) for row in cells])
        return
    titles = ("result", "parameter", "main effect", "first-order index", "total index")
    print_table(titles, [[_text(cell) for cell in row] for row in cells])
    if all(one.first_order is None for one in found):
        missing = "" if find_spec("SALib") else " and SALib: pip install 'ossature[sweep]'"
        output_console().print(f"indices need a grid of which all runs finished, or a random design{missing}", markup=False)


def plot(
    folder: ResultsFolder,
    read: FileOptions,
    output: Annotated[Path | None, typer.Argument(metavar="OUT", help="The image: .png, .svg or .pdf.")] = None,
    former_output: Annotated[Path | None, typer.Option("--output", "-o", hidden=True)] = None,
    effects: Annotated[bool, typer.Option("--effects", help="Plot the mean of each result over each parameter.")] = False,
    color: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The parameter or result that colours the lines; by default the last result."),
    ] = None,
) -> None:
    """Plot the results of a sweep: each run as a line over parallel axes, or main effects."""
    output = _only_output(output, former_output)
    check_outputs([], [output])
    require_plot(output)
    if effects and color is not None:
        fail("--color and --effects cannot be combined")
    with input_errors(), writing(output):
        from ossature.sweeps import ResultFolder
        from ossature.sweeps.plot_results import plot_main_effects, plot_parallel_coordinates

        results = ResultFolder(folder)
        count = plot_main_effects(results, output) if effects else plot_parallel_coordinates(results, output, color)
    output_console().print(f"{output}: {count} {'panels' if effects else 'runs'}", markup=False)


def _only_output(output: Path | None, former_output: Path | None) -> Path:
    """Return the output, which was the option --output before it was an argument as that of other commands."""
    found = [path for path in (output, former_output) if path is not None]
    if len(found) != 1:
        fail("state one image to write: ossature sweep plot FOLDER OUT")
    return found[0]


for _command in (run, show, plot):
    app.command(cls=Command)(expand_options(_command))
