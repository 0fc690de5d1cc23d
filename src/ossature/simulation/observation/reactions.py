"""Reactions of joints, motors, bushings and constraints, from the wrenches on the engine's bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.model.unique_names import unique_labels
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.force_elements import CompiledBushing, CompiledConstraint, CompiledMotor
from ossature.simulation.observation.body_wrenches import BodyWrenches
from ossature.simulation.observation.rows_of_vectors import cross, rotated
from ossature.spatial import Vector3

if TYPE_CHECKING:
    Wrench = tuple[Vector, Vector]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A connection that transmits a force between two bodies.

    Attributes:
        name: The name of its reaction.
        body: Engine id of the body on which the reaction acts.
        point: The point of the reaction, in the frame of that body.
        moved: Engine id of the body whose wrench from its parent is the reaction, or None.
        sign: 1 if that is the body on which the reaction acts, or a clone of it, else -1.
        wrench: Returns a further force and torque at the point, or None.
    """

    model: str
    name: str
    body: int
    point: Vector3
    moved: int | None = None
    sign: float = 1.0
    wrench: Callable[[], Wrench] | None = None


class Reactions:
    """Computes the reactions of joints, motors, bushings and constraints."""

    def __init__(self, compiled: EngineModel, data: mujoco.MjData, wrenches: BodyWrenches) -> None:
        self._compiled, self._model = compiled, compiled.model
        self._data, self._wrenches = data, wrenches
        self._root = np.array(compiled.model.body_rootid)
        sources = [*self._joint_sources(), *self._motor_sources(), *self._bushing_sources(), *self._constraint_sources()]
        self._labels = unique_labels((source.model, kind, source.name) for kind, source in sources)
        self._sources = [source for _, source in sources]
        self._bodies = np.array([source.body for source in self._sources], dtype=np.intp)
        self._points = np.array([source.point for source in self._sources]).reshape(-1, 3)
        self._moved = np.array([source.moved or 0 for source in self._sources], dtype=np.intp)
        self._signs = np.array([0.0 if source.moved is None else source.sign for source in self._sources])[:, None]
        self._extra_wrenches = [(row, one.wrench) for row, one in enumerate(self._sources) if one.wrench is not None]

    def of(self, transmitted: Vector) -> dict[str, dict[str, dict[str, Vector]]]:
        """Return force and torque, by model, name and ``force`` or ``torque``.

        Args:
            transmitted: The wrench on each of the engine's bodies by its parent.
        """
        data = self._data
        points = data.xpos[self._bodies] + rotated(data.xmat[self._bodies], self._points)
        wrenches = self._signs * transmitted[self._moved]
        forces = wrenches[:, 3:]
        torques = wrenches[:, :3] + cross(data.subtree_com[self._root[self._moved]] - points, forces)
        for row, extra_wrench in self._extra_wrenches:
            force, torque = extra_wrench()
            forces[row] += force
            torques[row] += torque
        reactions: dict[str, dict[str, dict[str, Vector]]] = {}
        for (model, name), force, torque in zip(self._labels, forces, torques, strict=True):
            reactions.setdefault(model, {})[name] = {"force": force, "torque": torque}
        return reactions

    def _joint_sources(self) -> Iterator[tuple[str, _Source]]:
        for index in self._compiled.index.all_joints():
            source = self._source_of_joint(index)
            if source is not None:
                yield "joint", source

    def _source_of_joint(self, index: JointAddress) -> _Source | None:
        if self._compiled.grasp_plan.world.models[index.model].static or index.layout is JointLayout.FREE:
            return None
        body, point = self._engine_body_id(index.model, index.joint.child), index.joint.pose.position
        if index.layout is not JointLayout.DERIVED:
            sign = -1.0 if index.is_reversed else 1.0
            return _Source(model=index.model, name=index.joint.name, body=body, point=point, moved=index.body, sign=sign)
        equality = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_EQUALITY, f"{index.model}/{index.joint.name}")
        if equality < 0:
            return None  # both bodies are fixed
        wrench = self._constraint_wrench(equality)
        return _Source(model=index.model, name=index.joint.name, body=body, point=point, wrench=wrench)

    def _motor_sources(self) -> Iterator[tuple[str, _Source]]:
        for built in self._compiled.elements.motors:
            yield "motor", self._source_of_motor(built)

    def _source_of_motor(self, built: CompiledMotor) -> _Source:
        motor = built.motor
        body, point = (
            self._engine_body_id(built.model, motor.body1),
            self._point_on_body(built.model, motor.body1, motor.pose.position),
        )
        moved, wrench, sign = None, None, 1.0
        if built.joint is None:
            wrench = None if built.actuator is None else self._site_wrench([built.actuator.id])
        else:
            child = int(self._model.jnt_bodyid[built.joint.id])
            sign = 1.0 if self._is_body_or_clone(child, body) else -1.0
            if self._wrenches.coordinates.has(built.joint.id):
                wrench = self._coordinate_wrench(built.joint.id, sign)
            else:
                moved = child
        return _Source(model=built.model, name=motor.name, body=body, point=point, moved=moved, sign=sign, wrench=wrench)

    def _bushing_sources(self) -> Iterator[tuple[str, _Source]]:
        for built in self._compiled.elements.bushings:
            yield "bushing", self._source_of_bushing(built)

    def _source_of_bushing(self, built: CompiledBushing) -> _Source:
        bushing = built.bushing
        body = self._engine_body_id(built.model, bushing.body1)
        point = self._point_on_body(built.model, bushing.body1, bushing.pose.position)
        wrench = self._site_wrench([actuator.id for actuator in built.actuators.values()])
        return _Source(model=built.model, name=bushing.name, body=body, point=point, wrench=wrench)

    def _constraint_sources(self) -> Iterator[tuple[str, _Source]]:
        for built in self._compiled.elements.constraints:
            yield "constraint", self._source_of_constraint(built)

    def _source_of_constraint(self, built: CompiledConstraint) -> _Source:
        constraint = built.constraint
        return _Source(
            model=built.model,
            name=constraint.name,
            body=self._engine_body_id(built.model, constraint.body1),
            point=self._point_on_body(built.model, constraint.body1, constraint.point1),
            moved=None if built.clone is None else built.clone.id,
            sign=1.0 if built.moves_first else -1.0,
            wrench=None if built.equality is None else self._constraint_wrench(built.equality.id),
        )

    def _engine_body_id(self, model: str, body: str | None) -> int:
        return 0 if body is None else self._compiled.index.bodies[model][body].number

    def _point_on_body(self, model: str, body: str | None, point: Vector3) -> Vector3:
        """Return a point in the frame of a body, or in the world if it is in the model's frame."""
        return point if body is not None else self._compiled.grasp_plan.world.models[model].pose.transform(point)

    def _is_body_or_clone(self, number: int, body: int) -> bool:
        name, other = self._model.body(body).name, self._model.body(number).name
        return number == body or bool(other.rpartition(" clone ")[0] == name)

    # Wrenches of constraints, sites and shared coordinates

    def _constraint_wrench(self, equality: int) -> Callable[[], Wrench]:
        return lambda: self._wrenches.on_constraint(equality)

    def _site_wrench(self, actuators: list[int]) -> Callable[[], Wrench]:
        rows = self._wrenches.actuators.rows_at_sites(actuators)
        return lambda: self._wrenches.actuators.at_sites(rows)

    def _coordinate_wrench(self, joint: int, sign: float) -> Callable[[], Wrench]:
        def wrench() -> Wrench:
            force, torque = self._wrenches.coordinates.of_motor(joint)
            return sign * force, sign * torque

        return wrench
