"""Lights: with shadows and reflections if a graphics card renders the page, else without."""

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
    """Whether this machine seems to have a graphics card; assumed outside Linux."""
    return not sys.platform.startswith("linux") or any(Path(device).exists() for device in _GRAPHICS_DEVICES)


def switch_default_lights(scene: viser.SceneApi, *, shadows: bool) -> None:
    """Switch the default lights of a page, their shadows and the environment map on or off."""
    scene.configure_default_lights(shadows, cast_shadow=shadows)
    if not shadows:
        scene.configure_environment_map(None)


def add_lights(scene: viser.SceneApi, framing: CameraFraming, *, shadows: bool) -> None:
    """Add lights to a scene.

    Args:
        framing: Its size.
        shadows: Whether with shadows and an environment map. Without a graphics card they take seconds for each frame.
    """
    switch_default_lights(scene, shadows=shadows)
    if shadows:
        return
    up = framing.up
    aside = perpendicular(up)
    behind = cross(up, aside)
    scene.add_light_ambient("/light/ambient", intensity=0.9)
    _add_light(scene, "key", unit(_combine_directions(up, aside, behind, 1.0, -0.5, 0.35)), 2.2, framing)
    _add_light(scene, "fill", unit(_combine_directions(up, aside, behind, 0.35, 0.8, 0.6)), 0.9, framing)
    _add_light(scene, "back", unit(_combine_directions(up, aside, behind, 0.3, 0.2, -1.0)), 0.7, framing)


def _combine_directions(up: Vector3, aside: Vector3, behind: Vector3, a: float, b: float, c: float) -> Vector3:
    x, y, z = (a * u + b * s + c * d for u, s, d in zip(up, aside, behind, strict=True))
    return (x, y, z)


def _add_light(scene: viser.SceneApi, name: str, direction: Vector3, intensity: float, framing: CameraFraming) -> None:
    # A directional light shines from its position towards the origin.
    scene.add_light_directional(f"/light/{name}", intensity=intensity, position=scale(direction, framing.size))
