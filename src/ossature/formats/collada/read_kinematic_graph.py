"""Links and attachments → where every link is, and which joints connect them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.formats.collada import rules
from ossature.formats.collada.node_instances import NodeInstance, VisualTree
from ossature.formats.collada.read_articulated_systems import JointInstance, ModelInstance, System
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.schema_kinematics import (
    AttachmentEndElement,
    AttachmentFullElement,
    AttachmentStartElement,
    LinkElement,
)
from ossature.formats.collada.sid_resolution import parts_of
from ossature.formats.collada.transforms import pose_of, split
from ossature.spatial import IDENTITY, Pose, norm, rotation_vector_from_quaternion

_CLOSED = 1e-6  # of a loop: metres and radians


@dataclass(slots=True, eq=False)
class LinkFrame:
    """A link of a robot.

    Attributes:
        name: Its name in the robot.
        sids: Its identifier, as each model that has it calls it.
        element: What stands in the document.
        instance: The model that has it first.
        pose: Its frame in the robot's, with all joints at zero.
        pose_scene: Its frame in the visual scene, with all joints at zero.
        node: The node that shows it, or None.
    """

    name: str
    sids: set[tuple[ModelInstance, str]]
    element: LinkElement
    instance: ModelInstance
    pose: Pose
    pose_scene: Pose
    node: NodeInstance | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LinkConnection:
    """A joint between two links.

    Attributes:
        parent: The link that carries the other.
        child: The other link.
        joint: The joint, or None for one that the document names and does not have: a fixed one.
        pose_child_joint: The joint's frame in the child's.
        instance: The model that says so.
        attachment: Where it says so.
    """

    parent: LinkFrame
    child: LinkFrame
    joint: JointInstance | None
    pose_child_joint: Pose
    instance: ModelInstance
    attachment: AttachmentFullElement | AttachmentEndElement


@dataclass(slots=True)
class Linkage:
    """The links of a robot and what connects them.

    Attributes:
        pose: The robot's frame in the visual scene.
        links: Its links by name, in the order of their models, outer ones first.
        connections: Its joints, in the same order; those that close loops last.
        unnamed: How many links without names it has, or fewer.
    """

    pose: Pose = IDENTITY
    links: dict[str, LinkFrame] = field(default_factory=dict)
    connections: list[LinkConnection] = field(default_factory=list)
    unnamed: int = 0


@dataclass(slots=True)
class _Ends:
    """Where joints begin and end that close loops, by joint."""

    starts: dict[JointInstance, tuple[LinkFrame, Pose]] = field(default_factory=dict)
    ends: dict[JointInstance, tuple[LinkFrame, Pose, AttachmentEndElement, ModelInstance]] = field(default_factory=dict)


def read_linkage(system: System, visual: VisualTree, reading: ColladaReadContext) -> Linkage:
    """Return the links of a system and what connects them."""
    linkage = Linkage()
    if system.instances:
        linkage.pose = _placement(system.instances[0], visual, reading)
    loops = _Ends()
    for instance in system.instances:
        walk = _Walk(reading, linkage, instance, loops)
        placed = linkage.pose.inverse() @ _placement(instance, visual, reading) if instance.node is not None else IDENTITY
        content = instance.element.technique_common
        for link in content.link if content is not None else ():
            walk.add_root(link, IDENTITY if instance is system.instances[0] else placed)
    _close_loops(linkage, loops, reading)
    return linkage


def _placement(instance: ModelInstance, visual: VisualTree, reading: ColladaReadContext) -> Pose:
    """Return the frame in which an instance of a model stands: that of the nodes around the one that shows it."""
    if instance.node is None:
        return IDENTITY
    pose, stretch = split(visual.matrix(instance.node.parent))
    if stretch is not None:
        reading.report.add(
            rules.BAD_MASS_FRAME, "the nodes around a robot stretch it: that is left out", instance.node.element.location()
        )
    return pose


@dataclass(frozen=True, slots=True)
class _Walk:
    """Goes through the links of one model, outer ones first."""

    reading: ColladaReadContext
    linkage: Linkage
    instance: ModelInstance
    loops: _Ends

    def add_root(self, element: LinkElement, placed: Pose) -> None:
        """Add a link that hangs on nothing, and all that hangs on it."""
        own = pose_of(element.transforms, self.instance.item.meter, self.reading.report)
        link = self._link(element, placed @ own)
        if link.node is None and link.instance is self.instance:
            link.node = self.instance.node
        pending: list[tuple[LinkFrame, AttachmentFullElement]] = []
        self._queue(link, element, pending)
        while pending:
            parent, attachment = pending.pop()
            child = self._attach(parent, attachment)
            if child is not None and attachment.link is not None:
                self._queue(child, attachment.link, pending)

    def _queue(self, link: LinkFrame, element: LinkElement, pending: list[tuple[LinkFrame, AttachmentFullElement]]) -> None:
        full = []
        for attachment in element.attachments:
            if isinstance(attachment, AttachmentFullElement):
                full.append((link, attachment))
            else:
                self._remember(link, attachment)
        pending.extend(reversed(full))

    def _attach(self, parent: LinkFrame, attachment: AttachmentFullElement) -> LinkFrame | None:
        element = attachment.link
        if element is None:
            return None
        meter, report = self.instance.item.meter, self.reading.report
        placed = parent.pose @ pose_of(attachment.transforms, meter, report)
        own = pose_of(element.transforms, meter, report)
        known = _name(element) in self.linkage.links
        child = self._link(element, placed @ own)
        joint = self._joint(attachment)
        if child.node is None and joint is not None and not known:
            child.node = next((axis.target[0] for axis in joint.axes if axis.target is not None), None)
        self.linkage.connections.append(LinkConnection(parent, child, joint, own.inverse(), self.instance, attachment))
        return child

    def _link(self, element: LinkElement, pose: Pose) -> LinkFrame:
        """Return the link of that name, a new one where the robot has none yet."""
        name = _name(element) or self._new_name()
        link = self.linkage.links.get(name)
        if link is None:
            link = LinkFrame(name, set(), element, self.instance, pose, self.linkage.pose @ pose)
            self.linkage.links[name] = link
        else:
            self.reading.report.add(
                rules.DUPLICATE_LINK, f"there is a link '{name}' already: the two are one", element.location()
            )
        if element.sid:
            link.sids.add((self.instance, element.sid))
        return link

    def _new_name(self) -> str:
        """Return the name that OpenRAVE gives to a link without one."""
        while f"__dummy{self.linkage.unnamed}" in self.linkage.links:
            self.linkage.unnamed += 1
        return f"__dummy{self.linkage.unnamed}"

    def _joint(self, attachment: AttachmentFullElement | AttachmentEndElement) -> JointInstance | None:
        parts = parts_of(attachment.joint or "")
        joint = self.instance.joints.get(parts[-1]) if parts else None
        if joint is None:
            self.reading.report.add(
                rules.UNKNOWN_JOINT,
                f"there is no joint '{attachment.joint}'",
                attachment.location("joint"),
                hint=self.reading.report.suggestion(parts[-1] if parts else "", self.instance.joints),
            )
        return joint

    def _remember(self, link: LinkFrame, attachment: AttachmentEndElement) -> None:
        joint = self._joint(attachment)
        if joint is None:
            return
        pose = pose_of(attachment.transforms, self.instance.item.meter, self.reading.report)
        if isinstance(attachment, AttachmentStartElement):
            self.loops.starts[joint] = (link, pose)
        else:
            self.loops.ends[joint] = (link, pose, attachment, self.instance)


def _name(element: LinkElement) -> str | None:
    return element.name or element.sid


def _close_loops(linkage: Linkage, loops: _Ends, reading: ColladaReadContext) -> None:
    if reading.as_openrave:
        return
    for joint, (child, pose, attachment, instance) in loops.ends.items():
        start = loops.starts.pop(joint, None)
        if start is None:
            reading.report.add(
                rules.OPEN_LOOP,
                f"the joint '{joint.sid}' ends at '{child.name}' and begins nowhere",
                attachment.location(),
                hint="<attachment_start> on the other link",
            )
            continue
        parent, start_pose = start
        reading.report.add(
            rules.PROGRAM_DIFFERS,
            f"the joint '{joint.sid}' closes a loop; OpenRAVE leaves it out",
            attachment.location(),
            hint="--dialect openrave reads as the program does",
        )
        _report_gap((parent.pose @ start_pose).inverse() @ (child.pose @ pose), joint, attachment, reading)
        linkage.connections.append(LinkConnection(parent, child, joint, pose, instance, attachment))
    for joint, (link, _) in loops.starts.items():
        reading.report.add(
            rules.OPEN_LOOP,
            f"the joint '{joint.sid}' begins at '{link.name}' and ends nowhere",
            joint.element.location(),
            hint="<attachment_end> on the other link",
        )


def _report_gap(gap: Pose, joint: JointInstance, attachment: AttachmentEndElement, reading: ColladaReadContext) -> None:
    distance, turn = norm(gap.position), norm(rotation_vector_from_quaternion(gap.wxyz))
    if distance > _CLOSED or turn > _CLOSED:
        reading.report.add(
            rules.OPEN_AT_ZERO,
            f"the ends of the joint '{joint.sid}' are {distance:.3g} m and {turn:.3g} rad apart",
            attachment.location(),
            hint="place <attachment_start> and <attachment_end> so that they meet with all joints at zero",
        )
