"""Expansion of ``<include>``: it is replaced by the model of the file that it names, with what it states itself."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ossature.assets import AssetError
from ossature.assets.document_store import report_missing_document
from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Report, Source
from ossature.formats.sdf import rules
from ossature.formats.sdf.included_urdf import IncludedUrdf
from ossature.formats.sdf.upgrade_old_versions import upgrade_document
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import shown
from ossature.syntax.xml_with_loose_comments import parse_with_loose_comments

MERGED = "merge"
"""Attribute of a model whose content belongs to the model that includes it."""
_MANIFEST = "model.config"
_PARAMETERS = "experimental:params"
_COST = 10
"""Expansions that an include counts as; its elements count as those of the file."""


class IncludeExpansion:
    """Expands the includes of a document.

    Args:
        resolver: Finds files; its folder is that of the main file.

    Attributes:
        urdf: The content of URDF files that it includes.
    """

    def __init__(self, resolver: Resolver, report: Report) -> None:
        self._resolver = resolver
        self._report = report
        self.urdf = IncludedUrdf()

    def expand(self, node: XmlNode, files: tuple[str, ...]) -> None:
        """Replace the includes in a document, model or world, in place.

        Args:
            files: The file that contains it, after the files that include it.
        """
        self._report.budget.require_depth(len(files), node.location)
        children = []
        for child in node.children:
            if child.tag in ("sdf", "world", "model"):
                self.expand(child, files)
            included = self._included(child, node, files) if child.tag == "include" and node.tag != "sdf" else None
            children.append(included or child)
        node.children = children

    def _included(self, node: XmlNode, parent: XmlNode, files: tuple[str, ...]) -> XmlNode | None:
        """Return the model of an include, or None with a finding."""
        uri = node.find("uri")
        if uri is None or not uri.text.strip():
            self._invalid(node, "<include> has no <uri>", "write <uri>model://NAME</uri>, or a path")
            return None
        found = self._read(uri, uri.text.strip(), files[-1])
        if found is None:
            return None
        if found.name in files:
            self._invalid(uri, f"{shown(uri.text)} includes itself", "remove one <include>")
            return None
        root = parse_with_loose_comments(found, self._report)
        if root is None:
            return None
        if root.tag == "robot":
            self._report.budget.add_expansions(_COST, node.location)
            robot = self.urdf.read(found, self._report)
            return None if robot is None else self._with_changes(robot, node, parent)
        content = root.find("model") or root.find("light", "actor")
        if content is None:
            self._invalid(uri, f"{shown(uri.text)} has no <model>", "include the file of a model")
            return None
        self._report.budget.add_expansions(_COST, node.location)
        upgrade_document(root, self._report)
        namespaces = {name: value for name, value in root.attributes.items() if name.startswith("xmlns:")}
        content.attributes = {**namespaces, **content.attributes}
        self.expand(content, (*files, found.name))
        return self._with_changes(content, node, parent)

    def _with_changes(self, model: XmlNode, node: XmlNode, parent: XmlNode) -> XmlNode:
        for tag in ("name", "static", "pose"):
            specified = node.find(tag)
            if specified is None:
                continue
            if tag == "name":
                model.attributes["name"] = specified.text.strip()
            else:
                model.children = [specified, *(child for child in model.children if child.tag != tag)]
        placement = node.find("placement_frame")
        if placement is not None:
            if node.find("pose") is None:
                message, hint = "<include> has a <placement_frame>, but no <pose>", "state the <pose> of the placement frame"
                self._report.add(rules.MISSING_PLACEMENT_POSE, message, node.location, hint=hint)
            else:
                model.attributes["placement_frame"] = placement.text.strip()
        if node.attributes.get(MERGED, "").strip().lower() in ("1", "true"):
            if parent.tag == "world":
                self._invalid(node, "a model cannot be merged into a world", "remove the attribute merge")
            else:
                model.attributes[MERGED] = "true"
                self._remove_static(model)
        self._report_parameters(node)
        model.children += [child for child in node.children if child.tag == "plugin"]
        return model

    def _remove_static(self, model: XmlNode) -> None:
        """Remove ``<static>`` of a merged model: its links are those of the model that includes it, which is static or not."""
        for child in model.children:
            if child.tag == "static" and child.text.strip().lower() in ("1", "true"):
                message = "<static> of a merged model is ignored: its links move with the model that includes it"
                hint = "remove the attribute merge, or make the other model static"
                self._report.add(rules.IGNORED_ELEMENT, message, child.location, hint=hint)
        model.children = [child for child in model.children if child.tag != "static"]

    def _report_parameters(self, node: XmlNode) -> None:
        for child in node.children:
            if child.tag == _PARAMETERS and child.children:
                message = f"<{_PARAMETERS}> is ignored: the included model is read without its changes"
                hint = "make the changes in the file of the model"
                self._report.add(rules.IGNORED_ELEMENT, message, child.location, hint=hint)

    # Files

    def _read(self, node: XmlNode, uri: str, file: str) -> Source | None:
        if re.match(r"https?://", uri, re.IGNORECASE):
            self._invalid(node, f"{shown(uri)} is not read over a network", "download the model, and include it by a path")
            return None
        is_relative = "://" not in uri and not Path(uri).is_absolute()
        places = [os.path.normpath(Path(file).parent / uri), f"model://{uri}"] if is_relative else [uri]
        candidates = [candidate for place in places for candidate in (place, f"{place}/{_MANIFEST}")]
        found = next((one for one in candidates if self._exists(one)), candidates[1 if self._is_folder(places[0]) else 0])
        try:
            return self._open_manifest(node, found) if found.endswith(f"/{_MANIFEST}") else self._open(found)
        except AssetError as error:
            report_missing_document(error, node.location, self._report)
            return None

    def _exists(self, uri: str) -> bool:
        try:
            self._resolver.locate(uri)
        except AssetError as error:
            return bool(error.tried) and error.reason != "no such file"  # it exists, and may not be opened
        return True

    def _is_folder(self, uri: str) -> bool:
        """Whether a URI or path names a folder, which lacks its manifest."""
        try:
            self._resolver.locate(uri)
        except AssetError as error:
            return any(path.is_dir() for path in error.tried)
        return False

    def _open(self, uri: str) -> Source:
        return Source(str(self._resolver.locate(uri)), self._resolver.read(uri, self._report.limits))

    def _open_manifest(self, node: XmlNode, uri: str) -> Source | None:
        """Return the file of the newest version that the manifest of a model names."""
        manifest = parse_with_loose_comments(self._open(uri), self._report)
        names = [] if manifest is None else [(_version(one), one.text.strip()) for one in manifest.children if one.tag == "sdf"]
        if not names:
            self._invalid(node, f"{uri} names no file", 'write <sdf version="1.9">model.sdf</sdf>')
            return None
        return self._open(f"{uri.removesuffix(_MANIFEST)}{max(names)[1]}")

    def _invalid(self, node: XmlNode, message: str, hint: str) -> None:
        self._report.add(rules.INVALID_INCLUDE, f"{message}: it is ignored", node.location, hint=hint)


def _version(node: XmlNode) -> tuple[int, ...]:
    return tuple([int(part) for part in re.findall(r"\d{1,6}", node.attributes.get("version", ""))])
