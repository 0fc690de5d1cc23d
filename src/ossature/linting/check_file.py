"""The check of one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ossature.assets import MeshStore, Resolver
from ossature.checks import check
from ossature.diagnostics import Location, Report
from ossature.diagnostics.suppressions import without_suppressed
from ossature.formats.load_file import read_file
from ossature.io import calibrated
from ossature.linting.file_reading_options import CheckOptions
from ossature.linting.finding_records import findings_to_record
from ossature.model import World
from ossature.rule_catalogue import catalogue_with_plugins

NEEDS_MESHES = (
    "implausible-mesh-scale",
    "unreadable-mesh",
    "implausible-density",
    "implausible-distance",
    "implausible-inertia",
)
"""Rules whose findings depend on whether meshes are opened."""


def find_problems(path: Path, options: CheckOptions, data: bytes | None = None) -> Report:
    """Return the findings of a file that its comments do not suppress; see :func:`find_problems_and_world`."""
    return find_problems_and_world(path, options, data)[0]


def find_problems_and_world(path: Path, options: CheckOptions, data: bytes | None = None) -> tuple[Report, World | None]:
    """Return the findings of a file that its comments do not suppress, and its World, or None if it cannot be read.

    Args:
        options: How it is read.
        data: Its content, if it is not to be read from the file.

    Raises:
        ValueError: There is no format of the stated name.
    """
    report = Report(limits=options.limits)
    resolver = Resolver.of_file(path, options.search_path, options.allowed)
    if options.xacro is not None:
        from ossature.formats.urdf.xacro_expansion import read_template  # loads the reader of URDF

        arguments, packages = dict(options.xacro), options.search_path
        world = read_template(path, arguments, report, search_path=packages, resolver=resolver, srdf=options.srdf)
    else:
        format_name, dialect = options.format_name, options.dialect
        world = read_file(
            path, report, format_name=format_name, dialect=dialect, resolver=resolver, data=data, srdf=options.srdf
        )
    world = calibrated(world, report, options.calibration)
    if world is not None and options.motor_speed_unit is not None:
        from ossature.model import SpeedUnit
        from ossature.model.reinterpret_motor_speeds import world_with_motor_speeds

        world = world_with_motor_speeds(world, SpeedUnit(options.motor_speed_unit))
    if world is None:
        return report, None  # nothing suppresses the reason
    check(world, report=report, meshes=MeshStore(resolver, options.limits), open_meshes=options.opens_meshes)
    left = _without_suppressed(report, world.origin, options)
    if options.xacro is not None:  # fixes are edits of the expansion, which is no file
        left = Report(replace(finding, make_fix=None) for finding in left)
    return left, world


def _without_suppressed(report: Report, origin: Location | None, options: CheckOptions) -> Report:
    """Return a report without the findings that comments of the files suppress; the origin is the location of the World."""
    kept = report.sorted()
    added = Report(limits=options.limits)
    locations = [origin, *(finding.location for finding in kept)]
    for source in {location.file: location.source for location in locations if location is not None}.values():
        kept = without_suppressed(
            kept,
            source,
            lambda name: catalogue_with_plugins(Report()).find(name),
            added,
            may_be_unused=() if options.opens_meshes else NEEDS_MESHES,
        )
    return Report([*kept, *added])


def record_of(path: Path, options: CheckOptions, data: bytes | None = None) -> dict[str, Any]:
    """Return the findings of a file as a record; see :func:`find_problems`."""
    return findings_to_record(find_problems(path, options, data).sorted())
