"""The configuration vector of a model: its independent coordinates, and all coordinates of its spanning tree from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import OssatureError
from ossature.kinematics.batched_rotations import exponential, logarithm
from ossature.kinematics.batched_tree import BatchedTree
from ossature.kinematics.expression_evaluation import derivatives, partial
from ossature.kinematics.ik.chain_coupling import ChainCoupling
from ossature.kinematics.joint_couplings import (
    CoupledCoordinate,
    all_coupled_coordinates,
    joint_positions,
    sorted_coupled_coordinates,
)
from ossature.kinematics.joint_graph_edges import has_no_dynamics
from ossature.kinematics.manipulator_chain import limits_of
from ossature.model import Actuation, Joint, JointPosition, Model, position_text
from ossature.model.value_text import is_rotation

_MOST_LISTED = 8


class KinematicsError(OssatureError, ValueError):
    """A model, frame or coordinate does not exist, or an array has a wrong shape."""


def joined_names(names: Sequence[str]) -> str:
    """Return names for a message, with the number of all if there are many."""
    shown = ", ".join(names[:_MOST_LISTED])
    return shown if len(names) <= _MOST_LISTED else f"{shown}, … ({len(names)} in all)"


class CoordinateMap:
    """The independent coordinates of a spanning tree, and the tree coordinates as functions of them.

    Attributes:
        variables: The independent coordinates: those of all joints that are neither coupled nor locked.
        names: Their names: that of the joint, or ``JOINT[1]`` for another coordinate than the first.
        undetermined: Coupled coordinates with a source that is not in the tree; they are variables.
        lower: Lower limits [rad or m], tightened by those of coordinates that are coupled to a single one linearly.
        upper: Upper limits [rad or m].
        initial: The initial configuration [rad or m].
        angles: Whether each variable is an angle.
        priorities: For each variable a number that is smaller if it is driven: by a motor, or by commands within limits.
        rotation_vectors: Numbers of the variables of each rotation vector.
    """

    def __init__(self, model: Model, tree: BatchedTree) -> None:
        """Prepare a model.

        Raises:
            FormulaError: A formula names an unknown coordinate, or couplings are cyclic.
        """
        self.model, self.tree = model, tree
        self._columns = {position: number for number, position in enumerate(tree.coordinates)}
        followers, self.undetermined = self._divide(model)
        coupled = {one.position for one in followers}
        self.variables = tuple(
            [one for one in tree.coordinates if one not in coupled and _can_move(tree.joints[one.joint], model)]
        )
        labels = {label: joint.initial_positions for label, joint in tree.joints.items()}
        self._coupling = ChainCoupling(model, self.variables, tree.coordinates, labels)
        self.names = tuple([position_text(self._renamed(one, model)) for one in self.variables])
        self._numbers = {position: number for number, position in enumerate(self.variables)}
        self.initial = np.array([tree.joints[p.joint].initial_positions[p.coordinate] for p in self.variables])
        self.initial = self.initial.reshape(len(self.variables))
        self.angles = np.array([is_rotation(tree.joints[p.joint].type, p.coordinate) for p in self.variables], dtype=bool)
        self.priorities = [_driving_priority(one.joint, tree.joints[one.joint]) for one in self.variables]
        self.lower, self.upper = self._limits(coupled)
        self.rotation_vectors = tuple(
            [columns for first, _ in tree.rotation_vectors if (columns := self._variables_from(first, 3))]
        )
        self._own = [self._columns[position] for position in self.variables]
        self._followers = [one for one in followers if one.position in self._columns]
        angular = tree.rotation_vector_columns()
        touched = {self._columns[p] for one in self._followers for p in (one.position, *one.sources)}
        self._couples_vectors = not angular.isdisjoint(touched)

    def _divide(self, model: Model) -> tuple[list[CoupledCoordinate], tuple[CoupledCoordinate, ...]]:
        """Return the coupled coordinates that tree coordinates determine, and those that others determine too."""
        known: set[JointPosition] = set()
        undetermined = []
        if model.static or not all_coupled_coordinates(model):
            return [], ()
        determined = []
        for one in sorted_coupled_coordinates(model):
            if one.position not in self._columns:
                continue
            if all(source in self._columns for source in one.sources):
                known.add(one.position)
                determined.append(one)
            else:
                undetermined.append(one)
        return determined, tuple(undetermined)

    def _renamed(self, position: JointPosition, model: Model) -> JointPosition:
        """Return a coordinate with the name of its joint or motor instead of the label of the connection, if it is unique."""
        name = self.tree.joints[position.joint].name
        labels = [label for label, joint in self.tree.joints.items() if joint.name == name]
        is_unique = len(labels) == 1 and (name not in model.joints or position.joint == name)
        return JointPosition(joint=name if is_unique else position.joint, coordinate=position.coordinate)

    def _limits(self, coupled: set[JointPosition]) -> tuple[Array, Array]:
        lower, upper = np.full(len(self.variables), -math.inf), np.full(len(self.variables), math.inf)
        for index, position in enumerate(self.tree.coordinates):
            limits = limits_of(self.tree.joints[position.joint].coordinates[position.coordinate])
            source = self._coupling.single_source(index) if position in coupled else (self._numbers.get(position), 1.0, 0.0)
            if source is None or source[0] is None:
                continue
            number, rate, offset = source
            ends = sorted([(limits.lower - offset) / rate, (limits.upper - offset) / rate])
            lower[number], upper[number] = max(lower[number], ends[0]), min(upper[number], ends[1])
        return lower, upper

    def tree_coordinates(self, q: Array) -> Array:
        """Return all coordinates of the tree, (N, coordinates) from (N, variables).

        Raises:
            FormulaError: A formula of a coupling has no value.
        """
        x = self._coupling.values(q) if self.tree.coordinates else np.zeros((len(q), 0))
        if not np.isfinite(x).all():
            # The scalar evaluation names the formula and its operands.
            row = q[int(np.flatnonzero(~np.isfinite(x).all(axis=1))[0])]
            joint_positions(self.model, self._independent_positions(row), formulas_first=True)
            raise KinematicsError("a coupling has no finite value at these coordinates")
        return x

    def _independent_positions(self, q: Array) -> dict[str, list[float]]:
        result: dict[str, list[float]] = {}
        for position, value in zip(self.variables, q.tolist(), strict=True):
            joint = self.model.joints.get(position.joint)
            if joint is not None:
                result.setdefault(joint.name, list(joint.initial_positions))[position.coordinate] = value
        return result

    def positions(self, q: Array) -> dict[str, tuple[float, ...]]:
        """Return the coordinates of all joints of the tree at one configuration, by the label of their connection."""
        result: dict[str, list[float]] = {label: [] for label in self.tree.joints}
        for position, value in zip(self.tree.coordinates, self.tree_coordinates(q[None])[0].tolist(), strict=True):
            result[position.joint].append(value)
        return {label: tuple(values) for label, values in result.items()}

    def tree_state(self, q: Array) -> tuple[Array, Array, Array]:
        """Return tree coordinates, frames of the tree's elements, and matrices from velocities to those of the tree."""
        x = self.tree_coordinates(q)
        return x, self.tree.frames(x), self.velocity_matrices(q, x)

    def velocity_matrices(self, q: Array, x: Array) -> Array:
        """Return the matrices from velocities of the variables to those of the tree, (N or 1, coordinates, variables)."""
        if not self.tree.coordinates:
            return np.zeros((1, 0, len(self.variables)))
        slopes = self._coupling.rates(q)
        if not self._couples_vectors:
            return slopes
        to_velocities = self.tree.rate_matrices(x)
        own = to_velocities[:, self._own][:, :, self._own]
        return np.asarray(to_velocities @ slopes @ np.linalg.inv(own))

    def rate_matrices(self, x: Array) -> Array:
        """Return the matrices from rates of the variables to their velocities, (N, variables, variables)."""
        return self.tree.rate_matrices(x)[:, self._own][:, :, self._own]

    def bias_velocities(self, x: Array, velocities: Array) -> Array:
        """Return the rates of the tree velocities if the variables have no acceleration, (N, coordinates).

        Args:
            x: The tree coordinates, shape (N, coordinates).
            velocities: Their velocities, shape (N, coordinates).

        Raises:
            ValueError: A coordinate of a ball joint or of a free joint is coupled.
        """
        result = np.zeros_like(x)
        if self._coupling.is_constant and not self._couples_vectors:
            return result
        if self._couples_vectors:
            raise ValueError("the dynamics of couplings of ball joints and free joints are not supported")
        for one in self._followers:
            positions = {source: x[:, self._columns[source]] for source in one.sources}
            for n in range(len(x)):
                at = {source: float(values[n]) for source, values in positions.items()}
                rates = {source: float(velocities[n, self._columns[source]]) for source in one.sources}
                value = float(derivatives(one.formula.position, dict(at), rates)[2])
                for source in one.sources:
                    value += float(partial(one.formula.position, dict(at), source)) * result[n, self._columns[source]]
                result[n, self._columns[one.position]] = value
        return result

    def integrate(self, q: Array, v: Array) -> Array:
        """Return the configurations after unit time at constant velocities, (N, variables)."""
        result = q + v
        for first, to_joint in self.tree.rotation_vectors:
            columns = self._variables_from(first, 3)
            if not columns:
                continue
            rotation = exponential(q[:, columns])
            if to_joint is None:
                result[:, columns] = logarithm(rotation @ exponential(v[:, columns]))
                continue
            result[:, columns] = logarithm(exponential(v[:, columns] @ to_joint.T) @ rotation)
            translation = self._variables_from(first + 3, 3)
            if translation:
                result[:, translation] = q[:, translation] + v[:, translation] @ to_joint.T
        return result

    def column(self, position: JointPosition) -> int | None:
        """Return the number of a variable, or None if the coordinate is none."""
        return self._numbers.get(position)

    def _variables_from(self, first: int, count: int) -> list[int]:
        """Return the numbers of the variables that are consecutive tree coordinates; none if one of these is no variable."""
        found = [self._numbers.get(position) for position in self.tree.coordinates[first : first + count]]
        columns = [number for number in found if number is not None]
        return columns if len(columns) == count else []

    def configuration(self, positions: Mapping[str, Sequence[float]], start: Array) -> Array:
        """Return a configuration with other coordinates of some joints, given by the label of their connection."""
        result = start.copy()
        for number, position in enumerate(self.variables):
            if position.joint in positions:
                result[number] = positions[position.joint][position.coordinate]
        return result


def _driving_priority(label: str, joint: Joint) -> int:
    """Return how late a joint is chosen as independent: motors first, then driven joints, then those that nothing drives."""
    if label != joint.name:
        return 0
    return 2 if joint.actuation is Actuation.PASSIVE or has_no_dynamics(joint) else 1


def _can_move(joint: Joint, model: Model) -> bool:
    return not model.static and joint.actuation is not Actuation.LOCKED
