"""Pass: equalities of joint coordinates become couplings (mimic), which formats without equalities have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.kinematics import FormulaError, sorted_coupled_coordinates
from ossature.kinematics.equality_constraint_equations import equality_coupling, supported_equalities
from ossature.model import Coupling, Joint, JointEquality, JointPosition, Model, NamedList, World, formula_text, sources_of


def convert_equalities_to_couplings(world: World, context: WriteContext) -> World:
    """Return a World in which active equalities of joint coordinates are couplings.

    The first coordinate follows the second one, exactly, as with MuJoCo's equalities in the limit of hard constraints. An
    equality remains if its coordinate follows another one already, or if couplings would be cyclic.
    """
    if not any(model.equalities for model in world.models):
        return world
    return replace(world, models=world.models.map(lambda model: _with_couplings(model, context.ledger)))


def _with_couplings(model: Model, ledger: Ledger) -> Model:
    try:
        coupled = sorted_coupled_coordinates(model)
    except FormulaError:
        return model
    sources = {each.position: each.sources for each in coupled}
    used = {source for each in coupled for source in each.sources}
    joints: dict[str, Joint] = {}
    converted: set[int] = set()
    for equality in supported_equalities(model):
        kind = equality.type
        if not isinstance(kind, JointEquality):
            continue
        joint = joints.get(kind.joint1, model.joints[kind.joint1])
        follower = JointPosition(joint=kind.joint1, coordinate=kind.coordinate1)
        formula = equality_coupling(kind, model).formula
        own_sources = sources_of(formula.position)
        if joint.coordinates[kind.coordinate1].coupling is not None:
            continue
        used.update(own_sources)
        if follower in used and _depends_on(own_sources, follower, sources):
            continue
        sources[follower] = own_sources
        joints[kind.joint1] = _coupled_joint(joint, kind.coordinate1, formula)
        converted.add(id(equality))
        path = f"{model.name}/{kind.joint1}.coordinates[{kind.coordinate1}].coupling"
        ledger.rewritten(f"{model.name}/{equality.name}", f"a coupling: {formula_text(formula.position)}")
        ledger.rewritten(path, "the equality of two joints")
        if equality.hints:
            ledger.dropped(f"{model.name}/{equality.name}.hints", "solver parameters: a coupling is exact")
    remaining = NamedList([each for each in model.equalities if id(each) not in converted])
    return replace(model, joints=model.joints.replaced(*joints.values()), equalities=remaining)


def _depends_on(
    positions: Iterable[JointPosition], follower: JointPosition, sources: Mapping[JointPosition, Sequence[JointPosition]]
) -> bool:
    """Return whether one of some coordinates is a coordinate, or is coupled to it by others."""
    pending, visited = list(positions), set[JointPosition]()
    while pending:
        current = pending.pop()
        if current == follower:
            return True
        if current not in visited:
            visited.add(current)
            pending.extend(sources.get(current, ()))
    return False


def _coupled_joint(joint: Joint, number: int, formula: Coupling) -> Joint:
    coordinates = list(joint.coordinates)
    coordinates[number] = replace(coordinates[number], coupling=formula)
    return replace(joint, coordinates=tuple(coordinates))
