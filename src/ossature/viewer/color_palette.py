"""Colours of the scene."""

from __future__ import annotations

from ossature.model import Rgba

ACCENT: Rgba = (0.93, 0.12, 0.55, 1.0)
"""Of the selected body."""
COLLISION: Rgba = (0.93, 0.47, 0.13, 0.45)
SELF_COLLISION: Rgba = (0.58, 0.36, 0.85, 0.45)
MASS: Rgba = (0.96, 0.77, 0.19, 1.0)
INERTIA: Rgba = (0.24, 0.62, 0.78, 0.45)
REVOLUTE: Rgba = (0.55, 0.27, 0.82, 1.0)
PRISMATIC: Rgba = (0.1, 0.62, 0.47, 1.0)
LOOP: Rgba = (0.75, 0.2, 0.65, 1.0)
SPRING: Rgba = (0.36, 0.42, 0.5, 1.0)
BUSHING: Rgba = (0.18, 0.2, 0.24, 1.0)
MANIPULATOR: Rgba = (0.13, 0.45, 0.9, 1.0)
SENSOR: Rgba = (0.05, 0.6, 0.75, 1.0)
PLANE: Rgba = (0.83, 0.86, 0.9, 1.0)
"""Of an infinite plane without a colour."""
SKELETON: Rgba = (0.52, 0.56, 0.62, 1.0)
SKELETON_JOINT: Rgba = (0.93, 0.55, 0.18, 1.0)
INERTIA_BOX: Rgba = (0.36, 0.56, 0.76, 0.55)
"""Of a body without shapes."""
IGNORED: Rgba = (0.6, 0.62, 0.66, 1.0)
REFERENCE: Rgba = (0.1, 0.45, 0.85, 0.3)
"""Of a recording to compare with."""
CONTACT: Rgba = (0.87, 0.16, 0.16, 1.0)
AXES: tuple[Rgba, Rgba, Rgba] = ((0.86, 0.2, 0.18, 1.0), (0.2, 0.65, 0.25, 1.0), (0.16, 0.4, 0.88, 1.0))
"""Of x, y and z."""

_BODIES: tuple[Rgba, ...] = (
    (0.35, 0.52, 0.72, 1.0),
    (0.87, 0.60, 0.33, 1.0),
    (0.45, 0.66, 0.53, 1.0),
    (0.73, 0.46, 0.50, 1.0),
    (0.58, 0.52, 0.71, 1.0),
    (0.77, 0.70, 0.45, 1.0),
    (0.44, 0.63, 0.69, 1.0),
    (0.66, 0.62, 0.58, 1.0),
)


def body_color(number: int) -> Rgba:
    """Return the colour of a shape without one, by the number of its body: neighbours in a file differ."""
    return _BODIES[number % len(_BODIES)]


def rgb(color: Rgba) -> tuple[int, int, int]:
    """Return red, green and blue from 0 to 255."""
    red, green, blue = (round(255 * min(max(part, 0.0), 1.0)) for part in color[:3])
    return red, green, blue


def opacity(color: Rgba) -> float | None:
    """Return the opacity of a colour, or None if it is opaque."""
    return None if not color[3] < 1.0 else max(color[3], 0.05)
