"""Conversion between formats: writes files, with a ledger of what is rewritten, approximated or dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ossature.assets import MeshStore, write_file_atomically
from ossature.comparison import Difference, compare
from ossature.conversion.program_verification import ProgramVerification, verify_with_programs
from ossature.conversion.source_comments import record_comments
from ossature.diagnostics import Ledger, Limits, OssatureError, Report, Source
from ossature.formats import REGISTRY, Format, ReadContext, Reader, WriteContext, WrittenFiles
from ossature.io import load
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


class ConversionError(OssatureError):
    """A conversion is not as exact as required, and nothing is written.

    Attributes:
        conversion: Its result.
    """

    def __init__(self, message: str, conversion: Conversion) -> None:
        self.conversion = conversion
        super().__init__(message)


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
    reference: Mapping[str, str | Path] | None = None,
    meshes: MeshStore | None = None,
    limits: Limits | None = None,
    report: Report | None = None,
    allow_dangling: bool = False,
) -> Conversion:
    """Convert a model file, or a World, to a file of another format. The output is written whole or not at all.

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
        reference: For each model its file or URI. The output is then a scene that refers to these files and states
            only the poses of robots, the positions and limits of joints, and grasps.
        meshes: The mesh store, for formats that embed triangles; by default meshes are found relative to the World's file.
        limits: Resource limits of reading; the documented defaults if None.
        report: Receives findings of the conversion; a new one with the limits if None.
        allow_dangling: Also write a World whose elements refer to bodies or joints that do not exist. A model file is always
            written, because reading it reports them.

    Raises:
        ModelError: Elements of a World refer to bodies or joints that do not exist.
        LoadError: The model file has an error.
        ConversionError: The output is not as exact as required.
        OssatureError: The format is unknown, or cannot represent this World.
        OSError: The file cannot be written.
        ValueError: There is no such input format or dialect.
    """
    path = Path(target)
    known = REGISTRY.to_write(path, format)
    read_again = _reader_of(known) if verify else None
    if isinstance(source, World):
        if not allow_dangling:
            require_references(source)
    else:
        source = load(source, format=input_format, dialect=dialect, calibration=calibration, limits=limits)
    report = report if report is not None else Report(limits=limits)
    written_dialect = None if format is None else REGISTRY.named(format)[1]
    meshes = meshes or MeshStore.of(source, report.limits)
    context = WriteContext(path=path, report=report, meshes=meshes, dialect=written_dialect)
    files = _written_files(known, source, context, reference)
    record_comments(source, context.ledger)
    result = Conversion(format=known.name, files=files, ledger=context.ledger, report=report)
    if strict and not context.ledger.lossless:
        raise ConversionError(f"{path} is not written: the conversion is not lossless, as strict requires", result)
    if read_again is not None:
        result = replace(result, differences=_differences(read_again, known.rounding, source, result))
        if result.differences:
            raise ConversionError(f"{path} is not written: read again, it differs from the input beyond the ledger", result)
        result = replace(result, verifications=_verified_by_programs(read_again, known, source, context))
        failed = [each.program for each in result.verifications if each.is_failed]
        if failed:
            raise ConversionError(
                f"{path} is not written: {' and '.join(failed)} cannot open it, or interpret it differently", result
            )
    _write(files)
    return result


def save(
    world: World,
    path: str | Path,
    *,
    format: str | None = None,  # the established name of the parameter
    meshes: MeshStore | None = None,
    report: Report | None = None,
    reference: Mapping[str, str | Path] | None = None,
    allow_dangling: bool = False,
) -> Ledger:
    """Write a World to a file atomically, and return the ledger: what is rewritten, approximated or dropped.

    See :func:`convert` for the arguments and exceptions.
    """
    options: dict[str, Any] = {"meshes": meshes, "report": report, "reference": reference, "allow_dangling": allow_dangling}
    return convert(world, path, format=format, **options).ledger


def _written_files(
    known: Format, world: World, context: WriteContext, reference: Mapping[str, str | Path] | None
) -> WrittenFiles:
    if reference is None:
        return known.written_files(world, context)
    if known.write_reference is None:
        able = " or ".join(each.name for each in REGISTRY.all() if each.write_reference is not None)
        raise OssatureError(f"{known.name} files cannot refer to others; use {able}")
    return known.write_reference(world, context, dict(reference))


def _reader_of(known: Format) -> Reader:
    if known.read is None:
        raise OssatureError(f"{known.name} files can only be written, so that the output cannot be read again and verified")
    return known.read


def _differences(read: Reader, rounding: float, world: World, conversion: Conversion) -> tuple[Difference, ...]:
    """Return how the output, read again, differs from a World beyond the ledger."""
    path, content = next(iter(conversion.files.items()))
    again = read(ReadContext.of_file(Source(str(path), content), Report(limits=conversion.report.limits))).world
    found = compare(world, again, tolerance=rounding)
    return tuple([difference for difference in found if not conversion.ledger.covers(difference.path)])


def _verified_by_programs(read: Reader, known: Format, world: World, context: WriteContext) -> tuple[ProgramVerification, ...]:
    """Return what other programs find in the output, which is written to a temporary folder for them."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / context.path.name
        _write(known.written_files(world, WriteContext(path=path, meshes=context.meshes, dialect=context.dialect)))
        report = Report(limits=context.report.limits)
        again = read(ReadContext.of_file(Source(str(path), path.read_bytes()), report)).world
        return () if again is None else verify_with_programs(path, known.name, again, MeshStore.of(again, report.limits))


def _write(files: WrittenFiles) -> None:
    """Write files, each atomically; the main file is last, because it refers to the others."""
    main = next(iter(files))
    for path, content in reversed(files.items()):
        if path.parent != main.parent:
            path.parent.mkdir(exist_ok=True)
        write_file_atomically(path, content)


__all__ = ["Conversion", "ConversionError", "convert", "save"]
