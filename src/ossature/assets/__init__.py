"""Where the files come from that a model names."""

from ossature.assets.files import DiskFiles, Files, MemoryFiles, write_whole
from ossature.assets.meshes import READABLE_SUFFIXES, MeshStore
from ossature.assets.openrave_uri import OpenRaveUri
from ossature.assets.resolver import (
    DATA_PATH_VARIABLE,
    SEARCH_PATH_VARIABLE,
    AssetError,
    Resolver,
    data_path_from_environment,
    search_path_from_environment,
)

__all__ = [
    "DATA_PATH_VARIABLE",
    "READABLE_SUFFIXES",
    "SEARCH_PATH_VARIABLE",
    "AssetError",
    "DiskFiles",
    "Files",
    "MemoryFiles",
    "MeshStore",
    "OpenRaveUri",
    "Resolver",
    "data_path_from_environment",
    "search_path_from_environment",
    "write_whole",
]
