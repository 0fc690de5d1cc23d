"""Which fields of the model a COLLADA document carries, or its writer accounts for in the ledger; the audit finds the rest."""

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
"""By class: all fields of all of them, because what neither COLLADA nor OpenRAVE can say is carried in extensions of
Ossature's own; the writer's own entries tell what is in them."""
