"""No module imports itself through others, be it for type-checking only or in a function."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import ossature

PACKAGE = Path(ossature.__file__).parent


def imported_modules(source: bytes, modules: Collection[str]) -> Iterator[str]:
    """Yield the modules that a module imports anywhere: of ``from a import b`` the module ``a.b``, or else ``a``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.module is not None, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules else node.module for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def import_graph(sources: dict[str, bytes]) -> dict[str, set[str]]:
    return {name: set(imported_modules(source, sources)) & sources.keys() - {name} for name, source in sources.items()}


def test_no_import_cycle_exists() -> None:
    paths = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
    }
    assert len(paths) > 500
    TopologicalSorter(import_graph({name: path.read_bytes() for name, path in paths.items()})).prepare()


def test_a_cycle_of_lazy_and_type_checking_imports_is_found() -> None:
    sources = {"p.a": b"def f():\n    from p import b", "p.b": b"if TYPE_CHECKING:\n    from p.a import f", "p": b""}
    with pytest.raises(CycleError):
        TopologicalSorter(import_graph(sources)).prepare()
