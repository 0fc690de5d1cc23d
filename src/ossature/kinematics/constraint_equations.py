"""The constraint equations of a model with kinematic loops, in the poses of its bodies (absolute coordinates).

Every joint, whether the spanning tree contains it or it closes a loop, forbids some relative twists of its two bodies: those
orthogonal to the twists of its free coordinates. So all joints are treated alike, and the rank of the Jacobian does not
depend on the choice of a spanning tree. Lengths are divided by a characteristic length of the model, so that rotations [rad]
and translations are comparable and rank decisions do not depend on the unit of length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ossature.kinematics.batched_rotations import exponential, right_jacobian, skew
from ossature.kinematics.expression_evaluation import evaluate, partial
from ossature.kinematics.forward_kinematics import model_poses, pose_parent_joint
from ossature.kinematics.joint_couplings import Follower, followers
from ossature.kinematics.joint_factorization import factor_joint
from ossature.kinematics.joint_graph import Connection, connections
from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.spanning_tree import Tree, spanning_tree
from ossature.model import (
    Axis,
    Compound,
    Constraint,
    Distance,
    Fixed,
    Floating,
    JointType,
    Model,
    Motor,
    RevoluteSpherical,
    RevoluteTranslational,
)
from ossature.spatial import Pose, Quaternion, quaternion_from_matrix, rotate, rotation_vector_from_quaternion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Given: TypeAlias = Mapping[str, Sequence[float | None]]
"""Prescribed coordinates [rad or m] by the label of a connection; None for a coordinate that is free."""

GROUND = 0
"""Index of the ground among the bodies: the world, and all that is fixed to it."""

_NEGLIGIBLE = 1e-9
_INDEPENDENT = 1e-7
"""Smallest singular value, relative to the largest, of twists of coordinates that count as independent."""


@dataclass(slots=True, kw_only=True)
class JointEquations:
    """The equations of one joint.

    Attributes:
        name: Name of the joint, motor or constraint.
        label: The name that no other connection of the model has.
        type: The type of the joint.
        parent: Index of the parent body.
        child: Index of the child body.
        frame_parent: The joint frame in the parent body's frame (of the ground: in the world), shape (4, 4).
        frame_child: The joint frame in the child body's frame, shape (4, 4).
        q: Its coordinates [rad or m].
        is_prescribed: Of each coordinate whether it is kept.
        connection: The joint or motor of the model; None for a constraint.
    """

    name: str
    label: str
    type: JointType
    parent: int
    child: int
    frame_parent: Array
    frame_child: Array
    q: Array
    is_prescribed: NDArray[np.bool_]
    connection: Connection | None = None

    @property
    def is_joint(self) -> bool:
        """Whether it is a joint of the model."""
        return self.connection is not None and self.connection.is_joint

    def copy(self, parent: int, child: int) -> JointEquations:
        """Return the same equations between other bodies, with coordinates of their own."""
        return replace(self, parent=parent, child=child, q=self.q.copy(), is_prescribed=self.is_prescribed.copy())


@dataclass(slots=True, kw_only=True)
class RodEquations:
    """The equations of a rod of constant length between two points.

    Attributes:
        name: Name of the constraint.
        parent: Index of the first body.
        child: Index of the second body.
        points: The two ends in the frames of their bodies [m].
        axis: The axis of a hinge at the first end, in the frame of the first body; None without one.
        length: The length of the rod [m].
        offset: How far the second end is from the first one along the axis [m].
    """

    name: str
    parent: int
    child: int
    points: tuple[Array, Array]
    axis: Array | None
    length: float
    offset: float


@dataclass(slots=True, kw_only=True)
class ConstraintEquations:
    """The bodies that take part in kinematic loops, their poses, and the equations that joints impose on them.

    Bodies that only one connection attaches to the others, and what is attached to them alone, are left out: nothing
    constrains them.

    Attributes:
        model: The model.
        bodies: Names of the bodies, the ground first as None.
        transforms: Their poses in the world, shape (bodies, 4, 4).
        joints: The joints between them.
        rods: The constraints between them that are rods.
        couplings: The coordinates between them that follow others.
        centers: A point of each body [m], in its frame, the middle of what is attached to it.
        length: The characteristic length [m].
        grounded: Names of the bodies that belong to the ground.
    """

    model: Model
    bodies: list[str | None]
    transforms: Array
    joints: list[JointEquations]
    rods: list[RodEquations]
    couplings: list[Follower]
    centers: Array
    length: float
    grounded: frozenset[str | None]
    _by_name: dict[str, JointEquations] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._by_name = {joint.name: joint for joint in self.joints if joint.is_joint}

    @property
    def size(self) -> int:
        """Number of unknowns: six for each body but the ground."""
        return 6 * (len(self.bodies) - 1)

    def copy(self) -> ConstraintEquations:
        """Return equations of the same bodies that move by themselves."""
        joints = [joint.copy(joint.parent, joint.child) for joint in self.joints]
        return replace(self, transforms=self.transforms.copy(), joints=joints)

    def parts(self) -> list[ConstraintEquations]:
        """Return the equations of each group of bodies that are connected without the ground."""
        groups = list(range(len(self.bodies)))

        def merge(*members: int) -> None:
            merged = {groups[member] for member in members if member != GROUND}
            for number, group in enumerate(groups):
                groups[number] = min(merged) if group in merged else group

        links: list[JointEquations | RodEquations] = [*self.joints, *self.rods]
        for link in links:
            merge(link.parent, link.child)
        for follower in self.couplings:
            joints = [self._by_name[name] for name in {follower.joint.name, *(one.joint for one in follower.sources)}]
            merge(*(end for joint in joints for end in (joint.parent, joint.child)))
        members = [[GROUND, *(n for n, own in enumerate(groups) if n and own == group)] for group in sorted(set(groups[1:]))]
        return [self._part(bodies) for bodies in members]

    def _part(self, bodies: Sequence[int]) -> ConstraintEquations:
        index = {body: number for number, body in enumerate(bodies)}

        def inside(link: JointEquations | RodEquations) -> bool:
            return {link.parent, link.child} <= set(index) and {link.parent, link.child} != {GROUND}

        joints = [one.copy(index[one.parent], index[one.child]) for one in self.joints if inside(one)]
        names = {joint.name for joint in joints if joint.is_joint}
        return replace(
            self,
            bodies=[self.bodies[body] for body in bodies],
            transforms=self.transforms[list(bodies)].copy(),
            joints=joints,
            rods=[replace(one, parent=index[one.parent], child=index[one.child]) for one in self.rods if inside(one)],
            couplings=[one for one in self.couplings if one.joint.name in names],
            centers=self.centers[list(bodies)],
        )

    # Geometry

    def distance(self, other: ConstraintEquations) -> float:
        """Return how far bodies are from where others have them, at the most [rad, or characteristic lengths]."""
        turns = [_rotation_vector(_inverse(a) @ b) for a, b in zip(self.transforms, other.transforms, strict=True)]
        ways = [
            (a[:3, :3] @ center + a[:3, 3] - b[:3, :3] @ center - b[:3, 3]) / self.length
            for a, b, center in zip(self.transforms, other.transforms, self.centers, strict=True)
        ]
        return float(max(np.abs(turns).max(), np.abs(ways).max()))

    def motion_along(self, motor: Motor) -> Array | None:
        """Return the Jacobian of the relative motion along or about a motor's axis, or None if a body is none of these."""
        ends = [self._index_of(body) for body in (motor.body1, motor.body2)]
        if None in ends or motor.body1 is None:
            return None
        first, second = ends
        assert first is not None and second is not None  # noqa: S101  # seen above
        pose = motor.pose.matrix()
        frame = self.transforms[first] @ np.array(pose) if first != GROUND else None
        if frame is None:
            return None
        axis = np.array(motor.axis)
        twist = self._twist_at(first, frame) - self._twist_at(second, frame)
        return np.asarray(axis @ (twist[:3] if motor.guide.is_rotational else twist[3:]))

    def _index_of(self, body: str | None) -> int | None:
        if body in self.bodies:
            return self.bodies.index(body)
        return GROUND if body in self.grounded else None

    def relative_transform(self, joint: JointEquations) -> Array:
        """Return the child's joint frame in the parent's, shape (4, 4)."""
        parent, child = self.transforms[joint.parent], self.transforms[joint.child]
        return np.asarray(_inverse(parent @ joint.frame_parent) @ child @ joint.frame_child)

    def mismatch(self, joint: JointEquations) -> Array:
        """Return rotation [rad] and scaled translation from where coordinates place the child's joint frame to where it is."""
        placed = np.array(motion_pose(joint.type, joint.q.tolist()).matrix())
        error = _inverse(placed) @ self.relative_transform(joint)
        return np.concatenate([_rotation_vector(error), error[:3, 3] / self.length])

    def fit_coordinates(self) -> None:
        """Set the free coordinates of all joints from the poses of the bodies."""
        for joint in self.joints:
            free = ~joint.is_prescribed
            for _ in range(8) if free.any() else ():
                twists = coordinate_twists(joint.type, joint.q, self.length)[:, free]
                change = np.linalg.lstsq(require_finite(twists), require_finite(self.mismatch(joint)), rcond=_INDEPENDENT)[0]
                joint.q[free] += change
                if np.abs(change).max() < 1e-14:
                    break

    def move(self, change: Array) -> None:
        """Move the bodies by rotations [rad] and scaled translations of their centres, shape (6 · bodies without ground,)."""
        for body, (turn, way) in enumerate(change.reshape(-1, 2, 3), start=1):
            transform = self.transforms[body]
            center = transform[:3, :3] @ self.centers[body] + transform[:3, 3]
            rotation = exponential(turn)
            moved = rotation @ transform[:3, :3]
            u, _, vh = np.linalg.svd(require_finite(moved))
            transform[:3, :3] = u @ vh
            transform[:3, 3] = center + way * self.length - transform[:3, :3] @ self.centers[body]

    # Equations

    def residuals(self) -> tuple[Array, list[str]]:
        """Return the scaled residuals of all equations, and the name of what each belongs to."""
        values: list[Array] = []
        names: list[str] = []
        for joint in self.joints:
            rows = self._forbidden(joint) @ self.mismatch(joint)
            values.append(rows)
            names += [joint.name] * len(rows)
        for rod in self.rods:
            rows = self._rod_residuals(rod)
            values.append(rows)
            names += [rod.name] * len(rows)
        for follower in self.couplings:
            values.append(np.array([self._coupling_residual(follower)]))
            names.append(follower.joint.name)
        return (np.concatenate(values) if values else np.zeros(0)), names

    def jacobian(self) -> tuple[Array, list[str]]:
        """Return the Jacobian of the equations by :meth:`move`'s changes, and the name of what each row belongs to."""
        blocks: list[Array] = []
        names: list[str] = []
        for joint in self.joints:
            rows = self._forbidden(joint) @ self.relative_twist(joint)
            blocks.append(rows)
            names += [joint.name] * len(rows)
        for rod in self.rods:
            rows = self._rod_rows(rod)
            blocks.append(rows)
            names += [rod.name] * len(rows)
        for follower in self.couplings:
            blocks.append(self._coupling_row(follower)[None, :])
            names.append(follower.joint.name)
        return (np.concatenate(blocks) if blocks else np.zeros((0, self.size))), names

    def relative_twist(self, joint: JointEquations) -> Array:
        """Return the Jacobian of the child's twist relative to the parent, in the child's joint frame, shape (6, size)."""
        frame = self.transforms[joint.child] @ joint.frame_child
        return self._twist_at(joint.child, frame) - self._twist_at(joint.parent, frame)

    def coordinate_rates(self, joint: JointEquations) -> Array:
        """Return the Jacobian of a joint's free coordinates, shape (coordinates, size); zero for prescribed ones."""
        rates = np.zeros((len(joint.q), self.size))
        free = ~joint.is_prescribed
        if free.any():
            twists = coordinate_twists(joint.type, joint.q, self.length)[:, free]
            rates[free] = np.linalg.pinv(require_finite(twists), rcond=_INDEPENDENT) @ self.relative_twist(joint)
        return rates

    def _twist_at(self, body: int, frame: Array) -> Array:
        """Return the Jacobian of a body's twist at a frame, in its axes: rotation, then scaled translation of its origin."""
        J = np.zeros((6, self.size))
        if body == GROUND:
            return J
        transform = self.transforms[body]
        arm = frame[:3, 3] - (transform[:3, :3] @ self.centers[body] + transform[:3, 3])
        columns = slice(6 * (body - 1), 6 * body)
        axes = frame[:3, :3].T
        J[:3, columns][:, :3] = axes
        J[3:, columns][:, :3] = -axes @ skew(arm) / self.length
        J[3:, columns][:, 3:] = axes
        return J

    def _forbidden(self, joint: JointEquations) -> Array:
        """Return an orthonormal basis of the relative twists that a joint forbids, as rows."""
        twists = coordinate_twists(joint.type, joint.q, self.length)[:, ~joint.is_prescribed]
        u, s, _ = np.linalg.svd(require_finite(twists))
        rank = int((s > _INDEPENDENT * max(s.max(initial=0.0), 1e-300)).sum())
        return np.asarray(u[:, rank:].T)

    def _ends(self, rod: RodEquations) -> tuple[Array, Array]:
        first, second = self.transforms[rod.parent], self.transforms[rod.child]
        return first[:3, :3] @ rod.points[0] + first[:3, 3], second[:3, :3] @ rod.points[1] + second[:3, 3]

    def _rod_residuals(self, rod: RodEquations) -> Array:
        first, second = self._ends(rod)
        way = second - first
        residuals = [(np.linalg.norm(way) - rod.length) / self.length]
        if rod.axis is not None:
            residuals.append(((self.transforms[rod.parent][:3, :3] @ rod.axis) @ way - rod.offset) / self.length)
        return np.array(residuals)

    def _rod_rows(self, rod: RodEquations) -> Array:
        first, second = self._ends(rod)
        way = second - first
        moving = self._point_rows(rod.child, second) - self._point_rows(rod.parent, first)
        rows = [way / max(float(np.linalg.norm(way)), 1e-300) @ moving]
        if rod.axis is not None:
            axis = self.transforms[rod.parent][:3, :3] @ rod.axis
            turning = np.zeros((3, self.size))
            if rod.parent != GROUND:
                turning[:, 6 * (rod.parent - 1) : 6 * rod.parent - 3] = np.eye(3)
            rows.append(axis @ moving + np.cross(axis, way / self.length) @ turning)
        return np.array(rows)

    def _point_rows(self, body: int, point: Array) -> Array:
        frame = np.eye(4)
        frame[:3, 3] = point
        return self._twist_at(body, frame)[3:]

    def _coupling_residual(self, follower: Follower) -> float:
        joint = self._by_name[follower.joint.name]
        sources = {source: float(self._by_name[source.joint].q[source.coordinate]) for source in follower.sources}
        return float(joint.q[follower.number] - evaluate(follower.formula.position, sources))

    def _coupling_row(self, follower: Follower) -> Array:
        sources = {source: float(self._by_name[source.joint].q[source.coordinate]) for source in follower.sources}
        row: Array = self.coordinate_rates(self._by_name[follower.joint.name])[follower.number]
        for source in follower.sources:
            slope = float(partial(follower.formula.position, sources, source))
            row = row - slope * self.coordinate_rates(self._by_name[source.joint])[source.coordinate]
        return row


