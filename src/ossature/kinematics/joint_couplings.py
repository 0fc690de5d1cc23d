"""Couplings (mimic joints): coordinates that are functions of others, their order of evaluation and their values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ossature.diagnostics import Location, OssatureError, suggestion
from ossature.kinematics.expression_evaluation import derivatives, evaluate
from ossature.model import Coupling, Joint, JointPosition, Model, World, formula_text, position_text, sources_of

if TYPE_CHECKING:
    from ossature.kinematics.expression_evaluation import Values


class FormulaError(OssatureError, ValueError):
    """A formula gives a coordinate no value.

    Attributes:
        position: The coupled coordinate.
        origin: The location of its joint in the file, or None.
    """

    def __init__(self, message: str, position: JointPosition, origin: Location | None = None) -> None:
        self.position = position
        self.origin = origin
        super().__init__(message)


class UnknownSourceError(FormulaError):
    """A formula names a joint or coordinate that the model does not have."""


class FormulaCycleError(FormulaError):
    """Couplings are cyclic."""


class UndefinedFormulaError(FormulaError):
    """A formula is undefined at the positions of its sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoupledCoordinate:
    """A coordinate that is coupled to others.

    Attributes:
        joint: Its joint.
        number: Number of the coordinate in the joint.
        formula: The coupling.
        sources: The positions that the formula names.
    """

    joint: Joint
    number: int
    formula: Coupling
    sources: tuple[JointPosition, ...]

    @property
    def position(self) -> JointPosition:
        """The coordinate, as formulas refer to it."""
        return JointPosition(joint=self.joint.name, coordinate=self.number)

    @property
    def text(self) -> str:
        """The coupling as an equation."""
        return f"{position_text(self.position)} = {formula_text(self.formula.position)}"


def has_coupled_coordinates(model: Model) -> bool:
    """Whether a model has coupled coordinates."""
    for joint in model.joints:
        for coordinate in joint.coordinates:
            if coordinate.coupling is not None:
                return True
    return False


def all_coupled_coordinates(model: Model) -> list[CoupledCoordinate]:
    """Return the coupled coordinates, in file order."""
    return [
        CoupledCoordinate(joint=joint, number=number, formula=formula, sources=sources_of(formula.position))
        for joint in model.joints
        for number, coordinate in enumerate(joint.coordinates)
        if (formula := coordinate.coupling) is not None
    ]


def sorted_coupled_coordinates(model: Model, specified: Sequence[str] = ()) -> list[CoupledCoordinate]:
    """Return the coupled coordinates in topological order: each comes after its sources.

    Args:
        model: The model.
        specified: Names of joints whose coordinates are given, so that their couplings are ignored.

    Raises:
        UnknownSourceError: A formula names an unknown coordinate.
        FormulaCycleError: Couplings are cyclic; the message names the cycle.
    """
    waiting = {
        follower.position: follower
        for follower in all_coupled_coordinates(model)
        if follower.joint.name not in specified and model.joints[follower.joint.name] is follower.joint
    }
    for follower in waiting.values():
        for source in follower.sources:
            if not is_coordinate(source, model):
                raise _unknown_source_error(follower, source, model)
    ordered: dict[JointPosition, CoupledCoordinate] = {}
    for follower in waiting.values():
        ordered.update((found.position, found) for found in _with_sources(follower, waiting, ordered))
    return list(ordered.values())


def _with_sources(
    follower: CoupledCoordinate,
    waiting: Mapping[JointPosition, CoupledCoordinate],
    done: Mapping[JointPosition, CoupledCoordinate],
) -> Iterator[CoupledCoordinate]:
    """Yield a coupled coordinate after its sources, except those that are done; without recursion, for long chains."""
    entered: dict[JointPosition, None] = {}
    finished: set[JointPosition] = set()
    pending = [(follower, False)]
    while pending:
        current, has_sources = pending.pop()
        if has_sources:
            finished.add(current.position)
            del entered[current.position]
            yield current
        elif current.position not in finished:
            if current.position in entered:
                raise _cycle_error(current, list(entered))
            entered[current.position] = None
            pending.append((current, True))
            unfinished = [
                source for source in current.sources if source in waiting and source not in done and source not in finished
            ]
            pending.extend((waiting[source], False) for source in reversed(unfinished))


def is_coordinate(position: JointPosition, model: Model) -> bool:
    """Whether a model has a coordinate of that joint and number."""
    joint = model.joints.get(position.joint)
    return joint is not None and 0 <= position.coordinate < joint.degrees_of_freedom


