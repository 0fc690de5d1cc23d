"""COLLADA document → World.

The document and its references are opened (``document_lookup``), its scene is instantiated (``read_scene``,
``read_articulated_systems``, ``node_instances``), link poses are computed (``read_kinematic_graph``), links are bound to visual
shapes (``read_visual``) and rigid bodies (``read_physics``), joints get their limits (``read_joint``), and extensions are
applied (``read_extensions``).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ossature.assets.document_store import DocumentStore
from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Report, Source, within_limits
from ossature.formats.collada import rules
from ossature.formats.collada.animation.read import Moved, MovedAxis, read_animations
from ossature.formats.collada.animation.schema import AnimationElement
from ossature.formats.collada.custom_extra_handlers import with_registered_extras
from ossature.formats.collada.document_lookup import Documents
from ossature.formats.collada.kinematics.read_articulated_systems import JointInstance, System
from ossature.formats.collada.kinematics.read_formula import with_formulas
from ossature.formats.collada.kinematics.read_joint import read_joint
from ossature.formats.collada.kinematics.read_kinematic_graph import Linkage, LinkFrame, read_linkage
from ossature.formats.collada.native_extension.difference_encoding import own_content
from ossature.formats.collada.native_extension.model import with_model_extras
from ossature.formats.collada.native_extension.world import with_world_extra
from ossature.formats.collada.openrave.read_extensions import Extras, as_extension, read_extras
from ossature.formats.collada.openrave.read_grasped_bodies import read_grasps
from ossature.formats.collada.physics.read import Physics, read_physics, scene_value
from ossature.formats.collada.read_body import read_body
from ossature.formats.collada.read_context import ColladaReadContext, Names
from ossature.formats.collada.read_scene import DocumentScene, read_scene
from ossature.formats.collada.read_unbound_nodes import read_loose_bodies
from ossature.formats.collada.references.apply_calibrations import with_named_calibrations
from ossature.formats.collada.references.attach_parts import attach_parts
from ossature.formats.collada.visual_scene.node_instances import NodeInstance
from ossature.formats.collada.visual_scene.read import NodeOwners, VisualShapes, find_owners
from ossature.formats.format import Loaded, ReadContext
from ossature.model import Extension, Fixed, Joint, Model, NamedList, World
from ossature.model.unique_names import take_unique_name
from ossature.spatial import IDENTITY, Pose, Quaternion, Vector3, norm, rotation_matrix, scale, unit
from ossature.syntax.rules import DEFAULT_USED

STANDARD_GRAVITY = 9.797930195020351
"""Default magnitude of gravity [m/s²], that of OpenRAVE."""
TIME_STEP = 0.001
"""Default time step [s]."""
LONGEST_TIME_STEP = 1e3
"""Upper bound of a valid time step [s]."""
TO_Z_UP: dict[str, Quaternion] = {
    "X_UP": (0.5, 0.5, -0.5, 0.5),
    "Y_UP": (0.5**0.5, 0.5**0.5, 0.0, 0.0),
    "Z_UP": (1.0, 0.0, 0.0, 0.0),
}
"""Rotation from the axes of the document to z upwards, by COLLADA's definition of right, up and inward."""
_UPWARDS: dict[str, Vector3] = {"X_UP": (1.0, 0.0, 0.0), "Y_UP": (0.0, 1.0, 0.0), "Z_UP": (0.0, 0.0, 1.0)}
_SUPPORTED_ELSEWHERE = ("library_sensors", "library_actuators")


def read(context: ReadContext) -> Loaded:
    """Return the World of a COLLADA document or archive, in the dialect of the context."""
    read_dialect = read_collada if context.dialect is None else read_openrave
    return Loaded(world=read_dialect(context.source, context.report, folder=context.folder, resolver=context.resolver))


@within_limits
def read_collada(
    source: Source, report: Report, *, folder: Path | None = None, resolver: Resolver | None = None
) -> World | None:
    """Return the World of a COLLADA document or archive, or None if it is neither.

    Args:
        report: Collects findings.
        folder: Folder for relative references to other documents; None for a file in memory.
        resolver: Finds other documents; by default in the folder and in those of environment variables.
    """
    return _read(source, report, folder, resolver, as_openrave=False)


@within_limits
def read_openrave(
    source: Source, report: Report, *, folder: Path | None = None, resolver: Resolver | None = None
) -> World | None:
    """Return the World of a COLLADA document as OpenRAVE reads it, also where that contradicts COLLADA.

    The model is not rotated to z upwards, initial positions of prismatic axes are in metres in any unit, and meshes are in the
    frames of their links, regardless of node transforms. See :func:`read_collada` for the arguments.
    """
    return _read(source, report, folder, resolver, as_openrave=True)


