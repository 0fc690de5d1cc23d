"""A document for MuJoCo's parser: without inclusions, with the bytes of the files that it names, and within limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ossature.assets import AssetError
from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Location, Report, Source
from ossature.formats.mjcf import rules
from ossature.formats.mjcf.deprecated_content import replace_deprecated_content
from ossature.formats.mjcf.expanded_size import Extent, require_extent, require_points
from ossature.formats.mjcf.includes import Inclusion, portable_path
from ossature.formats.mjcf.schema import known_content, mujoco_element
from ossature.formats.root_elements import hint_for_root
from ossature.syntax.schema import Element
from ossature.syntax.xml import XmlNode, escaped, quoted
from ossature.syntax.xml_binding import bind
from ossature.syntax.xml_with_loose_comments import parse_with_loose_comments

_TEXTURE_FILES = ("file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")
_ASSET_FOLDERS = {"mesh": "meshdir", "hfield": "meshdir", "skin": "meshdir", "flexcomp": "meshdir", "texture": "texturedir"}
_FLEXES_OF_FILES = ("mesh", "gmsh")
"""Types of ``<flexcomp>`` whose points are those of a file."""
_ALLOCATING = ("memory", "njmax", "nconmax", "nstack", "nkey")
"""Sizes of arrays that MuJoCo allocates, which have no effect on the model."""
_MOST_PADDING = 1 << 26
"""Empty lines before the texts of attached models in all."""


@dataclass(slots=True)
class SelfContainedDocument:
    """A document for MuJoCo's parser.

    Attributes:
        root: The root element, with all inclusions.
        text: The text for the parser: one start tag on each line.
        nodes: The element of each line of the text, and of those of the models that it attaches, whose texts begin with empty
            lines: the parser states a line alone, which is therefore of one text only.
        assets: The content of files, by the names that the text has for them.
        paths: Their paths, by these names.
        textures: For each element of a texture in the text, the one of the file, with the paths of its images.
        padding: The number of empty lines in all texts.
    """

    root: XmlNode
    text: str = ""
    nodes: dict[int, XmlNode] = field(default_factory=dict)
    assets: dict[str, bytes] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    textures: dict[XmlNode, XmlNode] = field(default_factory=dict)
    padding: int = 0

    def node_of(self, line: int, tag: str | None = None) -> XmlNode | None:
        """Return the element on a line of the text, with a tag, or None if there is none."""
        node = self.nodes.get(line)
        return node if node is None or tag in (None, node.tag) else None


def resolve(source: Source, resolver: Resolver, report: Report) -> SelfContainedDocument | None:
    """Return the document for MuJoCo's parser, or None, with a finding, if it cannot be read."""
    root = parse_with_loose_comments(source, report)
    if root is None:
        return None
    if root.tag != "mujoco":
        message = f"the root element is <{root.tag[:80]}>"
        part = "a part that other files include: read a file with <include> of it"
        hint = part if root.tag == "mujocoinclude" else hint_for_root(root.tag, "the root element of an MJCF file is <mujoco>")
        if root.tag != "robot" and root.tag.lower() in ("robot", "kinbody", "environment"):
            hint = "OpenRAVE's own XML is not read: load the file in OpenRAVE and save it as COLLADA, env.Save('robot.dae')"
        report.add(rules.WRONG_ROOT_ELEMENT, message, root.location, hint=hint)
        return None
    document = SelfContainedDocument(root)
    document.root, document.text = _Resolution(document, resolver, report).resolve(root)
    return None if report.has_errors else document


