"""Cameras and lights of a scene, fixed to bodies or following them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ossature.diagnostics import Location
from ossature.model.validated_element import Element
from ossature.spatial import IDENTITY, Pose, Vector3

ViewMode: TypeAlias = Literal["fixed", "track", "trackcom", "targetbody", "targetbodycom"]
"""Whether a camera or light is fixed to its body, keeps its orientation and distance, or points at another body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera(Element):
    """A camera. Its frame looks along -z, with y upwards in the image.

    Attributes:
        name: Its name, unique among the model's cameras.
        body: The body to which it is fixed, or None for the world.
        pose: Its frame in the frame of the body.
        mode: How it follows bodies.
        target: The body at which it points, or None.
        projection: Its projection.
        field_of_view: Vertical field of view of a perspective camera [rad], or height of the image of an orthographic one [m].
        resolution: Width and height of the image [pixel], or None.
        sensor_size: Width and height of the image sensor [m], or None if the field of view determines the image.
        focal_length: Focal lengths along x and y [m], or None.
        principal_point: Offset of the principal point from the centre of the image sensor [m], or None.
        output: Images that it makes: ``rgb``, ``depth``, ``distance``, ``normal``, ``segmentation``.
        interpupillary_distance: Distance of the two cameras of a stereo image [m], or None.
        user: Numbers of the user.
    """

    name: str
    body: str | None
    pose: Pose = IDENTITY
    mode: ViewMode = "fixed"
    target: str | None = None
    projection: Literal["perspective", "orthographic"] = "perspective"
    field_of_view: float = math.radians(45.0)
    resolution: tuple[int, int] | None = None
    sensor_size: tuple[float, float] | None = None
    focal_length: tuple[float, float] | None = None
    principal_point: tuple[float, float] | None = None
    output: tuple[str, ...] = ()
    interpupillary_distance: float | None = None
    user: tuple[float, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Light(Element):
    """A light.

    Attributes:
        name: Its name, unique among the model's lights.
        body: The body to which it is fixed, or None for the world.
        position: Its position in the frame of the body [m].
        direction: Its direction, unit vector in the frame of the body.
        type: Its type.
        mode: How it follows bodies.
        target: The body at which it points, or None.
        active: Whether it is on at the start.
        casts_shadows: Whether it casts shadows.
        ambient: Ambient colour.
        diffuse: Diffuse colour.
        specular: Specular colour.
        attenuation: Constant, linear and quadratic attenuation.
        range: Distance that it reaches [m].
        cutoff: Half angle of a spot light [rad].
        exponent: Exponent of a spot light.
        softness: Softness of a spot light's edge.
        bulb_radius: Radius of the bulb, for soft shadows [m].
        intensity: Intensity [cd], or zero if unspecified.
        texture: Name of the texture of an image light, or None.
    """

    name: str
    body: str | None
    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (0.0, 0.0, -1.0)
    type: Literal["spot", "directional", "point", "image"] = "spot"
    mode: ViewMode = "fixed"
    target: str | None = None
    active: bool = True
    casts_shadows: bool = True
    ambient: Vector3 = (0.0, 0.0, 0.0)
    diffuse: Vector3 = (0.7, 0.7, 0.7)
    specular: Vector3 = (0.3, 0.3, 0.3)
    attenuation: Vector3 = (1.0, 0.0, 0.0)
    range: float = 10.0
    cutoff: float = math.radians(45.0)
    exponent: float = 10.0
    softness: float = 0.2
    bulb_radius: float = 0.02
    intensity: float = 0.0
    texture: str | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)
