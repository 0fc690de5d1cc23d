"""Recordings as files of the viewer Rerun: the poses of bodies, and all other quantities as plots over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ossature.recordings.journal import Journal
from ossature.recordings.sample_columns import BODIES, TIME

_BLOCK_BYTES = 1 << 24
"""Size of a block of samples: a call for each quantity and block takes most of the time."""


def write_rerun(journal: Journal, path: Path) -> None:
    """Write a journal as a file for Rerun.

    Raises:
        ImportError: The package rerun-sdk is not installed.
        OSError: The file cannot be written.
    """
    import rerun

    columns = journal.header.columns
    with rerun.RecordingStream(f"ossature: {journal.header.name}") as stream:
        stream.save(path)
        for block in journal.blocks(_BLOCK_BYTES):
            times = [rerun.TimeColumn("time", duration=block[:, 0])]
            parts: dict[tuple[str, str], dict[str, Any]] = {}
            for quantity, part in columns.slices:
                values = block[:, part]
                if quantity.group == BODIES:
                    parts.setdefault((quantity.model, quantity.name), {})[quantity.field] = values
                elif quantity.group != TIME and quantity.count:
                    names = filter(None, (quantity.group, quantity.model, quantity.name, quantity.field))
                    entity = rerun.new_entity_path(["plots", *names])
                    stream.send_columns(entity, indexes=times, columns=rerun.Scalars.columns(scalars=values))
            for (model, body), fields in parts.items():
                transform = rerun.Transform3D.columns(
                    translation=fields["position"], quaternion=fields["wxyz"][:, [1, 2, 3, 0]]
                )
                stream.send_columns(rerun.new_entity_path(["world", model, body]), indexes=times, columns=transform)
        stream.flush()
