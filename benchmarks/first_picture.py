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
from ossature.viewer.camera_framing import CameraFraming, primitive_corners, projection
from ossature.viewer.camera_tracking import follows_by_default, median_position, tracked_bodies
from ossature.viewer.fitted_cameras import WIDE, GrowingFraming
from ossature.viewer.scene_builder import default_layers, elements_of_layer, framing_at
from ossature.viewer.scene_elements import Connector, Primitive
from ossature.viewer.simulation_environment import AdaptedFile, SimulationEnvironment, adapt_file

TITLE = "first picture"

ASPECT = WIDE
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
    "SDFormat": ("sdf", "*.sdf"),
    "Chrono YAML": ("chrono*", "*.yaml"),
    "mechanisms without shapes": ("mechanisms", "*.yaml"),
    "contacts": ("contact", "*.skel"),
}


@dataclass(frozen=True, slots=True)
class _Result:
    """What was seen of one model: the share of the picture, whether it is in view later, None if it was not simulated, and
    the share of the picture then.
    """

    path: Path
    filled: float
    is_in_view: bool | None
    filled_later: float = 0.0
    reason: str = ""


def run() -> Iterator[Table]:
    """Measure all models of the corpus that move; without a corpus, the examples."""
    root = corpus().parent
    folders = _FOLDERS if root.name == "corpus" else {"examples": ("examples", "*.*")}
    base = root if folders is _FOLDERS else PROJECT
    table = Table(
        "format",
        "models",
        f"{FILLED:.0%} filled",
        "least",
        "simulated",
        "in view later",
        "share",
        "target",
        "least filled",
        box=None,
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
            f"{min((result.filled_later for result in simulated), default=0.0):.0%}",
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
    adapted = adapt_file(loaded, SimulationEnvironment())
    world, meshes = _world(adapted), loaded.meshes
    if not any(_moving(world).values()):
        return None
    from ossature.viewer.closed_loop_configuration import configuration_of

    try:
        poses: Mapping[str, Mapping[str, Pose]] = configuration_of(world, meshes).poses()
        framing = framing_at(world, poses, meshes)
        shapes = _MovingShapes(adapted, framing)
        filled = _filled(projection(shapes.points(poses), framing, framing.eye_for(ASPECT)))
        growing = GrowingFraming(framing)
        later = _simulate(adapted, growing, shapes, poses)
    except OssatureError as error:
        return _Result(path, 0.0 if "filled" not in locals() else filled, None, reason=f"refused: {str(error)[:60]}")
    if later is None:
        return _Result(path, filled, None, reason=f"slower than {DURATION / _WALL_TIME:g} of real time")
    points = projection(later, growing.framing, growing.framing.eye_for(ASPECT))
    return _Result(path, filled, bool(len(points)) and float(_is_inside(points).mean()) >= 0.5, _filled(points))


def _world(adapted: AdaptedFile) -> World:
    assert adapted.loaded.world is not None
    return adapted.loaded.world


def _moving(world: World) -> dict[str, set[str]]:
    return {model.name: set() if model.static else set(spanning_tree(model).moving_bodies()) for model in world.models}


class _MovingShapes:
    """What moves in a file."""

    def __init__(self, adapted: AdaptedFile, framing: CameraFraming) -> None:
        self._world, meshes = _world(adapted), adapted.loaded.meshes
        moving = _moving(self._world)
        elements = [
            element
            for layer in default_layers(self._world, meshes)
            for element in elements_of_layer(self._world, layer, 0.01 * framing.size, meshes)
        ]
        self._connectors = [element for element in elements if isinstance(element, Connector)]
        self._shapes = [
            element
            for element in elements
            if isinstance(element, Primitive) and not element.is_infinite and element.body in moving[element.model]
        ]

    def points(self, poses: Mapping[str, Mapping[str, Pose]]) -> NDArray[np.float64]:
        """Return the corners of their boxes [m], shape (n, 3)."""
        models = self._world.models
        ends = [
            [end.in_world(models[element.model].pose, poses[element.model]) for end in element.ends]
            for element in self._connectors
        ]
        corners = [primitive_corners(shape, poses) for shape in self._shapes]
        return np.concatenate([np.zeros((0, 3)), *map(np.array, ends), *corners])


def _is_inside(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((np.abs(points) <= [ASPECT, 1.0]).all(axis=1))


def _filled(points: NDArray[np.float64]) -> float:
    """Return the share of the picture of the smallest square around points, which a rod that is seen end to end fills too."""
    if not len(points):
        return 0.0
    inside = np.clip(points, [-ASPECT, -1.0], [ASPECT, 1.0])
    return min(float(np.ptp(inside, axis=0).max() ** 2 / (4.0 * ASPECT)), 1.0)


def _simulate(
    adapted: AdaptedFile, growing: GrowingFraming, shapes: _MovingShapes, initial: Mapping[str, Mapping[str, Pose]]
) -> NDArray[np.float64] | None:
    """Return the points of what moves after a simulation, in the scene of a page, whose camera saw all of it [m]."""
    from ossature.simulation import Simulation

    world = _world(adapted)
    tracked = tracked_bodies(world) if follows_by_default(world) else []
    simulation = Simulation(world, meshes=adapted.loaded.meshes)
    points = shapes.points(initial)
    end = time.monotonic() + _WALL_TIME
    while simulation.time < DURATION:
        simulation.step(max(1, round(0.2 / simulation.time_step)))
        if time.monotonic() > end:
            return None
        poses = simulation.poses()
        shift = subtract(median_position(initial, tracked), median_position(poses, tracked))
        points = shapes.points(poses) + np.array(shift)
        growing.include(points)
    return points
