"""The semantics of an SRDF file in a World: manipulators, keyframes, passive joints, the base, and ignored pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ossature.diagnostics import Report, shared_rules, within_limits
from ossature.diagnostics.counted_nouns import counted
from ossature.formats.srdf import rules
from ossature.formats.srdf.groups import Groups
from ossature.formats.srdf.schema import EndEffectorElement, GroupStateElement, SemanticRobotElement, VirtualJointElement
from ossature.model import (
    Actuation,
    Extension,
    Fixed,
    GripperJoint,
    Joint,
    Keyframe,
    KeyframeJoint,
    Manipulator,
    Model,
    NamedList,
    Planar,
    World,
)
from ossature.model.unique_names import unique_name
from ossature.syntax import xml
from ossature.syntax.schema import Element
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import shown

FORMAT = "srdf"
END_EFFECTOR = "end_effector"
"""Key of the extension of a manipulator with the names of its end effector and of the group of its joints."""
_CLOSED = ("closed", "close", "grasp", "grip")
_OPEN = ("open", "opened", "release")
_PASSED_THROUGH = ("enable_collisions", "link_sphere_approximation", "joint_property")


@within_limits
def with_semantics(world: World, report: Report, *, robot: SemanticRobotElement) -> World:
    """Return a World whose first model has the semantics of an SRDF file; the report receives the findings."""
    model = world.models[0]
    groups = Groups(robot, model, report)
    manipulators, used = _manipulators(robot, groups, report)
    passive = {one.name for one in robot.passive_joint if one.name is not None and groups.joint_exists(one.name, one)}
    joints = [replace(joint, actuation=Actuation.PASSIVE) if joint.name in passive else joint for joint in model.joints]
    base = _base_joint(robot.virtual_joint, model, groups, report)
    separate = {
        one.link
        for one in robot.disable_default_collisions
        if one.link is not None and groups.link_exists(one.link, one, "link")
    }
    collides = bool(robot.disable_collisions or robot.disable_default_collisions)
    bodies = [replace(body, self_collide=body.name not in separate) if collides else body for body in model.bodies]
    changed = replace(
        model,
        bodies=NamedList(bodies),
        joints=NamedList([*joints, *([base] if base is not None else [])]),
        manipulators=NamedList([*model.manipulators, *manipulators]),
        keyframes=NamedList([*model.keyframes, *_keyframes(robot, groups, base, report)]),
        ignored_pairs=(*model.ignored_pairs, *_ignored_pairs(robot, groups)),
        extensions=(*model.extensions, *_extensions(robot, groups, used)),
    )
    return replace(world, models=world.models.replaced(changed))


def _ignored_pairs(robot: SemanticRobotElement, groups: Groups) -> Iterator[tuple[str, str]]:
    seen: set[frozenset[str]] = set()
    for one in robot.disable_collisions:
        if one.link1 is None or one.link2 is None:
            continue
        exist = [groups.link_exists(one.link1, one, "link1"), groups.link_exists(one.link2, one, "link2")]
        pair = frozenset({one.link1, one.link2})
        if all(exist) and len(pair) > 1 and pair not in seen:
            seen.add(pair)
            yield one.link1, one.link2


# Manipulators


def _manipulators(robot: SemanticRobotElement, groups: Groups, report: Report) -> tuple[list[Manipulator], set[str]]:
    tools = [tool for tool in robot.end_effector if _is_complete(tool, groups)]
    tool_groups = {tool.group for tool in tools}
    found: list[Manipulator] = []
    used: set[str] = set()
    for name, group in groups.elements.items():
        chain = groups.chain(name)
        tool = next((one for one in tools if _belongs_to(one, name, groups)), None)
        if name in tool_groups:
            continue
        if chain is None:
            message = f"the joints of group {shown(name)} do not form a chain: it is no manipulator"
            report.add(rules.GROUP_WITHOUT_CHAIN, message, group.location("name"))
            continue
        used.add(name)
        gripper: tuple[GripperJoint, ...] = ()
        extensions: tuple[Extension, ...] = ()
        if tool is not None and tool.group is not None:
            used.add(tool.group)
            gripper = _gripper(tool.group, robot, groups)
            extensions = (Extension(format=FORMAT, key=END_EFFECTOR, value=f"{tool.name} {tool.group}"),)
            if {one.joint for one in gripper} != {*groups.joints(tool.group)}:
                extensions += tuple(_elements([groups.elements[tool.group]]))
        found.append(
            Manipulator(
                name=name,
                base=chain.base,
                tip=chain.tip,
                gripper=gripper,
                extensions=extensions,
                origin=group.location(),
            )
        )
    return found, used


def _is_complete(tool: EndEffectorElement, groups: Groups) -> bool:
    if tool.name is None or tool.group is None or tool.parent_link is None:
        return False
    known = groups.find(tool.group, tool, "group") is not None
    if tool.parent_group is not None and groups.find(tool.parent_group, tool, "parent_group") is None:
        return False
    return groups.link_exists(tool.parent_link, tool, "parent_link") and known


def _belongs_to(tool: EndEffectorElement, name: str, groups: Groups) -> bool:
    """Whether an end effector belongs to a group: the one that it states, or the one whose tip it is attached to."""
    if tool.parent_group is not None:
        return tool.parent_group == name
    chain = groups.chain(name)
    return chain is not None and chain.tip == tool.parent_link


def _gripper(group: str, robot: SemanticRobotElement, groups: Groups) -> tuple[GripperJoint, ...]:
    """Return the joints of a gripper that move on their own, with the directions in which named states close them."""
    positions = [_state_positions(group, words, robot) for words in (_OPEN, _CLOSED)]
    found = []
    for name in groups.joints(group):
        joint = groups.model.joints[name]
        if joint.degrees_of_freedom and all(coordinate.coupling is None for coordinate in joint.coordinates):
            first, last = (state.get(name) for state in positions)
            directions = () if first is None or last is None or len(first) != len(last) else tuple(map(_sign, first, last))
            found.append(GripperJoint(joint=name, closing_directions=directions))
    return tuple(found)


def _state_positions(group: str, words: tuple[str, ...], robot: SemanticRobotElement) -> dict[str, tuple[float, ...]]:
    """Return the positions of the first state of a group whose name begins or ends with one of some words."""
    for state in robot.group_state:
        name = (state.name or "").lower()
        if state.group == group and name.startswith(words) | name.endswith(words):
            return {one.name: one.value for one in state.joint if one.name is not None and one.value is not None}
    return {}


def _sign(first: float, last: float) -> float:
    return float((last > first) - (last < first))


# States and the base


def _keyframes(robot: SemanticRobotElement, groups: Groups, base: Joint | None, report: Report) -> Iterator[Keyframe]:
    used: set[str] = set()
    counts: dict[str | None, int] = {}
    for state in robot.group_state:
        counts[state.name] = counts.get(state.name, 0) + 1
    for state in robot.group_state:
        if state.name is None or state.group is None or groups.find(state.group, state, "group") is None:
            continue
        # Several groups may have states of one name, such as home.
        wanted = state.name if counts[state.name] == 1 else f"{state.group}/{state.name}"
        name = unique_name(wanted, used)
        used.add(name)
        joints = tuple(_keyframe_joints(state, groups, base, report))
        yield Keyframe(name=name, joints=joints, origin=state.location())


def _keyframe_joints(state: GroupStateElement, groups: Groups, base: Joint | None, report: Report) -> Iterator[KeyframeJoint]:
    for one in state.joint:
        if one.name is None or one.value is None:
            continue
        if groups.is_virtual(one.name):
            if base is None or base.name != one.name:
                message = f"the position of {shown(one.name)} is ignored: the virtual joint is floating, or not used"
                report.add(rules.INVALID_STATE, message, one.location("value"))
                continue
            joint: Joint | None = base
        else:
            joint = groups.joint_exists(one.name, one)
        if joint is None:
            continue
        if len(one.value) != joint.degrees_of_freedom:
            freedom = counted(joint.degrees_of_freedom, "degree of freedom")
            message = f"joint {shown(joint.name)} has {freedom}, not {len(one.value)}"
            report.add(rules.INVALID_STATE, message, one.location("value"))
            continue
        yield KeyframeJoint(joint=joint.name, positions=one.value)


def _base_joint(specified: tuple[VirtualJointElement, ...], model: Model, groups: Groups, report: Report) -> Joint | None:
    """Return the joint that connects the root body to the world, or None if it floats or the URDF file has one."""
    for one in specified:
        if one.name is None or one.child_link is None or not groups.link_exists(one.child_link, one, "child_link"):
            continue
        if any(joint.child == one.child_link for joint in model.joints):
            continue
        report.take(shared_rules.FREE_BASE.name)
        if one.type in ("fixed", "planar"):
            kind = Fixed() if one.type == "fixed" else Planar()
            name = unique_name(one.name, set(model.joints.names()))
            return Joint(name=name, type=kind, parent=None, child=one.child_link, origin=one.location())
        return None
    return None


# What the model does not represent


def _extensions(robot: SemanticRobotElement, groups: Groups, used: set[str]) -> Iterator[Extension]:
    """Yield the elements that the model does not represent, as they are in the file."""
    kept = {name: group for name, group in groups.elements.items() if name not in used}
    tools = [tool for tool in robot.end_effector if tool.group in kept]
    joints = [one for one in robot.virtual_joint if one.type == "floating"]
    passed: list[Element] = [element for tag in _PASSED_THROUGH for element in getattr(robot, tag)]
    yield from _elements([*kept.values(), *tools, *joints, *passed])


def _elements(elements: Iterable[Element]) -> Iterator[Extension]:
    for element in elements:
        if isinstance(element.node, XmlNode):
            yield Extension(format=FORMAT, key=element.node.tag, value=xml.compact(element.node))
