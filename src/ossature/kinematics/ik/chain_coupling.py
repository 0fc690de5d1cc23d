"""From the coordinates that a solver moves to all that a chain needs: those that follow them, and those that stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.kinematics.expression_evaluation import evaluate, partial
from ossature.kinematics.joint_couplings import Follower, followers
from ossature.kinematics.linear_expressions import affine_form
from ossature.model import JointPosition, Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ossature.kinematics.expression_evaluation import Values

    Array = NDArray[np.float64]


class ChainCoupling:
    """Which values given coordinates have, for many values of those that are moved at once.

    Attributes:
        is_constant: Whether their rates are the same everywhere.
    """

    def __init__(
        self,
        model: Model,
        variables: Sequence[JointPosition],
        wanted: Sequence[JointPosition],
        positions: Mapping[str, Sequence[float]],
    ) -> None:
        """Take a model's formulas apart.

        Args:
            model: The model.
            variables: The coordinates that are moved.
            wanted: The coordinates whose values are needed.
            positions: Where all others stay, by joint [rad or m].

        Raises:
            FormulaError: A formula names a coordinate that there is not, or coordinates follow each other.
        """
        self._variables = tuple(variables)
        self._wanted = tuple(wanted)
        self._numbers = {position: number for number, position in enumerate(variables)}
        self._followers = _needed(followers(model), wanted)
        self._still = {
            position: float(_stated(model, positions, position.joint)[position.coordinate])
            for position in (*wanted, *(source for follower in self._followers for source in follower.sources))
            if position not in self._numbers
        }
        rows = self._linear_rows()
        self.is_constant = rows is not None
        if rows is not None:
            self._offsets, self._rates = rows

    def values(self, moved: Array) -> Array:
        """Return the wanted coordinates, (N, wanted) from (N, variables) [rad or m]; NaN where a formula has no value."""
        if self.is_constant:
            return np.asarray(moved @ self._rates.T + self._offsets)
        return np.stack([np.broadcast_to(self._values(moved)[position], len(moved)) for position in self._wanted], axis=1)

    def rates(self, moved: Array) -> Array:
        """Return the derivatives of the wanted coordinates by those that are moved, (N or 1, wanted, variables)."""
        if self.is_constant:
            return self._rates[None]
        values = self._values(moved)
        rates: dict[JointPosition, Array] = {}
        for position in (*self._numbers, *self._still):
            rates[position] = np.zeros((len(moved), len(self._variables)))
            if position in self._numbers:
                rates[position][:, self._numbers[position]] = 1.0
        for follower in self._followers:
            expression = follower.formula.position
            rates[follower.position] = sum(
                (np.reshape(partial(expression, values, source), (-1, 1)) * rates[source] for source in follower.sources),
                start=np.zeros((len(moved), len(self._variables))),
            )
        return np.stack([rates[position] for position in self._wanted], axis=1)

    def is_followed(self, position: JointPosition) -> bool:
        """Whether a wanted coordinate follows the given one."""
        return any(position in follower.sources for follower in self._followers)

    def single_source(self, number: int) -> tuple[int, float, float] | None:
        """Return of a wanted coordinate that is ``rate · variable + offset`` the variable's number, rate and offset.

        Args:
            number: Number of the wanted coordinate.
        """
        if not self.is_constant:
            return None
        sources = np.flatnonzero(self._rates[number])
        if len(sources) != 1:
            return None
        return int(sources[0]), float(self._rates[number, sources[0]]), float(self._offsets[number])

    def _values(self, moved: Array) -> dict[JointPosition, Values]:
        values: dict[JointPosition, Values] = dict(self._still)
        values.update((position, moved[:, number]) for position, number in self._numbers.items())
        for follower in self._followers:
            values[follower.position] = evaluate(follower.formula.position, values)
        return values

    def _linear_rows(self) -> tuple[Array, Array] | None:
        """Return constants and rates of the wanted coordinates where all of them are linear, else None."""
        count = len(self._variables)
        rows = {position: (value, np.zeros(count)) for position, value in self._still.items()}
        rows.update((position, (0.0, np.eye(count)[number])) for position, number in self._numbers.items())
        for follower in self._followers:
            form = affine_form(follower.formula.position)
            if form is None:
                return None
            constant, rates = form.constant, np.zeros(count)
            for source, coefficient in form.coefficients.items():
                constant += coefficient * rows[source][0]
                rates = rates + coefficient * rows[source][1]
            rows[follower.position] = (constant, rates)
        wanted = [rows[position] for position in self._wanted]
        offsets = np.array([constant for constant, _ in wanted])
        return offsets, np.array([rates for _, rates in wanted]).reshape(len(wanted), count)


def _stated(model: Model, positions: Mapping[str, Sequence[float]], joint: str) -> Sequence[float]:
    stated = positions.get(joint)
    return model.joints[joint].initial_positions if stated is None else stated


def _needed(ordered: Sequence[Follower], wanted: Sequence[JointPosition]) -> list[Follower]:
    """Return the followers on which the wanted coordinates depend, in their order."""
    needed = set(wanted)
    found = []
    for follower in reversed(ordered):
        if follower.position in needed:
            needed.update(follower.sources)
            found.append(follower)
    return found[::-1]
