"""Opens a stage in a process of its own, which gets copies of the layers that may be opened."""

from __future__ import annotations

import json
import os
import posixpath
import re
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from ossature.array_types import Array
from ossature.assets import AssetError
from ossature.assets.archive import Archive, is_archive, open_archive
from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import LimitError, Location, Report, Source
from ossature.diagnostics.resource_limits import (
    FILE_TOO_LARGE,
    OUT_OF_MEMORY,
    READING_TOO_LONG,
    TOO_MANY_DOCUMENTS,
    TOO_MANY_ELEMENTS,
    raising_hint,
)
from ossature.formats.usd import rules, stage_process
from ossature.formats.usd.stage import Prim, Stage
from ossature.isolated_python_processes import PreparedProgram, converse_with_program, last_line

_PROGRAM = PreparedProgram(
    f"import runpy\nfunctions = runpy.run_path({stage_process.__file__!r})\nfunctions['prepare']()", "functions['run']()"
)
"""What the process runs: a file of its own, without the time to import this package."""
_LAYER_SUFFIXES = (".usd", ".usda", ".usdc")
_MEMORY = 4
"""Address space of the process, as a multiple of the limit of one array."""
_SMALLEST_UNIT, _LARGEST_UNIT = 1e-30, 1e30
"""Units whose products are numbers [m or kg]."""
NEEDS_USD = "reading OpenUSD files needs usd-core: pip install 'ossature[usd]'"


def open_stage(source: Source, resolver: Resolver, folder: Path | None, report: Report) -> Stage | None:
    """Return the stage of a file, or None with a finding if it cannot be opened.

    Args:
        resolver: Finds the other layers.
        folder: The folder of the file; None for a file in memory.
    """
    location = Location(source)
    if find_spec("pxr") is None:
        report.add(rules.MISSING_LIBRARY, NEEDS_USD, location)
        return None
    layers = _Layers.of(source, resolver, folder, report)
    if layers is None:
        return None
    limits = report.limits
    with tempfile.TemporaryDirectory() as copies:
        request = {"name": layers.root, "prims": limits.elements, "depth": limits.depth, "folder": copies}
        result, messages = converse_with_program(
            _PROGRAM,
            lambda sink, origin: _exchange(sink, origin, request, layers, limits.array_bytes),
            seconds=limits.seconds,
            memory=_MEMORY * limits.array_bytes,
        )
    if result is None:
        raise _failure(messages, source, report)
    answer, data = result
    if answer.get("too_many_prims"):
        most = limits.elements
        raise LimitError(TOO_MANY_ELEMENTS, f"more than {most} prims", location, raising_hint("elements", 4 * most))
    if answer.get("too_deep"):
        report.budget.require_depth(limits.depth + 1, location)
    if answer.get("out_of_memory"):
        raise MemoryError
    if "error" in answer:
        layers.report_unreadable_root(str(answer["error"]))
        return None
    report.budget.add_elements(len(answer["prims"]), location)
    return _stage(answer, data, location, report)


def _failure(messages: str, source: Source, report: Report) -> LimitError:
    """Return why the process ended."""
    if any(word in messages for word in ("MemoryError", "bad_alloc", "ENOMEM", "Cannot allocate")):
        return LimitError(OUT_OF_MEMORY, "there is not enough memory for this stage", Location(source), "")
    if cause := last_line(messages):
        message = f"the library for OpenUSD ended before it had composed the stage: {cause}"
        return LimitError(rules.UNREADABLE_LAYER, message, Location(source), "")
    most = report.limits.seconds
    message = f"the library for OpenUSD ended before it had composed the stage, or took more than {most:g} s"
    return LimitError(READING_TOO_LONG, message, Location(source), "the file may be damaged, or refer to itself very often")


# Messages


def _exchange(
    sink: IO[bytes], origin: IO[bytes], request: Mapping[str, Any], layers: _Layers, most_bytes: int
) -> tuple[dict[str, Any], bytes]:
    """Send a request, answer questions for layers, and return the description of the stage."""
    _send(sink, request, layers.data)
    while True:
        message, data = _receive(origin, most_bytes)
        if "unreadable" in message:
            layers.report_unreadable(message)
            _send(sink, {})
        elif "layer" in message:
            name, content = layers.find(str(message["layer"]), str(message["asset"]))
            _send(sink, {"name": name, "is_new": content is not None}, content or b"")
        else:
            return message, data


def _send(sink: IO[bytes], message: Mapping[str, Any], data: bytes = b"") -> None:
    text = json.dumps(message).encode()
    sink.write(stage_process.LENGTHS.pack(len(text), len(data)) + text)
    sink.write(data)
    sink.flush()


