"""The fields of the model that the COLLADA writer writes or records in the ledger; the audit reports all others."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ossature import model
from ossature.spatial import Pose

SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    kind: frozenset(item.name for item in dataclasses.fields(kind))
    for kind in (*(getattr(model, name) for name in model.__all__), Pose)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind)
}
"""All fields of all classes: content that neither COLLADA nor OpenRAVE can represent is written to Ossature extensions, and
recorded in the ledger by the writer."""
