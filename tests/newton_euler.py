"""The balance of forces and momentum of each body, from what a simulation reports and the model states alone.

All that is reported of a body, which are reactions, force elements, loads, contacts and its weight, is summed up and compared
with the rate of its momentum by central differences of recorded velocities. Nothing of the engine is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ossature.assets import MeshStore
from ossature.kinematics.default_moment_of_inertia import default_moment_of_inertia
from ossature.model import LoadKind, Model, World
from ossature.simulation import BodyState, Simulation
from ossature.spatial import Pose, Vector3

Vector = NDArray[np.float64]
States = dict[str, dict[str, BodyState]]


@dataclass(frozen=True)
class Imbalance:
    """How far the forces on a body are from the rate of its momentum.

    Attributes:
        body: Names of model and body.
        force: The difference of forces, over the largest force on the body (at least 1 N for a kilogram).
        torque: That of torques about the centre of mass, over the largest torque (at least that of the force at 0.1 m).
    """

    body: tuple[str, str]
    force: float
    torque: float


class Balance:
    """Sums up what is reported of each body of a simulation.

    Args:
        simulation: The simulation, at the instant that is looked at.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._world, self._states = simulation.world, simulation.body_states()
        self._reactions, self._elements = simulation.reactions(), simulation.elements()
        self._wrenches: dict[tuple[str, str], list[tuple[Vector, Vector]]] = {}
        for model in self._world.models:
            self._add_model(model)
        for contact in simulation.contact_forces():
            force, torque, point = np.array(contact.force), np.array(contact.torque), np.array(contact.position)
            self._add(contact.bodies[1], point, force, torque)
            self._add(contact.bodies[0], point, -force, -torque)

    def _add(self, body: tuple[str, str | None], point: Vector, force: Vector, torque: Vector) -> None:
        model, name = body
        if name is None:
            return
        arm = point - self._center(self._states, model, name)
        self._wrenches.setdefault((model, name), []).append((force, torque + np.cross(arm, force)))

    def _pose(self, model: Model, body: str | None) -> Pose:
        if body is None:
            return model.pose
        state = self._states[model.name][body]
        return Pose(state.position, state.wxyz)

    def _place(self, model: Model, body: str | None, point: Vector3) -> Vector:
        return np.array(self._pose(model, body).transform(point))

    def _turned(self, model: Model, body: str | None, direction: Vector3) -> Vector:
        return np.array(Pose(wxyz=self._pose(model, body).wxyz).transform(direction))

    def _center(self, states: States, model: str, body: str) -> Vector:
        state = states[model][body]
        pose = Pose(state.position, state.wxyz)
        return np.array(pose.transform(self._world.models[model].bodies[body].inertial.center_of_mass))

    # Forces

    def _add_model(self, model: Model) -> None:
        reactions, elements = self._reactions.get(model.name, {}), self._elements.get(model.name, {})
        for joint in model.joints:
            if joint.name in reactions:
                self._add_pair(model, (joint.child, joint.parent), joint.pose.position, reactions[joint.name])
        for motor in model.motors:
            if motor.name in reactions:
                self._add_pair(model, (motor.body1, motor.body2), motor.pose.position, reactions[motor.name])
        for bushing in model.bushings:
            bodies = (bushing.body1, bushing.body2)
            self._add_pair(model, bodies, bushing.pose.position, reactions[bushing.name], bushing.pose)
        for constraint in model.constraints:
            if constraint.name in reactions:
                bodies = (constraint.body1, constraint.body2)
                self._add_pair(model, bodies, constraint.point1, reactions[constraint.name])
        self._add_springs(model, elements)
        for load in model.loads:
            if load.name not in elements:
                continue
            at = self._place(model, load.body if load.applied_at_body_point else None, load.point)
            vector, none = next(iter(elements[load.name].values())), np.zeros(3)
            force, torque = (vector, none) if load.kind is LoadKind.FORCE else (none, vector)
            self._add((model.name, load.body), at, force, torque)

    def _add_pair(
        self,
        model: Model,
        bodies: tuple[str | None, str | None],
        point: Vector3,
        reaction: dict[str, Vector],
        at_second: Pose | None = None,
    ) -> None:
        """Add a wrench on the first body, and the opposite one on the second: at its own point where there is a pose."""
        first, second = bodies
        at = self._place(model, first, point)
        self._add((model.name, first), at, reaction["force"], reaction["torque"])
        if at_second is not None:
            on_second = model.body_pose(second).inverse() @ model.body_pose(first) @ at_second
            at = self._place(model, second, on_second.position)
        self._add((model.name, second), at, -reaction["force"], -reaction["torque"])

    def _add_springs(self, model: Model, elements: dict[str, dict[str, Vector]]) -> None:
        for spring in model.spring_dampers:
            if spring.name not in elements:
                continue
            ends = self._place(model, spring.body1, spring.point1), self._place(model, spring.body2, spring.point2)
            line = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            force = elements[spring.name]["force"] * line
            self._add((model.name, spring.body2), ends[1], force, np.zeros(3))
            self._add((model.name, spring.body1), ends[0], -force, np.zeros(3))
        for spring in model.rotational_spring_dampers:
            if spring.name not in elements:
                continue
            torque = elements[spring.name]["torque"] * self._turned(model, spring.body1, spring.axis)
            self._add((model.name, spring.body2), np.zeros(3), np.zeros(3), torque)
            self._add((model.name, spring.body1), np.zeros(3), np.zeros(3), -torque)

    # Momentum

    def imbalances(self, before: States, after: States, time: float) -> Iterator[Imbalance]:
        """Yield how far each body is from its balance.

        Args:
            before: The states of bodies some time before.
            after: Those that time after.
            time: How long it is from one to the other [s].
        """
        for model in self._world.models:
            if model.static:
                continue
            for body in model.bodies:
                momenta = [self._momenta(states, model.name, body.name) for states in (before, after)]
                force, torque = ((late - early) / time for early, late in zip(*momenta, strict=True))
                own = self._wrenches.get((model.name, body.name), [])
                weight = body.inertial.mass * np.array(self._world.gravity) * float(body.gravity)
                forces = [weight, -force, *(one for one, _ in own)]
                torques = [-torque, *(one for _, one in own)]
                # Bodies without mass, weight and load have nothing to compare but rounding.
                largest_force = max(*np.linalg.norm(forces, axis=1), body.inertial.mass, 1e-6)
                largest_torque = max(*np.linalg.norm(torques, axis=1), 0.1 * largest_force, 1e-6)
                yield Imbalance(
                    (model.name, body.name),
                    float(np.linalg.norm(sum(forces)) / largest_force),
                    float(np.linalg.norm(sum(torques)) / largest_torque),
                )

    def _momenta(self, states: States, model: str, name: str) -> tuple[Vector, Vector]:
        body, state = self._world.models[model].bodies[name], states[model][name]
        rotation = np.array(Pose(wxyz=state.wxyz).matrix())[:3, :3]
        spin = rotation @ state.angular_velocity_body
        arm = rotation @ body.inertial.center_of_mass
        moment = (
            body.inertial.moment
            if body.inertial.moment is not None
            else default_moment_of_inertia(body, MeshStore.of(self._world))
        )
        velocity = np.array(state.linear_velocity) + np.cross(spin, arm)
        return body.inertial.mass * velocity, rotation @ np.array(moment) @ state.angular_velocity_body


def imbalances_after(world: World, time: float, step: float) -> list[Imbalance]:
    """Return the imbalances of all bodies at a time [s], with a step [s]."""
    simulation = Simulation(world, time_step=step)
    simulation.step(round(time / step))
    before = simulation.body_states()
    simulation.step()
    balance = Balance(simulation)
    simulation.step()
    return list(balance.imbalances(before, simulation.body_states(), 2.0 * step))