def _receive(origin: IO[bytes], most_bytes: int) -> tuple[dict[str, Any], bytes]:
    text, rest = stage_process.LENGTHS.unpack(_bytes(origin, stage_process.LENGTHS.size))
    if text + rest > most_bytes:
        raise LimitError(
            FILE_TOO_LARGE, f"the stage has {text + rest} bytes of values", None, raising_hint("array_bytes", text + rest)
        )
    message = json.loads(_bytes(origin, text))
    if not isinstance(message, dict):
        raise EOFError
    return message, _bytes(origin, rest)


def _bytes(origin: IO[bytes], count: int) -> bytes:
    data = origin.read(count)
    if len(data) < count:
        raise EOFError
    return data


# Layers


class _Layers:
    """The layers of a stage, found in the folders that were given, or in its archive.

    Attributes:
        root: The name of the root layer.
        data: Its content.
    """

    def __init__(
        self, root: str, data: bytes, resolver: Resolver, archive: Archive | None, location: Location, report: Report
    ) -> None:
        self.root, self.data = root, data
        self._resolver, self._archive, self._location, self._report = resolver, archive, location, report
        self._names = {root}
        self._bytes = len(data)
        self._reported: set[tuple[str, str]] = set()

    @classmethod
    def of(cls, source: Source, resolver: Resolver, folder: Path | None, report: Report) -> _Layers | None:
        """Return the layers of a file, or None with a finding if it is an archive that cannot be read."""
        location = Location(source)
        if not is_archive(source.data):
            root = source.name if folder is None else str(folder / Path(source.name).name)
            return cls(root, source.data, resolver, None, location, report)
        try:
            archive = open_archive(source, report)
            first = next((path for path in archive.members if path.lower().endswith(_LAYER_SUFFIXES)), None)
            if first is not None:
                return cls(first, archive.read(first), resolver, archive, location, report)
            report.add(rules.UNREADABLE_LAYER, "the archive has no layer", location, hint="its first file is the root layer")
        except AssetError as error:
            report.add(error.limit or rules.UNREADABLE_LAYER, error.reason, location, hint=error.hint)
        return None

    def find(self, layer: str, asset: str) -> tuple[str | None, bytes | None]:
        """Return the name of the file that a layer names, None if it may not be opened; and its content if it is new."""
        try:
            name, content = self._read(layer, asset)
        except AssetError as error:
            if (layer, asset) not in self._reported:
                self._reported.add((layer, asset))
                message = f"{self.without_folder(layer)} refers to '{asset}': {error.reason}"
                self._report.add(error.limit or rules.MISSING_FILE, message, self._location, hint=error.hint)
            return None, None
        if content is not None:
            self._add(name, content)
        return name, content

    def _read(self, layer: str, asset: str) -> tuple[str, bytes | None]:
        if asset.startswith("`"):
            raise AssetError(asset, "paths that are expressions are not evaluated", hint="write the path itself")
        if not asset.lower().endswith(_LAYER_SUFFIXES):
            raise AssetError(
                asset, "is no layer of OpenUSD", hint=f"a layer has one of the suffixes {', '.join(_LAYER_SUFFIXES)}"
            )
        if self._archive is not None:
            member = posixpath.normpath(posixpath.join(posixpath.dirname(layer), asset))
            return member, None if member in self._names else self._archive.read(member)
        is_relative = "://" not in asset and not Path(asset).is_absolute()
        uri = os.path.join(os.path.dirname(layer), asset) if is_relative else asset  # noqa: PTH118, PTH120  # without links
        name = str(self._resolver.locate(uri))
        return name, None if name in self._names else self._resolver.read(uri, self._report.limits)

    def _add(self, name: str, content: bytes) -> None:
        limits = self._report.limits
        self._names.add(name)
        self._bytes += len(content)
        if len(self._names) > limits.documents:
            message, hint = f"more than {limits.documents} layers", raising_hint("documents", 4 * limits.documents)
            raise LimitError(TOO_MANY_DOCUMENTS, message, self._location, hint)
        if self._bytes > limits.unpacked_bytes:
            message, hint = f"the layers have {self._bytes} bytes", raising_hint("unpacked_bytes", 2 * self._bytes)
            raise LimitError(FILE_TOO_LARGE, message, self._location, hint)

    def report_unreadable(self, message: Mapping[str, Any]) -> None:
        """Report a layer that the library cannot read."""
        name, by, reason = (self.without_folder(str(message[key])) for key in ("unreadable", "by", "reason"))
        text = f"{name}, to which {by} refers: {reason.removeprefix(f'{name}:')}"
        self._report.add(rules.UNREADABLE_LAYER, text, self._location)

    def report_unreadable_root(self, reason: str) -> None:
        """Report that the library cannot read the root layer; it states a line and column of a text."""
        found, location = re.fullmatch(rf"{re.escape(self.root)}:(\d+):(\d+): (.*)", reason, re.DOTALL), self._location
        if found is not None:
            reason, location = found[3], Location(location.source, location.source.offset_of(int(found[1]), int(found[2])))
        self._report.add(rules.UNREADABLE_LAYER, self.without_folder(reason), location)

    def without_folder(self, text: str) -> str:
        """Return a text in which paths of layers are relative to the folder of the root layer."""
        folder = os.path.dirname(self.root)  # noqa: PTH120  # as text
        return text.replace(f"{folder}{os.sep}", "") if folder else text


