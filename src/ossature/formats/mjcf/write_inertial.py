"""Writer of masses and inertia tensors, as exact as MuJoCo's compiler accepts them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ossature.array_types import Array
from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Ledger
from ossature.formats.mjcf.attribute_text import numbers_text
from ossature.formats.mjcf.write_context import quaternion_text
from ossature.kinematics import default_moment_of_inertia
from ossature.kinematics.principal_inertia import principal_inertia
from ossature.model import Body, Mesh, MujocoBody, TriangleMesh, hint_of
from ossature.spatial import ZERO3, Quaternion, quaternion_from_matrix, rotation_matrix
from ossature.syntax.xml import XmlNode, comment, element

SMALLEST_INERTIA = 1e-14
"""Least mass [kg] and moment of inertia [kg·m²] of a body that moves; MuJoCo refuses less than 1e-15."""
_EXACT_FULL_INERTIA = 1e-3
"""Least largest entry of a tensor that is written as it is: MuJoCo's principal axes neglect 1e-12 kg·m² [kg·m²]."""
_MARGIN = 1e-9
"""Least share by which the triangle inequality holds for such a tensor."""


def write_inertial(body: Body, path: str, meshes: MeshStore, ledger: Ledger, *, needs_inertia: bool) -> list[XmlNode]:
    """Return the ``<inertial>`` element of a body, after a comment if it is approximated; nothing for an empty frame.

    Args:
        path: Its path in the World.
        meshes: The mesh store, for moments that the file does not specify.
        ledger: Receives what MuJoCo does not accept.
        needs_inertia: Whether the body moves and no other body fixed to it has mass, so that MuJoCo requires inertia.
    """
    mass, moment = _finite_inertia(body, path, meshes, ledger)
    if mass == 0.0 and not moment.any() and not needs_inertia:
        center = body.inertial.center_of_mass
        record_massless(body, path, ledger)
        if not body.visuals and not body.collisions and body.soft_skin is None and center == ZERO3:
            return []
        # Without it, MuJoCo would give the body the mass of its geoms.
        return [element("inertial", {"pos": numbers_text(center), "mass": "0", "diaginertia": "0 0 0"})]
    notes: list[str] = []
    least = SMALLEST_INERTIA if needs_inertia else 0.0
    if mass < least:
        ledger.approximated(f"{path}.inertial.mass", _MINIMUM, error=least - mass, before=f"{mass:g} kg", after=f"{least:g} kg")
        mass = least
    if not moment.any() and least:
        notes.append(f"no inertia is stated, MuJoCo requires some: {least:g}")
    attributes = {"pos": numbers_text(body.inertial.center_of_mass), "mass": numbers_text([mass])}
    hint = hint_of(body, MujocoBody)
    stated = None if hint is None or hint.principal_axes is None else _stated_axes(moment, hint.principal_axes, least)
    attributes |= stated or _tensor_attributes(moment, path, least, ledger, notes)
    return [*map(comment, notes), element("inertial", attributes)]


def record_massless(body: Body, path: str, ledger: Ledger) -> None:
    """Record that the moment of inertia of a body without mass, which is not stated, is read again as zero."""
    if body.inertial.moment is None:
        ledger.rewritten(f"{path}.inertial.moment", "not stated for a body without mass: zero in MuJoCo")


_MINIMUM = "MuJoCo requires inertia of bodies that move"


def _finite_inertia(body: Body, path: str, meshes: MeshStore, ledger: Ledger) -> tuple[float, Array]:
    """Return mass and tensor of a body; zero instead of numbers that are not finite, and of a negative mass."""
    mass = body.inertial.mass
    if not (math.isfinite(mass) and mass >= 0.0):
        ledger.dropped(f"{path}.inertial.mass", "MuJoCo accepts no such mass: zero is written", before=f"{mass:g} kg")
        mass = 0.0
    moment = _moment(body, path, meshes, ledger) if mass or body.inertial.moment is not None else np.zeros((3, 3))
    if not np.isfinite(moment).all():
        ledger.dropped(f"{path}.inertial.moment", "a moment of inertia is not finite: zero is written")
        moment = np.zeros((3, 3))
    if not all(map(math.isfinite, body.inertial.center_of_mass)):
        ledger.dropped(f"{path}.inertial", "the centre of mass is not finite: the body is written without inertia")
        return 0.0, np.zeros((3, 3))
    asymmetry = float(np.abs(moment - moment.T).max())
    if asymmetry:
        ledger.approximated(f"{path}.inertial.moment", "asymmetric tensor: its symmetric part is written", error=asymmetry)
    return mass, _without_rounding(moment / 2.0 + moment.T / 2.0)


