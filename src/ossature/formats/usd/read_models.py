"""Models of a stage: bodies that joints, couplings or collision filters connect, at the positions zero of their joints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ossature.assets import MeshStore
from ossature.formats.urdf.convert_mimic import mimic_coupling
from ossature.formats.usd import rules
from ossature.formats.usd.damping_ratios import resolve_damping_ratios
from ossature.formats.usd.read_actuators import (
    ACTUATORS,
    Names,
    drive_actuators,
    read_actuator,
    read_tendon,
    tendon_prims,
)
from ossature.formats.usd.read_bodies import STATIC, BodyReader, owner_of
from ossature.formats.usd.read_filters import FilterReader
from ossature.formats.usd.read_joints import (
    JOINTS,
    JointReader,
    JointSpec,
    is_stackable,
    measured,
    shifted,
    stacked,
)
from ossature.formats.usd.solver_parameters import solver_parameter
from ossature.formats.usd.stage import Prim, Stage
from ossature.model import (
    Body,
    Connection,
    Equality,
    Fixed,
    FrameReference,
    Joint,
    JointEquality,
    Model,
    MujocoConstraint,
    NamedList,
    Prismatic,
    Revolute,
    Spherical,
    Weld,
)
from ossature.model.massless_link_constraint import Constraint, Distance
from ossature.model.unique_names import take_unique_name
from ossature.spatial import IDENTITY, Pose, angle_between, norm, scale

_SMALLEST_POSITION = 2e-6
"""Positions up to this are zero: the numbers of joint frames have 32 bits [m or rad]."""
_FIT = 1e-4
"""Largest gap of a joint that fits [m or rad]."""
_POLYNOMIAL = tuple(f"mjc:coef{power}" for power in range(5))


@dataclass(slots=True, eq=False)
class _Component:
    """Bodies that are connected.

    Attributes:
        bodies: The bodies, by the path of their prim.
    """

    bodies: dict[str, Body] = field(default_factory=dict)
    joints: list[JointSpec] = field(default_factory=list)
    equalities: list[JointSpec] = field(default_factory=list)
    distances: list[JointSpec] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)


class ModelReader:
    """Reads the models of a stage."""

    def __init__(self, stage: Stage, meshes: MeshStore) -> None:
        self._stage = stage
        self._meshes = meshes
        self._reader = BodyReader(stage, meshes)
        self._bodies = dict(self._reader.bodies())
        owners = {prim.path: owner_of(prim) for prim in stage.prims.values()}
        self._owners = {path: None if prim is None else prim.path for path, prim in owners.items()}
        self._articulations = [prim for prim in stage.prims.values() if prim.has("PhysicsArticulationRootAPI")]
        self._joint_names: dict[str, str] = {}

    def models(self) -> list[Model]:
        """Return the models: the largest one of each top-level prim has its name."""
        components = self._components()
        names: set[str] = set()
        titles = self._titles(components)
        models = [self._model(one, take_unique_name(titles[number], names)) for number, one in enumerate(components)]
        static = self._reader.static_body()
        if static is not None:
            appearances = self._appearances([static])
            models.append(
                Model(
                    name=take_unique_name(STATIC, names),
                    bodies=NamedList([static]),
                    appearances=appearances,
                    static=True,
                    origin=self._stage.location,
                )
            )
        return models

    # Components

    def _components(self) -> list[_Component]:
        reader = JointReader(self._stage, owner_of)
        prims = [prim for prim in self._stage.prims.values() if prim.type in JOINTS]
        found = [joint for prim in prims if (joint := reader.read(prim)) is not None]
        if reader.unordered:
            message = f"{len(reader.unordered)} joints have several free rotations, such as {reader.unordered[0]}"
            self._stage.add(rules.ROTATION_ORDER, message)
        soft = [joint for joint in found if _is_equality(joint.prim)]
        rods = [joint for joint in found if joint.prim.type == "PhysicsDistanceJoint" and joint not in soft]
        rigid = stacked([joint for joint in found if joint not in soft and joint not in rods], self._adds_mobility)
        colliders = {path: [prim.path for prim in content.colliders] for path, content in self._reader.contents.items()}
        pairs = FilterReader(self._stage, colliders, self._owners).pairs()
        groups = _Groups(prim.path for prim in self._bodies)
        for joint in found:
            groups.join([end.body.path for end in joint.ends if end.body is not None])
            self._join_followers(joint.prim, groups)
        for pair in pairs:
            groups.join(pair)
        for prim in (*tendon_prims(self._stage), *self._actuator_prims()):
            targets = (*prim.targets("mjc:path"), *prim.targets("mjc:target"), *prim.targets("newton:targets"))
            groups.join([body for target in targets for body in self._bodies_of(target)])
        return self._divided(groups, rigid, soft, rods, pairs)

    def _divided(
        self,
        groups: _Groups,
        rigid: Sequence[JointSpec],
        soft: Sequence[JointSpec],
        rods: Sequence[JointSpec],
        pairs: Sequence[tuple[str, str]],
    ) -> list[_Component]:
        components: dict[str, _Component] = {}
        for prim, body in self._bodies.items():
            components.setdefault(groups.root(prim.path), _Component()).bodies[prim.path] = body
        for kind, joints in (("joints", rigid), ("equalities", soft), ("distances", rods)):
            for joint in joints:
                first = next(end.body for end in joint.ends if end.body is not None)
                getattr(components[groups.root(first.path)], kind).append(joint)
        for pair in pairs:
            components[groups.root(pair[0])].pairs.append(pair)
        return list(components.values())

    def _join_followers(self, prim: Prim, groups: _Groups) -> None:
        targets = (*prim.targets("newton:mimicJoint"), *prim.targets("mjc:target"))
        groups.join([body for target in (prim.path, *targets) for body in self._bodies_of(target)])

    def _bodies_of(self, path: str) -> list[str]:
        """Return the bodies that a joint or another prim belongs to."""
        prim = self._stage.prims.get(path)
        if prim is None:
            return []
        if prim.type in JOINTS:
            targets = [target for number in (0, 1) for target in prim.relationships.get(f"physics:body{number}", ())]
            return [body for target in targets if (body := self._owners.get(target)) is not None]
        own = self._owners.get(path)
        return [] if own is None else [own]

    def _actuator_prims(self) -> list[Prim]:
        return [prim for prim in self._stage.prims.values() if prim.type in ACTUATORS]

    def _adds_mobility(self, joint: JointSpec) -> bool:
        """Whether the joints of an articulation between the same bodies are motions of one after another."""
        if not is_stackable(joint):
            return False
        if joint.prim.has("MjcJointAPI"):  # in MuJoCo joints of one body always add motions
            return True
        inside = [joint.prim, *(end.body for end in joint.ends if end.body is not None)]
        return any(
            root.flag("newton:jointsAddMobility", False)
            for root in self._articulations
            if any(root in prim.ancestors() for prim in inside)
        )

    def _titles(self, components: Sequence[_Component]) -> list[str]:
        """Return names of models: that of a top-level prim for the largest of its models, else that of the first body."""
        largest: dict[str, int] = {}
        for number, component in enumerate(components):
            top = _top(next(iter(component.bodies)))
            if top not in largest or len(component.bodies) > len(components[largest[top]].bodies):
                largest[top] = number
        titles = []
        for number, component in enumerate(components):
            first = next(iter(component.bodies))
            is_largest = largest[_top(first)] == number
            titles.append(self._stage.prims[_top(first) if is_largest else first].name)
        return titles

    # Models

    def _model(self, component: _Component, name: str) -> Model:
        frame = self._model_frame(component)
        placed, joints = _Placement(self._stage, component).placed()
        used: set[str] = set()
        for joint in joints:
            self._joint_names[joint.prim.path] = take_unique_name(self._title(joint), used)
        names = self._names(component, joints)
        bodies = [replace(body, pose=frame.inverse() @ placed[path]) for path, body in self._with_collision(component)]
        actuators, tendons = self._actuators(component, joints, names)
        enabling = [joint for joint in joints if joint.prim.flag("physics:collisionEnabled", False)]
        connected = [joint for joint in joints if all(end.body is not None for end in joint.ends)]
        colliding = [joint for joint in enabling if joint in connected]
        if colliding and len(colliding) < len(connected):
            message = f"the bodies of {colliding[0].prim.path} do not collide, although the joint enables it"
            self._stage.add(rules.UNREPRESENTED_COLLISION_FILTER, message)
        model = Model(
            name=name,
            pose=frame,
            bodies=NamedList(bodies),
            joints=NamedList([*(self._joint(joint, names) for joint in joints), *self._kinematic_joints(component, used)]),
            joined_bodies_collide=bool(colliding) and len(colliding) == len(connected),
            constraints=NamedList([rod for joint in component.distances if (rod := self._rod(joint)) is not None]),
            ignored_pairs=tuple([(component.bodies[a].name, component.bodies[b].name) for a, b in component.pairs]),
            actuators=NamedList(actuators),
            tendons=NamedList(tendons),
            equalities=NamedList(self._equalities(component, joints, names)),
            appearances=self._appearances(bodies),
            origin=self._stage.location,
        )
        return resolve_damping_ratios(model, self._meshes, self._stage)

    def _title(self, joint: JointSpec) -> str:
        """Return the name of a joint: that of its prim, or, of several prims, one after its body as readers of MJCF choose."""
        body = joint.ends[1].body
        return joint.prim.name if len(joint.parts) == 1 or body is None else f"{self._bodies[body].name}_joint"

    def _model_frame(self, component: _Component) -> Pose:
        """Return the frame of the top-level prim of a model, or that of the world if it is a body itself."""
        top = _top(next(iter(component.bodies)))
        return IDENTITY if top in component.bodies else self._stage.prims[top].pose

    def _with_collision(self, component: _Component) -> Iterable[tuple[str, Body]]:
        """Yield the bodies of a model; those of an articulation without collisions of its own do not collide with others."""
        disabled = [
            root
            for root in self._articulations
            if not (
                root.flag("newton:selfCollisionEnabled", True) and root.flag("physxArticulation:enabledSelfCollisions", True)
            )
        ]
        prims = self._stage.prims
        roots = {path for root in disabled for path in self._bodies_of(root.path)}
        is_disabled = bool(roots & component.bodies.keys()) or any(
            root in prims[path].ancestors() for path in component.bodies for root in disabled
        )
        for path, body in component.bodies.items():
            yield path, replace(body, self_collide=not is_disabled)

    def _appearances(self, bodies: Sequence[Body]) -> Any:
        wanted = {visual.appearance for body in bodies for visual in body.visuals}
        return NamedList([one for one in self._reader.materials.appearances.values() if one.name in wanted])

    def _names(self, component: _Component, joints: Sequence[JointSpec]) -> Names:
        return Names(
            joints={
                part.path: (self._joint_names[joint.prim.path], first)
                for joint in joints
                for part, first in joint.parts
                if joint.coordinates
            },
            bodies={path: body.name for path, body in component.bodies.items()},
            frames={
                path: FrameReference(body=component.bodies[body].name, frame=frame)
                for path, (body, frame) in self._reader.sites.items()
                if body in component.bodies
            },
            limits={
                part.path: joint.coordinates[first].position_limits
                for joint in joints
                for part, first in joint.parts
                if joint.coordinates
            },
        )

    def _joint(self, joint: JointSpec, names: Names) -> Joint:
        first, second = joint.ends
        kind, parent, child, frame = joint.type, first.body, second.body, second.frame
        if child is None:  # the world is a parent
            kind, parent, child, frame = self._reversed(joint), None, first.body, first.frame
        assert child is not None  # noqa: S101  # one side is a body
        return Joint(
            name=self._joint_names[joint.prim.path],
            type=kind,
            parent=None if parent is None else self._bodies[parent].name,
            child=self._bodies[child].name,
            pose=frame,
            coordinates=self._with_coupling(joint, names),
            origin=self._stage.location,
        )

    def _reversed(self, joint: JointSpec) -> Any:
        """Return the type of a joint whose child is the first body: its coordinates are the same for the opposite axes."""
        match joint.type:
            case Revolute(axis=axis):
                return Revolute(axis=scale(axis, -1.0))
            case Prismatic(axis=axis):
                return Prismatic(axis=scale(axis, -1.0))
            case Fixed() | Spherical():
                return joint.type
        message = (
            f"'physics:body1' of the joint {joint.prim.path} is the world: its coordinates are read in the opposite direction"
        )
        self._stage.add(rules.IGNORED_JOINT, message, hint="exchange body0 and body1")
        return joint.type

    def _with_coupling(self, joint: JointSpec, names: Names) -> tuple[Any, ...]:
        prim = joint.prim
        targets = prim.targets("newton:mimicJoint")
        is_active = prim.has("NewtonMimicAPI") and prim.flag("newton:mimicEnabled", True)
        factor, offset = prim.finite("newton:mimicCoef1", 1.0), prim.finite("newton:mimicCoef0", 0.0)
        if not is_active or prim.has("MjcEqualityJointAPI") or len(joint.coordinates) != 1:
            return joint.coordinates
        leader = names.joints.get(targets[0]) if targets else None
        if leader is None:
            message = f"the joint {prim.path} mimics a joint that does not exist: it moves independently"
            self._stage.add(rules.INVALID_VALUE, message, hint=self._stage.report.suggestion(prim.name, list(names.joints)))
            return joint.coordinates
        unit = math.pi / 180.0 if isinstance(joint.type, Revolute) else self._stage.length
        coupling = mimic_coupling(leader[0], factor, offset * unit, coordinate=leader[1])
        return (replace(joint.coordinates[0], coupling=coupling),)

    def _kinematic_joints(self, component: _Component, used: set[str]) -> list[Joint]:
        """Return joints that fix the kinematic bodies, which another joint may hold already."""
        moved = {end.body.path for joint in component.joints for end in joint.ends[1:] if end.body is not None}
        return [
            Joint(
                name=take_unique_name(f"{body.name}_fixed", used),
                type=Fixed(),
                parent=None,
                child=body.name,
                origin=body.origin,
            )
            for path, body in component.bodies.items()
            if body.mocap and path not in moved
        ]

    def _rod(self, joint: JointSpec) -> Constraint | None:
        """Return a distance joint as a rod, or None with a finding if it permits different distances."""
        prim, (first, second) = joint.prim, joint.ends
        least, most = prim.finite("physics:minDistance", -1.0), prim.finite("physics:maxDistance", -1.0)
        if least < 0.0 and most < 0.0:
            return None
        if not 0.0 < least == most:
            message = f"the limits of the distance of {prim.path} are not read: its bodies move freely"
            self._stage.add(rules.IGNORED_JOINT, message, hint="a distance joint with equal limits is a rod")
            return None
        return Constraint(
            name=prim.name,
            type=Distance(),
            body1=None if first.body is None else self._bodies[first.body].name,
            body2=None if second.body is None else self._bodies[second.body].name,
            point1=first.frame.position,
            point2=second.frame.position,
            origin=self._stage.location,
        )

    # Actuators and equalities

    def _actuators(self, component: _Component, joints: Sequence[JointSpec], names: Names) -> tuple[list[Any], list[Any]]:
        inside = component.bodies.keys()
        used: set[str] = set()
        actuators = [one for joint in joints for one in drive_actuators(joint, self._joint_names[joint.prim.path], used)]
        tendons: dict[str, Any] = {}
        tendon_names: set[str] = set()
        for prim in tendon_prims(self._stage):
            if self._is_inside([*prim.targets("mjc:path")], inside):
                tendon = read_tendon(prim, names, tendon_names)
                tendons |= {} if tendon is None else {prim.path: tendon}
        known = {path: tendon.name for path, tendon in tendons.items()}
        for prim in self._actuator_prims():
            targets = [*prim.targets("mjc:target"), *prim.targets("newton:targets")]
            pulled = [target for tendon in targets if tendon in self._stage.prims for target in self._path_of(tendon)]
            if self._is_inside([*targets, *pulled], inside):
                actuator = read_actuator(prim, names, known, used)
                actuators += [] if actuator is None else [actuator]
        return actuators, list(tendons.values())

    def _path_of(self, tendon: str) -> Sequence[str]:
        return self._stage.prims[tendon].targets("mjc:path")

    def _is_inside(self, targets: Sequence[str], bodies: Any) -> bool:
        return any(body in bodies for target in targets for body in self._bodies_of(target))

    def _equalities(self, component: _Component, joints: Sequence[JointSpec], names: Names) -> list[Equality]:
        used: set[str] = set()
        found = [self._body_equality(joint, take_unique_name(joint.prim.name, used)) for joint in component.equalities]
        for joint in joints:
            for prim, _ in joint.parts:
                if prim.has("MjcEqualityJointAPI"):
                    equality = self._joint_equality(prim, names, take_unique_name(prim.name, used))
                    found += [] if equality is None else [equality]
        return found

    def _body_equality(self, joint: JointSpec, name: str) -> Equality:
        prim, (first, second) = joint.prim, joint.ends
        body1 = None if first.body is None else self._bodies[first.body].name
        body2 = None if second.body is None else self._bodies[second.body].name
        kind: Connection | Weld
        if prim.has("MjcEqualityWeldAPI"):
            factor = prim.finite("mjc:torqueScale", 1.0)
            anchor = second.frame.position
            kind = Weld(body1=body1, body2=body2, pose=first.frame @ second.frame.inverse(), anchor=anchor, torque_scale=factor)
        else:
            kind = Connection(body1=body1, body2=body2, point1=first.frame.position, point2=second.frame.position)
        return Equality(name=name, type=kind, hints=(_solver_parameters(prim),), origin=self._stage.location)

    def _joint_equality(self, prim: Prim, names: Names, name: str) -> Equality | None:
        targets = prim.targets("mjc:target")
        own, other = names.joints.get(prim.path), names.joints.get(targets[0]) if targets else None
        if own is None or (targets and other is None):
            self._stage.add(rules.INVALID_VALUE, f"the equality of {prim.path} refers to no joint: it is ignored")
            return None
        prim.used |= {"newton:mimicJoint", "newton:mimicCoef0", "newton:mimicCoef1", "newton:mimicEnabled"}
        defaults = (0.0, 1.0, 0.0, 0.0, 0.0)
        a, b, c, d, e = (prim.finite(key, default) for key, default in zip(_POLYNOMIAL, defaults, strict=True))
        kind = JointEquality(
            joint1=own[0],
            coordinate1=own[1],
            joint2=None if other is None else other[0],
            coordinate2=0 if other is None else other[1],
            polynomial=(a, b, c, d, e),
        )
        return Equality(name=name, type=kind, hints=(_solver_parameters(prim),), origin=self._stage.location)


def _is_equality(prim: Prim) -> bool:
    return prim.has("MjcEqualityConnectAPI") or prim.has("MjcEqualityWeldAPI")


def _solver_parameters(prim: Prim) -> MujocoConstraint:
    return MujocoConstraint(solref=solver_parameter(prim, "solref"), solimp=solver_parameter(prim, "solimp"))


def _top(path: str) -> str:
    return "/" + path.split("/")[1]


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


class _Placement:
    """Places the bodies of a model at the positions zero of its joints, and measures the positions of the stage."""

    def __init__(self, stage: Stage, component: _Component) -> None:
        self._stage, self._component = stage, component
        self._staged: Mapping[str, Pose] = {path: body.pose for path, body in component.bodies.items()}

    def placed(self) -> tuple[Mapping[str, Pose], list[JointSpec]]:
        """Return the poses of the bodies in the world, by path, and the joints with their positions."""
        joints = self._component.joints
        placed, loops = self._at_zero()
        if all(self._fits(joint, placed) for joint in loops):
            return placed, [self._measured(joint, shifts=False) for joint in joints]
        self._stage.add(rules.REFERENCE_POSE, f"the loop of {loops[0].prim.path} is not closed with all joints at zero")
        return self._staged, [self._measured(joint, shifts=True) for joint in joints]

    def _at_zero(self) -> tuple[dict[str, Pose], list[JointSpec]]:
        """Return the poses of bodies with all joints at zero, and the joints that close loops."""
        placed: dict[str, Pose] = {}
        in_tree = [joint for joint in self._component.joints if joint.is_in_tree]
        beside = [joint for joint in self._component.joints if not joint.is_in_tree]
        used: set[int] = set()
        for joint in in_tree:
            if any(end.body is None for end in joint.ends):
                self._place(joint, placed, used)
        by_body: dict[str, list[JointSpec]] = {}
        for joint in in_tree:
            for end in joint.ends:
                if end.body is not None:
                    by_body.setdefault(end.body.path, []).append(joint)
        children = {joint.ends[1].body.path for joint in in_tree if joint.ends[1].body is not None}
        roots = sorted(self._staged, key=lambda path: (path in children,))
        waiting = list(reversed(placed))
        for root in (*placed, *roots):
            if root not in placed:
                placed[root] = self._staged[root]
                waiting.append(root)
            while waiting:
                for joint in by_body.get(waiting.pop(), ()):
                    new = self._place(joint, placed, used)
                    waiting += [] if new is None else [new]
        return placed, [joint for joint in (*in_tree, *beside) if id(joint) not in used]

    def _place(self, joint: JointSpec, placed: dict[str, Pose], used: set[int]) -> str | None:
        """Place the body of a joint whose other body has its place; return its path, or None if it had one."""
        first, second = joint.ends
        for known, other in ((first, second), (second, first)):
            is_known = known.body is None or known.body.path in placed
            if is_known and other.body is not None and other.body.path not in placed:
                base = IDENTITY if known.body is None else placed[known.body.path]
                placed[other.body.path] = base @ known.frame @ other.frame.inverse()
                used.add(id(joint))
                return other.body.path
        return None

    def _motion(self, joint: JointSpec, placed: Mapping[str, Pose]) -> Pose:
        """Return the frame of a joint on its second body in that on its first one."""
        first, second = ((IDENTITY if end.body is None else placed[end.body.path]) @ end.frame for end in joint.ends)
        return first.inverse() @ second

    def _fits(self, joint: JointSpec, placed: Mapping[str, Pose]) -> bool:
        motion = self._motion(joint, placed)
        rotation = 0.0 if isinstance(joint.type, Spherical) else angle_between(motion, IDENTITY)
        return norm(motion.position) < _FIT * self._reach and rotation < _FIT

    @property
    def _reach(self) -> float:
        points = np.array([pose.position for pose in self._staged.values()])
        return max(1.0, float(np.ptp(points, axis=0).max()))

    def _measured(self, joint: JointSpec, *, shifts: bool) -> JointSpec:
        """Return a joint with its positions in the stage, or, if it shifts, whose positions are zero there."""
        found = measured(joint.type, self._motion(joint, self._staged))
        if found is None:
            return joint
        positions, rest = found
        if norm(rest.position) > _FIT * self._reach or angle_between(rest, IDENTITY) > _FIT:
            gap, turn = norm(rest.position), math.degrees(angle_between(rest, IDENTITY))
            message = f"the bodies of {joint.prim.path} are {gap:.4g} m and {turn:.4g}° from where the joint holds them"
            self._stage.add(rules.UNFIT_JOINT, message)
        positions = tuple([0.0 if abs(value) < _SMALLEST_POSITION else value for value in positions])
        if shifts:
            return shifted(joint, positions)
        coordinates = [
            replace(one, initial_position=value) if value else one
            for one, value in zip(joint.coordinates, positions, strict=True)
        ]
        return replace(joint, coordinates=tuple(coordinates))
