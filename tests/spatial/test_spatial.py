"""Laws of positions and rotations, against SciPy-free closed forms and each other."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossature.spatial import (
    IDENTITY,
    EulerOrder,
    Pose,
    Vector3,
    conjugate,
    cross,
    dot,
    euler_from_quaternion,
    matrix_from,
    multiply,
    norm,
    normalized,
    perpendicular,
    pose_from,
    quaternion_from_axis_angle,
    quaternion_from_euler,
    quaternion_from_matrix,
    quaternion_from_rotation_vector,
    rotate,
    rotation_matrix,
    rotation_vector_from_quaternion,
    unit,
)

angles = st.floats(-4.0, 4.0)
lengths = st.floats(-10.0, 10.0)
vectors = st.tuples(lengths, lengths, lengths)
triples = st.tuples(angles, angles, angles)
orders = st.sampled_from(["xyz", "zyx"])
poses = st.builds(lambda p, a: Pose.from_euler(p, a), vectors, triples)
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def elementary(axis: str, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


@given(triples, orders)
def test_euler_angles_are_elementary_turns(euler: Vector3, order: EulerOrder) -> None:
    expected = np.eye(3)
    for axis, angle in zip(order, euler, strict=True):
        expected = expected @ elementary(axis, angle)
    np.testing.assert_allclose(rotation_matrix(quaternion_from_euler(euler, order)), expected, atol=1e-14)


@given(triples, orders, st.booleans())
def test_euler_angles_come_back(euler: Vector3, order: EulerOrder, pole: bool) -> None:
    if pole:
        euler = (euler[0], math.copysign(math.pi / 2.0, euler[1]), euler[2])
    wxyz = quaternion_from_euler(euler, order)
    again = quaternion_from_euler(euler_from_quaternion(wxyz, order), order)
    np.testing.assert_allclose(rotation_matrix(again), rotation_matrix(wxyz), atol=1e-14)


@given(vectors, triples)
def test_a_pose_keeps_the_angles_it_was_given(position: Vector3, euler: Vector3) -> None:
    assert Pose.from_euler(position, euler).euler() in (euler, (0.0, 0.0, 0.0))


def test_stale_angles_do_not_count() -> None:
    pose = Pose.from_euler((0.0, 0.0, 0.0), (0.1, 0.2, 0.3))
    other = Pose(pose.position, quaternion_from_euler((0.5, 0.0, 0.0)), pose.spelling)
    assert other.euler() == pytest.approx((0.5, 0.0, 0.0))


@given(poses, poses, vectors)
def test_composition(a: Pose, b: Pose, point: Vector3) -> None:
    np.testing.assert_allclose((a @ b).matrix(), a.matrix() @ b.matrix(), atol=1e-12)
    np.testing.assert_allclose((a @ b).transform(point), a.transform(b.transform(point)), atol=1e-11)
    np.testing.assert_allclose((a @ a.inverse()).matrix(), np.eye(4), atol=1e-12)
    assert (a @ IDENTITY) == a


@given(triples)
def test_rotation_vectors_come_back(vector: Vector3) -> None:
    wxyz = quaternion_from_rotation_vector(vector)
    again = quaternion_from_rotation_vector(rotation_vector_from_quaternion(wxyz))
    np.testing.assert_allclose(rotation_matrix(again), rotation_matrix(wxyz), atol=1e-14)
    if 0.0 < norm(vector) < math.pi:
        np.testing.assert_allclose(rotation_vector_from_quaternion(wxyz), vector, atol=1e-14, rtol=1e-12)


@given(triples)
def test_matrices_come_back(euler: Vector3) -> None:
    rows = rotation_matrix(quaternion_from_euler(euler))
    np.testing.assert_allclose(rotation_matrix(quaternion_from_matrix(rows)), rows, atol=1e-14)


@given(vectors)
def test_unit_is_idempotent(vector: Vector3) -> None:
    if norm(vector) < sys.float_info.min:
        with pytest.raises(ValueError, match="no direction"):
            unit(vector)
        return
    once = unit(vector)
    assert norm(once) == pytest.approx(1.0, abs=1e-15)
    assert unit(once) == once


@given(triples, angles)
def test_normalized_is_idempotent(vector: Vector3, w: float) -> None:
    wxyz = (w, *vector)
    if math.hypot(*wxyz) < sys.float_info.min:
        with pytest.raises(ValueError, match="no rotation"):
            normalized(wxyz)
        return
    once = normalized(wxyz)
    assert normalized(once) == once


@given(vectors)
def test_perpendicular(vector: Vector3) -> None:
    if norm(vector) > 1e-6:
        other = perpendicular(vector)
        assert dot(other, unit(vector)) == pytest.approx(0.0, abs=1e-12)
        assert norm(cross(other, unit(vector))) == pytest.approx(1.0)


@given(triples, vectors)
def test_turning_back(euler: Vector3, vector: Vector3) -> None:
    wxyz = quaternion_from_euler(euler)
    np.testing.assert_allclose(rotate(conjugate(wxyz), rotate(wxyz, vector)), vector, atol=1e-13)
    assert multiply(wxyz, conjugate(wxyz)) == pytest.approx((1.0, 0.0, 0.0, 0.0), abs=1e-15)


@given(angles)
def test_axis_and_angle(angle: float) -> None:
    for name, axis in AXES.items():
        np.testing.assert_allclose(
            rotation_matrix(quaternion_from_axis_angle(axis, angle)), elementary(name, angle), atol=1e-15
        )


def test_rows_of_arrays_become_tuples_of_python_numbers() -> None:
    pose = pose_from(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0, 0.0]))
    assert pose == Pose((1.0, 2.0, 3.0), (0.0, 1.0, 0.0, 0.0))
    assert {type(value) for value in (*pose.position, *pose.wxyz)} == {float}
    assert matrix_from(np.eye(3)) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    with pytest.raises(ValueError, match="unpack"):
        pose_from(np.zeros(2), np.zeros(4))