def _read(source: Source, report: Report, folder: Path | None, resolver: Resolver | None, *, as_openrave: bool) -> World | None:
    findings = Report()
    findings.budget = report.budget  # the limits and the counts are those of the whole reading
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # overflow is reported where it occurs
            store = DocumentStore.of(source, findings, folder, resolver)
            return None if store is None else _read_opened_document(store, findings, as_openrave=as_openrave)
    finally:
        # An element with several instances is read for each of them.
        report.extend({(finding.rule, finding.location, finding.message): finding for finding in findings}.values())


def _read_opened_document(store: DocumentStore, report: Report, *, as_openrave: bool) -> World | None:
    documents = Documents(store, report)
    document = documents.first
    if document is None:
        return None
    return read_world(ColladaReadContext(report=report, documents=documents, document=document, as_openrave=as_openrave))


def read_world(reading: ColladaReadContext) -> World:
    """Return the World of an opened document."""
    document = reading.document
    if document.writes_radians:
        reading.report.add(
            rules.ASSUMED_RADIANS, "its authoring tool writes joint values in radians", document.root.location("asset")
        )
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
    rotation = _rotation_to_z_up(scene, reading)
    moved = _moved_axes(scene, linkages, models, reading)
    world = World(
        name=scene.visual.name or Path(document.name).stem or "world",
        gravity=_read_gravity(scene, rotation, reading),
        time_step=_read_time_step(scene, reading),
        models=NamedList([_rotate_model(model, rotation) for model in (*models, *loose.models)]),
        grasps=read_grasps(physics, names, reading),
        trajectories=NamedList(read_animations(list(document.of_kind(AnimationElement)), moved, scene.visual, reading)),
        extensions=_read_extensions(reading),
        origin=document.root.location(),
    )
    complete = attach_parts(with_world_extra(world, document, reading.report), reading, read_world)
    return with_named_calibrations(complete, reading)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Builds models from the parts of a scene."""

    reading: ColladaReadContext
    scene: DocumentScene
    owners: NodeOwners
    physics: Physics
    names: Names

    def model(self, system: System, linkage: Linkage) -> Model:
        joint_names = names_of_joints(linkage, self.reading)
        extras = read_extras(system, linkage, joint_names, self.reading)
        shapes = VisualShapes(self.scene.visual, self.reading)
        rigid = self.physics.by_link
        bodies = [
            read_body(link, rigid.get(link), shapes, self.owners, extras, self.reading) for link in linkage.links.values()
        ]
        joints = self._read_joints(linkage, joint_names, extras)
        fixed = self._fixed_base_joints(linkage, joints)
        specified_name = next((name for name in (*system.names, *system.identifiers) if name), None)
        name = self.names.claim_unique(specified_name, "body", system.location)
        if joints and not fixed:
            self.reading.report.add(
                rules.FREE_BASE,
                f"the file does not state whether the first link '{next(iter(linkage.links))}' is fixed",
                system.location,
                path=name,
                hint="use `ossature simulate` or `convert` with --fix-base or --float-base, or add <dynamic>false</dynamic>",
            )
        model = Model(
            name=name,
            pose=linkage.pose,
            bodies=NamedList(bodies),
            joints=NamedList(
                [
                    *with_formulas(
                        in_order_of_actuators(joints, [actuator.joint or "" for actuator in extras.actuators]),
                        system,
                        joint_names,
                        self.reading,
                    ),
                    *fixed,
                ]
            ),
            ignored_pairs=tuple(extras.ignored_pairs),
            manipulators=NamedList(extras.manipulators.values()),
            sensors=NamedList(extras.sensors),
            actuators=NamedList(extras.actuators),
            hints=() if extras.interface is None else (extras.interface,),
            extensions=(*extras.unknown, *_subject_extension(system)),
            origin=system.location,
        )
        return with_registered_extras(with_model_extras(model, extras.own, self.reading.report), self.reading.report)

    def _read_joints(self, linkage: Linkage, joint_names: dict[JointInstance, str], extras: Extras) -> list[Joint]:
        names = Names(self.reading.report, "joint", set(joint_names.values()))
        joints: list[Joint] = []
        used: set[str] = set()
        for connection in linkage.connections:
            name = joint_names.get(connection.joint) if connection.joint is not None else None
            if name is None or name in used:
                name = names.claim_unique(None, f"{connection.child.name}_joint", connection.attachment.location())
            used.add(name)
            joints.append(read_joint(connection, name, tuple(extras.joint_infos.get(name, ())), self.reading))
        return joints

    def _fixed_base_joints(self, linkage: Linkage, joints: list[Joint]) -> list[Joint]:
        """Return fixed joints to the world for the links whose rigid bodies are not dynamic."""
        names = Names(self.reading.report, "joint", {joint.name for joint in joints})
        return [
            Joint(
                name=take_unique_name(f"{link.name}_fixed", names.taken),
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
    """Return the joint axes that are bound to transforms of nodes."""
    moved = {}
    for linkage, model in zip(linkages, models, strict=True):
        for joint, name in names_of_joints(linkage, reading).items():
            for index, (state, axis) in enumerate(zip(joint.axes, joint.element.axes, strict=False)):
                if state.target is not None and name in model.joints:
                    direction = (axis.axis.value if axis.axis is not None else None) or (0.0, 0.0, 1.0)
                    moved[state.target] = MovedAxis(
                        model=model.name,
                        joint=name,
                        coordinate=index,
                        direction=_normalize(direction),
                        meter=state.target[0].meter,
                    )
    return moved


def _normalize(direction: Vector3) -> Vector3:
    return unit(direction) if sys.float_info.min <= norm(direction) < math.inf else direction


def in_order_of_actuators(joints: Sequence[Joint], driven: Sequence[str]) -> list[Joint]:
    """Return the joints with the actuated ones first, in the order of their actuators, as OpenRAVE numbers coordinates."""
    indices = {joint: index for index, joint in reversed(list(enumerate(driven)))}
    return sorted(joints, key=lambda joint: indices.get(joint.name, len(driven)))


def names_of_joints(linkage: Linkage, reading: ColladaReadContext) -> dict[JointInstance, str]:
    """Return the names of the joints of a robot."""
    names = Names(reading.report, "joint")
    result: dict[JointInstance, str] = {}
    for connection in linkage.connections:
        joint = connection.joint
        if joint is not None and joint not in result:
            result[joint] = names.claim_unique(joint.element.name or joint.sid, "joint", joint.element.location())
    return result


def _subject_extension(system: System) -> list[Extension]:
    if not system.instances:
        return []
    asset = system.instances[0].element.asset
    subject = asset.subject if asset is not None else None
    return [Extension(format="collada", key="subject", value=subject)] if subject else []


def _up_axis(scene: DocumentScene, reading: ColladaReadContext) -> tuple[str, bool]:
    """Return the up axis, and whether it is stated: by the document, else by one that its scene instantiates."""
    shown = [root.document for root in scene.visual.roots[:1]]
    shown += [instance.item.document for system in scene.systems for instance in system.instances]
    specified = next(
        (axis for document in (reading.document, *shown) if (axis := document.specified_up_axis) is not None), None
    )
    return specified or "Y_UP", specified is not None


def _rotation_to_z_up(scene: DocumentScene, reading: ColladaReadContext) -> Pose:
    axis, specified = _up_axis(scene, reading)
    if axis == "Z_UP" or reading.as_openrave:
        return IDENTITY
    asset = reading.document.root.asset
    reading.report.add(
        rules.UP_AXIS_CONVERTED,
        f"{axis} is {'stated' if specified else 'the default'}: the model is rotated so that z points upwards",
        asset.location("up_axis") if asset is not None else reading.document.root.location(),
    )
    return Pose(wxyz=TO_Z_UP[axis])


def _rotate_model(model: Model, rotation: Pose) -> Model:
    return model if rotation is IDENTITY else replace(model, pose=rotation @ model.pose)


def _read_gravity(scene: DocumentScene, rotation: Pose, reading: ColladaReadContext) -> Vector3:
    specified: Vector3 | None = scene_value(scene.physics, "gravity", reading.report)
    if specified is not None:
        return _rotate_by_right_angles(rotation, specified)
    x, y, z = _UPWARDS[_up_axis(scene, reading)[0]]
    reading.report.add(
        DEFAULT_USED,
        f"gravity is not stated: {STANDARD_GRAVITY:.6f} m/s² downwards is used, as in OpenRAVE",
        reading.document.root.location("scene"),
        hint="<gravity> in the physics scene",
    )
    return _rotate_by_right_angles(rotation, scale((x, y, z), -STANDARD_GRAVITY))


def _read_time_step(scene: DocumentScene, reading: ColladaReadContext) -> float:
    specified: float | None = scene_value(scene.physics, "time_step", reading.report)
    if specified is None or 0.0 < specified < LONGEST_TIME_STEP:
        return TIME_STEP if specified is None else specified
    reading.report.add(
        DEFAULT_USED, f"invalid time step of {specified:g} s: {TIME_STEP:g} s is used", reading.document.root.location("scene")
    )
    return TIME_STEP


def _rotate_by_right_angles(rotation: Pose, vector: Vector3) -> Vector3:
    """Return a vector rotated so that an axis points along another one, without rounding: its components are exchanged."""
    rows = rotation_matrix(rotation.wxyz)
    x, y, z = (math.fsum(round(factor) * value for factor, value in zip(row, vector, strict=True)) for row in rows)
    return (x, y, z)


def _read_extensions(reading: ColladaReadContext) -> tuple[Extension, ...]:
    root = reading.document.root
    return tuple(
        [as_extension(extra) for extra in root.extra if extra.type not in _SUPPORTED_ELSEWHERE and not own_content(extra)]
    )
