"""Compilation of spring-dampers, bushings, loads and motors of a model to actuators of the engine.

Each is compiled to actuators: of a tendon between two sites, of a joint, or of a site relative to a reference site. The
actuator has the terms that are linear in length and rate; the others are computed at each step and added by its control.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import mujoco

from ossature.diagnostics import Report
from ossature.model import (
    Bushing,
    ConstantFunction,
    DriveMode,
    Load,
    LoadKind,
    Model,
    Motor,
    MotorKinematics,
    RotationalSpringDamper,
    SpringDamper,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.simulation.compile import rules
from ossature.simulation.compile.engine_spec import (
    EngineSpec,
    SpecActuator,
    SpecBody,
    SpecJoint,
    SpecSite,
    SpecTendon,
    append,
)
from ossature.simulation.compile.equality_constraints import add_joint_equality
from ossature.simulation.compile.force_elements import (
    CompiledBushing,
    CompiledCoordinate,
    CompiledLoad,
    CompiledMoment,
    CompiledMotor,
    CompiledSpring,
    Elements,
)
from ossature.spatial import Pose, Vector3, dot, norm, quaternion_between, rotate, subtract

_PARALLEL = 1e-9


class ElementBuilder:
    """Adds the elements of one model to the engine.

    Args:
        bodies: The engine's bodies by name.
        moving: Names of the bodies that can move.
        coordinates: Hinges and slides between bodies.
        elements: Receives the compiled elements.
    """

    def __init__(
        self,
        spec: EngineSpec,
        model: Model,
        bodies: dict[str, SpecBody],
        moving: set[str],
        coordinates: Sequence[CompiledCoordinate],
        elements: Elements,
        report: Report,
    ) -> None:
        self._spec, self._model, self._bodies, self._moving = spec, model, bodies, moving
        self._coordinates, self._elements, self._report = coordinates, elements, report

    def add_all(self) -> None:
        """Add spring-dampers, bushings and loads; motors are added by :meth:`add_motor`."""
        for spring in self._model.spring_dampers:
            if self._are_present(spring.body1, spring.body2):
                self._add_spring(spring)
        for rotational in self._model.rotational_spring_dampers:
            if self._are_present(rotational.body1, rotational.body2):
                self._add_rotational(rotational)
        for bushing in self._model.bushings:
            if self._are_present(bushing.body1, bushing.body2):
                self._add_bushing(bushing)
        for load in self._model.loads:
            if self._are_present(load.body):
                self._add_load(load)

    def _are_present(self, *names: str | None) -> bool:
        """Whether bodies are in the engine; reactions of fixed ones include the forces of elements, too."""
        return all(name is None or name in self._bodies for name in names)

    def _pose_in_other_body(self, body: str | None, other: str | None, pose: Pose) -> Pose:
        """Return the pose in a body of a frame with a pose in another body, in the initial configuration."""
        return self._model.body_pose(body).inverse() @ self._model.body_pose(other) @ pose

    def site(self, label: str, body: str | None, pose: Pose) -> SpecSite:
        """Add a site to a body, or to the world in the model frame."""
        engine_body = self._spec.worldbody if body is None else self._bodies[body]
        pose_in_body = self._model.pose @ pose if body is None else pose
        name = f"{self._model.name}/{label}"
        return append(engine_body.sites, SpecSite(name=name, pos=pose_in_body.position, quat=pose_in_body.wxyz))

    def _add_actuator(self, label: str, kind: mujoco.mjtTrn, target: str) -> SpecActuator:
        name = f"{self._model.name}/{label}"
        return append(self._spec.actuators, SpecActuator(name=name, trntype=kind, target=target))

    def _add_site_actuator(self, label: str, site: SpecSite, reference: SpecSite | None, gear: Sequence[float]) -> SpecActuator:
        actuator = self._add_actuator(label, mujoco.mjtTrn.mjTRN_SITE, site.name)
        if reference is not None:
            actuator.refsite = reference.name
        actuator.gear = list(gear)
        return actuator

    # Spring-dampers

    def _add_spring(self, spring: SpringDamper) -> None:
        label = f"spring {spring.name}"
        ends = (
            self.site(f"{label}[1]", spring.body1, Pose(spring.point1)),
            self.site(f"{label}[2]", spring.body2, Pose(spring.point2)),
        )
        tendon = append(self._spec.tendons, SpecTendon(name=f"{self._model.name}/{label}"))
        for end in ends:
            tendon.wrap_site(end.name)
        free = spring.free_length if spring.free_length is not None else self._initial_length(spring)
        actuator = self._add_actuator(label, mujoco.mjtTrn.mjTRN_TENDON, tendon.name)
        damping = 0.0 if any(spring.degressivity) else spring.damping
        _make_linear(actuator, spring.preload + spring.stiffness * free, spring.stiffness, damping)
        self._elements.springs.append(
            CompiledSpring(model=self._model.name, spring=spring, actuator=actuator, free=free, tendon=tendon)
        )

    def _initial_length(self, spring: SpringDamper) -> float:
        first = self._model.body_pose(spring.body1).transform(spring.point1)
        return norm(subtract(self._model.body_pose(spring.body2).transform(spring.point2), first))

    def _add_rotational(self, spring: RotationalSpringDamper) -> None:
        label = f"rotational spring {spring.name}"
        axis = rotate(self._model.body_pose(spring.body1).wxyz, spring.axis)
        found = self.coordinate(spring.body1, spring.body2, axis, is_revolute=True)
        free = spring.free_angle or 0.0
        if found is None:
            self._add_rotational_between_sites(spring, label, axis, free)
            return
        # The angle is that of the second body relative to the first, the coordinate that of the child to the parent.
        sign = found[1] if found[0].child == spring.body2 else -found[1]
        actuator = self._add_actuator(label, mujoco.mjtTrn.mjTRN_JOINT, found[0].joint.name)
        actuator.gear = [sign, 0.0, 0.0, 0.0, 0.0, 0.0]
        offset = sign * found[0].start
        _make_linear(actuator, spring.preload + spring.stiffness * (free + offset), spring.stiffness, spring.damping)
        built = CompiledSpring(model=self._model.name, spring=spring, actuator=actuator, free=free, offset=offset)
        self._elements.springs.append(built)

    def _add_rotational_between_sites(self, spring: RotationalSpringDamper, label: str, axis: Vector3, free: float) -> None:
        pose = Pose(self._model.body_pose(spring.body1).transform(spring.point), quaternion_between(Z_AXIS, axis))
        site_first = self.site(f"{label}[1]", spring.body1, self._model.body_pose(spring.body1).inverse() @ pose)
        site_second = self.site(f"{label}[2]", spring.body2, self._model.body_pose(spring.body2).inverse() @ pose)
        actuator = self._add_site_actuator(label, site_second, site_first, (0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
        self._report.add(
            rules.ANGLE_UNWRAPPED_PER_STEP,
            f"{self._model.name}/{spring.name}: no joint between its bodies has its axis; the angle is unwrapped at each step",
            spring.origin,
            path=f"{self._model.name}/{spring.name}",
        )
        self._elements.springs.append(
            CompiledSpring(model=self._model.name, spring=spring, actuator=actuator, free=free, wraps=True)
        )

    def coordinate(
        self, body1: str | None, body2: str | None, axis: Vector3, *, is_revolute: bool
    ) -> tuple[CompiledCoordinate, float] | None:
        """Return the hinge or slide between two bodies along an axis in the model frame, and the sign of its direction."""
        for built in self._coordinates:
            if built.is_revolute is is_revolute and {built.child, built.parent} == {body1, body2}:
                along = dot(built.axis, axis)
                if abs(abs(along) - 1.0) < _PARALLEL:
                    return built, math.copysign(1.0, along)
        return None

    # Bushings

    def _add_bushing(self, bushing: Bushing) -> None:
        label = f"bushing {bushing.name}"
        pose_second = bushing.pose2 or self._pose_in_other_body(bushing.body2, bushing.body1, bushing.pose)
        site = self.site(f"{label}[1]", bushing.body1, bushing.pose)
        reference = self.site(f"{label}[2]", bushing.body2, pose_second)
        actuators = {}
        for component in range(6):
            stiffness, damping = bushing.stiffness[component], bushing.damping[component]
            if stiffness or damping:
                gear = [float(component == number) for number in range(6)]
                actuator = self._add_site_actuator(f"{label}[{component}]", site, reference, gear)
                _make_linear(actuator, 0.0, stiffness, damping)
                actuators[component] = actuator
        ancestor = self._common_ancestor(bushing.body1, bushing.body2)
        if ancestor is not None:
            self._add_moment_of_bushing(label, (site, reference), actuators, ancestor)
        turning = self._bodies[bushing.body2] if bushing.body2 in self._moving and any(bushing.damping[:3]) else None
        if turning is not None and ancestor is not None and turning.name == ancestor.name:
            turning = None
        self._elements.bushings.append(
            CompiledBushing(
                model=self._model.name,
                bushing=bushing,
                actuators=actuators,
                site=site,
                reference=reference,
                turning_frame=turning,
                common_ancestor=ancestor,
            )
        )

    def _add_moment_of_bushing(
        self, label: str, sites: tuple[SpecSite, SpecSite], actuators: dict[int, SpecActuator], ancestor: SpecBody
    ) -> None:
        """Cancel the torque by which the engine balances moments: a bushing's force acts at each body's own point."""
        forces = {component: actuators[component] for component in range(3) if component in actuators}
        if forces:
            axes = self.site(f"{label} axes", None, Pose())
            self._add_moment(label, forces, sites, 1.0, self._add_site_at(f"{label}[3]", ancestor), axes)

    def _common_ancestor(self, body1: str | None, body2: str | None) -> SpecBody | None:
        """Return the engine's last common ancestor of two bodies, which may be one of them, or None if it cannot move."""
        if body1 is None or body2 is None:
            return None
        ancestors = {body.name: body for body in self._ancestors(body1)}
        common = next((body for body in self._ancestors(body2) if body.name in ancestors), None)
        moving = {self._bodies[name].name for name in self._moving if name in self._bodies}
        return common if common is not None and common.name in moving else None

    def _ancestors(self, body: str) -> Iterator[SpecBody]:
        engine_body: SpecBody | None = self._bodies[body]
        while engine_body is not None and engine_body.name != self._spec.worldbody.name:
            yield engine_body
            engine_body = engine_body.parent

    def _add_site_at(self, label: str, engine_body: SpecBody) -> SpecSite:
        return append(engine_body.sites, SpecSite(name=f"{self._model.name}/{label}"))

    def _add_moment(
        self,
        label: str,
        forces: dict[int, SpecActuator],
        sites: tuple[SpecSite, SpecSite],
        factor: float,
        site: SpecSite,
        axes: SpecSite,
    ) -> None:
        actuators = []
        for axis in range(3):
            gear = [float(axis == number - 3) for number in range(6)]
            actuators.append(self._add_site_actuator(f"{label} moment[{axis}]", site, axes, gear))
        moment = CompiledMoment(forces=forces, first=sites[0], second=sites[1], factor=factor, actuators=actuators, axes=axes)
        self._elements.moments.append(moment)

    # Loads

    def _add_load(self, load: Load) -> None:
        actuators: list[SpecActuator] = []
        if load.applied_at_body_point or load.kind is LoadKind.TORQUE:
            label = f"load {load.name}"
            site = self.site(label, load.body, Pose(load.point))
            reference = None if load.expressed_in_body_frame else self.site(f"{label} axes", None, Pose())
            if load.value is None:
                for axis in range(3):
                    gear = _load_gear(load, (X_AXIS, Y_AXIS, Z_AXIS)[axis])
                    actuators.append(self._add_site_actuator(f"{label}[{axis}]", site, reference, gear))
            else:
                actuators.append(self._add_site_actuator(label, site, reference, _load_gear(load, load.value)))
                if isinstance(load.modulation, ConstantFunction):
                    _make_linear(actuators[0], load.modulation.value, 0.0, 0.0)
                    actuators[0].gainprm[0] = 0.0
        model, body = self._model, self._bodies[load.body]
        self._elements.loads.append(
            CompiledLoad(model=model.name, load=load, actuators=actuators, body=body, model_pose=model.pose)
        )

    # Motors

    def add_motor(
        self, motor: Motor, joint: SpecJoint | None, sign: float, start: float, *, has_auxiliary_inertia: bool = False
    ) -> None:
        """Add the equality or actuator of a motor's joint, or the actuator of a motor without a joint.

        Args:
            joint: The engine's hinge or slide that it drives, or None.
            sign: 1 if the motor's coordinate increases with the joint's, else -1.
            start: The joint's initial position.
            has_auxiliary_inertia: Whether the joint has an armature that the World does not have.
        """
        built = CompiledMotor(
            model=self._model.name,
            motor=motor,
            joint=joint,
            sign=sign,
            start=start,
            has_auxiliary_inertia=has_auxiliary_inertia,
        )
        label = f"motor {motor.name}"
        if motor.drive is not DriveMode.FORCE:
            assert joint is not None  # noqa: S101  # the caller has found or added it
            built.equality = add_joint_equality(self._spec, f"{self._model.name}/{label}", joint)
        elif joint is not None:
            built.actuator = self._add_actuator(label, mujoco.mjtTrn.mjTRN_JOINT, joint.name)
            built.actuator.gear = [sign, 0.0, 0.0, 0.0, 0.0, 0.0]
        else:
            built.actuator = self._add_force_actuator(label, motor)
        self._elements.motors.append(built)

    def _add_force_actuator(self, label: str, motor: Motor) -> SpecActuator:
        pose = motor.pose @ Pose(wxyz=quaternion_between(Z_AXIS, motor.axis))
        site = self.site(f"{label}[1]", motor.body1, pose)
        pose_second = self._pose_in_other_body(motor.body2, motor.body1, pose)
        reference = self.site(f"{label}[2]", motor.body2, pose_second)
        gear = [0.0] * 6
        gear[5 if motor.guide is MotorKinematics.ROTATION_FREE else 2] = 1.0
        actuator = self._add_site_actuator(label, site, reference, gear)
        if motor.guide is not MotorKinematics.ROTATION_FREE and motor.body2 in self._moving:
            self._add_moment_of_motor(label, motor, site, reference, actuator)
        return actuator

    def _add_moment_of_motor(
        self, label: str, motor: Motor, site: SpecSite, reference: SpecSite, actuator: SpecActuator
    ) -> None:
        """Apply the opposite force at the motor's point, too: as Chrono does, with balanced moments."""
        assert motor.body2 is not None  # noqa: S101  # it moves
        second = self._bodies[motor.body2]
        ancestor = self._common_ancestor(motor.body1, motor.body2)
        if ancestor is not None and ancestor.name == second.name:
            return  # the engine already does this
        axes = self.site(f"{label} axes", None, Pose()) if ancestor is None else self._add_site_at(f"{label} axes", ancestor)
        self._add_moment(label, {2: actuator}, (site, reference), -1.0, reference, axes)


def _load_gear(load: Load, vector: Vector3) -> list[float]:
    return [*vector, 0.0, 0.0, 0.0] if load.kind is LoadKind.FORCE else [0.0, 0.0, 0.0, *vector]


def _make_linear(actuator: SpecActuator, constant: float, stiffness: float, damping: float) -> None:
    """Make an actuator add ``constant - stiffness·length - damping·rate`` to its control."""
    actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    actuator.biasprm[:3] = (constant, -stiffness, -damping)
