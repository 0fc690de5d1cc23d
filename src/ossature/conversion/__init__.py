"""Conversion between formats: writes files, with a ledger of what is rewritten, approximated or dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ossature.argument_types import typed_arguments
from ossature.assets import MeshStore, write_file_atomically
from ossature.assets.atomic_write import write_file_unflushed
from ossature.assets.filesystem import MemoryFiles, OverlayFiles
from ossature.comparison import Difference
from ossature.conversion.complete_ledger_entries import complete_entries
from ossature.conversion.initial_state_losses import initial_state_losses
from ossature.conversion.omitted_comments import record_comments
from ossature.conversion.program_verification import ProgramVerification, verify_with_programs
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import Ledger, Limits, LoadError, OssatureError, Report, Source, shared_rules
from ossature.formats import REGISTRY, ActuatorKind, Content, Format, ReadContext, Reader, WriteContext, WrittenFiles
from ossature.io import read
from ossature.kinematics import choose_bases
from ossature.model import World
from ossature.model.edit import require_references


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """The result of a conversion.

    Attributes:
        format: Name of the format of the output.
        files: The output files with their content, the main file first.
        ledger: What is rewritten, approximated or dropped.
        report: Findings of the conversion.
        differences: If the output was verified: how it differs from the World, read again, beyond the ledger.
        verifications: If the output was verified: what each installed program that reads the format finds in it.
    """

    format: str
    files: WrittenFiles
    ledger: Ledger
    report: Report
    differences: tuple[Difference, ...] = ()
    verifications: tuple[ProgramVerification, ...] = ()

    def __repr__(self) -> str:
        names = ", ".join(path.name for path in self.files)
        return f"Conversion({self.format}: {names}; {self.ledger!r}, {self.report!r})"


class ConversionError(OssatureError):
    """A conversion is not as exact as required, and nothing is written.

    Attributes:
        conversion: Its result.
    """

    def __init__(self, message: str, conversion: Conversion) -> None:
        self.conversion = conversion
        super().__init__(message)


@typed_arguments
def convert(
    source: World | str | Path,
    target: str | Path,
    *,
    format: str | None = None,  # the established name of the parameter
    input_format: str | None = None,
    dialect: str | None = None,
    calibration: str | Path | None = None,
    verify: bool = False,
    strict: bool = False,
    requires_state: bool = False,
    reference: Mapping[str, str | Path] | None = None,
    meshes: MeshStore | None = None,
    limits: Limits | None = None,
    report: Report | None = None,
    allow_dangling: bool = False,
    actuators: str | None = None,
    overwrite: bool = False,
) -> Conversion:
    """Convert a model file, or a World, to a file of another format. The output is written whole or not at all.

    If a model file does not specify whether the base of a robot is fixed, and the output does, a rule chooses it: see
    :func:`ossature.kinematics.choose_bases`.

    Args:
        source: The model file, or a World.
        target: The output file.
        format: Its format; determined from its suffix if None.
        input_format: The format of a model file; determined from its suffix or first bytes if None.
        dialect: The program whose interpretation of a model file is used; that of the specification if None.
        calibration: The calibration of the robot in a model file.
        verify: Read the output again, and write it only if it equals the World, except for what is in the ledger, and if
            the installed programs that read the format agree: see :mod:`ossature.conversion.program_verification`.
        strict: Write the output only if nothing is approximated or dropped.
        requires_state: Write the output only if it starts with the initial poses, positions and velocities of the World.
        reference: For each model its file or URI. The output is then a scene that refers to these files and states
            only the poses of robots, the positions and limits of joints, and grasps.
        meshes: The mesh store, for formats that embed triangles; by default meshes are found relative to the World's file.
        limits: Resource limits of reading; the documented defaults if None.
        report: Receives findings of the conversion; a new one with the limits if None.
        actuators: The kind of actuator of all joints, for MJCF: ``position``, ``velocity``, ``motor`` or ``none``; by default
            those that transmissions, electric motors and the actuation of joints imply.
        allow_dangling: Also write a World whose elements refer to bodies or joints that do not exist. A model file is always
            written, because reading it reports them.
        overwrite: Also replace an SRDF file beside the output that no earlier conversion has written. The output itself is
            always replaced.

    Raises:
        ModelError: Elements of a World refer to bodies or joints that do not exist.
        LoadError: The model file has an error.
        ConversionError: The output is not as exact as required.
        OssatureError: The format is unknown, cannot represent this World, or has no kinds of actuators; or a file beside the
            output would be lost.
        OSError: The file cannot be written.
        ValueError: There is no such input format, dialect or kind of actuator.
    """
    path = Path(target)
    report = report if report is not None else Report(limits=limits)
    known = REGISTRY.to_write(path, format)
    read_again = _reader_of(known) if verify else None
    if isinstance(source, World):
        if not allow_dangling:
            require_references(source)
    else:
        source = _loaded(source, known, report, format=input_format, dialect=dialect, calibration=calibration, limits=limits)
    written_dialect = None if format is None else REGISTRY.named(format)[1]
    meshes = meshes or MeshStore.of(source, report.limits)
    kind = None if actuators is None else ActuatorKind(actuators)
    if kind is not None and (written_dialect is not None or not known.has_actuator_kinds):
        raise OssatureError(
            f"the kind of actuators is chosen for MJCF that is not compiled, not for {written_dialect or known.name}"
        )
    context = WriteContext(
        path=path, report=report, meshes=meshes, dialect=written_dialect, actuators=kind, overwrite=overwrite
    )
    files = _written_files(known, source, context, reference)
    complete_entries(source, context.ledger)
    record_comments(source, context.ledger)
    _record_unread(source, context.ledger)
    result = Conversion(format=known.name, files=files, ledger=context.ledger, report=report)
    if strict and not context.ledger.lossless:
        raise ConversionError(f"{path} is not written: the conversion is not lossless, as strict requires", result)
    if requires_state and (lost := initial_state_losses(source, context.ledger)):
        reason = f"{len(lost)} of its poses, positions and velocities would be lost, see the ledger"
        raise ConversionError(f"{path} is not written, because it could not start in the state: {reason}", result)
    if read_again is not None:
        result = replace(result, differences=_differences(read_again, known.rounding, source, result))
        if result.differences:
            raise ConversionError(f"{path} is not written: read again, it differs from the input beyond the ledger", result)
        result = replace(result, verifications=_verified_by_programs(read_again, known, source, context))
        failed = [str(each.failure) for each in result.verifications if each.is_failed]
        if failed:
            raise ConversionError(f"{path} is not written: {'; '.join(failed)}", result)
    _write(files)
    return result


@typed_arguments
def save(
    world: World,
    path: str | Path,
    *,
    format: str | None = None,  # the established name of the parameter
    meshes: MeshStore | None = None,
    report: Report | None = None,
    reference: Mapping[str, str | Path] | None = None,
    allow_dangling: bool = False,
    actuators: str | None = None,
    overwrite: bool = False,
) -> Ledger:
    """Write a World to a file atomically, and return the ledger: what is rewritten, approximated or dropped.

    See :func:`convert` for the arguments and exceptions.
    """
    options: dict[str, Any] = {"meshes": meshes, "report": report, "reference": reference}
    options |= {"allow_dangling": allow_dangling, "actuators": actuators, "overwrite": overwrite}
    return convert(world, path, format=format, **options).ledger


def dumps(
    world: World,
    format: str,  # the established name of the parameter
    *,
    meshes: MeshStore | None = None,
    report: Report | None = None,
    allow_dangling: bool = False,
) -> str:
    """Return the text of a World in a format.

    References to meshes are relative to the folder of the World's file, or to the working directory without one. Use
    :func:`convert` for the ledger, which states what the format cannot represent.

    Args:
        world: The World.
        format: Name of the format.
        meshes: The mesh store; by default meshes are found relative to the World's file.
        report: Receives findings of the conversion.
        allow_dangling: Also write a World whose elements refer to bodies or joints that do not exist.

    Raises:
        ModelError: Elements refer to bodies or joints that do not exist.
        OssatureError: The format cannot represent this World, is binary, or needs several files: use :func:`save`.
        ValueError: There is no format of that name.
        TypeError: The World is not a World.
    """
    (_, content), *others = files_of(world, format, meshes=meshes, report=report, allow_dangling=allow_dangling).items()
    name = REGISTRY.named(format)[0].name
    if others:
        names = ", ".join(path.name for path, _ in others)
        raise OssatureError(f"{name} needs files beside the text: {names}; use save")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise OssatureError(f"{name} is a binary format; use save") from error


@typed_arguments
def files_of(
    world: World,
    format: str,  # the established name of the parameter
    *,
    meshes: MeshStore | None = None,
    report: Report | None = None,
    allow_dangling: bool = False,
) -> WrittenFiles:
    """Return the content of the files of a World in a format, the main file first; nothing is written.

    The arguments are those of :func:`dumps`.

    Raises:
        ModelError: Elements refer to bodies or joints that do not exist.
        OssatureError: The format cannot represent this World.
        ValueError: There is no format of that name.
        TypeError: The World is not a World.
    """
    known, dialect = REGISTRY.named(format)
    if not allow_dangling:
        require_references(world)
    folder = None if world.origin is None else world.origin.source.folder
    path = (folder or Path.cwd()) / f"model{known.suffixes[0]}"
    report = report if report is not None else Report()
    store = meshes or MeshStore.of(world, report.limits)
    return known.written_files(world, WriteContext(path=path, report=report, meshes=store, dialect=dialect, overwrite=True))


def _loaded(source: str | Path, known: Format, report: Report, **options: Any) -> World:
    """Return the World in a file, with the bases of robots that the file leaves open if the output specifies them."""
    world, found = read(source, **options)
    if world is None or found.has_errors:
        raise LoadError(found)
    unspecified = {finding.path for finding in found.take(shared_rules.FREE_BASE.name)}
    if not known.specifies_bases or not unspecified:
        return world
    world, bases = choose_bases(world, unspecified={path for path in unspecified if path is not None})
    for base in bases:
        report.add(shared_rules.FREE_BASE, base.message, world.models[base.model].origin, hint=base.hint, path=base.model)
    return world


def _written_files(
    known: Format, world: World, context: WriteContext, reference: Mapping[str, str | Path] | None
) -> WrittenFiles:
    if reference is None:
        return known.written_files(world, context)
    if known.write_reference is None:
        able = " or ".join(each.name for each in REGISTRY.all() if each.write_reference is not None)
        raise OssatureError(f"{known.name} files cannot refer to others; use {able}")
    return known.write_reference(world, context, dict(reference))


def _record_unread(world: World, ledger: Ledger) -> None:
    """Record what the reader of the file that a World was read from ignores, and no writer keeps."""
    if world.origin is None:
        return
    source = world.origin.source
    for known in REGISTRY.all(Content.WORLD):
        if known.record_unread is not None and known.sniff(source.data):
            known.record_unread(source, ledger)


def _reader_of(known: Format) -> Reader:
    if known.read is None:
        raise OssatureError(f"{known.name} files can only be written, so that the output cannot be read again and verified")
    return known.read


def _differences(read: Reader, rounding: float, world: World, conversion: Conversion) -> tuple[Difference, ...]:
    """Return how the output, read again, differs from a World beyond the ledger."""
    path, content = next(iter(conversion.files.items()))
    context = ReadContext.of_file(Source(str(path), content), Report(limits=conversion.report.limits))
    written = {str(file.resolve()): data for file, data in conversion.files.items()}
    resolver = replace(context.resolver, files=OverlayFiles(MemoryFiles(written)))
    semantics = [file for file in conversion.files if file.suffix == ".srdf"]
    again = read(replace(context, given_resolver=resolver, srdf=semantics[0] if semantics else False)).world
    if again is None:
        reason = context.report.errors[0].message
        raise ConversionError(f"{path} is not written: it cannot be read again to verify it: {reason}", conversion)
    return tuple(uncovered_differences(world, again, conversion.ledger, tolerance=rounding))


def _verified_by_programs(read: Reader, known: Format, world: World, context: WriteContext) -> tuple[ProgramVerification, ...]:
    """Return what other programs find in the output, which is written to a temporary folder for them."""
    if not any(program.is_installed for program in known.reference_programs):
        return ()
    with TemporaryDirectory() as folder:
        path = Path(folder) / context.path.name
        for file, content in known.written_files(
            world, replace(context, path=path, ledger=Ledger(), report=Report(), side_files={})
        ).items():
            file.parent.mkdir(exist_ok=True)
            write_file_unflushed(file, content)
        report = Report(limits=context.report.limits)
        again = read(ReadContext.of_file(Source(str(path), path.read_bytes()), report)).world
        return (
            ()
            if again is None
            else verify_with_programs(path, known.reference_programs, again, MeshStore.of(again, report.limits))
        )


def _write(files: WrittenFiles) -> None:
    """Write files, each atomically; the main file is last, because it refers to the others."""
    main = next(iter(files))
    for path, content in reversed(files.items()):
        if path.parent != main.parent:
            path.parent.mkdir(exist_ok=True)
        write_file_atomically(path, content)


__all__ = ["Conversion", "ConversionError", "convert", "dumps", "save"]
