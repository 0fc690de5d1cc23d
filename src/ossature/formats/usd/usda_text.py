"""Text of OpenUSD layers: prims with their metadata, properties and children."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import orjson

from ossature.array_types import Array, Int64Array
from ossature.spatial import IDENTITY, IDENTITY_WXYZ, ZERO3, Pose, Vector3, norm

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}

_SMALL_ROTATION = 1e-3
"""Length of the vector of a quaternion below which OpenUSD loses digits, because it computes the angle from the scalar."""


def quoted(text: str) -> str:
    """Return a text between quotation marks."""
    return '"' + "".join([_ESCAPES.get(mark) or (mark if mark.isprintable() else _coded(mark)) for mark in text]) + '"'


def _coded(mark: str) -> str:
    """Return a character that cannot be printed as its bytes."""
    return "".join([f"\\x{byte:02x}" for byte in mark.encode("utf-8", "replace")])


def number(value: float) -> str:
    """Return the shortest text that is a number with 64 bits."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return "-0" if value == 0.0 and math.copysign(1.0, value) < 0.0 else str(int(value))
    return repr(value)


def single(value: float) -> str:
    """Return the shortest text that is a number with 32 bits, which is the nearest one."""
    with np.errstate(over="ignore"):
        return number(float(str(np.float32(value))) + 0.0)  # without a sign of zero


def numbers(values: Iterable[float]) -> str:
    """Return an array of numbers with 64 bits."""
    return f"[{', '.join(map(number, values))}]"


def point(values: Iterable[float]) -> str:
    """Return several numbers with 64 bits as one value."""
    return f"({', '.join(map(number, values))})"


def point_array(rows: Array) -> str:
    """Return an array of points with 32 bits."""
    with np.errstate(over="ignore"):
        singles = np.ascontiguousarray(rows, dtype=np.float32) + np.float32(0.0)  # without signs of zero
    if not len(singles):
        return "[]"
    if not np.isfinite(singles).all():
        texts = [", ".join(map(number, row)) for row in singles.astype(str).astype(float).tolist()]
        return f"[{', '.join([f'({text})' for text in texts])}]"
    # A mesh can have millions of numbers, and JSON has the shortest text of each; it has no infinite ones.
    text = orjson.dumps(singles, option=orjson.OPT_SERIALIZE_NUMPY).replace(b".0,", b",").replace(b".0]", b"]")
    return f"[({text[2:-2].replace(b'],[', b')|(').replace(b',', b', ').replace(b'|', b', ').decode()})]"


def integers(values: Int64Array) -> str:
    """Return an array of integers."""
    numbers = np.ascontiguousarray(values.ravel(), dtype=np.int64)
    return orjson.dumps(numbers, option=orjson.OPT_SERIALIZE_NUMPY).replace(b",", b", ").decode()


@dataclass(slots=True)
class UsdPrim:
    """A prim that is written.

    Attributes:
        type: Its type, such as ``Xform``.
        name: Its name, a valid one.
        path: Its path.
        label: Its name for people, if that is another one.
        kind: Its kind, or None.
        apis: The schemas that are applied to it.
        reference: The path of a prim of the same file whose content it has, or None.
        is_class: Whether it is only there for references.
        properties: Lines of its properties.
        children: The prims in it.
    """

    type: str
    name: str
    path: str
    label: str | None = None
    kind: str | None = None
    apis: list[str] = field(default_factory=list)
    reference: str | None = None
    is_class: bool = False
    properties: list[str] = field(default_factory=list)
    children: list[UsdPrim] = field(default_factory=list)

    def add(self, kind: str, name: str, value: str) -> None:
        """Add an attribute with its type, such as ``uniform token``, and the text of its value."""
        self.properties.append(f"{kind} {name} = {value}")

    def relate(self, name: str, targets: Sequence[str]) -> None:
        """Add a relationship to the prims with some paths."""
        paths = ", ".join([f"<{target}>" for target in targets])
        self.properties.append(f"rel {name} = {paths if len(targets) == 1 else f'[{paths}]'}")

    def apply(self, *apis: str) -> None:
        """Apply schemas, each once."""
        self.apis += [api for api in apis if api not in self.apis]

    def child(self, kind: str, name: str, label: str | None = None) -> UsdPrim:
        """Add a prim in it, and return it."""
        prim = UsdPrim(kind, name, f"{self.path}/{name}", label)
        self.children.append(prim)
        return prim

    def place(self, pose: Pose, scale: Vector3 = (1.0, 1.0, 1.0)) -> None:
        """State its transform in the prim that contains it."""
        operations = []
        if 0.0 < norm(pose.wxyz[1:]) < _SMALL_ROTATION:
            operations.append("transform")
            rows = pose.matrix().T.tolist()
            self.add("matrix4d", "xformOp:transform", f"( {', '.join([point(row) for row in rows])} )")
            pose = IDENTITY
        if pose.position != ZERO3:
            operations.append("translate")
            self.add("double3", "xformOp:translate", point(pose.position))
        if pose.wxyz != IDENTITY_WXYZ:
            operations.append("orient")
            self.add("quatd", "xformOp:orient", point(pose.wxyz))
        if scale != (1.0, 1.0, 1.0):
            operations.append("scale")
            self.add("double3", "xformOp:scale", point(scale))
        if operations:
            names = ", ".join([f'"xformOp:{operation}"' for operation in operations])
            self.add("uniform token[]", "xformOpOrder", f"[{names}]")

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yield its lines."""
        indent = "    " * depth
        metadata = list(self._metadata())
        head = f'{indent}{"class" if self.is_class else "def"} {self.type} "{self.name}"'
        if metadata:
            yield f"{head} ("
            yield from (f"{indent}    {line}" for line in metadata)
            yield f"{indent})"
        else:
            yield head
        yield f"{indent}{{"
        yield from (f"{indent}    {line}" for line in self.properties)
        for number_of_child, prim in enumerate(self.children):
            if self.properties or number_of_child:
                yield ""
            yield from prim.lines(depth + 1)
        yield f"{indent}}}"

    def _metadata(self) -> Iterator[str]:
        if self.apis:
            yield f"prepend apiSchemas = [{', '.join([quoted(api) for api in self.apis])}]"
        if self.label is not None:
            yield f"displayName = {quoted(self.label)}"
        if self.kind is not None:
            yield f'kind = "{self.kind}"'
        if self.reference is not None:
            yield f"prepend references = <{self.reference}>"


def layer_text(prims: Sequence[UsdPrim], default: str) -> str:
    """Return the text of a layer in metres and kilograms with z up.

    Args:
        prims: Its top-level prims.
        default: The name of that to which other layers refer.
    """
    header = (
        f'#usda 1.0\n(\n    defaultPrim = "{default}"\n    kilogramsPerUnit = 1\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
    )
    return header + "".join(["\n" + "".join([f"{line}\n" for line in prim.lines()]) for prim in prims])