def coordinate_twists(joint_type: JointType, q: Array, length: float) -> Array:
    """Return the twists of a joint's coordinates in the child's joint frame, shape (6, coordinates).

    Rotations come first; translations are divided by a length.
    """
    columns = np.zeros((6, joint_type.degrees_of_freedom))
    after = np.eye(4)
    for stage in reversed(factor_joint(joint_type)):
        value = q[stage.coordinate]
        rotation, position = after[:3, :3], after[:3, 3]
        if stage.axis is None:
            vector = np.asarray(q[stage.coordinate : stage.coordinate + 3], dtype=float)
            turning = right_jacobian(vector)
            columns[:3, stage.coordinate : stage.coordinate + 3] = rotation.T @ turning
            columns[3:, stage.coordinate : stage.coordinate + 3] = -rotation.T @ skew(position) @ turning / length
            motion = np.eye(4)
            motion[:3, :3] = exponential(vector)
        else:
            axis = np.asarray(stage.axis)
            turn = axis * float(stage.turns)
            columns[:3, stage.coordinate] += rotation.T @ turn
            columns[3:, stage.coordinate] += rotation.T @ (np.cross(turn, position) + axis * stage.slide) / length
            motion = np.eye(4)
            motion[:3, :3] = exponential(turn * value)
            motion[:3, 3] = axis * stage.slide * value
        after = motion @ after
    return columns


