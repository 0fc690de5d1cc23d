"""Assembling the constraint equations of a model from its joints, motors, constraints and equalities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.absolute_constraint_equations import ConstraintEquations
from ossature.kinematics.absolute_coordinates import GROUND, AbsoluteCoordinates
from ossature.kinematics.constraint_graph import ConstraintEdge, grounded_bodies, loop_core
from ossature.kinematics.disjoint_sets import DisjointSets
from ossature.kinematics.distance_and_coincidence_constraints import CoincidenceEquations, RodEquations
from ossature.kinematics.equality_constraint_equations import equality_coupling, joints_of, supported_equalities, weld_frames
from ossature.kinematics.forward_kinematics import model_poses, pose_parent_joint
from ossature.kinematics.joint_constraints import JointEquations
from ossature.kinematics.joint_couplings import sorted_coupled_coordinates
from ossature.kinematics.joint_graph_edges import Connection as JointConnection
from ossature.kinematics.joint_graph_edges import connections
from ossature.kinematics.spanning_tree import Tree, TreeJoint, spanning_tree
from ossature.model import (
    Axis,
    Compound,
    Connection,
    Constraint,
    Distance,
    Equality,
    Fixed,
    Floating,
    JointEquality,
    Model,
    RevoluteSpherical,
    RevoluteTranslational,
    Weld,
)
from ossature.spatial import Pose, rotate

Given: TypeAlias = Mapping[str, Sequence[float | None]]
"""Prescribed coordinates [rad or m] by the label of a connection; None for a coordinate that is free."""

_NEGLIGIBLE = 1e-9
"""Smallest distance of joints that counts as a characteristic length [m]."""


def constraint_equations(
    model: Model,
    tree: Tree | None = None,
    start: Mapping[str, Sequence[float]] | None = None,
    given: Given | None = None,
    *,
    keeps_roots: bool = False,
) -> ConstraintEquations | None:
    """Return the constraint equations of a model, or None if it has no kinematic loop, constraint or active equality.

    Args:
        tree: Its spanning tree; computed if not given.
        start: Initial coordinates of joints of the spanning tree [rad or m], by name; the others have their initial positions.
        given: Coordinates that are prescribed, by :attr:`Connection.label`.
        keeps_roots: Whether floating bodies, as roots of the spanning tree, keep their poses, as the ground does. Those that
            joints of loops and constraints attach to the ground, or to others, follow.

    Raises:
        FormulaError: A formula gives no value.
    """
    tree = tree or spanning_tree(model)
    if model.static or not (tree.loops or model.constraints or any(one.active for one in model.equalities)):
        return None
    core, grounded = _loop_core(model, tree, start or {}, keeps_roots=keeps_roots)
    if not core:
        return None
    poses = {name: np.array(pose.matrix()) for name, pose in model_poses(model, start or {}, tree).items()}
    names: list[str | None] = [None, *sorted({name for edge in core for name in edge.ends} - grounded, key=str)]
    index = {name: number for number, name in enumerate(names)} | dict.fromkeys(grounded, GROUND)
    builder = _EquationBuilder(model, poses, index, grounded, given or {}, start or {})
    joints, rods = builder.equations_of([edge.source for edge in core])
    transforms = np.array([np.eye(4), *[poses[name] for name in names if name is not None]])
    centers, length = _centers(transforms, joints, rods)
    core_joints = {joint.name for joint in joints if joint.is_joint}
    prescribed = tuple(name for name in given or {} if name in model.joints)
    return ConstraintEquations(
        model=model,
        bodies=names,
        coordinates=AbsoluteCoordinates(transforms=transforms, centers=centers, length=length),
        joints=joints,
        rods=rods,
        couplings=[
            one
            for one in sorted_coupled_coordinates(model, prescribed)
            if {one.joint.name, *(source.joint for source in one.sources)} <= core_joints
        ],
        equalities={
            name: equality_coupling(one, model)
            for name, one in _coordinate_equalities(model).items()
            if joints_of(one) <= core_joints and not joints_of(one) <= {*prescribed}
        },
        grounded=frozenset(grounded),
    )


def _coordinate_equalities(model: Model) -> dict[str, JointEquality]:
    return {one.name: one.type for one in supported_equalities(model) if isinstance(one.type, JointEquality)}


def _loop_core(
    model: Model, tree: Tree, start: Mapping[str, Sequence[float]], *, keeps_roots: bool
) -> tuple[list[ConstraintEdge], set[str | None]]:
    """Return the connections that take part in loops or equalities, and the bodies that belong to the ground."""
    found = [one for one in connections(model) if one.bushing is None and not isinstance(one.joint.type, Floating)]
    edges = [ConstraintEdge(one.joint.parent, one.joint.child, one) for one in found]
    edges += [ConstraintEdge(one.body1, one.body2, one) for one in model.constraints if _has_known_bodies(model, one)]
    edges += [
        ConstraintEdge(one.type.body1, one.type.body2, one)
        for one in supported_equalities(model)
        if isinstance(one.type, Connection | Weld)
    ]
    constrained = {name for one in _coordinate_equalities(model).values() for name in joints_of(one)}
    grounded = grounded_bodies(found)
    if keeps_roots:
        following, moved = _supported_groups(tree, edges, start)
        grounded |= {branch.body.name for branch in _floating_roots(tree)} - following
        constrained |= {one.label for one in found if {one.joint.parent, one.joint.child} & moved}
    return loop_core(edges, grounded, constrained), grounded


def _has_known_bodies(model: Model, constraint: Constraint) -> bool:
    return all(name is None or name in model.bodies for name in (constraint.body1, constraint.body2))


def _supported_groups(
    tree: Tree, edges: Sequence[ConstraintEdge], start: Mapping[str, Sequence[float]]
) -> tuple[set[str], set[str]]:
    """Return the floating roots that joints and constraints attach to others or to the ground, and all bodies with them.

    Equalities do not count: a base that one of them attaches to the world keeps its pose.
    """
    groups: DisjointSets[str | None] = DisjointSets()
    names = {name for edge in edges for name in edge.ends if name is not None}
    for edge in edges:
        if not isinstance(edge.source, Equality):
            groups.join(edge.first, edge.second)
    roots = _floating_roots(tree)
    specified = {one.body.name for one in roots if one.inboard is not None and one.inboard.name in start}
    supported = {groups.find(name) for name in (None, *specified)}
    following = set()
    for root in roots:
        group = groups.find(root.body.name)
        if group in supported and root.body.name not in specified:
            following.add(root.body.name)
        supported.add(group)
    with_them = {groups.find(name) for name in following}
    return following, {name for name in names if groups.find(name) in with_them}


def _floating_roots(tree: Tree) -> list[TreeJoint]:
    return [branch for branch in tree.branches if branch.inboard is None or isinstance(branch.inboard.type, Floating)]


@dataclass(frozen=True, slots=True)
class _EquationBuilder:
    model: Model
    poses: Mapping[str, Array]
    index: Mapping[str | None, int]
    grounded: set[str | None]
    given: Given
    start: Mapping[str, Sequence[float]]

    def equations_of(
        self, sources: Sequence[JointConnection | Constraint | Equality]
    ) -> tuple[list[JointEquations], list[RodEquations | CoincidenceEquations]]:
        """Return the equations of joints, massless links and welds, and those of rods and coinciding points."""
        constraints = [one for one in sources if isinstance(one, Constraint)]
        equalities = [one for one in sources if isinstance(one, Equality)]
        joints = [self.joint(one) for one in sources if isinstance(one, JointConnection)]
        joints += [self.massless_link(one) for one in constraints if isinstance(one.type, RevoluteTranslational)]
        joints += [self.weld(one.name, one.type) for one in equalities if isinstance(one.type, Weld)]
        rods: list[RodEquations | CoincidenceEquations] = [
            self.rod(one) for one in constraints if not isinstance(one.type, RevoluteTranslational)
        ]
        rods += [self.coincidence(one.name, one.type) for one in equalities if isinstance(one.type, Connection)]
        return joints, rods

    def joint(self, connection: JointConnection) -> JointEquations:
        joint = connection.joint
        q = np.array(self.start.get(joint.name, joint.initial_positions) if connection.is_joint else joint.initial_positions)
        is_prescribed = np.zeros(len(q), dtype=bool)
        for number, value in enumerate(self.given.get(connection.label, ())):
            if value is not None:
                q[number], is_prescribed[number] = value, True
        return JointEquations(
            name=joint.name,
            label=connection.label,
            type=joint.type,
            parent=self.index[joint.parent],
            child=self.index[joint.child],
            frame_parent=self._frame(joint.parent, np.array(pose_parent_joint(self.model, joint).matrix())),
            frame_child=self._frame(joint.child, np.array(joint.pose.matrix())),
            q=q.astype(float),
            is_prescribed=is_prescribed,
            connection=connection,
        )

    def massless_link(self, constraint: Constraint) -> JointEquations:
        """Return a massless link between a hinge and a slider as one joint with the coordinates of both."""
        kind = constraint.type
        assert isinstance(kind, RevoluteTranslational)  # noqa: S101  # selected by the caller
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
            frame_parent=self._frame(constraint.body1, frame_parent),
            frame_child=self._frame(constraint.body2, frame_child),
            q=np.zeros(2),
            is_prescribed=np.zeros(2, dtype=bool),
        )

    def weld(self, name: str, kind: Weld) -> JointEquations:
        frames = [np.array(frame.matrix()) for frame in weld_frames(kind, self.model)]
        return JointEquations(
            name=name,
            label=f"{name} weld",
            type=Fixed(),
            parent=self.index[kind.body1],
            child=self.index[kind.body2],
            frame_parent=self._frame(kind.body1, frames[0]),
            frame_child=self._frame(kind.body2, frames[1]),
            q=np.zeros(0),
            is_prescribed=np.zeros(0, dtype=bool),
        )

    def coincidence(self, name: str, kind: Connection) -> CoincidenceEquations:
        ends = (kind.body1, kind.point1), (kind.body2, kind.point2)
        points = [(self._frame(body, np.eye(4)) @ [*point, 1.0])[:3] for body, point in ends]
        parent, child = self.index[kind.body1], self.index[kind.body2]
        return CoincidenceEquations(name=name, parent=parent, child=child, points=(points[0], points[1]))

    def rod(self, constraint: Constraint) -> RodEquations:
        first, second = self.model.body_pose(constraint.body1), self.model.body_pose(constraint.body2)
        rod = np.subtract(second.transform(constraint.point2), first.transform(constraint.point1))
        kind = constraint.type
        axis = np.array(kind.axis) if isinstance(kind, RevoluteSpherical) else None
        length = float(np.linalg.norm(rod))
        offset = 0.0 if axis is None else float(np.array(rotate(first.wxyz, tuple(axis.tolist()))) @ rod)
        ends = (constraint.body1, constraint.point1), (constraint.body2, constraint.point2)
        points = [(self._frame(body, np.eye(4)) @ [*point, 1.0])[:3] for body, point in ends]
        if axis is not None:
            axis = self._frame(constraint.body1, np.eye(4))[:3, :3] @ axis
        assert isinstance(kind, Distance | RevoluteSpherical)  # noqa: S101  # selected by the caller
        return RodEquations(
            name=constraint.name,
            parent=self.index[constraint.body1],
            child=self.index[constraint.body2],
            points=(points[0], points[1]),
            axis=axis,
            length=length,
            offset=offset,
        )

    def _frame(self, body: str | None, frame: Array) -> Array:
        """Return a frame of a body in the body's frame, or in the world if the body belongs to the ground."""
        if body is None:
            return np.array(self.model.pose.matrix()) @ frame
        return self.poses[body] @ frame if body in self.grounded else frame


def _centers(
    transforms: Array, joints: Sequence[JointEquations], rods: Sequence[RodEquations | CoincidenceEquations]
) -> tuple[Array, float]:
    """Return the mean of the joint positions on each body, in its frame, and the typical distance from there [m]."""
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
