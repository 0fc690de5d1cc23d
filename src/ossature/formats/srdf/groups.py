"""The groups of an SRDF file: the chain of joints that each of them is, if it is one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ossature.diagnostics import Report
from ossature.formats.srdf import rules
from ossature.formats.srdf.schema import ChainElement, GroupElement, SemanticRobotElement
from ossature.model import Joint, Model
from ossature.syntax.schema import Element
from ossature.syntax.xml_values import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """A chain of joints."""

    base: str
    tip: str


class Groups:
    """The groups of an SRDF file, resolved against a model.

    Args:
        robot: The content of the file.
    """

    def __init__(self, robot: SemanticRobotElement, model: Model, report: Report) -> None:
        self.model, self._report = model, report
        self._inboard = {joint.child: joint for joint in reversed(list(model.joints))}
        self._virtual = {one.name for one in robot.virtual_joint}
        self.elements: dict[str, GroupElement] = {}
        for group in robot.group:
            if group.name is None:
                continue
            if group.name in self.elements:
                message = f"duplicate group {shown(group.name)}: this one is ignored"
                report.add(rules.DUPLICATE_NAME, message, group.location("name"), hint="give each group a unique name")
            else:
                self.elements[group.name] = group
        self._joints: dict[str, dict[str, None]] = {}
        self._chains: dict[str, Chain | None] = {}
        for name in self._in_order():
            self._joints[name], self._chains[name] = self._resolve(name)
            report.budget.add_expansions(len(self._joints[name]) + 1, self.elements[name].location())

    def find(self, name: str, element: Element, field: str) -> GroupElement | None:
        """Return the group of a name, or None with a finding at the element that refers to it."""
        if name not in self.elements:
            location = element.location(field)
            hint = self._report.suggestion(name, self.elements) or "there are no groups"
            self._report.add(rules.UNKNOWN_GROUP, f"there is no group {shown(name)}", location, hint=hint)
        return self.elements.get(name)

    def joints(self, name: str) -> tuple[str, ...]:
        """Return the names of the joints of a group, each once."""
        return tuple(self._joints[name])

    def chain(self, name: str) -> Chain | None:
        """Return the chain that a group is, or None."""
        return self._chains[name]

    def _in_order(self) -> list[str]:
        """Return the names of groups, subgroups first; references that close cycles are reported."""
        ordered: dict[str, None] = {}
        self._subgroups: dict[str, list[str]] = {name: [] for name in self.elements}
        for start in self.elements:
            open_groups: dict[str, None] = {}
            pending = [(start, False)]
            while pending:
                name, is_done = pending.pop()
                if is_done:
                    open_groups.pop(name, None)
                    ordered.setdefault(name)
                    continue
                if name in ordered or name in open_groups:
                    continue
                open_groups[name] = None
                pending.append((name, True))
                for inner in self.elements[name].group:
                    if inner.name is None or self.find(inner.name, inner, "name") is None:
                        continue
                    if inner.name in open_groups:
                        message = f"group {shown(name)} contains group {shown(inner.name)}, which contains it"
                        self._report.add(rules.CYCLIC_GROUP, message, inner.location("name"))
                        continue
                    self._subgroups[name].append(inner.name)
                    pending.append((inner.name, False))
        return list(ordered)

    def _resolve(self, name: str) -> tuple[dict[str, None], Chain | None]:
        group = self.elements[name]
        specified = [chain for one in group.chain if (chain := self._specified_chain(one)) is not None]
        joints: dict[str, None] = {}
        for chain in specified:
            joints.update(dict.fromkeys(self._joints_between(chain)))
        for one in group.joint:
            if one.name is not None and not self.is_virtual(one.name) and self.joint_exists(one.name, one):
                joints.setdefault(one.name)
        for link in group.link:
            if link.name is not None and self.link_exists(link.name, link, "name") and link.name in self._inboard:
                joints.setdefault(self._inboard[link.name].name)
        inner = self._subgroups[name]
        for subgroup in inner:
            joints.update(self._joints[subgroup])
        parts = [*specified, *(self._chains[subgroup] for subgroup in inner)]
        is_plain = len(parts) == 1 and not group.joint and not group.link
        return joints, parts[0] if is_plain else self._chain_of(joints)

    def _specified_chain(self, element: ChainElement) -> Chain | None:
        base, tip = element.base_link, element.tip_link
        if base is None or tip is None:
            return None
        exist = [self.link_exists(base, element, "base_link"), self.link_exists(tip, element, "tip_link")]
        return Chain(base=base, tip=tip) if all(exist) and base != tip else None

    def _joints_between(self, chain: Chain) -> list[str]:
        """Return the joints of a chain from the tip to the base, or none if the base is not above the tip."""
        found: list[str] = []
        body = chain.tip
        while body != chain.base:
            joint = self._inboard.get(body)
            if joint is None or joint.parent is None or len(found) > len(self._inboard):
                return []
            found.append(joint.name)
            body = joint.parent
        self._report.budget.add_expansions(len(found))
        return found

    def _chain_of(self, names: Mapping[str, None]) -> Chain | None:
        """Return the chain of some joints: all of them lie on one path, perhaps with others between them."""
        joints = {joint.child: joint for name in names if (joint := self.model.joints.get(name)) is not None}
        parents = {joint.parent for joint in joints.values()}
        tips = [child for child in joints if child not in parents]
        if not joints or None in parents:
            return None
        for tip in tips[:1] if len(tips) == 1 else self._lowest(tips):
            remaining, body, base = {*joints}, tip, tip
            while remaining:
                joint = self._inboard.get(body)
                if joint is None or joint.parent is None:
                    return None
                remaining.discard(body)
                body = base = joint.parent
            return Chain(base=base, tip=tip)
        return None

    def _lowest(self, tips: Iterable[str]) -> list[str]:
        """Return the body that is below all others, if there is one: the one with the longest path to the root."""
        return sorted(tips, key=lambda body: -self._depth(body))[:1]

    def _depth(self, body: str) -> int:
        self._report.budget.add_expansions(1)
        depth, joint = 0, self._inboard.get(body)
        while joint is not None and joint.parent is not None and depth <= len(self._inboard):
            depth, joint = depth + 1, self._inboard.get(joint.parent)
        return depth

    def is_virtual(self, name: str) -> bool:
        """Whether a name is that of a virtual joint, which connects the robot to the world, and of no joint of the robot."""
        return name in self._virtual and name not in self.model.joints

    def link_exists(self, name: str, element: Element, field: str) -> bool:
        """Whether the model has a link; otherwise it is reported."""
        if name in self.model.bodies or name == "world":
            return name in self.model.bodies
        location = element.location(field)
        hint = self._report.suggestion(name, self.model.bodies.names())
        self._report.add(rules.UNKNOWN_LINK, f"the robot has no link {shown(name)}", location, hint=hint)
        return False

    def joint_exists(self, name: str, element: Element, field: str = "name") -> Joint | None:
        """Return a joint of the model; one that does not exist is reported."""
        joint = self.model.joints.get(name)
        if joint is None:
            location = element.location(field)
            hint = self._report.suggestion(name, self.model.joints.names())
            self._report.add(rules.UNKNOWN_JOINT, f"the robot has no joint {shown(name)}", location, hint=hint)
        return joint
