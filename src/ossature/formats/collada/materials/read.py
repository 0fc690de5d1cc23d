"""Reads the colours of materials and effects."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.diagnostics import Report
from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import Item
from ossature.formats.collada.materials import schema
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.schema_common import ParamElement
from ossature.model import Rgba
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import NUMBERS


def color_of(symbol: str | None, materials: Item | None, reading: ColladaReadContext) -> Rgba | None:
    """Return the colour of faces with a symbol, or None if no material with a colour is bound to it."""
    bound = materials.element.technique_common if materials is not None else None
    instance = next((one for one in bound.instance_material if one.symbol == symbol), None) if bound is not None else None
    if materials is None or instance is None:
        return None
    material = reading.documents.find(instance.target, schema.MaterialElement, materials.document, instance, "target")
    effect_instance = material.element.instance_effect if material is not None else None
    if material is None or effect_instance is None:
        return None
    effect = reading.documents.find(effect_instance.url, schema.EffectElement, material.document, effect_instance, "url")
    return None if effect is None else _color_of_effect(effect.element, reading.report)


def _color_of_effect(effect: schema.EffectElement, report: Report) -> Rgba | None:
    profile = effect.profile_COMMON
    shader = profile.technique.shader if profile is not None and profile.technique is not None else None
    if profile is None or shader is None:
        return None
    parameters = _Parameters((*profile.newparam, *effect.newparam), report)
    specified = parameters.color(shader.diffuse if shader.diffuse is not None else shader.emission)
    if specified is None:
        return None
    red, green, blue, _ = specified
    return (_clamp(red), _clamp(green), _clamp(blue), _clamp(_compute_opacity(shader, parameters)))


@dataclass(frozen=True, slots=True)
class _Parameters:
    """The parameters of an effect, those of its profile first."""

    specified: tuple[schema.EffectParamElement, ...]
    report: Report

    def color(self, slot: schema.ColorSlotElement | None) -> Rgba | None:
        if slot is None:
            return None
        if slot.color is not None:
            return None if slot.color.value is None else _to_rgba(slot.color.value)
        return _to_rgba(self._find_numbers(slot.param))

    def number(self, slot: schema.NumberSlotElement | None) -> float | None:
        if slot is None:
            return None
        return slot.number.value if slot.number is not None else next(iter(self._find_numbers(slot.param)), None)

    def _find_numbers(self, param: ParamElement | None) -> tuple[float, ...]:
        if param is None:
            return ()
        parameter = next((one for one in self.specified if one.sid == param.target), None)
        node = parameter.node if parameter is not None else None
        value = node.find("float", "float3", "float4") if isinstance(node, XmlNode) else None
        if value is None:
            hint = "a parameter of the effect with <float>, <float3> or <float4>"
            self.report.add(
                rules.UNRESOLVED_PARAMETER, f"'{param.target}' refers to no colour or number", param.location(), hint=hint
            )
            return ()
        try:
            return NUMBERS.parse(value.text)
        except ValueError:
            NUMBERS.explain(value.text, f"<{value.tag}>", value.location, self.report)
            return ()


def _to_rgba(values: tuple[float, ...]) -> Rgba | None:
    match values:
        case (red, green, blue):
            return (red, green, blue, 1.0)
        case (red, green, blue, alpha):
            return (red, green, blue, alpha)
    return None


def _compute_opacity(shader: schema.ShaderElement, parameters: _Parameters) -> float:
    """Return the opacity as the modes of ``<transparent>`` define it; the alpha of the diffuse colour is ignored."""
    slot = shader.transparent
    color = parameters.color(slot)
    number = parameters.number(shader.transparency)
    factor = 1.0 if number is None else number
    mode = slot.opaque_mode if slot is not None else "A_ONE"
    if color is None:
        return 1.0 - factor if mode in ("RGB_ZERO", "A_ZERO") and number is not None else factor
    red, green, blue, alpha = color
    luminance = 0.212671 * red + 0.715160 * green + 0.072169 * blue  # ITU-R BT.709, which COLLADA names
    value = {"A_ONE": alpha, "A_ZERO": alpha, "RGB_ONE": luminance, "RGB_ZERO": luminance}[mode] * factor
    return 1.0 - value if mode in ("RGB_ZERO", "A_ZERO") else value


def _clamp(value: float) -> float:
    return min(max(value, 0.0), 1.0)
