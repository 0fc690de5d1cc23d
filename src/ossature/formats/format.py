"""What a format is: one value with its reader, its writer and the passes that lower a World before it is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ossature.assets.filesystem import DiskFiles, Files
from ossature.assets.mesh_store import MeshStore
from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Ledger, Limits, OssatureError, Report, Rule, Source
from ossature.diagnostics.suggestions import Choice
from ossature.model import JointType, NamedList, State, Trajectory, World
from ossature.model.calibration import Calibration
from ossature.model.named_list import NO_ELEMENTS

if TYPE_CHECKING:
    from ossature.syntax.schema import Element

WrittenFiles: TypeAlias = dict[Path, bytes]
"""The content of each output file by path; the main file, which refers to the others, comes first."""


class Content(StrEnum):
    """What files of a format contain."""

    WORLD = "world"
    STATE = "state"
    TRAJECTORY = "trajectory"
    RECORDING = "recording"
    CALIBRATION = "calibration"
    SEMANTICS = "semantics"
    SWEEP = "sweep"
    FIT = "fit"


class ActuatorKind(Choice):
    """A kind of actuator of joints."""

    POSITION = "position"
    """The command is a position."""
    VELOCITY = "velocity"
    """The command is a velocity."""
    MOTOR = "motor"
    """The command is a force or torque."""
    NONE = "none"
    """No actuator."""


@dataclass(frozen=True, kw_only=True)
class ReadContext:
    """What a reader needs to read one file.

    Attributes:
        source: The file. Of a format with ``opens_file`` it has no bytes, only the path.
        report: Receives findings, and counts the use of resources.
        folder: The folder of the file, to which relative references refer; None for a file in memory.
        given_resolver: Finds the other files to which the file refers; None for the one of the source.
        dialect: The program whose interpretation is used, one of the format's dialects; None for that of the specification.
        srdf: The SRDF file of a URDF robot; None for the one beside its URDF file, False for none.
        is_expanded: Whether the file is the expansion of a xacro template, in which ``${name}`` is literal text.
    """

    source: Source
    report: Report
    folder: Path | None = None
    given_resolver: Resolver | None = None
    dialect: str | None = None
    srdf: Path | Literal[False] | None = None
    is_expanded: bool = False

    @classmethod
    def of_file(
        cls,
        source: Source,
        report: Report,
        resolver: Resolver | None = None,
        dialect: str | None = None,
        srdf: Path | Literal[False] | None = None,
    ) -> ReadContext:
        """Return the context of a file on disk; by default other files are found in the folders of environment variables."""
        folder = Path(os.path.abspath(source.name)).parent  # noqa: PTH100  # without resolving symbolic links
        return cls(source=source, report=report, folder=folder, given_resolver=resolver, dialect=dialect, srdf=srdf)

    @cached_property
    def resolver(self) -> Resolver:
        """Finds the other files to which the file refers; made when it is needed, because most files refer to none."""
        return Resolver.of_source(self.source) if self.given_resolver is None else self.given_resolver

    @property
    def files(self) -> Files:
        """Reads files."""
        return DiskFiles() if self.given_resolver is None else self.given_resolver.files

    @property
    def limits(self) -> Limits:
        """The resource limits."""
        return self.report.limits

    @property
    def search_path(self) -> tuple[Path, ...]:
        """The folders in which packages are searched."""
        return self.resolver.search_path

    @property
    def meshes(self) -> MeshStore:
        """A new store of the meshes to which the file refers."""
        return MeshStore(self.resolver, self.report.limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a file contains. Nothing, if it cannot be read: the report contains the reason.

    Attributes:
        world: Its World, which contains the trajectories of model files, or None.
        states: Its states.
        trajectories: Its trajectories, if it contains no World.
        calibration: Its calibration, or None.
        recording: Its recording, opened for reading sample by sample: an :class:`ossature.recordings.RecordingFile`, or None.
    """

    world: World | None = None
    states: tuple[State, ...] = ()
    trajectories: NamedList[Trajectory] = NO_ELEMENTS
    calibration: Calibration | None = None
    recording: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteContext:
    """What passes and a writer need to write one file.

    Attributes:
        path: The output file.
        ledger: Receives what is rewritten, approximated or dropped.
        report: Receives findings.
        meshes: The mesh store of the World.
        side_files: Files that passes write beside the output file, with their content.
        dialect: The program that the file is written for, one of the format's dialects; None for any.
        actuators: The kind of actuator of all joints, for formats with actuators; None for those that the World implies.
        overwrite: Whether files beside the output are replaced that no earlier conversion has written.
    """

    path: Path
    ledger: Ledger = field(default_factory=Ledger)
    report: Report = field(default_factory=Report)
    meshes: MeshStore = field(default_factory=MeshStore)
    side_files: WrittenFiles = field(default_factory=dict)
    dialect: str | None = None
    actuators: ActuatorKind | None = None
    overwrite: bool = False

    @property
    def folder(self) -> Path:
        """The absolute folder of the output file, to which paths are made relative."""
        return self.path.resolve().parent

    def main_file(self, content: str | bytes) -> WrittenFiles:
        """Return the output of a format with one file."""
        return {self.path: content.encode() if isinstance(content, str) else content}


