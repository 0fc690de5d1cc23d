"""Where the joints of a World are now, and the bodies with them."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossature.kinematics import Positions, joint_positions, model_poses, spanning_tree
from ossature.model import Actuation, Coordinate, Fixed, Floating, Joint, Model, Prismatic, Range, World, formula_text
from ossature.spatial import Pose
from ossature.viewer.body_markers import axes_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinateSlider:
    """One coordinate that can be moved by hand.

    Attributes:
        model: Name of the model.
        joint: Name of the joint.
        number: Which of its coordinates.
        label: What people read.
        turns: Whether it is an angle [rad], else a length [m].
        range: From where to where it goes.
        limited: Whether the file limits it.
        free: Whether it can be moved: what follows others, or is locked, is only shown.
        hint: What else is known about it.
    """

    model: str
    joint: str
    number: int
    label: str
    turns: bool
    range: Range
    limited: bool
    free: bool
    hint: str


class JointConfiguration:
    """Coordinates of all joints of a World, and poses that follow from them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._trees = {model.name: spanning_tree(model) for model in world.models}
        self._stated: dict[str, dict[str, list[float]]] = {}
        self.reset()

    def reset(self) -> None:
        """Put all joints to their initial positions."""
        self._stated = {model.name: {} for model in self.world.models}

    def move(self, model: str, joint: str, number: int, value: float) -> None:
        """Move one coordinate; those that follow it follow."""
        stated = self._stated[model]
        values = stated.get(joint) or list(self.world.models[model].joints[joint].initial_positions)
        values[number] = value
        stated[joint] = values

    def place(self, positions: Positions) -> None:
        """Move joints that are named; what is said of those that follow others does not count."""
        for model, joints in positions.items():
            known = self.world.models[model].joints
            self._stated[model].update({name: list(values) for name, values in joints.items() if not follows(known[name])})

    def set_known_positions(self, positions: Positions) -> None:
        """Move joints that are named and that there are, with as many coordinates; see :meth:`place`."""
        for model, joints in positions.items():
            if model in self.world.models:
                known = self.world.models[model].joints
                fitting = {
                    name: values
                    for name, values in joints.items()
                    if name in known and known[name].degrees_of_freedom == len(values)
                }
                self.place({model: fitting})

    def zero(self, handles: Sequence[CoordinateSlider]) -> None:
        """Put every free coordinate to zero."""
        for handle in handles:
            if handle.free:
                self.move(handle.model, handle.joint, handle.number, 0.0)

    def positions(self) -> dict[str, dict[str, Sequence[float]]]:
        """Return the coordinates of every joint, also of those that follow others.

        Raises:
            FormulaError: A formula gives no value.
        """
        return {model.name: self._positions(model) for model in self.world.models}

    def _positions(self, model: Model) -> dict[str, Sequence[float]]:
        initial: dict[str, Sequence[float]] = {joint.name: joint.initial_positions for joint in model.joints}
        return initial | joint_positions(model, self._stated[model.name])

    def poses(self) -> dict[str, dict[str, Pose]]:
        """Return the pose of every body in the world.

        Raises:
            FormulaError: A formula gives no value.
        """
        return {
            model.name: model_poses(model, self._stated[model.name], self._trees[model.name]) for model in self.world.models
        }

    def stated(self, model: str) -> Mapping[str, Sequence[float]]:
        """Return the coordinates that were moved, by joint."""
        return self._stated[model]

    def initial_configuration(self) -> dict[str, dict[str, Sequence[float]]]:
        """Return the coordinates at which a simulation begins, by model and joint: where the joints are now.

        Nothing is said of models with loops or motors. What sliders make of them may be far from closed, or contradict the
        motors, so they begin as their files say.
        """
        positions = self.positions()
        return {
            model.name: positions[model.name]
            for model in self.world.models
            if not model.motors and not self._trees[model.name].loops
        }

    def loops(self) -> list[str]:
        """Return the names of joints that close loops, which these coordinates may leave open."""
        return [f"{name}/{loop.name}" for name, tree in self._trees.items() for loop in tree.loops]

    def shuffle(self, handles: Sequence[CoordinateSlider], seed: int) -> None:
        """Put every free coordinate anywhere within its range, bases excepted."""
        chance = random.Random(seed)  # noqa: S311  # for pictures
        for handle in handles:
            if handle.free and not isinstance(self.world.models[handle.model].joints[handle.joint].type, Floating):
                self.move(handle.model, handle.joint, handle.number, chance.uniform(handle.range.lower, handle.range.upper))


