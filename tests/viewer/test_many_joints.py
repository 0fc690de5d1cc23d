"""The page of a file with more joints than sliders: the search lists those that match, and they move."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore
from ossature.model import Box, Model, World, make_body, make_joint
from ossature.viewer.app import ViewerApp
from ossature.viewer.loaded_file import open_file
from ossature.viewer.server import LOOPBACK, serve

COUNT = 130


def test_many_joints_are_searched(tmp_path: Path) -> None:
    bodies = [make_body(f"link{number}", Box(size=(0.1, 0.1, 0.1)), mass=1.0) for number in range(COUNT)]
    parents = [None, *(body.name for body in bodies[:-1])]
    joints = [
        make_joint(f"joint{number}", "revolute", parent, body.name, axis="y")
        for number, (parent, body) in enumerate(zip(parents, bodies, strict=True))
    ]
    path = tmp_path / "chain.skel"
    ossature.save(World(models=[Model(name="chain", bodies=bodies, joints=joints)]), path)
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [open_file(path, lambda found: MeshStore())], shadows=False)
    try:
        panel = page.joints
        assert len(panel._controls) == 100
        page.set_positions({"chain": {"joint129": [0.5]}})
        search = next(handle for handle in page.server.gui._gui_input_handle_from_uuid.values() if handle.label == "Search")
        search.value = "joint12"
        for callback in search._impl.update_cb:
            callback(None)
        names = {joint for _, _, joint, _ in panel._controls}
        assert names == {"joint12", *(f"joint12{digit}" for digit in range(10))}
        assert panel._controls[0, "chain", "joint129", 0].value == pytest.approx(0.5)
    finally:
        page.close()
