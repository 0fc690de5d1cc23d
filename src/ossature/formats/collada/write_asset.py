"""Writes the <asset> element of a document: authoring tool, date and units."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from ossature.formats.collada.schema_common import AssetElement, ContributorElement, UnitElement

AUTHORING_TOOL = "Ossature"
_MAX_EPOCH_DIGITS = 11

DEFAULT_DATE = "2008-03-01T00:00:00Z"
"""The default date of documents: constant, so that equal Worlds give equal files."""


def creation_date() -> str:
    """Return the date of a document: that of ``SOURCE_DATE_EPOCH`` [s since 1970], else a constant one."""
    specified = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not specified.isdecimal() or len(specified) > _MAX_EPOCH_DIGITS:
        return DEFAULT_DATE
    return datetime.fromtimestamp(int(specified), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def write_asset() -> AssetElement:
    """Return the <asset> element: authoring tool, date and units."""
    return AssetElement(
        contributor=(ContributorElement(authoring_tool=AUTHORING_TOOL),),
        created=creation_date(),
        modified=creation_date(),
        unit=UnitElement(name="meter", meter=1.0),
        up_axis="Z_UP",
    )
