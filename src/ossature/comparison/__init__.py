"""Differences between two Worlds, independent of the formats they were read from."""

from __future__ import annotations

import dataclasses
import math
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ossature.argument_types import require_not_negative, typed_arguments
from ossature.assets import AssetError
from ossature.model import LazyMesh, MeshData, NamedList, World, require_world
from ossature.model.element_fields import PLAIN_TYPES, compared_fields, join_path
from ossature.model.value_text import value_text
from ossature.spatial import Matrix3, Pose


class Absent:
    """Value of an element that a World does not have."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = Absent()
_LONGEST_VALUE = 100
_SMALLEST_SCALE = 1e-6
"""Largest entry of tensors relative to which differences are rounding errors, if those of both are smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference.

    Attributes:
        path: Model, element and field (``arm/elbow.coordinates[0].damping``).
        a: The value in the first World; :data:`ABSENT` if it has no such element.
        b: The value in the second World, or :data:`ABSENT`.
    """

    path: str
    a: Any
    b: Any

    def __str__(self) -> str:
        distance = _max_vertex_distance(self.a, self.b)
        return f"{self.path}: {_value_text(self.a)} → {_value_text(self.b)}{distance}"


@typed_arguments
def compare(a: Any, b: Any, *, tolerance: float = 0.0) -> list[Difference]:
    """Return the differences between two Worlds, or two elements of the same type.

    Elements with names are matched by name (of several with one name, the first with the first), all others by index.
    Fields that take no part in equality, such as the location in a file, are ignored. NaN equals NaN.

    Args:
        a: The first one.
        b: The second one.
        tolerance: Largest absolute difference of numbers, or relative to the larger one; for tensors relative to the
            largest entry. With a tolerance above zero a quaternion equals its negative.

    Raises:
        TypeError: One is a World or a path, and the other or both are no World.
        ValueError: The tolerance is negative or not finite.
    """
    require_not_negative("tolerance", tolerance)
    if any(isinstance(one, World | str | os.PathLike) for one in (a, b)):
        require_world(a)
        require_world(b)
    return list(_differences("", a, b, tolerance))


def _differences(path: str, a: Any, b: Any, tolerance: float) -> Iterator[Difference]:
    if a is b:
        return
    if isinstance(a, NamedList) and isinstance(b, NamedList):
        yield from _named_differences(path, a, b, tolerance)
    elif type(a) is not type(b) and not (is_number(a) and is_number(b)):
        yield Difference(path=path, a=a, b=b)
    elif isinstance(a, Pose):
        yield from _pose_differences(path, a, b, tolerance)
    elif _is_tensor(a) and _is_tensor(b):
        if not _are_tensors_equal(a, b, tolerance):
            yield Difference(path=path, a=a, b=b)
    elif isinstance(a, LazyMesh):
        yield from _mesh_differences(path, _load_mesh(a), _load_mesh(b), tolerance)
    elif dataclasses.is_dataclass(a):
        for item in compared_fields(type(a)):
            left, right = getattr(a, item.name), getattr(b, item.name)
            if not _are_same(left, right):
                yield from _differences(join_path(path, item.name), left, right, tolerance)
    elif isinstance(a, tuple):
        yield from _tuple_differences(path, a, b, tolerance)
    elif not _are_equal(a, b, tolerance):
        yield Difference(path=path, a=a, b=b)


def _are_same(a: Any, b: Any) -> bool:
    """Whether two values are one, or plain values of one type that are equal, as most fields are."""
    return a is b or (type(a) is type(b) and type(a) in PLAIN_TYPES and bool(a == b))


def _named_differences(path: str, a: NamedList[Any], b: NamedList[Any], tolerance: float) -> Iterator[Difference]:
    parent = path.rpartition(".")[0]
    prefix = f"{parent}/" if parent else ""
    left, right = _by_name_and_occurrence(a), _by_name_and_occurrence(b)
    for key, element in left.items():
        if key in right:
            yield from _differences(prefix + element.name, element, right[key], tolerance)
        else:
            yield Difference(path=prefix + element.name, a=element, b=ABSENT)
    for key, element in right.items():
        if key not in left:
            yield Difference(path=prefix + element.name, a=ABSENT, b=element)
    order_a, order_b = [key for key in left if key in right], [key for key in right if key in left]
    if order_a != order_b:
        yield Difference(path=f"{path} (order)", a=_key_names(order_a), b=_key_names(order_b))


def _by_name_and_occurrence(elements: NamedList[Any]) -> dict[tuple[str, int], Any]:
    # Elements with the same name are distinguished by their number of predecessors with it.
    seen: Counter[str] = Counter()
    keyed: dict[tuple[str, int], Any] = {}
    for element in elements:
        keyed[element.name, seen[element.name]] = element
        seen[element.name] += 1
    return keyed


def _key_names(keys: list[tuple[str, int]]) -> tuple[str, ...]:
    return tuple([name for name, _ in keys])


def _pose_differences(path: str, a: Pose, b: Pose, tolerance: float) -> Iterator[Difference]:
    yield from _tuple_differences(join_path(path, "position"), a.position, b.position, tolerance)
    opposite = tuple(-component for component in b.wxyz)
    if not _are_all_equal(a.wxyz, b.wxyz, tolerance) and not (tolerance > 0.0 and _are_all_equal(a.wxyz, opposite, tolerance)):
        yield Difference(path=join_path(path, "wxyz"), a=a.wxyz, b=b.wxyz)


def _is_tensor(value: Any) -> bool:
    """Whether a value is a 3×3 matrix, such as an inertia tensor."""
    is_square = isinstance(value, tuple) and len(value) == 3 and all(isinstance(row, tuple) and len(row) == 3 for row in value)
    return is_square and all(is_number(entry) for row in value for entry in row)


def _are_tensors_equal(a: Matrix3, b: Matrix3, tolerance: float) -> bool:
    """Whether the entries differ by the tolerance relative to the largest one: rotations of a tensor mix all of them."""
    largest = np.nanmax(np.abs([a, b]), initial=_SMALLEST_SCALE)
    return bool(np.allclose(a, b, rtol=0.0, atol=tolerance * largest, equal_nan=True))


def _load_mesh(surface: LazyMesh) -> MeshData | str:
    try:
        return surface.triangles
    except AssetError as error:
        return str(error)


def _mesh_differences(path: str, a: MeshData | str, b: MeshData | str, tolerance: float) -> Iterator[Difference]:
    if isinstance(a, MeshData) and isinstance(b, MeshData):
        if a == b or (tolerance > 0.0 and np.array_equal(a.faces, b.faces) and _are_near(a, b, tolerance)):
            return
    elif a == b:
        return
    yield Difference(path=path, a=a, b=b)


def _are_near(a: MeshData, b: MeshData, tolerance: float) -> bool:
    if a.vertices.shape != b.vertices.shape:
        return False
    largest = np.maximum(np.abs(a.vertices), np.abs(b.vertices))
    return bool((np.abs(a.vertices - b.vertices) <= tolerance * np.maximum(largest, 1.0)).all())


def _max_vertex_distance(a: Any, b: Any) -> str:
    """Return the largest distance between the vertices of two meshes of equal size as text, otherwise an empty text."""
    if not (isinstance(a, MeshData) and isinstance(b, MeshData) and a.vertices.shape == b.vertices.shape):
        return ""
    farthest = np.linalg.norm(a.vertices - b.vertices, axis=1).max(initial=0.0)
    return f", up to {farthest:.3g} m apart"


def _tuple_differences(path: str, a: tuple[Any, ...], b: tuple[Any, ...], tolerance: float) -> Iterator[Difference]:
    if len(a) != len(b):
        yield Difference(path=path, a=a, b=b)
        return
    if all(map(is_number, a)):
        if not _are_all_equal(a, b, tolerance):
            yield Difference(path=path, a=a, b=b)
        return
    for index, (left, right) in enumerate(zip(a, b, strict=True)):
        yield from _differences(f"{path}[{index}]", left, right, tolerance)


def _are_all_equal(a: tuple[Any, ...], b: tuple[Any, ...], tolerance: float) -> bool:
    return all(_are_equal(left, right, tolerance) for left, right in zip(a, b, strict=True))


def is_number(value: Any) -> bool:
    """Whether a value is a number; a Boolean value is none."""
    return isinstance(value, float | int) and not isinstance(value, bool)


def _are_equal(a: Any, b: Any, tolerance: float) -> bool:
    if is_number(a) and is_number(b):
        if math.isnan(a) and math.isnan(b):
            return True
        return bool(a == b) or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
    return bool(a == b)


def _value_text(value: Any) -> str:
    return value_text(value, longest=_LONGEST_VALUE)
