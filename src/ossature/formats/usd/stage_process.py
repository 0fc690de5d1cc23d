"""What the process does that opens a stage: it composes copies of layers and describes their prims as plain data.

The library for OpenUSD is written in C++, and files are not trusted: it runs in a process of its own, whose time and memory are
limited. It opens nothing but copies of files that the other process has found in the folders that were given.
Both processes send messages: the length of a text in JSON, the length of the bytes after it, and both.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

LENGTHS = struct.Struct("<QQ")
"""The lengths of the text and of the bytes of a message."""
SENT_PRIMVARS = ("primvars:displayColor", "primvars:displayOpacity", "primvars:displayColor:indices")
UNSENT_PREFIXES = ("primvars:", "xformOp", "xformOpOrder", "ui:", "outputs:", "omni:", "semantic")
"""Prefixes of attributes that are never used, apart from the above."""
UNSENT = frozenset(
    (
        "extent",
        "extentsHint",
        "normals",
        "velocities",
        "accelerations",
        "visibility",
        "purpose",
        "creaseIndices",
        "creaseLengths",
    )
)
_INLINE = 16
"""Arrays up to this length are sent in the text."""


def prepare() -> None:
    """Import the library, whose settings are in the environment."""
    os.environ["PXR_WORK_THREAD_LIMIT"] = "1"
    for variable in ("PXR_AR_DEFAULT_SEARCH_PATH", "PXR_PLUGINPATH_NAME"):
        os.environ.pop(variable, None)
    import numpy  # noqa: F401
    from pxr import Sdf, Usd, UsdGeom, UsdPhysics, UsdShade  # noqa: F401


def run() -> None:
    """Answer one request of the other process, which :mod:`ossature.formats.usd.open_stage` sends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints is no message
    channel = _Channel(sys.stdin.buffer, output)
    request, data = channel.receive()
    try:
        header, arrays = _Description(channel, request, Path(os.path.realpath(request["folder"]))).describe(data)
    except _RefusedError as refusal:
        header, arrays = refusal.args[0], b""
    except MemoryError:
        header, arrays = {"out_of_memory": True}, b""
    channel.send(header, arrays)
    os._exit(0)  # without the destructors of the library, which take time and may fail


class _RefusedError(Exception):
    """The file cannot be described; its argument is the answer."""


class _Channel:
    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink

    def receive(self) -> tuple[dict[str, Any], bytes]:
        text, rest = LENGTHS.unpack(self._source.read(LENGTHS.size))
        return json.loads(self._source.read(text)), self._source.read(rest)

    def send(self, message: dict[str, Any], data: bytes = b"") -> None:
        text = json.dumps(message).encode()
        self._sink.write(LENGTHS.pack(len(text), len(data)) + text + data)
        self._sink.flush()


