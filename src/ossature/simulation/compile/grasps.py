"""What hands hold, in the engine: a body that floats hangs on the hand that holds it, and shares its motion to the last bit.

Where what is held hangs on the world too, the grasp closes a loop, and is a weld. The engine cannot change while it runs, so
a grasp that begins or ends compiles the World anew; see :mod:`ossature.simulation.state.transfer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from typing import Any

from ossature.diagnostics import Report
from ossature.kinematics import AcyclicGraph, GraspError, PossibleGrasps, RigidGroups, TreeJoint, path_of, poses
from ossature.model import ActiveGrasp, BodyPath, Fixed, Grasp, Joint, Model, NamedList, World
from ossature.simulation import rules
from ossature.simulation.compile.equality_constraints import weld
from ossature.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class GraspPlan:
    """How grasps are built.

    Attributes:
        world: The World, in which a fixed joint stands for each grasp that carries a piece.
        held: All grasps.
        carried: The grasps that carry pieces, by model and name of their joints.
        welded: The grasps that close loops.
        apart: Pairs of bodies that leave each other alone meanwhile.
    """

    world: World
    held: tuple[ActiveGrasp, ...] = ()
    carried: Mapping[tuple[str, str], ActiveGrasp] = field(default_factory=dict)
    welded: tuple[ActiveGrasp, ...] = ()
    apart: tuple[tuple[BodyPath, BodyPath], ...] = ()

    @property
    def weld_names(self) -> frozenset[str]:
        """The engine's names of the welds."""
        return frozenset(map(_weld_name, self.welded))

    def is_welded(self, grasp: Grasp) -> bool:
        """Whether a grasp closes a loop."""
        return any(held.grasp == grasp for held in self.welded)

    def parent_grasp(self, model: Model, branch: TreeJoint) -> ActiveGrasp | None:
        """Return the grasp by which a body hangs on a hand, or None where it does not."""
        return None if branch.inboard is None else self.carried.get((model.name, branch.inboard.name))

    def models(self) -> Iterator[Model]:
        """Yield the models, each after those that hold it."""
        number_of = {name: number for number, name in enumerate(self.world.models.names())}
        order = TopologicalSorter[str](dict.fromkeys(number_of, ()))
        for (model, _), held in self.carried.items():
            if held.grasp.link.model != model:
                order.add(model, held.grasp.link.model)
        order.prepare()
        while order.is_active():
            ready = sorted(order.get_ready(), key=number_of.__getitem__)
            yield from (self.world.models[name] for name in ready)
            order.done(*ready)


def initial_grasps(world: World, report: Report) -> list[ActiveGrasp]:
    """Return what hands hold at time zero; a grasp that cannot be is a finding."""
    if not world.grasps or report.has_errors:
        return []  # where errors are known already, bodies may have no place
    possible, placed, held = PossibleGrasps(world), poses(world), []
    for grasp in world.grasps:
        try:
            possible.add(grasp)
        except GraspError as error:
            path = f"{path_of(grasp.link)} holds {path_of(grasp.body)}"
            report.add(rules.IMPOSSIBLE_GRASP, str(error), grasp.origin, path=path)
            continue
        held.append(ActiveGrasp(grasp=grasp, pose_link_body=relative_pose(placed, grasp)))
    return held


def relative_pose(placed: Mapping[str, Mapping[str, Pose]], grasp: Grasp) -> Pose:
    """Return the pose of a held body in its holder, from the poses of both in the world."""
    gripper_body, held = (placed[body.model][body.body] for body in (grasp.link, grasp.body))
    return gripper_body.inverse() @ held


def plan_grasps(world: World, every: Sequence[ActiveGrasp]) -> GraspPlan:
    """Return how grasps are built.

    A piece is carried by the first hand that holds it, and where the models of both can be built one after the other.
    """
    pieces = RigidGroups(world)
    carried: dict[tuple[str, str], ActiveGrasp] = {}
    welded: list[ActiveGrasp] = []
    taken: set[BodyPath] = set()
    models_behind: AcyclicGraph[str] = AcyclicGraph()
    joints: dict[str, list[Joint]] = {}
    for held in every:
        gripper_body, body = held.grasp.link, held.grasp.body
        root = pieces.root(body)
        is_carried = bool(pieces.bodies(body)) and root not in taken
        if not is_carried or (gripper_body.model != body.model and not models_behind.add(body.model, gripper_body.model)):
            welded.append(held)
            continue
        taken.add(root)
        joint = _joint(held, world)
        joints.setdefault(body.model, []).append(joint)
        carried[body.model, joint.name] = held
    models = [_with_joints(model, joints.get(model.name, [])) for model in world.models]
    extended = replace(world, models=NamedList(models)) if joints else world
    apart = tuple(_excluded_pairs(pieces, every))
    return GraspPlan(world=extended, held=tuple(every), carried=carried, welded=tuple(welded), apart=apart)


def _weld_name(held: ActiveGrasp) -> str:
    return f"{path_of(held.grasp.link)} holds {path_of(held.grasp.body)}"


def _with_joints(model: Model, joints: Sequence[Joint]) -> Model:
    return replace(model, joints=NamedList([*model.joints, *joints])) if joints else model


def _joint(held: ActiveGrasp, world: World) -> Joint:
    """Return a joint that makes the held body the one on which its piece stands."""
    gripper_body, body = held.grasp.link, held.grasp.body
    name = f"{body.body} held by {path_of(gripper_body)}"
    while name in world.models[body.model].joints:
        name += "_"
    parent = gripper_body.body if gripper_body.model == body.model else None
    return Joint(name=name, type=Fixed(), parent=parent, child=body.body)


def add_grasp_welds(spec: Any, holding: GraspPlan, engine_name: Callable[[BodyPath], str]) -> None:
    """Add the welds of grasps that close loops, and the pairs of bodies that leave each other alone meanwhile."""
    for held in holding.welded:
        grasp = held.grasp
        weld(spec, _weld_name(held), engine_name(grasp.link), engine_name(grasp.body), held.pose_link_body)
    excluded = {frozenset((pair.bodyname1, pair.bodyname2)) for pair in spec.excludes}
    for pair in holding.apart:
        names = frozenset(map(engine_name, pair))
        if names not in excluded and len(names) > 1:
            excluded.add(names)
            exclude = spec.add_exclude()
            exclude.bodyname1, exclude.bodyname2 = sorted(names)


def _excluded_pairs(pieces: RigidGroups, every: Sequence[ActiveGrasp]) -> Iterator[tuple[BodyPath, BodyPath]]:
    """Yield the pairs of bodies that do not touch while hands hold: holders and ignored bodies, and all that is held."""
    for held in every:
        grasp = held.grasp
        apart = [grasp.link, *(BodyPath(model=grasp.link.model, body=name) for name in grasp.ignored_bodies)]
        for second in pieces.bodies(grasp.body) or (grasp.body,):
            yield from ((first, second) for first in apart)