def _without_rounding(moment: Array) -> Array:
    """Return a tensor without the rounding errors of a rotation: to 15 significant digits of its largest entry."""
    largest = float(np.abs(moment).max())
    if not 0.0 < largest < math.inf:
        return moment
    digits = _DIGITS - 1 - math.floor(math.log10(largest))
    return np.round(moment, digits) + 0.0 if digits < _MOST_DECIMALS else moment


_DIGITS = 15
_MOST_DECIMALS = 300


def _moment(body: Body, path: str, meshes: MeshStore, ledger: Ledger) -> Array:
    if body.inertial.moment is None:
        ledger.rewritten(f"{path}.inertial.moment", "computed from the shapes")
    try:
        return np.array(default_moment_of_inertia(body, meshes))
    except AssetError as error:
        ledger.approximated(f"{path}.inertial.moment", f"computed without a mesh, which is unavailable: {error.reason}")
    visuals = tuple([shape for shape in body.visuals if not isinstance(shape.geometry, Mesh | TriangleMesh)])
    collisions = tuple([shape for shape in body.collisions if not isinstance(shape.geometry, Mesh | TriangleMesh)])
    return np.array(default_moment_of_inertia(replace(body, visuals=visuals, collisions=collisions), meshes))


def _stated_axes(moment: Array, wxyz: Quaternion, least: float) -> dict[str, str] | None:
    """Return the moments about principal axes that sensors measure; None if the axes are not principal ones of the tensor."""
    axes = np.array(rotation_matrix(wxyz))
    tensor = axes.T @ moment @ axes
    moments = nearest_accepted_moments(np.diag(tensor), least)
    if np.abs(tensor - np.diag(moments)).max() > _ROUNDING * np.abs(moments).max():
        return None
    return {"diaginertia": numbers_text(moments), "quat": quaternion_text(wxyz)}


def _tensor_attributes(moment: Array, path: str, least: float, ledger: Ledger, notes: list[str]) -> dict[str, str]:
    is_diagonal = not np.any(moment - np.diag(np.diag(moment)))
    inertia = principal_inertia(moment)
    if inertia is None:  # the numbers overflow
        ledger.dropped(f"{path}.inertial.moment", "the principal moments of inertia are not finite: zero is written")
        return {"diaginertia": numbers_text([least] * 3)}
    smallest, middle, largest = inertia.moments
    has_margin = smallest >= max(least, _MARGIN * largest) and smallest + middle - largest >= _MARGIN * largest
    if not is_diagonal and has_margin and np.abs(moment).max() >= _EXACT_FULL_INERTIA:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = moment.tolist()
        return {"fullinertia": numbers_text((xx, yy, zz, xy, xz, yz))}
    principal = np.diag(moment).copy() if is_diagonal else np.array(inertia.moments)
    accepted = nearest_accepted_moments(principal, least)
    with np.errstate(over="ignore"):
        error = float(np.abs(accepted - principal).max())
    if error > _ROUNDING * np.abs(principal).max():
        before, after = (f"{' '.join(f'{value:.6g}' for value in values)} kg·m²" for values in (principal, accepted))
        detail = "MuJoCo requires positive principal moments A, B, C with A + B ≥ C: the nearest are written"
        ledger.approximated(f"{path}.inertial.moment", detail, error=error, before=before, after=after)
        if principal.any():
            notes.append(f"nearest to {before}, which MuJoCo refuses")
    attributes = {"diaginertia": numbers_text(accepted)}
    if not is_diagonal:
        first, second, third = inertia.axes.tolist()
        attributes["quat"] = quaternion_text(quaternion_from_matrix((tuple(first), tuple(second), tuple(third))))
    return attributes


_ROUNDING = 1e-12


def nearest_accepted_moments(moments: Array, least: float) -> Array:
    """Return the nearest principal moments that MuJoCo's compiler accepts: at least ``least``, and A + B ≥ C."""
    accepted = np.maximum(moments, least)
    low, middle, high = np.argsort(accepted)
    excess = accepted[high] - (accepted[low] + accepted[middle])
    if excess > 0.0:
        if excess > _ROUNDING * accepted[high]:
            accepted[low] += excess / 3.0
            accepted[middle] += excess / 3.0
        accepted[high] = accepted[low] + accepted[middle]
    return accepted
