"""Compilation of loops, motors and force elements of a model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ossature.kinematics import Tree, TreeJoint, factor_joint
from ossature.kinematics.forward_kinematics import locked_pose
from ossature.model import (
    Actuation,
    Compound,
    Constraint,
    Cylindrical,
    DriveMode,
    Joint,
    Model,
    Motor,
    MotorKinematics,
    Prismatic,
    Revolute,
    RevoluteSpherical,
    Screw,
)
from ossature.simulation.compile import rules
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.bodies import add_clone, place_at_body
from ossature.simulation.compile.compile_context import CompileContext, CompiledJoint
from ossature.simulation.compile.engine_spec import SpecBody, SpecEquality, SpecJoint
from ossature.simulation.compile.equality_constraints import add_connect, add_distance_constraint, add_weld
from ossature.simulation.compile.force_element_builder import ElementBuilder
from ossature.simulation.compile.force_elements import CompiledConstraint, CompiledCoordinate
from ossature.simulation.compile.joints import add_joints, layout_of
from ossature.simulation.compile.motor_turning_body import add_turning_body, attach_clone, turning_motions
from ossature.simulation.compile.plan_loop_closure import LoopConstraint, LoopPlan, Motion, plan_loops, stack_of
from ossature.spatial import Pose, Vector3, dot, rotate


def moving_bodies(tree: Tree, grasped: Collection[str]) -> set[str]:
    """Return the names of the bodies that can move: by a joint or a grasp, and their descendants."""
    moving = set(grasped)
    for branch in tree.branches:
        inboard = branch.inboard
        if inboard is None or layout_of(inboard, static=False) is not JointLayout.NONE or inboard.parent in moving:
            moving.add(branch.body.name)
    return moving


def plan_mechanism(model: Model, tree: Tree, moving: set[str]) -> LoopPlan:
    """Return how the loops of a model are closed, including those of motors without a guide that prescribe a motion."""
    prescribing = [motor for motor in model.motors if _has_no_guide(motor) and motor.drive is not DriveMode.FORCE]
    return plan_loops(model, tree, moving, [motor for motor in prescribing if not _drives_joint_coordinate(motor, model, tree)])


def _has_no_guide(motor: Motor) -> bool:
    return motor.guide in (MotorKinematics.LINEAR_FREE, MotorKinematics.ROTATION_FREE)


def _drives_joint_coordinate(motor: Motor, model: Model, tree: Tree) -> bool:
    """Whether a joint has the coordinate that a motor without a guide drives."""
    axis = rotate(model.body_pose(motor.body1).wxyz, rotate(motor.pose.wxyz, motor.axis))
    joints = [branch.inboard for branch in tree.branches if branch.inboard is not None] + list(tree.loop_joints)
    for joint in joints:
        if {joint.parent, joint.child} != {motor.body1, motor.body2} or layout_of(joint, static=False) is JointLayout.NONE:
            continue
        for is_revolute, own_axis, _ in joint_axes(joint):
            along = rotate(model.body_pose(joint.child).wxyz, rotate(joint.pose.wxyz, own_axis))
            if is_revolute is motor.guide.is_rotational and abs(abs(dot(along, axis)) - 1.0) < 1e-9:
                return True
    return False


def joint_axes(joint: Joint) -> list[tuple[bool, Vector3, int]]:
    """Return the rotations and translations of a joint about fixed axes: whether it is a rotation, its axis, its coordinate.

    An axis is included only if it is fixed on both bodies.
    """
    kind = joint.type
    has_one_axis = isinstance(kind, Compound) and len(kind.axes) == 1
    if not (has_one_axis or isinstance(kind, Revolute | Screw | Prismatic | Cylindrical)):
        return []
    return [(factor.is_rotation, factor.axis, factor.coordinate) for factor in factor_joint(kind) if factor.axis is not None]


def record_coordinates(work: CompileContext, built: CompiledJoint) -> None:
    """Record the hinges and slides of a joint, for motors and rotational springs that use them."""
    if not built.added:
        return
    joint = built.built
    wxyz = built.model.body_pose(joint.child).wxyz
    for is_revolute, axis, number in joint_axes(joint):
        engine_joint = built.added[1] if built.layout is JointLayout.SCREW else built.added[number]
        work.coordinates.setdefault(built.model.name, []).append(
            CompiledCoordinate(
                child=joint.child,
                parent=joint.parent,
                is_revolute=is_revolute,
                axis=rotate(wxyz, rotate(joint.pose.wxyz, axis)),
                joint=engine_joint,
                start=joint.coordinates[number].initial_position,
            )
        )


class MechanismBuilder:
    """Adds the loop closures, motors and force elements of a model.

    Args:
        model: The model, whose tree is compiled.
        loop_plan: How its loops are closed.
        moving: Names of the bodies that can move.
    """

    def __init__(self, work: CompileContext, model: Model, loop_plan: LoopPlan, moving: set[str]) -> None:
        self._work, self._model, self._plan, self._moving = work, model, loop_plan, moving
        self._bodies = work.bodies.setdefault(model.name, {})
        self._driven: dict[str, tuple[SpecJoint, float]] = {}
        self._turning: set[str] = set()
        self._elements = ElementBuilder(
            work.spec, model, self._bodies, moving, work.coordinates.setdefault(model.name, []), work.elements, work.report
        )

    def add_all(self, motor_branches: list[tuple[TreeJoint, list[SpecJoint]]]) -> None:
        """Add all loop closures, motors and force elements.

        Args:
            motor_branches: Branches of the tree whose joint is a motor, and the engine joints of each.
        """
        for branch, added in motor_branches:
            assert branch.motor is not None  # noqa: S101  # selected by the caller
            self._set_driven_joint(branch.motor, added[0], 1.0)
        for number, closure in enumerate(self._plan.closures):
            self._close_loop(closure, number)
        for source in self._plan.idle:
            if not isinstance(source, Motor):
                continue
            self._report_idle(source)
        self._elements.add_all()
        for motor in self._model.motors:
            self._add_motor(motor)
        self._work.loops += len(self._plan.closures)

    def _set_driven_joint(self, motor: Motor, engine_joint: SpecJoint, sign: float) -> None:
        self._driven[motor.name] = (engine_joint, sign)

    def _report_idle(self, motor: Motor) -> None:
        path = f"{self._model.name}/{motor.name}"
        self._work.report.add(rules.IDLE_MOTOR, f"{path}: both bodies are fixed", motor.origin, path=path)

    # Loops

    def _close_loop(self, closure: LoopConstraint, number: int) -> None:
        source = closure.source
        if closure.cloned is None:
            self._close_without_clone(closure)
            return
        turning = self._add_turning_body(closure, number)
        clone = self._add_clone(closure, turning, number)
        if closure.built is not None and not isinstance(source, Constraint | Motor):
            self._add_joint_of_clone(closure, clone)
            return
        if isinstance(source, Constraint):
            equality = self._add_distance(source) if isinstance(source.type, RevoluteSpherical) else None
            self._record_constraint(source, equality, clone, moves_first=closure.cloned == source.body1)
        if turning is not None and isinstance(source, Motor):
            attach_clone(self._work.spec, source, self._model, turning, clone, closure.cloned)
            self._turning.add(source.name)
            self._set_driven_joint(source, turning.joints[0], 1.0)
            return
        added = self._add_stack(closure, clone, number)
        if isinstance(source, Motor):
            is_forward = closure.cloned == source.body1
            # The reversed stack has the reversed axis: the coordinate is the same.
            self._set_driven_joint(source, added[0] if is_forward else added[-1], 1.0)

    def _add_turning_body(self, closure: LoopConstraint, number: int) -> SpecBody | None:
        motor, cloned = closure.source, closure.cloned
        if cloned is None or not isinstance(motor, Motor) or motor.guide is not MotorKinematics.ROTATION_FREE:
            return None
        clone_name = f"{self._bodies[cloned].name} clone {number}"
        turning = add_turning_body(self._engine_body(closure.carrier), clone_name)
        place_at_body(turning, self._model, self._model.bodies[cloned], closure.carrier)
        turning.joints.extend(self._joints_of(turning_motions(motor, self._model, cloned), number))
        return turning

    def _add_clone(self, closure: LoopConstraint, turning: SpecBody | None, number: int) -> SpecBody:
        """Add a clone at the pose of its original, to which it is welded, as a child of the turning body if there is one."""
        assert closure.cloned is not None  # noqa: S101  # checked by the caller
        body, share = self._model.bodies[closure.cloned], self._plan.share(closure.cloned)
        moves = closure.cloned in self._moving
        parent = self._engine_body(closure.carrier) if turning is None else turning
        clone = add_clone(self._work, self._model, body, parent, number, share, moves=moves)
        if closure.built is not None and closure.built.actuation is Actuation.LOCKED:
            pose = locked_pose(self._model, closure.built)
            clone.pos, clone.quat = pose.position, pose.wxyz
        elif turning is None:
            place_at_body(clone, self._model, body, closure.carrier)
        original = self._bodies[closure.cloned]
        add_weld(self._work.spec, f"{clone.name} is {original.name}", clone.name, original.name, Pose())
        return clone

    def _close_without_clone(self, closure: LoopConstraint) -> None:
        source = closure.source
        if isinstance(source, Constraint):
            self._record_constraint(source, self._add_distance(source))
            return
        assert not isinstance(source, Motor)  # noqa: S101  # motors are cloned
        joint = source.joint
        parent, child = self._engine_name(joint.parent), self._engine_name(joint.child)
        add_connect(self._work.spec, f"{self._model.name}/{joint.name}", child, parent, joint.pose.position)
        self._record_joint(source.joint, source.joint, JointLayout.DERIVED, [], self._engine_body(joint.child), joint.parent)

    def _record_constraint(
        self, constraint: Constraint, equality: SpecEquality | None, clone: SpecBody | None = None, *, moves_first: bool = False
    ) -> None:
        built = CompiledConstraint(
            model=self._model.name, constraint=constraint, clone=clone, moves_first=moves_first, equality=equality
        )
        self._work.elements.constraints.append(built)

    def _add_distance(self, constraint: Constraint) -> SpecEquality:
        label = f"constraint {constraint.name}"
        sites = (
            self._elements.site(f"{label}[1]", constraint.body1, Pose(constraint.point1)),
            self._elements.site(f"{label}[2]", constraint.body2, Pose(constraint.point2)),
        )
        return add_distance_constraint(self._work.spec, f"{self._model.name}/{label}", (sites[0].name, sites[1].name))

    def _add_joint_of_clone(self, closure: LoopConstraint, clone: SpecBody) -> None:
        source, built = closure.source, closure.built
        assert built is not None and not isinstance(source, Constraint | Motor)  # noqa: S101
        layout = layout_of(built, static=False)
        name = self._work.joint_names[self._model.name, source.label]
        added = add_joints(clone, built, layout, name, self._work.settings, self._work.report)
        joint = self._record_joint(source.joint, built, layout, added, clone, built.parent, is_model=source.motor is None)
        record_coordinates(self._work, joint)
        if source.motor is not None:
            self._set_driven_joint(source.motor, added[0], 1.0)

    def _add_stack(self, closure: LoopConstraint, clone: SpecBody, number: int) -> list[SpecJoint]:
        added = self._joints_of(stack_of(closure, self._model), number)
        clone.joints.extend(added)
        return added

    def _joints_of(self, motions: Sequence[Motion], number: int) -> list[SpecJoint]:
        return [
            SpecJoint(name=f"{self._model.name}/loop {number}[{position}]", type=kind, pos=anchor, axis=axis)
            for position, (kind, anchor, axis) in enumerate(motions)
        ]

    def _record_joint(
        self,
        joint: Joint,
        built: Joint,
        layout: JointLayout,
        added: list[SpecJoint],
        body: SpecBody,
        parent: str | None,
        *,
        is_model: bool = True,
    ) -> CompiledJoint:
        entry = CompiledJoint(
            model=self._model,
            joint=joint,
            built=built,
            layout=layout,
            added=added,
            body=body,
            parent=self._engine_body(parent),
        )
        if is_model:
            self._work.joints.append(entry)
        return entry

    def _engine_body(self, body: str | None) -> SpecBody:
        return self._work.spec.worldbody if body is None else self._bodies[body]

    def _engine_name(self, body: str | None) -> str:
        return "world" if body is None else str(self._bodies[body].name)

    # Motors

    def _add_motor(self, motor: Motor) -> None:
        if any(motor is source for source in self._plan.idle):
            return
        driven = self._driven.get(motor.name)
        start = 0.0
        if driven is None and _has_no_guide(motor) and motor.drive is not DriveMode.FORCE:
            axis = rotate(self._model.body_pose(motor.body1).wxyz, rotate(motor.pose.wxyz, motor.axis))
            found = self._elements.coordinate(motor.body1, motor.body2, axis, is_revolute=motor.guide.is_rotational)
            if found is None:
                self._report_idle(motor)
                return
            coordinate, along = found
            driven = (coordinate.joint, along if coordinate.child == motor.body1 else -along)
            start = coordinate.start
        if driven is None and not _has_no_guide(motor):
            self._report_idle(motor)
            return
        engine_joint, sign = driven if driven is not None else (None, 1.0)
        is_turning = motor.name in self._turning
        self._elements.add_motor(motor, engine_joint, sign, start, has_auxiliary_inertia=is_turning)
