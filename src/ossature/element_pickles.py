"""Pickles of elements of models and findings, which cannot do anything but make those.

Such a pickle names only functions of this module that are in a table. They make elements of the classes of models and findings,
members of enumerations, arrays of numbers, and paths. So a pickle that another program wrote or changed executes no code.
Elements are made without their constructors, because their values were valid when they were written.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from ossature.array_types import AnyArray
from ossature.assets.file_access_log import content_digest
from ossature.diagnostics import Source
from ossature.garbage_collection import collector_paused
from ossature.instance_maker import attribute_names, instance_maker
from ossature.model import LazyMesh, MeshData, NamedList
from ossature.model.joint import UNBOUNDED, UNCONSTRAINED_COORDINATE
from ossature.model.named_list import NO_ELEMENTS
from ossature.spatial import IDENTITY

_PACKAGES = ("ossature.model.", "ossature.diagnostics.", "ossature.spatial")
"""Modules whose classes are elements; to import one has no other effect."""


def dump(value: Any, digests: Mapping[str, str]) -> tuple[bytes, list[str]]:
    """Return the pickle of elements, and the names of the files whose contents are left out.

    Args:
        digests: Digests of the contents of files that will be there when the pickle is loaded, by name.

    Raises:
        PicklingError: There is a value of another type.
        OssatureError: A mesh that is read on demand cannot be read.
        RecursionError: Elements are nested too deeply.
    """
    stream = io.BytesIO()
    pickler = _ElementPickler(stream, digests)
    pickler.dump(value)
    return stream.getvalue(), pickler.left_out


def load(content: bytes, contents: Mapping[str, bytes]) -> Any:
    """Return the elements of a pickle.

    Args:
        contents: The contents of files that were left out, by name.

    Raises:
        UnpicklingError: The pickle names anything else than the functions of this module.
        Exception: It was not written here, or is damaged.
    """
    with collector_paused():
        return _ElementUnpickler(io.BytesIO(content), contents).load()


class _ContentOfFile:
    """The content of a file, which is no part of a pickle."""

    def __init__(self, name: str) -> None:
        self.name = name


class _ElementPickler(pickle.Pickler):
    """Writes elements as calls of the functions below."""

    def __init__(self, stream: io.BytesIO, digests: Mapping[str, str]) -> None:
        super().__init__(stream, protocol=5)
        self.left_out: list[str] = []
        self._digests = digests
        self._makers: dict[type, Callable[..., Any]] = {}
        self._classes: dict[Callable[..., Any], type] = {}

    def reducer_override(self, value: Any) -> Any:
        """Return the function that makes a value when it is loaded, and its arguments."""
        if id(value) in _CONSTANT_NAMES:
            return constant, (_CONSTANT_NAMES[id(value)],)
        kind = type(value)
        maker = self._makers.get(kind)
        if maker is None and _is_element_class(kind):
            maker = self._makers[kind] = instance_maker(kind)
            self._classes[maker] = kind
        if maker is not None:
            return maker, self._values_of_source(value) if kind is Source else _values(value)
        if callable(value):
            return self._reduce_function(value)
        reduce = _REDUCTIONS.get(Enum if isinstance(value, Enum) else PurePath if isinstance(value, PurePath) else kind)
        if reduce is None and (kind.__module__, kind.__name__) == ("numpy", "ndarray"):  # without importing it
            reduce = _reduce_array
        if reduce is None:
            raise pickle.PicklingError(f"a {kind.__name__} is no element of a model")
        return reduce(value)

    def _values_of_source(self, source: Source) -> tuple[Any, ...]:
        values = _values(source)
        if self._digests.get(source.name) != content_digest(source.data):
            return values
        self.left_out.append(source.name)
        return tuple([_ContentOfFile(source.name) if value is source.data else value for value in values])

    def _reduce_function(self, function: Callable[..., Any]) -> Any:
        kind = self._classes.get(function)
        if kind is not None:
            return element_maker, (kind.__module__, kind.__name__)
        if function not in _FUNCTIONS.values():
            raise pickle.PicklingError("functions are no elements of a model")
        return NotImplemented  # by its name


def _values(element: Any) -> tuple[Any, ...]:
    return tuple([getattr(element, name) for name in attribute_names(type(element))])


def _is_element_class(kind: type) -> bool:
    is_composed = is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    return is_composed and kind.__module__.startswith(_PACKAGES)


class _ElementUnpickler(pickle.Unpickler):
    """Calls the functions below, and nothing else."""

    def __init__(self, stream: io.BytesIO, contents: Mapping[str, bytes]) -> None:
        super().__init__(stream)
        self._contents = contents

    def find_class(self, module_name: str, global_name: str) -> Any:
        if module_name != __name__ or global_name not in _FUNCTIONS:
            raise pickle.UnpicklingError(f"{module_name}.{global_name} makes no elements of a model")
        return self._contents.__getitem__ if global_name == "content_of_file" else _FUNCTIONS[global_name]


def element_maker(module_name: str, class_name: str) -> Callable[..., Any]:
    """Return the function that makes elements of a class from their values."""
    known = _MAKERS.get((module_name, class_name))
    return known or _MAKERS.setdefault((module_name, class_name), instance_maker(_find_class(module_name, class_name)))


_MAKERS: dict[tuple[str, str], Callable[..., Any]] = {}


def _find_class(module_name: str, class_name: str) -> type:
    # A module also has the classes and functions that it imports.
    kind = getattr(import_module(module_name), class_name) if module_name.startswith(_PACKAGES) else None
    if not isinstance(kind, type) or kind.__module__ != module_name or not (_is_element_class(kind) or issubclass(kind, Enum)):
        raise pickle.UnpicklingError(f"{module_name}.{class_name} is no class of elements")
    return kind


def member(module_name: str, class_name: str, name: str) -> Enum:
    """Return a member of an enumeration."""
    known = _MEMBERS.get((module_name, class_name, name))
    return known or _MEMBERS.setdefault((module_name, class_name, name), _find_member(module_name, class_name, name))


_MEMBERS: dict[tuple[str, str, str], Enum] = {}


def _find_member(module_name: str, class_name: str, name: str) -> Enum:
    kind = _find_class(module_name, class_name)
    if not issubclass(kind, Enum):
        raise pickle.UnpicklingError(f"{module_name}.{class_name} is no enumeration")
    return kind[name]


def constant(name: str) -> Any:
    """Return an element that is compared by identity."""
    return _CONSTANTS[name]


_CONSTANTS = {
    "IDENTITY": IDENTITY,
    "UNBOUNDED": UNBOUNDED,
    "UNCONSTRAINED_COORDINATE": UNCONSTRAINED_COORDINATE,
    "NO_ELEMENTS": NO_ELEMENTS,
}
_CONSTANT_NAMES = {id(value): name for name, value in _CONSTANTS.items()}


def named_list(items: tuple[Any, ...]) -> NamedList[Any]:
    """Return a list of elements with names."""
    return NamedList(items)


def lazy_mesh(triangles: MeshData) -> LazyMesh:
    """Return a mesh that is there."""
    return LazyMesh(triangles)


def array(type_text: str, shape: tuple[int, ...], content: bytearray) -> AnyArray:
    """Return an array of numbers."""
    import numpy as np  # takes as long as all other modules together, and few models have arrays

    return np.frombuffer(content, dtype=type_text).reshape(shape)


def _reduce_array(value: AnyArray) -> Any:
    if value.dtype.kind not in "biuf":
        raise pickle.PicklingError("an array of a model contains numbers")
    return array, (value.dtype.str, value.shape, bytearray(value.tobytes()))


def path(text: str) -> Path:
    """Return a path."""
    return Path(text)


def content_of_file(name: str) -> bytes:
    """Return the content of a file; the reader of a pickle, which knows it, replaces this function."""
    raise KeyError(name)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (element_maker, member, constant, named_list, lazy_mesh, array, path, content_of_file)
}
"""The functions that pickles of elements may call, by name."""
_REDUCTIONS: dict[type, Callable[[Any], Any]] = {
    Enum: lambda value: (member, (type(value).__module__, type(value).__name__, value.name)),
    NamedList: lambda value: (named_list, (tuple(value),)),
    LazyMesh: lambda value: (lazy_mesh, (value.triangles,)),
    PurePath: lambda value: (path, (str(value),)),
    _ContentOfFile: lambda value: (content_of_file, (value.name,)),
}
