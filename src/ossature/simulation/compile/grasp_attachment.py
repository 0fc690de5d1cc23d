"""Compilation of grasps: a grasped body with a floating base becomes a child of the gripper link, with bit-exact motion.

If the grasped body is attached to the world too, or its floating joint applies forces to it, the grasp is compiled to a weld.
Each grasp and release compiles the World again; see :mod:`ossature.simulation.state.transfer_state`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter

from ossature.diagnostics import Report
from ossature.kinematics import AcyclicGraph, GraspError, PossibleGrasps, RigidGroups, TreeJoint, path_of, poses
from ossature.model import ActiveGrasp, BodyPath, Fixed, Grasp, Joint, Model, NamedList, World
from ossature.simulation.compile import rules
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.engine_spec import EngineSpec, SpecExclude
from ossature.simulation.compile.equality_constraints import add_weld
from ossature.simulation.compile.joints import layout_of
from ossature.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class GraspPlan:
    """How grasps are compiled.

    Attributes:
        world: The World, in which a fixed joint represents each grasp that attaches a rigid group.
        attached: The grasps that attach rigid groups, by model and name of their joints.
        welded: The grasps that close loops.
        excluded: Pairs of bodies that do not collide while the grasps are active.
        commanded: Model and name of the joints with commanded forces: the bodies of floating ones are welded.
    """

    world: World
    grasps: tuple[ActiveGrasp, ...] = ()
    attached: Mapping[tuple[str, str], ActiveGrasp] = field(default_factory=dict)
    welded: tuple[ActiveGrasp, ...] = ()
    excluded: tuple[tuple[BodyPath, BodyPath], ...] = ()
    commanded: frozenset[tuple[str, str]] = frozenset()

    @property
    def weld_names(self) -> frozenset[str]:
        """Engine names of the welds."""
        return frozenset(map(weld_name, self.welded))

    def is_welded(self, grasp: Grasp) -> bool:
        """Whether a grasp closes a loop."""
        return any(active.grasp == grasp for active in self.welded)

    def parent_grasp(self, model: Model, branch: TreeJoint) -> ActiveGrasp | None:
        """Return the grasp that attaches a body to a gripper link, or None."""
        return None if branch.inboard is None else self.attached.get((model.name, branch.inboard.name))

    def models(self) -> Iterator[Model]:
        """Yield the models, each after those whose grippers grasp it."""
        if not self.attached:
            yield from self.world.models
            return
        rank = {name: number for number, name in enumerate(self.world.models.names())}
        order = TopologicalSorter[str](dict.fromkeys(rank, ()))
        for (model, _), active in self.attached.items():
            if active.grasp.link.model != model:
                order.add(model, active.grasp.link.model)
        order.prepare()
        while order.is_active():
            ready = sorted(order.get_ready(), key=rank.__getitem__)
            yield from (self.world.models[name] for name in ready)
            order.done(*ready)


def initial_grasps(world: World, report: Report) -> list[ActiveGrasp]:
    """Return the grasps that are active at time zero; an invalid grasp is a finding."""
    if not world.grasps or report.has_errors:
        return []  # with errors, bodies may have no pose
    possible, body_poses, active = PossibleGrasps(world), poses(world), []
    for grasp in world.grasps:
        try:
            possible.add(grasp)
        except GraspError as error:
            path = f"{path_of(grasp.link)} grasps {path_of(grasp.body)}"
            report.add(rules.IMPOSSIBLE_GRASP, str(error), grasp.origin, path=path)
            continue
        active.append(ActiveGrasp(grasp=grasp, pose_link_body=relative_pose(body_poses, grasp)))
    return active


def relative_pose(body_poses: Mapping[str, Mapping[str, Pose]], grasp: Grasp) -> Pose:
    """Return the pose of a grasped body in its gripper link, from the poses of both in the world."""
    gripper_body, grasped_body = (body_poses[body.model][body.body] for body in (grasp.link, grasp.body))
    return gripper_body.inverse() @ grasped_body


def plan_grasps(world: World, grasps: Sequence[ActiveGrasp], commanded: frozenset[tuple[str, str]] = frozenset()) -> GraspPlan:
    """Return how grasps are compiled.

    A rigid group becomes a child of the first link that grasps it, if the model of the link can be compiled before it.

    Args:
        commanded: Model and name of the joints with commanded forces.
    """
    groups = RigidGroups(world)
    attached: dict[tuple[str, str], ActiveGrasp] = {}
    welded: list[ActiveGrasp] = []
    attached_groups: set[BodyPath] = set()
    model_order: AcyclicGraph[str] = AcyclicGraph()
    joints: dict[str, list[Joint]] = {}
    for active in grasps:
        gripper_body, body = active.grasp.link, active.grasp.body
        root = groups.root(body)
        is_attached = root not in attached_groups and _floats_freely(world.models[body.model], groups.bodies(body), commanded)
        if not is_attached or (gripper_body.model != body.model and not model_order.add(body.model, gripper_body.model)):
            welded.append(active)
            continue
        attached_groups.add(root)
        joint = _grasp_joint(active, world)
        joints.setdefault(body.model, []).append(joint)
        attached[body.model, joint.name] = active
    models = [_with_joints(model, joints.get(model.name, [])) for model in world.models]
    extended = replace(world, models=NamedList(models)) if joints else world
    excluded = tuple(_excluded_pairs(groups, grasps))
    return GraspPlan(
        world=extended, grasps=tuple(grasps), attached=attached, welded=tuple(welded), excluded=excluded, commanded=commanded
    )


def _floats_freely(model: Model, group: Sequence[BodyPath], commanded: frozenset[tuple[str, str]]) -> bool:
    """Whether a group of bodies floats, and no spring, damper, friction or command of its floating joints acts on it."""
    names = {body.body for body in group}
    floating = [joint for joint in model.joints if joint.parent is None and joint.child in names]
    return bool(names) and not any(
        layout_of(joint, static=False) is not JointLayout.FREE
        or any(each.initial_effort for each in joint.coordinates)
        or (model.name, joint.name) in commanded
        for joint in floating
    )


def plan_welds(world: World, grasps: Sequence[ActiveGrasp]) -> GraspPlan:
    """Return how grasps are compiled in a World that MuJoCo compiles: each is a weld."""
    excluded = tuple(_excluded_pairs(RigidGroups(world), grasps)) if grasps else ()
    return GraspPlan(world=world, grasps=tuple(grasps), welded=tuple(grasps), excluded=excluded)


def weld_name(active: ActiveGrasp) -> str:
    """Return the engine's name of the weld of a grasp."""
    return f"{path_of(active.grasp.link)} grasps {path_of(active.grasp.body)}"


