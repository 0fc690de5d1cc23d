"""Simulation settings of a World → Chrono simulation and solver files."""

from __future__ import annotations

from typing import Any

from ossature.formats.chrono.read_simulation_and_solver import GRAVITY, TIME_STEP
from ossature.formats.chrono.schema_run import IntegratorElement, SimulationElement, SimulationFile, SolverFile
from ossature.model import ChronoContact, World, hint_of
from ossature.syntax import yaml
from ossature.syntax.yaml_binding import unbind


def run_files(world: World, stem: str) -> dict[str, str]:
    """Return the texts of the simulation and solver files by name; empty if all settings are defaults.

    Args:
        stem: Name of the model file, without its suffix ``.yaml``.
    """
    solver = _solver_settings(world)
    settings = SimulationElement(gravity=None if world.gravity == GRAVITY else world.gravity, end_time=world.end_time)
    if solver is None and settings == SimulationElement():
        return {}
    names = run_names(stem)
    run = SimulationFile(type="MBS", model=f"{stem}.yaml", solver=None if solver is None else names[1], simulation=settings)
    files = {names[0]: _document_text(unbind(run))}
    if solver is not None:
        files[names[1]] = _document_text(unbind(solver))
    return files


def run_names(stem: str) -> tuple[str, str]:
    """Return the names of the simulation file and the solver file of a model file."""
    return f"{stem}_run.yaml", f"{stem}_solver.yaml"


def _solver_settings(world: World) -> SolverFile | None:
    contact = hint_of(world, ChronoContact)
    if contact is None and world.time_step == TIME_STEP:
        return None
    integrator = None if world.time_step == TIME_STEP else IntegratorElement(time_step=world.time_step)
    return SolverFile(contact_method=None if contact is None else contact.method, integrator=integrator)


def _document_text(data: dict[str, Any]) -> str:
    return yaml.serialize({"chrono-version": 10.0} | data)