Reader: TypeAlias = Callable[[ReadContext], Loaded]
"""Reads a file; it never raises on invalid content, but adds findings to the report."""
Writer: TypeAlias = Callable[[Any, WriteContext], WrittenFiles]
"""Returns the output files of a World, state, trajectory or calibration, by the format's content."""
ReferenceWriter: TypeAlias = Callable[[World, WriteContext, dict[str, str | Path]], WrittenFiles]
"""Returns the output files of a scene that refers to the file or URI of each of its models."""
Pass: TypeAlias = Callable[[World, WriteContext], World]
"""Returns a World without something that a format cannot represent, and records the change in the ledger."""


def _no_content(_: bytes) -> bool:
    return False


def _nothing() -> tuple[Any, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceProgram:
    """A program that reads files of a format, with which written files are verified.

    Attributes:
        name: Its name.
        package: The Python package through which it is used.
        module: The module that evaluates a file with it, see :mod:`ossature.reference_programs`.
        is_authority: Whether it owns the format, so that it must be able to open each file.
        moved: The joint types whose coordinates it shares; None for all of them.
        unread: Joint types that it does not read from files, although the format documents them.
        ignores_massless_inertia: Whether it ignores moments of inertia of bodies without mass that are fixed to others.
        moment_error: Its error of moments of inertia when it reads a file [kg·m²].
    """

    name: str
    package: str
    module: str
    is_authority: bool = False
    moved: tuple[type[JointType], ...] | None = None
    unread: tuple[type[JointType], ...] = ()
    ignores_massless_inertia: bool = False
    moment_error: float = 0.0

    @property
    def is_installed(self) -> bool:
        """Whether it can be used."""
        return find_spec(self.package) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format. Formats of other packages are found by entry points; see ``docs/plugins.md``.

    Attributes:
        name: Its name on the command line.
        title: Its description.
        suffixes: Suffixes of its files, in lower case.
        content: What its files contain.
        sniff: Whether a file has this format, from its first bytes.
        has_model: Whether all bytes of a file that has this format contain a model, for formats whose files may be parts of
            models (meshes, solver settings), which are skipped when folders are searched.
        read: Its reader, or None if it is only written.
        write: Its writer, or None if it is only read.
        passes: What is done to a World, in this order, before it is written.
        reference_programs: The programs that verify written files, the one that owns the format first.
        record_unread: Adds to the ledger what a file of this format contains that its reader ignores and no writer keeps.
        write_reference: Writes a scene that refers to the files of its models; None if the format has no references.
        record: Opens a file for writing a recording sample by sample, see :func:`ossature.recordings.open_writer`.
        schema: Returns name and declaration of each root element.
        syntax: Syntax of the schema, ``xml`` or ``yaml``.
        rules: Returns the rules of its reader.
        dialects: Programs whose interpretation of files differs from the specification, and can be selected.
        has_semantics: Whether an SRDF file can be read with its files.
        rounding: Largest error of numbers after writing and reading, absolute or relative.
        opens_file: Whether its reader opens the file itself, because files can be larger than memory.
        specifies_bases: Whether its files specify if the base of a robot is fixed to the world.
        has_actuator_kinds: Whether the kind of actuator of all joints can be chosen for its files.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    content: Content = Content.WORLD
    sniff: Callable[[bytes], bool] = _no_content
    has_model: Callable[[bytes], bool] | None = None
    read: Reader | None = None
    write: Writer | None = None
    passes: tuple[Pass, ...] = ()
    reference_programs: tuple[ReferenceProgram, ...] = ()
    record_unread: Callable[[Source, Ledger], None] | None = None
    write_reference: ReferenceWriter | None = None
    record: Callable[..., Any] | None = None
    schema: Callable[[], tuple[tuple[str, type[Element]], ...]] = _nothing
    syntax: str = "xml"
    rules: Callable[[], tuple[Rule, ...]] = _nothing
    dialects: tuple[str, ...] = ()
    has_semantics: bool = False
    rounding: float = 0.0
    opens_file: bool = False
    specifies_bases: bool = True
    has_actuator_kinds: bool = False

    @property
    def is_written(self) -> bool:
        """Whether there are files of this format to be written."""
        return self.write is not None or self.record is not None

    def written_files(self, content: Any, context: WriteContext) -> WrittenFiles:
        """Return the output files of a World after its passes, or of a state, trajectory or calibration.

        Raises:
            OssatureError: The format cannot represent the content.
        """
        if self.write is None:
            raise OssatureError(f"{self.name} files cannot be written")
        for lower in self.passes:
            content = lower(content, context)
        return {**self.write(content, context), **context.side_files}


def deferred(target: str) -> Callable[..., Any]:
    """Return a function that imports the one named ``module:function`` when it is called.

    So the table of formats is complete without importing the modules of each format.
    """

    def call(*arguments: Any, **named: Any) -> Any:
        return imported(target)(*arguments, **named)

    call.__qualname__ = target
    return call


def constant(target: str) -> Callable[[], Any]:
    """Return a function that returns the object named ``module:object``, which is imported when it is called."""
    return lambda: imported(target)


def imported(target: str) -> Any:
    """Return the object named ``module:object``."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


def world_reader(target: str) -> Reader:
    """Return the reader of a format whose reader is a function of source, report and folder."""

    def read(context: ReadContext) -> Loaded:
        return Loaded(world=imported(target)(context.source, context.report, folder=context.folder))

    return read


def text_writer(target: str) -> Writer:
    """Return the writer of a format whose writer returns the text of one file from World, ledger and folder."""

    def write(world: World, context: WriteContext) -> WrittenFiles:
        return context.main_file(imported(target)(world, context.ledger, folder=context.folder))

    return write
