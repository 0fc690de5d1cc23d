"""URDF files that ``<include>`` names: a ``<model>`` with the frames of their links and joints.

The model has the structure of the robot, so that frames, placements and joints of the file that includes it refer to its
elements. Bodies and joints are those of the reader of URDF: SDFormat has no element for some of their content.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from ossature.diagnostics import Location, Report, Source, shared_rules
from ossature.formats.sdf.read_link import LinkPlacement
from ossature.formats.urdf.read import read_urdf
from ossature.formats.urdf.read_tree import WORLD
from ossature.model import Body, Extension, Joint, Model, World
from ossature.model.unique_names import unique_name
from ossature.spatial import Pose
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import format_numbers


@dataclass(slots=True)
class IncludedUrdf:
    """The content of the URDF files that a document includes, by the node that represents it.

    Attributes:
        bodies: Their bodies, by the node of a link.
        joints: Their joints, by the node of a joint.
        extensions: What only URDF can represent, by the node of a model.
    """

    bodies: dict[object, Body] = field(default_factory=dict)
    joints: dict[object, Joint] = field(default_factory=dict)
    extensions: dict[object, tuple[Extension, ...]] = field(default_factory=dict)

    def read(self, source: Source, report: Report) -> XmlNode | None:
        """Return a ``<model>`` with the structure of a robot, or None with a finding."""
        world = read_urdf(source, report, folder=Path(source.name).parent)
        if world is None:
            return None
        report.take(shared_rules.FREE_BASE.name)  # in SDFormat a model floats unless a joint fixes it
        model = _with_own_world_link(world)
        node = _node("model", source, model.origin, name=model.name, canonical_link=_root_of(model))
        self.extensions[node] = model.extensions
        for body in model.bodies:
            link = _node("link", source, body.origin, name=body.name)
            link.children = [_pose_node(body.pose, link)]
            self.bodies[link] = body
            node.children.append(link)
        for joint in model.joints:
            # The type only has to be one that has no axis: the joint itself is that of the robot.
            child = _node("joint", source, joint.origin, name=joint.name, type="fixed")
            ends = [_text_node("parent", joint.parent or WORLD, child), _text_node("child", joint.child, child)]
            child.children = [*ends, _pose_node(joint.pose, child)]
            self.joints[child] = joint
            node.children.append(child)
        return node


def place_body(body: Body, placement: LinkPlacement) -> Body:
    """Return a body of an included robot in the model that includes it."""
    return replace(
        body,
        name=placement.name,
        pose=placement.pose,
        frames=(*body.frames, *placement.frames),
        self_collide=placement.self_collide,
    )


def _with_own_world_link(world: World) -> Model:
    """Return the only model of a World; a link with the reserved name of the world, to which it is fixed, has another one."""
    (model,) = world.models
    if WORLD not in model.bodies:
        return model
    (model,) = world.rename(f"{model.name}/{WORLD}", unique_name(f"{WORLD}_link", model.bodies.names()), Body).models
    return model


def _root_of(model: Model) -> str:
    children = {joint.child for joint in model.joints if joint.parent is not None}
    return next((body.name for body in model.bodies if body.name not in children), "")


def _node(tag: str, source: Source, origin: Location | None, **attributes: str) -> XmlNode:
    offset = 0 if origin is None or origin.offset is None else origin.offset
    return XmlNode(tag, attributes, source, offset)


def _text_node(tag: str, text: str, parent: XmlNode) -> XmlNode:
    node = XmlNode(tag, {}, parent.source, parent.offset)
    node.text = text
    return node


def _pose_node(pose: Pose, parent: XmlNode) -> XmlNode:
    w, x, y, z = pose.wxyz
    node = _text_node("pose", format_numbers((*pose.position, x, y, z, w)), parent)
    node.attributes["rotation_format"] = "quat_xyzw"
    return node
