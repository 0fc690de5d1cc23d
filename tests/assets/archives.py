"""Archives for tests, honest ones and others."""

from __future__ import annotations

import io
import struct
import zipfile

DOCUMENT = b'<?xml version="1.0"?>\n<COLLADA version="1.5.0"/>\n'
MANIFEST = b"<dae_root>./robot.dae</dae_root>"


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of some files, the same bytes at any time."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in files.items():
            # Without a date of its own a file gets that of now.
            archive.writestr(zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0)), data, compress_type=method)
    return stream.getvalue()


def robot(manifest: bytes = MANIFEST, **files: bytes) -> bytes:
    """Return an archive with a document, and a manifest that names it."""
    return packed({"manifest.xml": manifest, "robot.dae": DOCUMENT, **files})


def member(name: bytes, data: bytes, **fields: int) -> bytes:
    """Return an archive of one stored file whose headers may say anything.

    Args:
        name: Its name.
        data: Its bytes as they are stored.
        fields: What the headers say instead of the truth: ``flags``, ``method``, ``checksum``, ``size``, ``mode``.
    """
    facts = {"flags": 0, "method": 0, "checksum": zipfile.crc32(data), "size": len(data), "mode": 0} | fields
    common = struct.pack(
        "<HHHHLLLHH",
        *(facts["flags"], facts["method"], 0, 0x21, facts["checksum"], len(data), facts["size"], len(name), 0),
    )
    local = b"PK\x03\x04" + struct.pack("<H", 20) + common + name + data
    entry = b"PK\x01\x02" + struct.pack("<HH", 0x314, 20) + common + struct.pack("<HHHLL", 0, 0, 0, facts["mode"] << 16, 0)
    entry += name
    return local + entry + b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(entry), len(local), 0)


def overlapping(count: int) -> bytes:
    """Return an archive whose directory names the same packed bytes many times."""
    whole = packed({"manifest.xml": MANIFEST, "a.dae": DOCUMENT})
    start = whole.rindex(b"PK\x01\x02")
    end = whole.rindex(b"PK\x05\x06")
    entry = whole[start:end]
    directory = whole[whole.index(b"PK\x01\x02") : end] + b"".join(
        entry.replace(b"a.dae", f"{index:05d}".encode()) for index in range(count)
    )
    offset = whole.index(b"PK\x01\x02")
    return (
        whole[:offset]
        + directory
        + b"PK\x05\x06"
        + struct.pack("<HHHHLLH", 0, 0, count + 2, count + 2, len(directory), offset, 0)
    )
