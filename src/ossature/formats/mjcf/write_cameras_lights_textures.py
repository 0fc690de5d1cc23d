"""Writer of cameras, lights, appearances and textures."""

from __future__ import annotations

import math

from ossature.assets import AssetError
from ossature.formats.mjcf.attribute_text import differing_attributes, specified_attributes
from ossature.formats.mjcf.write_context import MjcfDocument
from ossature.formats.mjcf.write_meshes import MESH_FOLDER, MeshAssets
from ossature.model import Appearance, Camera, Light, Model, Texture
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

_DEFAULT_FIELD_OF_VIEW = math.radians(45.0)


def write_cameras_lights_textures(document: MjcfDocument, model: Model, assets: MeshAssets) -> None:
    """Add the cameras and lights of a model to its bodies, and its appearances and textures to the assets."""
    for texture in model.textures:
        document.assets.append(_texture(document, model, texture, assets))
    for appearance in model.appearances:
        document.assets.append(_material(document, model, appearance))
    for camera in model.cameras:
        _parent(document, model, camera.body).children.append(_camera(document, model, camera))
    for light in model.lights:
        _parent(document, model, light.body).children.append(_light(document, model, light))


def _parent(document: MjcfDocument, model: Model, body: str | None) -> XmlNode:
    return document.worldbody if body is None else document.body_nodes[model.name, body]


def _name(document: MjcfDocument, model: Model, kind: str, name: str) -> str:
    return document.names.take(kind, model.name, name, f"{model.name}/{name}")


def _camera(document: MjcfDocument, model: Model, camera: Camera) -> XmlNode:
    attributes = {"name": _name(document, model, "camera", camera.name), **document.pose_attributes(camera.pose)}
    attributes |= specified_attributes(
        mode=None if camera.mode == "fixed" else camera.mode,
        target=None if camera.target is None else document.names.body(model.name, camera.target),
        projection=None if camera.projection == "perspective" else camera.projection,
        sensorsize=camera.sensor_size,
    )
    if camera.sensor_size is not None:
        attributes |= specified_attributes(focal=camera.focal_length, principal=camera.principal_point)
    elif camera.projection == "orthographic":
        attributes["fovy"] = format_number(camera.field_of_view)
    elif camera.field_of_view != _DEFAULT_FIELD_OF_VIEW:
        attributes["fovy"] = degrees_text(camera.field_of_view)
    attributes |= specified_attributes(
        resolution=camera.resolution,
        output=camera.output or None,
        ipd=camera.interpupillary_distance,
        user=camera.user or None,
    )
    return element("camera", attributes)


def degrees_text(angle: float) -> str:
    """Return an angle [rad] in degrees, with the shortest text that gives the same angle."""
    degrees = math.degrees(angle)
    rounded = float(f"{degrees:.15g}")
    return format_number(rounded if math.radians(rounded) == angle else degrees)


_LIGHT_FIELDS = {
    "position": "pos",
    "direction": "dir",
    "type": "type",
    "mode": "mode",
    "active": "active",
    "casts_shadows": "castshadow",
    **{name: name for name in ("ambient", "diffuse", "specular", "attenuation", "range", "exponent", "softness", "intensity")},
    "bulb_radius": "bulbradius",
}
"""Attributes of lights by field."""


def _light(document: MjcfDocument, model: Model, light: Light) -> XmlNode:
    default = Light(name=light.name, body=light.body)
    attributes = {"name": _name(document, model, "light", light.name)}
    attributes |= differing_attributes(light, default, _LIGHT_FIELDS)
    if light.target is not None:
        attributes["target"] = document.names.body(model.name, light.target)
    if light.cutoff != default.cutoff:
        attributes["cutoff"] = degrees_text(light.cutoff)
    if light.texture is not None:
        attributes["texture"] = document.names.wanted("texture", model.name, light.texture)
    return element("light", attributes)


def _texture(document: MjcfDocument, model: Model, texture: Texture, assets: MeshAssets) -> XmlNode:
    default, path = Texture(name=texture.name), f"{model.name}/{texture.name}"
    attributes = {"name": _name(document, model, "texture", texture.name)} if texture.name else {}
    if texture.type != default.type:
        attributes["type"] = texture.type
    if texture.file is not None:
        attributes |= _image(document, f"{path}.file", "file", texture.file, assets)
    for face, file in zip(("right", "left", "up", "down", "front", "back"), texture.cube_files, strict=False):
        if file:
            attributes |= _image(document, f"{path}.cube_files", f"file{face}", file, assets)
    attributes |= differing_attributes(texture, default, _TEXTURE_FIELDS)
    has_image = any(name.startswith("file") for name in attributes)
    if has_image or texture.builtin != "none":
        return element("texture", attributes)
    for field in ("builtin", "width", "height", "grid_size", "grid_layout"):
        document.ledger.approximated(f"{path}.{field}", "a texture without image is one pixel of its first colour")
    return element("texture", {**_without_size(attributes), **_FLAT})


def _image(document: MjcfDocument, path: str, name: str, file: str, assets: MeshAssets) -> dict[str, str]:
    """Return the attribute of an image, or nothing, with a ledger entry, if it is unavailable: its texture is of one colour."""
    try:
        written = assets.add_resource(file)
    except AssetError as error:
        document.ledger.dropped(path, f"unavailable image: {error.reason}", before=file)
        return {}
    document.ledger.rewritten(path, f"the image is written to {MESH_FOLDER}/", before=file)
    return {name: written}


_FLAT = {"builtin": "flat", "width": "1", "height": "1"}
"""What MuJoCo needs of a texture without image."""


def _without_size(attributes: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in attributes.items() if name not in ("gridsize", "gridlayout", "width", "height")}


_TEXTURE_FIELDS = {
    "color_space": "colorspace",
    "grid_size": "gridsize",
    "grid_layout": "gridlayout",
    "builtin": "builtin",
    "color1": "rgb1",
    "color2": "rgb2",
    "mark": "mark",
    "mark_color": "markrgb",
    "random": "random",
    "width": "width",
    "height": "height",
    "flip_horizontally": "hflip",
    "flip_vertically": "vflip",
    "channels": "nchannel",
}
"""Attributes of textures by field."""
_MATERIAL_FIELDS = {
    "texture_repeat": "texrepeat",
    "texture_uniform": "texuniform",
    **{name: name for name in ("emission", "specular", "shininess", "reflectance", "metallic", "roughness")},
    "color": "rgba",
}
"""Attributes of materials by field."""


def _material(document: MjcfDocument, model: Model, appearance: Appearance) -> XmlNode:
    default = Appearance(name=appearance.name)
    attributes = {"name": _name(document, model, "material", appearance.name)}
    layers = appearance.textures
    is_simple = len(layers) == 1 and layers[0].role == "rgb"
    if is_simple:
        attributes["texture"] = document.names.wanted("texture", model.name, layers[0].texture)
    attributes |= differing_attributes(appearance, default, _MATERIAL_FIELDS)
    node = element("material", attributes)
    if not is_simple:
        names = [document.names.wanted("texture", model.name, layer.texture) for layer in layers]
        node.children = [
            element("layer", {"texture": name, "role": layer.role}) for name, layer in zip(names, layers, strict=True)
        ]
    return node
