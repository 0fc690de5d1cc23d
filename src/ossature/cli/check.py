"""``ossature check``: report errors in model files."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail, fail_on, output_console, print_json_text
from ossature.cli.named_robots import locate_models
from ossature.cli.read_model import has_failures
from ossature.cli.read_options import ReadOptions, limits_of_command
from ossature.diagnostics import Diagnostic, OssatureError, Report

if TYPE_CHECKING:
    from ossature.linting.configuration import Configuration, ConfigurationFinder
    from ossature.linting.file_reading_options import CheckOptions
    from ossature.linting.result_cache import ResultCache

_STANDARD_INPUT = Path("-")


class Profile(StrEnum):
    """A purpose, which chooses severities; see :data:`ossature.rule_catalogue.PROFILES`."""

    ROS = "ros"
    SIM = "sim"
    STRICT = "strict"


class OutputFormat(StrEnum):
    """Format in which findings are printed."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    JUNIT = "junit"


def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES",
            help="Model files, folders that are searched for model files, patterns, or - for standard input.",
            callback=locate_models,
        ),
    ],
    read: ReadOptions,
    profile: Annotated[
        Profile | None,
        typer.Option(
            help="Severities for a purpose: ros (errors are what the parser of ROS rejects), sim (what a simulation rejects or "
            "leaves out), strict (warnings are errors too)."
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select", metavar="RULES", help="Report only these rules: names, codes, or starts of codes (URDF), with commas."
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="RULES", help="Do not report these rules; as --select.")
    ] = None,
    meshes: Annotated[
        bool, typer.Option("--meshes", help="Open mesh files too, and compare their sizes with the robot.")
    ] = False,
    format: Annotated[OutputFormat, typer.Option("--format", help="Format of the findings.")] = OutputFormat.TEXT,
    notes: Annotated[bool, typer.Option("--notes", help="List notes, which are only counted otherwise.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print findings only, without a summary.")] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Print how often each rule is reported, not the findings.")
    ] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Apply the safe fixes, in the text of the files.")] = False,
    unsafe_fixes: Annotated[
        bool, typer.Option("--unsafe-fixes", help="With --fix or --diff: also those that may not be what the author meant.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Print what --fix would change, and write nothing.")] = False,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with code 0 even if there are errors.")] = False,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="File with accepted findings, which are not reported.")
    ] = None,
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Write all findings to the file of --baseline.")
    ] = False,
    stdin_filename: Annotated[
        Path | None, typer.Option("--stdin-filename", help="Name of the file that comes from standard input.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            help="Configuration file; by default ossature.toml or pyproject.toml in the folder of each file or above.",
        ),
    ] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help="Use no configuration file.")] = False,
    force_exclude: Annotated[
        bool, typer.Option("--force-exclude", help="Exclude files by the configuration even if they are named here.")
    ] = False,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Number of processes; by default one a processor.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Use no results of earlier runs, and store none.")] = False,
    cache_dir: Annotated[
        Path | None,
        typer.Option(
            "--cache-dir",
            envvar="OSSATURE_CACHE_DIR",
            help="Folder for results; by default in the folder for caches of the user.",
        ),
    ] = None,
) -> None:
    """Check model files: spelling, structure, and physical plausibility. Exit code 1 if there is an error."""
    from ossature.linting.configuration import ConfigurationFinder

    if update_baseline and baseline is None:
        fail("--update-baseline needs --baseline FILE")
    if unsafe_fixes and not (fix or diff):
        fail("--unsafe-fixes needs --fix or --diff")
    if read.is_template and (fix or diff):
        fail("--fix and --diff are for files, not for the expansions of --xacro")
    with fail_on(OssatureError):
        finder = ConfigurationFinder(config, is_searched=not isolated)
        adapt = _adapter(select, ignore, profile)
        checked = _check(
            files,
            _options(read, meshes),
            finder,
            stdin_filename,
            force_exclude,
            jobs,
            _cache(no_cache or read.is_template, cache_dir),
        )
        if fix or diff:
            is_changed = _fix(checked, _options(read, meshes), finder, adapt, unsafe=unsafe_fixes, is_written=not diff)
            if diff:
                raise typer.Exit(EXIT_INVALID_INPUT if is_changed and not exit_zero else 0)
        configured = [finding for file, found in checked for finding in adapt(finder.of(file)).apply(found, file)]
        found = _without_baseline(_without_duplicates(configured), baseline, is_written=update_baseline)
    report = Report(found)
    names = [str(file) for file, _ in checked]
    if statistics:
        _print_statistics(report)
    else:
        _print_findings(found, format, names, notes=notes, verbose=read.verbose, quiet=quiet)
    if has_failures(report, strict=read.strict) and not exit_zero:
        raise typer.Exit(EXIT_INVALID_INPUT)


