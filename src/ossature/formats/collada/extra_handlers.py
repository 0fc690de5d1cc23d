"""Readers and writers for one's own ``<extra>``.

A program that uses Ossature may register functions for types of extensions of its own. Nothing is registered by itself, and
nothing in a file can name what is called: an extension of a type without functions is carried along as it stands.

    import ossature.formats.collada as collada

    def read(extra: collada.Node, model: Model, report: Report) -> Model: ...
    def write(model: Model) -> collada.Node | None: ...

    with collada.registered("my_calibration", read=read, write=write):
        world = ossature.load("robot.dae")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from ossature.diagnostics import Report, Source
from ossature.formats.collada.read_context import FORMAT
from ossature.formats.collada.schema_openrave import EXTENSIONS
from ossature.model import Extension, Model
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

Read: TypeAlias = Callable[[XmlNode, Model, Report], Model]
"""Returns the model with what an extension of it says; findings go to the report. What it raises reaches the caller."""
Write: TypeAlias = Callable[[Model], XmlNode | None]
"""Returns the extension that a model is to carry in a file, or None for none."""


@dataclass(frozen=True, slots=True)
class _Handler:
    read: Read | None
    write: Write | None


_HANDLERS: dict[str, _Handler] = {}


def register_extra_handler(type_: str, *, read: Read | None = None, write: Write | None = None) -> None:
    """Have extensions of a type read and written by functions of one's own.

    Args:
        type_: The type, as ``<extra type="…">`` says it.
        read: Called for every extension of that type of every model; without it they are carried along.
        write: Called for every model that is written; without it nothing is added.

    Raises:
        ValueError: The type is read by Ossature itself, or registered already.
    """
    if type_ in EXTENSIONS:
        raise ValueError(f"'{type_}' is read by Ossature itself")
    if type_ in _HANDLERS:
        raise ValueError(f"'{type_}' is registered already")
    _HANDLERS[type_] = _Handler(read, write)


def unregister_extra(type_: str) -> None:
    """Forget the functions for extensions of a type.

    Raises:
        KeyError: There are none.
    """
    del _HANDLERS[type_]


@contextmanager
def registered(type_: str, *, read: Read | None = None, write: Write | None = None) -> Iterator[None]:
    """Have extensions of a type read and written by functions of one's own for a while; see :func:`register_extra_handler`."""
    register_extra_handler(type_, read=read, write=write)
    try:
        yield
    finally:
        unregister_extra(type_)


def with_registered_extras(model: Model, report: Report) -> Model:
    """Return a model with what the registered functions read in the extensions that it carries."""
    for extension in model.extensions if _HANDLERS else ():
        handler = _HANDLERS.get(type_of(extension) or "")
        node = _parsed(extension) if handler is not None and handler.read is not None else None
        if handler is None or handler.read is None or node is None:
            continue
        rest = tuple([other for other in model.extensions if other is not extension])
        model = handler.read(node, replace(model, extensions=rest), report)
    return model


def registered_nodes(model: Model) -> list[XmlNode]:
    """Return the extensions that the registered functions add to a model's file."""
    written = [handler.write(model) for handler in _HANDLERS.values() if handler.write is not None]
    return [node for node in written if node is not None]


def type_of(extension: Extension) -> str | None:
    """Return the type of a carried ``<extra>``, or None for an extension of another kind."""
    kind, _, type_ = extension.key.partition(" ")
    return type_ if extension.format == FORMAT and kind == "extra" else None


def _parsed(extension: Extension) -> XmlNode | None:
    return xml.parse(Source("<extra>", extension.value.encode()), Report())
