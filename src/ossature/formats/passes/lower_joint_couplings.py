"""Passes: remove or simplify joint couplings (mimic) that a format does not support."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.urdf.convert_mimic import mimic_coupling, mimic_parameters
from ossature.kinematics import FormulaError, affine_form, has_coupled_coordinates, with_initial_coupled_positions
from ossature.model import Coordinate, Coupling, Joint, Model, NamedList, World, formula_text


def lower_joint_couplings(world: World, context: WriteContext) -> World:
    """Return a World without couplings: coupled joints become independent, at the initial positions of their formulas."""
    if not any(has_coupled_coordinates(model) for model in world.models):
        return world
    return replace(world, models=world.models.map(lambda model: _without_couplings(model, context.ledger)))


def _without_couplings(model: Model, ledger: Ledger) -> Model:
    try:
        started = with_initial_coupled_positions(model)
    except FormulaError:
        started = model  # an undefined formula is dropped like any other
    joints = [
        _without_coupling(before, after, model.name, ledger) for before, after in zip(model.joints, started.joints, strict=True)
    ]
    return replace(model, joints=NamedList(joints))


def _without_coupling(before: Joint, after: Joint, model: str, ledger: Ledger) -> Joint:
    if all(coordinate.coupling is None for coordinate in before.coordinates):
        return before
    for number, (specified, started) in enumerate(zip(before.coordinates, after.coordinates, strict=True)):
        _record_removed_coupling(specified, started, f"{model}/{before.name}.coordinates[{number}]", before, ledger)
    return replace(after, coordinates=tuple([replace(coordinate, coupling=None) for coordinate in after.coordinates]))


def _record_removed_coupling(specified: Coordinate, started: Coordinate, path: str, joint: Joint, ledger: Ledger) -> None:
    if specified.coupling is None:
        return
    detail = f"unsupported coupling {formula_text(specified.coupling.position)}: the joint becomes independent"
    ledger.dropped(f"{path}.coupling", detail, location=joint.origin)
    for field in ("initial_position", "initial_velocity"):
        if getattr(specified, field) != getattr(started, field):
            ledger.rewritten(f"{path}.{field}", "computed from the formula of the coupling", location=joint.origin)


def reduce_to_linear_couplings(world: World, context: WriteContext) -> World:
    """Return a World whose couplings are all ``factor · position + offset`` of one other joint; others are removed."""
    return replace(world, models=world.models.map(lambda model: _with_linear_couplings(model, context.ledger)))


def _with_linear_couplings(model: Model, ledger: Ledger) -> Model:
    if not has_coupled_coordinates(model):
        return model
    return replace(model, joints=NamedList([_with_linear_coupling(joint, model, ledger) for joint in model.joints]))


def _with_linear_coupling(joint: Joint, model: Model, ledger: Ledger) -> Joint:
    if all(coordinate.coupling is None for coordinate in joint.coordinates):
        return joint
    coordinates = []
    for number, coordinate in enumerate(joint.coordinates):
        path = f"{model.name}/{joint.name}.coordinates[{number}].coupling"
        formula = coordinate.coupling
        linear = _linear_formula(formula, model) if formula is not None else None
        if formula is not None and linear is None:
            detail = f"unsupported coupling {formula_text(formula.position)}: the joint becomes independent"
            ledger.dropped(path, detail, location=joint.origin)
        elif formula is not None and linear is not None and linear.position != formula.position:
            ledger.rewritten(
                path, f"{formula_text(formula.position)} as {formula_text(linear.position)}", location=joint.origin
            )
        coordinates.append(replace(coordinate, coupling=linear))
    return replace(joint, coordinates=tuple(coordinates))


def _linear_formula(formula: Coupling, model: Model) -> Coupling | None:
    """Return a formula as ``factor · position + offset``, or None if it is not linear in one position."""
    if mimic_parameters(formula) is not None:
        return formula
    form = affine_form(formula.position)
    if form is None or len(form.coefficients) != 1:
        return None
    ((source, factor),) = form.coefficients.items()
    joint = model.joints.get(source.joint)
    if joint is None or joint.degrees_of_freedom != 1:
        return None
    return replace(mimic_coupling(source.joint, factor, form.constant), partials=formula.partials)
