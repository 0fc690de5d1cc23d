"""Binding of a sweep to its models: names become attributes and quantities; what does not exist is a finding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ossature.diagnostics import Location, Report
from ossature.model import ModelError, World
from ossature.model.element_paths import ElementPath, resolve, value_at
from ossature.recordings.sample_columns import Columns
from ossature.simulation import CompiledModel, ContactOptions, Simulation
from ossature.sweeps import rules
from ossature.sweeps.expand_parameter_paths import expand_path, with_specified_materials
from ossature.sweeps.parse_expression import ExpressionError, require_variables
from ossature.sweeps.quantities import Quantity, QuantityError, find_quantity, joint_limits
from ossature.sweeps.sweep_spec import Formula, Output, Parameter, Run, Statistic, Sweep, Variants
from ossature.sweeps.task import BoundOutput, Task

RESERVED = ("index", "status", "end_time", "warnings", "rule", "message")
"""Columns of the results that no parameter or output may be named after."""


def bind_sweep(sweep: Sweep, worlds: Mapping[str, World], report: Report, folder: Path | None = None) -> Task | None:
    """Return the task of a sweep, or None if there are errors, which are reported.

    Args:
        worlds: The World of each variant; one with an empty name if there are no variants.
        report: Receives the findings.
        folder: Folder for the recordings of the runs.

    Raises:
        SimulationError: A World cannot be simulated.
    """
    check_names(sweep, report)
    prepared = {name: _prepare(world, sweep) for name, world in worlds.items()}
    paths = bind_parameters(sweep.parameters, list(prepared.values()), report)
    models = {name: compile_model(world, sweep.run) for name, world in prepared.items()}
    outputs, stop = bind_outputs(sweep.run, list(models.values()), report)
    if report.has_errors:
        return None
    attributes = {name: resolve_parameters(paths, world) for name, world in prepared.items()}
    factors = [one.name for one in sweep.parameters if one.is_relative]
    return Task(
        models=models,
        attributes=attributes,
        relative={
            variant: {name: [value_at(world, at) for at in attributes[variant][name]] for name in factors}
            for variant, world in prepared.items()
        },
        variant=next((one.name for one in sweep.parameters if isinstance(one.source, Variants)), None),
        run=sweep.run,
        outputs=outputs,
        stop=list(zip(sweep.run.stop, stop, strict=True)),
        folder=folder if sweep.run.recordings is not None else None,
    )


def compile_model(world: World, run: Run) -> CompiledModel:
    """Return a World compiled for the runs of a sweep or a fit.

    Raises:
        SimulationError: It cannot be simulated.
    """
    contact = ContactOptions(time_constant=run.contact_time_constant)
    return CompiledModel.from_world(world, integrator=run.integrator, contact=contact)


def _prepare(world: World, sweep: Sweep) -> World:
    if sweep.run.time_step is not None:
        world = replace(world, time_step=sweep.run.time_step)
    sets_material = any(".material." in path for one in sweep.parameters for path in one.paths)
    return with_specified_materials(world) if sets_material else world


# Names


def check_names(sweep: Sweep, report: Report) -> None:
    """Report names that are used twice, and variables of expressions that do not exist."""
    known: set[str] = set()
    named: list[Parameter | Output] = [*sweep.parameters, *sweep.run.outputs]
    for one in (*named, *sweep.run.metrics):
        if one.name in known or one.name in RESERVED:
            reason = "is used twice" if one.name in known else "is the name of another column of the results"
            report.add(rules.INVALID_SWEEP, f"the name '{one.name}' {reason}", one.origin, hint="give it another name")
        known.add(one.name)
    numbers = dict.fromkeys(one.name for one in sweep.parameters if not isinstance(one.source, Variants | Formula))
    for parameter in sweep.parameters:
        if isinstance(parameter.source, Formula):
            _check_formula(parameter.source, numbers, parameter.origin, report)
            numbers[parameter.name] = None
    for constraint in sweep.constraints:
        _check_formula(constraint, numbers, sweep.origin, report)
    numbers |= dict.fromkeys(one.name for one in sweep.run.outputs if one.statistic is not Statistic.SERIES)
    for metric in sweep.run.metrics:
        _check_formula(metric.formula, numbers, metric.origin, report)
        numbers[metric.name] = None


def _check_formula(formula: Formula, names: Collection[str], location: Location | None, report: Report) -> None:
    try:
        require_variables(formula.expression, names, report.suggestion)
    except ExpressionError as error:
        report.add(rules.INVALID_SWEEP, f"'{formula.text}': {error}", location)


# Parameters


def bind_parameters(parameters: Iterable[Parameter], worlds: Sequence[World], report: Report) -> dict[str, list[str]]:
    """Return the attributes that each parameter sets, in all variants of the model; report paths without any."""
    found: dict[str, list[str]] = {}
    owners: dict[str, str] = {}
    for one in parameters:
        if isinstance(one.source, Variants):
            continue
        try:
            expanded = [[full for path in one.paths for full in expand_path(world, path)] for world in worlds]
            if any(paths != expanded[0] for paths in expanded):
                raise ModelError(f"'{one.paths[0]}' means different attributes in the variants of the model")
            for path in expanded[0]:
                _check_attribute(worlds, path, one)
        except ModelError as error:
            report.add(rules.UNKNOWN_PARAMETER, str(error), one.origin)
            continue
        found[one.name] = expanded[0]
        for path in expanded[0]:
            if owners.setdefault(path, one.name) != one.name:
                message = f"'{path}' is set by two parameters: '{owners[path]}' and '{one.name}'"
                report.add(rules.INVALID_SWEEP, message, one.origin)
    return found


def resolve_parameters(paths: Mapping[str, Sequence[str]], world: World) -> dict[str, list[ElementPath]]:
    """Return the positions of the attributes of parameters in a World."""
    return {name: [resolve(world, path) for path in each] for name, each in paths.items()}


def _check_attribute(worlds: Sequence[World], path: str, parameter: Parameter) -> None:
    """Raise a ModelError if an attribute is not a number."""
    for world in worlds:
        value = value_at(world, resolve(world, path))
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number and (value is not None or parameter.is_relative):
            what = "unspecified" if value is None else f"a {type(value).__name__}"
            hint = "; append an index: [0]" if isinstance(value, tuple) else ""
            raise ModelError(f"'{path}' is {what}, not a number{hint}")


# Outputs


def bind_outputs(run: Run, models: Sequence[CompiledModel], report: Report) -> tuple[list[BoundOutput], list[Quantity]]:
    """Return outputs and stop conditions with their quantities; report those that do not exist."""
    columns = [
        Simulation(model, report=Report(limits=model.meshes.limits)).run(0.0, forces=True).to_rows()[0] for model in models
    ]
    outputs = []
    for output in run.outputs:
        quantity = _find(output.quantity, columns, output.origin, report)
        if quantity is not None:
            limits = None
            if output.statistic is Statistic.FIRST_AT_LIMIT:
                try:
                    limits = joint_limits(models[0].world, quantity)
                except QuantityError as error:
                    report.add(rules.UNKNOWN_QUANTITY, str(error), output.origin)
            outputs.append(BoundOutput(output=output, quantity=quantity, limits=limits))
    stop = [_find(one.quantity, columns, one.origin, report) for one in run.stop]
    return outputs, [one for one in stop if one is not None]


def _find(name: str, columns: Sequence[Columns], location: Location | None, report: Report) -> Quantity | None:
    try:
        found = [find_quantity(each, name, report.suggestion) for each in columns]
    except QuantityError as error:
        report.add(rules.UNKNOWN_QUANTITY, str(error), location)
        return None
    return found[0]
