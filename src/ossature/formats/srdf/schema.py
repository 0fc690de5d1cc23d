"""The schema of SRDF: every element and attribute that the parser of ROS, srdfdom, reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from ossature.syntax.schema import Element, attribute, element
from ossature.syntax.xml_values import NUMBERS, STRING, word

SRDF, SRDFDOM = "SRDF", "srdfdom"

VIRTUAL_JOINT_TYPES = ("fixed", "floating", "planar")


def _name(doc: str) -> str | None:
    name: str | None = attribute(STRING, required=True, source=SRDF, doc=doc)
    return name


class NamedElement(Element):
    """A link, joint or group that a group contains."""

    name: str | None = _name("Its name.")


class ChainElement(Element):
    """The joints between two links."""

    base_link: str | None = _name("Link at the base; the joint to it is not part of the chain.")
    tip_link: str | None = _name("Link at the tip.")


def _group_element() -> type[Element]:
    return GroupElement


_LATER: Callable[[], type[Element]] = _group_element


class GroupElement(Element, source=SRDF):
    """A group of joints. Inside another group, a reference to one by its name."""

    name: str | None = _name("Name, unique in the file.")
    joint: tuple[NamedElement, ...] = element(NamedElement, repeated=True, doc="A joint of the group.")
    link: tuple[NamedElement, ...] = element(
        NamedElement, repeated=True, doc="A link of the group, and with it its parent joint."
    )
    chain: tuple[ChainElement, ...] = element(ChainElement, repeated=True, doc="The joints between two links.")
    group: tuple[GroupElement, ...] = element(_LATER, repeated=True, doc="A group whose joints are part of this one.")


class StateJointElement(Element, source=SRDF):
    """The position of a joint in a state."""

    name: str | None = _name("The joint.")
    value: tuple[float, ...] | None = attribute(
        NUMBERS, unit="rad or m", required=True, doc="Position, one number for each coordinate."
    )


class GroupStateElement(Element, source=SRDF):
    """A named state of a group."""

    name: str | None = _name("Name, unique among the states of the group.")
    group: str | None = _name("The group.")
    joint: tuple[StateJointElement, ...] = element(StateJointElement, repeated=True, doc="Position of a joint.")


class EndEffectorElement(Element, source=SRDF):
    """A gripper: a group of joints on the tip of another group."""

    name: str | None = _name("Its name.")
    parent_link: str | None = _name("The link to which it is attached.")
    group: str | None = _name("The group of its own joints.")
    parent_group: str | None = attribute(STRING, doc="The group of the arm; found by the link if absent.")


class VirtualJointElement(Element, source=SRDF):
    """The joint between the world and the root link."""

    name: str | None = _name("Its name.")
    type: str | None = attribute(word(*VIRTUAL_JOINT_TYPES), required=True, doc="fixed, floating or planar.")
    parent_frame: str | None = attribute(STRING, required=True, doc="Name of the frame of the world.")
    child_link: str | None = _name("The root link.")


class PassiveJointElement(Element):
    """A joint without a drive."""

    name: str | None = _name("The joint.")


class LinkPairElement(Element, source=SRDF):
    """A pair of links."""

    link1: str | None = _name("One link.")
    link2: str | None = _name("The other link.")
    reason: str | None = attribute(STRING, doc="Why: Adjacent, Never, Default, Always, User; not interpreted.")


class DisabledLinkElement(Element, source=SRDFDOM):
    """A link that does not collide with other links of the robot."""

    link: str | None = attribute(STRING, required=True, doc="The link.")


class LinkSpheresElement(Element):
    """Spheres that approximate a link; passed through."""

    opaque: ClassVar[bool] = True
    link: str | None = _name("The link.")


class JointPropertyElement(Element, source=SRDFDOM):
    """A property of a joint for planners; passed through."""

    joint_name: str | None = attribute(STRING, required=True, doc="The joint.")
    property_name: str | None = attribute(STRING, required=True, doc="Name of the property.")
    value: str | None = attribute(STRING, required=True, doc="Its value.")


class SemanticRobotElement(Element, source=SRDF):
    """The root element: semantics of the URDF robot with the same name."""

    name: str | None = _name("Name of the robot in its URDF file.")
    version: str | None = attribute(STRING, source=SRDFDOM, doc="Version.")
    group: tuple[GroupElement, ...] = element(
        GroupElement, repeated=True, doc="A group of joints; one that forms a chain is a manipulator."
    )
    group_state: tuple[GroupStateElement, ...] = element(GroupStateElement, repeated=True, doc="A named state: a keyframe.")
    end_effector: tuple[EndEffectorElement, ...] = element(
        EndEffectorElement, repeated=True, doc="The gripper of a manipulator."
    )
    virtual_joint: tuple[VirtualJointElement, ...] = element(
        VirtualJointElement, repeated=True, doc="The joint between the world and the robot."
    )
    passive_joint: tuple[PassiveJointElement, ...] = element(PassiveJointElement, repeated=True, doc="A joint without a drive.")
    disable_collisions: tuple[LinkPairElement, ...] = element(
        LinkPairElement, repeated=True, doc="Links that never collide with each other."
    )
    enable_collisions: tuple[LinkPairElement, ...] = element(
        LinkPairElement, repeated=True, source=SRDFDOM, doc="An exception from disable_default_collisions; passed through."
    )
    disable_default_collisions: tuple[DisabledLinkElement, ...] = element(
        DisabledLinkElement, repeated=True, source=SRDFDOM, doc="A link that collides with no other link of the robot."
    )
    link_sphere_approximation: tuple[LinkSpheresElement, ...] = element(
        LinkSpheresElement, repeated=True, doc="Spheres that approximate a link."
    )
    joint_property: tuple[JointPropertyElement, ...] = element(
        JointPropertyElement, repeated=True, source=SRDFDOM, doc="A property of a joint for planners."
    )


ROOTS: tuple[tuple[str, type[Element]], ...] = (("robot", SemanticRobotElement),)
"""The root element of an SRDF file: its tag and declaration."""