# Building


def constraint_equations(
    model: Model,
    tree: Tree | None = None,
    start: Mapping[str, Sequence[float]] | None = None,
    given: Given | None = None,
    *,
    keeps_roots: bool = False,
) -> ConstraintEquations | None:
    """Return the constraint equations of a model, or None if it has no kinematic loop and no constraint.

    Args:
        model: The model.
        tree: Its spanning tree; computed if not given.
        start: Where joints of the spanning tree are at the start [rad or m], by name; at their initial positions otherwise.
        given: Coordinates that are prescribed, by :attr:`Connection.label`.
        keeps_roots: Whether bodies that float, as roots of the spanning tree, stay where they are, as the ground does.

    Raises:
        FormulaError: A formula gives no value.
    """
    tree = tree or spanning_tree(model)
    if model.static or not (tree.loops or model.constraints):
        return None
    placed = {name: np.array(pose.matrix()) for name, pose in model_poses(model, start or {}, tree).items()}
    found = [one for one in connections(model) if one.bushing is None and not isinstance(one.joint.type, Floating)]
    every = [_Link(one.joint.parent, one.joint.child, one) for one in found]
    every += [_Link(one.body1, one.body2, one) for one in model.constraints]
    grounded = _grounded(found)
    if keeps_roots:
        roots = [branch for branch in tree.branches if branch.inboard is None or isinstance(branch.inboard.type, Floating)]
        grounded |= {branch.body.name for branch in roots}
    core = _core(every, grounded)
    if not core:
        return None
    moving = {name for link in core for name in (link.first, link.second)} - grounded
    names: list[str | None] = [None, *sorted(moving, key=str)]
    index = {name: number for number, name in enumerate(names)} | dict.fromkeys(grounded, GROUND)
    builder = _EquationBuilder(model, placed, index, grounded, given or {}, start or {})
    joints = [builder.joint(link.source) for link in core if isinstance(link.source, Connection)]
    constraints = [link.source for link in core if isinstance(link.source, Constraint)]
    joints += [builder.link(one) for one in constraints if isinstance(one.type, RevoluteTranslational)]
    rods = [builder.rod(one) for one in constraints if not isinstance(one.type, RevoluteTranslational)]
    transforms = np.array([np.eye(4), *[placed[name] for name in names if name is not None]])
    centers, length = _centers(transforms, joints, rods)
    inside = {joint.name for joint in joints if joint.is_joint}
    stated = tuple(name for name in given or {} if name in model.joints)
    couplings = [one for one in followers(model, stated) if {one.joint.name, *(s.joint for s in one.sources)} <= inside]
    return ConstraintEquations(
        model=model,
        bodies=names,
        transforms=transforms,
        joints=joints,
        rods=rods,
        couplings=couplings,
        centers=centers,
        length=length,
        grounded=frozenset(grounded),
    )


