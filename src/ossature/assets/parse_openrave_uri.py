"""URIs of OpenRAVE's data folders: ``openrave:/path`` and ``openrave://[user[:password]@]host[:port]/path``."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_SCHEME = "openrave"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRaveUri:
    """The parts of such a URI. The file is found by the path alone; a password is not stored.

    Attributes:
        user: The user, or None.
        host: The host in lower case, or None.
        port: The port, or None.
        path: The file below a data folder, starting with a slash, without percent-encoding.
    """

    user: str | None = None
    host: str | None = None
    port: int | None = None
    path: str

    @classmethod
    def parse(cls, uri: str) -> OpenRaveUri:
        """Return the parts of a URI; a query or fragment is ignored.

        Raises:
            ValueError: It is not such a URI; the message does not quote it.
        """
        try:
            parts = urlsplit(uri)
            port = parts.port
        except ValueError:
            raise ValueError("the host or its port is not spelled as in a URI") from None
        if parts.scheme != _SCHEME or (parts.path and not parts.path.startswith("/")):
            raise ValueError("the path does not start with a slash")
        user = unquote(parts.username) if parts.username is not None else None
        return cls(user=user, host=parts.hostname, port=port, path=unquote(parts.path))


def is_openrave_uri(uri: str) -> bool:
    """Whether a URI has OpenRAVE's scheme."""
    return uri[: len(_SCHEME) + 1].lower() == f"{_SCHEME}:"
