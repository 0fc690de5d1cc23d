"""Applies calibration files that a document refers to; a reference to a missing file is passed through."""

from __future__ import annotations

from dataclasses import replace

from ossature.assets import AssetError
from ossature.formats.collada.native_extension.difference_encoding import own_content
from ossature.formats.collada.openrave.read_extensions import as_extension
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import World

EXTRA = "calibration"
"""Type of the extension of a document that refers to a calibration."""
_TAG, _URL = "instance_calibration", "url"


def with_named_calibrations(world: World, reading: ColladaReadContext) -> World:
    """Return a World with the calibrations of its document applied; a missing file is reported and ignored."""
    for extra in reading.document.root.extra:
        if extra.type == EXTRA:
            for node in own_content(extra):
                if node.tag == _TAG:
                    world = _with_calibration_file(world, node.attributes.get(_URL, ""), extra, reading)
    return world


def _with_calibration_file(world: World, url: str, extra: ExtraElement, reading: ColladaReadContext) -> World:
    from ossature.formats.calibration import parse_calibration, rules, with_calibration  # YAML, which few documents need

    try:
        source = reading.documents.companion(url, reading.document)
    except AssetError as error:
        reason = f"is beyond a limit: {error.reason}" if error.limit is not None else "is missing"
        message = f"the calibration file '{url}' {reason}: nominal values are used"
        reading.report.add(error.limit or rules.CALIBRATION_ABSENT, message, extra.location(), hint=error.hint)
        return replace(world, extensions=(*world.extensions, as_extension(extra)))
    calibration = parse_calibration(source, reading.report)
    if calibration is None:
        return world
    reading.report.add(rules.CALIBRATION_APPLIED, f"the calibration '{url}' is applied", extra.location())
    return with_calibration(world, calibration, reading.report)
