"""Inertia of bodies whose file does not state it, inferred from their shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.kinematics.massless_bodies import fixed_children, is_massless
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import Body, Collision, Geometry, Inertial, Mesh, Model, NamedList, TriangleMesh, Visual, World
from ossature.model.shape_mass_properties import MassProperties, mesh_mass_properties, shape_mass_properties
from ossature.spatial import Matrix3, matrix_from, rotation_matrix, vector_from

_Array: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

DEFAULT_DENSITY = 1000.0
"""Density of inferred inertia [kg/m³]: that of water, which is about the mean of robot arms, and the default of MuJoCo."""
LEAST_MASS = 1e-3
"""Mass of a body without volume [kg]."""
LEAST_MOMENT = 4e-8
"""Least inferred principal moment [kg·m²]: that of the least mass as a sphere with a radius of 1 cm."""

_NO_MOMENT = ((0.0, 0.0, 0.0),) * 3


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredInertia:
    """The inertia that was inferred for a body.

    Attributes:
        model: Name of its model.
        body: The body, with the inferred inertia.
        source: From what it follows, for messages.
        unavailable: Meshes that could not be used, each with the reason.
    """

    model: str
    body: Body
    source: str
    unavailable: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The values, for people."""
        inertial = self.body.inertial
        moments = np.linalg.eigvalsh(np.array(inertial.moment))
        values = f"{inertial.mass:.4g} kg, centre of mass {' '.join(f'{value:.4g}' for value in inertial.center_of_mass)} m"
        text = f"body '{self.body.name}': {values}, principal moments {' '.join(f'{value:.4g}' for value in moments)} kg·m²"
        return f"{text}, {self.source}" + "".join(f"; {reason}" for reason in self.unavailable)


def infer_inertia(
    world: World, *, density: float = DEFAULT_DENSITY, meshes: MeshStore | None = None
) -> tuple[World, tuple[InferredInertia, ...]]:
    """Return a World whose bodies with shapes have inertia, and what was inferred.

    A body without mass gets that of its collision shapes, or of its visual shapes if it has none, as homogeneous solids;
    overlaps count twice. A body with a mass and without moments of inertia keeps its mass and centre of mass, and gets moments.
    A mesh that encloses no volume counts as its convex hull. A body whose shapes have no positive, finite mass gets
    :data:`LEAST_MASS`, and so does one without shapes if a joint moves it and nothing else; all other bodies without shapes
    remain massless.

    Args:
        world: The World. Its static models do not change.
        density: Density of all shapes [kg/m³].
        meshes: The mesh store; by default meshes are found relative to the World's file.

    Raises:
        ValueError: The density is not positive.
    """
    if not 0.0 < density < float("inf"):
        raise ValueError(f"the density must be positive, not {density:g} kg/m³")
    store = meshes or MeshStore.of(world)
    inferred: list[InferredInertia] = []
    models = [model if model.static else _with_inertia(model, density, store, inferred) for model in world.models]
    return (replace(world, models=NamedList(models)), tuple(inferred)) if inferred else (world, ())


def _with_inertia(model: Model, density: float, meshes: MeshStore, inferred: list[InferredInertia]) -> Model:
    found = [_inferred(model.name, body, density, meshes) for body in model.bodies]
    bodies = [body if one is None else one.body for body, one in zip(model.bodies, found, strict=True)]
    known = [one for one in found if one is not None]
    tree = spanning_tree(replace(model, bodies=NamedList(bodies)))
    carried = fixed_children(tree)
    numbers = {body.name: number for number, body in reversed(list(enumerate(bodies)))}
    for branch in tree.branches:
        body, inboard = branch.body, branch.inboard
        is_moved = inboard is None or inboard.degrees_of_freedom > 0
        if is_moved and is_massless(body) and body.name not in carried:
            least = InferredInertia(model=model.name, body=_with_least_inertia(body), source="the least, without shapes")
            bodies[numbers[body.name]] = least.body
            known.append(least)
    inferred += known
    return replace(model, bodies=NamedList(bodies)) if known else model


def inertial_of_solids(
    collisions: Sequence[Collision], densities: Sequence[float], meshes: MeshStore
) -> tuple[Inertial | None, list[str]]:
    """Return the inertia of collision shapes as homogeneous solids with densities [kg/m³], and the unavailable meshes.

    It is None if they have no volume. A mesh that encloses no volume counts as its convex hull.
    """
    density_of = dict(zip(map(id, collisions), densities, strict=True))
    parts, _, unavailable = _properties(collisions, meshes)
    return _combined([(part, shape, density_of[id(shape)]) for part, shape in parts]), unavailable


