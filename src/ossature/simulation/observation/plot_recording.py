"""Plots of recordings over time, with one panel for each kind of quantity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import OssatureError
from ossature.recordings.plot_panels import draw_panels, image_of_panels
from ossature.simulation.observation.recording import Recording

if TYPE_CHECKING:
    Series = dict[str, Array]

# Units of controls, activations and measurements depend on the actuator or sensor.
_UNITS = {
    "length": "m",
    "position": "m",
    "angle": "rad",
    "rate": "m/s, rad/s",
    "force": "N",
    "torque": "N·m",
    "control": "",
    "activation": "",
    "measurement": "",
    "energy": "J",
    "violation": "m, rad",
    "body position": "m",
    "joint position": "m, rad",
    "reaction force": "N",
    "reaction torque": "N·m",
    "contact force": "N",
}


def plot_recording(recording: Recording, file: Path) -> None:
    """Plot a recording into an image file; the suffix determines the format.

    Raises:
        ImportError: Matplotlib is not installed.
        ValueError: The image format is not supported.
        OSError: The file cannot be written.
    """
    draw_panels(recording.times, _panels(recording), file)


def svg_of_recording(recording: Recording) -> str:
    """Return plots of a recording as SVG.

    Raises:
        OssatureError: Matplotlib is not installed.
    """
    try:
        return image_of_panels(recording.times, _panels(recording), "svg").decode()
    except ImportError as error:
        raise OssatureError("this needs the extra plot: pip install 'ossature[plot]'") from error


def _panels(recording: Recording) -> dict[str, list[tuple[str, Array]]]:
    series = _panel_series(recording)
    titles = {name: f"{name} [{unit}]" if unit else name for name, unit in _UNITS.items()}
    return {titles[name]: list(lines.items()) for name, lines in series.items() if lines}


def _panel_series(recording: Recording) -> dict[str, Series]:
    """Return the series of each panel, without components that are constant."""
    panels: dict[str, Series] = {name: {} for name in _UNITS}
    for names in recording.elements.values():
        for element, quantities in names.items():
            for quantity, values in quantities.items():
                _add_series(panels[quantity], element, values)
    for names in recording.reactions.values():
        for joint, quantities in names.items():
            for quantity, values in quantities.items():
                panels[f"reaction {quantity}"][joint] = np.linalg.norm(values, axis=1)
    for names in recording.contacts.values():
        for pair, quantities in names.items():
            norms = np.linalg.norm(quantities["force"], axis=1)
            if norms.any():
                panels["contact force"][pair] = norms
    if len(recording.energy):
        panels["energy"] = {"potential": recording.energy[:, 0], "kinetic": recording.energy[:, 1]}
        panels["energy"]["total"] = recording.energy.sum(axis=1)
    if len(recording.violation):
        panels["violation"] = {"largest": recording.violation}
    for model, joints in recording.index.joints.items():
        for joint in joints:
            rows = [recording.joint_positions(model, joint, sample) for sample in range(len(recording.times))]
            _add_series(panels["joint position"], joint, np.array(rows))
    for bodies in recording.index.bodies.values():
        for name, body in bodies.items():
            _add_series(panels["body position"], name, recording.positions[:, body.number])
    return panels


def _add_series(panel: Series, label: str, values: Array) -> None:
    if values.ndim == 1:
        panel[label] = values
        return
    for number in range(values.shape[1]):
        if np.ptp(values[:, number]) > 0.0:
            panel[f"{label}[{number}]" if values.shape[1] > 1 else label] = values[:, number]
