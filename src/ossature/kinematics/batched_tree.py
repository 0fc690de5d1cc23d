"""Spanning trees at many configurations at once: frames, and the relative twists of all tree coordinates.

Joints are products of elementary joints, whose transforms :mod:`ossature.kinematics.elementary_transform_matrices` gives.
They are multiplied along the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.batched_rotations import cross, exponential, right_jacobian
from ossature.kinematics.elementary_transform_matrices import basis_matrices, elementary_transforms, rotation_from_z
from ossature.kinematics.forward_kinematics import pose_parent_joint
from ossature.kinematics.joint_factorization import ElementaryMotion, factor_joint
from ossature.kinematics.spanning_tree import Tree, TreeJoint
from ossature.model import Floating, Joint, JointPosition, Model
from ossature.spatial import Pose

_BLOCK = 256
"""Number of configurations whose frames stay in the processor's cache."""
_WORLD = 0


@dataclass(slots=True, kw_only=True)
class _Element:
    """A constant transform, then a motion of one coordinate about and along z, or of three as a rotation vector.

    Attributes:
        parent: Number of the element before it.
        before: The constant transform, shape (4, 4).
        coordinate: Number of its coordinate in the tree, of the first one of a rotation vector; None if it is fixed.
        sign: -1 if the joint is reversed in the tree.
        is_rotation: Whether it rotates about z.
        translation: The translation along z for each unit of its coordinate [m/rad or 1].
        is_rotation_vector: Whether it rotates by a rotation vector.
    """

    parent: int
    before: Array
    coordinate: int | None = None
    sign: float = 1.0
    is_rotation: bool = False
    translation: float = 0.0
    is_rotation_vector: bool = False


@dataclass(slots=True, kw_only=True)
class _Axes:
    """Several coordinates of a joint whose velocities are components in axes of one frame.

    Attributes:
        first: Number of the first of them.
        is_free: Whether they are the six of a free joint, else the three of a rotation.
        frame: Number of the element in whose frame the axes are fixed.
        rotation: The axes in that frame, shape (3, 3).
        point: Number of the element whose origin is the centre of the rotation.
        sign: -1 if the joint is reversed in the tree.
    """

    first: int
    is_free: bool
    frame: int
    rotation: Array
    point: int
    sign: float

    @property
    def columns(self) -> range:
        return range(self.first, self.first + (6 if self.is_free else 3))


@dataclass(slots=True, kw_only=True)
class Twists:
    """The relative twists of bodies for a unit velocity of each tree coordinate, in axes of the world.

    Attributes:
        angular: Angular velocities, shape (N, coordinates, 3).
        linear: Velocities at the points [m/rad or 1], shape (N, coordinates, 3).
        points: The points [m], shape (N, coordinates, 3).
    """

    angular: Array
    linear: Array
    points: Array

    def at(self, point: Array) -> Array:
        """Return the velocities at other points, (N, coordinates, 3) from (N, 3)."""
        return np.asarray(self.linear + cross(self.angular, point[:, None] - self.points))


