"""Writer of materials: references to the materials in the model's extensions, inline materials for all other colours."""

from __future__ import annotations

from collections.abc import Sequence

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.urdf.passthrough import element_in
from ossature.formats.urdf.schema import UrdfColorElement, UrdfMaterialElement
from ossature.model import Extension, Rgba
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import bind

_INLINE_NAME = ""
"""Name of an inline material: the parser of ROS does not register a material without name."""


class WrittenMaterials:
    """The materials of a robot.

    Args:
        extensions: The extensions of the model, which can define materials.
        path: Path of the extensions in the model.
        ledger: Receives materials that are not written.

    Attributes:
        nodes: The elements.
    """

    def __init__(self, extensions: Sequence[Extension], path: str, ledger: Ledger) -> None:
        self.nodes: list[XmlNode] = []
        self.extensions: list[Extension] = []
        self._names: dict[Rgba, str] = {}
        self._used: set[str] = set()
        for extension in extensions:
            node = element_in(extension)
            if node is not None and node.tag == "material" and not self._add(extension, node):
                ledger.dropped(path, f"{extension.key} = {extension.value}")

    def _add(self, extension: Extension, node: XmlNode) -> bool:
        report = Report()
        material = bind(UrdfMaterialElement, node, report)
        if report or not material.name or material.name in self._used:
            return False
        if material.color is None and material.texture is None:
            return False
        self._used.add(material.name)
        if material.color is not None and material.color.rgba is not None:
            self._names.setdefault(material.color.rgba, material.name)
        self.nodes.append(node)
        self.extensions.append(extension)
        return True

    def of(self, color: Rgba | None) -> UrdfMaterialElement | None:
        """Return the ``<material>`` element of a colour, or None if there is no colour."""
        if color is None:
            return None
        name = self._names.get(color)
        return (
            UrdfMaterialElement(name=name)
            if name
            else UrdfMaterialElement(name=_INLINE_NAME, color=UrdfColorElement(rgba=color))
        )
