"""What a mesh's reader is given: the bytes of its file, without what could harm or hinder the reader."""

from __future__ import annotations

import io
import zipfile

from ossature.assets.resolver import MOST_BYTES, AssetError

_STL_HEADER, _STL_TRIANGLE = 84, 50


def plain_data(uri: str, suffix: str, data: bytes) -> bytes:
    """Return a mesh file's bytes, unpacked and in an encoding that its reader takes.

    Args:
        uri: The file, for messages.
        suffix: Its format; a ``zae`` becomes the ``dae`` in it.
        data: Its bytes.

    Raises:
        AssetError: The file holds something that no mesh needs: too much data, or entities.
    """
    if suffix == "zae":
        data = _unpacked(uri, data)
    if suffix in ("dae", "zae"):
        return _without_traps(uri, data)
    if suffix in ("obj", "off") or (suffix == "stl" and not _is_binary_stl(data)):
        # Comments and names may be in any encoding, and count for nothing.
        return data.decode("utf-8", "replace").encode()
    return data


def _unpacked(uri: str, data: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            name = next(name for name in archive.namelist() if name.lower().endswith(".dae"))
            with archive.open(name) as file:
                content = file.read(MOST_BYTES + 1)
    except StopIteration:
        raise AssetError(uri, "holds no .dae file") from None
    except Exception as error:  # zipfile raises whatever a broken archive makes it trip over
        raise AssetError(uri, f"cannot be unpacked: {error}") from error
    if len(content) > MOST_BYTES:
        raise AssetError(uri, f"holds more than {MOST_BYTES >> 20} MiB")
    return content


def _without_traps(uri: str, data: bytes) -> bytes:
    # pycollada unpacks whatever looks like an archive, however large, and an older lxml opens what an entity names.
    if zipfile.is_zipfile(io.BytesIO(data)):
        raise AssetError(uri, "is an archive, not a .dae file", hint="name it .zae")
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise AssetError(uri, "declares XML entities, which no mesh needs")
    return data


def _is_binary_stl(data: bytes) -> bool:
    count = int.from_bytes(data[_STL_HEADER - 4 : _STL_HEADER], "little")
    return len(data) == _STL_HEADER + _STL_TRIANGLE * count
