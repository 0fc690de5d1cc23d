"""Identifiers, and finding elements by them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from enum import Enum

from collada_validator.markup import Element
from collada_validator.problems import Kind, Problem
from collada_validator.structure import problem, type_of


class Elsewhere(Enum):
    """Stands for an element of another document, of which nothing is known."""

    ELSEWHERE = "elsewhere"


ELSEWHERE = Elsewhere.ELSEWHERE
PARAMETER_HOLDERS = ("instance_kinematics_model", "instance_articulated_system")


class Index:
    """The elements of a document by their identifiers.

    Args:
        root: The document, its elements knowing their types.
    """

    def __init__(self, root: Element) -> None:
        self.root = root
        self.ids: dict[str, list[Element]] = defaultdict(list)
        self._suffixes: list[str] = []
        self._nearest_by_sid: dict[Element, tuple[dict[str, Element], bool]] = {}
        for element in root.walk():
            if element.type and "id" in element.attributes and "id" in type_of(element.type).attributes:
                self.ids[element.attributes["id"]].append(element)
            if element.type == "extra" and element.attributes.get("type") == "idsuffix":
                self._suffixes.append(element.attributes.get("name", ""))

    def by_id(self, name: str) -> Element | None:
        """Return the element with an id, or with one to which the copy of a node has put a suffix."""
        if name in self.ids:
            return self.ids[name][0]
        stems = (name.removesuffix(suffix) for suffix in self._suffixes if suffix and name.endswith(suffix))
        return next((self.ids[stem][0] for stem in stems if stem in self.ids), None)

    def by_url(self, url: str) -> Element | Elsewhere | None:
        """Return what an URL names."""
        url = url.strip()
        return self.by_id(url[1:]) if url.startswith("#") else ELSEWHERE

    def instanced(self, element: Element) -> Element | Elsewhere | None:
        """Return what an instance is an instance of; None for what is no instance."""
        is_instance = element.name.startswith("instance_") and "url" in element.attributes
        return self.by_url(element.attributes["url"]) if is_instance else None

    def by_sids(self, start: Element | Elsewhere, sids: list[str]) -> Element | Elsewhere | None:
        """Return the element to which a path of scoped identifiers leads from another one."""
        found: Element | Elsewhere | None = start
        for sid in sids:
            if found is None or isinstance(found, Elsewhere):
                return found
            found = self._nearest(found, sid)
        return found

    def _nearest(self, start: Element, sid: str) -> Element | Elsewhere | None:
        if start not in self._nearest_by_sid:
            self._nearest_by_sid[start] = self._find_nearest(start)
        found, leaves_document = self._nearest_by_sid[start]
        return found.get(sid, ELSEWHERE if leaves_document else None)

    def _find_nearest(self, start: Element) -> tuple[dict[str, Element], bool]:
        """Return the nearest element with each scoped identifier inside an element, and whether some are in other documents."""
        found: dict[str, Element] = {}
        pending = deque(self._inner(start))
        seen = {start}
        leaves_document = False
        while pending:
            element = pending.popleft()
            if isinstance(element, Elsewhere):
                leaves_document = True
            elif element not in seen:
                if element.sid is not None:
                    found.setdefault(element.sid, element)
                seen.add(element)
                pending.extend(self._inner(element))
        return found, leaves_document

    def _inner(self, element: Element) -> list[Element | Elsewhere]:
        instanced = self.instanced(element)
        return [*element.children, *([instanced] if instanced is not None else [])]

    def by_address(self, address: str, base: Element) -> Element | Elsewhere | None:
        """Return the element of an address: an id or a dot, then scoped identifiers, then perhaps a member or an index.

        Args:
            address: ``kmodel1/joint0/axis0``, ``./axis0``.
            base: The element that a dot stands for.
        """
        first, *sids = address.strip().split("/")
        start = base if first == "." else self.by_id(first)
        if start is None:
            return None
        found = self.by_sids(start, sids)
        if found is None and sids:
            without_member = sids[-1].partition("(")[0] if "(" in sids[-1] else sids[-1].rpartition(".")[0]
            found = self.by_sids(start, [*sids[:-1], without_member]) if without_member else None
        return found

    def parameter(self, name: str, base: Element) -> Element | Elsewhere | None:
        """Return the parameter or binding of a name that an element sees: its own, its neighbours', those around it."""
        unknown = False
        for around in (base, *base.ancestors()):
            for gripper_body in self._holders(around):
                if isinstance(gripper_body, Elsewhere):
                    unknown = True
                    continue
                for child in gripper_body.named("newparam", "bind"):
                    if name in (child.sid, child.attributes.get("symbol")):
                        return child
        return ELSEWHERE if unknown else None

    def _holders(self, around: Element) -> Iterator[Element | Elsewhere]:
        yield around
        yield from around.named(*PARAMETER_HOLDERS)
        if around.name == "instance_kinematics_scene":
            scene = self.instanced(around)
            yield from scene.named(*PARAMETER_HOLDERS) if isinstance(scene, Element) else ([scene] if scene else [])


def check_identifiers(index: Index) -> Iterator[Problem]:
    """Yield ids that occur twice in the document, and scoped ones that occur twice in an element."""
    for name, elements in index.ids.items():
        for element in elements[1:]:
            yield problem(element, Kind.DUPLICATE_ID, f"the id '{name}' is that of line {elements[0].line} too")
    for parent in index.root.walk():
        seen: set[str] = set()
        for child in parent.children:
            if child.sid is not None and child.type and child.sid in seen:
                yield problem(child, Kind.DUPLICATE_SID, f"the sid '{child.sid}' occurs twice in <{parent.name}>")
            seen.add(child.sid or "")
