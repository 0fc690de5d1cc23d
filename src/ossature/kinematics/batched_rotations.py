"""Rotations in batches, as arrays; :mod:`ossature.spatial` has the functions for single ones."""

from __future__ import annotations

import numpy as np

from ossature.array_types import Array

_MIN_HALF_COSINE = 0.05  # of cos(θ/2): smaller near θ = π
_SMALL = 1e-4
_BELOW, _ABOVE = [7, 2, 3], [5, 6, 1]  # indices in a flattened matrix of the pairs whose differences are the skew part


def cross(a: Array, b: Array) -> Array:
    """Return the cross products along the last axis; faster than numpy's for short vectors."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    first = ay * bz - az * by
    result = np.empty((*first.shape, 3))
    result[..., 0] = first
    result[..., 1] = az * bx - ax * bz
    result[..., 2] = ax * by - ay * bx
    return result


def skew(v: Array) -> Array:
    """Return the skew-symmetric matrices of vectors, (..., 3, 3) from (..., 3)."""
    result = np.zeros((*v.shape[:-1], 9))
    result[..., _BELOW], result[..., _ABOVE] = v, -v
    return result.reshape(*v.shape, 3)


def exponential(v: Array) -> Array:
    """Return the rotation matrices of rotation vectors [rad], (..., 3, 3) from (..., 3)."""
    sine, cosine, _ = _rotation_series(v)
    k = skew(v)
    return np.asarray(np.eye(3) + sine[..., None, None] * k + cosine[..., None, None] * (k @ k))


def right_jacobian(v: Array) -> Array:
    """Return the right Jacobians of SO(3): from rates of rotation vectors to angular velocities in body axes, (..., 3, 3)."""
    _, cosine, rest = _rotation_series(v)
    k = skew(v)
    return np.asarray(np.eye(3) - cosine[..., None, None] * k + rest[..., None, None] * (k @ k))


def _rotation_series(v: Array) -> tuple[Array, Array, Array]:
    """Return sin θ / θ, (1 - cos θ) / θ² and (θ - sin θ) / θ³ of vectors of length θ."""
    squared = np.sum(v * v, axis=-1)
    small = squared < _SMALL
    safe = np.where(small, 1.0, squared)
    angle = np.sqrt(safe)
    sine = np.where(small, 1.0 - squared / 6.0 + squared**2 / 120.0, np.sin(angle) / angle)
    cosine = np.where(small, 0.5 - squared / 24.0 + squared**2 / 720.0, (1.0 - np.cos(angle)) / safe)
    rest = np.where(small, 1.0 / 6.0 - squared / 120.0 + squared**2 / 5040.0, (angle - np.sin(angle)) / (safe * angle))
    return sine, cosine, rest


def chords(matrices: Array) -> Array:
    """Return the axes of rotation matrices times the chords of their angles, 2·sin(θ/2), (N, 3) from (N, 3, 3).

    This is twice the vector part of the unit quaternion: its length increases up to θ = π, and it needs no trigonometry.
    """
    flat = matrices.reshape(-1, 9)
    sine_axes = 0.5 * (flat[:, _BELOW] - flat[:, _ABOVE])
    half_cosines = half_angle_cosines(matrices)
    result = sine_axes / np.maximum(half_cosines, _MIN_HALF_COSINE)[:, None]
    is_near_pi = half_cosines < _MIN_HALF_COSINE
    if is_near_pi.any():
        sizes = 2.0 * np.sqrt(1.0 - half_cosines[is_near_pi] ** 2)
        result[is_near_pi] = sizes[:, None] * _axes_near_pi(matrices[is_near_pi], sine_axes[is_near_pi])
    return np.asarray(result)


def logarithm(matrices: Array) -> Array:
    """Return the rotation vectors [rad] of rotation matrices, of at most the length π, (..., 3) from (..., 3, 3)."""
    flat = matrices.reshape(-1, 3, 3)
    chord = chords(flat)
    sines = 0.5 * np.linalg.norm(chord, axis=1)
    angles = 2.0 * np.arctan2(sines, half_angle_cosines(flat))
    factors = np.where(sines > 0.0, 0.5 * angles / np.where(sines > 0.0, sines, 1.0), 1.0)
    return np.asarray(chord * factors[:, None]).reshape(matrices.shape[:-1])


def half_angle_cosines(matrices: Array) -> Array:
    """Return cos(θ/2) of rotation matrices, (N,) from (N, 3, 3)."""
    traces = matrices[:, 0, 0] + matrices[:, 1, 1] + matrices[:, 2, 2]
    return np.asarray(0.5 * np.sqrt(np.maximum(traces + 1.0, 0.0)))


def _axes_near_pi(matrices: Array, sine_axes: Array) -> Array:
    """Return the axes of rotations near θ = π from the symmetric part of the matrices: the skew part is nearly zero there."""
    symmetric = 0.5 * (matrices + matrices.swapaxes(1, 2))
    cosines = 0.5 * (np.trace(matrices, axis1=1, axis2=2) - 1.0)[:, None, None]
    outer = symmetric - cosines * np.eye(3)
    largest = np.argmax(np.diagonal(outer, axis1=1, axis2=2), axis=1)
    axes = outer[np.arange(len(outer)), largest]
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    is_opposite = np.sum(axes * sine_axes, axis=1) < 0.0
    return np.asarray(np.where(is_opposite[:, None], -axes, axes))


def chord_jacobians(vectors: Array, half_cosines: Array) -> Array:
    """Return the matrices from angular velocities in fixed axes to rates of :func:`chords`, (N, 3, 3)."""
    half = -0.5 * vectors
    result = np.empty((len(vectors), 9))
    result[:, _BELOW], result[:, _ABOVE] = half, -half
    result[:, ::4] = half_cosines[:, None]
    return result.reshape(-1, 3, 3)