class _Resolution:
    def __init__(self, document: SelfContainedDocument, resolver: Resolver, report: Report, depth: int = 0) -> None:
        self._document = document
        self._resolver = resolver
        self._report = report
        self._depth = depth
        self._folders = dict.fromkeys(("meshdir", "texturedir"), "")
        self._folders_of_included: dict[str, str] = {}
        self._strips_paths = False
        self._models: dict[str, Extent] = {}
        self.extent = Extent()

    def resolve(self, root: XmlNode) -> tuple[XmlNode, str]:
        """Return the root with all inclusions, and the text for the parser."""
        inclusion = Inclusion(self._resolver, self._report)
        expanded = inclusion.expand(root)
        self._folders_of_included = inclusion.folders
        replace_deprecated_content(expanded, self._report)
        bind(mujoco_element(), expanded, self._report)
        self._read_asset_folders(expanded)
        prepared = self._prepared(expanded, mujoco_element())
        self.extent = require_extent(expanded, self._models, self._report)
        padding = max(self._document.nodes, default=0)
        self._document.padding += padding
        if self._document.padding > _MOST_PADDING:
            self._report.add(rules.TOO_LARGE, "the attached models have too many elements in all", root.location)
            return expanded, ""
        text, nodes = _lines(prepared)
        self._document.nodes |= {padding + line: node for line, node in nodes.items()}
        return expanded, "\n" * padding + text

    def _read_asset_folders(self, root: XmlNode) -> None:
        for node in root.children:
            if node.tag == "compiler":
                specified = node.attributes
                if "assetdir" in specified:
                    self._folders = dict.fromkeys(self._folders, portable_path(specified["assetdir"]))
                self._folders |= {name: portable_path(specified[name]) for name in self._folders if name in specified}
                self._strips_paths = specified.get("strippath", "false" if not self._strips_paths else "true") == "true"

    def _prepared(self, node: XmlNode, declared: type[Element]) -> XmlNode:
        """Return an element as MuJoCo's parser reads it, without unknown content, which is reported already."""
        names, children = known_content(declared)
        attributes = {name: value for name, value in node.attributes.items() if name in names}
        if node.tag == "compiler":
            attributes = {
                name: value for name, value in attributes.items() if name not in (*self._folders, "assetdir", "strippath")
            }
        elif node.tag == "size":
            attributes = {name: value for name, value in attributes.items() if name not in _ALLOCATING}
        elif node.tag == "texture" and "name" not in attributes and attributes.get("file"):
            attributes["name"] = PurePosixPath(portable_path(attributes["file"])).stem
        if node.tag == "texture":
            specified, attributes = self._with_image_paths(node, attributes), _without_image(attributes)
        elif attributes.get("file") and _is_file_read(node):  # an empty name is none
            attributes = self._with_file(node, attributes)
        copy = XmlNode(node.tag, attributes, node.source, node.offset)
        copy.text = node.text
        copy.children = [self._prepared(child, children[child.tag]) for child in node.children if child.tag in children]
        if node.tag == "texture":
            self._document.textures[copy] = XmlNode(node.tag, specified, node.source, node.offset)
        return copy

    def _with_image_paths(self, node: XmlNode, attributes: dict[str, str]) -> dict[str, str]:
        specified = dict(attributes)
        for name in _TEXTURE_FILES:
            if attributes.get(name):
                path = self._asset_path(node, portable_path(attributes[name]))
                try:
                    specified[name] = str(self._resolver.locate(path))
                except AssetError as error:
                    location = node.attribute_location(name)
                    self._report.add(rules.UNAVAILABLE_IMAGE, str(error), location, hint=error.hint)
                    specified[name] = path
        return specified

    def _asset_path(self, node: XmlNode, file: str) -> str:
        """Return the path of a file relative to the main file.

        As in MuJoCo, it is in the folder for such assets, or else relative to the included file that names it.
        """
        folder = PurePosixPath(self._folders.get(_ASSET_FOLDERS.get(node.tag, ""), ""))
        path = str(folder / (PurePosixPath(file).name if self._strips_paths else file))
        if node.source.name in self._folders_of_included and not self._strips_paths:
            beside = str(PurePosixPath(self._folders_of_included[node.source.name]) / file)
            return path if self._is_found(path) or not self._is_found(beside) else beside
        return path

    def _is_found(self, path: str) -> bool:
        try:
            self._resolver.locate(path)
        except AssetError:
            return False
        return True

    def _with_file(self, node: XmlNode, attributes: dict[str, str]) -> dict[str, str]:
        """Return the attributes of an element whose file has the name of an asset."""
        specified = portable_path(attributes["file"])
        path = self._asset_path(node, specified)
        location = node.attribute_location("file")
        try:
            located = str(self._resolver.locate(path))
            data = self._resolver.read(path, self._report.limits)
        except AssetError as error:
            self._report.add(error.limit or rules.UNAVAILABLE_ASSET, error.details, location, hint=error.hint)
            return attributes
        key = f"{len(self._document.assets)}_{PurePosixPath(path).name}"
        if node.tag == "model":
            data = self._attached_model(node.attributes.get("name", ""), Source(located, data), location)
        elif node.tag == "hfield":
            _require_image_size(data, location, self._report)
        self._document.assets[key] = data
        self._document.paths[key] = located
        named = {"name": PurePosixPath(specified).stem} if "name" not in attributes and node.tag != "model" else {}
        return {**named, **attributes, "file": key}

    def _attached_model(self, name: str, source: Source, location: Location) -> bytes:
        self._report.budget.require_depth(10 * (self._depth + 1), location)
        root = parse_with_loose_comments(source, self._report)
        if root is None:
            return b""
        resolution = _Resolution(self._document, self._resolver, self._report, self._depth + 1)
        _, text = resolution.resolve(root)
        self._models[name] = resolution.extent
        return text.encode()


def _is_file_read(node: XmlNode) -> bool:
    """Whether MuJoCo reads the file that an element states."""
    if node.tag == "flexcomp":
        return node.attributes.get("type") in _FLEXES_OF_FILES
    return node.tag in _ASSET_FOLDERS or node.tag == "model"


def _without_image(attributes: dict[str, str]) -> dict[str, str]:
    """Return the attributes of a texture of one pixel: images have no effect on the model, and can be very large."""
    dropped = (*_TEXTURE_FILES, "width", "height", "gridsize", "gridlayout", "content_type", "nchannel", "mark", "random")
    kept = {name: value for name, value in attributes.items() if name not in dropped}
    return {**kept, "builtin": "flat", "width": "1", "height": "1"}


def _require_image_size(data: bytes, location: Location, report: Report) -> None:
    """Check the size of the image of a height field, which its header states."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
        require_points(width * height, f"the image of {width} by {height} pixels", location, report)


def _lines(root: XmlNode) -> tuple[str, dict[int, XmlNode]]:
    """Return a document as text with one tag on each line, and the element of each line with a start tag."""
    lines: list[str] = []
    nodes: dict[int, XmlNode] = {}
    pending: list[XmlNode | str] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            lines.append(node)
            continue
        attributes = "".join([f" {name}={quoted(value)}" for name, value in node.attributes.items()])
        nodes[len(lines) + 1] = node
        if node.children:
            lines.append(f"<{node.tag}{attributes}>")
            pending.append(f"</{node.tag}>")
            pending += reversed(node.children)
        else:
            text = escaped(" ".join(node.text.split()))
            lines.append(f"<{node.tag}{attributes}>{text}</{node.tag}>" if text else f"<{node.tag}{attributes}/>")
    return "\n".join(lines), nodes
