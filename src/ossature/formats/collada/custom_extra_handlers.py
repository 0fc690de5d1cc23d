"""User-defined readers and writers of ``<extra>``.

A program that uses Ossature can register functions for its own types of extensions. Nothing is registered by default, and a
file cannot choose the functions that are called. Extensions of other types are passed through unchanged.

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

from ossature.diagnostics import Report
from ossature.formats.collada.openrave.schema import EXTENSIONS
from ossature.formats.collada.read_context import FORMAT
from ossature.model import Extension, Model
from ossature.syntax import xml_parser
from ossature.syntax.xml import XmlNode

Read: TypeAlias = Callable[[XmlNode, Model, Report], Model]
"""Applies an extension to its model and returns the result; adds findings to the report. Exceptions propagate."""
Write: TypeAlias = Callable[[Model], XmlNode | None]
"""Returns the extension to write for a model, or None."""


@dataclass(frozen=True, slots=True)
class _Handler:
    read: Read | None
    write: Write | None


_HANDLERS: dict[str, _Handler] = {}


def register_extra_handler(type_: str, *, read: Read | None = None, write: Write | None = None) -> None:
    """Register functions that read and write extensions of a type.

    Args:
        read: Called for every extension of that type of every model; if absent they are passed through.
        write: Called for every model that is written; if absent nothing is added.

    Raises:
        ValueError: The type is read by Ossature itself, or registered already.
    """
    if type_ in EXTENSIONS:
        raise ValueError(f"'{type_}' is read by Ossature itself")
    if type_ in _HANDLERS:
        raise ValueError(f"'{type_}' is registered already")
    _HANDLERS[type_] = _Handler(read, write)


def unregister_extra(type_: str) -> None:
    """Remove the functions for extensions of a type.

    Raises:
        KeyError: The type is not registered.
    """
    del _HANDLERS[type_]


@contextmanager
def registered(type_: str, *, read: Read | None = None, write: Write | None = None) -> Iterator[None]:
    """Register functions for extensions of a type within a ``with`` block; see :func:`register_extra_handler`."""
    register_extra_handler(type_, read=read, write=write)
    try:
        yield
    finally:
        unregister_extra(type_)


def with_registered_extras(model: Model, report: Report) -> Model:
    """Return a model with the registered read functions applied to its extensions."""
    for extension in model.extensions if _HANDLERS else ():
        handler = _HANDLERS.get(type_of(extension) or "")
        node = xml_parser.parse_text(extension.value, "<extra>") if handler is not None and handler.read is not None else None
        if handler is None or handler.read is None or node is None:
            continue
        rest = tuple([other for other in model.extensions if other is not extension])
        model = handler.read(node, replace(model, extensions=rest), report)
    return model


def registered_nodes(model: Model) -> list[XmlNode]:
    """Return the extensions that the registered write functions add to a model."""
    written = [handler.write(model) for handler in _HANDLERS.values() if handler.write is not None]
    return [node for node in written if node is not None]


def type_of(extension: Extension) -> str | None:
    """Return the type of an ``<extra>`` that was passed through, or None for another extension."""
    kind, _, type_ = extension.key.partition(" ")
    return type_ if extension.format == FORMAT and kind == "extra" else None
