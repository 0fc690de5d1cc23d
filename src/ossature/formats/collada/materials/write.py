"""Writes colours as materials and effects, each colour once."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.formats.collada.geometry.write_shape import SYMBOL
from ossature.formats.collada.materials import schema
from ossature.formats.collada.write_context import ColladaWriteContext
from ossature.model import Rgba


@dataclass(slots=True)
class MaterialLibrary:
    """The materials of a document.

    Attributes:
        written: The identifier of the material of each colour.
    """

    writing: ColladaWriteContext
    written: dict[Rgba, str] = field(default_factory=dict)

    def binding(self, color: Rgba | None, path: str) -> schema.BindMaterialElement | None:
        """Return the material binding of an instance of a geometry, or None without a colour."""
        if color is None:
            return None
        if min(color) < 0.0 or max(color) > 1.0:
            self.writing.ledger.approximated(path, "colour components are outside 0 to 1")
        bound = schema.InstanceMaterialElement(symbol=SYMBOL, target=f"#{self._add_material(color)}")
        return schema.BindMaterialElement(technique_common=schema.MaterialsElement(instance_material=(bound,)))

    def _add_material(self, color: Rgba) -> str:
        if color not in self.written:
            identifier = f"mat{len(self.written)}"
            self.written[color] = identifier
            effect = f"{identifier}_eff"
            self.writing.define("library_effects", _effect_element(color, effect))
            material = schema.MaterialElement(id=identifier, instance_effect=schema.InstanceEffectElement(url=f"#{effect}"))
            self.writing.define("library_materials", material)
        return self.written[color]


def _effect_element(color: Rgba, identifier: str) -> schema.EffectElement:
    red, green, blue, opacity = color
    shader = schema.PhongElement(
        ambient=_color_element((red, green, blue, opacity)),
        diffuse=_color_element((red, green, blue, opacity)),
        transparent=_color_element((1.0, 1.0, 1.0, 1.0)),
        transparency=schema.NumberSlotElement(number=schema.NumberElement(value=opacity)),
    )
    technique = schema.EffectTechniqueElement(sid="common", shader=shader)
    return schema.EffectElement(id=identifier, profile_COMMON=schema.EffectProfileElement(technique=technique))


def _color_element(color: Rgba) -> schema.ColorSlotElement:
    return schema.ColorSlotElement(color=schema.ColorElement(value=color))
