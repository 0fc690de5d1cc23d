"""ROS packages: the one that contains a model, and the folders that ROS searches for others."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from ossature.assets.filesystem import Files

MANIFEST = "package.xml"
"""The file that defines a package and its name."""

_FOLDERS_OF_MODELS = ("urdf", "robots")
_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_MOST_MANIFEST_BYTES = 1 << 20


def enclosing_package(folder: Path, name: str, files: Files) -> Path | None:
    """Return the nearest package folder that contains a model, or None if it has another name, or there is none.

    Args:
        folder: The model's folder.
        name: Name of the package that is wanted.
        files: Reads files.
    """
    for above in (folder, *folder.parents):
        manifest = above / MANIFEST
        if files.is_file(manifest):
            return above if _read_package_name(manifest, files) == name else None
    return None


def package_by_layout(folder: Path) -> Path | None:
    """Return the folder of a model's package if it has the layout of a package (``package/urdf/robot.urdf``), or None.

    Robots are often passed on without the package.xml that states a name, in a folder that is called otherwise. The root of
    the file system and a home folder are not packages.
    """
    package = folder.parent
    laid_out = folder.name in _FOLDERS_OF_MODELS and package.name and package != Path.home()
    return package if laid_out else None


def _read_package_name(manifest: Path, files: Files) -> str | None:
    try:
        found = _NAME.search(files.read(manifest, _MOST_MANIFEST_BYTES))
    except OSError:  # packages whose manifest is unreadable or too large are skipped
        return None
    return found.group(1).decode("utf-8", "replace") if found else None


def ros_package_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders with packages, by the environment variables of ROS 1 and ROS 2."""
    ros1 = [Path(part) for part in environment.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if part]
    ros2 = [Path(part) / "share" for part in environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if part]
    return (*ros1, *ros2)
