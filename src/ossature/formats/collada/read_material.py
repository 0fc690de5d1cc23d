"""Materials and effects → colours."""

from __future__ import annotations

from ossature.formats.collada.documents import Document
from ossature.formats.collada.reading import Reading
from ossature.formats.collada.schema_visual import (
    BindMaterialElement,
    EffectElement,
    MaterialElement,
    ShaderElement,
)
from ossature.model import Rgba


def color_of(symbol: str | None, materials: BindMaterialElement | None, document: Document, reading: Reading) -> Rgba | None:
    """Return the colour of faces that name a symbol, or None where no material is bound to it, or none with a colour."""
    bound = materials.technique_common if materials is not None else None
    instances = bound.instance_material if bound is not None else ()
    instance = next((one for one in instances if one.symbol == symbol), None)
    if instance is None:
        return None
    material = reading.documents.find(instance.target, MaterialElement, document, instance, "target")
    effect_instance = material.element.instance_effect if material is not None else None
    if material is None or effect_instance is None:
        return None
    effect = reading.documents.find(effect_instance.url, EffectElement, material.document, effect_instance, "url")
    return None if effect is None else _color_of_effect(effect.element)


def _color_of_effect(effect: EffectElement) -> Rgba | None:
    profile = effect.profile_COMMON
    shader = profile.technique.shader if profile is not None and profile.technique is not None else None
    if shader is None:
        return None
    slot = shader.diffuse if shader.diffuse is not None else shader.emission
    stated = slot.color.value if slot is not None and slot.color is not None else None
    if stated is None:
        return None
    return (_within(stated[0]), _within(stated[1]), _within(stated[2]), _within(_opacity(shader)))


def _opacity(shader: ShaderElement) -> float:
    """Return the opacity, as the modes of ``<transparent>`` define it; the diffuse colour's fourth number is none."""
    slot = shader.transparent
    color = slot.color.value if slot is not None and slot.color is not None else None
    number = shader.transparency.number if shader.transparency is not None else None
    factor = 1.0 if number is None or number.value is None else number.value
    mode = slot.opaque_mode if slot is not None else "A_ONE"
    if color is None:
        return 1.0 - factor if mode in ("RGB_ZERO", "A_ZERO") and number is not None else factor
    red, green, blue, alpha = color
    luminance = 0.212671 * red + 0.715160 * green + 0.072169 * blue  # ITU-R BT.709, which COLLADA names
    value = {"A_ONE": alpha, "A_ZERO": alpha, "RGB_ONE": luminance, "RGB_ZERO": luminance}[mode] * factor
    return 1.0 - value if mode in ("RGB_ZERO", "A_ZERO") else value


def _within(value: float) -> float:
    return min(max(value, 0.0), 1.0)
