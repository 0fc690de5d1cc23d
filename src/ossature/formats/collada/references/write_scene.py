"""Writes a World as a document that refers to the files of its robots, and states their poses, positions and grasps.

A single robot with the pose and properties of its file refers to the scenes of that file. Otherwise the document has scenes of
its own, with instances of the robots of the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from ossature.diagnostics import OssatureError
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.kinematics.read_articulated_systems import AxisState
from ossature.formats.collada.kinematics.schema import (
    BindJointAxisElement,
    BindKinematicsModelElement,
    InstanceArticulatedSystemElement,
    InstanceKinematicsSceneElement,
    KinematicsSceneElement,
)
from ossature.formats.collada.kinematics.write_joint import written_axes
from ossature.formats.collada.native_extension.difference_encoding import make_extra, technique_node
from ossature.formats.collada.native_extension.model import changed_joints
from ossature.formats.collada.native_extension.world import world_extra
from ossature.formats.collada.openrave.schema import PROFILE
from ossature.formats.collada.openrave.write_grasped_bodies import write_grasps
from ossature.formats.collada.physics.schema import (
    InstancePhysicsModelElement,
    InstanceRigidBodyElement,
    InstanceRigidBodyTechniqueElement,
)
from ossature.formats.collada.physics.write import SCENE as PHYSICS_SCENE
from ossature.formats.collada.physics.write import physics_scene
from ossature.formats.collada.references.referenced_robot import RobotFile, open_robot
from ossature.formats.collada.schema import LIBRARIES, ColladaElement, InstanceSceneElement, SceneElement
from ossature.formats.collada.schema_common import ExtraElement, NewparamElement, ParamElement, ValueElement
from ossature.formats.collada.sid_resolution import AxisTarget, ModelTarget
from ossature.formats.collada.visual_scene.node_instances import NodeInstance
from ossature.formats.collada.visual_scene.schema import InstanceNodeElement, NodeElement, VisualSceneElement
from ossature.formats.collada.write import KINEMATICS_SCENE, SUPPORTED_ELSEWHERE, VERSION, VISUAL_SCENE, document_text
from ossature.formats.collada.write_asset import write_asset
from ossature.formats.collada.write_context import transforms_of
from ossature.formats.collada.write_passthrough_extras import sorted_extensions
from ossature.formats.collada.written_names import written_names
from ossature.model import BodyPath, Model, NamedList, World
from ossature.spatial import Pose
from ossature.syntax.schema import replace_fields

_POSE_TOLERANCE = 1e-12  # metres, and parts of a quaternion


def write_collada_by_reference(world: World, robots: Mapping[str, str], ledger: Ledger, *, folder: Path) -> str:
    """Return a World as the text of a document that refers to the files of its robots.

    The document states the poses of the robots, the positions and limits of their joints, and the grasps. All else is that of
    their files.

    Args:
        robots: The URL of the document of each model, relative to the folder.
        ledger: Receives what is represented differently.

    Raises:
        OssatureError: A model has no document.
    """
    missing = [name for name in world.models.names() if name not in robots]
    if missing:
        raise OssatureError(f"the robot '{missing[0]}' has no file to refer to")
    files = [open_robot(robots[model.name], model.name, folder) for model in world.models]
    referenced = [
        _ReferencedRobot(model, file, number) for number, (model, file) in enumerate(zip(world.models, files, strict=True), 1)
    ]
    if len(referenced) == 1 and _equals_file(referenced[0], world):
        return document_text(_refer_to_scenes(world, referenced[0], ledger))
    return document_text(_write_scenes(world, referenced, ledger))


@dataclass(frozen=True, slots=True)
class _ReferencedRobot:
    """A robot of the World, its file, and its number in the scene, starting from one."""

    model: Model
    file: RobotFile
    number: int

    def parameter(self, name: str) -> str:
        """Return the name of a parameter of the scene of the file in a scene with other robots."""
        return f"robot{self.number}_{name}"

    def identifier(self, node: NodeInstance) -> str:
        """Return the identifier of the copy of a node, unique among robots."""
        return f"{node.element.id}{self.suffix}{node.suffix}"

    @property
    def suffix(self) -> str:
        """The suffix of the identifiers of its nodes."""
        return f".r{self.number}"

    def value(self, joint: str, index: int) -> ValueElement:
        """Return the initial position of an axis, in the unit of the document."""
        axes = written_axes(self.model.joints[joint]) if joint in self.model.joints else []
        return ValueElement(float_value=axes[index].in_document(axes[index].initial_position) if index < len(axes) else 0.0)


# A reference to the scenes of a file


def _equals_file(robot: _ReferencedRobot, world: World) -> bool:
    """Whether a robot equals that of its file, except for the positions of its joints."""
    file = robot.file
    scene = file.document.root.scene
    if scene is None or len(file.world.models) != 1 or len(scene.instance_physics_scene) != 1:
        return False
    urls = [scene.instance_physics_scene[0].url, scene.instance_visual_scene.url if scene.instance_visual_scene else None]
    return (
        all((url or "").startswith("#") for url in urls)
        and (file.world.gravity, file.world.time_step) == (world.gravity, world.time_step)
        and _is_close(robot.model.pose, file.model.pose)
        and all(file.parameter(target) for _, _, target, _ in file.axes())
        and all(file.parameter(ModelTarget(instance.scope)) for instance in file.system.instances)
        and not changed_joints(_restore_file_positions(robot), file.referenced, Ledger())
    )


def _is_close(a: Pose, b: Pose) -> bool:
    gap = a.inverse() @ b
    return max(map(abs, (*gap.position, *gap.wxyz[1:]))) <= _POSE_TOLERANCE


def _restore_file_positions(robot: _ReferencedRobot) -> Model:
    """Return a robot with the joint positions of its file, for the joints whose positions a scene can override."""
    by_name = {joint.name: joint for joint in robot.file.referenced.joints}
    joints = []
    for joint in robot.model.joints:
        known = by_name.get(joint.name)
        state = robot.file.joints.get(joint.name)
        if known is None or state is None or known.type != joint.type or state.element.extra:
            joints.append(joint)
            continue
        coordinates = [
            replace(coordinate, initial_position=other.initial_position)
            if other.position_limits.lower <= coordinate.initial_position <= other.position_limits.upper
            else coordinate
            for coordinate, other in zip(joint.coordinates, known.coordinates, strict=True)
        ]
        joints.append(replace(joint, coordinates=tuple(coordinates)))
    return replace(robot.model, joints=NamedList(joints))


def _refer_to_scenes(world: World, robot: _ReferencedRobot, ledger: Ledger) -> ColladaElement:
    """Return a document whose scene refers to the scenes of a file."""
    file = robot.file
    scene = file.document.root.scene
    assert scene is not None and scene.instance_visual_scene is not None  # noqa: S101  # checked by _equals_file
    physics = scene.instance_physics_scene[0]
    paths = {BodyPath(model=robot.model.name, body=name): "/".join(rigid.path) for name, rigid in file.rigid_bodies()}
    shown = SceneElement(
        instance_physics_scene=(
            InstanceSceneElement(
                url=f"{file.url}{physics.url}", sid="pscene_inst", extra=tuple(write_grasps(world, paths, ledger))
            ),
        ),
        instance_visual_scene=InstanceSceneElement(url=f"{file.url}{scene.instance_visual_scene.url}", sid="vscene_inst"),
        instance_kinematics_scene=InstanceKinematicsSceneElement(
            url=f"{file.url}#{file.kinematics}",
            sid="kscene_inst",
            bind_kinematics_model=tuple(
                BindKinematicsModelElement(target=instance.node.id, param=ParamElement(value=file.parameter(target)))
                for instance in file.system.instances
                for target in [ModelTarget(instance.scope)]
                if instance.node is not None and instance.node.id is not None
            ),
            bind_joint_axis=tuple(
                BindJointAxisElement(
                    target=_target_path(state, lambda node: node.id),
                    axis=ValueElement(param=ParamElement(value=file.parameter(target))),
                    value=robot.value(joint, index),
                )
                for joint, index, target, state in file.axes()
            ),
        ),
    )
    return _document_element(world, shown, [], ledger, has_name=False)


# Scenes of the document


def _write_scenes(world: World, robots: list[_ReferencedRobot], ledger: Ledger) -> ColladaElement:
    """Return a document with scenes of instances of the robots of files."""
    instances = [instance for robot in robots for instance in _physics_instances(robot)]
    paths = {body: path for robot in robots for body, path in _rigid_paths(robot)}
    systems = [_system_instance(robot, ledger) for robot in robots]
    nodes = tuple([_root_node(robot) for robot in robots]) or (NodeElement(id="nothing"),)
    name = written_names([world.name], "world", "", ledger)[0]
    libraries = {
        "library_visual_scenes": VisualSceneElement(id=VISUAL_SCENE, name=name, nodes=nodes),
        "library_kinematics_scenes": KinematicsSceneElement(id=KINEMATICS_SCENE, instance_articulated_system=tuple(systems)),
        "library_physics_scenes": physics_scene(world, instances),
    }
    grasps = tuple(write_grasps(world, paths, ledger))
    shown = SceneElement(
        instance_physics_scene=(InstanceSceneElement(url=f"#{PHYSICS_SCENE}", sid=f"{PHYSICS_SCENE}_inst", extra=grasps),),
        instance_visual_scene=InstanceSceneElement(url=f"#{VISUAL_SCENE}", sid=f"{VISUAL_SCENE}_inst"),
        instance_kinematics_scene=InstanceKinematicsSceneElement(
            url=f"#{KINEMATICS_SCENE}",
            sid=f"{KINEMATICS_SCENE}_inst",
            bind_kinematics_model=tuple([binding for robot in robots for binding in _model_bindings(robot)]),
            bind_joint_axis=tuple([binding for robot in robots for binding in _axis_bindings(robot)]),
        ),
    )
    items = [cast(Any, LIBRARIES[tag])(items=(element,)) for tag, element in libraries.items()]
    return _document_element(world, shown, items, ledger, has_name=True)


def _document_element(
    world: World, scene: SceneElement, libraries: list[Any], ledger: Ledger, *, has_name: bool
) -> ColladaElement:
    passthrough = sorted_extensions(world.extensions, SUPPORTED_ELSEWHERE, "extensions", ledger, has_subject=False)
    extra = (*world_extra(world, passthrough.others, ledger, has_name=has_name, trajectories=NamedList()), *passthrough.extras)
    return ColladaElement(version=VERSION, asset=write_asset(), libraries=tuple(libraries), scene=scene, extra=extra)


def _root_node(robot: _ReferencedRobot) -> NodeElement:
    """Return the node of a robot: an instance of the node of its file, with the pose of the robot."""
    name = f"place{robot.number}"
    root = robot.file.root
    copies: tuple[InstanceNodeElement, ...] = ()
    if root is not None:
        if root.document is not robot.file.document or root.element.id is None:
            raise OssatureError(f"the root node of '{robot.model.name}' in '{robot.file.url}' has no id to refer to")
        suffix = make_extra("idsuffix", [technique_node(PROFILE, ())], robot.suffix)
        copies = (InstanceNodeElement(url=f"{robot.file.url}#{root.element.id}", extra=(suffix,)),)
    correction = robot.model.pose @ robot.file.linkage.pose.inverse()
    return NodeElement(id=name, sid=name, name=robot.model.name, transforms=transforms_of(correction), instance_node=copies)


def _system_instance(robot: _ReferencedRobot, ledger: Ledger) -> InstanceArticulatedSystemElement:
    instance = robot.file.instance
    return InstanceArticulatedSystemElement(
        url=f"{robot.file.url}{instance.url}",
        sid=f"robot{robot.number}_inst",
        name=robot.model.name,
        newparam=(*_copied_parameters(robot), *_missing_parameters(robot)),
        setparam=instance.setparam,
        extra=(*instance.extra, *_changed_joints_extras(robot, ledger)),
    )


def _changed_joints_extras(robot: _ReferencedRobot, ledger: Ledger) -> tuple[ExtraElement, ...]:
    # Positions are also in the scene, which other programs read.
    changed_joints(_restore_file_positions(robot), robot.file.referenced, ledger)
    return changed_joints(robot.model, robot.file.referenced, Ledger())


def _copied_parameters(robot: _ReferencedRobot) -> Iterator[NewparamElement]:
    """Yield the parameters of the scene of the file, with their names in this document."""
    for parameter in robot.file.instance.newparam:
        if parameter.sid:
            yield replace_fields(parameter, sid=robot.parameter(parameter.sid))


def _missing_parameters(robot: _ReferencedRobot) -> Iterator[NewparamElement]:
    """Yield parameters for models and axes without a parameter in the scene of the file."""
    system = (robot.file.instance.url or "").removeprefix("#")
    for instance in robot.file.system.instances:
        if robot.file.parameter(ModelTarget(instance.scope)) is None:
            name = _parameter_name(ModelTarget(instance.scope))
            yield NewparamElement(sid=robot.parameter(name), sidref=f"{system}/{name}")
    for _, _, target, _ in robot.file.axes():
        if robot.file.parameter(target) is None:
            axis = target.model.axes[target.joint][target.axis]
            path = f"{system}/{_parameter_name(ModelTarget(target.model))}/{target.joint}/{axis}"
            yield NewparamElement(sid=robot.parameter(_parameter_name(target)), sidref=path)


def _parameter_name(target: AxisTarget | ModelTarget) -> str:
    """Return a parameter name for a model or an axis without a parameter in the scene of its file."""
    model = max(target.model.identifiers)
    return model if isinstance(target, ModelTarget) else f"{model}_{target.joint}_{target.axis}"


def _model_bindings(robot: _ReferencedRobot) -> Iterator[BindKinematicsModelElement]:
    for instance in robot.file.system.instances:
        target = ModelTarget(instance.scope)
        name = robot.parameter(robot.file.parameter(target) or _parameter_name(target))
        if instance.node is not None and instance.node.element.id is not None:
            yield BindKinematicsModelElement(target=robot.identifier(instance.node), param=ParamElement(value=name))


def _axis_bindings(robot: _ReferencedRobot) -> Iterator[BindJointAxisElement]:
    for joint, index, target, state in robot.file.axes():
        name = robot.parameter(robot.file.parameter(target) or _parameter_name(target))
        yield BindJointAxisElement(
            target=_target_path(state, robot.identifier),
            axis=ValueElement(param=ParamElement(value=name)),
            value=robot.value(joint, index),
        )


def _target_path(state: AxisState, identifier: Callable[[NodeInstance], str | None]) -> str | None:
    """Return the path of the transform of an axis, or None if it has none, or one without identifiers."""
    if state.target is None:
        return None
    node, index = state.target
    sid = node.element.transforms[index].sid
    ancestor: NodeInstance | None = node
    while ancestor is not None and ancestor.element.id is None:
        ancestor = ancestor.parent
    return None if ancestor is None or sid is None else f"{identifier(ancestor)}/{sid}"


def _physics_sid(robot: _ReferencedRobot, sid: str | None) -> str:
    return f"robot{robot.number}_{sid or 'physics'}"


def _physics_instances(robot: _ReferencedRobot) -> Iterator[InstancePhysicsModelElement]:
    rigid = {body.location: body for _, body in robot.file.rigid_bodies()}
    for item, _ in robot.file.scene.physics:
        for instance in item.element.instance_physics_model:
            bodies = [
                _rigid_body_instance(body, f"#{robot.identifier(found.node)}")
                for body in instance.instance_rigid_body
                if (found := rigid.get(body.location())) is not None and found.node is not None
            ]
            if bodies and item.document is robot.file.document:
                yield InstancePhysicsModelElement(
                    url=f"{robot.file.url}{instance.url}",
                    sid=_physics_sid(robot, instance.sid),
                    parent=_parent_reference(instance, robot),
                    instance_rigid_body=tuple(bodies),
                )


def _rigid_body_instance(body: InstanceRigidBodyElement, target: str) -> InstanceRigidBodyElement:
    technique = body.technique_common or InstanceRigidBodyTechniqueElement()
    return replace_fields(body, sid=body.sid or body.body, target=target, technique_common=technique)


def _rigid_paths(robot: _ReferencedRobot) -> Iterator[tuple[BodyPath, str]]:
    names = {body.location: name for name, body in robot.file.rigid_bodies()}
    for item, _ in robot.file.scene.physics:
        for instance in item.element.instance_physics_model:
            for body in instance.instance_rigid_body:
                name = names.get(body.location())
                if name is not None:
                    path = f"{_physics_sid(robot, instance.sid)}/{body.sid or body.body}"
                    yield BodyPath(model=robot.model.name, body=name), path


def _parent_reference(instance: InstancePhysicsModelElement, robot: _ReferencedRobot) -> str | None:
    """Return the reference to the node in whose frame rigid bodies are expressed, or None."""
    nodes = robot.file.scene.visual.with_id((instance.parent or "").removeprefix("#"))
    return f"#{robot.identifier(nodes[0])}" if nodes else None
