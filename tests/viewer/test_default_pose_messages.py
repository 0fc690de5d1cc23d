"""Poses of new nodes are sent also if they are the default one: a browser keeps those of removed nodes of the same name."""

from __future__ import annotations

import pytest

pytest.importorskip("viser")

from viser import _messages

from ossature.viewer.default_pose_messages import send_default_pose
from ossature.viewer.server import LOOPBACK, serve


def test_the_default_pose_is_sent() -> None:
    server = serve(LOOPBACK, 0, "test", shadows=False)
    node = server.scene.add_frame("/body", show_axes=False)
    sent: list[object] = []
    server.scene._queue_scene_message = sent.append  # type: ignore[method-assign, assignment]
    send_default_pose(node)
    turned = [one for one in sent if isinstance(one, _messages.SetOrientationMessage)]
    moved = [one for one in sent if isinstance(one, _messages.SetPositionMessage)]
    assert tuple(turned[-1].wxyz) == (1.0, 0.0, 0.0, 0.0)
    assert tuple(moved[-1].position) == (0.0, 0.0, 0.0)
    server.stop()
