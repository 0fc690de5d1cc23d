"""The page's server: on this machine alone unless told otherwise, and without ways out of it."""

from __future__ import annotations

import contextlib
import io
import socket
import time

import viser

from ossature.diagnostics import OssatureError
from ossature.viewer.lights import switch
from ossature.viewer.visitors import guarded, say_nothing_of_dropped_connections

LOOPBACK = "127.0.0.1"
_UNTIL_READ = 0.3
"""How long a message takes to a page [s]."""


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


def serve(host: str, port: int, title: str, *, fine: bool) -> viser.ViserServer:
    """Return a running server, whose page is empty.

    It loads nothing that reads or shows a model, so that a browser can begin while that is loaded.

    Args:
        host: The address that it listens at.
        port: The port; 0 for any that is free. Where it is taken the next one that is free is used.
        title: What stands at the top of the page's panel.
        fine: Whether with shadows and reflections, see :func:`ossature.viewer.lights.light`.

    Raises:
        ServerError: It cannot listen there.
    """
    say_nothing_of_dropped_connections()
    try:
        _require_own_address(host)
        # It prints a panel of its own, wherever the output goes; `ossature view` says where the page is.
        with guarded(host), contextlib.redirect_stdout(io.StringIO()):
            server = _LocalServer(host=host, port=port, label=title, verbose=False)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ServerError(f"cannot serve at {host}:{port}: {why.lower()}") from error
    _furnish(server.gui)
    switch(server.scene, fine=fine)  # at once: a page that is told later draws its first picture with reflections
    return server


def _require_own_address(host: str) -> None:
    """Raise an error where this machine has no such address: viser would try a thousand ports of it, and then wait for ever."""
    family, type_, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, type_, protocol) as trial:
        trial.bind(address)


def clear_panel(gui: viser.GuiApi) -> None:
    """Take everything off the page's panel, and leave that where it is at first."""
    gui.reset()  # which undocks it too
    _furnish(gui)


def _furnish(gui: viser.GuiApi) -> None:
    gui.main_panel.dock_right()
    gui.main_panel.set_width(330.0)
    gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(31, 98, 168))


def take_leave(server: viser.ViserServer, text: str, *, wait: float) -> None:
    """Put a last text on an empty page, and stop serving.

    Args:
        server: The server.
        text: What is said, as Markdown.
        wait: How long somebody is waited for who has not come yet [s].
    """
    clear_panel(server.gui)
    server.gui.add_markdown(text)
    end = time.monotonic() + wait
    while time.monotonic() < end:
        time.sleep(_UNTIL_READ)
        if server.get_clients():
            time.sleep(_UNTIL_READ)
            break
    server.stop()


def address_of(server: viser.ViserServer) -> str:
    """Return where a browser finds the page."""
    host = server.get_host()
    return f"http://{'localhost' if host in ('0.0.0.0', '::') else host}:{server.get_port()}"  # noqa: S104
