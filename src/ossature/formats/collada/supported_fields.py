"""The fields of the model that the COLLADA writer writes or records in the ledger; the audit reports all others."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ossature import model
from ossature.spatial import Pose

_UNSUPPORTED: Mapping[type, frozenset[str]] = {
    model.Visual: frozenset({"appearance", "hints"}),
    model.Collision: frozenset({"hints"}),
    model.Sensor: frozenset({"measurement", "hints"}),
}
"""Fields that only MJCF has, and that are in no extension."""
SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    kind: frozenset(item.name for item in dataclasses.fields(kind)) - _UNSUPPORTED.get(kind, frozenset())
    for kind in (*(getattr(model, name) for name in model.__all__), Pose)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind)
}
"""Most fields of all classes: content that neither COLLADA nor OpenRAVE can represent is written to Ossature extensions, and
recorded in the ledger by the writer."""
