"""Models by name or URI instead of a path.

``robot:panda`` is the robot of the package robot_descriptions, which downloads it; ``dart://sample/skel/cubes.skel`` is a file
in a folder of the search path.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail
from ossature.diagnostics.suggestions import suggestion

PREFIX = "robot:"
NEEDS_ROBOTS = "robots by name need the extra robots: pip install 'ossature[robots]'"
_PACKAGE = "robot_descriptions"
_SUFFIX = "_description"
_PATHS = ("URDF_PATH", "MJCF_PATH")
"""Constants of a description with the path of its file, in order of preference."""

_Paths = TypeVar("_Paths", Path, Path | None, list[Path])


def locate_models(context: typer.Context, value: _Paths) -> _Paths:
    """Return the files of an argument, of which names of robots and URIs are replaced by the files that they name.

    The package downloads a description when it is used for the first time. The command ends with a message if the extra is
    missing, no robot has the name, or it cannot be downloaded, and if a URI names no file.
    """
    search_path = context.params.get("search_path") or ()  # the option is eager
    if isinstance(value, list):
        return [_file_of(path, search_path) for path in value]
    if str(value) == "-" and not Path("-").exists():
        fail("standard input is read by `ossature check` only: name a file")
    return value if value is None else _file_of(value, search_path)


def _file_of(path: Path, search_path: Sequence[Path]) -> Path:
    text = str(path)
    if text.startswith(PREFIX) and not path.exists():
        return file_of_robot(text.removeprefix(PREFIX))
    return _file_of_uri(text, search_path) if ":" in text else path


def _file_of_uri(text: str, search_path: Sequence[Path]) -> Path:
    from ossature.assets import AssetError
    from ossature.assets.locate_model_file import is_model_uri, locate_model_file, restore_slashes

    if not is_model_uri(text):
        return Path(text)
    try:
        path = locate_model_file(text, search_path)
    except AssetError as error:
        fail(f"{error.uri}: {error.reason}{f' ({error.hint})' if error.hint else ''}", EXIT_INVALID_INPUT)
    errors_console().print(f"{restore_slashes(text)} is {path}", markup=False, soft_wrap=True)
    return path


def file_of_robot(name: str) -> Path:
    """Return the model file of a robot; end the command if there is none.

    Args:
        name: Name of its description, with or without ``_description``: ``panda``, ``panda_mj`` for MJCF.
    """
    package = find_spec(_PACKAGE)
    if package is None:
        fail(NEEDS_ROBOTS)
    known = _names(package.submodule_search_locations or ())
    if name.removesuffix(_SUFFIX) not in known:
        hint = suggestion(name.removesuffix(_SUFFIX), known)
        fail(f"no robot '{name}' in the package {_PACKAGE}{f': {hint}' if hint else ''}", EXIT_INVALID_INPUT)
    description = _import(name.removesuffix(_SUFFIX))
    path = next((Path(getattr(description, constant)) for constant in _PATHS if hasattr(description, constant)), None)
    if path is None:
        fail(f"'{PREFIX}{name}' {_advice(description)}", EXIT_INVALID_INPUT)
    errors_console().print(f"{PREFIX}{name} is {path}", markup=False, soft_wrap=True)
    return path


def _names(folders: Any) -> list[str]:
    """Return the names of the descriptions without importing them, which would download them."""
    files = (entry.name for folder in folders for entry in os.scandir(folder) if entry.is_file())
    found = (name.removesuffix(f"{_SUFFIX}.py") for name in files if name.endswith(f"{_SUFFIX}.py"))
    return sorted(name for name in found if not name.startswith("_"))


def _import(name: str) -> ModuleType:
    """Return the module of a description, whose import downloads its files if they are not in the cache."""
    errors = _import_errors()
    try:
        return import_module(f"{_PACKAGE}.{name}{_SUFFIX}")
    except errors as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        fail(f"'{PREFIX}{name}' cannot be downloaded: {reason[:500]}", EXIT_INVALID_INPUT)


def _import_errors() -> tuple[type[Exception], ...]:
    try:
        return (ImportError, OSError, import_module("git.exc").GitError)
    except ImportError:  # there is no git program, which the import of a description reports too
        return (ImportError, OSError)


def _advice(description: ModuleType) -> str:
    """Return how to open a description that has no file of one robot."""
    template = getattr(description, "XACRO_PATH", None)
    if template is not None:
        packages = [Path(path).parent for path in getattr(description, "XACRO_PACKAGE_PATHS", {}).values()]
        values = [f"{key}:={value}" for key, value in getattr(description, "XACRO_ARGS", {}).items()]
        options = [word for path in dict.fromkeys(packages) for word in ("--search-path", str(path))]
        options += [word for value in values for word in ("--xacro-arg", value)]
        return f"is a xacro template; if you trust it, open {shlex.join([str(template), '--xacro', *options])}"
    paths = [str(path) for name, path in vars(description).items() if name.startswith(_PATHS)]
    return f"has several models: open {' or '.join(paths)}" if paths else "has no URDF or MJCF file"
