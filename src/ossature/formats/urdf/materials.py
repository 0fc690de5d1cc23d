"""What links look like: materials that are described once and referred to by name."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Related, Report
from ossature.formats.urdf import rules
from ossature.formats.urdf.passthrough import passthrough_element
from ossature.formats.urdf.schema import RobotElement, UrdfLinkElement, UrdfMaterialElement
from ossature.model import Extension, Rgba
from ossature.syntax.xml import XmlNode


@dataclass(slots=True)
class MaterialTable:
    """The materials of a file by name; as in ROS the first description of a name counts for all."""

    described: dict[str, UrdfMaterialElement] = field(default_factory=dict)

    @classmethod
    def of(cls, robot: RobotElement, report: Report) -> MaterialTable:
        """Return the materials of a robot: its own first, then those that its links describe."""
        found = cls()
        for material in robot.material:
            found._note(material, report)
        for link in robot.link:
            for material in _materials_of(link):
                found._note(material, report)
        return found

    def _note(self, material: UrdfMaterialElement, report: Report) -> None:
        name = material.name
        if not name or not _describes(material):
            return
        first = self.described.setdefault(name, material)
        if first != material:
            location = first.location()
            report.add(
                rules.MATERIAL_TWICE,
                f"material '{name}' is described before, and differently: the first one counts",
                material.location(),
                hint="give it a name of its own",
                related=(Related(location=location, message="the first one"),) if location else (),
            )

    def color(self, material: UrdfMaterialElement | None, report: Report) -> Rgba | None:
        """Return the colour of a visual's material, or None where it has none."""
        if material is None:
            return None
        meant = self.described.get(material.name or "", material)
        if not _describes(meant) and material.name:
            report.add(
                rules.UNKNOWN_MATERIAL,
                f"there is no material '{material.name}'",
                material.location("name"),
                hint=report.suggestion(material.name, self.described) or "describe it: <color rgba=…/>",
            )
        return meant.color.rgba if meant.color is not None else None

    def is_textured(self, material: UrdfMaterialElement) -> bool:
        """Whether a visual's material is a picture and no colour."""
        meant = self.described.get(material.name or "", material)
        return meant.texture is not None and meant.color is None

    def extensions(self) -> tuple[Extension, ...]:
        """Return the descriptions, with their names and pictures, to be written again."""
        return tuple(
            [passthrough_element(material.node) for material in self.described.values() if isinstance(material.node, XmlNode)]
        )


def _describes(material: UrdfMaterialElement) -> bool:
    return material.color is not None or material.texture is not None


def _materials_of(link: UrdfLinkElement) -> list[UrdfMaterialElement]:
    return [visual.material for visual in link.visual if visual.material is not None]
