"""Where the files come from that a model names."""

from ossature.assets.files import DiskFiles, Files, MemoryFiles, write_whole
from ossature.assets.meshes import READABLE_SUFFIXES, MeshStore
from ossature.assets.resolver import SEARCH_PATH_VARIABLE, AssetError, Resolver, search_path_from_environment

__all__ = [
    "READABLE_SUFFIXES",
    "SEARCH_PATH_VARIABLE",
    "AssetError",
    "DiskFiles",
    "Files",
    "MemoryFiles",
    "MeshStore",
    "Resolver",
    "search_path_from_environment",
    "write_whole",
]
