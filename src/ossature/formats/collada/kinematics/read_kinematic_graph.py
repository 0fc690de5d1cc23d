"""Reads links and attachments: the poses of the links, and the joints that connect them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ossature.formats.collada import rules
from ossature.formats.collada.convert_transforms import polar_decomposition, pose_of
from ossature.formats.collada.kinematics import schema
from ossature.formats.collada.kinematics.read_articulated_systems import JointInstance, ModelInstance, System
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.sid_resolution import split_sid_path
from ossature.formats.collada.visual_scene.node_instances import NodeInstance, VisualTree
from ossature.spatial import IDENTITY, Pose, norm, rotation_vector_from_quaternion

_TOLERANCE = 1e-6
"""Largest difference of two poses that are equal [rad or m]."""
_LOOP_TOLERANCE = 1e-6
"""Largest gap of a loop joint at zero that is not reported [m or rad]."""


@dataclass(slots=True, eq=False)
class LinkFrame:
    """A link of a robot.

    Attributes:
        name: Its name in the robot.
        sids: Its scoped identifiers, with the model of each.
        instance: The first model that contains it.
        pose: Its frame in the robot's, with all joints at zero.
        pose_scene: Its frame in the visual scene, with all joints at zero.
        node: The node that shows it, or None.
    """

    name: str
    sids: set[tuple[ModelInstance, str]]
    element: schema.LinkElement
    instance: ModelInstance
    pose: Pose
    pose_scene: Pose
    node: NodeInstance | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LinkConnection:
    """A joint between two links.

    Attributes:
        joint: The joint, or None if it does not exist in the document: the connection is then fixed.
        pose_child_joint: The joint's frame in the child's.
        instance: The model with the attachment.
    """

    parent: LinkFrame
    child: LinkFrame
    joint: JointInstance | None
    pose_child_joint: Pose
    instance: ModelInstance
    attachment: schema.AttachmentFullElement | schema.AttachmentEndElement


@dataclass(slots=True)
class Linkage:
    """The links of a robot and their connections.

    Attributes:
        pose: The robot's frame in the visual scene.
        links: Its links by name, in the order of their models, parents first.
        connections: Its joints, in the same order; loop joints last.
        unnamed: Next number for a link without a name.
    """

    pose: Pose = IDENTITY
    links: dict[str, LinkFrame] = field(default_factory=dict)
    connections: list[LinkConnection] = field(default_factory=list)
    unnamed: int = 0


@dataclass(slots=True)
class _LoopEnds:
    """The parent and child sides of loop joints, by joint."""

    starts: dict[JointInstance, tuple[LinkFrame, Pose]] = field(default_factory=dict)
    ends: dict[JointInstance, tuple[LinkFrame, Pose, schema.AttachmentEndElement, ModelInstance]] = field(default_factory=dict)


def read_linkage(system: System, visual: VisualTree, reading: ColladaReadContext) -> Linkage:
    """Return the links of a system and their connections."""
    linkage = Linkage()
    if system.instances:
        linkage.pose = _instance_pose(system.instances[0], visual, reading)
    loops = _LoopEnds()
    for instance in system.instances:
        traversal = _LinkTraversal(reading, visual, linkage, instance, loops)
        pose = linkage.pose.inverse() @ _instance_pose(instance, visual, reading) if instance.node is not None else IDENTITY
        content = instance.element.technique_common
        for link in content.link if content is not None else ():
            traversal.add_root(link, IDENTITY if instance is system.instances[0] else pose)
    _close_loops(linkage, loops, reading)
    return linkage


def _instance_pose(instance: ModelInstance, visual: VisualTree, reading: ColladaReadContext) -> Pose:
    """Return the pose of a model instance in the scene: that of the parent of the node that it is bound to."""
    if instance.node is None:
        return IDENTITY
    pose, deformation = polar_decomposition(visual.matrix(instance.node.parent))
    if deformation is not None:
        reading.report.add(
            rules.NESTED_SCALE, "the scale and shear of nodes above a robot are ignored", instance.node.element.location()
        )
    return pose


@dataclass(frozen=True, slots=True)
class _LinkTraversal:
    """Visits the links of one model, parents first."""

    reading: ColladaReadContext
    visual: VisualTree
    linkage: Linkage
    instance: ModelInstance
    loops: _LoopEnds

    def add_root(self, element: schema.LinkElement, frame: Pose) -> None:
        """Add a root link and its descendants; its transforms are relative to a frame."""
        own = pose_of(element.transforms, self.instance.item.meter, self.reading.report)
        link = self._find_or_add_link(element, frame @ own)
        if link.node is None and link.instance is self.instance:
            link.node = self.instance.node
            self._report_unused_transform(own)
        pending: list[tuple[LinkFrame, schema.AttachmentFullElement]] = []
        self._enqueue_link(link, element, pending)
        while pending:
            parent, attachment = pending.pop()
            child = self._attach_link(parent, attachment)
            if child is not None and attachment.link is not None:
                self._enqueue_link(child, attachment.link, pending)

    def _report_unused_transform(self, own: Pose) -> None:
        """Report that the node of the first link has transforms, and other ones than the link itself."""
        node = self.instance.node
        if node is None or node.moved:
            return
        above, actual = self.visual.matrix(node.parent), self.visual.matrix(node)
        is_placed = any(np.allclose(above @ np.array(pose.matrix()), actual, atol=_TOLERANCE) for pose in (own, IDENTITY))
        if not is_placed:
            self.reading.report.add(
                rules.UNUSED_NODE_TRANSFORM,
                f"the transforms of the bound node '{node.element.name or node.id}' do not place the robot",
                node.element.location(),
                hint="bind the robot to a node without transforms, inside this one",
            )

    def _enqueue_link(
        self, link: LinkFrame, element: schema.LinkElement, pending: list[tuple[LinkFrame, schema.AttachmentFullElement]]
    ) -> None:
        full = []
        for attachment in element.attachments:
            if isinstance(attachment, schema.AttachmentFullElement):
                full.append((link, attachment))
            else:
                self._add_loop_end(link, attachment)
        pending.extend(reversed(full))

    def _attach_link(self, parent: LinkFrame, attachment: schema.AttachmentFullElement) -> LinkFrame | None:
        element = attachment.link
        if element is None:
            return None
        meter, report = self.instance.item.meter, self.reading.report
        frame = parent.pose @ pose_of(attachment.transforms, meter, report)
        own = pose_of(element.transforms, meter, report)
        known = _element_name(element) in self.linkage.links
        child = self._find_or_add_link(element, frame @ own)
        joint = self._find_joint(attachment)
        if child.node is None and joint is not None and not known:
            child.node = next((axis.target[0] for axis in joint.axes if axis.target is not None), None)
        self.linkage.connections.append(LinkConnection(parent, child, joint, own.inverse(), self.instance, attachment))
        return child

    def _find_or_add_link(self, element: schema.LinkElement, pose: Pose) -> LinkFrame:
        """Return the link with the name of an element, a new one if the robot has none yet."""
        name = _element_name(element) or self._generate_name()
        link = self.linkage.links.get(name)
        if link is None:
            link = LinkFrame(name, set(), element, self.instance, pose, self.linkage.pose @ pose)
            self.linkage.links[name] = link
        else:
            self.reading.report.add(
                rules.DUPLICATE_LINKS_MERGED, f"duplicate link '{name}': the two are merged", element.location()
            )
        if element.sid:
            link.sids.add((self.instance, element.sid))
        return link

    def _generate_name(self) -> str:
        """Return the name that OpenRAVE gives to a link without one."""
        while f"__dummy{self.linkage.unnamed}" in self.linkage.links:
            self.linkage.unnamed += 1
        return f"__dummy{self.linkage.unnamed}"

    def _find_joint(self, attachment: schema.AttachmentFullElement | schema.AttachmentEndElement) -> JointInstance | None:
        parts = split_sid_path(attachment.joint or "")
        joint = self.instance.joints.get(parts[-1]) if parts else None
        if joint is None:
            self.reading.report.add(
                rules.UNKNOWN_JOINT,
                f"there is no joint '{attachment.joint}'",
                attachment.location("joint"),
                hint=self.reading.report.suggestion(parts[-1] if parts else "", self.instance.joints),
            )
        return joint

    def _add_loop_end(self, link: LinkFrame, attachment: schema.AttachmentEndElement) -> None:
        joint = self._find_joint(attachment)
        if joint is None:
            return
        pose = pose_of(attachment.transforms, self.instance.item.meter, self.reading.report)
        if isinstance(attachment, schema.AttachmentStartElement):
            self.loops.starts[joint] = (link, pose)
        else:
            self.loops.ends[joint] = (link, pose, attachment, self.instance)


def _element_name(element: schema.LinkElement) -> str | None:
    return element.name or element.sid


def _close_loops(linkage: Linkage, loops: _LoopEnds, reading: ColladaReadContext) -> None:
    if reading.as_openrave:
        return
    for joint, (child, pose, attachment, instance) in loops.ends.items():
        start = loops.starts.pop(joint, None)
        if start is None:
            reading.report.add(
                rules.INCOMPLETE_ATTACHMENT,
                f"the joint '{joint.sid}' has an <attachment_end> on '{child.name}', but no <attachment_start>",
                attachment.location(),
                hint="<attachment_start> on the other link",
            )
            continue
        parent, start_pose = start
        reading.report.add(
            rules.OPENRAVE_DIFFERS,
            f"the joint '{joint.sid}' closes a loop; OpenRAVE ignores it",
            attachment.location(),
            hint="--dialect openrave reads as OpenRAVE does",
        )
        _report_gap((parent.pose @ start_pose).inverse() @ (child.pose @ pose), joint, attachment, reading)
        linkage.connections.append(LinkConnection(parent, child, joint, pose, instance, attachment))
    for joint, (link, _) in loops.starts.items():
        reading.report.add(
            rules.INCOMPLETE_ATTACHMENT,
            f"the joint '{joint.sid}' has an <attachment_start> on '{link.name}', but no <attachment_end>",
            joint.element.location(),
            hint="<attachment_end> on the other link",
        )


def _report_gap(gap: Pose, joint: JointInstance, attachment: schema.AttachmentEndElement, reading: ColladaReadContext) -> None:
    distance, angle = norm(gap.position), norm(rotation_vector_from_quaternion(gap.wxyz))
    if distance > _LOOP_TOLERANCE or angle > _LOOP_TOLERANCE:
        reading.report.add(
            rules.OPEN_AT_ZERO,
            f"at zero the sides of the loop joint '{joint.sid}' are {distance:.3g} m and {angle:.3g} rad apart",
            attachment.location(),
            hint="the frames of <attachment_start> and <attachment_end> have to coincide with all joints at zero",
        )
