"""Inclusion of files: ``<include>`` is replaced by the content of the file that it names."""

from __future__ import annotations

from pathlib import PurePosixPath

from ossature.assets import AssetError
from ossature.assets.document_store import report_missing_document
from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Report, Source
from ossature.formats.mjcf import rules
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_with_loose_comments import parse_with_loose_comments


def portable_path(path: str) -> str:
    """Return a path with slashes: MuJoCo also takes backslashes for separators, on all systems."""
    return path.replace("\\", "/")


class Inclusion:
    """Replaces the inclusions of a document.

    Args:
        resolver: Finds files; its folder is that of the main file.

    Attributes:
        folders: The folder of each included file, relative to that of the main file, by the path of the file.
    """

    def __init__(self, resolver: Resolver, report: Report) -> None:
        self._resolver = resolver
        self._report = report
        self.folders: dict[str, str] = {}

    def expand(self, node: XmlNode, folder: str = "", depth: int = 0) -> XmlNode:
        """Return an element in which each ``<include>`` is replaced by the children of the root of its file.

        Args:
            folder: The folder of its file, relative to that of the main file.
            depth: The number of files around it.
        """
        copy = XmlNode(node.tag, dict(node.attributes), node.source, node.offset)
        copy.text, copy.span = node.text, node.span
        for child in node.children:
            if child.tag == "include":
                copy.children += self._content(child, folder, depth)
            else:
                copy.children.append(self.expand(child, folder, depth))
        return copy

    def _content(self, node: XmlNode, folder: str, depth: int) -> list[XmlNode]:
        name = portable_path(node.attributes.get("file", "").strip())
        found = self._read(node, name, folder)
        if found is None:
            return []
        path, data, candidate = found
        if path in self.folders:
            hint = "remove this <include>"
            self._report.add(rules.REPEATED_INCLUDE, f"'{name}' is included more than once", node.location, hint=hint)
            return []
        self.folders[path] = str(PurePosixPath(candidate).parent)
        self._report.budget.require_depth(depth + 1, node.location)
        root = parse_with_loose_comments(Source(path, data), self._report)
        return [] if root is None else self.expand(root, self.folders[path], depth + 1).children

    def _read(self, node: XmlNode, name: str, folder: str) -> tuple[str, bytes, str] | None:
        """Return path and content of an included file, and its path relative to the main file.

        Its name is relative to the main file, or else to the file that includes it.
        """
        candidates = [name] if folder in ("", ".") else [name, str(PurePosixPath(folder) / name)]
        failure = None
        for candidate in candidates:
            try:
                data = self._resolver.read(candidate, self._report.limits)
                return str(self._resolver.locate(candidate)), data, candidate
            except AssetError as error:
                failure = failure or error
        if failure is not None:
            report_missing_document(failure, node.location, self._report)
        return None
