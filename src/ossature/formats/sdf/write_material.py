"""Writer of materials: the colour of a shape, and what its appearance states for renderers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ossature.diagnostics.ledger import Ledger
from ossature.formats.sdf.schema_shapes import MetalElement, PbrElement, SdfMaterialElement
from ossature.formats.sdf.write_uri import relative_uri
from ossature.model import Appearance, Model, Rgba, Visual
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind
from ossature.syntax.xml_values import NUMBERS, format_number

_GREATEST_SHININESS = 128.0
"""Exponent of the specular reflection of a shininess of 1, as in OpenGL."""
_MAPS: Mapping[str, str] = {
    "rgb": "albedo_map",
    "rgba": "albedo_map",
    "roughness": "roughness_map",
    "metallic": "metalness_map",
    "occlusion": "ambient_occlusion_map",
    "normal": "normal_map",
    "emissive": "emissive_map",
}
"""The elements of images by the role of a texture."""


class MaterialWriter:
    """Writes the materials of the shapes of a model.

    Args:
        folder: The folder of the file, to which paths of images are made relative; None leaves the paths unchanged.
    """

    def __init__(self, model: Model, ledger: Ledger, folder: Path | None) -> None:
        self._model, self._ledger, self._folder = model, ledger, folder
        self._used: set[str] = set()

    def write(self, visual: Visual, path: str) -> XmlNode | None:
        """Return the material of a shape, or None if it has neither a colour nor an appearance."""
        appearance = self._model.appearances.get(visual.appearance or "")
        if appearance is None and visual.appearance is not None:
            self._ledger.dropped(f"{path}.appearance", "there is no such appearance")
        color = visual.color if visual.color is not None or appearance is None else appearance.color
        if color is None:
            return None
        # Without an ambient colour Gazebo draws a shape black where no light shines.
        node = unbind("material", SdfMaterialElement(ambient=color, diffuse=color))
        if appearance is not None:
            self._write_appearance(appearance, color, node)
            self._record(visual, path)
        return node

    def record_unused(self) -> None:
        """Record the appearances that no shape has, and the textures that are not written."""
        path = self._model.name
        for appearance in self._model.appearances:
            if appearance.name in self._used:
                self._ledger.extension(f"{path}/{appearance.name}", "in the materials of the shapes that have it")
            else:
                self._ledger.dropped(f"{path}/{appearance.name}", "no shape has this appearance", location=appearance.origin)
        layers = [layer for one in self._model.appearances if one.name in self._used for layer in one.textures]
        written = {layer.texture for layer in layers if layer.role in _MAPS}
        for texture in self._model.textures:
            if texture.name in written and texture.file is not None:
                detail = "an image of materials; SDFormat does not state how it is mapped"
                self._ledger.extension(f"{path}/{texture.name}", detail)
            else:
                detail = "SDFormat has only images in files, of materials of shapes"
                self._ledger.dropped(f"{path}/{texture.name}", detail, location=texture.origin)

    def _record(self, visual: Visual, path: str) -> None:
        self._used.add(visual.appearance or "")
        self._ledger.extension(f"{path}.appearance", "in the material of the shape, which is read as its colour and as text")
        self._ledger.rewritten(f"{path.rpartition('.')[0]}.extensions", "materials of shapes")
        if visual.color is None:
            self._ledger.rewritten(f"{path}.color", "the colour of its appearance")

    def _write_appearance(self, appearance: Appearance, color: Rgba, node: XmlNode) -> None:
        reflection = (appearance.specular,) * 3
        emission = tuple([appearance.emission * each for each in color[:3]])
        node.children.append(xml.element("specular", text=NUMBERS.format((*reflection, 1.0))))
        node.children.append(xml.element("shininess", text=format_number(_GREATEST_SHININESS * appearance.shininess)))
        if any(emission):
            node.children.append(xml.element("emissive", text=NUMBERS.format((*emission, 1.0))))
        images = self._images(appearance)
        if images or appearance.metallic is not None or appearance.roughness is not None:
            node.children.append(_write_pbr(appearance, images))

    def _images(self, appearance: Appearance) -> dict[str, str]:
        """Return the images of an appearance by their elements."""
        images: dict[str, str] = {}
        for layer in appearance.textures:
            texture, tag = self._model.textures.get(layer.texture), _MAPS.get(layer.role)
            if texture is not None and texture.file is not None and tag is not None:
                images.setdefault(tag, relative_uri(texture.file, self._folder))
        return images


def _write_pbr(appearance: Appearance, images: Mapping[str, str]) -> XmlNode:
    metal = MetalElement(roughness=appearance.roughness, metalness=appearance.metallic)
    node = unbind("pbr", PbrElement(metal=metal))
    found = node.find("metal")
    assert found is not None  # noqa: S101  # it was written
    found.children += [xml.element(tag, text=uri) for tag, uri in images.items()]
    return node
