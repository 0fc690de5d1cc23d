"""Folders of Gazebo's models, in which ``model://name/…`` is searched."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ossature.assets.filesystem import Files

MANIFEST = "model.config"
"""The file that makes a folder a model."""

RESOURCE_PATH_VARIABLES = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH")
"""Environment variables of Gazebo with folders of models, the newest first."""


def gazebo_model_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders of models, by the environment variables of Gazebo."""
    texts = [environment.get(name, "") for name in RESOURCE_PATH_VARIABLES]
    return tuple([Path(part) for text in texts for part in text.split(os.pathsep) if part])


def sibling_model(folder: Path, name: str, files: Files) -> Path | None:
    """Return the folder of another model of the collection that a file is in, or None.

    A file of a collection is in the folder of a model, which has a model.config, and the other models are beside it; or it is
    a world in ``worlds`` beside a folder ``models``.

    Args:
        name: Name of the other model.
    """
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        return None
    if files.is_file(folder / MANIFEST):
        model = folder.parent / name
    elif folder.name == "worlds":
        model = folder.parent / "models" / name
    else:
        return None
    return model if files.is_file(model / MANIFEST) else None
