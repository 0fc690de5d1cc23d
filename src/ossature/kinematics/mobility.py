"""The mobility of a model: the number of its degrees of freedom with all loops closed.

It is the dimension of the null space of the constraint Jacobian in absolute coordinates, not a count of joints: so it is right
for overconstrained mechanisms, for which the Chebychev-Grübler-Kutzbach criterion fails (Bennett's linkage, parallelograms with
a redundant bar, every planar linkage of spatial joints). The rank at the initial configuration is not sufficient: at a singular
configuration (a dead centre, a change point) it is smaller than elsewhere. So the mechanism is also moved to a neighbouring
configuration along its instantaneous motions, its loops are closed again, and the rank there decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import Limits, OssatureError
from ossature.diagnostics.resource_limits import DEFAULT_LIMITS
from ossature.kinematics.absolute_constraint_equations import ConstraintEquations
from ossature.kinematics.absolute_coordinates import require_finite
from ossature.kinematics.assemble_constraint_equations import constraint_equations
from ossature.kinematics.closed_loop_poses import CLOSED, solve_loops
from ossature.kinematics.joint_couplings import all_coupled_coordinates
from ossature.kinematics.loop_analysis_limit import OperationCount
from ossature.kinematics.spanning_tree import Tree, spanning_tree
from ossature.model import Actuation, DriveMode, Floating, Model, Motor

RANK_TOLERANCE = 1e-5
"""Singular values of the scaled constraint Jacobian below this fraction of the largest one count as zero.

Rotations are in rad and translations in characteristic lengths of the mechanism, so it is about the largest misalignment of
parallel axes [rad]; numbers in files have six digits or more.
"""
_EXCURSION = 0.05
"""Distance of the neighbouring configuration [rad, or characteristic lengths]."""
_RETURNED = 0.1
"""Fraction of the excursion below which a mechanism with closed loops counts as back at its initial configuration."""
_INVOLVED = 1e-6
"""Smallest component of an equation in the linear dependencies of all equations that counts as not zero."""
_LOCKED = 1e-4
"""Relative twist of the bodies of a joint, for a unit motion of the mechanism, below which the joint is locked."""
_DIRECTIONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """Linearly dependent constraint equations of one mechanism.

    Attributes:
        count: Number of equations that can be removed without a change of the motion.
        joints: Names of the joints and constraints whose equations are dependent.
    """

    count: int
    joints: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mobility:
    """The mobility of a model.

    Attributes:
        degrees_of_freedom: The number of independent motions, driven ones included, at generic configurations near the initial
            one. A floating body has six.
        degrees_of_freedom_at_start: The same at the initial configuration itself, to first order: more if it is singular.
        floating: Number of the degrees of freedom of floating bases.
        driven: Number of the degrees of freedom that motors prescribe.
        redundancies: Redundant constraints, one entry for each mechanism that has some.
        locked_joints: Names of joints in loops that cannot move although they have coordinates.
        open_residual: The largest residual of loops at the initial configuration [rad, or characteristic lengths].
        open_joint: Name of the joint with that residual; empty if all loops are closed.
    """

    degrees_of_freedom: int
    degrees_of_freedom_at_start: int
    floating: int = 0
    driven: int = 0
    redundancies: tuple[Redundancy, ...] = ()
    locked_joints: tuple[str, ...] = ()
    open_residual: float = 0.0
    open_joint: str = ""

    @property
    def is_singular_at_start(self) -> bool:
        """Whether the initial configuration is a singular one: a dead centre or a change point."""
        return self.degrees_of_freedom_at_start > self.degrees_of_freedom

    @property
    def redundant_count(self) -> int:
        """Number of redundant constraint equations."""
        return sum(one.count for one in self.redundancies)


class MobilityError(OssatureError):
    """The numbers of a model are not finite, or so large that the constraints overflow."""

    def __init__(self, model: str) -> None:
        super().__init__(f"the mobility of '{model}' cannot be computed: it has numbers that are not finite, or too large")


def mobility_of(model: Model, tree: Tree | None = None, limits: Limits = DEFAULT_LIMITS) -> Mobility:
    """Return the mobility of a model, with its active equalities except those of tendons.

    Args:
        model: The model.
        tree: Its spanning tree; computed if not given.
        limits: Its ``loop_operations`` bounds the time of the analysis.

    Raises:
        FormulaError: A formula gives no value.
        LoopSizeError: The loops need more operations than the limit.
        MobilityError: Numbers are not finite, or too large.
    """
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return _compute_mobility(model, tree, OperationCount(limits.loop_operations))
    except (FloatingPointError, np.linalg.LinAlgError) as error:
        raise MobilityError(model.name) from error


def _compute_mobility(model: Model, tree: Tree | None, count: OperationCount) -> Mobility:
    if model.static:
        return Mobility(degrees_of_freedom=0, degrees_of_freedom_at_start=0)
    tree = tree or spanning_tree(model)
    equations = constraint_equations(model, tree)
    roots = _floating_roots(tree)
    outside = _degrees_outside_loops(tree, equations, roots)
    floating = 6 * len(set(roots.values()))
    driven = _driven_outside_loops(tree, equations)
    if equations is None:
        return Mobility(degrees_of_freedom=outside, degrees_of_freedom_at_start=outside, floating=floating, driven=driven)
    connected = equations.parts()
    residual, joint = max([solve_loops(part, count) for part in connected], default=(0.0, ""))
    parts = [_Part.of(part, count) for part in connected]
    return Mobility(
        degrees_of_freedom=outside + sum(part.generic.freedom for part in parts),
        degrees_of_freedom_at_start=outside + sum(part.start.freedom for part in parts),
        floating=floating,
        driven=driven + sum(part.driven(model) for part in parts),
        redundancies=tuple([part.redundancy() for part in parts if part.generic.redundant_count]),
        locked_joints=tuple([name for part in parts for name in part.locked_joints()]),
        open_residual=residual if residual > CLOSED else 0.0,
        open_joint=joint if residual > CLOSED else "",
    )


def _floating_roots(tree: Tree) -> dict[str, str]:
    """Return the root of each body that no joint attaches to the world, by the body's name."""
    roots: dict[str, str] = {}
    for branch in tree.branches:
        name, inboard = branch.body.name, branch.inboard
        if inboard is None or isinstance(inboard.type, Floating):
            roots[name] = name
        elif inboard.parent in roots:
            roots[name] = roots[inboard.parent]
    return roots


