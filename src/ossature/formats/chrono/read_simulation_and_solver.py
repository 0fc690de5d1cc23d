"""Chrono simulation and solver files → simulation settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ossature.assets.filesystem import DiskFiles
from ossature.assets.read_regular_files import file_bytes
from ossature.diagnostics import Location, Report, Source
from ossature.formats.chrono import rules
from ossature.formats.chrono.schema_run import IntegratorElement, SimulationFile, SolverElement, SolverFile
from ossature.model.program_hints import ContactMethod
from ossature.spatial import Vector3
from ossature.syntax import yaml
from ossature.syntax.yaml_binding import bind

GRAVITY: Vector3 = (0.0, 0.0, -9.8)
"""Chrono's default gravity [m/s²]."""

TIME_STEP = 1e-3
"""Chrono's default time step [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Simulation settings of a model.

    Attributes:
        gravity: Gravity [m/s²].
        time_step: Time step [s].
        end_time: Duration [s], or None if not stated.
        contact_method: ``SMC`` or ``NSC``, or None.
        model_source: The model file, or None if it cannot be read.
    """

    gravity: Vector3 = GRAVITY
    time_step: float = TIME_STEP
    end_time: float | None = None
    contact_method: ContactMethod | None = None
    model_source: Source | None = None
    model_folder: Path | None = None


def read_simulation_file(root: yaml.YamlNode, report: Report, folder: Path | None) -> RunSettings | None:
    """Return the settings of a simulation file and of the solver file that it names."""
    document = bind(SimulationFile, root, report)
    if document is None or document.model is None:
        return None
    simulation = document.simulation
    solver = _read_solver_file(document, report, folder)
    time_step = simulation.time_step if simulation is not None else None
    if time_step is None and solver is not None and solver.integrator is not None:
        time_step = solver.integrator.time_step
    if time_step is not None and time_step <= 0.0:
        report.add(
            rules.VALUE_OUT_OF_RANGE, f"'time_step' is {time_step:g} s; it must be positive", document.location("simulation")
        )
        time_step = None
    end_time = simulation.end_time if simulation is not None else None
    contact = (simulation.contact_method if simulation is not None else None) or (solver and solver.contact_method)
    return RunSettings(
        gravity=GRAVITY if simulation is None or simulation.gravity is None else simulation.gravity,
        time_step=TIME_STEP if time_step is None else time_step,
        end_time=None if end_time is None or end_time < 0.0 else end_time,
        contact_method=cast(ContactMethod, contact) if contact else None,
        model_source=_read_companion_file(document.model, document.location("model"), report, folder),
        model_folder=None if folder is None else (folder / document.model).parent,
    )


def _read_solver_file(document: SimulationFile, report: Report, folder: Path | None) -> SolverFile | None:
    if document.solver is None:
        return None
    source = _read_companion_file(document.solver, document.location("solver"), report, folder)
    root = None if source is None else yaml.parse(source, report)
    solver = None if root is None else bind(SolverFile, root, report)
    if solver is not None:
        _report_unused(solver, report)
    return solver


def _report_unused(solver: SolverFile, report: Report) -> None:
    """Report settings that would affect a simulation in Chrono and are not supported."""
    specified = [
        (part, name) for part, names in _UNUSED.items() for name in names if _is_specified(getattr(solver, part), name)
    ]
    if not specified:
        return
    names = ", ".join(f"'{part}: {name}'" for part, name in specified)
    part, name = specified[0]
    report.add(rules.UNSUPPORTED_SOLVER_SETTINGS, f"unsupported settings: {names}", getattr(solver, part).location(name))


def _is_specified(element: IntegratorElement | SolverElement | None, name: str) -> bool:
    value = None if element is None else getattr(element, name)
    return value is not None and value is not False


_UNUSED = {
    "integrator": (
        "type",
        "rel_tolerance",
        "abs_tolerance_states",
        "abs_tolerance_multipliers",
        "max_iterations",
        "use_stepsize_control",
        "use_modified_newton",
    ),
    "solver": ("type", "max_iterations", "tolerance"),
}


def _read_companion_file(name: str, location: Location | None, report: Report, folder: Path | None) -> Source | None:
    """Return a file in the folder of the simulation file or below it; no other file is opened."""
    if folder is None:
        report.add(rules.NO_COMPANION, f"'{name}' is relative to a file that was not read from a folder", location)
        return None
    path = folder / name
    DiskFiles().is_file(path)  # logs the search, also of a file that is not read
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            report.add(rules.NO_COMPANION, f"'{name}' is outside the folder of the simulation file", location)
            return None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        report.add(rules.NO_COMPANION, f"'{name}': {reason.lower()}", location, hint="check the path")
        return None
    data = file_bytes(path, report, rule=rules.NO_COMPANION, location=location, subject=f"'{name}': ")
    return None if data is None else Source(str(path), data)
