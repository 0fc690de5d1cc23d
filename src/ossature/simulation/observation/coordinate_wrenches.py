"""Wrenches of rotational springs and motors without a guide, which act on coordinates of joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import IntegerArray, Vector
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.wrench_pairs import Pairs, no_pairs
from ossature.spatial import Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class _SharedCoordinate:
    """A rotational spring, or a motor without a guide, that acts on the coordinate of a joint.

    Attributes:
        actuator: Engine id of the actuator, or None.
        equality: Engine id of the equality that drives it, or None.
        body: Engine id of the body of the point.
        point: The point of the force, in the frame of that body.
    """

    joint: int
    actuator: int | None = None
    equality: int | None = None
    body: int = 0
    point: Vector3 = (0.0, 0.0, 0.0)


class CoordinateForces:
    """Forces of rotational springs and motors without a guide on coordinates of joints, not included in their reactions."""

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self._model, self._data = compiled.model, data
        self._acting = [*self._springs(compiled), *self._motors(compiled)]
        self._driven = {shared.joint: row for row, shared in enumerate(self._acting) if shared.equality is not None}
        self._pairs = no_pairs()

    def _springs(self, compiled: EngineModel) -> Iterator[_SharedCoordinate]:
        model = compiled.model
        for spring in compiled.elements.springs:
            actuator = spring.actuator.id
            if model.actuator_trntype[actuator] == mujoco.mjtTrn.mjTRN_JOINT:
                yield _SharedCoordinate(joint=int(model.actuator_trnid[actuator, 0]), actuator=actuator)

    def _motors(self, compiled: EngineModel) -> Iterator[_SharedCoordinate]:
        joints_of_models = set(_engine_joints_of_models(compiled))
        for built in compiled.elements.motors:
            if built.joint is None or built.equality is None or built.joint.id not in joints_of_models:
                continue
            name, point = built.motor.body1, built.motor.pose.position
            body = 0 if name is None else compiled.index.bodies[built.model][name].number
            if name is None:
                point = compiled.grasp_plan.world.models[built.model].pose.transform(point)
            yield _SharedCoordinate(joint=built.joint.id, equality=built.equality.id, body=body, point=point)

    def has(self, joint: int) -> bool:
        """Whether a motor acts on an engine joint."""
        return joint in self._driven

    def of_motor(self, joint: int) -> tuple[Vector, Vector]:
        """Return force and torque of the motor that acts on an engine joint, on its child."""
        row = self._driven[joint]
        return self._pairs.forces[row], self._pairs.torques[row]

    def pairs(self, forces: Vector) -> Pairs:
        """Return the wrenches on the child bodies of the joints.

        Args:
            forces: The forces and torques of all actuators.
        """
        if not self._acting:
            return self._pairs
        model, data = self._model, self._data
        bodies = model.jnt_bodyid[[shared.joint for shared in self._acting]]
        efforts = np.zeros((len(self._acting), 6))
        points = np.zeros((len(self._acting), 3))
        for row, shared in enumerate(self._acting):
            is_hinge = model.jnt_type[shared.joint] == mujoco.mjtJoint.mjJNT_HINGE
            efforts[row, 3 if is_hinge else 0 :][:3] = self._effort(shared, forces) * data.xaxis[shared.joint]
            points[row] = data.xpos[shared.body] + data.xmat[shared.body].reshape(3, 3) @ shared.point
        self._pairs = Pairs(bodies, model.body_parentid[bodies], points, points, efforts[:, :3], efforts[:, 3:])
        return self._pairs

    def _effort(self, shared: _SharedCoordinate, forces: Vector) -> float:
        if shared.actuator is not None:
            return float(forces[shared.actuator] * self._model.actuator_gear[shared.actuator, 0])
        return float(self._data.efc_force[equality_rows(self._data, shared.equality)].sum())


def _engine_joints_of_models(compiled: EngineModel) -> Iterator[int]:
    """Yield the ids of engine joints that represent joints of models, not motors or constraints."""
    model = compiled.model
    for index in compiled.index.all_joints():
        if index.dof_count:
            yield from np.unique(model.dof_jntid[index.dof : index.dof + index.dof_count]).tolist()


def equality_rows(data: mujoco.MjData, equality: int | None) -> IntegerArray:
    """Return the rows of an equality among the engine's constraint rows, of which equalities come first."""
    return np.flatnonzero(data.efc_id[: data.ne] == equality)
