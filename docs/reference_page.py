"""The page of all public names, from the packages' ``__all__`` and the first sentences of docstrings."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from types import ModuleType
from typing import Any

import ossature

PACKAGES = (
    "ossature",
    "ossature.model",
    "ossature.kinematics",
    "ossature.simulation",
    "ossature.spatial",
    "ossature.diagnostics",
    "ossature.assets",
    "ossature.formats",
    "ossature.conversion",
    "ossature.model_diff",
    "ossature.recordings",
    "ossature.sweeps",
)

_INTRODUCTION = (
    "# Python reference",
    "",
    "All public names. A name of `ossature` is not repeated in the package that defines it; import it from `ossature`.",
    "Everything else is internal and may change. `help(NAME)` prints arguments, shapes, units and errors.",
    "[Python](python.md) is a tutorial.",
    "",
)


def reference_page(notice: str) -> str:
    """Return the page."""
    lines = [notice, *_INTRODUCTION]
    for package, names in public_names().items():
        module = import_module(package)
        lines += [f"## `{package}`", "", first_sentence(module), "", "| name | |", "|---|---|"]
        for name in names:
            value = getattr(module, name)
            lines.append(f"| `{name}` | {_meaning(value, name)} |")
            if package == "ossature" and inspect.isclass(value):
                lines += [f"| `{name}.{member}` | {text} |" for member, text in _members(value)]
        lines.append("")
    return "\n".join(lines)


def public_names() -> dict[str, list[str]]:
    """Return the names of each package, each once: those of ``ossature`` are left out of the other packages."""
    top = set(import_module("ossature").__all__)
    return {
        package: sorted(name for name in import_module(package).__all__ if package == "ossature" or name not in top)
        for package in PACKAGES
    }


def _members(kind: type) -> list[tuple[str, str]]:
    """Return the public methods and properties of a class of this project, with their first sentences.

    Those of another class of ``ossature`` that it inherits from are not repeated.
    """
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("ossature") and (base is kind or base.__name__ not in ossature.__all__):
            found.update(vars(base))
    members = [(name, value) for name, value in found.items() if not name.startswith("_")]
    described = [(name, first_sentence(value)) for name, value in members if callable(value) or _is_property(value)]
    return [(name, text) for name, text in sorted(described) if text]


def _is_property(value: object) -> bool:
    return isinstance(value, property | classmethod | staticmethod)


def _meaning(value: object, name: str) -> str:
    if inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, ModuleType) or hasattr(value, "__wrapped__"):
        return first_sentence(value)
    if isinstance(value, float | int | str | tuple):
        return f"constant, {type(value).__name__}"
    return "type" if name[0].isupper() and not name.isupper() else "constant"


def first_sentence(value: object) -> str:
    """Return the first sentence of a docstring, as Markdown."""
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    sentence = re.match(r"(.*?\.)(?:\s|$)", text)
    plain = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", sentence[1] if sentence else text)
    return plain.replace("``", "`").replace("|", "\\|").rstrip(":.")
