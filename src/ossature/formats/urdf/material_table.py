"""The materials of a URDF file, which visuals refer to by name."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Related, Report
from ossature.formats.urdf import rules
from ossature.formats.urdf.passthrough import passthrough_element
from ossature.formats.urdf.schema import RobotElement, UrdfMaterialElement
from ossature.model import Extension, Rgba
from ossature.syntax.xml import XmlNode


@dataclass(slots=True)
class MaterialTable:
    """The defined materials of a file by name. As in ROS, the first definition of a name is used."""

    definitions: dict[str, UrdfMaterialElement] = field(default_factory=dict)

    @classmethod
    def of(cls, robot: RobotElement, report: Report) -> MaterialTable:
        """Return the materials of a robot: those of the robot first, then those of its links."""
        table = cls()
        for material in robot.material:
            table._define(material, report)
        for link in robot.link:
            for material in [visual.material for visual in link.visual if visual.material is not None]:
                table._define(material, report)
        return table

    def _define(self, material: UrdfMaterialElement, report: Report) -> None:
        name = material.name
        if not name or not _is_definition(material):
            return
        first = self.definitions.setdefault(name, material)
        if first != material:
            location = first.location()
            report.add(
                rules.DUPLICATE_MATERIAL,
                f"material '{name}' is already defined differently: using the first definition",
                material.location(),
                hint="rename one of them",
                related=(Related(location=location, message="first definition"),) if location else (),
            )

    def color(self, material: UrdfMaterialElement | None, report: Report) -> Rgba | None:
        """Return the colour of the material of a visual, or None if it has no colour."""
        if material is None:
            return None
        definition = self.definitions.get(material.name or "", material)
        if not _is_definition(definition) and material.name:
            report.add(
                rules.UNKNOWN_MATERIAL,
                f"unknown material '{material.name}'",
                material.location("name"),
                hint=report.suggestion(material.name, self.definitions) or "define it: <color rgba=…/>",
            )
        return definition.color.rgba if definition.color is not None else None

    def is_textured(self, material: UrdfMaterialElement) -> bool:
        """Whether the material of a visual has a texture but no colour."""
        definition = self.definitions.get(material.name or "", material)
        return definition.texture is not None and definition.color is None

    def extensions(self) -> tuple[Extension, ...]:
        """Return the definitions as passthrough content."""
        return tuple(
            [passthrough_element(material.node) for material in self.definitions.values() if isinstance(material.node, XmlNode)]
        )


def _is_definition(material: UrdfMaterialElement) -> bool:
    return material.color is not None or (material.texture is not None and material.texture.filename is not None)
