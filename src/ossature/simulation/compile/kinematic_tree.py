"""Compilation of the bodies of a model and the joints of its spanning tree."""

from __future__ import annotations

import mujoco

from ossature.kinematics import (
    Connection,
    Tree,
    TreeJoint,
    fixed_children,
    is_massless,
    model_poses,
)
from ossature.kinematics.forward_kinematics import locked_pose
from ossature.model import ActiveGrasp, Actuation, Model
from ossature.simulation.compile import rules
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.bodies import add_body
from ossature.simulation.compile.compile_context import CompileContext, CompiledJoint
from ossature.simulation.compile.compile_loops_motors_forces import (
    MechanismBuilder,
    moving_bodies,
    plan_mechanism,
    record_coordinates,
)
from ossature.simulation.compile.engine_spec import SpecBody, SpecJoint
from ossature.simulation.compile.inertia import INERTIA_HINT
from ossature.simulation.compile.joints import add_joints, layout_of
from ossature.simulation.compile.plan_loop_closure import LoopPlan
from ossature.spatial import IDENTITY, Pose


def add_static_model(work: CompileContext, model: Model, tree: Tree) -> None:
    """Add a static model: its bodies are children of the world."""
    body_poses = model_poses(model, tree=tree)
    world = work.spec.worldbody
    for branch in tree.branches:
        add_body(work, model, branch.body, world, body_poses[branch.body.name], moves=False)
    for joint in model.joints:
        body = work.bodies[model.name][joint.child]
        work.joints.append(
            CompiledJoint(model=model, joint=joint, built=joint, layout=JointLayout.NONE, added=[], body=body, parent=world)
        )


def add_moving_model(work: CompileContext, model: Model, tree: Tree) -> None:
    """Add a moving model: its bodies and joints, loop closures and force elements."""
    moving = work.moving[model.name] = moving_bodies(tree, _bodies_on_moving_links(work, model))
    if moving and all(is_massless(branch.body) for branch in tree.branches if branch.body.name in moving):
        message = f"no moving body of '{model.name}' has inertia"
        work.report.add(rules.NONPHYSICAL_INERTIA, message, model.origin, path=model.name, hint=INERTIA_HINT)
        return
    attached = fixed_children(tree)
    loop_plan = plan_mechanism(model, tree, moving)
    motor_branches: list[tuple[TreeJoint, list[SpecJoint]]] = []
    for branch in tree.branches:
        layout = JointLayout.FREE if branch.inboard is None else layout_of(branch.inboard, static=False)
        grasp = work.grasp_plan.parent_grasp(model, branch)
        parent_body = _parent_body(work, model, branch, grasp)
        name = branch.body.name
        share = loop_plan.share(name)
        pose = _rest_pose(model, branch) if grasp is None else _grasped_pose(branch, grasp)
        engine_body = add_body(
            work,
            model,
            branch.body,
            parent_body,
            pose,
            moves=name in moving,
            is_attached=name in attached,
            has_own_joint=layout is not JointLayout.NONE and grasp is None,
            share=share,
        )
        if branch.inboard is None:
            engine_body.joints.append(SpecJoint(type=mujoco.mjtJoint.mjJNT_FREE))
        if branch.inboard is None or grasp is not None:
            continue
        built = _add_branch_joint(work, model, branch, layout, engine_body, parent_body)
        record_coordinates(work, built)
        if branch.motor is not None:
            motor_branches.append((branch, built.added))
        elif branch.is_joint:
            work.joints.append(built)
    _add_idle_joints(work, model, tree, loop_plan)
    MechanismBuilder(work, model, loop_plan, moving).add_all(motor_branches)


def _bodies_on_moving_links(work: CompileContext, model: Model) -> set[str]:
    grasps = [active.grasp for (owner, _), active in work.grasp_plan.attached.items() if owner == model.name]
    return {
        grasp.body.body
        for grasp in grasps
        if grasp.link.model != model.name and grasp.link.body in work.moving.get(grasp.link.model, ())
    }


def _grasped_pose(branch: TreeJoint, grasp: ActiveGrasp) -> Pose:
    return grasp.pose_link_body.inverse() if branch.is_reversed else grasp.pose_link_body


def _parent_body(work: CompileContext, model: Model, branch: TreeJoint, grasp: ActiveGrasp | None) -> SpecBody:
    parent = None if branch.inboard is None else branch.inboard.parent
    if grasp is not None and parent is None:
        return work.bodies[grasp.grasp.link.model][grasp.grasp.link.body]
    return work.spec.worldbody if parent is None else work.bodies[model.name][parent]


def _add_branch_joint(
    work: CompileContext, model: Model, branch: TreeJoint, layout: JointLayout, engine_body: SpecBody, parent_body: SpecBody
) -> CompiledJoint:
    inboard, connection = branch.inboard, branch.connection
    assert inboard is not None and connection is not None  # noqa: S101  # checked by the caller
    name = work.joint_names[model.name, connection.label]
    return CompiledJoint(
        model=model,
        joint=connection.joint,
        built=inboard,
        layout=layout,
        added=add_joints(engine_body, inboard, layout, name, work.settings, work.report),
        body=engine_body,
        parent=parent_body,
    )


def _add_idle_joints(work: CompileContext, model: Model, tree: Tree, loop_plan: LoopPlan) -> None:
    """Record joints without an engine joint: free joints parallel to others, and those between bodies that cannot move."""
    in_tree = {id(branch.connection.joint) for branch in tree.branches if branch.connection is not None}
    idle = {id(source.joint) for source in loop_plan.idle if isinstance(source, Connection)}
    loops = {id(loop.joint) for loop in tree.loops}
    for joint in model.joints:
        if id(joint) in idle or not (id(joint) in in_tree or id(joint) in loops):
            if joint.child not in model.bodies:
                continue
            bodies = work.bodies[model.name]
            parent = work.spec.worldbody if joint.parent is None else bodies[joint.parent]
            body = bodies[joint.child]
            work.joints.append(
                CompiledJoint(
                    model=model, joint=joint, built=joint, layout=JointLayout.DERIVED, added=[], body=body, parent=parent
                )
            )


def _rest_pose(model: Model, branch: TreeJoint) -> Pose:
    """Return the body's pose in its parent with the engine's coordinates at zero."""
    inboard = branch.inboard
    if inboard is None:
        return model.pose @ branch.body.pose
    if inboard.actuation is Actuation.LOCKED:
        return locked_pose(model, inboard)
    pose_model = model.pose if inboard.parent is None else IDENTITY
    parent = IDENTITY if inboard.parent is None else model.bodies[inboard.parent].pose
    return pose_model @ parent.inverse() @ branch.body.pose
