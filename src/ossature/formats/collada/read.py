"""COLLADA document → World.

A document is opened with all that it refers to (``documents``), its scene is put together (``read_scene``,
``read_systems``, ``visual_tree``), links are placed (``read_links``) and bound to what is seen (``read_visual``) and to
rigid bodies (``read_physics``), joints get their limits (``read_joint``), and extensions say the rest (``read_extensions``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ossature.assets.document_store import DocumentStore
from ossature.diagnostics import Report, Source, within_limits
from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import Documents
from ossature.formats.collada.extra_handlers import with_registered_extras
from ossature.formats.collada.native_extension.encode import own_content
from ossature.formats.collada.native_extension.model import with_model_extras
from ossature.formats.collada.native_extension.world import with_world_extra
from ossature.formats.collada.node_instances import NodeInstance
from ossature.formats.collada.read_animation import Moved, MovedAxis, read_animations
from ossature.formats.collada.read_articulated_systems import JointInstance, System
from ossature.formats.collada.read_body import read_body
from ossature.formats.collada.read_calibration import with_named_calibrations
from ossature.formats.collada.read_composition import with_parts
from ossature.formats.collada.read_context import ColladaReadContext, Names
from ossature.formats.collada.read_extensions import Extras, as_extension, read_extras
from ossature.formats.collada.read_formula import with_formulas
from ossature.formats.collada.read_grasp import read_grasps
from ossature.formats.collada.read_joint import read_joint
from ossature.formats.collada.read_kinematic_graph import Linkage, LinkFrame, read_linkage
from ossature.formats.collada.read_physics import Physics, gravity_of, read_physics, time_step_of
from ossature.formats.collada.read_scene import DocumentScene, read_scene
from ossature.formats.collada.read_unbound_nodes import read_loose_bodies
from ossature.formats.collada.read_visual import NodeOwners, VisualShapes, find_owners
from ossature.formats.collada.schema_animation import AnimationElement
from ossature.model import Extension, Fixed, Joint, Model, NamedList, World
from ossature.model.unique_names import unique_name
from ossature.spatial import IDENTITY, Pose, Quaternion, Vector3, norm, rotate, unit
from ossature.syntax.rules import DEFAULT_TAKEN

STANDARD_GRAVITY = 9.797930195020351
"""Magnitude of gravity where a document states none [m/s²]: OpenRAVE's."""
TIME_STEP = 0.001
"""Time step where a document states none [s]."""
LONGEST_TIME_STEP = 1e3
"""No simulation takes steps as long as this [s]."""
TO_Z_UP: dict[str, Quaternion] = {
    "X_UP": (0.5, 0.5, -0.5, 0.5),
    "Y_UP": (0.5**0.5, 0.5**0.5, 0.0, 0.0),
    "Z_UP": (1.0, 0.0, 0.0, 0.0),
}
"""The turn that takes a document's axes to those with z upwards, as COLLADA lays down right, up and inward."""
_UPWARDS: dict[str, Vector3] = {"X_UP": (1.0, 0.0, 0.0), "Y_UP": (0.0, 1.0, 0.0), "Z_UP": (0.0, 0.0, 1.0)}
_SUPPORTED_ELSEWHERE = ("library_sensors", "library_actuators")


@within_limits
def read_collada(source: Source, report: Report, *, folder: Path | None = None) -> World | None:
    """Return the World that a COLLADA document or archive describes, or None where it is neither.

    Args:
        source: The file.
        report: Where findings go.
        folder: The file's folder, where it may name other documents; None for one that came from memory.
    """
    return _read(source, report, folder, as_openrave=False)


@within_limits
def read_openrave(source: Source, report: Report, *, folder: Path | None = None) -> World | None:
    """Return the World that a COLLADA document describes for OpenRAVE, also where that is not what COLLADA says.

    The upward axis turns nothing, positions of slides are in metres whatever the unit, and meshes stand in the frames of
    their links whatever the nodes say. See :func:`read_collada` for the arguments.
    """
    return _read(source, report, folder, as_openrave=True)


def _read(source: Source, report: Report, folder: Path | None, *, as_openrave: bool) -> World | None:
    findings = Report()
    with np.errstate(over="ignore", invalid="ignore"):  # what grows beyond all measure is told where it does
        world = _world_of(source, findings, folder, as_openrave=as_openrave)
    # What is shown at several places is read at each of them.
    report.extend({(finding.rule, finding.location, finding.message): finding for finding in findings}.values())
    return world


def _world_of(source: Source, report: Report, folder: Path | None, *, as_openrave: bool) -> World | None:
    store = DocumentStore.of(source, report, folder)
    if store is None:
        return None
    documents = Documents(store, report)
    document = documents.first
    if document is None:
        return None
    return read_world(ColladaReadContext(report=report, documents=documents, document=document, as_openrave=as_openrave))


