"""Files that a model refers to: meshes, documents and archives."""

from ossature.assets.archive import Archive, is_archive, open_archive, write_archive
from ossature.assets.archive_main_document import MainDocument, main_document
from ossature.assets.atomic_write import open_output, output_target, replacing, write_file_atomically
from ossature.assets.document_store import DocumentKey, DocumentStore, open_document, report_missing_document
from ossature.assets.file_lock import FileInUseError, FileLock
from ossature.assets.filesystem import DiskFiles, Files, MemoryFiles
from ossature.assets.mesh_store import READABLE_SUFFIXES, MeshStore, embedded_triangles
from ossature.assets.parse_openrave_uri import OpenRaveUri
from ossature.assets.uri_resolver import (
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
    "Archive",
    "AssetError",
    "DiskFiles",
    "DocumentKey",
    "DocumentStore",
    "FileInUseError",
    "FileLock",
    "Files",
    "MainDocument",
    "MemoryFiles",
    "MeshStore",
    "OpenRaveUri",
    "Resolver",
    "data_path_from_environment",
    "embedded_triangles",
    "is_archive",
    "main_document",
    "open_archive",
    "open_document",
    "open_output",
    "output_target",
    "replacing",
    "report_missing_document",
    "search_path_from_environment",
    "write_archive",
    "write_file_atomically",
]
