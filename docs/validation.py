"""Writes docs/validation.md: every file of the corpora simulated, with what each run shows about its own accuracy.

It needs the corpora (`../shared`, or the folder that `OSSATURE_CORPUS` names) and takes some minutes: `make validation`.
With names of corpora as arguments only those are simulated, and their rows are printed.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ossature import load
from ossature.diagnostics import OssatureError, Report, Severity
from ossature.simulation import Simulation
from ossature.simulation.rules import RULES
from ossature.simulation.run_diagnostics import RunDiagnostics

PAGE = Path(__file__).parent / "validation.md"
CORPORA = {
    "skel": (".skel", ".world"),
    "contact": (".skel",),
    "chrono": (".yaml",),
    "chrono-elements": (".yaml",),
    "mechanisms": (".yaml",),
    "urdf": (".urdf",),
    "openrave": (".dae", ".zae"),
}
"""The suffixes of the files that are simulated, by corpus."""
DEFAULT_DURATION = 1.0
"""How long a file is simulated that states no end time [s]."""
LONGEST = 10.0
"""How long a file is simulated at the most [s]."""
TIME_LIMIT = 60.0
"""Wall time after which a run is stopped [s]."""
JUDGING = (
    "loop-residual-exceeded",
    "energy-gained",
    "energy-lost",
    "fast-rotation",
    "fast-travel",
    "singular-configuration",
    "stiff-configuration",
    "simulation-diverged",
    "engine-warning",
    "conflicting-motors",
    "initial-assembly-jump",
    "initial-velocity-changed",
)
"""The rules that are about the quality of a run."""
HEADER = (
    "file",
    "integrator",
    "step [s]",
    "time [s]",
    "loops [m or rad]",
    "rotation per step [rad]",
    "energy error",
    "findings",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One file and what its run showed, as the page states it."""

    cells: tuple[str, ...]

    def line(self) -> str:
        """Return the row of a table."""
        return f"| {' | '.join(self.cells)} |"


def files_of(corpus: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of a corpus that are simulated: of a Chrono model and its simulation file the latter."""
    for path in sorted(corpus.rglob("*")):
        if path.suffix not in suffixes or not path.is_file():
            continue
        if path.with_name(f"{path.stem}_sim.yaml").exists() or path.stem.startswith("solver"):
            continue
        yield path


def judge(path: Path, name: str) -> Row:
    """Return what a run of a file shows."""
    report = Report()
    try:
        world = load(path)
        simulation = Simulation(world, report=report)
    except OssatureError as error:
        found = getattr(error, "report", report)
        return Row(cells=(name, *("",) * 6, f"refused: {_names(found, errors=True) or type(error).__name__}"))
    duration = min(DEFAULT_DURATION if world.end_time is None else world.end_time, LONGEST)
    began = time.monotonic()

    def watch_time(share: float) -> None:
        if share < 1.0 and time.monotonic() - began > TIME_LIMIT:
            raise TimeoutError

    with contextlib.suppress(OssatureError, TimeoutError):
        simulation.run(duration, progress=watch_time)
    cells = _cells(simulation.diagnostics)
    step, reached = f"{simulation.time_step:g}", f"{simulation.time:g}"
    return Row(cells=(name, simulation.compiled.choice.scheme.value, step, reached, *cells, _names(report) or "none"))


def _cells(found: RunDiagnostics) -> tuple[str, str, str]:
    energy = found.energy
    error = max(energy.relative_gain, energy.relative_loss)
    loops = "" if found.loop_residual is None else f"{found.loop_residual.value:.1e}"
    rotation = "" if found.rotation_per_step is None else f"{found.rotation_per_step.value:.2g}"
    return loops, rotation, f"{error:.1%}" if energy.is_resolved else "unknown"


def _names(report: Report, *, errors: bool = False) -> str:
    names = [
        finding.rule.name
        for finding in report
        if (finding.rule.severity is Severity.ERROR if errors else finding.rule.name in JUDGING)
    ]
    return ", ".join(dict.fromkeys(names))


def _judge_job(job: tuple[Path, str]) -> Row:
    return judge(*job)


def tables(root: Path, names: list[str]) -> Iterator[str]:
    """Yield the lines of the tables."""
    with multiprocessing.Pool(2) as pool:
        for corpus in names:
            folder = root / corpus
            jobs = [(path, path.relative_to(folder).as_posix()) for path in files_of(folder, CORPORA[corpus])]
            yield f"## {corpus}\n"
            yield Row(cells=HEADER).line()
            yield f"|{' --- |' * len(HEADER)}"
            for row in pool.imap(_judge_job, jobs):
                yield row.line()
            yield ""


INTRODUCTION = """# Validation: what every run shows about its own accuracy

This page is written by `make validation`, which simulates every file of the corpora with the defaults: its own time step, for
its own duration ({duration:g} s if it states none, {longest:g} s at the most), without commands.

- *loops*: the largest residual of a joint that closes a loop, over all steps.
- *rotation per step*: the largest rotation of a body in one step.
- *energy error*: energy that bodies gained or lost beyond the work of motors, loads and dampers, as a share of the energy that
  takes part in the motion; a loss counts only if nothing else dissipates, such as friction, contacts and limits. *unknown*: a
  force has no potential that is computed, or the samples do not resolve the work.
- *findings*: those about the quality of the run; [rules](rules.md) explains each, with its bound.

"""


def main() -> None:
    """Write the page, or print the tables of some corpora."""
    root = Path(os.environ.get("OSSATURE_CORPUS", "../shared")) / "corpus"
    if not root.is_dir():
        sys.exit(f"{root}: there are no corpora; set OSSATURE_CORPUS")
    assert set(JUDGING) <= {rule.name for rule in RULES}  # noqa: S101
    if sys.argv[1:]:
        for line in tables(root, sys.argv[1:]):
            print(line, flush=True)
        return
    text = INTRODUCTION.format(duration=DEFAULT_DURATION, longest=LONGEST)
    PAGE.write_text(text + "\n".join(tables(root, list(CORPORA))))
    print(PAGE)


if __name__ == "__main__":
    main()