def _degrees_outside_loops(tree: Tree, equations: ConstraintEquations | None, roots: Mapping[str, str]) -> int:
    """Return the degrees of freedom of joints outside of loops, and of floating bases.

    Coupled coordinates and locked joints have none. A floating base that belongs to the equations is counted there.
    """
    in_loops = set() if equations is None else {one.label for one in equations.joints}
    counted = set() if equations is None else set(equations.bodies[1:])
    count = 6 * len(set(roots.values()) - {root for name, root in roots.items() if name in counted})
    for branch in tree.branches:
        inboard, connection = branch.inboard, branch.connection
        if inboard is None or connection is None or isinstance(inboard.type, Floating) or connection.label in in_loops:
            continue
        if inboard.actuation is not Actuation.LOCKED:
            count += sum(coordinate.coupling is None for coordinate in inboard.coordinates)
    if equations is None:
        return count
    coupled = {one.position for one in equations.couplings}
    outside = [
        one for one in all_coupled_coordinates(equations.model) if one.joint.name in in_loops and one.position not in coupled
    ]
    return count - len(outside)


def _driven_outside_loops(tree: Tree, equations: ConstraintEquations | None) -> int:
    in_loops = set() if equations is None else {one.label for one in equations.joints}
    motors = [branch.motor for branch in tree.branches if branch.connection and branch.connection.label not in in_loops]
    return sum(motor is not None and motor.drive is not DriveMode.FORCE for motor in motors)


