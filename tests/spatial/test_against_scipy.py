"""Rotations are those of SciPy, an implementation by other people."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ossature.spatial import (
    EulerOrder,
    Quaternion,
    Vector3,
    euler_from_quaternion,
    multiply,
    quaternion_from_euler,
    quaternion_from_rotation_vector,
    rotate,
    rotation_matrix,
    rotation_vector_from_quaternion,
)

angles = st.floats(-4.0, 4.0)
triples = st.tuples(angles, angles, angles)
orders = st.sampled_from(["xyz", "zyx"])
rotations = triples.map(quaternion_from_rotation_vector)


def scipy_rotation(wxyz: Quaternion) -> Rotation:
    w, x, y, z = wxyz
    return Rotation.from_quat([x, y, z, w])


def assert_same(wxyz: Quaternion, expected: Rotation) -> None:
    np.testing.assert_allclose(rotation_matrix(wxyz), expected.as_matrix(), atol=1e-14)


@given(triples, orders)
def test_from_euler_angles(euler: Vector3, order: EulerOrder) -> None:
    # Capital letters are SciPy's for turning axes.
    assert_same(quaternion_from_euler(euler, order), Rotation.from_euler(order.upper(), euler))


@given(rotations, orders)
def test_to_euler_angles(wxyz: Quaternion, order: EulerOrder) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # SciPy warns at the poles
        expected = scipy_rotation(wxyz).as_euler(order.upper())
    found = euler_from_quaternion(wxyz, order)
    if abs(abs(expected[1]) - np.pi / 2.0) > 1e-3:
        np.testing.assert_allclose(np.exp(1j * np.array(found)), np.exp(1j * expected), atol=1e-11)
    assert_same(quaternion_from_euler(found, order), scipy_rotation(wxyz))


@given(triples)
def test_rotation_vectors(vector: Vector3) -> None:
    wxyz = quaternion_from_rotation_vector(vector)
    assert_same(wxyz, Rotation.from_rotvec(vector))
    assert_same(wxyz, Rotation.from_rotvec(rotation_vector_from_quaternion(wxyz)))


@given(rotations, rotations, triples)
def test_products_and_turned_vectors(a: Quaternion, b: Quaternion, vector: Vector3) -> None:
    assert_same(multiply(a, b), scipy_rotation(a) * scipy_rotation(b))
    np.testing.assert_allclose(rotate(a, vector), scipy_rotation(a).apply(vector), atol=1e-13)
