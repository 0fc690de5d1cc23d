"""Writes bodies as nodes of a visual scene: visual shapes of links, and the transforms of joints."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.formats.collada.geometry.write_shape import Geometries, WrittenShape
from ossature.formats.collada.kinematics.link_forest import LinkTree
from ossature.formats.collada.kinematics.write_joint import WrittenAxis
from ossature.formats.collada.kinematics.write_kinematics_model import pose_parent_joint
from ossature.formats.collada.materials.write import MaterialLibrary
from ossature.formats.collada.model_write_context import ModelWriteContext, axis_parameter
from ossature.formats.collada.schema_common import RotateElement, Transform, TranslateElement
from ossature.formats.collada.visual_scene.schema import InstanceGeometryElement, NodeElement
from ossature.formats.collada.write_context import transforms_of
from ossature.formats.collada.written_names import unique_names
from ossature.model import Body, Joint
from ossature.spatial import Pose


@dataclass(slots=True)
class Visuals:
    """Writes nodes with visual shapes."""

    geometries: Geometries
    materials: MaterialLibrary

    def root_node(self, model: ModelWriteContext, pose: Pose) -> NodeElement:
        """Return the root node of a model, with the nodes of all bodies."""
        return NodeElement(
            id=model.visual,
            sid=model.visual,
            name=model.name,
            transforms=transforms_of(pose),
            nodes=tuple(
                self._node_element(tree.root, transforms_of(model.pose(tree.root)), tree, model) for tree in model.forest.trees
            ),
        )

    def _node_element(
        self, body: str | None, transforms: tuple[Transform, ...], tree: LinkTree, model: ModelWriteContext
    ) -> NodeElement:
        inner = [
            self._node_element(joint.child, _joint_transforms(joint, model), tree, model)
            for joint in tree.child_joints.get(body, [])
        ]
        element = None if body is None else model.model.bodies[body]
        return NodeElement(
            id=model.node_id(body),
            sid=model.node(body),
            name=model.world_link if element is None else element.name,
            transforms=transforms,
            instance_geometry=() if element is None else tuple(self._geometry_instances(element, model)),
            nodes=(*(() if element is None else _frame_nodes(element, model)), *inner),
        )

    def _geometry_instances(self, body: Body, model: ModelWriteContext) -> list[InstanceGeometryElement]:
        instances = []
        for index, visual in enumerate(body.visuals):
            path = f"{model.path}/{body.name}.visuals"
            shape = WrittenShape(geometry=visual.geometry, pose=visual.pose, name=visual.name, visible=visual.visible)
            identifier = self.geometries.identifier(shape, geometry_prefix(body.name, model), f"{path}[{index}]")
            if identifier is None:
                model.writing.ledger.dropped(path, f"shape {index} is omitted")
                continue
            binding = self.materials.binding(visual.color, f"{path}[{index}].color")
            instances.append(InstanceGeometryElement(url=f"#{identifier}", bind_material=binding))
        return instances


def geometry_prefix(body: str, model: ModelWriteContext) -> str:
    """Return the prefix of the identifiers of the geometries of a body."""
    return f"g{model.number}_{model.links[body]}"


def axis_target(joint_sid: str, index: int) -> str:
    """Return the sid of the transform of an axis."""
    return f"node_{axis_parameter(joint_sid, index)}"


def _joint_transforms(joint: Joint, model: ModelWriteContext) -> tuple[Transform, ...]:
    """Return the transforms from a parent to a child, with those of the axes at zero."""
    sid = model.joints[joint.name]
    axis_transforms = [_axis_transform(axis, axis_target(sid, index)) for index, axis in enumerate(model.axes[joint.name])]
    return (*transforms_of(pose_parent_joint(joint, model)), *axis_transforms, *transforms_of(joint.pose.inverse()))


def _axis_transform(axis: WrittenAxis, sid: str) -> Transform:
    if axis.axis.is_revolute:
        return RotateElement(sid=sid, value=(*axis.axis.direction, 0.0))
    return TranslateElement(sid=sid, value=(0.0, 0.0, 0.0))


def _frame_nodes(body: Body, model: ModelWriteContext) -> list[NodeElement]:
    path = f"{model.path}/{body.name}.frames"
    names = unique_names([frame.name for frame in body.frames], "frame")
    for index, (name, frame) in enumerate(zip(names, body.frames, strict=True)):
        if name != frame.name:
            model.writing.ledger.approximated(f"{path}[{index}].name", f"renamed to '{name}'")
    return [
        NodeElement(
            id=f"{model.node_id(body.name)}_frame{index}",
            sid=f"{model.node(body.name)}_frame{index}",
            name=name,
            transforms=transforms_of(frame.pose),
        )
        for index, (name, frame) in enumerate(zip(names, body.frames, strict=True))
    ]
