"""Reads a robot of a separate document that a scene refers to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ossature.assets.document_store import DocumentStore
from ossature.diagnostics import OssatureError, Report, Source
from ossature.formats.collada.document_lookup import Document, Documents, Item
from ossature.formats.collada.kinematics.read_articulated_systems import AxisState, JointInstance, System
from ossature.formats.collada.kinematics.read_kinematic_graph import Linkage, read_linkage
from ossature.formats.collada.kinematics.schema import InstanceArticulatedSystemElement, KinematicsSceneElement
from ossature.formats.collada.physics.read import Physics, RigidBody, read_physics
from ossature.formats.collada.read import names_of_joints, read_world
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.read_scene import DocumentScene, read_scene
from ossature.formats.collada.sid_resolution import AxisTarget, ModelTarget, Scope, split_sid_path
from ossature.formats.collada.visual_scene.node_instances import NodeInstance
from ossature.formats.collada.visual_scene.read import find_owners
from ossature.model import Model, World
from ossature.syntax.schema import replace_fields

_EMPTY_DOCUMENT = b'<COLLADA version="1.5.0"><asset/></COLLADA>'
"""An empty document; the URLs of others are relative to it."""


@dataclass(frozen=True, slots=True)
class RobotFile:
    """A robot in a separate document.

    Attributes:
        document: Its content.
        kinematics: The identifier of its kinematics scene.
        instance: The instance of the robot in the kinematics scene.
        physics: The rigid bodies of the scene.
        joints: The joints of the robot, by name.
        world: The World of the document.
        model: The robot in that World.
        referenced: The robot as it is read through a scene in another document, with the angular units of that document.
    """

    url: str
    document: Document
    scene: DocumentScene
    kinematics: str
    instance: InstanceArticulatedSystemElement
    system: System
    linkage: Linkage
    physics: Physics
    joints: dict[str, JointInstance]
    world: World
    model: Model
    referenced: Model

    @property
    def root(self) -> NodeInstance | None:
        """The root node of the robot in the visual scene, or None if it has no nodes."""
        node = self.system.instances[0].node
        while node is not None and node.parent is not None:
            node = node.parent
        return node

    def rigid_bodies(self) -> Iterator[tuple[str, RigidBody]]:
        """Yield the rigid bodies of the links, each with the name of the link."""
        for name, link in self.linkage.links.items():
            rigid = self.physics.by_link.get(link)
            if rigid is not None:
                yield name, rigid

    def axes(self) -> Iterator[tuple[str, int, AxisTarget, AxisState]]:
        """Yield every axis: the name of its joint, its index in the joint, its target, and its state."""
        names = {state: name for name, state in self.joints.items()}
        for instance, joint, index in self.system.axes():
            if joint in names:
                yield names[joint], index, AxisTarget(instance.scope, joint.sid, index), joint.axes[index]

    def parameter(self, target: AxisTarget | ModelTarget) -> str | None:
        """Return the parameter of its scene that refers to an axis or a model, or None."""
        scope = self.system.scope
        assert isinstance(scope, Scope)  # noqa: S101  # it is an articulated system
        for parameter in self.instance.newparam:
            if parameter.sid and parameter.reference and scope.find(split_sid_path(parameter.reference)) == target:
                return parameter.sid
        return None


def open_robot(url: str, model: str, folder: Path) -> RobotFile:
    """Return the robot of a document.

    Args:
        url: The URL of the document, relative to the folder.
        model: The name of the robot, which selects one of several.
        folder: The folder of the document that will refer to it.

    Raises:
        OssatureError: The document cannot be read, or its scene has no such robot.
    """
    report = Report()
    item, documents = _kinematics_scene(url, folder, report)
    reading = ColladaReadContext(report=report, documents=documents, document=item.document)
    scene = read_scene(reading)
    instances = item.element.instance_articulated_system
    if len(scene.systems) != len(instances) + len(item.element.instance_kinematics_model):
        raise OssatureError(f"the scene of '{url}' has instances of missing articulated systems")
    number = _find_system(model, [scene.systems[index] for index in range(len(instances))], url)
    linkages = [read_linkage(system, scene.visual, reading) for system in scene.systems]
    owners = find_owners(linkages, scene.visual, reading)
    links = [link for linkage in linkages for link in linkage.links.values()]
    world = read_world(reading)
    return RobotFile(
        url=url,
        document=item.document,
        scene=scene,
        kinematics=item.element.id or "",
        instance=instances[number],
        system=scene.systems[number],
        linkage=linkages[number],
        physics=read_physics(scene, owners, links, reading),
        joints={name: joint for joint, name in names_of_joints(linkages[number], reading).items()},
        world=world,
        model=world.models[number],
        referenced=world.models[number] if not item.document.writes_radians else _read_in_degrees(reading).models[number],
    )


def _read_in_degrees(reading: ColladaReadContext) -> World:
    """Return the World of a document, read with angles in degrees whatever its authoring tool is."""
    document = reading.document
    asset = document.root.asset
    plain = None if asset is None else replace_fields(asset, contributor=())
    return read_world(replace(reading, document=replace(document, root=replace_fields(document.root, asset=plain))))


def _kinematics_scene(url: str, folder: Path, report: Report) -> tuple[Item, Documents]:
    store = DocumentStore.of(Source("scene.dae", _EMPTY_DOCUMENT), report, folder)
    assert store is not None  # noqa: S101  # it is not an archive
    documents = Documents(store, report)
    first = documents.first
    assert first is not None  # noqa: S101  # it is a document
    item = documents.find(url, KinematicsSceneElement, first, first.root)
    if item is None:
        reasons = "; ".join(finding.message for finding in report.errors) or "no kinematics scene"
        raise OssatureError(f"'{url}' has no robot: {reasons}")
    return item, documents


def _find_system(model: str, systems: list[System], url: str) -> int:
    named = [number for number, system in enumerate(systems) if system.instances and model in system.names]
    if not named and len(systems) == 1 and systems[0].instances:
        named = [0]
    if not named:
        raise OssatureError(f"the scene of '{url}' has no robot '{model}'")
    return named[0]
