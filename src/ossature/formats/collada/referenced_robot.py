"""A robot in a document of its own, as a scene in another document refers to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ossature.assets.document_store import DocumentStore
from ossature.diagnostics import OssatureError, Report, Source
from ossature.formats.collada.document_lookup import Document, Documents, Item
from ossature.formats.collada.node_instances import NodeInstance
from ossature.formats.collada.read import names_of_joints, read_world
from ossature.formats.collada.read_articulated_systems import AxisState, JointInstance, System
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.read_kinematic_graph import Linkage, read_linkage
from ossature.formats.collada.read_physics import Physics, RigidBody, read_physics
from ossature.formats.collada.read_scene import DocumentScene, read_scene
from ossature.formats.collada.read_visual import find_owners
from ossature.formats.collada.schema_kinematics import InstanceArticulatedSystemElement, KinematicsSceneElement
from ossature.formats.collada.sid_resolution import AxisTarget, ModelTarget, Scope, parts_of
from ossature.model import Model, World
from ossature.syntax.schema import replace_fields

_BEGINNING = b'<COLLADA version="1.5.0"><asset/></COLLADA>'
"""A document that says nothing, beside which the others are looked for."""


@dataclass(frozen=True, slots=True)
class RobotFile:
    """A robot in a document of its own.

    Attributes:
        url: The document.
        document: What stands in it.
        scene: What it shows.
        kinematics: The identifier of its kinematics scene.
        instance: How its scene shows the robot.
        system: The robot.
        linkage: Its links.
        physics: Rigid bodies.
        joints: Its joints, by what they are called.
        world: What is read from the document.
        model: The robot among that.
        known: The robot as it is read from a scene in another document, which has its own units for speeds.
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
    known: Model

    @property
    def root(self) -> NodeInstance | None:
        """The outermost node in which it stands, or None where it is not seen."""
        node = self.system.instances[0].node
        while node is not None and node.parent is not None:
            node = node.parent
        return node

    def rigid_bodies(self) -> Iterator[tuple[str, RigidBody]]:
        """Yield the rigid body of each of its links that has one, with the link's name."""
        for name, link in self.linkage.links.items():
            rigid = self.physics.by_link.get(link)
            if rigid is not None:
                yield name, rigid

    def axes(self) -> Iterator[tuple[str, int, AxisTarget, AxisState]]:
        """Yield every axis: what its joint is called, its number there, how it is named, and what is said about it."""
        names = {state: name for name, state in self.joints.items()}
        for instance, joint, index in self.system.axes():
            if joint in names:
                yield names[joint], index, AxisTarget(instance.scope, joint.sid, index), joint.axes[index]

    def parameter(self, target: AxisTarget | ModelTarget) -> str | None:
        """Return the parameter of its scene that means an axis or a model of it, or None where there is none."""
        scope = self.system.scope
        assert isinstance(scope, Scope)  # noqa: S101  # it is an articulated system
        for parameter in self.instance.newparam:
            if parameter.sid and parameter.reference and scope.find(parts_of(parameter.reference)) == target:
                return parameter.sid
        return None


def open_robot(url: str, model: str, folder: Path) -> RobotFile:
    """Return the robot that a document holds.

    Args:
        url: The document, relative to the folder.
        model: What the robot is called, where the document holds several.
        folder: The folder of the document that will refer to it.

    Raises:
        OssatureError: The document cannot be had, or its scene shows no such robot.
    """
    report = Report()
    item, documents = _kinematics_scene(url, folder, report)
    reading = ColladaReadContext(report=report, documents=documents, document=item.document)
    scene = read_scene(reading)
    instances = item.element.instance_articulated_system
    if len(scene.systems) != len(instances) + len(item.element.instance_kinematics_model):
        raise OssatureError(f"'{url}' shows systems that it does not have")
    number = _number_of(model, [scene.systems[index] for index in range(len(instances))], url)
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
        known=world.models[number] if not item.document.writes_radians else _as_in_degrees(reading).models[number],
    )


def _as_in_degrees(reading: ColladaReadContext) -> World:
    """Return what is read from a document by another one, whose tool does not write radians."""
    document = reading.document
    asset = document.root.asset
    plain = None if asset is None else replace_fields(asset, contributor=())
    return read_world(replace(reading, document=replace(document, root=replace_fields(document.root, asset=plain))))


def _kinematics_scene(url: str, folder: Path, report: Report) -> tuple[Item, Documents]:
    store = DocumentStore.of(Source("scene.dae", _BEGINNING), report, folder)
    assert store is not None  # noqa: S101  # it begins with no archive
    documents = Documents(store, report)
    first = documents.first
    assert first is not None  # noqa: S101  # it begins with a document
    item = documents.find(url, KinematicsSceneElement, first, first.root)
    if item is None:
        reasons = "; ".join(finding.message for finding in report.errors) or "it has no kinematics scene"
        raise OssatureError(f"'{url}' holds no robot to refer to: {reasons}")
    return item, documents


def _number_of(model: str, systems: list[System], url: str) -> int:
    named = [number for number, system in enumerate(systems) if system.instances and model in system.names]
    if not named and len(systems) == 1 and systems[0].instances:
        named = [0]
    if not named:
        raise OssatureError(f"'{url}' shows no robot '{model}'")
    return named[0]