def read_world(reading: ColladaReadContext) -> World:
    """Return the World that an opened document describes."""
    document = reading.document
    if document.writes_radians:
        reading.report.add(rules.RADIANS_BY_TOOL, "the tool that wrote this wrote radians", document.root.location("asset"))
    scene = read_scene(reading)
    linkages = [read_linkage(system, scene.visual, reading) for system in scene.systems]
    owners = find_owners(linkages, scene.visual, reading)
    links = [link for linkage in linkages for link in linkage.links.values()]
    physics = read_physics(scene, owners, links, reading)
    parts = _Parts(reading, scene, owners, physics, Names(reading.report, "model"))
    models = [parts.model(system, linkage) for system, linkage in zip(scene.systems, linkages, strict=True)]
    loose = read_loose_bodies(scene.visual, owners, physics, VisualShapes(scene.visual, reading), parts.names, reading)
    names: dict[LinkFrame | NodeInstance, tuple[str, str]] = {
        link: (model.name, link.name)
        for model, linkage in zip(models, linkages, strict=True)
        for link in linkage.links.values()
    }
    names.update(loose.names)
    turn = _turn_up(scene, reading)
    moved = _moved_axes(scene, linkages, models, reading)
    world = World(
        name=_name(reading),
        gravity=_gravity(scene, turn, reading),
        time_step=_time_step(scene, reading),
        models=NamedList([_turned(model, turn) for model in (*models, *loose.models)]),
        grasps=read_grasps(physics, names, reading),
        trajectories=NamedList(read_animations(list(document.of_kind(AnimationElement)), moved, scene.visual, reading)),
        extensions=_extensions(reading),
        origin=document.root.location(),
    )
    whole = with_parts(with_world_extra(world, document, reading.report), reading, read_world)
    return with_named_calibrations(whole, reading)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What models are made of."""

    reading: ColladaReadContext
    scene: DocumentScene
    owners: NodeOwners
    physics: Physics
    names: Names

    def model(self, system: System, linkage: Linkage) -> Model:
        """Return the model that a system is."""
        joint_names = names_of_joints(linkage, self.reading)
        extras = read_extras(system, linkage, joint_names, self.reading)
        shapes = VisualShapes(self.scene.visual, self.reading)
        rigid = self.physics.by_link
        bodies = [
            read_body(link, rigid.get(link), shapes, self.owners, extras, self.reading) for link in linkage.links.values()
        ]
        joints = self._joints(linkage, joint_names, extras)
        held = self._held(linkage, joints)
        if joints and not held:
            self.reading.report.add(
                rules.FREE_BASE,
                f"nothing holds '{next(iter(linkage.links))}', the first link: simulated, the robot falls",
                system.location,
                hint="<dynamic>false</dynamic> in its rigid body, or `ossature simulate --fix-base`",
            )
        name = next((name for name in (*system.names, *system.identifiers) if name), None)
        model = Model(
            name=self.names.take(name, "body", system.location),
            pose=linkage.pose,
            bodies=NamedList(bodies),
            joints=NamedList(
                [
                    *with_formulas(
                        in_order_of_actuators(joints, [actuator.joint for actuator in extras.actuators]),
                        system,
                        joint_names,
                        self.reading,
                    ),
                    *held,
                ]
            ),
            ignored_pairs=tuple(extras.ignored_pairs),
            manipulators=NamedList(extras.manipulators.values()),
            sensors=NamedList(extras.sensors),
            actuators=NamedList(extras.actuators),
            interface=extras.interface,
            extensions=(*extras.unknown, *_description(system)),
            origin=system.location,
        )
        return with_registered_extras(with_model_extras(model, extras.own, self.reading.report), self.reading.report)

    def _joints(self, linkage: Linkage, joint_names: dict[JointInstance, str], extras: Extras) -> list[Joint]:
        names = Names(self.reading.report, "joint", set(joint_names.values()))
        joints: list[Joint] = []
        used: set[str] = set()
        for connection in linkage.connections:
            name = joint_names.get(connection.joint) if connection.joint is not None else None
            if name is None or name in used:
                name = names.take(None, f"{connection.child.name}_joint", connection.attachment.location())
            used.add(name)
            infos = tuple(extras.joint_infos.get(name, ()))
            joints.append(read_joint(connection, name, infos, self.reading))
        return joints

    def _held(self, linkage: Linkage, joints: list[Joint]) -> list[Joint]:
        """Return the joints that hold links fast that never move."""
        names = Names(self.reading.report, "joint", {joint.name for joint in joints})
        return [
            Joint(
                name=_fresh(f"{link.name}_held", names.taken),
                type=Fixed(),
                parent=None,
                child=link.name,
                origin=rigid.location,
            )
            for link in linkage.links.values()
            if (rigid := self.physics.by_link.get(link)) is not None and not rigid.dynamic
        ]


def _moved_axes(
    scene: DocumentScene, linkages: Sequence[Linkage], models: Sequence[Model], reading: ColladaReadContext
) -> Moved:
    """Return which transforms of which nodes show axes of joints."""
    moved = {}
    for linkage, model in zip(linkages, models, strict=True):
        for joint, name in names_of_joints(linkage, reading).items():
            for index, (state, axis) in enumerate(zip(joint.axes, joint.element.axes, strict=False)):
                if state.target is not None and name in model.joints:
                    direction = (axis.axis.value if axis.axis is not None else None) or (0.0, 0.0, 1.0)
                    meter = reading.document.meter
                    moved[state.target] = MovedAxis(
                        model=model.name, joint=name, coordinate=index, direction=_unit(direction), meter=meter
                    )
    return moved


def _unit(direction: Vector3) -> Vector3:
    length = norm(direction)
    return unit(direction) if 0.0 < length < math.inf else direction


def in_order_of_actuators(joints: Sequence[Joint], driven: Sequence[str]) -> list[Joint]:
    """Return the joints with those first that actuators drive, in their order: so OpenRAVE numbers degrees of freedom."""
    places = {joint: place for place, joint in reversed(list(enumerate(driven)))}
    return sorted(joints, key=lambda joint: places.get(joint.name, len(driven)))


def _fresh(name: str, taken: set[str]) -> str:
    unique = unique_name(name, taken, lambda count: f"{name}_{count}")
    taken.add(unique)
    return unique


def names_of_joints(linkage: Linkage, reading: ColladaReadContext) -> dict[JointInstance, str]:
    """Return what the joints of a robot are called."""
    names = Names(reading.report, "joint")
    result: dict[JointInstance, str] = {}
    for connection in linkage.connections:
        joint = connection.joint
        if joint is not None and joint not in result:
            result[joint] = names.take(joint.element.name or joint.sid, "joint", joint.element.location())
    return result


def _description(system: System) -> list[Extension]:
    """Return what the first kinematics model says about itself."""
    if not system.instances:
        return []
    asset = system.instances[0].element.asset
    subject = asset.subject if asset is not None else None
    return [Extension(format="collada", key="subject", value=subject)] if subject else []


def _name(reading: ColladaReadContext) -> str:
    for library in reading.document.root.libraries:
        for element in library.items:
            if type(element).__name__ == "VisualSceneElement" and element.name:
                return str(element.name)
    return Path(reading.document.name).stem or "world"


def _up_axis(scene: DocumentScene, reading: ColladaReadContext) -> tuple[str, bool]:
    """Return the upward axis, and whether it is stated: by the document, else by one that its scene shows."""
    shown = [root.document for root in scene.visual.roots[:1]]
    shown += [instance.item.document for system in scene.systems for instance in system.instances]
    stated = next((axis for document in (reading.document, *shown) if (axis := document.stated_up_axis) is not None), None)
    return stated or "Y_UP", stated is not None


def _turn_up(scene: DocumentScene, reading: ColladaReadContext) -> Pose:
    axis, stated = _up_axis(scene, reading)
    if axis == "Z_UP" or reading.as_openrave:
        return IDENTITY
    asset = reading.document.root.asset
    reading.report.add(
        rules.UP_AXIS_TURNED,
        f"{axis} {'is stated' if stated else 'holds where nothing is stated'}: everything is turned so that z points upwards",
        asset.location("up_axis") if asset is not None else reading.document.root.location(),
    )
    return Pose(wxyz=TO_Z_UP[axis])


def _turned(model: Model, turn: Pose) -> Model:
    return model if turn is IDENTITY else replace(model, pose=turn @ model.pose)


def _gravity(scene: DocumentScene, turn: Pose, reading: ColladaReadContext) -> Vector3:
    stated = gravity_of(scene.physics)
    if stated is not None:
        return rotate(turn.wxyz, stated)
    x, y, z = _UPWARDS[_up_axis(scene, reading)[0]]
    reading.report.add(
        DEFAULT_TAKEN,
        f"no gravity: {STANDARD_GRAVITY:.6f} m/s² downwards is taken, as OpenRAVE does",
        reading.document.root.location("scene"),
        hint="<gravity> in the physics scene",
    )
    down = rotate(turn.wxyz, (-x * STANDARD_GRAVITY, -y * STANDARD_GRAVITY, -z * STANDARD_GRAVITY))
    return (_whole(down[0]), _whole(down[1]), _whole(down[2]))


def _time_step(scene: DocumentScene, reading: ColladaReadContext) -> float:
    stated = time_step_of(scene.physics)
    if stated is None or 0.0 < stated < LONGEST_TIME_STEP:
        return TIME_STEP if stated is None else stated
    reading.report.add(
        DEFAULT_TAKEN,
        f"a time step of {stated:g} s is none: {TIME_STEP:g} s is taken",
        reading.document.root.location("scene"),
    )
    return TIME_STEP


def _whole(value: float) -> float:
    # What a turn of a quarter leaves over of zero.
    return 0.0 if abs(value) < 1e-12 else value


def _extensions(reading: ColladaReadContext) -> tuple[Extension, ...]:
    root = reading.document.root
    return tuple(
        [as_extension(extra) for extra in root.extra if extra.type not in _SUPPORTED_ELSEWHERE and not own_content(extra)]
    )
