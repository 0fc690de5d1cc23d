"""Data that checks share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.checks._shapes_and_sizes import radius_around
from ossature.diagnostics import Limits, Location
from ossature.diagnostics.resource_limits import DEFAULT_LIMITS
from ossature.kinematics import (
    FormulaError,
    LoopSizeError,
    Mobility,
    MobilityError,
    Tree,
    mobility_of,
    spanning_tree,
    with_initial_coupled_positions,
)
from ossature.kinematics.principal_inertia import PrincipalInertia, has_own_joint, principal_inertia
from ossature.model import Body, Collision, Geometry, Mesh, MeshData, Model, Plane, TriangleMesh, Visual, World
from ossature.model.element_fields import elements
from ossature.model.shape_mass_properties import mesh_mass_properties, shape_mass_properties
from ossature.spatial import norm, subtract


@dataclass(slots=True)
class CheckContext:
    """Data that checks share, computed on demand.

    Attributes:
        meshes: Where meshes come from.
        opens_meshes: Whether mesh files are opened, not only found.
    """

    meshes: MeshStore
    opens_meshes: bool = False
    limits: Limits = DEFAULT_LIMITS
    _trees: dict[int, Tree] = field(default_factory=dict)
    _inertias: dict[int, PrincipalInertia | None] = field(default_factory=dict)
    _own_joints: dict[int, dict[str, bool]] = field(default_factory=dict)
    _mobilities: dict[int, Mobility | None] = field(default_factory=dict)
    _loop_size_errors: dict[int, LoopSizeError] = field(default_factory=dict)
    _elements: dict[int, list[tuple[str, Any, Location | None]]] = field(default_factory=dict)

    def elements(self, world: World) -> list[tuple[str, Any, Location | None]]:
        """Return each element of a World with its path and location, computed once; see
        :func:`ossature.model.element_fields.elements`."""
        if id(world) not in self._elements:
            self._elements[id(world)] = list(elements(world))
        return self._elements[id(world)]

    def tree(self, model: Model) -> Tree:
        """Return a model's spanning tree, computed once."""
        if id(model) not in self._trees:
            self._trees[id(model)] = spanning_tree(model)
        return self._trees[id(model)]

    def principal_inertia(self, body: Body) -> PrincipalInertia | None:
        """Return a body's principal inertia, computed once, or None if it is not specified or not finite."""
        if body.inertial.moment is None:
            return None
        if id(body) not in self._inertias:
            self._inertias[id(body)] = principal_inertia(np.array(body.inertial.moment), body.inertial.mass)
        return self._inertias[id(body)]

    def radius_around(self, geometry: Geometry) -> float | None:
        """Return the radius of the bounding sphere around a shape's frame [m]; None if its mesh is not opened or unreadable."""
        if not isinstance(geometry, Mesh):
            return radius_around(geometry)
        triangles = self._triangles(geometry)
        return None if triangles is None else float(np.linalg.norm(triangles.vertices, axis=1).max())

    def largest_shape_distance(self, body: Body) -> float | None:
        """Return the largest distance of the shapes from the centre of mass [m], or None if it is unknown."""
        farthest = 0.0
        shapes: tuple[Visual | Collision, ...] = (*body.visuals, *body.collisions)
        for shape in shapes:
            around = self.radius_around(shape.geometry)
            if isinstance(shape.geometry, Plane) or around is None:
                return None
            farthest = max(farthest, norm(subtract(shape.pose.position, body.inertial.center_of_mass)) + around)
        return farthest if farthest > 0.0 and math.isfinite(farthest) else None

    def volume(self, geometry: Geometry) -> float:
        """Return the volume of a shape [m³]; zero if its mesh is not opened or unreadable."""
        if not isinstance(geometry, Mesh | TriangleMesh):
            return shape_mass_properties(geometry).volume
        triangles = self._triangles(geometry)
        return 0.0 if triangles is None else mesh_mass_properties(triangles, convex=geometry.convex).volume

    def surface_area(self, mesh: Mesh | TriangleMesh) -> float | None:
        """Return the area of all triangles of a mesh [m²], or None if it is not opened or unreadable."""
        triangles = self._triangles(mesh)
        if triangles is None:
            return None
        first, second, third = (triangles.vertices[triangles.faces[:, corner]] for corner in range(3))
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.linalg.norm(np.cross(second - first, third - first), axis=1).sum() / 2.0)

    def _triangles(self, geometry: Mesh | TriangleMesh) -> MeshData | None:
        if not self.opens_meshes:
            return None
        try:
            return self.meshes.triangles(geometry)
        except AssetError:  # another check reports it
            return None

    def has_own_joint(self, model: Model, body: Body) -> bool:
        """Whether a body is floating or has a parent joint with degrees of freedom."""
        if model.static:
            return False
        if id(model) not in self._own_joints:
            self._own_joints[id(model)] = has_own_joint(self.tree(model))
        return self._own_joints[id(model)].get(body.name, True)

    def mobility(self, model: Model) -> Mobility | None:
        """Return a model's mobility, computed once; None if it cannot be computed, which other checks report."""
        if id(model) not in self._mobilities:
            try:
                self._mobilities[id(model)] = mobility_of(model, self.tree(model), self.limits)
            except (FormulaError, MobilityError):
                self._mobilities[id(model)] = None
            except LoopSizeError as error:
                self._mobilities[id(model)] = None
                self._loop_size_errors[id(model)] = error
        return self._mobilities[id(model)]

    def loop_size_error(self, model: Model) -> LoopSizeError | None:
        """Return the error of a model whose loops are too large for the analysis of its mobility, or None."""
        self.mobility(model)
        return self._loop_size_errors.get(id(model))

    def at_start(self, model: Model) -> Model:
        """Return a model with initial positions of coupled joints; unchanged if they cannot be computed."""
        try:
            return with_initial_coupled_positions(model)
        except FormulaError:
            return model

    def moving_bodies(self, model: Model) -> set[str]:
        """Return the names of the bodies that can move."""
        return set() if model.static else self.tree(model).moving_bodies()
