"""Joint positions of a World, and the forward kinematics of its bodies."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossature.kinematics import Positions, joint_positions, model_poses, spanning_tree
from ossature.model import Actuation, Coordinate, Fixed, Floating, Joint, Model, Range, World, formula_text
from ossature.model.value_text import is_rotation, kind_text
from ossature.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinateSlider:
    """A joint coordinate with a slider.

    Attributes:
        number: Index of the coordinate in the joint.
        is_angular: Whether it is an angle [rad], else a length [m].
        range: Range of the slider [rad or m].
        is_limited: Whether the file specifies position limits.
        is_movable: Whether it can be moved: coupled and locked coordinates are read-only.
    """

    model: str
    joint: str
    number: int
    label: str
    is_angular: bool
    range: Range
    is_limited: bool
    is_movable: bool
    hint: str


class JointConfiguration:
    """Positions of all joints of a World, and the poses of its bodies."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._trees = {model.name: spanning_tree(model) for model in world.models}
        self._specified: dict[str, dict[str, list[float]]] = {}
        self.reset()

    def reset(self) -> None:
        """Set all joints to their initial positions."""
        self._specified = {model.name: {} for model in self.world.models}

    def move(self, model: str, joint: str, number: int, value: float) -> None:
        """Move one coordinate, and those that are coupled to it."""
        positions = self._specified[model]
        values = positions.get(joint) or list(self.world.models[model].joints[joint].initial_positions)
        values[number] = value
        positions[joint] = values

    def set_positions(self, positions: Positions) -> None:
        """Set positions by model and joint; those of coupled coordinates are ignored."""
        for model, joints in positions.items():
            known = self.world.models[model].joints
            self._specified[model].update(
                {name: list(values) for name, values in joints.items() if not _is_wholly_coupled(known[name])}
            )

    def set_known_positions(self, positions: Positions) -> None:
        """Set positions of the joints that exist with that number of coordinates; see :meth:`set_positions`."""
        for model, joints in positions.items():
            if model in self.world.models:
                known = self.world.models[model].joints
                fitting = {
                    name: values
                    for name, values in joints.items()
                    if name in known and known[name].degrees_of_freedom == len(values)
                }
                self.set_positions({model: fitting})

    def zero(self, sliders: Sequence[CoordinateSlider]) -> None:
        """Set all movable coordinates to zero."""
        for slider in sliders:
            if slider.is_movable:
                self.move(slider.model, slider.joint, slider.number, 0.0)

    def positions(self) -> dict[str, dict[str, Sequence[float]]]:
        """Return the positions of all joints, including coupled ones.

        Raises:
            FormulaError: The formula of a coupled joint has no value.
        """
        return {model.name: self._positions(model) for model in self.world.models}

    def _positions(self, model: Model) -> dict[str, Sequence[float]]:
        initial: dict[str, Sequence[float]] = {joint.name: joint.initial_positions for joint in model.joints}
        return initial | joint_positions(model, self._specified[model.name], formulas_first=True)

    def poses(self) -> dict[str, dict[str, Pose]]:
        """Return the pose of every body in the world.

        Raises:
            FormulaError: The formula of a coupled joint has no value.
        """
        return {
            model.name: model_poses(model, self.specified_positions(model.name), self._trees[model.name])
            for model in self.world.models
        }

    def specified_positions(self, model: str) -> Mapping[str, Sequence[float]]:
        """Return the positions that were set, by joint; coupled coordinates of these joints have those of their formulas.

        Raises:
            FormulaError: The formula of a coupled joint has no value.
        """
        specified = self._specified[model]
        known = self.world.models[model]
        if not any(is_coupled(known.joints[name]) for name in specified):
            return specified
        positions = joint_positions(known, specified, formulas_first=True)
        return {name: positions[name] for name in specified}

    def initial_configuration(self) -> dict[str, dict[str, Sequence[float]]]:
        """Return the current positions as the initial ones of a simulation, by model and joint [rad or m].

        Models with loops or motors are left out, and start at the positions of their files: those of the sliders may leave
        loops open, or contradict the motors.
        """
        positions = self.positions()
        return {
            model.name: positions[model.name]
            for model in self.world.models
            if not model.motors and not self._trees[model.name].loops
        }

    def loops(self) -> list[str]:
        """Return the names of loop joints as ``model/joint``."""
        return [f"{name}/{loop.name}" for name, tree in self._trees.items() for loop in tree.loops]

    def shuffle(self, sliders: Sequence[CoordinateSlider], seed: int) -> None:
        """Set all movable coordinates to random positions within their ranges, except floating bases."""
        generator = random.Random(seed)  # noqa: S311  # not for security
        for slider in sliders:
            if slider.is_movable and not isinstance(self.world.models[slider.model].joints[slider.joint].type, Floating):
                self.move(slider.model, slider.joint, slider.number, generator.uniform(slider.range.lower, slider.range.upper))