@dataclass(frozen=True, slots=True)
class _Analysis:
    """The null space of the constraint Jacobian at one configuration.

    Attributes:
        equations: The equations, at that configuration.
        motions: An orthonormal basis of the null space, as columns.
        redundant_count: Number of linearly dependent equations.
        redundant_joints: Names of the joints whose equations are dependent.
    """

    equations: ConstraintEquations
    motions: Array
    redundant_count: int
    redundant_joints: tuple[str, ...]

    @property
    def freedom(self) -> int:
        return int(self.motions.shape[1])


def _analyse(equations: ConstraintEquations, count: OperationCount) -> _Analysis:
    count.add_decomposition(equations)
    J, names = equations.jacobian()
    u, s, vh = np.linalg.svd(require_finite(J), full_matrices=J.shape[0] < J.shape[1])  # all rows of vh, not all columns of u
    rank = int((s > RANK_TOLERANCE * s.max(initial=0.0)).sum())
    is_dependent = 1.0 - np.square(u[:, :rank]).sum(axis=1) > _INVOLVED**2
    joints = dict.fromkeys(name for name, dependent in zip(names, is_dependent, strict=True) if dependent)
    return _Analysis(equations, vh[rank:].T, len(J) - rank, tuple(joints))


@dataclass(frozen=True, slots=True)
class _Part:
    """Bodies that are connected without the ground, analysed.

    Attributes:
        start: At the initial configuration.
        generic: At a generic configuration near it.
    """

    start: _Analysis
    generic: _Analysis

    @staticmethod
    def of(equations: ConstraintEquations, count: OperationCount) -> _Part:
        start = _analyse(equations, count)
        if not start.freedom:
            return _Part(start, start)
        generic, returned = start, 0
        for direction in range(_DIRECTIONS):
            moved, is_back = _neighbouring_configuration(start, direction, count)
            if moved is not None:
                found = _analyse(moved, count)
                generic = found if generic is start or found.freedom < generic.freedom else generic
            returned += is_back
        if generic is start and returned:  # its motions are infinitesimal: it is locked
            generic = _Analysis(equations, start.motions[:, :0], start.redundant_count - start.freedom, start.redundant_joints)
        return _Part(start, generic)

    def redundancy(self) -> Redundancy:
        return Redundancy(count=self.generic.redundant_count, joints=self.generic.redundant_joints)

    def locked_joints(self) -> Iterator[str]:
        for joint in self.generic.equations.joints:
            if joint.connection is None or not len(joint.q):
                continue
            twists = joint.relative_twist_jacobian(self.generic.equations.coordinates) @ self.generic.motions
            if np.linalg.norm(twists) < _LOCKED:
                yield joint.name

    def driven(self, model: Model) -> int:
        """Return the number of degrees of freedom that motors prescribe."""
        motors = [motor for motor in model.motors if motor.drive is not DriveMode.FORCE]
        rows = [row for motor in motors if (row := self._motor_row(motor)) is not None]
        if not rows or not self.generic.freedom:
            return 0
        return int(np.linalg.matrix_rank(np.array(rows) @ self.generic.motions, tol=RANK_TOLERANCE))

    def _motor_row(self, motor: Motor) -> Array | None:
        """Return the Jacobian of the coordinate that a motor drives, or None if it is not in this part."""
        equations = self.generic.equations
        for joint in equations.joints:
            if joint.connection is not None and joint.connection.motor is motor:
                rates: Array = joint.coordinate_rates(equations.coordinates)[0]
                return rates
        return equations.motor_jacobian(motor)


def _neighbouring_configuration(
    start: _Analysis, direction: int, count: OperationCount
) -> tuple[ConstraintEquations | None, bool]:
    """Return the equations at a neighbouring configuration, or None; and whether closing loops returned to the first."""
    equations = start.equations
    change = start.motions @ np.random.default_rng(20 + direction).normal(size=start.freedom)
    change *= _EXCURSION / np.abs(change).max()
    moved = equations.copy()
    moved.coordinates.move(change)
    residual, _ = solve_loops(moved, count)
    if residual > CLOSED:
        return None, False
    is_back = moved.coordinates.distance(equations.coordinates) < _RETURNED * _EXCURSION
    return (None, True) if is_back else (moved, False)
