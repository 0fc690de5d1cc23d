"""Finds the links and joints of a robot to which extensions refer by paths of identifiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ossature.diagnostics import Location, Report
from ossature.formats.collada import rules
from ossature.formats.collada.kinematics.read_articulated_systems import JointInstance, ModelInstance, System
from ossature.formats.collada.kinematics.read_kinematic_graph import Linkage, LinkFrame
from ossature.formats.collada.sid_resolution import Scope, split_sid_path

P = TypeVar("P")


class ElementPaths:
    """The links and joints of one robot by their paths.

    Args:
        report: Receives findings about paths without an element.
    """

    def __init__(self, system: System, linkage: Linkage, joint_names: dict[JointInstance, str], report: Report) -> None:
        self._system = system
        self._linkage = linkage
        self._joint_names = joint_names
        self._report = report
        self._links: dict[str, list[tuple[ModelInstance, LinkFrame]]] = {}
        for link in linkage.links.values():
            for instance, sid in link.sids:
                self._links.setdefault(sid, []).append((instance, link))
        self._parents = {connection.child: connection.parent for connection in reversed(linkage.connections)}
        self._joints: dict[str, list[tuple[ModelInstance, JointInstance]]] = {}
        for instance in system.instances:
            for joint in instance.joints.values():
                if joint in joint_names:
                    self._joints.setdefault(joint.sid, []).append((instance, joint))
        self._joints_by_name = {name: joint for joint, name in joint_names.items()}

    def link(self, path: str | None, location: Location | None) -> LinkFrame | None:
        """Return the link that a path refers to, or None with a finding."""
        found = self.find_link(path)
        if found is None and path is not None:  # a missing path has a finding already
            self._report_unknown("link", path, split_sid_path(path or ""), self._links, location)
        return found

    def find_link(self, path: str | None) -> LinkFrame | None:
        """Return the link that a path refers to, or None."""
        parts = split_sid_path(path or "")
        return _find_by_path(self._links, parts) or self._find_below_links(parts) or self._linkage.links.get(path or "")

    def _find_below_links(self, parts: tuple[str, ...]) -> LinkFrame | None:
        """Return the link whose path contains links above it: ``model/base/arm``."""
        for instance, link in self._links.get(parts[-1], ()) if parts else ():
            remaining = list(parts[:-1])
            above = self._parents.get(link)
            while above is not None and remaining:
                if (instance, remaining[-1]) in above.sids:
                    remaining.pop()
                above = self._parents.get(above)
            if len(remaining) < len(parts) - 1 and (not remaining or remaining[-1] in instance.scope.identifiers):
                return link
        return None

    def joint(self, path: str | None, location: Location | None) -> JointInstance | None:
        """Return the joint that a path refers to, or None with a finding."""
        parts = split_sid_path(path or "")
        found = _find_by_path(self._joints, parts) or self._joints_by_name.get(path or "")
        if found is None and path is not None:
            self._report_unknown("joint", path, parts, self._joints, location)
        return found

    @property
    def scope(self) -> Scope:
        """The scope of the parameters."""
        scope = self._system.scope
        return scope if isinstance(scope, Scope) else Scope(frozenset(), [scope])

    def joint_name(self, joint: JointInstance) -> str:
        """Return the name of a joint."""
        return self._joint_names[joint]

    def _report_unknown(
        self, what: str, path: str | None, parts: tuple[str, ...], choices: Iterable[str], location: Location | None
    ) -> None:
        self._report.add(
            rules.UNKNOWN_LINK,
            f"there is no {what} '{path or ''}'",
            location,
            hint=self._report.suggestion(parts[-1] if parts else "", choices) or f"the robot has no {what}s",
        )


def _find_by_path(known: Mapping[str, Sequence[tuple[ModelInstance, P]]], parts: tuple[str, ...]) -> P | None:
    """Return the element that a path refers to: by its sid alone in any model, or in the model that precedes it."""
    candidates = known.get(parts[-1], ()) if parts else ()
    return next((one for instance, one in candidates if len(parts) == 1 or parts[-2] in instance.scope.identifiers), None)