def follows(joint: Joint) -> bool:
    """Whether a coordinate of a joint follows others."""
    return any(coordinate.coupling is not None for coordinate in joint.coordinates)


def handles_of(world: World, size: float) -> list[CoordinateSlider]:
    """Return the coordinates of all joints that can move, in file order.

    Args:
        world: The World.
        size: Size of the scene [m]: slides without limits go that far.
    """
    return [
        _handle(model, joint, number, size)
        for model in world.models
        if not model.static
        for joint in model.joints
        if not isinstance(joint.type, Fixed) and joint.child in model.bodies
        for number in range(joint.degrees_of_freedom)
    ]


def _handle(model: Model, joint: Joint, number: int, size: float) -> CoordinateSlider:
    coordinate = joint.coordinates[number]
    turns = is_angle(joint, number)
    free = joint.actuation is not Actuation.LOCKED and not follows(joint)
    return CoordinateSlider(
        model=model.name,
        joint=joint.name,
        number=number,
        label=_label(joint, number),
        turns=turns,
        range=_range(coordinate, math.pi if turns else size),
        limited=coordinate.position_limits.bounded and not coordinate.continuous,
        free=free,
        hint=_hint(joint, coordinate, turns=turns),
    )


def _label(joint: Joint, number: int) -> str:
    if joint.degrees_of_freedom == 1:
        return joint.name
    stated = joint.coordinates[number].name
    if stated is not None:
        return stated
    if isinstance(joint.type, Floating):
        return f"{joint.name} {('rx', 'ry', 'rz', 'x', 'y', 'z')[number]}"
    return f"{joint.name} {number + 1}"


def is_angle(joint: Joint, number: int) -> bool:
    """Whether a coordinate is an angle, else a length."""
    type_ = joint.type
    name = type(type_).__name__
    by_hand = {"Free": number < 3, "Planar": number == 2, "Cylindrical": number == 0}
    by_hand |= {"PointOnLine": number > 0, "PointOnPlane": number > 1}
    if name in by_hand:
        return by_hand[name]
    axes = axes_of(type_)
    return axes[number][1] if number < len(axes) else not isinstance(type_, Prismatic)


def _range(coordinate: Coordinate, reach: float) -> Range:
    """Return the limits, or a fitting range where there are none; the initial position always lies in it."""
    lower, upper = coordinate.position_limits.lower, coordinate.position_limits.upper
    if lower > upper:  # a finding of `check`
        lower, upper = upper, lower
    initial = coordinate.initial_position
    lower = lower if math.isfinite(lower) else min(-reach, upper - 2.0 * reach, initial)
    upper = upper if math.isfinite(upper) else max(reach, lower + 2.0 * reach, initial)
    return Range(lower=min(lower, initial), upper=max(upper, initial))


def _hint(joint: Joint, coordinate: Coordinate, *, turns: bool) -> str:
    unit = "rad" if turns else "m"
    parts = [f"{type(joint.type).__name__.lower()}, in {unit}"]
    if coordinate.position_limits.bounded:
        parts.append(f"limits {coordinate.position_limits.lower:g} to {coordinate.position_limits.upper:g}")
    if coordinate.coupling is not None:
        parts.append(f"follows {formula_text(coordinate.coupling.position)}")
    if joint.actuation is Actuation.LOCKED:
        parts.append("locked")
    if joint.origin is not None:
        parts.append(str(joint.origin))
    return "; ".join(parts)
