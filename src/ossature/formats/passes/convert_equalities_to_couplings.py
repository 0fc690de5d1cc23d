"""Pass: equalities of joint coordinates become couplings (mimic), which formats without equalities have."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.kinematics import FormulaError, sorted_coupled_coordinates
from ossature.kinematics.equality_constraint_equations import equality_coupling, supported_equalities
from ossature.model import Coupling, Joint, JointEquality, Model, NamedList, World, formula_text


def convert_equalities_to_couplings(world: World, context: WriteContext) -> World:
    """Return a World in which active equalities of joint coordinates are couplings.

    The first coordinate follows the second one, exactly, as with MuJoCo's equalities in the limit of hard constraints. An
    equality remains if its coordinate follows another one already, or if couplings would be cyclic.
    """
    if not any(model.equalities for model in world.models):
        return world
    return replace(world, models=world.models.map(lambda model: _with_couplings(model, context.ledger)))


def _with_couplings(model: Model, ledger: Ledger) -> Model:
    for equality in supported_equalities(model):
        if not isinstance(equality.type, JointEquality):
            continue
        coupled = _with_coupling(model, equality.type)
        if coupled is not None:
            formula = coupled.joints[equality.type.joint1].coordinates[equality.type.coordinate1].coupling
            assert formula is not None  # noqa: S101  # it was added
            path = f"{model.name}/{equality.type.joint1}.coordinates[{equality.type.coordinate1}].coupling"
            ledger.rewritten(f"{model.name}/{equality.name}", f"a coupling: {formula_text(formula.position)}")
            ledger.rewritten(path, "the equality of two joints")
            if equality.hints:
                ledger.dropped(f"{model.name}/{equality.name}.hints", "solver parameters: a coupling is exact")
            model = replace(coupled, equalities=NamedList([one for one in coupled.equalities if one is not equality]))
    return model


def _with_coupling(model: Model, kind: JointEquality) -> Model | None:
    """Return a model with the coupling that an equality states, or None if there would be two, or a cycle."""
    joint = model.joints[kind.joint1]
    if joint.coordinates[kind.coordinate1].coupling is not None:
        return None
    formula = equality_coupling(kind, model).formula
    changed = replace(model, joints=model.joints.replaced(_coupled_joint(joint, kind.coordinate1, formula)))
    try:
        sorted_coupled_coordinates(changed)
    except FormulaError:
        return None
    return changed


def _coupled_joint(joint: Joint, number: int, formula: Coupling) -> Joint:
    coordinates = list(joint.coordinates)
    coordinates[number] = replace(coordinates[number], coupling=formula)
    return replace(joint, coordinates=tuple(coordinates))