def _unknown_source_error(follower: CoupledCoordinate, source: JointPosition, model: Model) -> UnknownSourceError:
    joint = model.joints.get(source.joint)
    name = f"joint '{source.joint}'" if joint is None else f"coordinate {source.coordinate} of joint '{source.joint}'"
    hint = suggestion(source.joint, model.joints.names()) if joint is None else f"the joint has {joint.degrees_of_freedom}"
    message = f"joint '{follower.joint.name}' is coupled to {name}, which does not exist ({hint})"
    return UnknownSourceError(message, follower.position, follower.joint.origin)


def _cycle_error(follower: CoupledCoordinate, entered: list[JointPosition]) -> FormulaCycleError:
    chain = [*entered[entered.index(follower.position) :], follower.position]
    names = " → ".join(position_text(position) for position in chain)
    return FormulaCycleError(f"cyclic coupling: {names}", follower.position, follower.joint.origin)


# Values


def joint_positions(
    model: Model, specified: Mapping[str, Sequence[float]], *, formulas_first: bool = False
) -> dict[str, Sequence[float]]:
    """Return the coordinates of all joints that are given or coupled.

    Args:
        model: The model.
        specified: Coordinates by joint [rad or m]; those of a coupled joint take precedence over its formula. Other joints have
            their initial positions.
        formulas_first: Whether formulas take precedence over given coordinates, for joints that are coupled in some coordinates
            only.

    Raises:
        FormulaError: A formula gives no value.
    """
    result = dict(specified)
    for follower in sorted_coupled_coordinates(model, () if formulas_first else tuple(specified)):
        name = follower.joint.name
        values = list(result.get(name, follower.joint.initial_positions))
        values[follower.number] = _evaluate_coupling(follower, _source_values(follower, model, result))
        result[name] = values
    return result


def _source_values(
    follower: CoupledCoordinate, model: Model, known: Mapping[str, Sequence[float]]
) -> dict[JointPosition, Values]:
    return {
        source: known.get(source.joint, model.joints[source.joint].initial_positions)[source.coordinate]
        for source in follower.sources
    }


def _evaluate_coupling(follower: CoupledCoordinate, sources: Mapping[JointPosition, Values]) -> float:
    value = float(evaluate(follower.formula.position, sources))
    if math.isnan(value):
        raise _undefined_formula_error(follower, sources)
    return value


def _undefined_formula_error(follower: CoupledCoordinate, sources: Mapping[JointPosition, Values]) -> UndefinedFormulaError:
    at = ", ".join(f"{position_text(source)} = {value:g}" for source, value in sources.items())
    message = f"joint '{follower.joint.name}': {follower.text} has no value" + (f" at {at}" if at else "")
    return UndefinedFormulaError(message, follower.position, follower.joint.origin)


def with_initial_coupled_positions(model: Model) -> Model:
    """Return a model whose coupled coordinates have the initial positions and velocities that their formulas give.

    Raises:
        FormulaError: A formula gives no value.
    """
    if not has_coupled_coordinates(model):
        return model
    joints = {joint.name: joint for joint in model.joints}
    for follower in sorted_coupled_coordinates(model):
        name = follower.joint.name
        starts = [joints[source.joint].coordinates[source.coordinate] for source in follower.sources]
        sources: dict[JointPosition, Values] = {
            source: start.initial_position for source, start in zip(follower.sources, starts, strict=True)
        }
        rates = {source: start.initial_velocity for source, start in zip(follower.sources, starts, strict=True)}
        position, velocity, _ = derivatives(follower.formula.position, sources, rates)
        if math.isnan(float(position)):
            raise _undefined_formula_error(follower, sources)
        coordinates = list(joints[name].coordinates)
        coordinates[follower.number] = replace(
            coordinates[follower.number],
            initial_position=float(position),
            initial_velocity=0.0 if math.isnan(float(velocity)) else float(velocity),
        )
        joints[name] = replace(joints[name], coordinates=tuple(coordinates))
    return replace(model, joints=model.joints.replaced(*joints.values()))


def world_with_initial_coupled_positions(world: World) -> World:
    """Return a World with :func:`with_initial_coupled_positions` applied to each model.

    Raises:
        FormulaError: A formula gives no value.
    """
    if not any(has_coupled_coordinates(model) for model in world.models):
        return world
    return replace(world, models=world.models.map(with_initial_coupled_positions))
