"""The server of the page: only on this machine by default, and without a public tunnel."""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from importlib.metadata import version

import rich
import viser

from ossature.diagnostics import OssatureError
from ossature.diagnostics.text_escaping import printable
from ossature.viewer.access_control import AccessControl, check_origin, ignore_dropped_connections, is_guarded
from ossature.viewer.lighting import switch_default_lights
from ossature.viewer.page_document import adapt_document

LOOPBACK = "127.0.0.1"
_WILDCARDS = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104  # on request of the user
"""Wildcard addresses, each with the loopback address of its family."""
_LAST_PORT = 65535
_MAX_TRIALS = 1000
_PANEL_WIDTH = 390.0
"""Width of the panel [pixels]: the tabs are in one row."""
_MESSAGE_DELAY = 0.3
"""For a message to arrive at a page [s]."""


class ServerError(OssatureError):
    """The page cannot be served."""


class LocalServer(viser.ViserServer):
    """A server that never opens a public tunnel."""

    access: AccessControl

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Open no tunnel."""
        return None

    def stop(self) -> None:
        """Stop without printing."""
        with _printing_of_viser_off():
            super().stop()


def serve(
    host: str,
    port: int,
    title: str,
    *,
    shadows: bool,
    is_dark: bool = False,
    allowed_origins: Collection[str] = (),
    frame_ancestors: Collection[str] = (),
    on_refusal: Callable[[str], None] = lambda reason: None,
) -> LocalServer:
    """Start a server with an empty page.

    The import of modules that read or show models is left to the caller, so that a browser can connect meanwhile.

    Args:
        host: Address to listen at.
        port: Port to listen at, 0 for any free one; if it is in use, the next free one.
        title: Title of the panel, and the first one of the browser's tab.
        shadows: Whether with shadows and reflections, see :func:`ossature.viewer.lighting.light`.
        is_dark: Whether the page has light text on a dark background.
        allowed_origins: Further origins whose pages may connect.
        frame_ancestors: Origins whose pages may embed the page in a frame.
        on_refusal: Called with the reason when a page or an upload is refused, in a thread of the server.

    Raises:
        ServerError: The address is unavailable, or the access control does not work with the installed libraries.
    """
    ignore_dropped_connections()
    server: LocalServer | None = None

    def refuse(reason: str) -> None:
        on_refusal(reason)
        for client in server.get_clients().values() if server is not None else ():
            client.add_notification("Refused", reason, color="red", auto_close_seconds=8.0)

    access = AccessControl(allowed_origins=allowed_origins, frame_ancestors=frame_ancestors, on_refusal=refuse)
    try:
        port = _free_port(host, port)
        # Viser prints a banner; `ossature view` prints the address.
        with check_origin(access, partial(adapt_document, title=f"{title} - Ossature")), _printing_of_viser_off():
            server = LocalServer(host=host, port=port, label=title, verbose=False)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ServerError(f"cannot serve at {host}:{port}: {why.lower()}") from error
    server.access = access
    if not is_guarded(access, _own_address(server), server.get_port()):
        server.stop()
        raise ServerError(
            f"viser {viser.__version__} with websockets {version('websockets')} let everybody connect to the page: "
            "pip install --upgrade 'ossature[view]'"
        )
    # Once only: it would switch a page that its user made dark back.
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(31, 98, 168), dark_mode=is_dark)
    _place_panel(server.gui)
    switch_default_lights(server.scene, shadows=shadows)  # now, or the first frame is drawn with reflections
    return server


@contextmanager
def _printing_of_viser_off() -> Iterator[None]:
    """Suppress what viser prints; notebooks show it as an output, not on the standard output."""
    console = rich.get_console()
    was_quiet, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = was_quiet


def _free_port(host: str, port: int) -> int:
    """Return the first free port from a given one; 0 stays 0.

    Viser does this too, but never returns if there is none, or if this machine does not have the address.

    Raises:
        OSError: No port is free, or the address is unavailable.
    """
    for candidate in range(port, min(port + _MAX_TRIALS, _LAST_PORT) + 1):
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
    raise OSError(errno.EADDRINUSE, "the port is in use, and so are all ports after it")


def clear_panel(gui: viser.GuiApi) -> None:
    """Clear the panel of the page."""
    gui.reset()  # also undocks it
    _place_panel(gui)


def _place_panel(gui: viser.GuiApi) -> None:
    gui.main_panel.dock_right()
    gui.main_panel.set_width(_PANEL_WIDTH)


def show_text(server: viser.ViserServer, text: str) -> None:
    """Show a text on the page, escaped: file names may contain HTML, some of which viser's Markdown would run."""
    server.gui.add_html(f"<p>{escape(printable(text))}</p>")


def disconnect_clients(server: viser.ViserServer, text: str, *, wait: float) -> None:
    """Clear the page, show a last text, and stop the server.

    Args:
        wait: Time to wait for a first client [s].
    """
    clear_panel(server.gui)
    show_text(server, text)
    end = time.monotonic() + wait
    while time.monotonic() < end:
        time.sleep(_MESSAGE_DELAY)
        if server.get_clients():
            time.sleep(_MESSAGE_DELAY)
            break
    server.stop()


def address_of(server: LocalServer) -> str:
    """Return the address of the page with its token, which grants full access."""
    host = server.get_host()
    name = "localhost" if host in _WILDCARDS else f"[{host}]" if ":" in host else host
    return f"http://{name}:{server.get_port()}/{server.access.token}/"


def _own_address(server: LocalServer) -> str:
    return _WILDCARDS.get(server.get_host(), server.get_host())