class _Description:
    """The description of the stage of a file."""

    def __init__(self, channel: _Channel, request: dict[str, Any], folder: Path) -> None:
        self._channel, self._folder = channel, folder
        self._name: str = request["name"]
        self._most_prims: int = request["prims"]
        self._most_depth: int = request["depth"]
        self._copies: dict[str, str] = {}
        self._arrays: list[bytes] = []
        self._array_numbers: dict[tuple[str, bytes], int] = {}
        self._array_table: list[tuple[str, list[int], int]] = []
        self._array_bytes = 0
        self._removed_clips: list[str] = []
        self._layers: list[Any] = []  # a layer without references to it would be opened again, with the paths of the file

    def describe(self, data: bytes) -> tuple[dict[str, Any], bytes]:
        from pxr import Sdf, Tf, Usd, UsdGeom, UsdPhysics

        root = self._copy(self._name, data)
        try:
            layer = self._open(root)
            units = self._close_over_dependencies(Sdf, layer)
            stage = Usd.Stage.Open(layer, Usd.Stage.LoadAll)
            self._require_copies(stage)
        except Tf.ErrorException as error:
            raise _RefusedError({"error": self._with_names(_first_message(error))}) from error
        default = stage.GetDefaultPrim()
        header = {
            "meters_per_unit": UsdGeom.GetStageMetersPerUnit(stage),
            "states_meters": bool(UsdGeom.StageHasAuthoredMetersPerUnit(stage)),
            "kilograms_per_unit": UsdPhysics.GetStageKilogramsPerUnit(stage),
            "up_axis": str(UsdGeom.GetStageUpAxis(stage)),
            "default_prim": str(default.GetPath()) if default else None,
            "layer_units": units,
            "removed_clips": self._removed_clips,
            "problems": [self._with_names(str(error)) for error in _composition_errors(stage)],
            "prims": self._prims(stage),
            "arrays": self._array_table,
        }
        return header, b"".join(self._arrays)

    # Layers

    def _copy(self, name: str, data: bytes) -> str:
        folder = self._folder / str(len(self._copies))
        folder.mkdir()
        suffix = ".usdc" if data.startswith(b"PXR-USDC") else ".usda"
        path = folder / f"layer{suffix}"
        path.write_bytes(data)
        self._copies[name] = str(path)
        return str(path)

    def _open(self, path: str) -> Any:
        from pxr import Sdf

        layer = Sdf.Layer.FindOrOpen(path)
        if layer is None:
            raise _RefusedError({"error": "the library for OpenUSD cannot open it"})
        self._layers.append(layer)
        return layer

    def _close_over_dependencies(self, sdf: Any, root: Any) -> list[tuple[str, float, float, str]]:
        """Replace the files that layers name by their copies, and return the units that layers state."""
        from pxr import Tf

        opened, waiting, units = {self._name}, [(self._name, root)], []
        while waiting:
            name, layer = waiting.pop()
            self._remove_clips(sdf, name, layer)
            units.append((name, *_units_of(layer)))
            for asset in list(layer.GetCompositionAssetDependencies()):
                found = self._find(name, asset) if asset else None
                if found is not None and found not in opened:
                    opened.add(found)
                    try:
                        waiting.append((found, self._open(self._copies[found])))
                    except (Tf.ErrorException, _RefusedError) as error:
                        message = error.args[0]["error"] if isinstance(error, _RefusedError) else _first_message(error)
                        self._channel.send({"unreadable": found, "by": name, "reason": self._with_names(message)})
                        self._channel.receive()
                        del self._copies[found]
                        found = None
                if asset:
                    layer.UpdateCompositionAssetDependency(asset, self._copies.get(found, "") if found else "")
        return units

    def _require_copies(self, stage: Any) -> None:
        """Refuse a stage that has opened any file but the copies; none is known that does."""
        for layer in stage.GetUsedLayers():
            if not layer.anonymous and not Path(layer.realPath).is_relative_to(self._folder):
                raise _RefusedError({"error": "the stage opens a file that it does not name as a layer"})

    def _find(self, layer: str, asset: str) -> str | None:
        """Return the name of the file that a layer names, of which there is a copy now, or None if it may not be opened."""
        self._channel.send({"layer": layer, "asset": asset})
        answer, data = self._channel.receive()
        name: str | None = answer["name"]
        if name is not None and name not in self._copies and answer["is_new"]:
            self._copy(name, data)
        return name if name in self._copies else None

    def _remove_clips(self, sdf: Any, name: str, layer: Any) -> None:
        """Remove value clips, whose files would be opened when values are read."""
        found: list[Any] = []

        def visit(path: Any) -> None:
            if path.IsPrimPath() or path.IsPrimVariantSelectionPath():
                spec = layer.GetPrimAtPath(path)
                if spec is not None and spec.HasInfo("clips"):
                    found.append(spec)

        layer.Traverse(sdf.Path.absoluteRootPath, visit)
        for spec in found:
            spec.ClearInfo("clips")
            self._removed_clips.append(f"{spec.path} of {name}")

    def _with_names(self, text: str) -> str:
        """Return a message with the names of files instead of those of their copies."""
        for name, copy in self._copies.items():
            text = text.replace(copy, name)
        return text

    # Prims

    def _prims(self, stage: Any) -> list[dict[str, Any]]:
        from pxr import Usd

        numbers: dict[str, int] = {}
        described: list[dict[str, Any]] = []
        inherited: list[_Inherited] = []
        for prim in stage.Traverse(Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)):
            if len(described) >= self._most_prims:
                raise _RefusedError({"too_many_prims": True})
            if prim.GetPath().pathElementCount > self._most_depth:  # the lengths of all paths grow with its square
                raise _RefusedError({"too_deep": True})
            numbers[str(prim.GetPath())] = len(described)
            parent = numbers.get(str(prim.GetParent().GetPath()), -1)
            inherited.append(_inherited(prim, inherited[parent] if parent >= 0 else _Inherited()))
            described.append(self._prim(prim, parent, inherited[-1]))
        return described

    def _prim(self, prim: Any, parent: int, inherited: _Inherited) -> dict[str, Any]:
        from pxr import UsdGeom, UsdPhysics

        animated: list[str] = []
        schemas = prim.GetMetadata("apiSchemas")
        described: dict[str, Any] = {
            "path": str(prim.GetPath()),
            "parent": parent,
            "type": str(prim.GetTypeName()),
            "label": prim.GetDisplayName() or prim.GetName(),
            "apis": [str(name) for name in schemas.ApplyOperations([])] if schemas is not None else [],
            "attributes": dict(self._attributes(prim, animated)),
            "relationships": {
                str(relation.GetName()): [str(path) for path in relation.GetTargets()]
                for relation in prim.GetAuthoredRelationships()
            },
            "variants": {name: prim.GetVariantSets().GetVariantSelection(name) for name in prim.GetVariantSets().GetNames()},
            "is_instance": prim.IsInstanceProxy(),
            "kind": str(prim.GetMetadata("kind") or ""),
        }
        if prim.IsA(UsdGeom.Xformable):
            described |= _transform(UsdGeom.Xformable(prim), animated)
        if prim.IsA(UsdGeom.Imageable):
            described["purpose"] = inherited.purpose or str(UsdGeom.Imageable(prim).GetPurposeAttr().Get())
            described["is_visible"] = inherited.is_visible
        if prim.IsA(UsdGeom.Gprim) or described["type"] == "GeomSubset" or prim.HasAPI(UsdPhysics.CollisionAPI):
            described |= _materials(prim)
        if prim.IsA(UsdPhysics.CollisionGroup):
            described["members"] = _members(prim)
        if described["type"] == "Material":
            described["surface"] = self._surface(prim)
        described["animated"] = animated
        return described

    def _attributes(self, prim: Any, animated: list[str]) -> Iterator[tuple[str, Any]]:
        for attribute in prim.GetAuthoredAttributes():
            name = str(attribute.GetName())
            if (name.startswith(UNSENT_PREFIXES) or name in UNSENT) and name not in SENT_PRIMVARS:
                continue
            yield name, self._plain(_value_of(attribute, animated))

    def _plain(self, value: Any) -> Any:
        import numpy as np
        from pxr import Gf, Sdf

        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value
        if isinstance(value, Sdf.AssetPath):
            return value.path
        if isinstance(value, Gf.Quatf | Gf.Quatd | Gf.Quath):
            precision = {Gf.Quatd: np.float64, Gf.Quatf: np.float32, Gf.Quath: np.float16}[type(value)]
            return _shortest(np.array([value.GetReal(), *value.GetImaginary()], dtype=precision))
        if hasattr(value, "__len__"):
            array = np.array(value)
            if array.dtype.kind in "fiub":
                if array.size <= _INLINE:
                    return _shortest(array)
                return {"array": self._array(array)}
            return [str(item) for item in list(value)]
        return str(value)

    def _array(self, array: Any) -> int:
        data = array.tobytes()
        key = (f"{array.dtype.str}{array.shape}", data)
        if key not in self._array_numbers:
            self._array_numbers[key] = len(self._array_table)
            self._array_table.append((array.dtype.str, list(array.shape), self._array_bytes))
            self._arrays.append(data)
            self._array_bytes += len(data)
        return self._array_numbers[key]

    def _surface(self, prim: Any) -> dict[str, Any] | None:
        """Return the inputs of the preview surface of a material."""
        from pxr import UsdShade

        source = UsdShade.Material(prim).ComputeSurfaceSource()
        shader = source[0] if isinstance(source, tuple) else source
        if not shader or shader.GetIdAttr().Get() != "UsdPreviewSurface":
            return None
        surface: dict[str, Any] = {"shader": str(shader.GetPath()), "textures": []}
        for name in ("diffuseColor", "opacity", "metallic", "roughness"):
            port = shader.GetInput(name)
            for attribute in port.GetValueProducingAttributes() if port else ():
                if UsdShade.Utils.GetType(attribute.GetName()) == UsdShade.AttributeType.Input:
                    surface[name] = self._plain(_decimal(attribute.Get(), str(attribute.GetTypeName())))
                else:
                    surface["textures"].append(name)
        return surface