def _inferred(model: str, body: Body, density: float, meshes: MeshStore) -> InferredInertia | None:
    specified = body.inertial
    lacks_mass, lacks_moment = is_massless(body), specified.mass > 0.0 and specified.moment == _NO_MOMENT
    if not (lacks_mass or lacks_moment):
        return None
    for kind, shapes in (("collision shapes", body.collisions), ("visual shapes", body.visuals)):
        if shapes:
            parts, hulls, unavailable = _properties(shapes, meshes)
            inertial = _combined([(part, shape, density) for part, shape in parts])
            if inertial is None:
                continue
            source = f"from {kind} at {density:g} kg/m³" + (f", {hulls} of them as convex hulls" if hulls else "")
            if lacks_moment:
                factor = specified.mass / inertial.mass
                source = f"moments from {kind}, for the stated mass" + (f", {hulls} of them as convex hulls" if hulls else "")
                moment = _scaled(inertial.moment or _NO_MOMENT, factor)
                if not np.isfinite(moment).all():
                    continue
                inertial = replace(specified, moment=moment)
            return InferredInertia(
                model=model, body=replace(body, inertial=inertial), source=source, unavailable=tuple(unavailable)
            )
    if not (body.collisions or body.visuals):
        return None
    if lacks_moment:
        return None
    source = "the least, because its shapes have no positive, finite mass"
    return InferredInertia(model=model, body=_with_least_inertia(body), source=source)


def _properties(
    shapes: Sequence[Visual | Collision], meshes: MeshStore
) -> tuple[list[tuple[MassProperties, Visual | Collision]], int, list[str]]:
    """Return the properties of shapes with a volume, the number of convex hulls, and the meshes that are unavailable."""
    parts, unavailable = [], []
    for shape in shapes:
        try:
            properties = _shape_properties(shape.geometry, meshes)
        except AssetError as error:
            unavailable.append(f"without the mesh {error.uri}: {error.reason}")
            continue
        if 0.0 < properties.volume < float("inf") and np.isfinite(properties.moment).all():
            parts.append((properties, shape))
    return parts, sum(properties.is_hull for properties, _ in parts), unavailable


def _shape_properties(geometry: Geometry, meshes: MeshStore) -> MassProperties:
    if isinstance(geometry, Mesh | TriangleMesh):
        return mesh_mass_properties(meshes.triangles(geometry), convex=geometry.convex)
    return shape_mass_properties(geometry)


def _combined(parts: Sequence[tuple[MassProperties, Visual | Collision, float]]) -> Inertial | None:
    """Return the inertia of several shapes with densities together, in the frame of their body.

    It is None if there are none, and if a mass or a moment has no finite positive number.
    """
    if not parts:
        return None
    with np.errstate(all="ignore"):  # what overflows is not finite
        mass, middle, moment = _sum_of_parts(parts)
    if not (0.0 < mass < float("inf") and np.isfinite(middle).all() and np.isfinite(moment).all()):
        return None
    return Inertial(mass=mass, center_of_mass=vector_from(middle), moment=_rows(moment + _floor(moment)))


def _sum_of_parts(parts: Sequence[tuple[MassProperties, Visual | Collision, float]]) -> tuple[float, _Array, _Array]:
    """Return the mass, the center of mass and the moment about it of shapes with densities, in the frame of their body."""
    placed = []
    for properties, shape, density in parts:
        R = np.array(rotation_matrix(shape.pose.wxyz))
        center = np.array(shape.pose.position) + R @ np.array(properties.center_of_mass)
        placed.append((np.float64(density) * properties.volume, center, density * R @ np.array(properties.moment) @ R.T))
    mass = np.sum([part for part, _, _ in placed])
    middle = np.sum([part * center for part, center, _ in placed], axis=0) / mass
    moment = np.zeros((3, 3))
    for part, center, own in placed:
        d = center - middle
        moment += own + part * (d @ d * np.eye(3) - np.outer(d, d))
    return float(mass), middle, moment


def _floor(moment: _Array) -> _Array:
    """Return what is missing to the least principal moment, for thin or tiny shapes."""
    return max(0.0, LEAST_MOMENT - float(np.linalg.eigvalsh(moment)[0])) * np.eye(3)


def _rows(moment: _Array) -> Matrix3:
    return matrix_from((moment + moment.T) / 2.0)


def _scaled(moment: Matrix3, factor: float) -> Matrix3:
    with np.errstate(over="ignore", invalid="ignore"):
        return _rows(factor * np.array(moment))


def _with_least_inertia(body: Body) -> Body:
    moment = ((LEAST_MOMENT, 0.0, 0.0), (0.0, LEAST_MOMENT, 0.0), (0.0, 0.0, LEAST_MOMENT))
    return replace(body, inertial=replace(body.inertial, mass=LEAST_MASS, moment=moment))
