"""Projection of the specified velocities of bodies onto the joints and loops of a model.

Bodies of formats with absolute coordinates have velocities of their own, which joints may not allow. The velocities that a
simulation starts with are those after an impact without rebound: they minimize the kinetic energy of the differences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ossature.array_types import Array
from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError
from ossature.kinematics.batched_rotations import cross
from ossature.kinematics.initial_body_velocities import moves_at_start
from ossature.kinematics.model_dynamics import Dynamics
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import Floating, Joint, Model, NamedList
from ossature.model.unique_names import take_unique_name
from ossature.spatial import Vector3, vector_from

MOST_COORDINATES = 2000
"""Largest number of coordinates of a model: the time of a projection increases with its third power, to some seconds."""

_REFINEMENTS = 3
"""Solutions of the linear equations, each for the rest of the one before: the result is rounded like its numbers."""
_NEGLIGIBLE = 1e-10
"""Smallest singular value of the loop equations, relative to the largest, that counts as a constraint."""


class ProjectionError(OssatureError):
    """The velocities of a model cannot be projected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectedVelocities:
    """Velocities of a model at the start that its joints and loops allow.

    Attributes:
        joints: The velocities of the joints of the spanning tree, by the label of their connection.
        linear: The velocity of the centre of mass of each body, in axes of the model [m/s].
        angular: The angular velocity of each body, in its own axes [rad/s].
        changes_linear: The change of each body's velocity from the specified one [m/s].
        changes_angular: The change of its angular velocity [rad/s].
    """

    joints: Mapping[str, tuple[float, ...]]
    linear: Mapping[str, Vector3]
    angular: Mapping[str, Vector3]
    changes_linear: Mapping[str, float]
    changes_angular: Mapping[str, float]


def project_velocities(model: Model, meshes: MeshStore) -> ProjectedVelocities:
    """Return the velocities of joints and bodies that come closest to the specified ones.

    Bodies that specify no velocity have that of the joints, which is zero if these specify none either.

    Raises:
        ProjectionError: The model has too many coordinates.
        OssatureError: The dynamics of the model are not defined, such as those of a soft body.
    """
    return _VelocityProjection(_with_free_roots(model), meshes).project()


def _with_free_roots(model: Model) -> Model:
    """Return a model in which bodies without an inboard joint have a free joint."""
    names = set(model.joints.names())
    roots = [branch.body.name for branch in spanning_tree(model).branches if branch.inboard is None]
    joints = [Joint(name=take_unique_name(f"{name} root", names), type=Floating(), parent=None, child=name) for name in roots]
    return replace(model, joints=NamedList([*model.joints, *joints])) if joints else model