class BatchedTree:
    """The spanning tree of a model, prepared for many configurations.

    Attributes:
        coordinates: All coordinates of the tree, by the label of their connection.
        joints: The joint of each label.
        bodies: Names of the bodies, parents first.
        body_masks: Whether each body is moved by each coordinate, shape (bodies, coordinates).
        before_masks: Whether each coordinate is moved by each other one, shape (coordinates, coordinates): its axis is fixed in
            the frame that these move.
        path_masks: Whether the body behind the joint of each coordinate is moved by each other one, shape (coordinates,
            coordinates).
    """

    def __init__(self, model: Model, tree: Tree) -> None:
        """Prepare the tree of a model."""
        self.joints: dict[str, Joint] = {}
        for branch in tree.branches:
            if branch.connection is not None:
                self.joints[branch.connection.label] = branch.connection.joint
        counts = {label: joint.degrees_of_freedom for label, joint in self.joints.items()}
        self.coordinates = tuple([JointPosition(joint=label, coordinate=n) for label in counts for n in range(counts[label])])
        self.bodies = tuple([branch.body.name for branch in tree.branches])
        self._numbers = {position: number for number, position in enumerate(self.coordinates)}
        self._elements: list[_Element] = [_Element(parent=_WORLD, before=np.eye(4))]
        self._moved_by: list[frozenset[int]] = [frozenset()]
        self._axes: list[_Axes] = []
        self._bodies: dict[str | None, tuple[int, Array]] = {None: (_WORLD, np.array(model.pose.matrix()))}
        self._before: list[frozenset[int]] = [frozenset()] * len(self.coordinates)
        self._behind: dict[str, frozenset[int]] = {}
        for branch in tree.branches:
            self._add_branch(model, branch)
        self._prepare_arrays()

    def _prepare_arrays(self) -> None:
        count = len(self.coordinates)
        self._owners = np.array([self._bodies[name][0] for name in self.bodies], dtype=np.intp)
        self._afters = np.array([self._bodies[name][1] for name in self.bodies]).reshape(-1, 4, 4)
        self.body_masks = _masks([self._moved_by[owner] for owner in self._owners], count)
        self.before_masks = _masks(self._before, count)
        self.path_masks = _masks([self._behind[position.joint] for position in self.coordinates], count)
        moving = self._elements[1:]
        bases = [basis_matrices(one.before, is_rotation=one.is_rotation, translation=one.translation) for one in moving]
        self._basis = np.array(bases).reshape(len(moving), 4, 16)
        self._columns = np.array([0 if one.coordinate is None else one.coordinate for one in moving], dtype=np.intp)
        self._signs = np.array([0.0 if one.coordinate is None or one.is_rotation_vector else one.sign for one in moving])
        scalars = [(one.coordinate, n) for n, one in enumerate(self._elements) if one.coordinate is not None]
        covered = self.rotation_vector_columns()
        scalars = [(column, n) for column, n in scalars if column not in covered]
        self._scalar_columns = np.array([column for column, _ in scalars], dtype=np.intp)
        self._scalar_elements = np.array([n for _, n in scalars], dtype=np.intp)
        chosen = [self._elements[n] for _, n in scalars]
        self._scalar_spins = np.array([one.sign * float(one.is_rotation) for one in chosen])
        self._scalar_translations = np.array([one.sign * one.translation for one in chosen])
        self._rotating = [n for n, one in enumerate(self._elements) if one.is_rotation_vector]

    # Construction

    def _add_branch(self, model: Model, branch: TreeJoint) -> None:
        inboard, connection = branch.inboard, branch.connection
        if inboard is None or connection is None:
            self._bodies[branch.body.name] = (_WORLD, np.array((model.pose @ branch.body.pose).matrix()))
            return
        joint, body = connection.joint, branch.body.name
        outer, inner = pose_parent_joint(model, joint), joint.pose.inverse()
        carrier, placed = self._bodies[inboard.parent]
        before, after = (inner.inverse(), outer.inverse()) if branch.is_reversed else (outer, inner)
        pending, sign = placed @ before.matrix(), -1.0 if branch.is_reversed else 1.0
        is_free = isinstance(joint.type, Floating)
        if is_free:
            carrier, pending = self._add(_Element(parent=carrier, before=pending)), np.eye(4)
        first, factors = carrier, factor_joint(joint.type)
        for factor in factors[::-1] if branch.is_reversed else factors:
            carrier, pending = self._add_factor(connection.label, factor, carrier, pending, sign, is_free=is_free)
        if is_free:
            carrier, pending = self._add(_Element(parent=carrier, before=pending)), np.eye(4)
            self._add_free_joint(model, connection.label, joint, first, carrier, sign)
        self._bodies[body] = (carrier, pending @ after.matrix())
        self._behind[connection.label] = self._moved_by[carrier]

    def _add(self, element: _Element) -> int:
        moved_by = self._moved_by[element.parent]
        if element.coordinate is not None:
            own = range(element.coordinate, element.coordinate + (3 if element.is_rotation_vector else 1))
            for coordinate in own:
                self._before[coordinate] = moved_by
            moved_by |= set(own)
        self._elements.append(element)
        self._moved_by.append(moved_by)
        return len(self._elements) - 1

    def _add_factor(
        self, label: str, factor: ElementaryMotion, carrier: int, pending: Array, sign: float, *, is_free: bool
    ) -> tuple[int, Array]:
        """Add elements for a factor of a joint; return the number of the last, and the constant transform behind it."""
        coordinate = self._numbers[JointPosition(joint=label, coordinate=factor.coordinate)]
        anchor = Pose(factor.anchor)
        pending = pending @ anchor.matrix()
        if factor.axis is None:
            fixed = self._add(_Element(parent=carrier, before=pending))
            ball = _Element(parent=fixed, before=np.eye(4), coordinate=coordinate, sign=sign, is_rotation_vector=True)
            carrier = self._add(ball)
            if not is_free:
                frame = carrier if sign > 0.0 else fixed  # the side of the child
                self._add_axes(_Axes(first=coordinate, is_free=False, frame=frame, rotation=np.eye(3), point=frame, sign=sign))
            return carrier, np.array(anchor.inverse().matrix())
        rotation = rotation_from_z(factor.axis)
        element = _Element(
            parent=carrier,
            before=pending @ rotation,
            coordinate=coordinate,
            sign=sign,
            is_rotation=factor.is_rotation,
            translation=factor.translation,
        )
        return self._add(element), rotation.T @ anchor.inverse().matrix()  # the transpose is the inverse of the rotation

    def _add_free_joint(self, model: Model, label: str, joint: Joint, first: int, last: int, sign: float) -> None:
        """Add the axes of a free joint, which are those of the parent body, or of the world, between two elements."""
        parent_end, child_end = (first, last) if sign > 0.0 else (last, first)
        outer = pose_parent_joint(model, joint)
        if joint.parent is None:
            outer = model.pose @ outer
        self._add_axes(
            _Axes(
                first=self._numbers[JointPosition(joint=label, coordinate=0)],
                is_free=True,
                frame=parent_end,
                rotation=np.array(outer.matrix())[:3, :3].T,
                point=child_end,
                sign=sign,
            )
        )

    def _add_axes(self, axes: _Axes) -> None:
        self._axes.append(axes)
        for column in axes.columns:
            self._before[column] = self._moved_by[axes.frame]

    # Evaluation

    def frames(self, x: Array) -> Array:
        """Return the frame behind each element, (elements, N, 4, 4) from the coordinates (N, coordinates)."""
        count = len(x)
        result = np.empty((len(self._elements), count, 4, 4))
        for start in range(0, count, _BLOCK):
            self._write_frames(x[start : start + _BLOCK], result[:, start : start + _BLOCK])
        return result

    def _write_frames(self, x: Array, result: Array) -> None:
        result[_WORLD] = np.eye(4)
        if not len(self._basis):
            return
        values = x.T[self._columns] * self._signs[:, None] if x.shape[1] else np.zeros((len(self._basis), len(x)))
        parts = elementary_transforms(values, self._basis)
        for number in self._rotating:
            element = self._elements[number]
            assert element.coordinate is not None  # noqa: S101  # rotation vectors move
            vectors = element.sign * x[:, element.coordinate : element.coordinate + 3]
            parts[number - 1, :, :3, :3] = parts[number - 1, :, :3, :3] @ exponential(vectors)
        for number, element in enumerate(self._elements[1:], start=1):
            if element.parent == _WORLD:
                result[number] = parts[number - 1]
            else:
                np.matmul(result[element.parent], parts[number - 1], out=result[number])

    def body_frames(self, frames: Array, numbers: Sequence[int] | None = None) -> Array:
        """Return the frames of bodies in the world, (bodies, N, 4, 4), from those of the elements.

        Args:
            frames: What :meth:`frames` returns.
            numbers: Numbers of the bodies; all if not given.
        """
        chosen = slice(None) if numbers is None else list(numbers)
        return np.asarray(frames[self._owners[chosen]] @ self._afters[chosen][:, None])

    def twists(self, frames: Array) -> Twists:
        """Return the relative twists of all coordinates, from the frames of the elements."""
        shape = (frames.shape[1], len(self.coordinates), 3)
        found = Twists(angular=np.zeros(shape), linear=np.zeros(shape), points=np.zeros(shape))
        elements = frames[self._scalar_elements]
        z = elements[:, :, :3, 2].swapaxes(0, 1)
        found.angular[:, self._scalar_columns] = z * self._scalar_spins[:, None]
        found.linear[:, self._scalar_columns] = z * self._scalar_translations[:, None]
        found.points[:, self._scalar_columns] = elements[:, :, :3, 3].swapaxes(0, 1)
        for one in self._axes:
            axes = (one.sign * frames[one.frame][:, :3, :3] @ one.rotation).swapaxes(1, 2)
            found.angular[:, one.first : one.first + 3] = axes
            found.points[:, list(one.columns)] = frames[one.point][:, None, :3, 3]
            if one.is_free:
                found.linear[:, one.first + 3 : one.first + 6] = axes
        return found

    @property
    def has_rotation_vectors(self) -> bool:
        """Whether velocities of some coordinates are not their rates."""
        return bool(self._axes)

    def rotation_vector_columns(self) -> set[int]:
        """Return the numbers of the coordinates whose velocities are not their rates."""
        return {column for one in self._axes for column in one.columns}

    def rate_matrices(self, x: Array) -> Array:
        """Return the matrices from rates of coordinates to their velocities, (N, coordinates, coordinates)."""
        result = np.tile(np.eye(len(self.coordinates)), (len(x), 1, 1))
        for one in self._axes:
            rotation = slice(one.first, one.first + 3)
            if not one.is_free:
                result[:, rotation, rotation] = right_jacobian(x[:, rotation])
                continue
            translation = slice(one.first + 3, one.first + 6)
            joint_axes = one.rotation.T
            result[:, rotation, rotation] = joint_axes @ right_jacobian(-x[:, rotation])  # the left Jacobian
            result[:, translation, translation] = joint_axes
        return result

    @property
    def rotation_vectors(self) -> list[tuple[int, Array | None]]:
        """Number of the first coordinate of each rotation vector.

        For a free joint the second value is the rotation matrix from axes of the parent body to those of the joint frame.
        """
        return [(one.first, one.rotation if one.is_free else None) for one in self._axes]

    @property
    def free_joints(self) -> list[tuple[int, float]]:
        """Number of the first coordinate of each free joint, and -1 if it is reversed in the tree, else 1."""
        return [(one.first, one.sign) for one in self._axes if one.is_free]


def _masks(sets: Sequence[frozenset[int]], count: int) -> Array:
    result = np.zeros((len(sets), count))
    for row, members in zip(result, sets, strict=True):
        row[list(members)] = 1.0
    return result
