"""Coordinates that follow others by a formula: in which order they take their values, and which."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ossature.diagnostics import Location, OssatureError, suggestion
from ossature.kinematics.expression_evaluation import derivatives, evaluate
from ossature.model import (
    Coordinate,
    Coupling,
    Joint,
    JointPosition,
    Model,
    NamedList,
    World,
    formula_text,
    position_text,
    sources_of,
)

if TYPE_CHECKING:
    from ossature.kinematics.expression_evaluation import Values


class FormulaError(OssatureError, ValueError):
    """A formula gives a coordinate no value.

    Attributes:
        position: The coordinate that follows it.
        origin: Where its joint stands in the file, or None.
    """

    def __init__(self, message: str, position: JointPosition, origin: Location | None = None) -> None:
        self.position = position
        self.origin = origin
        super().__init__(message)


class UnknownSourceError(FormulaError):
    """A formula names a joint or coordinate that the model does not have."""


class FormulaCycleError(FormulaError):
    """Coordinates follow each other round and round."""


class UndefinedFormulaError(FormulaError):
    """A formula has no value where its sources stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """A coordinate that follows others.

    Attributes:
        joint: Its joint.
        number: Which of the joint's coordinates.
        formula: What it follows.
        sources: The positions that the formula names.
    """

    joint: Joint
    number: int
    formula: Coupling
    sources: tuple[JointPosition, ...]

    @property
    def position(self) -> JointPosition:
        """The coordinate, as other formulas name it."""
        return JointPosition(joint=self.joint.name, coordinate=self.number)

    @property
    def text(self) -> str:
        """What it follows, as people write it."""
        return f"{position_text(self.position)} = {formula_text(self.formula.position)}"


def has_followers(model: Model) -> bool:
    """Whether a coordinate of a model follows others."""
    for joint in model.joints:
        for coordinate in joint.coordinates:
            if coordinate.coupling is not None:
                return True
    return False


def all_followers(model: Model) -> list[Follower]:
    """Return the coordinates that follow others, in file order."""
    return [
        Follower(joint=joint, number=number, formula=formula, sources=sources_of(formula.position))
        for joint in model.joints
        for number, coordinate in enumerate(joint.coordinates)
        if (formula := coordinate.coupling) is not None
    ]


def followers(model: Model, stated: Sequence[str] = ()) -> list[Follower]:
    """Return the coordinates that follow others in an order in which each comes after those that it follows.

    Args:
        model: The model.
        stated: Names of joints whose coordinates are given, so that they follow nothing.

    Raises:
        UnknownSourceError: A formula names a coordinate that there is not.
        FormulaCycleError: Coordinates follow each other; the message names the chain.
    """
    waiting = {
        follower.position: follower
        for follower in all_followers(model)
        if follower.joint.name not in stated and model.joints[follower.joint.name] is follower.joint
    }
    for follower in waiting.values():
        for source in follower.sources:
            if not is_coordinate(source, model):
                raise _unknown(follower, source, model)
    ordered: dict[JointPosition, Follower] = {}
    for follower in waiting.values():
        ordered.update((found.position, found) for found in _with_sources(follower, waiting, ordered))
    return list(ordered.values())


def _with_sources(
    follower: Follower, waiting: Mapping[JointPosition, Follower], done: Mapping[JointPosition, Follower]
) -> Iterator[Follower]:
    """Yield a follower after all that it follows, except those that are done; a long chain takes no deep stack."""
    entered: dict[JointPosition, None] = {}
    finished: set[JointPosition] = set()
    pending = [(follower, False)]
    while pending:
        here, has_sources = pending.pop()
        if has_sources:
            finished.add(here.position)
            del entered[here.position]
            yield here
        elif here.position not in finished:
            if here.position in entered:
                raise _cycle(here, list(entered))
            entered[here.position] = None
            pending.append((here, True))
            ahead = [source for source in here.sources if source in waiting and source not in done and source not in finished]
            pending.extend((waiting[source], False) for source in reversed(ahead))


def is_coordinate(position: JointPosition, model: Model) -> bool:
    """Whether a model has a coordinate of that joint and number."""
    joint = model.joints.get(position.joint)
    return joint is not None and 0 <= position.coordinate < joint.degrees_of_freedom


