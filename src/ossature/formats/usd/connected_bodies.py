"""Sets of bodies that a component, joints, couplings, tendons or collision filters connect: each set is a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from ossature.formats.usd import rules
from ossature.formats.usd.compound_joints import is_stackable, stacked
from ossature.formats.usd.joint_spec import JointSpec
from ossature.formats.usd.model_prims import bodies_by_component
from ossature.formats.usd.owning_bodies import OwningBodies
from ossature.formats.usd.read_actuators import ACTUATORS, actuator_prims, tendon_prims
from ossature.formats.usd.read_bodies import owner_of
from ossature.formats.usd.read_equalities import is_equality
from ossature.formats.usd.read_filters import FilterReader
from ossature.formats.usd.read_joints import JOINTS, JointReader
from ossature.formats.usd.stage import Prim, Stage
from ossature.model import Body
from ossature.model.unique_names import take_unique_name


@dataclass(slots=True, eq=False)
class ConnectedBodies:
    """Bodies that are connected, and what connects them.

    Attributes:
        bodies: The bodies, by the path of their prim.
        joints: Joints that permit motions.
        equalities: Joints that are equality constraints.
        distances: Joints that limit a distance.
        pairs: Paths of bodies that do not collide.
        tendons: Prims of tendons.
        actuators: Prims of actuators.
    """

    bodies: dict[str, Body] = field(default_factory=dict)
    joints: list[JointSpec] = field(default_factory=list)
    equalities: list[JointSpec] = field(default_factory=list)
    distances: list[JointSpec] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    tendons: list[Prim] = field(default_factory=list)
    actuators: list[Prim] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)

    def add_body(self, path: str, body: Body) -> None:
        """Add a body, with another name if one has its name."""
        self.bodies[path] = replace(body, name=take_unique_name(body.name, self._names))


def find_connected_bodies(
    stage: Stage, bodies: Mapping[str, Body], colliders: Mapping[str | None, Sequence[str]], owners: OwningBodies
) -> list[ConnectedBodies]:
    """Return the sets of connected bodies, in the order of the stage.

    Args:
        bodies: All bodies, by the path of their prim.
        colliders: The paths of the prims of the shapes of each body that collide.
    """
    joints = _read_joints(stage)
    pairs = FilterReader(stage, colliders, owners.paths).pairs()
    groups = _Groups(bodies)
    for parts in bodies_by_component(stage, bodies):
        groups.join(parts)
    for joint in joints:
        groups.join([end.body.path for end in joint.ends if end.body is not None])
        followed = (*joint.prim.targets("newton:mimicJoint"), *joint.prim.targets("mjc:target"))
        groups.join(owners.of((joint.prim.path, *followed)))
    for pair in pairs:
        groups.join(pair)
    tendons, actuators = tendon_prims(stage), actuator_prims(stage)
    moved = {prim.path: owners.of(_moved(prim)) for prim in (*tendons, *actuators)}
    for targets in moved.values():
        groups.join(targets)

    found: dict[str, ConnectedBodies] = {}
    for path, body in bodies.items():
        found.setdefault(groups.root(path), ConnectedBodies()).add_body(path, body)
    _add_joints(stage, joints, found, groups)
    for pair in pairs:
        found[groups.root(pair[0])].pairs.append(pair)
    for prim in (*tendons, *actuators):
        if moved[prim.path]:
            component = found[groups.root(moved[prim.path][0])]
            (component.actuators if prim.type in ACTUATORS else component.tendons).append(prim)
    _report_without_target(stage, [path for path, targets in moved.items() if not targets])
    return list(found.values())


def _report_without_target(stage: Stage, paths: Sequence[str]) -> None:
    if paths:
        message = f"tendons and actuators refer to no joint, body or site: {len(paths)}, such as {paths[0]}"
        stage.add(rules.UNREAD_PRIM, message)


def _read_joints(stage: Stage) -> list[JointSpec]:
    reader = JointReader(stage, owner_of)
    prims = [prim for prim in stage.prims.values() if prim.type in JOINTS]
    found = [joint for prim in prims if (joint := reader.read(prim)) is not None]
    if reader.unordered:
        message = f"{len(reader.unordered)} joints have several free rotations, such as {reader.unordered[0]}"
        stage.add(rules.ROTATION_ORDER, message)
    return found


def _add_joints(stage: Stage, joints: Sequence[JointSpec], components: Mapping[str, ConnectedBodies], groups: _Groups) -> None:
    rigid: list[JointSpec] = []
    for joint in joints:
        component = components[groups.root(_first_body(joint))]
        if is_equality(joint.prim):
            component.equalities.append(joint)
        elif joint.prim.type == "PhysicsDistanceJoint":
            component.distances.append(joint)
        else:
            rigid.append(joint)
    adding = {root.path for root in stage.articulation_roots if root.flag("newton:jointsAddMobility", False)}
    for joint in stacked(rigid, lambda joint: _adds_mobility(joint, adding)):
        components[groups.root(_first_body(joint))].joints.append(joint)


def _first_body(joint: JointSpec) -> str:
    return next(end.body.path for end in joint.ends if end.body is not None)


def _adds_mobility(joint: JointSpec, roots: Set[str]) -> bool:
    """Whether the joints of an articulation between the same bodies are motions of one after another.

    Args:
        roots: The paths of the roots of articulations that state so.
    """
    if not is_stackable(joint):
        return False
    if joint.prim.has("MjcJointAPI"):  # in MuJoCo joints of one body always add motions
        return True
    inside = [joint.prim, *(end.body for end in joint.ends if end.body is not None)]
    return any(one.path in roots for prim in inside for one in prim.ancestors())


def _moved(prim: Prim) -> list[str]:
    """Return the paths of the joints, bodies and sites to which a tendon or an actuator applies forces."""
    targets = [*prim.targets("mjc:path"), *prim.targets("mjc:target"), *prim.targets("newton:targets")]
    tendons = [prim.stage.prims[target] for target in targets if target in prim.stage.prims]
    return [*targets, *(target for tendon in tendons for target in tendon.targets("mjc:path"))]


class _Groups:
    """Sets of connected elements."""

    def __init__(self, elements: Iterable[str]) -> None:
        self._parents = {element: element for element in elements}

    def root(self, element: str) -> str:
        """Return the element that represents its set."""
        while self._parents[element] != element:
            self._parents[element] = self._parents[self._parents[element]]
            element = self._parents[element]
        return element

    def join(self, elements: Sequence[str]) -> None:
        """Join the sets of elements."""
        for other in elements[1:]:
            self._parents[self.root(other)] = self.root(elements[0])
