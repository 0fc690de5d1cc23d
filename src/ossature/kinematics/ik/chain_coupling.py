"""All coordinates of a chain as functions of its variables: independent, coupled and constant ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.affine_expressions import affine_form
from ossature.kinematics.expression_evaluation import evaluate, partial
from ossature.kinematics.joint_couplings import CoupledCoordinate, sorted_coupled_coordinates
from ossature.model import JointPosition, Model

if TYPE_CHECKING:
    from ossature.kinematics.expression_evaluation import Values


class ChainCoupling:
    """Given coordinates as functions of independent ones, batched.

    Attributes:
        is_constant: Whether their derivatives are constant.
    """

    def __init__(
        self,
        model: Model,
        variables: Sequence[JointPosition],
        wanted: Sequence[JointPosition],
        positions: Mapping[str, Sequence[float]],
    ) -> None:
        """Prepare the formulas of a model.

        Args:
            variables: The independent coordinates.
            wanted: The coordinates whose values are needed.
            positions: The other coordinates, by joint [rad or m].

        Raises:
            FormulaError: A formula names an unknown coordinate, or couplings are cyclic.
        """
        self._variables = tuple(variables)
        self._wanted = tuple(wanted)
        self._numbers = {position: number for number, position in enumerate(variables)}
        ordered = [one for one in sorted_coupled_coordinates(model) if one.position not in self._numbers]
        self._followers = _needed_followers(ordered, wanted)
        self._constants = {
            position: float(_specified_positions(model, positions, position.joint)[position.coordinate])
            for position in (*wanted, *(source for follower in self._followers for source in follower.sources))
            if position not in self._numbers
        }
        rows = self._affine_rows()
        self.is_constant = rows is not None
        if rows is not None:
            self._offsets, self._rates = rows

    def values(self, q: Array) -> Array:
        """Return the wanted coordinates, (N, wanted) from (N, variables) [rad or m]; NaN if a formula has no value."""
        if self.is_constant:
            return np.asarray(q @ self._rates.T + self._offsets)
        return np.stack([np.broadcast_to(self._values(q)[position], len(q)) for position in self._wanted], axis=1)

    def rates(self, q: Array) -> Array:
        """Return the derivatives of the wanted coordinates by the variables, (N or 1, wanted, variables)."""
        if self.is_constant:
            return self._rates[None]
        values = self._values(q)
        rates: dict[JointPosition, Array] = {}
        for position in (*self._numbers, *self._constants):
            rates[position] = np.zeros((len(q), len(self._variables)))
            if position in self._numbers:
                rates[position][:, self._numbers[position]] = 1.0
        for follower in self._followers:
            expression = follower.formula.position
            rates[follower.position] = sum(
                (np.reshape(partial(expression, values, source), (-1, 1)) * rates[source] for source in follower.sources),
                start=np.zeros((len(q), len(self._variables))),
            )
        return np.stack([rates[position] for position in self._wanted], axis=1)

    def is_source(self, position: JointPosition) -> bool:
        """Whether a wanted coordinate is coupled to the given one."""
        return any(position in follower.sources for follower in self._followers)

    def single_source(self, number: int) -> tuple[int, float, float] | None:
        """Return number of the variable, rate and offset of a wanted coordinate ``rate · variable + offset``, else None.

        Args:
            number: Number of the wanted coordinate.
        """
        if not self.is_constant:
            return None
        sources = np.flatnonzero(self._rates[number])
        if len(sources) != 1:
            return None
        return int(sources[0]), float(self._rates[number, sources[0]]), float(self._offsets[number])

    def _values(self, q: Array) -> dict[JointPosition, Values]:
        values: dict[JointPosition, Values] = dict(self._constants)
        values.update((position, q[:, number]) for position, number in self._numbers.items())
        for follower in self._followers:
            values[follower.position] = evaluate(follower.formula.position, values)
        return values

    def _affine_rows(self) -> tuple[Array, Array] | None:
        """Return offsets and rates of the wanted coordinates if all of them are affine, else None."""
        count = len(self._variables)
        rows = {position: (value, np.zeros(count)) for position, value in self._constants.items()}
        rows.update((position, (0.0, np.eye(count)[number])) for position, number in self._numbers.items())
        for follower in self._followers:
            affine = affine_form(follower.formula.position)
            if affine is None:
                return None
            constant, rates = affine.constant, np.zeros(count)
            for source, coefficient in affine.coefficients.items():
                constant += coefficient * rows[source][0]
                rates = rates + coefficient * rows[source][1]
            rows[follower.position] = (constant, rates)
        wanted = [rows[position] for position in self._wanted]
        offsets = np.array([constant for constant, _ in wanted])
        return offsets, np.array([rates for _, rates in wanted]).reshape(len(wanted), count)


def _specified_positions(model: Model, positions: Mapping[str, Sequence[float]], joint: str) -> Sequence[float]:
    specified = positions.get(joint)
    return model.joints[joint].initial_positions if specified is None else specified


def _needed_followers(ordered: Sequence[CoupledCoordinate], wanted: Sequence[JointPosition]) -> list[CoupledCoordinate]:
    """Return the coupled coordinates on which the wanted coordinates depend, in their order."""
    needed = set(wanted)
    found = []
    for follower in reversed(ordered):
        if follower.position in needed:
            needed.update(follower.sources)
            found.append(follower)
    return found[::-1]
