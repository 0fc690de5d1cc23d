"""The page of what each sensor states and reads, from the declarations."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Any

from ossature.formats.collada.schema_sensors import PROGRAM_TYPES, WORDS
from ossature.formats.collada.write_sensor import TYPES
from ossature.model.sensor_fields import settings_of
from ossature.simulation.sensors.sensor_reading import outputs_of
from ossature.simulation.sensors.sensor_registry import DEVICES
from ossature.syntax.schema_export import as_data

_INTRODUCTION = """# Sensors

What each sensor states, what is taken where it does not, what it reads, when, and with which noise. Everything is in SI units
and radians; a file's own units are scaled. Every setting may be absent. A default that is taken is named in the finding
`assumed-sensor-defaults`.

    sim = ossature.Simulation(ossature.load("robot.zae"))
    scan = sim.sensors["base_laser"].read()          # what it senses now
    recording = sim.run(2.0, sense=["base_laser"])   # every scan of two seconds, in recording.readings

`read()` of a sensor that is switched on (`start()`, or `run(sense=…)`) returns its last reading; of another one what it senses
at this instant. Every reading is frozen and has the sensor's name, its time [s] and the sensor's frame in the world at that
time, besides the outputs below. Noise is seeded: `sim.sensors.seed(7)`. `state()` and `restore()` take and put back all that a
sensor remembers. `ossature sensor read FILE --sensor NAME --output FILE` writes one reading as an image, a plot or numbers,
`ossature simulate FILE --sensor NAME --sensor-output FILE.npz` all of them.

Rays meet what other models touch, or what is seen of a body that touches nothing; cameras see what is seen, or what is touched
of a body without looks. Neither meets the body that carries the sensor. A cone or a multi-sphere is met with flat faces, which
a finding tells.
"""


def sensors_page(notice: str) -> str:
    """Return the page.

    Args:
        notice: What stands at the beginning of every generated page.
    """
    lines = [notice, _INTRODUCTION]
    for kind in TYPES:
        lines += _section(kind)
    return "\n".join(lines)


def _section(kind: type) -> Iterator[str]:
    device = DEVICES[kind]
    yield f"## {kind.__name__}\n"
    yield f"{' '.join((inspect.getdoc(kind) or '').split())}\n"
    yield "| setting | unit | default | meaning |"
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
    yield f"*When.* {device.TIMING}\n"
    yield f"*Noise.* {device.NOISE}\n"
    yield from _words(TYPES[kind])


def _words(documented: str) -> Iterator[str]:
    programs = [name for name, known in PROGRAM_TYPES.items() if known == documented]
    also = f", and as `{'`, `'.join(programs)}` in any case," if programs else ""
    yield f"In COLLADA a `<sensor>` of the type `{documented}`{also} says it so:\n"
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
