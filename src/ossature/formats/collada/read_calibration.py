"""The calibration that a document names: applied where it is there, kept by name where it is not."""

from __future__ import annotations

from dataclasses import replace

from ossature.assets import AssetError
from ossature.formats.collada.native_extension.encode import own_content
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.read_extensions import as_extension
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import World

EXTRA = "calibration"
"""Type of the extension of a document that names a calibration."""
_TAG, _URL = "instance_calibration", "url"


def with_named_calibrations(world: World, reading: ColladaReadContext) -> World:
    """Return a World with the calibrations that its document names; one that is absent is a finding and no more."""
    for extra in reading.document.root.extra:
        if extra.type == EXTRA:
            for node in own_content(extra):
                if node.tag == _TAG:
                    world = _with_one(world, node.attributes.get(_URL, ""), extra, reading)
    return world


def _with_one(world: World, url: str, extra: ExtraElement, reading: ColladaReadContext) -> World:
    from ossature.formats.calibration import parse_calibration, rules, with_calibration  # YAML, which few documents need

    try:
        source = reading.documents.companion(url, reading.document)
    except AssetError as error:
        message = f"the calibration '{url}' is not there: the robot is as it was drawn"
        reading.report.add(rules.CALIBRATION_ABSENT, message, extra.location(), hint=error.hint)
        return replace(world, extensions=(*world.extensions, as_extension(extra)))
    calibration = parse_calibration(source, reading.report)
    if calibration is None:
        return world
    reading.report.add(rules.CALIBRATED, f"the calibration '{url}' is applied", extra.location())
    return with_calibration(world, calibration, reading.report)
