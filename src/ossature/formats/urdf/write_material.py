"""Colours of visuals → materials: those that the model keeps descriptions of by name, all others in place."""

from __future__ import annotations

from collections.abc import Sequence

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.urdf.passthrough import element_in
from ossature.formats.urdf.schema import UrdfColorElement, UrdfMaterialElement
from ossature.model import Extension, Rgba
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import bind

_IN_PLACE = ""
"""Name of a material that is described where it is used: ROS registers no such one."""


class WrittenMaterials:
    """The materials of a robot.

    Args:
        extensions: The model's extensions, among them descriptions of materials.
        path: Where they are, for the ledger.
        ledger: Where goes what is not written.

    Attributes:
        nodes: Their elements.
        extensions: The extensions that they come from.
    """

    def __init__(self, extensions: Sequence[Extension], path: str, ledger: Ledger) -> None:
        self.nodes: list[XmlNode] = []
        self.extensions: list[Extension] = []
        self._names: dict[Rgba, str] = {}
        self._taken: set[str] = set()
        for extension in extensions:
            node = element_in(extension)
            if node is not None and node.tag == "material" and not self._add(extension, node):
                ledger.dropped(path, f"{extension.key} = {extension.value}")

    def _add(self, extension: Extension, node: XmlNode) -> bool:
        report = Report()
        described = bind(UrdfMaterialElement, node, report)
        if report or not described.name or described.name in self._taken:
            return False
        if described.color is None and described.texture is None:
            return False
        self._taken.add(described.name)
        if described.color is not None and described.color.rgba is not None:
            self._names.setdefault(described.color.rgba, described.name)
        self.nodes.append(node)
        self.extensions.append(extension)
        return True

    def of(self, color: Rgba | None) -> UrdfMaterialElement | None:
        """Return the element that gives a visual its colour, or None where it has none."""
        if color is None:
            return None
        name = self._names.get(color)
        return (
            UrdfMaterialElement(name=name) if name else UrdfMaterialElement(name=_IN_PLACE, color=UrdfColorElement(rgba=color))
        )
