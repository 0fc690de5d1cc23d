"""Limits for uploaded files, checked before the server stores them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from websockets.asyncio.server import ServerConnection

MAX_UPLOAD = 64 << 20
"""Total size of concurrent uploads of a client [bytes]; a state file has some kilobytes."""
_MAX_UPLOADS = 8
_MAX_PARTS = 4096


class UploadLimiter:
    """Limits the concurrent uploads of one client.

    Args:
        on_refusal: Called with the reason when a file is refused.
    """

    def __init__(self, on_refusal: Callable[[str], None]) -> None:
        self._on_refusal = on_refusal
        self._remaining: dict[str, list[int]] = {}
        """Remaining bytes and parts of each upload."""

    def accepts(self, message: bytes) -> bool:
        """Whether a message may be passed to the server."""
        if b"FileTransfer" not in message:
            return True
        try:
            content = msgspec.msgpack.decode(message)
            kind = content["type"]
            if kind == "FileTransferStartUpload":
                return self._accepts_start(
                    str(content["transfer_uuid"]), int(content["size_bytes"]), int(content["part_count"])
                )
            if kind == "FileTransferPart":
                return self._accepts_part(str(content["transfer_uuid"]), len(content["content"]))
        except (msgspec.MsgspecError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
            return False  # malformed: not from the page
        return True

    def _accepts_start(self, transfer: str, size: int, parts: int) -> bool:
        sending = sum(remaining for remaining, _ in self._remaining.values())
        if transfer in self._remaining or size < 0 or not 0 <= parts <= _MAX_PARTS:
            return False
        if sending + size > MAX_UPLOAD or len(self._remaining) >= _MAX_UPLOADS:
            self._on_refusal(
                f"refused a file of {size / 1e6:.1f} MB: the limit for concurrent uploads is {MAX_UPLOAD / 1e6:.0f} MB"
            )
            return False
        if parts:
            self._remaining[transfer] = [size, parts]
        return True

    def _accepts_part(self, transfer: str, size: int) -> bool:
        left = self._remaining.get(transfer)
        if left is None or size > left[0]:
            return False
        left[0] -= size
        left[1] -= 1
        if left[1] == 0:
            del self._remaining[transfer]
        return True


class BoundedConnection(ServerConnection):
    """A connection that drops uploads above the limits."""

    def __init__(self, *arguments: Any, on_refusal: Callable[[str], None], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._uploads = UploadLimiter(on_refusal)

    async def recv(self, *arguments: Any, **options: Any) -> Any:
        """Return the next accepted message."""
        while True:
            message = await super().recv(*arguments, **options)
            if not isinstance(message, bytes) or self._uploads.accepts(message):
                return message