def _with_joints(model: Model, joints: Sequence[Joint]) -> Model:
    return replace(model, joints=model.joints.with_(*joints)) if joints else model


def _grasp_joint(active: ActiveGrasp, world: World) -> Joint:
    """Return a fixed joint that makes the grasped body the root of its rigid group."""
    gripper_body, body = active.grasp.link, active.grasp.body
    name = f"{body.body} grasped by {path_of(gripper_body)}"
    while name in world.models[body.model].joints:
        name += "_"
    parent = gripper_body.body if gripper_body.model == body.model else None
    return Joint(name=name, type=Fixed(), parent=parent, child=body.body)


def add_grasp_welds(spec: EngineSpec, grasp_plan: GraspPlan, engine_name: Callable[[BodyPath], str]) -> None:
    """Add the welds of grasps that close loops, and exclude the pairs of bodies that do not collide."""
    for active in grasp_plan.welded:
        grasp = active.grasp
        add_weld(spec, weld_name(active), engine_name(grasp.link), engine_name(grasp.body), active.pose_link_body)
    excluded = {frozenset((pair.bodyname1, pair.bodyname2)) for pair in spec.excludes}
    for pair in grasp_plan.excluded:
        names = frozenset(map(engine_name, pair))
        if names not in excluded and len(names) > 1:
            excluded.add(names)
            first, second = sorted(names)
            spec.excludes.append(SpecExclude(bodyname1=first, bodyname2=second))


def _excluded_pairs(groups: RigidGroups, grasps: Sequence[ActiveGrasp]) -> Iterator[tuple[BodyPath, BodyPath]]:
    """Yield the pairs that do not collide: gripper link and ignored bodies, each with the bodies of the grasped group."""
    for active in grasps:
        grasp = active.grasp
        excluded = [grasp.link, *(BodyPath(model=grasp.link.model, body=name) for name in grasp.ignored_bodies)]
        for second in groups.bodies(grasp.body) or (grasp.body,):
            yield from ((first, second) for first in excluded)
