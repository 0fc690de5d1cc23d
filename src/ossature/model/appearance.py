"""Appearances of surfaces: materials of renderers, and textures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ossature.diagnostics import Location
from ossature.model.body import Rgba
from ossature.model.validated_element import Element
from ossature.spatial import Vector3

TextureRole: TypeAlias = Literal["rgb", "occlusion", "roughness", "metallic", "normal", "opacity", "emissive", "rgba", "orm"]
"""What the channels of a texture mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Texture(Element):
    """An image on a surface, or around the scene.

    Attributes:
        name: Its name, unique among the model's textures.
        type: ``2d``, ``cube``, or ``skybox`` around the scene.
        color_space: Its colour space.
        file: Absolute path of its image, or None.
        cube_files: Absolute paths of the images right, left, up, down, front and back of a cube; empty for those without one.
        grid_size: Rows and columns of the images of a cube in one file.
        grid_layout: Which image each cell of the grid contains, or None.
        builtin: The pattern that is generated.
        color1: First colour of the pattern.
        color2: Second colour of the pattern.
        mark: The mark on the pattern.
        mark_color: Colour of the mark.
        random: Probability of a mark at a pixel.
        width: Width of a generated image [pixel].
        height: Height of a generated image [pixel].
        flip_horizontally: Whether the image is mirrored horizontally.
        flip_vertically: Whether the image is mirrored vertically.
        channels: Number of channels.
    """

    name: str
    type: Literal["2d", "cube", "skybox"] = "cube"
    color_space: Literal["auto", "linear", "sRGB"] = "auto"
    file: str | None = None
    cube_files: tuple[str, ...] = ()
    grid_size: tuple[int, int] = (1, 1)
    grid_layout: str | None = None
    builtin: Literal["none", "gradient", "checker", "flat"] = "none"
    color1: Vector3 = (0.8, 0.8, 0.8)
    color2: Vector3 = (0.5, 0.5, 0.5)
    mark: Literal["none", "edge", "cross", "random"] = "none"
    mark_color: Vector3 = (0.0, 0.0, 0.0)
    random: float = 0.01
    width: int = 0
    height: int = 0
    flip_horizontally: bool = False
    flip_vertically: bool = False
    channels: int = 3
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextureLayer(Element):
    """A texture of an appearance.

    Attributes:
        texture: The name of the texture.
        role: What its channels mean.
    """

    texture: str
    role: TextureRole = "rgb"


@dataclass(frozen=True, slots=True, kw_only=True)
class Appearance(Element):
    """How a surface is rendered.

    Attributes:
        name: Its name, unique among the model's appearances.
        color: Its colour.
        textures: Its textures.
        texture_repeat: Repetitions of a 2d texture along x and y.
        texture_uniform: Whether repetitions are for each metre.
        emission: Emitted light, as a factor of the colour.
        specular: Specular reflection, from 0 to 1.
        shininess: Shininess, from 0 to 1.
        reflectance: Reflection of the scene, from 0 to 1.
        metallic: Metallicity, or None if unspecified.
        roughness: Roughness, or None if unspecified.
    """

    name: str
    color: Rgba = (1.0, 1.0, 1.0, 1.0)
    textures: tuple[TextureLayer, ...] = ()
    texture_repeat: tuple[float, float] = (1.0, 1.0)
    texture_uniform: bool = False
    emission: float = 0.0
    specular: float = 0.5
    shininess: float = 0.5
    reflectance: float = 0.0
    metallic: float | None = None
    roughness: float | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)
