"""Where a document comes from."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from ossature.formats.collada.schema_common import AssetElement, ContributorElement, UnitElement

AUTHORING_TOOL = "Ossature"
_DATE_VARIABLE = "SOURCE_DATE_EPOCH"
_LONGEST_EPOCH = 11

MOMENT = "2008-03-01T00:00:00Z"
"""The date of all documents, unless the environment says another one: equal Worlds are equal files, whenever written."""


def moment() -> str:
    """Return the date of a document: the one of ``SOURCE_DATE_EPOCH`` [s since 1970], else a fixed one."""
    stated = os.environ.get(_DATE_VARIABLE, "")
    if not stated.isdecimal() or len(stated) > _LONGEST_EPOCH:
        return MOMENT
    return datetime.fromtimestamp(int(stated), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def write_asset() -> AssetElement:
    """Return where a document comes from, and its units."""
    return AssetElement(
        contributor=(ContributorElement(authoring_tool=AUTHORING_TOOL),),
        created=moment(),
        modified=moment(),
        unit=UnitElement(name="meter", meter=1.0),
        up_axis="Z_UP",
    )