def _unknown(follower: Follower, source: JointPosition, model: Model) -> UnknownSourceError:
    joint = model.joints.get(source.joint)
    what = f"joint '{source.joint}'" if joint is None else f"coordinate {source.coordinate} of joint '{source.joint}'"
    hint = suggestion(source.joint, model.joints.names()) if joint is None else f"it has {joint.degrees_of_freedom}"
    message = f"joint '{follower.joint.name}' follows {what}, which does not exist ({hint})"
    return UnknownSourceError(message, follower.position, follower.joint.origin)


def _cycle(follower: Follower, entered: list[JointPosition]) -> FormulaCycleError:
    chain = [*entered[entered.index(follower.position) :], follower.position]
    names = " follows ".join(position_text(position) for position in chain)
    return FormulaCycleError(f"joints follow each other: {names}", follower.position, follower.joint.origin)


# Values


def joint_positions(model: Model, stated: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """Return the coordinates of all joints that are stated or follow others.

    Args:
        model: The model.
        stated: Coordinates by joint. What is stated counts, even of a joint that follows others; joints that are neither
            stated nor follow stay at their initial positions.

    Raises:
        FormulaError: A formula gives no value.
    """
    result = dict(stated)
    for follower in followers(model, tuple(stated)):
        name = follower.joint.name
        values = list(result.get(name, follower.joint.initial_positions))
        values[follower.number] = _value(follower, _sources(follower, model, result))
        result[name] = values
    return result


def _sources(follower: Follower, model: Model, known: Mapping[str, Sequence[float]]) -> dict[JointPosition, Values]:
    return {
        source: known.get(source.joint, model.joints[source.joint].initial_positions)[source.coordinate]
        for source in follower.sources
    }


def _value(follower: Follower, sources: Mapping[JointPosition, Values]) -> float:
    value = float(evaluate(follower.formula.position, sources))
    if math.isnan(value):
        raise _undefined(follower, sources)
    return value


def _undefined(follower: Follower, sources: Mapping[JointPosition, Values]) -> UndefinedFormulaError:
    at = ", ".join(f"{position_text(source)} = {value:g}" for source, value in sources.items())
    message = f"joint '{follower.joint.name}': {follower.text} has no value" + (f" at {at}" if at else "")
    return UndefinedFormulaError(message, follower.position, follower.joint.origin)


def with_followers_at_start(model: Model) -> Model:
    """Return a model whose following coordinates state, as initial positions and velocities, what their formulas give.

    Raises:
        FormulaError: A formula gives no value.
    """
    if not has_followers(model):
        return model
    joints = {joint.name: joint for joint in model.joints}
    for follower in followers(model):
        name = follower.joint.name
        starts = [_coordinate(joints, source) for source in follower.sources]
        sources: dict[JointPosition, Values] = {
            source: start.initial_position for source, start in zip(follower.sources, starts, strict=True)
        }
        rates = {source: start.initial_velocity for source, start in zip(follower.sources, starts, strict=True)}
        position, velocity, _ = derivatives(follower.formula.position, sources, rates)
        if math.isnan(float(position)):
            raise _undefined(follower, sources)
        coordinates = list(joints[name].coordinates)
        coordinates[follower.number] = replace(
            coordinates[follower.number],
            initial_position=float(position),
            initial_velocity=0.0 if math.isnan(float(velocity)) else float(velocity),
        )
        joints[name] = replace(joints[name], coordinates=tuple(coordinates))
    # Of several joints of one name only the first is known by it.
    return replace(model, joints=NamedList([joints[j.name] if model.joints[j.name] is j else j for j in model.joints]))


def _coordinate(joints: Mapping[str, Joint], source: JointPosition) -> Coordinate:
    return joints[source.joint].coordinates[source.coordinate]


def world_with_followers_at_start(world: World) -> World:
    """Return a World whose models are as :func:`with_followers_at_start` makes them.

    Raises:
        FormulaError: A formula gives no value.
    """
    if not any(has_followers(model) for model in world.models):
        return world
    return replace(world, models=NamedList([with_followers_at_start(model) for model in world.models]))
