"""Packages and projects that contain a model, and the folders that ROS searches for other packages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ossature.assets.filesystem import Files

MANIFEST = "package.xml"
"""The file that defines a package and its name."""

PYTHON_PACKAGE = "__init__.py"
"""The file that makes a folder a Python package."""

_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_MOST_MANIFEST_BYTES = 1 << 20


def enclosing_package(folder: Path, name: str, files: Files) -> Path | None:
    """Return the nearest package folder that contains a model, or None if it has another name, or there is none.

    Args:
        name: Name of the package that is wanted.
    """
    for above in (folder, *folder.parents):
        manifest = above / MANIFEST
        if files.is_file(manifest):
            return above if _read_package_name(manifest, files) == name else None
    return None


def package_by_layout(folder: Path) -> Path | None:
    """Return the folder of a model's package if it has the layout of a package (``package/urdf/robot.urdf``), or None.

    Robots are often passed on without the package.xml that states a name, in a folder that is called otherwise. A folder named
    urdf may have folders of its own (``package/urdf/arm/arm.urdf``). The root of the file system and a home folder are not
    packages.
    """
    named = folder if folder.name in ("urdf", "robots") else None
    named = named or next((above for above in _folders_above(folder) if above.name == "urdf"), None)
    return None if named is None or not named.parent.name or named.parent == Path.home() else named.parent


def project_folders(folder: Path, files: Files) -> tuple[Path, ...]:
    """Return the folders of the project that contains a model, from which its paths may name files.

    They are the nearest folder with a package.xml, the root of the source repository, the Python package that was installed
    with the model, and the folder above one that is named urdf or robots, as far as they exist. The root of the file system
    and a home folder are not projects.
    """
    package = package_folder(folder, files)
    repository = next((above for above in _folders_above(folder) if _is_repository(above, files)), None)
    python_package = _python_package(folder, files)
    return tuple([found for found in (package, repository, python_package, package_by_layout(folder)) if found is not None])


def _python_package(folder: Path, files: Files) -> Path | None:
    """Return the outermost Python package around a model, as the wheels of robot collections install it, or None.

    The folders of data in a package have no ``__init__.py``; the nearest one with it and all that contain it have.
    """
    outermost = None
    for above in _folders_above(folder):
        if files.is_file(above / PYTHON_PACKAGE):
            outermost = above
        elif outermost is not None:
            break
    return outermost


def package_folder(folder: Path, files: Files) -> Path | None:
    """Return the nearest folder above a model that has a package.xml, or None."""
    return next((above for above in _folders_above(folder) if files.is_file(above / MANIFEST)), None)


def specified_package_name(folder: Path, files: Files) -> str | None:
    """Return the name that the package.xml of a model's package states, or None."""
    package = package_folder(folder, files)
    return None if package is None else _read_package_name(package / MANIFEST, files)


def _folders_above(folder: Path) -> Iterator[Path]:
    """Yield a folder and those above it, up to a home folder or the root of the file system, which are no projects."""
    home = Path.home()
    for above in (folder, *folder.parents):
        if above == home or not above.name:
            return
        yield above


def _is_repository(folder: Path, files: Files) -> bool:
    return any(files.is_file(folder / name) for name in (".git/HEAD", ".git", ".hg/requires"))


def _read_package_name(manifest: Path, files: Files) -> str | None:
    try:
        found = _NAME.search(files.read(manifest, _MOST_MANIFEST_BYTES))
    except OSError:  # packages whose manifest is unreadable or too large are skipped
        return None
    return found.group(1).decode("utf-8", "replace") if found else None


ROS_PATH_VARIABLES = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
"""Environment variables with folders of packages, of ROS 1 and of ROS 2."""


def ros_package_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders with packages, by the environment variables of ROS 1 and ROS 2."""
    texts = [environment.get(name, "") for name in ROS_PATH_VARIABLES]
    ros1, ros2 = [[Path(part) for part in text.split(os.pathsep) if part] for text in texts]
    return (*ros1, *(folder / "share" for folder in ros2))
