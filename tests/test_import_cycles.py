"""No module imports itself through others, be it for type-checking only or in a function, or what only extras install."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import ossature
from conftest import PROJECT

PACKAGE = Path(ossature.__file__).parent
IMPORTS = (ast.Import, ast.ImportFrom)


@cache
def imports(source: bytes) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Return the import statements of a module: those outside of all others, and all."""
    body = ast.parse(source).body
    outer, found = ([node for node in nodes if isinstance(node, IMPORTS)] for nodes in (body, statements(body)))
    return outer, found


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements and those inside of them, which need fewer visits than all nodes."""
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, name, ()))


def imported_modules(source: bytes, modules: Collection[str]) -> Iterator[str]:
    """Yield the modules that a module imports anywhere: of ``from a import b`` the module ``a.b``, or else ``a``."""
    for node in imports(source)[1]:
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


_MODULE_OF = {"pyyaml": "yaml", "mujoco-core": "mujoco"}
_OPTIONAL = {
    "viewer": {"viser", "websockets", "msgspec"},
    "fmu": {"pythonfmu"},
    "reference_programs": {"pinocchio", "dartpy", "pydrake"},
}
"""Packages that parts of Ossature import when they are imported themselves, and that extras install."""


def test_modules_import_only_what_an_installation_without_extras_has() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    names = [re.split(r"[<>=~ ]", text)[0] for text in project["dependencies"]]
    core = {_MODULE_OF.get(name, name) for name in names} | {"ossature"} | sys.stdlib_module_names
    for path in PACKAGE.rglob("*.py"):
        allowed = core | _OPTIONAL.get(path.relative_to(PACKAGE).parts[0], set())
        for node in imports(path.read_bytes())[0]:
            if isinstance(node, ast.Import):
                imported = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                imported = {node.module.partition(".")[0]}
            else:
                continue
            assert imported <= allowed, path
