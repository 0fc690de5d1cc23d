"""What sensing finds."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

DEFAULT_SETTINGS = Rule(
    name="sensor-defaults",
    severity=Severity.NOTE,
    summary="A sensor does not state everything that it needs, and documented values are taken.",
    explanation="The page `sensors` of the documentation lists them. State them to be sure of what is sensed.",
)
NO_SENSE = Rule(
    name="sensor-without-sense",
    severity=Severity.WARNING,
    summary="A sensor cannot sense.",
    explanation=(
        "Its type is unknown, it is on no body, or what it states makes no sense; `ossature check` tells of the last with "
        "the file and line. The simulation goes on without it."
    ),
)
CAST_IMAGES = Rule(
    name="images-by-rays",
    severity=Severity.NOTE,
    summary="No renderer can start here, so cameras cast rays.",
    explanation=(
        "Depth and what is seen where are the same; colours are flat, without light and shadow. The renderer needs "
        "`pip install 'ossature[render]'` and a driver for EGL, OSMesa or a window; MUJOCO_GL chooses one."
    ),
)
SATURATED = Rule(
    name="sensor-saturated",
    severity=Severity.WARNING,
    summary="A force sensor's load is beyond what it can tell.",
    explanation="What is beyond is told as the largest value. It is reported once for each sensor.",
)
BROKEN = Rule(
    name="sensor-broken",
    severity=Severity.WARNING,
    summary="A force sensor's load is beyond what it can withstand.",
    explanation="From then on it tells nothing: its readings are not numbers.",
)

RULES: tuple[Rule, ...] = (DEFAULT_SETTINGS, NO_SENSE, CAST_IMAGES, SATURATED, BROKEN)
