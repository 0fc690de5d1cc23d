"""Access control of the page: a token in its address, and a check of the origin of each connection."""

from __future__ import annotations

import hmac
import http.client
import logging
import re
import secrets
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from typing import Any
from urllib.parse import urlsplit

import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.exceptions import InvalidMessage
from websockets.http11 import Request, Response

from ossature.viewer.upload_limits import BoundedConnection

_HANDSHAKE_TIMEOUT = 1.0
"""For the request of a new connection [s]."""
_MAX_MESSAGE = 16 << 20
"""Size of a message of a client [bytes]; files are sent in parts."""
_MAX_REPORTED_ORIGINS = 16
"""Limit of refused origins that are reported, so that no page can flood the terminal."""
_AUTHORITY = re.compile(r"[A-Za-z0-9.\-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?")
_patching = threading.Lock()


@dataclass(slots=True)
class AccessControl:
    """Decides who may connect.

    The address of the page contains a random token, as with Jupyter notebooks. Requests without it are refused, which keeps out
    other sites in the same browser and other users of the machine. With the token, pages of other origins are refused too,
    unless they are allowed.

    Attributes:
        frame_ancestors: Origins whose pages may embed the page in a frame.
        token: The first part of the path of every request.
        allowed_origins: Further origins whose pages may connect, such as ``https://robots.example.org``.
        on_refusal: Called with the reason when a page or an upload is refused, once for each origin.
        is_installed: Whether a server was started with it.
    """

    allowed_origins: Collection[str] = ()
    on_refusal: Callable[[str], None] = lambda reason: None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    frame_ancestors: Collection[str] = ()
    is_installed: bool = False
    _refused: set[str] = field(default_factory=set)

    def answer(self, request: Request) -> Request | Response:
        """Return a request without the token in its path, or a response that refuses or redirects it."""
        path, mark, query = request.path.partition("?")
        _, token, *rest = path.split("/", 2) if path.startswith("/") else ("", "")
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return _refusal("The address has no valid token: open the address that `ossature view` printed.")
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return self._refused_origin(request.headers) or replaced(request, path="/")
        if not rest:  # relative addresses of the page need the slash
            return _response(http.HTTPStatus.MOVED_PERMANENTLY, "", Location=f"/{self.token}/{mark}{query}")
        return replaced(request, path=f"/{rest[0]}{mark}{query}")

    def _refused_origin(self, headers: Headers) -> Response | None:
        """Return the refusal of a connection from another origin, or None; only browsers send an origin."""
        origins, hosts = headers.get_all("Origin"), headers.get_all("Host")
        if not origins:
            return None
        origin = origins[0].rstrip("/")
        if len(origins) == 1 and origin.lower() in {allowed.rstrip("/").lower() for allowed in self.allowed_origins}:
            return None
        if len(origins) == 1 and len(hosts) == 1 and _is_same_origin(origin, hosts[0]):
            return None
        reason = f"refused a page from {origin[:200]}: to allow it, start with --allow-origin {origin[:200]}"
        if origin not in self._refused and len(self._refused) < _MAX_REPORTED_ORIGINS:
            self._refused.add(origin)
            self.on_refusal(reason)
        return _refusal(reason)


def _is_same_origin(origin: str, host: str) -> bool:
    """Whether an origin has the host of the request; the scheme may differ behind a proxy."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and parts.netloc.lower() == host.lower()


def _refusal(reason: str) -> Response:
    return _response(http.HTTPStatus.FORBIDDEN, reason + "\n")


def _response(status: http.HTTPStatus, text: str, **headers: str) -> Response:
    content = text.encode("utf-8", "replace")
    every = Headers(**{"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(content)), "Connection": "close"})
    every.update(headers)
    return Response(status.value, status.phrase, every, content)


def _with_protection(response: Response, request: Request, frame_ancestors: Collection[str]) -> Response:
    """Add headers: no content from other hosts, no referrer, no embedding in frames of other origins."""
    host, ancestors = request.headers.get("Host", ""), " ".join(frame_ancestors) or "'none'"
    sockets = f"ws://{host} wss://{host}" if _AUTHORITY.fullmatch(host) else ""
    response.headers["Content-Security-Policy"] = (
        "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; "
        f"connect-src 'self' data: blob: {sockets}; "
        "script-src-attr 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors {ancestors}"
    )
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


@contextmanager
def check_origin(access: AccessControl, adapt: Callable[[Response], Response]) -> Iterator[None]:
    """Install an access control in servers that are started in this context, with a timeout for idle connections.

    Args:
        adapt: Returns what is sent in place of a response of the server.

    Browsers let any page connect to this machine, and viser does not check origins. The websockets library can, but viser has
    no argument for it, hence the patch; after the start, :func:`is_guarded` verifies it. The timeout is for connections that
    browsers open in advance: a server that is stopped waits for their requests.
    """
    with _patching:
        serve = websockets.asyncio.server.serve

        def guarded_serve(handler: Any, *arguments: Any, process_request: Any = None, **options: Any) -> Any:
            def process(connection: Any, request: Request) -> Any:
                answer = access.answer(request)
                if isinstance(answer, Response):
                    return answer
                response = process_request(connection, answer) if process_request is not None else None
                if not isinstance(response, Response):
                    return response
                return _with_protection(adapt(response), request, access.frame_ancestors)

            def connect(*parts: Any, **named: Any) -> BoundedConnection:
                return BoundedConnection(*parts, on_refusal=access.on_refusal, **named)

            access.is_installed = True
            strict = {"open_timeout": _HANDSHAKE_TIMEOUT, "max_size": _MAX_MESSAGE, "create_connection": connect}
            return serve(handler, *arguments, process_request=process, **options | strict)

        websockets.asyncio.server.serve = guarded_serve  # type: ignore[assignment, misc]
        try:
            yield
        finally:
            websockets.asyncio.server.serve = serve  # type: ignore[misc]


def is_guarded(access: AccessControl, host: str, port: int) -> bool:
    """Whether a running server refuses requests without the token: for the page, and for a WebSocket."""
    if not access.is_installed:
        return False
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    for headers in ({}, upgrade):
        connection = http.client.HTTPConnection(host, port, timeout=10.0)
        try:
            connection.request("GET", "/", headers=headers)
            if connection.getresponse().status != http.HTTPStatus.FORBIDDEN:
                return False
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
    return True


def ignore_dropped_connections() -> None:
    """Keep connections without a request out of the log: browsers open some in advance."""
    logging.getLogger("websockets.server").addFilter(has_request)


def has_request(record: logging.LogRecord) -> bool:
    """Whether a log record is not about a connection that was closed before its request."""
    error = record.exc_info[1] if record.exc_info else None
    ended = isinstance(error, ConnectionError) or (isinstance(error, InvalidMessage) and isinstance(error.__cause__, EOFError))
    return not (ended and record.msg == "opening handshake failed")