@dataclass(frozen=True, slots=True)
class _Inherited:
    """What prims have of their ancestors; the library would visit all of them for each prim.

    Attributes:
        purpose: The purpose that a prim or the nearest ancestor states, or None.
        is_visible: Whether neither the prim nor an ancestor is invisible.
    """

    purpose: str | None = None
    is_visible: bool = True


def _inherited(prim: Any, parent: _Inherited) -> _Inherited:
    from pxr import UsdGeom

    if not prim.IsA(UsdGeom.Imageable):
        return parent
    imageable = UsdGeom.Imageable(prim)
    purpose = imageable.GetPurposeAttr()
    is_visible = parent.is_visible and imageable.GetVisibilityAttr().Get() != UsdGeom.Tokens.invisible
    return _Inherited(str(purpose.Get()) if purpose.HasAuthoredValue() else parent.purpose, is_visible)


def _units_of(layer: Any) -> tuple[float, float, str]:
    root = layer.pseudoRoot
    values = [root.GetInfo(name) if root.HasInfo(name) else 0.0 for name in ("metersPerUnit", "kilogramsPerUnit")]
    return values[0], values[1], str(root.GetInfo("upAxis")) if root.HasInfo("upAxis") else ""


def _composition_errors(stage: Any) -> list[Any]:
    return list(stage.GetCompositionErrors()) if hasattr(stage, "GetCompositionErrors") else []


