"""Light: fine where a graphics card draws the page, plain where the processor has to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ossature.spatial import cross, perpendicular, scale, unit

if TYPE_CHECKING:
    import viser

    from ossature.spatial import Vector3
    from ossature.viewer.camera_framing import CameraFraming

_GRAPHICS_DEVICES = ("/dev/dri", "/dev/nvidia0", "/dev/dxg")


def has_graphics_card() -> bool:
    """Whether this machine seems to have a graphics card; outside Linux it is taken for granted."""
    return not sys.platform.startswith("linux") or any(Path(device).exists() for device in _GRAPHICS_DEVICES)


def switch(scene: viser.SceneApi, *, fine: bool) -> None:
    """Switch a page's own light on, with its shadows and the reflections of a room, or off."""
    scene.configure_default_lights(fine, cast_shadow=fine)
    if not fine:
        scene.configure_environment_map(None)


def light(scene: viser.SceneApi, framing: CameraFraming, *, fine: bool) -> None:
    """Light a scene.

    Args:
        scene: The scene.
        framing: How large it is.
        fine: Whether with shadows and the reflections of a room. Without a graphics card they take seconds a picture.
    """
    switch(scene, fine=fine)
    if fine:
        return
    up = framing.up
    aside = perpendicular(up)
    behind = cross(up, aside)
    scene.add_light_ambient("/light/ambient", intensity=0.9)
    _lamp(scene, "key", unit(_mixed(up, aside, behind, 1.0, -0.5, 0.35)), 2.2, framing)
    _lamp(scene, "fill", unit(_mixed(up, aside, behind, 0.35, 0.8, 0.6)), 0.9, framing)
    _lamp(scene, "back", unit(_mixed(up, aside, behind, 0.3, 0.2, -1.0)), 0.7, framing)


def _mixed(up: Vector3, aside: Vector3, behind: Vector3, a: float, b: float, c: float) -> Vector3:
    x, y, z = (a * u + b * s + c * d for u, s, d in zip(up, aside, behind, strict=True))
    return (x, y, z)


def _lamp(scene: viser.SceneApi, name: str, direction: Vector3, intensity: float, framing: CameraFraming) -> None:
    # It shines from its place towards the origin, as parallel rays.
    place = scale(direction, framing.size)
    scene.add_light_directional(f"/light/{name}", intensity=intensity, position=place)
