"""Who may connect to the page: the page itself and programs, and no page of another site in the same browser."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import websockets.asyncio.server
from websockets.exceptions import InvalidMessage

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_LONGEST_SILENCE = 1.0
"""How long somebody who connects may take to say what for [s]."""


@contextmanager
def guarded(host: str) -> Iterator[None]:
    """Make servers that are started in the meantime refuse pages of other sites, and leave those who never ask for anything.

    Browsers let any page connect to this machine, and viser does not look at where a page is from. The library under it
    can, but viser has no argument for that, so it is given here. Browsers also connect in advance, and a server that is
    stopped waits for what they ask.

    Args:
        host: The address at which the server listens.
    """
    serve = websockets.asyncio.server.serve
    strict = partial(serve, origins=[None, _own_origins(host)], open_timeout=_LONGEST_SILENCE)
    websockets.asyncio.server.serve = strict  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        websockets.asyncio.server.serve = serve  # type: ignore[misc]


def _own_origins(host: str) -> re.Pattern[str]:
    """Return what browsers say of pages of a server: by name only where no other site can have that name."""
    names = {re.escape(f"[{name}]" if ":" in name else name) for name in (*_LOOPBACK, host)}
    if host not in _LOOPBACK:
        names |= {re.escape(socket.gethostname()), re.escape(socket.getfqdn()), r"[\d.]+", r"\[[\da-f:]+\]"}
    return re.compile(rf"http://({'|'.join(sorted(names))})(:\d+)?")


def say_nothing_of_dropped_connections() -> None:
    """Keep connections out of the log that end before they asked for anything: browsers open some in advance."""
    logging.getLogger("websockets.server").addFilter(asked_for_something)


def asked_for_something(record: logging.LogRecord) -> bool:
    """Whether a line of the log is about anything else than a connection that ended at once."""
    error = record.exc_info[1] if record.exc_info else None
    ended = isinstance(error, ConnectionError) or (isinstance(error, InvalidMessage) and isinstance(error.__cause__, EOFError))
    return not (ended and record.msg == "opening handshake failed")