@dataclass(frozen=True, slots=True)
class _Link:
    first: str | None
    second: str | None
    source: Connection | Constraint


def _grounded(found: Iterable[Connection]) -> set[str | None]:
    """Return the names of the bodies that fixed joints attach to the world, directly or through others."""
    fixed = [one.joint for one in found if isinstance(one.joint.type, Fixed)]
    grounded: set[str | None] = {None}
    while True:
        added = {end for joint in fixed for end in (joint.parent, joint.child) if {joint.parent, joint.child} & grounded}
        if added <= grounded:
            return grounded
        grounded |= added


def _core(every: Sequence[_Link], grounded: set[str | None]) -> list[_Link]:
    """Return what remains of the graph if joints to bodies that nothing else attaches are taken away, again and again."""
    left = [link for link in every if link.first != link.second and not {link.first, link.second} <= grounded]
    while True:
        counts: dict[str | None, int] = {}
        for link in left:
            for end in (link.first, link.second):
                counts[end] = counts.get(end, 0) + 1
        kept = [link for link in left if _is_rigid_link(link, grounded, counts)]
        if len(kept) == len(left):
            return left
        left = kept


def _is_rigid_link(link: _Link, grounded: set[str | None], counts: Mapping[str | None, int]) -> bool:
    """Whether a link is a constraint, which the spanning tree never contains, or attaches no body alone."""
    return isinstance(link.source, Constraint) or all(end in grounded or counts[end] > 1 for end in (link.first, link.second))


