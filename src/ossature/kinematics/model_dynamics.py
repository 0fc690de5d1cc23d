"""Rigid-body dynamics of a model on numpy arrays, available as ``ossature.Dynamics``.

The composite-rigid-body algorithm and the recursive Newton-Euler algorithm [1], in axes of the world about one point for each
configuration, so that the recursions are products with the masks of the tree, for all configurations at once.

1. R. Featherstone, "Rigid Body Dynamics Algorithms", Springer, 2008.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ossature.argument_types import number_array, typed_arguments
from ossature.array_types import Array
from ossature.assets import MeshStore, Resolver
from ossature.kinematics.batched_rotations import cross
from ossature.kinematics.coordinate_map import KinematicsError
from ossature.kinematics.default_moment_of_inertia import default_moment_of_inertia
from ossature.kinematics.massless_bodies import is_massless
from ossature.kinematics.model_kinematics import Kinematics
from ossature.model import Body, Model, World
from ossature.model.world import STANDARD_GRAVITY

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ossature.kinematics.batched_tree import BatchedTree


_SINGULAR = 1e-13


class Dynamics(Kinematics):
    """The equations of motion ``M(q) a + c(q, v) = τ`` of one model, for one state or many at once.

    They include the inertia of all bodies, gravity, and couplings of joints (mimic joints), of which the independent
    coordinates remain. They do **not** include armature (the inertia of rotors), damping, friction, springs, force elements,
    motors, contacts and limits, which :class:`ossature.Simulation` has: these forces are part of τ. Bodies whose file states no
    moments of inertia have those of their shapes, as in a simulation; massless bodies have none. Bodies of other models are not
    included, and bodies without a parent joint do not move.

    It is a :class:`ossature.Kinematics`, of which it has all attributes and methods; forces τ are power-conjugate to the
    velocities ``v`` [N·m or N].

    Attributes:
        mass: Mass of all bodies [kg].
        gravity: Gravitational acceleration [m/s²].
    """

    @typed_arguments
    def __init__(
        self,
        world: World | Model,
        model: str | None = None,
        *,
        gravity: ArrayLike | None = None,
        meshes: MeshStore | None = None,
    ) -> None:
        """Prepare a model.

        Args:
            world: The World, or the model itself.
            model: Name of the model; optional if only one has joints that move.
            gravity: Gravitational acceleration [m/s²]; by default that of the World, or standard gravity along -z.
            meshes: The store of meshes, for moments of inertia that the file does not state.

        Raises:
            KinematicsError: The model does not exist, there are several, or it grasps a body or has a soft body.
            FormulaError: A formula of a coupling names an unknown coordinate, or couplings are cyclic.
            AssetError: A mesh is needed for a moment of inertia and is unavailable.
        """
        super().__init__(world, model)
        own = self.model
        if isinstance(world, World) and any(grasp.link.model == own.name for grasp in world.grasps):
            raise KinematicsError(
                f"'{own.name}' grasps a body, whose inertia would be missing: remove the grasp with remove_grasp"
            )
        if any(body.soft_skin is not None for body in own.bodies):
            raise KinematicsError(f"'{own.name}' has a soft body: only rigid bodies are supported")
        specified = world.gravity if isinstance(world, World) else STANDARD_GRAVITY
        self.gravity = number_array("gravity", specified if gravity is None else gravity)
        if self.gravity.shape != (3,):
            raise KinematicsError(f"gravity is a vector of shape (3,), not {self.gravity.shape}")
        store = meshes or (MeshStore.of(world) if isinstance(world, World) else MeshStore(Resolver()))
        bodies = [own.bodies[name] for name in self.bodies]
        self._masses = np.array([body.inertial.mass for body in bodies])
        self._centers = np.array([body.inertial.center_of_mass for body in bodies]).reshape(-1, 3)
        self._moments = np.array([_moment_of(body, store) for body in bodies]).reshape(-1, 3, 3)
        self._has_weight = np.array([float(body.gravity) for body in bodies])
        self.mass = float(self._masses.sum())

    def __repr__(self) -> str:
        return f"Dynamics({self.model.name!r}: {len(self)} coordinates, {self.mass:g} kg)"

    # Equations of motion

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return the symmetric mass matrix M, (..., n, n) from configurations (..., n)."""
        flat, lead = self._flat(q)
        at = self._at(flat)
        return (at.G.swapaxes(1, 2) @ at.composite_mass_matrix() @ at.G).reshape(*lead, len(self), len(self))

    def bias_forces(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the forces c that hold for ``a = 0``: Coriolis, centrifugal and gravitational ones, shape (..., n).

        Args:
            q: Configurations, shape (..., n).
            v: Velocities, shape (..., n).
        """
        return self.inverse_dynamics(q, v, np.zeros(len(self)))

    def gravity_forces(self, q: ArrayLike) -> Array:
        """Return the forces that hold the model against gravity, (..., n) from configurations (..., n)."""
        zero = np.zeros(len(self))
        return self.inverse_dynamics(q, zero, zero)

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Return the forces τ = M(q) a + c(q, v), shape (..., n).

        Args:
            q: Configurations, shape (..., n).
            v: Velocities, shape (..., n).
            a: Accelerations, the rates of ``v``, shape (..., n).

        Raises:
            KinematicsError: A shape is wrong.
            FormulaError: A formula of a coupling has no value.
        """
        (flat, velocities, accelerations), lead = self._broadcast(q=q, v=v, a=a)
        at = self._at(flat)
        forces = at.forces(velocities, accelerations)
        return (forces[:, None] @ at.G)[:, 0].reshape(*lead, len(self))

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations a, the rates of ``v``, at given forces, shape (..., n).

        Args:
            q: Configurations, shape (..., n).
            v: Velocities, shape (..., n).
            tau: Forces, shape (..., n) [N·m or N].

        Raises:
            KinematicsError: A shape is wrong, the mass matrix is singular, or the model has closed loops.
            FormulaError: A formula of a coupling has no value.
        """
        if self.has_loops:
            raise KinematicsError("forward dynamics of closed loops is not supported: use ossature.Simulation")
        (flat, velocities, forces), lead = self._broadcast(q=q, v=v, tau=tau)
        at = self._at(flat)
        M = at.G.swapaxes(1, 2) @ at.composite_mass_matrix() @ at.G
        bias = (at.forces(velocities, np.zeros_like(velocities))[:, None] @ at.G)[:, 0]
        diagonal = np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2), 0.0))
        scale = np.where(diagonal > 0.0, diagonal, 1.0)
        scaled = M / scale[:, :, None] / scale[:, None]
        self._require_regular(scaled)
        rest = (forces - bias) / scale
        return (np.linalg.solve(scaled, rest[..., None])[..., 0] / scale).reshape(*lead, len(self))

    def _require_regular(self, matrices: Array) -> None:
        """Raise an error if a mass matrix, whose diagonal is scaled to one, is singular."""
        try:
            factors = np.linalg.cholesky(matrices)
            smallest = np.square(np.diagonal(factors, axis1=1, axis2=2)).min(initial=1.0)
        except np.linalg.LinAlgError:
            smallest = 0.0
        if smallest < _SINGULAR:
            raise KinematicsError(f"the mass matrix is singular: some coordinates of '{self.model.name}' move no mass")

    # Energy and momentum

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the kinetic energy [J], (...) from configurations and velocities (..., n)."""
        (flat, velocities), lead = self._broadcast(q=q, v=v)
        return (0.5 * (velocities[:, None] @ self.mass_matrix(flat) @ velocities[..., None])[:, 0, 0]).reshape(lead)

    def potential_energy(self, q: ArrayLike) -> Array:
        """Return the potential energy of gravity [J], zero for a body in the world's origin, (...) from (..., n)."""
        flat, lead = self._flat(q)
        centers = self._at(flat).centers
        weights = self._masses * self._has_weight
        return np.asarray(-np.einsum("b,bni,i->n", weights, centers, self.gravity)).reshape(lead)

    def center_of_mass(self, q: ArrayLike) -> Array:
        """Return the centre of mass of all bodies in the world [m], (..., 3) from configurations (..., n).

        Raises:
            KinematicsError: The model has no mass.
        """
        self._require_positive_total_mass()
        flat, lead = self._flat(q)
        return (np.tensordot(self._masses, self._at(flat).centers, 1) / self.mass).reshape(*lead, 3)

    def center_of_mass_jacobian(self, q: ArrayLike) -> Array:
        """Return the velocities of the centre of mass for a unit velocity of each coordinate, (..., 3, n) from (..., n)."""
        self._require_positive_total_mass()
        flat, lead = self._flat(q)
        at = self._at(flat)
        momenta, _ = at.composite_momenta()
        return (momenta.swapaxes(1, 2) @ at.G / self.mass).reshape(*lead, 3, len(self))

    def momentum(self, q: ArrayLike, v: ArrayLike, about: ArrayLike | None = None) -> Array:
        """Return the momentum of all bodies, shape (..., 6): linear [N·s], then angular [N·m·s], in axes of the world.

        Args:
            q: Configurations, shape (..., n).
            v: Velocities, shape (..., n).
            about: The point of the world to which the angular momentum refers [m], shape (3,); the centre of mass if not given.
        """
        (flat, velocities), lead = self._broadcast(q=q, v=v)
        at = self._at(flat)
        linear, angular = [(part.swapaxes(1, 2) @ (at.G @ velocities[..., None]))[..., 0] for part in at.composite_momenta()]
        point = self.center_of_mass(flat) if about is None else number_array("about", about)
        if point.shape[-1:] != (3,):
            raise KinematicsError(f"a point has the shape (3,), not {point.shape}")
        return np.concatenate([linear, angular + cross(at.origin - point, linear)], axis=1).reshape(*lead, 6)

    # Evaluation

    def _require_positive_total_mass(self) -> None:
        if not self.mass > 0.0:
            raise KinematicsError(f"'{self.model.name}' has no mass")

    def _broadcast(self, **arrays: ArrayLike) -> tuple[list[Array], tuple[int, ...]]:
        """Return arrays of one shape as (N, n), and their leading axes."""
        checked = [self._checked(values, name) for name, values in arrays.items()]
        try:
            lead = np.broadcast_shapes(*[one.shape for one in checked])[:-1]
        except ValueError as error:
            shapes = ", ".join(f"{name} {one.shape}" for name, one in zip(arrays, checked, strict=True))
            raise KinematicsError(f"the shapes do not fit: {shapes}") from error
        return [self._flat(np.broadcast_to(one, (*lead, one.shape[-1])))[0] for one in checked], lead

    def _at(self, q: Array) -> _DynamicsAt:
        x, frames, G = self._map.tree_state(q)
        tree = self._tree
        poses = tree.body_frames(frames)
        rotations = poses[:, :, :3, :3]
        centers = (rotations @ self._centers[:, None, :, None])[..., 0] + poses[:, :, :3, 3]
        origin = np.tensordot(self._masses, centers, 1) / self.mass if self.mass > 0.0 else np.zeros((len(q), 3))
        twists = tree.twists(frames)
        arms = centers - origin
        squares = np.einsum("bni,bni->bn", arms, arms)[..., None, None] * np.eye(3) - arms[..., :, None] * arms[..., None, :]
        return _DynamicsAt(
            tree=tree,
            x=x,
            G=G,
            bias=self._map.bias_velocities,
            origin=origin,
            centers=centers,
            angular=twists.angular,
            linear=twists.at(origin),
            joint_linear=twists.linear,
            masses=self._masses,
            firsts=self._masses[:, None, None] * arms,
            moments=rotations @ self._moments[:, None] @ rotations.swapaxes(-1, -2)
            + self._masses[:, None, None, None] * squares,
            gravity=self._has_weight[:, None, None] * self.gravity,
        )


@dataclass(slots=True, kw_only=True)
class _DynamicsAt:
    """A model at N configurations. All vectors are in axes of the world, and moments are about one point of each configuration.

    Attributes:
        x: The tree coordinates, shape (N, k).
        G: The velocities of the tree coordinates for a unit velocity of each coordinate, shape (N or 1, k, n).
        bias: Returns the rates of the tree velocities if the coordinates have no acceleration.
        origin: The point, shape (N, 3).
        centers: The centres of mass in the world, shape (bodies, N, 3).
        angular: The relative angular velocity for a unit velocity of each tree coordinate, shape (N, k, 3).
        linear: The relative velocity at the point, shape (N, k, 3).
        joint_linear: The relative velocity at the origin of each joint, shape (N, k, 3).
        masses: The masses, shape (bodies,).
        firsts: Masses times the positions of the centres of mass from the point, shape (bodies, N, 3).
        moments: Moments of inertia about the point, shape (bodies, N, 3, 3).
        gravity: The gravitational acceleration of each body, shape (bodies, 1, 3).
    """

    tree: BatchedTree
    x: Array
    G: Array
    bias: Callable[[Array, Array], Array]
    origin: Array
    centers: Array
    angular: Array
    linear: Array
    joint_linear: Array
    masses: Array
    firsts: Array
    moments: Array
    gravity: Array

    def composite_momenta(self) -> tuple[Array, Array]:
        """Return linear and angular momentum for a unit velocity of each tree coordinate, both (N, k, 3)."""
        moved = self.tree.body_masks.T
        masses = (moved @ self.masses)[:, None]
        firsts = np.tensordot(moved, self.firsts, 1).swapaxes(0, 1)
        moments = np.tensordot(moved, self.moments, 1).swapaxes(0, 1)
        momenta = masses * self.linear + cross(self.angular, firsts)
        return momenta, (moments @ self.angular[..., None])[..., 0] + cross(firsts, self.linear)

    def composite_mass_matrix(self) -> Array:
        """Return the mass matrix of the tree coordinates, (N, k, k), by the composite-rigid-body algorithm."""
        linear, angular = self.composite_momenta()
        products = linear @ self.linear.swapaxes(1, 2) + angular @ self.angular.swapaxes(1, 2)
        outward = self.tree.path_masks  # row: a coordinate; column: those that move its body
        lower = products * outward
        return np.asarray(lower + lower.swapaxes(1, 2) * (1.0 - outward))

    def forces(self, v: Array, a: Array) -> Array:
        """Return the forces at the tree coordinates, (N, k), by the recursive Newton-Euler algorithm.

        Args:
            v: Velocities of the coordinates, shape (N, n).
            a: Their accelerations, shape (N, n).
        """
        w = (self.G @ v[..., None])[..., 0]
        rates = (self.G @ a[..., None])[..., 0] + self.bias(self.x, w)
        moving = self.tree.body_masks
        spins, speeds = self.angular * w[..., None], self.linear * w[..., None]
        axis_spin, axis_speed = self.tree.before_masks @ spins, self.tree.before_masks @ speeds
        own_spins = cross(axis_spin, spins) + self.angular * rates[..., None]
        own_speeds = cross(axis_spin, speeds) + cross(axis_speed, spins) + self.linear * rates[..., None]
        for first, sign in self.tree.free_joints:  # their point moves relative to their axes
            moves = slice(first + 3, first + 6)
            shift = sign * (self.joint_linear[:, moves] * w[:, moves, None]).sum(axis=1)
            own_speeds[:, first : first + 3] += cross(shift[:, None], spins[:, first : first + 3])
        spin, speed, spin_rate, speed_rate = [(moving @ part).swapaxes(0, 1) for part in (spins, speeds, own_spins, own_speeds)]
        masses = self.masses[:, None, None]
        momentum = masses * speed + cross(spin, self.firsts)
        angular_momentum = (self.moments @ spin[..., None])[..., 0] + cross(self.firsts, speed)
        speed_rate = speed_rate - self.gravity
        force = masses * speed_rate + cross(spin_rate, self.firsts) + cross(spin, momentum)
        torque = (
            (self.moments @ spin_rate[..., None])[..., 0]
            + cross(self.firsts, speed_rate)
            + cross(spin, angular_momentum)
            + cross(speed, momentum)
        )
        force, torque = (np.tensordot(moving.T, part, 1).swapaxes(0, 1) for part in (force, torque))
        return np.asarray((self.linear * force + self.angular * torque).sum(axis=2))


def _moment_of(body: Body, meshes: MeshStore) -> Array:
    return np.zeros((3, 3)) if is_massless(body) else np.array(default_moment_of_inertia(body, meshes))
