"""MuJoCo's shared library, for functions that its Python package does not have."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from pathlib import Path

from ossature.formats.mjcf.engine_data import mujoco


class EngineLibraryError(Exception):
    """The library cannot be used; the message states why."""


@cache
def engine_library() -> ctypes.CDLL:
    """Return the library that MuJoCo's Python package has loaded.

    Raises:
        EngineLibraryError: It is not there, cannot be opened, or has another version.
    """
    folder = Path(mujoco.__file__).parent
    names = {"win32": "mujoco.dll", "darwin": "libmujoco.*.dylib"}
    libraries = sorted(folder.glob(names.get(sys.platform, "libmujoco.so.*")))
    if len(libraries) != 1:
        raise EngineLibraryError("the engine's library is not beside its Python package")
    try:
        library = ctypes.CDLL(str(libraries[0]))
        version = library.mj_version()
    except (OSError, AttributeError) as error:
        raise EngineLibraryError(f"the engine's library cannot be opened: {error}") from error
    if version != mujoco.mj_version():
        raise EngineLibraryError(f"the engine's library has version {version}, its Python package {mujoco.mj_version()}")
    return library


def address_of_structure(structure: object) -> int:
    """Return the address of a model or of data of the engine.

    Raises:
        EngineLibraryError: The Python package does not return it.
    """
    address = getattr(structure, "_address", None)
    if not isinstance(address, int):
        raise EngineLibraryError("the engine's Python package does not return addresses")
    return address
