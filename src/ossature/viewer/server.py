"""The page's server: on this machine alone unless told otherwise, and without ways out of it."""

from __future__ import annotations

import contextlib
import io

import viser

from ossature.diagnostics import OssatureError
from ossature.spatial import add, dot, scale
from ossature.viewer.framing import FIELD_OF_VIEW, Framing
from ossature.viewer.lights import light
from ossature.viewer.marks import along

LOOPBACK = "127.0.0.1"


class ServerError(OssatureError):
    """The page cannot be served."""


class _LocalServer(viser.ViserServer):
    """A server that opens no tunnel, whatever a page asks it for."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Open nothing."""
        return None

    def stop(self) -> None:
        """Stop, and say nothing about it."""
        with contextlib.redirect_stdout(io.StringIO()):
            super().stop()


def serve(host: str, port: int, title: str) -> viser.ViserServer:
    """Return a running server.

    Args:
        host: The address that it listens at.
        port: The port; 0 for any that is free. Where it is taken the next one that is free is used.
        title: What stands at the top of the page's panel.

    Raises:
        ServerError: It cannot listen there.
    """
    try:
        # It prints a panel of its own, wherever the output goes; `ossature view` says where the page is.
        with contextlib.redirect_stdout(io.StringIO()):
            server = _LocalServer(host=host, port=port, label=title, verbose=False)
    except (OSError, OverflowError) as error:
        raise ServerError(f"cannot serve at {host}:{port}: {error}") from error
    server.gui.main_panel.dock_right()
    server.gui.main_panel.set_width(330.0)
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(31, 98, 168))
    return server


def look(server: viser.ViserServer, framing: Framing, *, fine: bool) -> None:
    """Set light, floor and camera; for fine light see :func:`ossature.viewer.lights.light`."""
    server.scene.set_up_direction(framing.up)
    camera = server.initial_camera
    camera.fov = FIELD_OF_VIEW
    camera.position, camera.look_at = framing.eye_for(1.2), framing.center
    camera.near, camera.far = 0.002 * framing.size, 60.0 * framing.size
    light(server.scene, framing, fine=fine)
    _floor(server.scene, framing)


def _floor(scene: viser.SceneApi, framing: Framing) -> None:
    height = framing.floor - 0.0005 * framing.size  # what stands on it hides its lines
    below = height - dot(framing.center, framing.up)
    scene.add_grid(
        "/floor",
        wxyz=along(framing.up).wxyz,
        position=add(framing.center, scale(framing.up, below)),
        infinite_grid=True,
        cell_size=framing.cell,
        section_size=5.0 * framing.cell,
        cell_color=(214, 219, 226),
        section_color=(178, 187, 199),
        cell_thickness=0.7,
        section_thickness=1.0,
        fade_distance=9.0 * framing.size,
        fade_strength=1.5,
        shadow_opacity=0.18,
    )
