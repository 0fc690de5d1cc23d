"""Writes link trees as kinematics models: joints, nested links and loop joints."""

from __future__ import annotations

from ossature.formats.collada.kinematics import schema
from ossature.formats.collada.kinematics.link_forest import LinkTree
from ossature.formats.collada.kinematics.write_formula import writable_formulas, write_formulas
from ossature.formats.collada.kinematics.write_joint import write_joint
from ossature.formats.collada.model_write_context import ModelWriteContext
from ossature.formats.collada.openrave.write_link_joint_info import info_extra
from ossature.formats.collada.schema_common import AssetElement, ExtraElement
from ossature.formats.collada.write_asset import creation_date
from ossature.formats.collada.write_context import transforms_of
from ossature.model import Joint
from ossature.spatial import Pose


def write_kinematics_model(tree: LinkTree, model: ModelWriteContext, subject: str | None) -> None:
    """Add the kinematics model of a tree to the document.

    Args:
        subject: The description of the model, or None.
    """
    written = model.written_joints(tree)
    joints = [
        write_joint(
            joint, model.joints[joint.name], f"{model.path}/{joint.name}", model.writing.ledger, writable_formulas(joint, model)
        )
        for joint in written
    ]
    content = schema.KinematicsModelTechniqueElement(
        joints=tuple(joints),
        link=(_Links(model, tree).link(tree.root, model.pose(tree.root)),),
        formulas=tuple(write_formulas(written, model)),
    )
    element = schema.KinematicsModelElement(
        id=model.tree_ids[tree.root].model,
        name=model.name,
        asset=AssetElement(created=creation_date(), modified=creation_date(), subject=subject) if subject is not None else None,
        technique_common=content,
        extra=tuple(_info_extras(tree, written, model)),
    )
    model.writing.define("library_kinematics_models", element)


class _Links:
    def __init__(self, model: ModelWriteContext, tree: LinkTree) -> None:
        self._model, self._tree = model, tree

    def link(self, body: str | None, pose: Pose) -> schema.LinkElement:
        """Return the link of a body with its descendants; the pose is that of the body in its parent frame."""
        model = self._model
        children = [self._attachment_element(joint) for joint in self._tree.child_joints.get(body, [])]
        return schema.LinkElement(
            sid=model.links[body],
            name=model.world_link if body is None else body,
            transforms=transforms_of(pose),
            attachments=(*children, *self._loop_attachments(body)),
        )

    def _attachment_element(self, joint: Joint) -> schema.AttachmentFullElement:
        return schema.AttachmentFullElement(
            joint=self._model.joint_path(joint.name),
            transforms=transforms_of(pose_parent_joint(joint, self._model)),
            link=self.link(joint.child, joint.pose.inverse()),
        )

    def _loop_attachments(
        self, body: str | None
    ) -> list[schema.AttachmentFullElement | schema.AttachmentStartElement | schema.AttachmentEndElement]:
        loops: list[schema.AttachmentFullElement | schema.AttachmentStartElement | schema.AttachmentEndElement] = []
        for joint in self._tree.loop_joints:
            path = self._model.joint_path(joint.name)
            if joint.parent == body:
                start = pose_parent_joint(joint, self._model)
                loops.append(schema.AttachmentStartElement(joint=path, transforms=transforms_of(start, at_least_one=True)))
            if joint.child == body:
                loops.append(schema.AttachmentEndElement(joint=path, transforms=transforms_of(joint.pose)))
        return loops


def pose_parent_joint(joint: Joint, model: ModelWriteContext) -> Pose:
    """Return the pose of a joint in its parent body, with all joints at zero."""
    return model.pose(joint.parent).inverse() @ model.pose(joint.child) @ joint.pose


def _info_extras(tree: LinkTree, written: list[Joint], model: ModelWriteContext) -> list[ExtraElement]:
    infos = []
    for body in tree.bodies():
        if body is not None:
            infos += info_extra("link_info", model.links[body], model.model.bodies[body].extensions)
    for joint in written:
        infos += info_extra("joint_info", model.joints[joint.name], joint.extensions)
    return infos
