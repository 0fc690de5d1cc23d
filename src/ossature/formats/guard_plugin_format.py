"""Formats of other packages: their fields may have any types, and their functions may raise and return anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ossature.diagnostics import LimitError, Location, OssatureError, Rule
from ossature.formats.format import Content, Format, Loaded, ReadContext, ReferenceProgram, WriteContext, WrittenFiles
from ossature.model import World
from ossature.plugins import FAILED_PLUGIN, RAISED_BY_PLUGINS, Plugin, describe_failure


def guard_plugin_format(plugin: Plugin) -> Format:
    """Return the format of a plug-in with functions whose exceptions and results of wrong types name the plug-in.

    Raises:
        ValueError: The format has a field of a wrong type.
    """
    known: Format = plugin.value
    _require_types(known)
    original_read, original_write = known.read, known.write

    def read(context: ReadContext) -> Loaded:
        try:
            loaded = original_read(context) if original_read is not None else Loaded()
            if not (isinstance(loaded, Loaded) and isinstance(loaded.world, World | None)):
                raise TypeError("its reader returned no ossature.formats.Loaded with a World or None")
            return loaded
        except (LimitError, MemoryError):
            raise
        except RAISED_BY_PLUGINS as error:
            context.report.add(FAILED_PLUGIN, describe_failure(plugin.label, error), Location(context.source))
            return Loaded()

    def write(content: Any, context: WriteContext) -> WrittenFiles:
        try:
            files = original_write(content, context) if original_write is not None else {}
            if not (isinstance(files, dict) and all(isinstance(k, Path) and isinstance(v, bytes) for k, v in files.items())):
                raise TypeError("its writer returned no dictionary of the bytes of each file by its Path")
            return files
        except (OssatureError, LimitError, MemoryError):
            raise
        except RAISED_BY_PLUGINS as error:
            raise OssatureError(describe_failure(plugin.label, error)) from error

    return replace(
        known,
        sniff=_guarded(plugin, known.sniff),
        has_model=known.has_model and _guarded(plugin, known.has_model),
        read=original_read and read,
        write=original_write and write,
        record_unread=known.record_unread and _guarded(plugin, known.record_unread),
        rules=_guarded_rules(plugin, known.rules),
    )


def _guarded(plugin: Plugin, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose exceptions name the plug-in."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except RAISED_BY_PLUGINS as error:
            raise OssatureError(describe_failure(plugin.label, error)) from error

    return call


def _guarded_rules(plugin: Plugin, rules: Callable[[], tuple[Rule, ...]]) -> Callable[[], tuple[Rule, ...]]:
    def call() -> tuple[Rule, ...]:
        try:
            found = tuple(rules())
        except RAISED_BY_PLUGINS as error:
            raise ValueError(describe_failure(plugin.label, error)) from error
        if not all(isinstance(rule, Rule) for rule in found):
            raise ValueError("its function rules returned something that is no Rule")
        return found

    return call


def _require_types(known: Format) -> None:
    texts = (known.name, known.title, known.syntax)
    functions = (known.sniff, known.schema, known.rules)
    optional = (known.has_model, known.read, known.write, known.record_unread, known.write_reference, known.record)
    are_right = {
        "name": isinstance(known.name, str) and known.name.isprintable() and known.name != "",
        "title and syntax": all(isinstance(text, str) for text in texts),
        "content": isinstance(known.content, Content),
        "suffixes": _is_tuple_of_texts(known.suffixes),
        "dialects": _is_tuple_of_texts(known.dialects),
        "sniff, schema and rules": all(map(callable, functions)),
        "has_model, read, write, record_unread, write_reference and record": all(
            each is None or callable(each) for each in optional
        ),
        "passes": isinstance(known.passes, tuple) and all(map(callable, known.passes)),
        "reference_programs": isinstance(known.reference_programs, tuple)
        and all(isinstance(each, ReferenceProgram) for each in known.reference_programs),
    }
    wrong = next((fields for fields, is_right in are_right.items() if not is_right), None)
    if wrong is not None:
        raise ValueError(f"its Format has a wrong type of {wrong}")


def _is_tuple_of_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, str) for each in value)
