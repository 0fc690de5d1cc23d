"""The SRDF file of a World: what a URDF file cannot represent, and SRDF can."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.srdf import schema
from ossature.formats.srdf.apply import END_EFFECTOR, FORMAT
from ossature.kinematics.joint_path import ArmError, joint_path
from ossature.model import (
    Actuation,
    Body,
    Extension,
    GripperJoint,
    Joint,
    Keyframe,
    KeyframeJoint,
    Manipulator,
    Model,
    NamedList,
)
from ossature.syntax import xml, xml_parser
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind

_SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    Model: frozenset({"manipulators", "ignored_pairs", "keyframes"}),
    Manipulator: frozenset({"name", "base", "tip", "gripper", "extensions"}),
    GripperJoint: frozenset({"joint"}),
    Keyframe: frozenset({"name", "joints"}),
    KeyframeJoint: frozenset({"joint", "positions"}),
}

Name = Callable[[str], str]
"""Returns the name that a body or joint has in the URDF file."""


def is_needed(model: Model) -> bool:
    """Whether a model has content that belongs into an SRDF file."""
    return bool(
        model.manipulators
        or model.ignored_pairs
        or any(_is_semantic(keyframe) for keyframe in model.keyframes)
        or any(extension.format == FORMAT for extension in model.extensions)
    )


def supported_fields(model: Model) -> Mapping[type, frozenset[str]]:
    """Return the fields of a model that its SRDF file can represent; without ignored pairs no bodies collide in it."""
    return {**_SUPPORTED_FIELDS, **({Body: frozenset({"self_collide"})} if model.ignored_pairs else {})}


def _is_semantic(keyframe: Keyframe) -> bool:
    return bool(keyframe.joints) and any(joint.positions is not None for joint in keyframe.joints)


def write_srdf(model: Model, robot: str, link: Name, joint: Name, file: str, ledger: Ledger) -> str:
    """Return the text of the SRDF file of a model.

    Args:
        robot: The name of the robot in the URDF file.
        link: Returns the name of a body in the URDF file.
        joint: Returns the name of a joint in the URDF file.
        file: The name of the SRDF file, for the ledger.
        ledger: Receives what is written there.
    """
    model = _with_chains(model, ledger)
    _record(model, file, ledger)
    kept = [*model.extensions, *(extension for one in model.manipulators for extension in one.extensions)]
    passed = [node for extension in kept if (node := _element_in(extension)) is not None]
    groups = {node.attributes.get("name") for node in passed if node.tag == "group"}
    arms = [_group_of_arm(manipulator, link) for manipulator in model.manipulators]
    grippers = [
        _gripper_group(one, joint) for one in model.manipulators if one.gripper and _names_of_tool(one)[1] not in groups
    ]
    tools = [_end_effector(one, link) for one in model.manipulators if one.gripper]
    members = _members(model, passed)
    states = [state for keyframe in model.keyframes if (state := _state(keyframe, members, model, joint, ledger)) is not None]
    passive = [one.name for one in model.joints if _is_passive(one)]
    root = unbind(
        "robot",
        schema.SemanticRobotElement(
            name=robot,
            group=(*arms, *grippers),
            group_state=tuple(states),
            end_effector=tuple(tools),
            passive_joint=tuple([schema.PassiveJointElement(name=joint(name)) for name in passive]),
            disable_default_collisions=tuple(
                schema.DisabledLinkElement(link=link(body.name))
                for body in model.bodies
                if model.ignored_pairs and not body.self_collide
            ),
            disable_collisions=tuple([_pair(pair, link) for pair in model.ignored_pairs if _exists(pair, model)]),
        ),
    )
    root.children.extend(passed)
    root.children.sort(key=lambda node: _TAGS.index(node.tag))
    root.children.insert(0, xml.comment(WRITTEN_HERE))
    return xml.serialize(root)


WRITTEN_HERE = "Written by Ossature with the URDF file of the same name"
"""The first comment of each SRDF file: the next conversion to the URDF file replaces only files with it."""
_TAGS = tuple(schema.SemanticRobotElement.declarations)
"""Tags in the order in which they are written."""


def _with_chains(model: Model, ledger: Ledger) -> Model:
    """Return the model without manipulators that are no chain of SRDF: those of unknown bodies, and those of a single body."""
    kept = []
    for manipulator in model.manipulators:
        path = f"{model.name}/{manipulator.name}"
        if manipulator.base not in model.bodies or manipulator.tip not in model.bodies:
            ledger.dropped(path, "it refers to an unknown body", location=manipulator.origin)
        elif manipulator.base == manipulator.tip:
            ledger.dropped(path, "its base is its tip; a chain has at least one joint", location=manipulator.origin)
        else:
            kept.append(manipulator)
    return replace(model, manipulators=NamedList(kept))


def _record(model: Model, file: str, ledger: Ledger) -> None:
    for element in (*model.manipulators, *model.keyframes):
        ledger.rewritten(f"{model.name}/{element.name}", f"written to {file}", location=element.origin)
    if model.ignored_pairs:
        ledger.rewritten(f"{model.name}.ignored_pairs", f"written to {file}")
    for joint in model.joints:
        if _is_passive(joint):
            ledger.rewritten(f"{model.name}/{joint.name}.actuation", f"written to {file}")
    if model.ignored_pairs:
        for body in model.bodies:
            ledger.rewritten(f"{model.name}/{body.name}.self_collide", f"written to {file}")
    if any(extension.format == FORMAT for extension in model.extensions):
        ledger.rewritten(f"{model.name}.extensions", f"content of SRDF is written to {file}")


def _element_in(extension: Extension) -> XmlNode | None:
    if extension.format != FORMAT or not extension.value.startswith("<"):
        return None
    node = xml_parser.parse_text(extension.value)
    return node if node is not None and node.tag in _TAGS else None


def _group_of_arm(manipulator: Manipulator, link: Name) -> schema.GroupElement:
    chain = schema.ChainElement(base_link=link(manipulator.base), tip_link=link(manipulator.tip))
    return schema.GroupElement(name=manipulator.name, chain=(chain,))


def _names_of_tool(manipulator: Manipulator) -> tuple[str, str]:
    """Return the names of the end effector and the group of a gripper: those of its file, or new ones."""
    for extension in manipulator.extensions:
        if extension.format == FORMAT and extension.key == END_EFFECTOR:
            tool, _, group = extension.value.partition(" ")
            return tool, group
    return f"{manipulator.name}_end_effector", f"{manipulator.name}_gripper"


def _gripper_group(manipulator: Manipulator, joint: Name) -> schema.GroupElement:
    joints = tuple([schema.NamedElement(name=joint(one.joint)) for one in manipulator.gripper])
    return schema.GroupElement(name=_names_of_tool(manipulator)[1], joint=joints)


def _end_effector(manipulator: Manipulator, link: Name) -> schema.EndEffectorElement:
    tool, group = _names_of_tool(manipulator)
    return schema.EndEffectorElement(name=tool, parent_link=link(manipulator.tip), group=group, parent_group=manipulator.name)


def _members(model: Model, passed: Sequence[XmlNode]) -> dict[str, set[str]]:
    """Return the joints of each group by its name; of a group that is passed through those that it names."""
    members: dict[str, set[str]] = {}
    for manipulator in model.manipulators:
        if manipulator.gripper:
            members[_names_of_tool(manipulator)[1]] = {one.joint for one in manipulator.gripper}
    for manipulator in model.manipulators:
        try:
            members[manipulator.name] = {step.joint.name for step in joint_path(model, manipulator.base, manipulator.tip)}
        except ArmError:
            members[manipulator.name] = set()
    for node in passed:
        if node.tag == "group":
            names = {one.attributes.get("name", "") for one in node.children if one.tag == "joint"}
            members.setdefault(node.attributes.get("name", ""), names)
    return members


def _state(
    keyframe: Keyframe, members: Mapping[str, set[str]], model: Model, joint: Name, ledger: Ledger
) -> schema.GroupStateElement | None:
    """Return a keyframe as the state of a group that has its joints; without one it is dropped."""
    specified = [one for one in keyframe.joints if one.positions is not None and one.joint in model.joints]
    names = {one.joint for one in specified}
    group, _, name = keyframe.name.rpartition("/")
    if group not in members:
        group, name = _smallest_group(names, members), keyframe.name
    if not group or not specified:
        ledger.dropped(f"{model.name}/{keyframe.name}", "no group has its joints", location=keyframe.origin)
        return None
    joints = [schema.StateJointElement(name=joint(one.joint), value=one.positions) for one in specified]
    return schema.GroupStateElement(name=name, group=group, joint=tuple(joints))


def _smallest_group(names: set[str], members: Mapping[str, set[str]]) -> str:
    fitting = [group for group, joints in members.items() if names <= joints]
    return min(fitting, key=lambda group: len(members[group]), default="")


def _is_passive(joint: Joint) -> bool:
    is_coupled = any(coordinate.coupling is not None for coordinate in joint.coordinates)
    return joint.actuation is Actuation.PASSIVE and joint.degrees_of_freedom > 0 and not is_coupled


def _exists(pair: tuple[str, str], model: Model) -> bool:
    return all(body in model.bodies for body in pair)


def _pair(pair: tuple[str, str], link: Name) -> schema.LinkPairElement:
    return schema.LinkPairElement(link1=link(pair[0]), link2=link(pair[1]))