@dataclass(frozen=True, slots=True)
class _EquationBuilder:
    model: Model
    placed: Mapping[str, Array]
    index: Mapping[str | None, int]
    grounded: set[str | None]
    given: Given
    start: Mapping[str, Sequence[float]]

    def joint(self, connection: Connection) -> JointEquations:
        joint = connection.joint
        q = np.array(self.start.get(joint.name, joint.initial_positions) if connection.is_joint else joint.initial_positions)
        prescribed = np.zeros(len(q), dtype=bool)
        for number, value in enumerate(self.given.get(connection.label, ())):
            if value is not None:
                q[number], prescribed[number] = value, True
        return JointEquations(
            name=joint.name,
            label=connection.label,
            type=joint.type,
            parent=self.index[joint.parent],
            child=self.index[joint.child],
            frame_parent=self._attached_frame(joint.parent, np.array(pose_parent_joint(self.model, joint).matrix())),
            frame_child=self._attached_frame(joint.child, np.array(joint.pose.matrix())),
            q=q.astype(float),
            is_prescribed=prescribed,
            connection=connection,
        )

    def link(self, constraint: Constraint) -> JointEquations:
        """Return a massless link between a hinge and a slide as the joint whose coordinates are those two."""
        kind = constraint.type
        assert isinstance(kind, RevoluteTranslational)  # noqa: S101  # the caller chose it
        first, second = self.model.body_pose(constraint.body1), self.model.body_pose(constraint.body2)
        hinge = first @ Pose(constraint.point1)
        direction = rotate(hinge.inverse().wxyz, rotate(second.wxyz, kind.direction))
        joint_type = Compound(axes=(Axis(direction=kind.axis, is_revolute=True), Axis(direction=direction, is_revolute=False)))
        frame_child = np.array((second.inverse() @ hinge).matrix())
        frame_parent = np.array(Pose(constraint.point1).matrix())
        return JointEquations(
            name=constraint.name,
            label=constraint.name,
            type=joint_type,
            parent=self.index[constraint.body1],
            child=self.index[constraint.body2],
            frame_parent=self._attached_frame(constraint.body1, frame_parent),
            frame_child=self._attached_frame(constraint.body2, frame_child),
            q=np.zeros(2),
            is_prescribed=np.zeros(2, dtype=bool),
        )

    def rod(self, constraint: Constraint) -> RodEquations:
        first, second = self.model.body_pose(constraint.body1), self.model.body_pose(constraint.body2)
        way = np.subtract(second.transform(constraint.point2), first.transform(constraint.point1))
        kind = constraint.type
        axis = np.array(kind.axis) if isinstance(kind, RevoluteSpherical) else None
        length = float(np.linalg.norm(way))
        offset = 0.0 if axis is None else float(np.array(rotate(first.wxyz, tuple(axis.tolist()))) @ way)
        ends = (constraint.body1, constraint.point1), (constraint.body2, constraint.point2)
        points = [(self._attached_frame(body, np.eye(4)) @ [*point, 1.0])[:3] for body, point in ends]
        if axis is not None:
            axis = self._attached_frame(constraint.body1, np.eye(4))[:3, :3] @ axis
        assert isinstance(kind, Distance | RevoluteSpherical)  # noqa: S101  # the caller chose it
        return RodEquations(
            name=constraint.name,
            parent=self.index[constraint.body1],
            child=self.index[constraint.body2],
            points=(points[0], points[1]),
            axis=axis,
            length=length,
            offset=offset,
        )

    def _attached_frame(self, body: str | None, frame: Array) -> Array:
        """Return a frame of a body in it; of what belongs to the ground in the world."""
        if body is None:
            return np.array(self.model.pose.matrix()) @ frame
        return self.placed[body] @ frame if body in self.grounded else frame


