"""Models of a stage: bodies that joints, couplings or collision filters connect, at the positions zero of their joints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ossature.assets import MeshStore
from ossature.formats.urdf.convert_mimic import mimic_coupling
from ossature.formats.usd import rules
from ossature.formats.usd.connected_bodies import ConnectedBodies, find_connected_bodies
from ossature.formats.usd.damping_ratios import resolve_damping_ratios
from ossature.formats.usd.joint_spec import JointSpec
from ossature.formats.usd.model_prims import model_prim_of
from ossature.formats.usd.owning_bodies import OwningBodies
from ossature.formats.usd.read_actuators import Names, drive_actuators, read_actuator, read_tendon
from ossature.formats.usd.read_bodies import STATIC, BodyReader, is_static_body
from ossature.formats.usd.read_equalities import read_equalities
from ossature.formats.usd.reference_configuration import ReferenceConfiguration
from ossature.formats.usd.stage import Prim, Stage
from ossature.model import (
    Actuator,
    Appearance,
    Body,
    Coordinate,
    Fixed,
    FrameReference,
    Joint,
    JointType,
    Model,
    NamedList,
    Prismatic,
    Revolute,
    Spherical,
    Tendon,
)
from ossature.model.massless_link_constraint import Constraint, Distance
from ossature.model.unique_names import take_unique_name
from ossature.spatial import IDENTITY, Pose, conjugate, rotate, scale


class ModelReader:
    """Reads the models of a stage."""

    def __init__(self, stage: Stage, meshes: MeshStore) -> None:
        self._stage = stage
        self._meshes = meshes
        self._reader = BodyReader(stage, meshes)
        self._bodies = {prim.path: body for prim, body in self._reader.bodies()}
        self._appearances_by_name = {one.name: one for one in self._reader.materials.appearances.values()}
        self._owners = OwningBodies(stage)
        self._joint_names: dict[str, str] = {}
        self._sites: dict[str | None, dict[str, str]] = {}
        for path, (body, frame) in self._reader.sites.items():
            self._sites.setdefault(body, {})[path] = frame
        isolated = [root for root in stage.articulation_roots if not _collides_with_itself(root)]
        self._isolated_roots = {root.path for root in isolated}
        self._isolated_bodies = set(self._owners.of(self._isolated_roots))

    def models(self) -> list[Model]:
        """Return the models: the largest one of each model prim has its name."""
        colliders = {path: [prim.path for prim in content.colliders] for path, content in self._reader.contents.items()}
        components = find_connected_bodies(self._stage, self._bodies, colliders, self._owners)
        self._bodies = {path: body for component in components for path, body in component.bodies.items()}
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

    def _titles(self, components: Sequence[ConnectedBodies]) -> list[str]:
        """Return names of models: that of a model prim for the largest of its models, else that of the first body."""
        largest: dict[str, int] = {}
        for number, component in enumerate(components):
            prim = self._model_prim(component)
            if prim not in largest or len(component.bodies) > len(components[largest[prim]].bodies):
                largest[prim] = number
        titles = []
        for number, component in enumerate(components):
            prim = self._model_prim(component)
            is_largest = largest[prim] == number
            titles.append(self._stage.prims[prim if is_largest else next(iter(component.bodies))].name)
        return titles

    def _model_prim(self, component: ConnectedBodies) -> str:
        """Return the path of the prim that is a model."""
        return model_prim_of(self._stage, next(iter(component.bodies)))

    # Models

    def _model(self, component: ConnectedBodies, name: str) -> Model:
        frame = self._model_frame(component)
        placed, joints = ReferenceConfiguration(self._stage, component).compute()
        used: set[str] = set()
        for joint in joints:
            self._joint_names[joint.prim.path] = take_unique_name(self._title(joint), used)
        names = self._names(component, joints)
        bodies = [
            replace(
                body,
                pose=frame.inverse() @ placed[path],
                initial_velocity=rotate(conjugate(frame.wxyz), body.initial_velocity),
            )
            for path, body in self._with_collision(component)
        ]
        actuators, tendons = self._actuators(component, joints, names)
        enabling = {joint.prim.path for joint in joints if _lets_bodies_collide(joint)}
        connected = [joint for joint in joints if all(end.body is not None for end in joint.ends)]
        colliding = [joint for joint in connected if joint.prim.path in enabling]
        if colliding and len(colliding) < len(connected):
            message = f"the bodies of {colliding[0].prim.path} do not collide, although the joint enables it"
            self._stage.add(rules.UNREPRESENTED_COLLISION_FILTER, message)
        model = Model(
            name=name,
            pose=frame,
            static=self._is_static(component),
            bodies=NamedList(bodies),
            joints=NamedList([*(self._joint(joint, names) for joint in joints), *self._kinematic_joints(component, used)]),
            joined_bodies_collide=bool(colliding) and len(colliding) == len(connected),
            constraints=NamedList([rod for joint in component.distances if (rod := self._rod(joint)) is not None]),
            ignored_pairs=tuple([(component.bodies[a].name, component.bodies[b].name) for a, b in component.pairs]),
            actuators=NamedList(actuators),
            tendons=NamedList(tendons),
            equalities=NamedList(read_equalities(component.equalities, joints, names)),
            appearances=self._appearances(bodies),
            origin=self._stage.location,
        )
        return resolve_damping_ratios(model, self._meshes, self._stage)

    def _title(self, joint: JointSpec) -> str:
        """Return the name of a joint: that of its prim, or, of several prims, one after its body as readers of MJCF choose."""
        body = joint.ends[1].body
        return joint.prim.name if len(joint.parts) == 1 or body is None else f"{self._bodies[body.path].name}_joint"

    def _model_frame(self, component: ConnectedBodies) -> Pose:
        """Return the frame of the prim of a model, or that of the world if it is a body itself."""
        prim = self._model_prim(component)
        return IDENTITY if prim in component.bodies else self._stage.prims[prim].pose

    def _with_collision(self, component: ConnectedBodies) -> Iterable[tuple[str, Body]]:
        """Yield the bodies of a model; those of an articulation without collisions of its own do not collide with others."""
        prims = self._stage.prims
        is_isolated = not self._isolated_bodies.isdisjoint(component.bodies) or any(
            one.path in self._isolated_roots for path in component.bodies for one in prims[path].ancestors()
        )
        is_static = self._is_static(component)
        for path, body in component.bodies.items():
            yield path, replace(body, self_collide=not is_isolated and not is_static)

    def _appearances(self, bodies: Sequence[Body]) -> NamedList[Appearance]:
        wanted = dict.fromkeys(visual.appearance for body in bodies for visual in body.visuals)
        return NamedList([self._appearances_by_name[name] for name in wanted if name is not None])

    def _names(self, component: ConnectedBodies, joints: Sequence[JointSpec]) -> Names:
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
                for body in component.bodies
                for path, frame in self._sites.get(body, {}).items()
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
            parent=None if parent is None else self._bodies[parent.path].name,
            child=self._bodies[child.path].name,
            pose=frame,
            coordinates=self._with_coupling(joint, names),
            origin=self._stage.location,
        )

    def _reversed(self, joint: JointSpec) -> JointType:
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

    def _with_coupling(self, joint: JointSpec, names: Names) -> tuple[Coordinate, ...]:
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

    def _kinematic_joints(self, component: ConnectedBodies, used: set[str]) -> list[Joint]:
        """Return joints that fix the kinematic and static bodies, which another joint may hold already."""
        if self._is_static(component):
            return []
        moved = {end.body.path for joint in component.joints for end in joint.ends[1:] if end.body is not None}
        never_moving = [
            path for path, body in component.bodies.items() if body.mocap or is_static_body(self._stage.prims[path])
        ]
        return [
            Joint(
                name=take_unique_name(f"{body.name}_fixed", used),
                type=Fixed(),
                parent=None,
                child=body.name,
                origin=body.origin,
            )
            for path, body in component.bodies.items()
            if path in never_moving and path not in moved
        ]

    def _is_static(self, component: ConnectedBodies) -> bool:
        """Whether all bodies of a model never move."""
        return not component.joints and all(is_static_body(self._stage.prims[path]) for path in component.bodies)

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
            body1=None if first.body is None else self._bodies[first.body.path].name,
            body2=None if second.body is None else self._bodies[second.body.path].name,
            point1=first.frame.position,
            point2=second.frame.position,
            origin=self._stage.location,
        )

    def _actuators(
        self, component: ConnectedBodies, joints: Sequence[JointSpec], names: Names
    ) -> tuple[list[Actuator], list[Tendon]]:
        used: set[str] = set()
        actuators = [one for joint in joints for one in drive_actuators(joint, self._joint_names[joint.prim.path], used)]
        tendons: dict[str, Tendon] = {}
        tendon_names: set[str] = set()
        for prim in component.tendons:
            tendon = read_tendon(prim, names, tendon_names)
            tendons |= {} if tendon is None else {prim.path: tendon}
        known = {path: tendon.name for path, tendon in tendons.items()}
        for prim in component.actuators:
            actuator = read_actuator(prim, names, known, used)
            actuators += [] if actuator is None else [actuator]
        return actuators, list(tendons.values())


def _lets_bodies_collide(joint: JointSpec) -> bool:
    """Whether the bodies of a joint collide with each other, as one of its prims states."""
    flags = [part.flag("physics:collisionEnabled", False) for part, _ in joint.parts]
    return any(flags)


def _collides_with_itself(root: Prim) -> bool:
    flags = [root.flag(name, True) for name in ("newton:selfCollisionEnabled", "physxArticulation:enabledSelfCollisions")]
    return all(flags)
