"""A World compiled for the engine once, for any number of simulations."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ossature.argument_types import typed_arguments
from ossature.assets import MeshStore
from ossature.diagnostics import Diagnostic, Report
from ossature.formats.mjcf.engine_memory import copy_engine_model
from ossature.instance_maker import with_attributes
from ossature.model import World
from ossature.model.edit import with_values
from ossature.simulation import rules
from ossature.simulation.compile.compile_context import CompileOptions
from ossature.simulation.compile.compile_world import compile_world
from ossature.simulation.compile.contact_model import ContactOptions
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.inertia_update import with_inertias
from ossature.simulation.compile.integrator_choice import Integrator, StepControl
from ossature.simulation.compile.simulation_error import SimulationError, engine_errors

SHORTEST_STEP, LONGEST_STEP = 1e-12, 1e3
"""Smallest and largest time step of the engine [s]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompiledModel:
    """A World compiled for the engine, which any number of simulations share, also in several threads.

    It is immutable and can be pickled. ``Simulation(compiled)`` adds what a run changes: state, commands, constraint targets,
    collision masks and grasps.

    Attributes:
        world: The World.
        options: Options of the compilation.
        meshes: The meshes.
        compiled: The engine's model, and the map from the World to it; they must not be changed.
        findings: Findings of the compilation; each simulation reports them.
        is_for_one_run: Whether only one simulation is made of it, which changes its arrays instead of those of a copy.
    """

    world: World
    options: CompileOptions
    meshes: MeshStore
    compiled: EngineModel
    findings: tuple[Diagnostic, ...] = ()
    is_for_one_run: bool = False

    def __repr__(self) -> str:
        models = ", ".join(self.world.models.names()) or "no models"
        return f"CompiledModel({models}; time step {self.options.time_step:g} s)"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{self.world._repr_html_()}"

    @classmethod
    @typed_arguments
    def from_world(
        cls,
        world: World,
        *,
        meshes: MeshStore | None = None,
        report: Report | None = None,
        time_step: float | None = None,
        enforce_limits: bool = True,
        contact: ContactOptions | None = None,
        integrator: str | None = None,
        tolerance: float | None = None,
        sub_steps: bool = True,
    ) -> CompiledModel:
        """Compile a World; :class:`~ossature.simulation.Simulation` explains the arguments.

        Raises:
            SimulationError: The World cannot be simulated; its report states the reasons.
            ValueError: An option is out of range.
            TypeError: The World is not a World, but for example the path of a file.
        """
        report = report if report is not None else Report()
        before = len(report)
        options = CompileOptions(
            time_step=require_time_step(world, time_step, report),
            enforce_limits=enforce_limits,
            contact=contact or ContactOptions(),
            integrator=None if integrator is None else Integrator(integrator),
            step_control=_step_control(tolerance, sub_steps=sub_steps),
        )
        store = meshes or MeshStore.of(world, report.limits)
        with engine_errors(world, report):
            compiled = compile_world(world, store, options, report)
        return cls(world=world, options=options, meshes=store, compiled=compiled, findings=tuple(report)[before:])

    @typed_arguments
    def with_parameters(self, parameters: Mapping[str, object]) -> CompiledModel:
        """Return a compiled model with other values of parameters, without compiling.

        All arrays of its engine model are bit by bit those of the changed World compiled anew. Parameters that can change are
        masses, moments of inertia and centres of mass; damping, stiffness, friction, limits and initial states of joints;
        sizes and materials of shapes; springs, bushings, loads, motors and their functions, and controllers; gravity. A World
        that MuJoCo compiles is compiled anew, so that any parameter can change.

        Args:
            parameters: The values by path, such as ``{"arm/link.mass": 1.2, "arm/elbow.damping": 0.1, "gravity": (0, 0, 0)}``:
                see :func:`ossature.model.edit.with_values`.

        Raises:
            NeedsCompilingError: A parameter can change only with another compilation, for example the length of a link.
            ModelError: There is no such parameter, a path is ambiguous, or a value has another type.
            SimulationError: The changed World cannot be simulated.
        """
        return self.with_world(with_values(self.world, parameters))

    @typed_arguments
    def with_world(self, world: World) -> CompiledModel:
        """Return a compiled model of a World that differs in numbers, without compiling; see :meth:`with_parameters`.

        Raises:
            NeedsCompilingError: The World differs in more than parameters that can change.
            SimulationError: The World cannot be simulated.
        """
        compiled = with_inertias(self.compiled, self.world, world, self.findings, self.meshes, self.options)
        return (
            self._compile(world, self.compiled) if compiled is None else with_attributes(self, world=world, compiled=compiled)
        )

    @typed_arguments
    def compile_anew(self, world: World) -> CompiledModel:
        """Return a compiled model of another World with the same options and meshes.

        Raises:
            SimulationError: The World cannot be simulated.
        """
        return self._compile(world, None)

    def _compile(self, world: World, base: EngineModel | None) -> CompiledModel:
        report = Report(limits=self.meshes.limits)
        follows_world = self.options.time_step == self.world.time_step
        step = require_time_step(world, None if follows_world else self.options.time_step, report)
        options = replace(self.options, time_step=step)
        compiled = compile_world(world, self.meshes, options, report, base=base, known=self.compiled)
        return replace(self, world=world, options=options, compiled=compiled, findings=tuple(report))

    def for_one_run(self) -> EngineModel:
        """Return the compiled World with an engine's model that a run may change."""
        return self.compiled if self.is_for_one_run else replace(self.compiled, model=copy_engine_model(self.compiled.model))


def compile_for_run(world: World | CompiledModel, report: Report, options: dict[str, Any]) -> tuple[CompiledModel, EngineModel]:
    """Return a compiled model, and what one simulation uses of it.

    Raises:
        ValueError: It is compiled already, and an option of the compilation is given.
    """
    if not isinstance(world, CompiledModel):
        compiled_model = CompiledModel.from_world(world, report=report, **options)
        return compiled_model, compiled_model.compiled
    defaults = {"enforce_limits": True, "sub_steps": True}
    given = [name for name, value in options.items() if value != defaults.get(name)]
    if given:
        raise ValueError(f"the model is compiled already; give these options to CompiledModel.from_world: {', '.join(given)}")
    report.extend(world.findings)
    return world, world.for_one_run()


def require_time_step(world: World, time_step: float | None, report: Report) -> float:
    """Return a time step, or that of a World if it is None [s].

    Raises:
        ValueError: The time step is not between :data:`SHORTEST_STEP` and :data:`LONGEST_STEP`.
        SimulationError: That of the World is not.
    """
    step = world.time_step if time_step is None else time_step
    if SHORTEST_STEP <= step <= LONGEST_STEP:
        return step
    message = f"the time step must be from {SHORTEST_STEP:g} to {LONGEST_STEP:g} s, not {step:g} s"
    if time_step is not None:
        raise ValueError(message)
    report.add(rules.UNUSABLE_TIME_STEP, message, world.origin, hint="use 0.001 s, for example")
    raise SimulationError(report)


def _step_control(tolerance: float | None, *, sub_steps: bool) -> StepControl:
    if tolerance is None:
        return StepControl(allows_sub_steps=sub_steps)
    if not 0.0 < tolerance < math.inf:
        raise ValueError(f"the tolerance must be positive, not {tolerance:g}")
    if not sub_steps:
        raise ValueError("a tolerance requires sub-steps, which are disabled")
    return StepControl(tolerance=tolerance, is_specified=True)
