"""How much of the first picture the square around what moves fills, and which models are in it after two simulated seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from benchmarks.timing import PROJECT, corpus
from ossature.cli.read_options import ModelOptions
from ossature.cli.view_options import file_reader
from ossature.diagnostics import OssatureError
from ossature.kinematics import spanning_tree
from ossature.model import World
from ossature.spatial import Pose, subtract
from ossature.viewer.camera_controls import follows_by_default, median_position, tracked_bodies
from ossature.viewer.camera_framing import CameraFraming, primitive_corners, projection
from ossature.viewer.environment import AdaptedFile, Environment, adapt_file
from ossature.viewer.scene_builder import build, default_layers, framing_at
from ossature.viewer.scene_elements import Connector, Primitive

TITLE = "first picture"

ASPECT = 1.2
"""Ratio of width to height of the picture."""
FILLED = 0.2
"""Share of the picture that what moves should fill."""
DURATION = 2.0
"""Simulated time [s]."""
IN_VIEW = 0.9
"""Share of the models that should be in view after it."""
_WALL_TIME = 20.0
_FOLDERS = {
    "URDF": ("urdf", "*.urdf"),
    "COLLADA": ("openrave", "*.[dz]ae"),
    "MJCF": ("mjcf", "*.xml"),
    "SKEL": ("skel", "*.skel"),
    "Chrono YAML": ("chrono*", "*.yaml"),
    "mechanisms without shapes": ("mechanisms", "*.yaml"),
    "contacts": ("contact", "*.skel"),
}


@dataclass(frozen=True, slots=True)
class _Result:
    """What was seen of one model: the share of the picture, and whether it is in view later, None if it was not simulated."""

    path: Path
    filled: float
    is_in_view: bool | None
    reason: str = ""


def run() -> Iterator[Table]:
    """Measure all models of the corpus that move; without a corpus, the examples."""
    root = corpus().parent
    folders = _FOLDERS if root.name == "corpus" else {"examples": ("examples", "*.*")}
    base = root if folders is _FOLDERS else PROJECT
    table = Table(
        "format", "models", f"{FILLED:.0%} filled", "least", "simulated", "in view later", "share", "target", box=None
    )
    outside: list[_Result] = []
    for name, (folder, pattern) in folders.items():
        paths = sorted({path for parent in base.glob(folder) for path in parent.rglob(pattern)})
        found = [result for path in paths if (result := _measure(path)) is not None]
        simulated = [result for result in found if result.is_in_view is not None]
        seen = sum(bool(result.is_in_view) for result in simulated)
        outside += [result for result in found if result.filled < FILLED or not result.is_in_view]
        table.add_row(
            name,
            str(len(found)),
            str(sum(result.filled >= FILLED for result in found)),
            f"{min((result.filled for result in found), default=0.0):.0%}",
            str(len(simulated)),
            str(seen),
            f"{seen / max(len(simulated), 1):.0%}",
            f"{IN_VIEW:.0%}",
        )
    yield table
    exceptions = Table("model", "filled", "after 2 s", box=None)
    for result in outside:
        text = "in view" if result.is_in_view else "outside" if result.is_in_view is False else result.reason
        exceptions.add_row(str(result.path.relative_to(base)), f"{result.filled:.0%}", text)
    yield exceptions


def _measure(path: Path) -> _Result | None:
    try:
        loaded = file_reader(ModelOptions())(path)
    except (OssatureError, SystemExit):
        return None
    if loaded.world is None:
        return None
    adapted = adapt_file(loaded, Environment())
    world, meshes = _world(adapted), loaded.meshes
    if not any(_moving(world).values()):
        return None
    from ossature.viewer.closed_loop_configuration import configuration_of

    try:
        poses: Mapping[str, Mapping[str, Pose]] = configuration_of(world, meshes).poses()
        framing = framing_at(world, poses, meshes)
        filled = _filled(_in_picture(adapted, framing, poses))
        later = _simulate(adapted)
    except OssatureError as error:
        return _Result(path, 0.0 if "filled" not in locals() else filled, None, f"refused: {str(error)[:60]}")
    if later is None:
        return _Result(path, filled, None, f"slower than {DURATION / _WALL_TIME:g} of real time")
    tracked = tracked_bodies(world) if follows_by_default(world) else []
    shift = subtract(median_position(poses, tracked), median_position(later, tracked))
    points = _in_picture(adapted, framing, later, np.array(shift))
    return _Result(path, filled, bool(len(points)) and float(_is_inside(points).mean()) >= 0.5)


def _world(adapted: AdaptedFile) -> World:
    assert adapted.loaded.world is not None
    return adapted.loaded.world


def _moving(world: World) -> dict[str, set[str]]:
    return {model.name: set() if model.static else set(spanning_tree(model).moving_bodies()) for model in world.models}


def _in_picture(
    adapted: AdaptedFile,
    framing: CameraFraming,
    poses: Mapping[str, Mapping[str, Pose]],
    shift: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the points of what moves in the picture: x from -aspect to aspect, y from -1 to 1, shape (n, 2)."""
    world, meshes = _world(adapted), adapted.loaded.meshes
    moving = _moving(world)
    corners = [np.zeros((0, 3))]
    for layer in default_layers(world, meshes):
        for element in build(world, layer, 0.01 * framing.size, meshes):
            if isinstance(element, Connector):
                ends = [end.in_world(world.models[element.model].pose, poses[element.model]) for end in element.ends]
                corners.append(np.array(ends))
            elif isinstance(element, Primitive) and not element.is_infinite and element.body in moving[element.model]:
                corners.append(primitive_corners(element, poses))
    points = np.concatenate(corners) + (0.0 if shift is None else shift)
    return projection(points, framing, framing.eye_for(ASPECT))


def _is_inside(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((np.abs(points) <= [ASPECT, 1.0]).all(axis=1))


def _filled(points: NDArray[np.float64]) -> float:
    """Return the share of the picture of the smallest square around points, which a rod that is seen end to end fills too."""
    if not len(points):
        return 0.0
    inside = np.clip(points, [-ASPECT, -1.0], [ASPECT, 1.0])
    return min(float(np.ptp(inside, axis=0).max() ** 2 / (4.0 * ASPECT)), 1.0)


def _simulate(adapted: AdaptedFile) -> Mapping[str, Mapping[str, Pose]] | None:
    from ossature.simulation import Simulation

    simulation = Simulation(_world(adapted), meshes=adapted.loaded.meshes)
    end = time.monotonic() + _WALL_TIME
    while simulation.time < DURATION:
        simulation.step(max(1, round(0.05 / simulation.time_step)))
        if time.monotonic() > end:
            return None
    return simulation.poses()
