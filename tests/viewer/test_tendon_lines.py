"""Tendons of the page, without a browser: lines along the paths that MuJoCo gives them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("viser")

from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.simulation.tendon_paths import tendon_paths
from ossature.viewer.app import ViewerApp
from ossature.viewer.loaded_file import open_file
from ossature.viewer.scene_layers import Layer
from ossature.viewer.server import LOOPBACK, serve

FILES = [PROJECT / "examples" / "finger.xml", PROJECT / "tests" / "mjcf" / "files" / "tendons.xml"]


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def page(request: pytest.FixtureRequest) -> Iterator[ViewerApp]:
    path: Path = request.param
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [open_file(path, lambda found: MeshStore())], shadows=False)
    yield page
    page.close()


def expected_points(page: ViewerApp) -> np.ndarray:
    view = page.views[0]
    paths = tendon_paths(view.world, view.configuration.positions())
    branches = [np.array(branch) for model in paths.values() for path in model.values() for branch in path.branches]
    return np.concatenate([np.stack([points[:-1], points[1:]], axis=1) for points in branches])


def test_lines_follow_the_joints_and_the_layer(page: ViewerApp) -> None:
    view = page.views[0]
    for seed in range(3):
        np.testing.assert_allclose(view.tendon_lines._node.points, expected_points(page), atol=1e-6)
        view.configuration.shuffle(view.sliders, seed)
        page._update_view(view)
    page._toggle_layer(Layer.TENDONS, False)
    assert view.tendon_lines._node is None
    page._toggle_layer(Layer.TENDONS, True)
    np.testing.assert_allclose(view.tendon_lines._node.points, expected_points(page), atol=1e-6)
