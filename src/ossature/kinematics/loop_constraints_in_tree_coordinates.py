"""Kinematic loops in the coordinates of the spanning tree: residuals, their Jacobian, and closing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.absolute_constraint_equations import ConstraintEquations
from ossature.kinematics.assemble_constraint_equations import constraint_equations
from ossature.kinematics.batched_tree import BatchedTree
from ossature.kinematics.coupling_constraints import coupling_jacobian, coupling_residual
from ossature.kinematics.equality_constraint_equations import unsupported_equalities
from ossature.kinematics.joint_couplings import CoupledCoordinate
from ossature.kinematics.spanning_tree import Tree
from ossature.model import JointPosition, Model

_RANK = 1e-6
"""Relative size of a column's part that is orthogonal to others below which it depends on them."""

_PIVOTS = (0.1, 1e-2, 1e-3, 1e-4, _RANK)
"""Relative sizes of that part above which a column is chosen as dependent, the largest first: a well-conditioned choice."""


class LoopConstraints:
    """The equations of the joints, rods and equalities of a model that are not in its spanning tree.

    Attributes:
        length: The characteristic length of the mechanism, which divides residuals of positions [m].
        names: Name of the joint or constraint of each equation, as of the last evaluation.
        joint_names: Names of the joints that loops constrain.
        coupled: The coordinates that are coupled to others and are not determined by the spanning tree.
    """

    def __init__(self, model: Model, tree: Tree, batched: BatchedTree, undetermined: Sequence[CoupledCoordinate]) -> None:
        """Prepare the equations of a model.

        Args:
            undetermined: Coupled coordinates with a source that is not in the tree.

        Raises:
            ValueError: An undetermined coordinate does not belong to a loop, or an equality is not supported.
        """
        equations = constraint_equations(model, tree)
        labels = set(batched.joints)
        self._equations, self._tree = equations, batched
        self.length = 1.0 if equations is None else equations.length
        self.names: list[str] = []
        found = set() if equations is None else {one.position for one in equations.couplings}
        for one in undetermined:
            if one.position not in found:
                raise ValueError(f"the coupling {one.text} depends on a joint that closes a loop, without being part of it")
        self.coupled = tuple(undetermined)
        self.joint_names: frozenset[str] = frozenset()
        unsupported = {} if model.static else unsupported_equalities(model)
        for name, reason in unsupported.items():
            raise ValueError(f"the equality '{name}' is not supported: {reason}")
        if equations is None:
            return
        numbers = {name: number for number, name in enumerate(batched.bodies)}
        self._bodies = [numbers[name] for name in equations.bodies if name is not None]
        self._loops = [one for one in equations.joints if one.connection is None or one.label not in labels]
        tree_joints = [one for one in equations.joints if one.connection is not None and one.label in labels]
        columns = {position: number for number, position in enumerate(batched.coordinates)}
        self._tree_joints = [
            (one, [columns[JointPosition(joint=one.label, coordinate=n)] for n in range(len(one.q))]) for one in tree_joints
        ]
        self.joint_names = frozenset(self._constrained_joints(equations))
        self._by_name = {one.name: one for one in equations.joints if one.is_joint}

    @property
    def is_empty(self) -> bool:
        """Whether the model has no loops."""
        equations = self._equations
        return equations is None or not (self._loops or equations.rods or equations.equalities or self.coupled)

    def evaluate(self, x: Array, body_frames: Array, frames: Array) -> tuple[Array, Array]:
        """Return the residuals and their Jacobian by the velocities of the tree coordinates, at one configuration.

        Args:
            x: The tree coordinates, shape (coordinates,).
            body_frames: The frames of all bodies, shape (bodies, 4, 4).
            frames: The frames of the tree's elements, shape (elements, 1, 4, 4).

        Returns:
            Residuals [rad, or m per characteristic length], shape (m,), and the Jacobian (m, coordinates).
        """
        if self._equations is None:
            return np.zeros(0), np.zeros((0, len(x)))
        equations, bodies = self._equations, self._equations.coordinates
        bodies.transforms[1:] = body_frames[self._bodies]
        for joint, columns in self._tree_joints:
            joint.q[:] = x[columns]
        for joint in self._loops:
            joint.fit_coordinates(bodies)
        blocks = [(one.name, *one.residual_and_jacobian(bodies)) for one in self._loops]
        blocks += [(one.name, one.residual(bodies), one.jacobian(bodies)) for one in equations.rods]
        blocks += [
            (name, coupling_residual(one, self._by_name), coupling_jacobian(one, self._by_name, bodies))
            for name, one in [*((one.joint.name, one) for one in self.coupled), *equations.equalities.items()]
        ]
        self.names = [name for name, values, _ in blocks for _ in values]
        if not blocks:
            return np.zeros(0), np.zeros((0, len(x)))
        J = np.concatenate([rows for _, _, rows in blocks])
        return np.concatenate([values for _, values, _ in blocks]), J @ self._body_twists(body_frames, frames)

    def _constrained_joints(self, equations: ConstraintEquations) -> Iterator[str]:
        """Yield the names of the joints that close loops, and of those in the tree that move the two ends differently."""
        tree = self._tree
        masks = dict(zip(range(1, len(equations.bodies)), (tree.body_masks[number] for number in self._bodies), strict=True))
        fixed = np.zeros(len(tree.coordinates))
        for one in (*self._loops, *equations.rods):
            yield one.name
            for column in np.flatnonzero(masks.get(one.parent, fixed) - masks.get(one.child, fixed)):
                yield tree.joints[tree.coordinates[column].joint].name
        for follower in (*self.coupled, *equations.equalities.values()):
            yield from (follower.joint.name, *(source.joint for source in follower.sources))

    def _body_twists(self, body_frames: Array, frames: Array) -> Array:
        """Return the scaled changes of the bodies for a unit velocity of each tree coordinate, (6 bodies, coordinates)."""
        assert self._equations is not None  # noqa: S101  # checked by the caller
        twists, centers = self._tree.twists(frames), self._equations.coordinates.centers
        rows = []
        for number, center in zip(self._bodies, centers[1:], strict=True):
            frame, mask = body_frames[number], self._tree.body_masks[number]
            rows.append((twists.angular[0] * mask[:, None]).T)
            rows.append((twists.at((frame[:3, :3] @ center + frame[:3, 3])[None])[0] * mask[:, None]).T / self.length)
        return np.concatenate(rows)


def independent_columns(J: Array, order: Sequence[int]) -> list[int]:
    """Return the columns that determine all others by ``J v = 0``, in ascending order.

    Args:
        J: A Jacobian, shape (m, n).
        order: All columns, those first that are to be independent if possible.
    """
    rank = int(np.linalg.matrix_rank(J, tol=_RANK * max(float(np.linalg.norm(J, ord=2)), 1e-300))) if J.size else 0
    basis = np.zeros((J.shape[0], 0))
    dependent: set[int] = set()
    for least in _PIVOTS:
        for column in reversed(order):
            if len(dependent) == rank or column in dependent:
                continue
            rest = J[:, column] - basis @ (basis.T @ J[:, column])
            rest = rest - basis @ (basis.T @ rest)
            size = float(np.linalg.norm(rest))
            if size > least * max(float(np.linalg.norm(J[:, column])), 1e-300):
                basis = np.column_stack([basis, rest / size])
                dependent.add(column)
    return sorted(set(order) - dependent)
