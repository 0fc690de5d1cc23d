"""YAML files whose first key states their kind and version: ``ossature-sweep: 1``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ossature.diagnostics import OssatureError, Report, Rule, Source
from ossature.syntax import yaml
from ossature.syntax.schema import Element
from ossature.syntax.yaml_binding import bind

E = TypeVar("E", bound=Element)
T = TypeVar("T")

VERSION = 1.0
"""The version of all kinds."""


def bind_file(declared: type[E], key: str, source: Source, report: Report, rule: Rule) -> E | None:
    """Return the declared element of a file whose first key states its kind and version 1; report problems by a rule."""
    root = yaml.parse(source, report)
    if root is None:
        return None
    if key not in root.entries:
        report.add(rule, f"missing '{key}'", root.location, hint=f"the file starts with {key}: 1")
        return None
    file = bind(declared, root, report)
    version = None if file is None else getattr(file, "version", None)
    if file is None or version == VERSION:
        return file
    report.add(rule, f"unsupported version {version or 0:g}; 1 is supported", file.location("version"))
    return None


def read_each(elements: Iterable[E], read: Callable[[E], T | None], report: Report, rule: Rule) -> tuple[T, ...]:
    """Return what a function reads of each element; its errors are reported at the element by a rule."""
    found = []
    for one in elements:
        try:
            value = read(one)
        except (ValueError, OssatureError) as error:
            report.add(rule, str(error), one.location())
            continue
        if value is not None:
            found.append(value)
    return tuple(found)
