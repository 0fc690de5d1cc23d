"""Hidden bodies stay hidden in a page that is shared."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from conftest import PROJECT

pytest.importorskip("viser")

from ossature.assets import MeshStore
from ossature.viewer import web_page_export
from ossature.viewer.app import ViewerApp
from ossature.viewer.loaded_file import open_file
from ossature.viewer.panels.body_tree import ShownBodies
from ossature.viewer.scene_nodes import WorldNodes
from ossature.viewer.server import LOOPBACK, serve

ARM = PROJECT / "examples" / "palletizer.urdf"


def test_hidden_bodies_stay_hidden_in_a_shared_page(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [open_file(ARM, lambda found: MeshStore())], shadows=False)
    app.selection.select(app.views[0], "palletizer", "palm")
    app.selection.show(ShownBodies.HIDE)
    made: list[WorldNodes] = []
    original = web_page_export.add_models_to_scene

    def add_models(*arguments: Any, **options: Any) -> Any:
        views = original(*arguments, **options)
        made.extend(view.nodes for view in views)
        return views

    monkeypatch.setattr(web_page_export, "add_models_to_scene", add_models)
    sent: list[bytes] = []
    camera = SimpleNamespace(position=(1.0, 1.0, 1.0), look_at=(0.0, 0.0, 0.0))
    client: Any = SimpleNamespace(camera=camera, send_file_download=lambda name, content, **options: sent.append(content))
    app.sharing._send_page(client, lambda share: None)
    app.close()
    assert len(sent) == 1
    (nodes,) = made
    assert [body for (_, body), frame in nodes._frames.items() if not frame.visible] == ["palm"]
