"""Files that pages send: bounded, before a server keeps them in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from websockets.asyncio.server import ServerConnection

LARGEST_UPLOAD = 64 << 20
"""What a page may send at the same time, in all files [bytes]; a state of a robot has some kilobytes."""
_MOST_UPLOADS = 8
_MOST_PARTS = 4096


class UploadLimiter:
    """Keeps account of the files that one page is sending.

    Args:
        on_refusal: Is given the reason for which a file is refused.
    """

    def __init__(self, on_refusal: Callable[[str], None]) -> None:
        self._on_refusal = on_refusal
        self._left: dict[str, list[int]] = {}
        """Of each file that is being sent, how many bytes and how many parts may still come."""

    def accepts(self, message: bytes) -> bool:
        """Whether a message may reach the server."""
        if b"FileTransfer" not in message:
            return True
        try:
            content = msgspec.msgpack.decode(message)
            kind = content["type"]
            if kind == "FileTransferStartUpload":
                return self._begins(str(content["transfer_uuid"]), int(content["size_bytes"]), int(content["part_count"]))
            if kind == "FileTransferPart":
                return self._continues(str(content["transfer_uuid"]), len(content["content"]))
        except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
            return False  # no page of ours sends that
        return True

    def _begins(self, transfer: str, size: int, parts: int) -> bool:
        sending = sum(left for left, _ in self._left.values())
        if transfer in self._left or size < 0 or not 0 <= parts <= _MOST_PARTS:
            return False
        if sending + size > LARGEST_UPLOAD or len(self._left) >= _MOST_UPLOADS:
            self._on_refusal(f"refused a file of {size / 1e6:.1f} MB: a page may send {LARGEST_UPLOAD / 1e6:.0f} MB at a time")
            return False
        if parts:
            self._left[transfer] = [size, parts]
        return True

    def _continues(self, transfer: str, size: int) -> bool:
        left = self._left.get(transfer)
        if left is None or size > left[0]:
            return False
        left[0] -= size
        left[1] -= 1
        if left[1] == 0:
            del self._left[transfer]
        return True


class BoundedConnection(ServerConnection):
    """A connection that passes on no file that is too large."""

    def __init__(self, *arguments: Any, on_refusal: Callable[[str], None], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._uploads = UploadLimiter(on_refusal)

    async def recv(self, *arguments: Any, **options: Any) -> Any:
        """Return the next message that is accepted."""
        while True:
            message = await super().recv(*arguments, **options)
            if not isinstance(message, bytes) or self._uploads.accepts(message):
                return message