def _options(read: ReadOptions, meshes: bool) -> CheckOptions:
    """Return how files are checked; ends the command if options are not valid."""
    from ossature.linting.file_reading_options import CheckOptions

    if read.motor_speed_unit is not None:
        from ossature.model import SpeedUnit

        if read.motor_speed_unit not in list(SpeedUnit):
            fail(f"--motor-speed-unit is {' or '.join(SpeedUnit)}, not '{read.motor_speed_unit}'")
    if read.format_name is not None:
        from ossature.formats import REGISTRY

        with fail_on(ValueError):
            REGISTRY.named(read.format_name)
    return CheckOptions(
        format_name=read.input_format,
        dialect=read.dialect,  # files of other formats are checked too
        search_path=tuple(read.search_path or ()),
        allowed=tuple(read.allow_path or ()),
        calibration=read.calibration,
        srdf=read.semantics,
        xacro=tuple(read.xacro_arguments.items()) if read.is_template else None,
        motor_speed_unit=read.motor_speed_unit,
        limits=limits_of_command(),
        opens_meshes=meshes,
    )


def _cache(is_disabled: bool, folder: Path | None) -> ResultCache | None:
    """Return the cache, or None; states so if a stated folder cannot be used."""
    from ossature import plugins
    from ossature.assets.user_cache import default_cache_folder
    from ossature.linting.result_cache import ResultCache

    if is_disabled or plugins.plugins(plugins.CHECKS) or plugins.plugins(plugins.FORMATS):  # whose changes are unknown
        return None
    found = folder or default_cache_folder(os.environ)
    cache = ResultCache(found) if found is not None else None
    if cache is not None and not cache.is_available and folder is not None:
        errors_console().print(f"note: {folder} cannot be used as a cache", markup=False)
    return cache


def _adapter(
    select: Sequence[str] | None, ignore: Sequence[str] | None, profile: Profile | None
) -> Callable[[Configuration], Configuration]:
    """Return the function that replaces values of a configuration by those of options; ends the command if they are invalid."""
    from ossature.linting.rule_selection import RuleSelection, require_selectors, split_selectors

    selected, ignored = split_selectors(select), split_selectors(ignore) or ()
    if selected or ignored:
        from ossature.rule_catalogue import catalogue_with_plugins

        catalogue = catalogue_with_plugins(Report())
        require_selectors(selected or (), catalogue, "--select")
        require_selectors(ignored, catalogue, "--ignore")

    def adapt(configuration: Configuration) -> Configuration:
        known = configuration.selection
        return replace(
            configuration,
            selection=RuleSelection(known.select if selected is None else selected, (*known.ignore, *ignored)),
            profile=configuration.profile if profile is None else profile.value,
        )

    return adapt


def _check(
    paths: Sequence[Path],
    options: CheckOptions,
    finder: ConfigurationFinder,
    stdin_filename: Path | None,
    force_exclude: bool,
    jobs: int | None,
    cache: ResultCache | None,
) -> list[tuple[Path, list[Diagnostic]]]:
    from ossature.isolated_python_processes import processor_count
    from ossature.linting.check_files import check_files
    from ossature.linting.find_files import find_model_files

    checked: list[tuple[Path, list[Diagnostic]]] = []
    if _STANDARD_INPUT in paths:
        checked.append(_check_standard_input(stdin_filename or Path("<stdin>"), options))
    elif stdin_filename is not None:
        fail("--stdin-filename needs the file -")
    files = find_model_files([path for path in paths if path != _STANDARD_INPUT], finder, is_excluding_specified=force_exclude)
    if not files and not checked:
        errors_console().print("note: there is no model file", markup=False)
    return [*checked, *check_files(files, options, jobs=jobs or processor_count(), cache=cache)]


def _check_standard_input(name: Path, options: CheckOptions) -> tuple[Path, list[Diagnostic]]:
    from ossature.linting.check_file import find_problems

    data = sys.stdin.buffer.read(options.limits.file_bytes + 1)
    if len(data) > options.limits.file_bytes:
        fail(f"standard input has more than {options.limits.file_bytes} bytes; see --limit", EXIT_INVALID_INPUT)
    return name, find_problems(name, options, data).sorted()


