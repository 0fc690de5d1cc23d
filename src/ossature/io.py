"""Reads and checks models, and reads and writes states; its functions are available as ``ossature.load`` etc."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ossature.argument_types import typed_arguments
from ossature.assets import AssetError, MeshStore, write_file_atomically
from ossature.assets.file_access_log import logged_file_access
from ossature.assets.locate_model_file import is_model_uri, locate_model_file
from ossature.assets.read_regular_files import file_bytes
from ossature.assets.require_folders import require_folders
from ossature.assets.similar_files import file_with_similar_name
from ossature.diagnostics import LimitError, Limits, LoadError, Location, Report, Source, shared_rules
from ossature.formats.load_file import read_file
from ossature.formats.model_input import ModelInput, ModelSource, is_content
from ossature.model import State, World
from ossature.syntax.rules import UNREADABLE_FILE

if TYPE_CHECKING:
    from ossature.kinematics import BaseChoice


@typed_arguments
def read(
    source: ModelSource,
    *,
    format: str | None = None,  # the established name of the parameter
    dialect: str | None = None,
    calibration: str | Path | None = None,
    search_path: Sequence[str | Path] = (),
    allow: Sequence[str | Path] = (),
    limits: Limits | None = None,
    srdf: str | Path | Literal[False] | None = None,
    cache: bool | str | Path = False,
) -> tuple[World | None, Report]:
    """Return the World of a model and all findings; invalid content never raises.

    Threads may read files at the same time, and share the World, which is never changed.

    Args:
        source: A path; the text or the bytes of a model; or an open file. A text is a path unless it has several lines or
            begins with ``<``.
        format: Its format; determined from the suffix of its path or its first bytes if None.
        dialect: The program whose interpretation is used (``openrave`` of COLLADA); that of the specification if None.
        calibration: A file with the differences between this robot and the model file; see ``docs/calibration.md``.
        search_path: Folders with packages (``package://…``) and data, searched before those of the environment variable
            ``OSSATURE_PATH`` and of ROS. The World remembers them, to find its meshes.
        allow: Folders outside the folder of the model from which files may be opened.
        limits: Resource limits (bytes, elements, CPU time, ...); the documented defaults if None.
        srdf: The SRDF file of a URDF robot; None for the one of the same name beside its URDF file, False for none.
        cache: Whether a World that was read before is used if its files, the options and this program are unchanged, and is
            kept otherwise: in the folder for caches of the user, or in another one of the user.

    Returns:
        The World, or None if a file cannot be read, and the report.

    Raises:
        ValueError: There is no format of that name, it has no such dialect, or no SRDF file; or a folder does not exist.
        TypeError: The source is none of these types, the folders are not a list, or another argument has the wrong type.
    """
    require_folders("search_path", search_path)
    require_folders("allow", allow)
    report = Report(limits=limits)
    located = _located(source, search_path, report)
    model = None if located is None else ModelInput.of(located, report.limits)
    if model is None or not _is_available(model, report):
        return None, report

    def read_model() -> World | None:
        world = read_file(
            model.name,
            report,
            format_name=format,
            dialect=dialect,
            search_path=tuple(map(Path, search_path)),
            allowed=tuple(map(Path, allow)),
            data=model.data,
            srdf=srdf if srdf is None or srdf is False else Path(srdf),
            strict_options=True,
        )
        return calibrated(world, report, calibration)

    if not cache or model.data is not None:
        return read_model(), report
    options = {
        "format": format,
        "dialect": dialect,
        "calibration": calibration,
        "srdf": srdf,
        "limits": report.limits,
        "search_path": [*map(str, search_path)],
        "allow": [*map(str, allow)],
    }
    return _read_cached(model.name, options, report, read_model, None if cache is True else cache), report


def _read_cached(
    path: str,
    options: Mapping[str, object],
    report: Report,
    read_model: Callable[[], World | None],
    folder: str | Path | None,
) -> World | None:
    """Return the World of a file from the cache, or read it and add it to the cache."""
    from ossature.world_cache import WorldCache  # loads what other calls do not need

    known = WorldCache(folder)
    key = known.key(path, options)
    entry = None if key is None else known.get(key)
    if entry is not None:
        report.extend(entry[1])
        return entry[0]
    with logged_file_access() as log:
        world = read_model()
    if key is not None and world is not None:
        known.put(key, world, list(report), log)
    return world


def calibrated(world: World | None, report: Report, calibration: str | Path | None) -> World | None:
    """Return a World with the calibration in a file, if one is stated; None if there is no World, or no calibration."""
    if world is None or calibration is None:
        return world
    from ossature.formats.calibration import read_calibration, with_calibration  # loads YAML

    overlay = read_calibration(calibration, report)
    return None if overlay is None else with_calibration(world, overlay, report)


def _located(source: ModelSource, search_path: Sequence[str | Path], report: Report) -> ModelSource | None:
    """Return a source, or the file that it names by a URI; None if there is none, which is reported."""
    if not isinstance(source, str) or is_content(source) or not is_model_uri(source):
        return source
    try:
        return locate_model_file(source, search_path)
    except AssetError as error:
        report.add(UNREADABLE_FILE, error.reason, Location(Source(error.uri)), hint=error.hint)
        return None


def _is_available(model: ModelInput, report: Report) -> bool:
    """Return whether a model is not larger than allowed, and exists if it is a path; report it otherwise."""
    if model.data is not None:
        try:
            report.budget.require_file(len(model.data), Location(Source(model.name)))
        except LimitError as refusal:
            report.refuse(refusal)
            return False
        return True
    if not model.name:
        report.add(UNREADABLE_FILE, "the path is empty", hint="give the path of a file, or the text of a model")
        return False
    if os.path.lexists(model.name):
        return True
    path = Path(model.name)
    if "\0" in model.name:
        return file_bytes(path, report) is not None  # reports why not
    near = file_with_similar_name(path)
    hint = f"did you mean '{near}'?" if near else "a text is read as a model if it has several lines or begins with '<'"
    report.add(UNREADABLE_FILE, "no such file or directory", Location(Source(model.name)), hint=hint)
    return False


@typed_arguments
def load(
    source: ModelSource,
    *,
    format: str | None = None,  # the established name of the parameter
    dialect: str | None = None,
    calibration: str | Path | None = None,
    search_path: Sequence[str | Path] = (),
    allow: Sequence[str | Path] = (),
    limits: Limits | None = None,
    srdf: str | Path | Literal[False] | None = None,
    cache: bool | str | Path = False,
    base: BaseChoice | Literal["by-rule", "fixed", "floating"] | None = None,
    ignore_errors: bool = False,
) -> World:
    """Return the World of a model; see :func:`read` for the arguments.

    Threads may read files at the same time, and share the World, which is never changed; see ``docs/thread_safety.md``.

    Args:
        source: A path; the text or the bytes of a model; or an open file.
        format: Its format.
        dialect: The program whose interpretation is used.
        calibration: A file with the differences between this robot and the model file.
        search_path: Folders with packages and data.
        allow: Folders outside the folder of the model from which files may be opened.
        limits: Resource limits.
        srdf: The SRDF file of a URDF robot, or False.
        cache: Whether, or in which folder, Worlds are cached.
        base: How the bases of robots are chosen: ``by-rule`` as the commands do, which fix the base of an arm if the file does
            not state it, as URDF cannot; ``fixed``; or ``floating``. By default as the file states: a robot without a joint
            to the world floats.
        ignore_errors: Whether to return what could be read of a file with errors; :func:`read` returns the errors too.

    Raises:
        LoadError: A file has an error, or cannot be read at all; the exception has the report with all findings.
        ValueError: There is no format of that name, it has no such dialect or no SRDF file; or no such choice of bases.
        TypeError: The source is none of these types, or another argument has the wrong type.
    """
    choice = None if base is None else _base_choice(base)
    world, report = read(
        source,
        format=format,
        dialect=dialect,
        calibration=calibration,
        search_path=search_path,
        allow=allow,
        limits=limits,
        srdf=srdf,
        cache=cache,
    )
    if world is None or (report.has_errors and not ignore_errors):
        raise LoadError(report)
    if choice is None:
        return world
    from ossature.kinematics import choose_bases

    unspecified = [finding.path for finding in report if finding.rule == shared_rules.FREE_BASE and finding.path is not None]
    return choose_bases(world, choice, unspecified=unspecified)[0]


@typed_arguments
def _base_choice(base: str) -> BaseChoice:
    from ossature.kinematics import BaseChoice  # loads what a file from the cache does not need

    return BaseChoice(base)


@typed_arguments
def check(
    source: World | ModelSource,
    *,
    format: str | None = None,  # the established name of the parameter
    dialect: str | None = None,
    search_path: Sequence[str | Path] = (),
    allow: Sequence[str | Path] = (),
    limits: Limits | None = None,
    report: Report | None = None,
    meshes: MeshStore | None = None,
    open_meshes: bool = False,
) -> Report:
    """Return the findings of all checks on a World, or of reading and checking a model.

    Args:
        source: The World, or what :func:`read` reads.
        format: Format of a model that is read.
        dialect: The program whose interpretation is used.
        search_path: Folders with packages and data.
        allow: Folders outside the folder of the model from which files may be opened.
        limits: Resource limits of reading.
        report: Report to add the findings to; a new one by default.
        meshes: Store of meshes; by default one for the folder of the World's file.
        open_meshes: Whether to open mesh files too, not only to find them.

    Raises:
        ValueError: There is no format of that name, or it has no such dialect.
        TypeError: The source is none of these types.
    """
    from ossature import checks  # loads what a file from the cache does not need

    if isinstance(source, World):
        return checks.check(source, report=report, meshes=meshes, open_meshes=open_meshes)
    world, found = read(source, format=format, dialect=dialect, search_path=search_path, allow=allow, limits=limits)
    if report is not None:
        report.extend(found)
    report = found if report is None else report
    return report if world is None else checks.check(world, report=report, meshes=meshes, open_meshes=open_meshes)


@typed_arguments
def load_state(
    path: str | Path, *, time: float | None = None, number: int | None = None, limits: Limits | None = None
) -> State:
    """Return a state of a USDF file or of any recording, by default the last one.

    Args:
        path: The file.
        time: Selects the last sample of a recording at or before this time [s].
        number: Selects the sample of this number: 0 is the first, -1 the last.
        limits: Resource limits of reading.

    Raises:
        LoadError: The file has an error, or cannot be read; the exception has the report.
        MissingSampleError: The file has no such sample; the message states which samples it has.
        ValueError: Both a time and a number are given, or the time is not a number.
    """
    from ossature.recordings import open_recording  # loads NumPy

    report = Report(limits=limits)
    state = open_recording(path, report).state(time=time, number=number)
    if report.has_errors:
        raise LoadError(report)
    return state


@typed_arguments
def save_state(state: State, path: str | Path) -> None:
    """Write a state to a USDF file atomically.

    Raises:
        TypeError: The state is not a State.
        ValueError: The suffix of the file is not ``.usdf``.
        OSError: The file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() != ".usdf":
        raise ValueError(f"states are written to .usdf files, not to '{path.name}'")
    from ossature.formats.usdf import write_usdf  # most programs write no states

    write_file_atomically(path, write_usdf(state))