def _first_message(error: Any) -> str:
    found = [_commentary(part) for part in error.args[:1]]
    message = (found or ["the library for OpenUSD cannot open it"])[0].strip().splitlines()[0]
    # Names of classes of the library's parser are of no use to people.
    message = re.sub(r"parse error matching .*?(?= at ')", "unexpected text", message).replace("text at ''", "end of the line")
    return re.sub(r"(?<= at ')(.{60}).+(?=')", r"\1…", message)[:500]


def _commentary(part: Any) -> str:
    try:
        return str(getattr(part, "commentary", part))
    except UnicodeDecodeError as error:  # the message quotes a file that is not UTF-8
        return bytes(error.object).decode(errors="replace")


def _value_of(attribute: Any, animated: list[str]) -> Any:
    """Return the default value of an attribute, or its first time sample if it has no default value."""
    from pxr import Usd

    value = attribute.Get(Usd.TimeCode.Default())
    if attribute.GetNumTimeSamples():
        animated.append(str(attribute.GetName()))
        if not attribute.HasAuthoredValue() or value is None or not _has_default(attribute):
            value = attribute.Get(Usd.TimeCode.EarliestTime())
    return _decimal(value, str(attribute.GetTypeName()))


def _has_default(attribute: Any) -> bool:
    return any(spec.HasDefaultValue() for spec in attribute.GetPropertyStack())


def _decimal(value: Any, type_name: str) -> Any:
    """Return a number with 32 bits as the shortest decimal number that it is nearest to, as a file states it."""
    if isinstance(value, float) and type_name in ("float", "half") and math.isfinite(value):
        import numpy as np

        return float(str(np.float32(value) if type_name == "float" else np.float16(value)))
    return value


def _shortest(array: Any) -> Any:
    """Return the numbers of an array as lists, those with 32 bits as the shortest decimal numbers."""
    if array.dtype.kind == "f" and array.dtype.itemsize < 8 and array.ndim:
        return [_shortest(row) for row in array]
    return float(str(array)) if array.dtype.kind == "f" and not array.ndim else array.tolist()


def _transform(xformable: Any, animated: list[str]) -> dict[str, Any]:
    from pxr import Usd

    operations = xformable.GetOrderedXformOps()
    moving = [operation.GetAttr() for operation in operations if operation.GetNumTimeSamples()]
    animated += [str(attribute.GetName()) for attribute in moving]
    needs_sample = any(not _has_default(attribute) for attribute in moving)
    time = Usd.TimeCode.EarliestTime() if needs_sample else Usd.TimeCode.Default()
    matrix = xformable.GetLocalTransformation(time)
    if isinstance(matrix, tuple):
        matrix = matrix[0]
    return {"matrix": [list(row) for row in matrix], "resets_transform": bool(xformable.GetResetXformStack())}


def _materials(prim: Any) -> dict[str, Any]:
    from pxr import UsdShade

    binding = UsdShade.MaterialBindingAPI(prim)
    bound: dict[str, Any] = {}
    for key, purpose in (("material", UsdShade.Tokens.allPurpose), ("physics_material", "physics")):
        found = binding.ComputeBoundMaterial(purpose)
        material = found[0] if isinstance(found, tuple) else found
        bound[key] = str(material.GetPath()) if material else None
    return bound


def _members(prim: Any) -> list[str]:
    from pxr import Usd, UsdPhysics

    query = UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI().ComputeMembershipQuery()
    return [str(path) for path in Usd.CollectionAPI.ComputeIncludedPaths(query, prim.GetStage())]
