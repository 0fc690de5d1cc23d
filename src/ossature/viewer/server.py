"""The page's server: on this machine alone unless told otherwise, and without ways out of it."""

from __future__ import annotations

import contextlib
import errno
import io
import socket
import time
from collections.abc import Callable, Collection
from html import escape
from importlib.metadata import version

import viser

from ossature.diagnostics import OssatureError
from ossature.diagnostics.text_escaping import printable
from ossature.viewer.lighting import switch
from ossature.viewer.origin_check import AccessControl, check_origin, ignore_dropped_connections, is_guarded

LOOPBACK = "127.0.0.1"
_EVERYWHERE = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104  # what a user may ask for
"""Addresses that mean all of this machine's, each with one of them."""
_LAST_PORT = 65535
_MOST_TRIED = 1000
_UNTIL_READ = 0.3
"""How long a message takes to a page [s]."""


class ServerError(OssatureError):
    """The page cannot be served."""


class LocalServer(viser.ViserServer):
    """A server that opens no tunnel, whatever a page asks it for.

    Attributes:
        access: Who may connect.
    """

    access: AccessControl

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Open nothing."""
        return None

    def stop(self) -> None:
        """Stop, and say nothing about it."""
        with contextlib.redirect_stdout(io.StringIO()):
            super().stop()


def serve(
    host: str,
    port: int,
    title: str,
    *,
    fine: bool,
    allowed_origins: Collection[str] = (),
    on_refusal: Callable[[str], None] = lambda reason: None,
) -> LocalServer:
    """Return a running server, whose page is empty.

    It loads nothing that reads or shows a model, so that a browser can begin while that is loaded.

    Args:
        host: The address that it listens at.
        port: The port; 0 for any that is free. Where it is taken the next one that is free is used.
        title: What stands at the top of the page's panel.
        fine: Whether with shadows and reflections, see :func:`ossature.viewer.lighting.light`.
        allowed_origins: Origins of pages besides the page's own that may connect.
        on_refusal: Is given the reason for which a page or an upload is refused, by a thread of the server.

    Raises:
        ServerError: It cannot listen there, or the installed libraries do not let it refuse anybody.
    """
    ignore_dropped_connections()
    server: LocalServer | None = None

    def refuse(reason: str) -> None:
        on_refusal(reason)
        for client in server.get_clients().values() if server is not None else ():
            client.add_notification("Refused", reason, color="red", auto_close_seconds=8.0)

    access = AccessControl(allowed_origins=allowed_origins, on_refusal=refuse)
    try:
        port = _free_port(host, port)
        # It prints a panel of its own, wherever the output goes; `ossature view` says where the page is.
        with check_origin(access), contextlib.redirect_stdout(io.StringIO()):
            server = LocalServer(host=host, port=port, label=title, verbose=False)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ServerError(f"cannot serve at {host}:{port}: {why.lower()}") from error
    server.access = access
    if not is_guarded(access, _own_address(server), server.get_port()):
        server.stop()
        raise ServerError(
            f"viser {viser.__version__} with websockets {version('websockets')} would let everybody connect to the page: "
            "pip install --upgrade 'ossature[view]'"
        )
    _furnish(server.gui)
    switch(server.scene, fine=fine)  # at once: a page that is told later draws its first picture with reflections
    return server


def _free_port(host: str, port: int) -> int:
    """Return the first port from one on that nobody listens at; 0 is any.

    Viser looks for it too, and waits for ever where there is none, or where this machine has no such address.

    Raises:
        OSError: There is none.
    """
    for candidate in range(port, min(port + _MOST_TRIED, _LAST_PORT) + 1):
        family, type_, protocol, _, address = socket.getaddrinfo(host, candidate, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, type_, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(address)
                trial.listen(1)
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            return candidate
    raise OSError(errno.EADDRINUSE, "this port is in use, and there is no free one after it")


def clear_panel(gui: viser.GuiApi) -> None:
    """Take everything off the page's panel, and leave that where it is at first."""
    gui.reset()  # which undocks it too
    _furnish(gui)


def _furnish(gui: viser.GuiApi) -> None:
    gui.main_panel.dock_right()
    gui.main_panel.set_width(330.0)
    gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(31, 98, 168))


def show_text(server: viser.ViserServer, text: str) -> None:
    """Put a text on the page, as it is: names of files may look like HTML, of which viser's Markdown runs some."""
    server.gui.add_html(f"<p>{escape(printable(text))}</p>")


def disconnect_clients(server: viser.ViserServer, text: str, *, wait: float) -> None:
    """Put a last text on an empty page, and stop serving.

    Args:
        server: The server.
        text: What is said.
        wait: How long somebody is waited for who has not come yet [s].
    """
    clear_panel(server.gui)
    show_text(server, text)
    end = time.monotonic() + wait
    while time.monotonic() < end:
        time.sleep(_UNTIL_READ)
        if server.get_clients():
            time.sleep(_UNTIL_READ)
            break
    server.stop()


def address_of(server: LocalServer) -> str:
    """Return where a browser finds the page; whoever has this address may do there what its user may."""
    host = server.get_host()
    name = "localhost" if host in _EVERYWHERE else f"[{host}]" if ":" in host else host
    return f"http://{name}:{server.get_port()}/{server.access.token}/"


def _own_address(server: LocalServer) -> str:
    """Return an address of this machine at which a server listens."""
    return _EVERYWHERE.get(server.get_host(), server.get_host())