def is_coupled(joint: Joint) -> bool:
    """Whether a coordinate of a joint is coupled to others."""
    return any(coordinate.coupling is not None for coordinate in joint.coordinates)


def _is_wholly_coupled(joint: Joint) -> bool:
    return joint.degrees_of_freedom > 0 and all(coordinate.coupling is not None for coordinate in joint.coordinates)


def coordinate_sliders(world: World, size: float) -> list[CoordinateSlider]:
    """Return the sliders of all joints that are not fixed, in file order.

    Args:
        size: Size of the scene [m]: the range of unlimited prismatic coordinates.
    """
    return [
        _make_slider(model, joint, number, size)
        for model in world.models
        if not model.static
        for joint in model.joints
        if not isinstance(joint.type, Fixed) and joint.child in model.bodies
        for number in range(joint.degrees_of_freedom)
    ]


def is_base(world: World, slider: CoordinateSlider) -> bool:
    """Whether a slider is of a floating base."""
    return isinstance(world.models[slider.model].joints[slider.joint].type, Floating)


def _make_slider(model: Model, joint: Joint, number: int, size: float) -> CoordinateSlider:
    coordinate = joint.coordinates[number]
    is_angular = is_rotation(joint.type, number)
    is_movable = joint.actuation is not Actuation.LOCKED and coordinate.coupling is None
    return CoordinateSlider(
        model=model.name,
        joint=joint.name,
        number=number,
        label=_slider_label(joint, number),
        is_angular=is_angular,
        range=_slider_range(coordinate, math.pi if is_angular else size),
        is_limited=coordinate.position_limits.bounded and not coordinate.continuous,
        is_movable=is_movable,
        hint=_slider_hint(joint, coordinate, is_angular=is_angular),
    )


def _slider_label(joint: Joint, number: int) -> str:
    if joint.degrees_of_freedom == 1:
        return joint.name
    return joint.coordinates[number].name or f"{joint.name} {coordinate_name(joint, number)}"


def coordinate_name(joint: Joint, number: int) -> str:
    """Return the name of a coordinate of a joint that has several."""
    if joint.coordinates[number].name is not None:
        return str(joint.coordinates[number].name)
    return ("rx", "ry", "rz", "x", "y", "z")[number] if isinstance(joint.type, Floating) else str(number + 1)


def _slider_range(coordinate: Coordinate, reach: float) -> Range:
    """Return the position limits, or a default range if there are none, extended to the initial position."""
    lower, upper = coordinate.position_limits.lower, coordinate.position_limits.upper
    if lower > upper:  # a finding of `check`
        lower, upper = upper, lower
    initial = coordinate.initial_position
    lower = lower if math.isfinite(lower) else min(-reach, upper - 2.0 * reach, initial)
    upper = upper if math.isfinite(upper) else max(reach, lower + 2.0 * reach, initial)
    return Range(lower=min(lower, initial), upper=max(upper, initial))


def _slider_hint(joint: Joint, coordinate: Coordinate, *, is_angular: bool) -> str:
    unit = "rad" if is_angular else "m"
    parts = [f"{kind_text(type(joint.type))}, in {unit}"]
    if coordinate.position_limits.bounded:
        parts.append(f"limits {coordinate.position_limits.lower:g} to {coordinate.position_limits.upper:g}")
    if coordinate.coupling is not None:
        parts.append(f"coupled to {formula_text(coordinate.coupling.position)}")
    if joint.actuation is Actuation.LOCKED:
        parts.append("locked")
    if joint.origin is not None:
        parts.append(str(joint.origin))
    return "; ".join(parts)
