"""Sending of poses that viser omits because they are the default one."""

from __future__ import annotations

from typing import Any

_OTHER_ROTATION, _OTHER_POSITION = (0.0, 1.0, 0.0, 0.0), (1.0, 1.0, 1.0)


def send_default_pose(node: Any) -> None:
    """Send the identity rotation and the zero position of a new node.

    A browser keeps the pose of a removed node if one of the same name is added at once, as after an edit.
    """
    wxyz, position = tuple(map(float, node.wxyz)), tuple(map(float, node.position))
    if wxyz == (1.0, 0.0, 0.0, 0.0):
        node.wxyz = _OTHER_ROTATION
        node.wxyz = wxyz
    if position == (0.0, 0.0, 0.0):
        node.position = _OTHER_POSITION
        node.position = position
