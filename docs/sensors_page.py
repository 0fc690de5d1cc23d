"""The page of the parameters and outputs of each sensor, from the declarations."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Any

from ossature.formats.collada.openrave.schema_sensors import PROGRAM_TYPES, WORDS
from ossature.formats.collada.openrave.write_sensor import TYPES
from ossature.model.sensor_fields import settings_of
from ossature.simulation.sensors.reading_base import outputs_of
from ossature.simulation.sensors.sensor_set import DEVICES
from ossature.syntax.schema_as_data import as_data

_INTRODUCTION = """# Sensors

The parameters of each sensor with their defaults, its outputs, timing and noise. Everything is in SI units and radians; a
file's own units are scaled. All parameters are optional. The finding `assumed-sensor-defaults` lists the defaults that are
used.

    sim = ossature.Simulation(ossature.load("robot.zae"))
    scan = sim.sensors["base_laser"].read()          # a scan of the present state
    recording = sim.run(2.0, sense=["base_laser"])   # every scan of two seconds, in recording.readings

`read()` returns the last reading of a sensor that is switched on (`start()`, or `run(sense=…)`), and a measurement of the
present state of one that is off. Every reading is frozen and has the sensor's name, its time [s] and the sensor's frame in the
world at that time, in addition to the outputs below. Noise is seeded: `sim.sensors.seed(7)`. `state()` and `restore()` save and
restore the state of a sensor. `ossature sensor read FILE --sensor NAME --output FILE` writes one reading as an image, a plot or
data, `ossature simulate FILE --sensor NAME --sensor-output FILE.npz` all of them.

Rays hit collision shapes, or the visual shapes of a body without collision shapes; cameras see visual shapes, or the collision
shapes of a body without visual shapes. The body of the sensor itself is ignored. Cones and multi-spheres are tessellated, which
a finding reports.
"""


def sensors_page(notice: str) -> str:
    """Return the page.

    Args:
        notice: The notice at the start of every generated page.
    """
    lines = [notice, _INTRODUCTION]
    for kind in TYPES:
        lines += _section(kind)
    return "\n".join(lines)


def _section(kind: type) -> Iterator[str]:
    device = DEVICES[kind]
    yield f"## {kind.__name__}\n"
    yield f"{' '.join((inspect.getdoc(kind) or '').split())}\n"
    yield "| parameter | unit | default | meaning |"
    yield "|---|---|---|---|"
    for name, setting in settings_of(kind).items():
        default = _shown(setting.default) if setting.default is not None else setting.absence
        yield _row(f"`{name}`", setting.unit or "", default, setting.doc)
    yield ""
    yield "| output | shape | unit | meaning |"
    yield "|---|---|---|---|"
    for name, output in outputs_of(device.READING).items():
        yield _row(f"`{name}`", output.shape, output.unit or "", output.doc)
    yield ""
    yield f"*Timing.* {device.TIMING}\n"
    yield f"*Noise.* {device.NOISE}\n"
    yield from _words(TYPES[kind])


def _words(documented: str) -> Iterator[str]:
    programs = [name for name, known in PROGRAM_TYPES.items() if known == documented]
    also = f", or the OpenRAVE type `{'`, `'.join(programs)}` (case-insensitive)," if programs else ""
    yield f"A COLLADA `<sensor>` of the type `{documented}`{also} has these elements:\n"
    yield "| element | type | unit | source | meaning |"
    yield "|---|---|---|---|---|"
    for field in as_data(WORDS[documented], "sensor")[0]["fields"]:
        yield _row(f"`{field['spelled']}`", field["type"], field["unit"] or "", field["source"], field["doc"])
    yield ""


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _shown(value: Any) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return "two cameras with their defaults"
    return f"{value:.6g}"
