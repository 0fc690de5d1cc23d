"""Rules of simulated sensors."""

from __future__ import annotations

from ossature.diagnostics import Rule

ASSUMED_SENSOR_DEFAULTS = Rule.note(
    "assumed-sensor-defaults",
    "SEN001",
    "A sensor does not state all parameters, and documented defaults are used.",
    "The page `sensors` of the documentation lists them. State the parameters if the measurements matter.",
    aliases=("sensor-defaults",),
)
UNSUPPORTED_SENSOR = Rule.warning(
    "unsupported-sensor",
    "SEN002",
    "A sensor cannot be simulated.",
    "Its type is unknown, it is attached to no body, or its parameters are invalid; `ossature check` reports invalid "
    "parameters with file and line. The simulation continues without it.",
    aliases=("sensor-without-sense",),
)
RAYCAST_RENDERING = Rule.note(
    "raycast-rendering",
    "SEN003",
    "Camera images are rendered by ray casting, because the renderer cannot start.",
    "Depth and visibility are the same; colors have no shading and shadows. The renderer needs `pip install "
    "'ossature[render]'` and a driver for EGL, OSMesa or a window; MUJOCO_GL selects one.",
    aliases=("images-by-rays",),
)
SENSOR_SATURATED = Rule.warning(
    "sensor-saturated",
    "SEN004",
    "The load on a force sensor exceeds its range.",
    "The measurement is clamped to the range. It is reported once for each sensor. Use a sensor with a larger range, or reduce "
    "the load.",
)
SENSOR_OVERLOADED = Rule.warning(
    "sensor-overloaded",
    "SEN005",
    "The load on a force sensor exceeds its overload limit.",
    "The sensor is destroyed: from then on it measures NaN. Use a sensor for larger loads, or reduce the load.",
    aliases=("sensor-broken",),
)

RULES: tuple[Rule, ...] = (ASSUMED_SENSOR_DEFAULTS, UNSUPPORTED_SENSOR, RAYCAST_RENDERING, SENSOR_SATURATED, SENSOR_OVERLOADED)