# Prims


def _stage(answer: Mapping[str, Any], data: bytes, location: Location, report: Report) -> Stage:
    stage = Stage(
        length=float(answer["meters_per_unit"]),
        mass=float(answer["kilograms_per_unit"]),
        up=str(answer["up_axis"]),
        default_prim=answer["default_prim"],
        location=location,
        report=report,
    )
    _report_stage(stage, answer)
    arrays = [_array(data, *each) for each in answer["arrays"]]
    found: list[Prim] = []
    for described in answer["prims"]:
        parent = found[described["parent"]] if described["parent"] >= 0 else None
        prim = _prim(stage, described, parent, arrays)
        found.append(prim)
        stage.prims[prim.path] = prim
    _report_prims(stage)
    return stage


def _report_stage(stage: Stage, answer: Mapping[str, Any]) -> None:
    for name, length, mass, up in answer["layer_units"]:
        differing = [
            f"{key} = {value}"
            for key, value, own in (
                ("metersPerUnit", length, stage.length),
                ("kilogramsPerUnit", mass, stage.mass),
                ("upAxis", up, stage.up),
            )
            if value and str(value) != str(own)
        ]
        if differing:
            stage.add(rules.DIFFERENT_UNITS, f"the layer {os.path.basename(name)} states {', '.join(differing)}")  # noqa: PTH119
    for quantity in ("length", "mass"):
        value = getattr(stage, quantity)
        if not _SMALLEST_UNIT <= value <= _LARGEST_UNIT:
            hint = f"state a unit from {_SMALLEST_UNIT:g} to {_LARGEST_UNIT:g} m or kg"
            stage.add(rules.INVALID_VALUE, f"the unit of {quantity} is {value:g}: using 1", hint)
            setattr(stage, quantity, 1.0)
    if not answer["states_meters"]:
        message = "the stage does not state metersPerUnit: its unit is read as 0.01 m"
        stage.add(rules.UNSTATED_UNITS, message, hint="state metersPerUnit = 1 if lengths are in metres")
    for clip in answer["removed_clips"]:
        stage.add(rules.ANIMATED_VALUE, f"the value clips of {clip} are not read")
    for problem in answer["problems"]:
        stage.add(rules.COMPOSITION_PROBLEM, " ".join(str(problem).split()))


def _array(data: bytes, kind: str, shape: Sequence[int], offset: int) -> Array:
    found = np.dtype(kind)
    if found.kind not in "fiub":
        raise EOFError
    count = int(np.prod(shape, dtype=np.int64))
    array = np.frombuffer(data, dtype=found, count=count, offset=offset).reshape(shape)
    return array.astype(np.float64 if found.kind == "f" else np.int64)


def _prim(stage: Stage, described: Mapping[str, Any], parent: Prim | None, arrays: Sequence[Array]) -> Prim:
    linear, position = (parent.linear, parent.position) if parent is not None else (stage.rotation, np.zeros(3))
    if described.get("resets_transform"):
        linear, position = stage.rotation, np.zeros(3)
    if "matrix" in described:
        matrix = np.array(described["matrix"], dtype=float).T
        if np.isfinite(matrix).all():
            position = position + stage.length * (linear @ matrix[:3, 3])
            linear = linear @ matrix[:3, :3]
        else:
            stage.add(rules.INVALID_VALUE, f"the transform of {described['path']} is not finite: it is ignored")
    attributes = {
        name: arrays[value["array"]] if isinstance(value, dict) else value for name, value in described["attributes"].items()
    }
    return Prim(
        path=described["path"],
        name=described["label"],
        type=described["type"],
        apis=tuple(described["apis"]),
        parent=parent,
        attributes=attributes,
        relationships=described["relationships"],
        linear=linear,
        position=position,
        facts=described,
        stage=stage,
    )


def _report_prims(stage: Stage) -> None:
    animated = [(prim.path, name) for prim in stage.prims.values() for name in prim.facts["animated"]]
    if animated:
        path, name = animated[0]
        message = f"{len(animated)} attributes vary with time, such as '{name}' of {path}"
        stage.add(rules.ANIMATED_VALUE, message, hint="the default value is read, or the first sample if there is none")
    for prim in stage.prims.values():
        for name, selection in prim.facts["variants"].items():
            if not prim.facts["is_instance"]:
                stage.add(rules.VARIANT_SELECTION, f"of the variants '{name}' of {prim.path} '{selection}' is read")