def _fix(
    checked: list[tuple[Path, list[Diagnostic]]],
    options: CheckOptions,
    finder: ConfigurationFinder,
    adapt: Callable[[Configuration], Configuration],
    *,
    unsafe: bool,
    is_written: bool,
) -> bool:
    """Fix files and replace their findings by those that are left, or print the changes; returns whether there are any."""
    from ossature.assets.read_regular_files import read_regular_file
    from ossature.linting.fix_file import FixError, fix_content

    is_changed = False
    for index, (file, findings) in enumerate(checked):
        selection = adapt(finder.of(file))
        if not any(each.fix is not None for each in selection.apply(findings, file)):
            continue
        if not file.is_file():
            raise FixError(f"{file}: only files can be fixed, not standard input")
        data = read_regular_file(file, options.limits.file_bytes)
        fixed = fix_content(file, data, options, unsafe=unsafe, is_wanted=lambda each: bool(selection.apply([each], file)))  # noqa: B023
        is_changed = is_changed or fixed.is_changed
        checked[index] = (file, fixed.report.sorted())
        for finding, rejected in fixed.rejected:
            message = f"{finding.location}: {rejected.title}: not applied, because it would cause other findings or changes"
            errors_console().print(message, markup=False)
        if is_written:
            fixed.write()
            for finding, applied in fixed.applied:
                errors_console().print(f"{file}: fixed {finding.rule.name}: {applied.title}", markup=False)
        else:
            for line in fixed.diff():
                output_console().print(line, markup=False)
    return is_changed


def _without_duplicates(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return findings without those about a document that were found before, from another file that includes it."""
    seen: set[tuple[str, int | None, str, str]] = set()
    found = []
    for finding in findings:
        place = finding.location
        key = (os.path.realpath(place.file), place.offset, finding.rule.name, finding.message) if place is not None else None
        if key is None or key not in seen:
            found.append(finding)
        if key is not None:
            seen.add(key)
    return found


def _without_baseline(findings: list[Diagnostic], path: Path | None, *, is_written: bool) -> list[Diagnostic]:
    """Return the findings that a baseline does not contain; those in it are written first, if that is wanted."""
    if path is None:
        return findings
    from ossature.linting.baseline import read_baseline, without_baseline, write_baseline

    if is_written:
        try:
            write_baseline(path, findings)
        except OSError as error:
            fail(f"{path}: {error.strerror or error}", EXIT_INVALID_INPUT)
        errors_console().print(f"wrote {len(findings)} findings to {path}", markup=False)
        raise typer.Exit
    new, unused = without_baseline(findings, read_baseline(path), path.absolute().parent)
    if unused:
        message = f"note: {unused} findings of {path} do not exist any more; --update-baseline removes them"
        errors_console().print(message, markup=False)
    return new


def _print_statistics(findings: Iterable[Diagnostic]) -> None:
    counts = Counter((finding.rule.code, finding.rule.name, finding.severity) for finding in findings)
    for (code, name, severity), count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        output_console().print(f"{count:6d}  {code:8s} {name} ({severity.value})", markup=False)


def _print_findings(
    findings: list[Diagnostic], output: OutputFormat, files: Sequence[str], *, notes: bool, verbose: bool, quiet: bool
) -> None:
    if output is OutputFormat.TEXT:
        from ossature.diagnostics.render.text import to_grouped_text, to_text

        if verbose:
            output_console().print(to_text(findings, verbose=True))
        else:
            text = to_grouped_text(findings, notes=notes, summary=not quiet)
            if text:
                output_console().print(text)
        return
    from ossature.diagnostics import Severity
    from ossature.diagnostics.render import MACHINE_FORMATS, to_junit

    if output is OutputFormat.GITHUB and not (notes or verbose):  # a service shows ten notices of a step, and no others then
        findings = [finding for finding in findings if finding.severity is not Severity.NOTE]
    printed = to_junit(findings, files) if output is OutputFormat.JUNIT else MACHINE_FORMATS[output.value](findings)
    if output in (OutputFormat.GITHUB, OutputFormat.JUNIT):
        if printed:
            typer.echo(printed)  # commands that are meant, or XML; names in them are escaped
    else:
        print_json_text(printed)