def _centers(transforms: Array, joints: Sequence[JointEquations], rods: Sequence[RodEquations]) -> tuple[Array, float]:
    """Return the middle of what is attached to each body, in its frame, and the typical distance from there [m]."""
    attached: list[list[Array]] = [[] for _ in transforms]
    for joint in joints:
        attached[joint.parent].append(joint.frame_parent[:3, 3])
        attached[joint.child].append(joint.frame_child[:3, 3])
    for rod in rods:
        attached[rod.parent].append(rod.points[0])
        attached[rod.child].append(rod.points[1])
    centers = np.array([np.mean(points, axis=0) if points else np.zeros(3) for points in attached])
    arms = [float(np.linalg.norm(point - centers[body])) for body, points in enumerate(attached) for point in points]
    length = math.sqrt(float(np.mean(np.square(arms)))) if arms else 0.0
    return centers, length if length > _NEGLIGIBLE else 1.0


def _inverse(transform: Array) -> Array:
    inverse = np.eye(4)
    inverse[:3, :3] = transform[:3, :3].T
    inverse[:3, 3] = -transform[:3, :3].T @ transform[:3, 3]
    return inverse


def _rotation_vector(transform: Array) -> Array:
    rows = transform[:3, :3].tolist()
    return np.array(rotation_vector_from_quaternion(_quaternion(rows)))


def _quaternion(rows: list[list[float]]) -> Quaternion:
    (a, b, c), (d, e, f), (g, h, i) = rows
    return quaternion_from_matrix(((a, b, c), (d, e, f), (g, h, i)))


def require_finite(matrix: Array) -> Array:
    """Return a matrix whose numbers are finite; LAPACK takes no others.

    Raises:
        numpy.linalg.LinAlgError: One is not.
    """
    if not np.isfinite(matrix).all():
        raise np.linalg.LinAlgError("a matrix has numbers that are not finite")
    return matrix