class _VelocityProjection(Dynamics):
    """The dynamics of a model at its initial configuration."""

    def __init__(self, model: Model, meshes: MeshStore) -> None:
        count = sum(branch.inboard.degrees_of_freedom for branch in spanning_tree(model).branches if branch.inboard)
        if count > MOST_COORDINATES:
            raise ProjectionError(f"'{model.name}' has {count} coordinates, more than {MOST_COORDINATES}")
        super().__init__(model, meshes=meshes)
        self._state = self._at(self.initial[None])
        self._mass_matrix = self.mass_matrix(self.initial)
        self._axes = np.array(model.pose.matrix())[:3, :3]

    def project(self) -> ProjectedVelocities:
        v = self._initial_velocities()
        spins, speeds = self._body_velocities(v)
        wanted_spins, wanted_speeds = self._specified_velocities(spins, speeds)
        for _ in range(_REFINEMENTS):
            momentum = self._generalized_momentum(wanted_spins - spins, wanted_speeds - speeds)
            v = v + self._solve(momentum[:, None])[:, 0]
            spins, speeds = self._body_velocities(v)
        v = self._close_loops(v)
        spins, speeds = self._body_velocities(v)
        rotations = self._tree.body_frames(self._tree.frames(self._state.x))[:, 0, :3, :3]
        own = (rotations.swapaxes(1, 2) @ spins[..., None])[..., 0]
        return ProjectedVelocities(
            joints=self._joint_velocities(v),
            linear=self._by_body(speeds @ self._axes),
            angular=self._by_body(own),
            changes_linear=dict(zip(self.bodies, np.linalg.norm(speeds - wanted_speeds, axis=1).tolist(), strict=True)),
            changes_angular=dict(zip(self.bodies, np.linalg.norm(spins - wanted_spins, axis=1).tolist(), strict=True)),
        )

    def _by_body(self, rows: Array) -> dict[str, Vector3]:
        return {name: vector_from(row) for name, row in zip(self.bodies, rows.tolist(), strict=True)}

    def _initial_velocities(self) -> Array:
        """Return the velocities of the independent coordinates that joints specify, shape (n,)."""
        joints = self._tree.joints
        values = [joints[one.joint].initial_velocities[one.coordinate] for one in self._map.variables]
        return np.array(values, dtype=np.float64)

    def _joint_velocities(self, v: Array) -> dict[str, tuple[float, ...]]:
        found: dict[str, list[float]] = {label: [] for label in self._tree.joints}
        for position, value in zip(self._tree.coordinates, (self._state.G[0] @ v).tolist(), strict=True):
            found[position.joint].append(value)
        return {label: tuple(values) for label, values in found.items()}

    def _body_velocities(self, v: Array) -> tuple[Array, Array]:
        """Return angular velocities, and velocities of the centres of mass, in axes of the world, both (bodies, 3)."""
        at = self._state
        rates = (at.G[0] @ v)[:, None]
        spins = self._tree.body_masks @ (at.angular[0] * rates)
        speeds = self._tree.body_masks @ (at.linear[0] * rates)
        return spins, speeds + cross(spins, at.centers[:, 0] - at.origin[0])

    def _specified_velocities(self, spins: Array, speeds: Array) -> tuple[Array, Array]:
        """Return the velocities that the bodies specify; others have the given ones."""
        spins, speeds = spins.copy(), speeds.copy()
        rotations = self._tree.body_frames(self._tree.frames(self._state.x))[:, 0, :3, :3]
        for number, name in enumerate(self.bodies):
            body = self.model.bodies[name]
            if moves_at_start(body):
                spins[number] = rotations[number] @ np.array(body.initial_angular_velocity_body)
                speeds[number] = self._axes @ np.array(body.initial_velocity)
        return spins, speeds

    def _generalized_momentum(self, spins: Array, speeds: Array) -> Array:
        """Return the momentum of bodies with given velocities in the independent coordinates, shape (n,)."""
        at = self._state
        arms = at.centers[:, 0] - at.origin[0]
        momenta = at.masses[:, None] * speeds
        # The moments of inertia are about the common origin; those velocities are of the centres of mass.
        about_center = momenta - at.masses[:, None] * cross(spins, arms)
        angular = (at.moments[:, 0] @ spins[..., None])[..., 0] + cross(arms, about_center)
        masks = self._tree.body_masks.T
        forces = ((masks @ momenta) * at.linear[0] + (masks @ angular) * at.angular[0]).sum(axis=1)
        return np.asarray(forces @ at.G[0])

    def _solve(self, momenta: Array) -> Array:
        """Return the velocities for momenta, shape (n, k); coordinates that move no mass do not move."""
        M = self._mass_matrix
        scale = np.sqrt(np.maximum(np.diagonal(M), 0.0))
        scale = np.where(scale > 0.0, scale, 1.0)
        scaled = M / scale[:, None] / scale
        try:
            np.linalg.cholesky(scaled)
            solution = np.linalg.solve(scaled, momenta / scale[:, None])
        except np.linalg.LinAlgError:
            solution = np.linalg.lstsq(scaled, momenta / scale[:, None], rcond=1e-13)[0]
        return np.asarray(solution / scale[:, None])

    def _close_loops(self, v: Array) -> Array:
        if not self.has_loops:
            return v
        J = self.loop_jacobian(self.initial)
        toward = self._solve(J.T)
        return np.asarray(v - toward @ np.linalg.lstsq(J @ toward, J @ v, rcond=_NEGLIGIBLE)[0])
