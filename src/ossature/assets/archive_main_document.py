"""Which document of an archive is the main one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from ossature.assets.archive import Archive, member_path
from ossature.assets.rules import INVALID_MANIFEST, MISSING_MANIFEST, NO_MAIN_DOCUMENT, UNREADABLE_ARCHIVE
from ossature.assets.uri_resolver import AssetError
from ossature.diagnostics import Location, Report, Rule, Source
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_parser import parse

MANIFEST = "manifest.xml"
"""The file in an archive that names its main document."""

MOST_BYTES_OF_MANIFEST = 1 << 20
"""Larger manifests are not read: a manifest contains one name."""

_SYSTEM_FOLDER = "__MACOSX/"  # metadata of each file, made by the zip program of macOS
_HINT = "manifest.xml names the main document: <dae_root>./robot.dae</dae_root>"
_MOST_NAMED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class MainDocument:
    """The main document.

    Attributes:
        path: Its path in the archive.
        fragment: The fragment after ``#`` in the manifest, or empty.
    """

    path: str
    fragment: str = ""


def main_document(archive: Archive, report: Report) -> MainDocument | None:
    """Return the document that an archive's manifest names, else the only one in it, else None; both with findings."""
    if MANIFEST not in archive.members and MANIFEST not in archive.refused:
        return _only_document(archive, report, MISSING_MANIFEST, "there is no manifest.xml", archive.location)
    source = _find_manifest(archive, report)
    root = parse(source, report) if source is not None else None
    if root is None:
        return _only_document(archive, report, INVALID_MANIFEST, "manifest.xml cannot be read", archive.location)
    entry = next(_entries(root), None)
    reference = entry.text.strip() if entry is not None else ""
    if entry is None or not reference:
        return _only_document(archive, report, INVALID_MANIFEST, "manifest.xml has no <dae_root> with a name", root.location)
    name, _, fragment = reference.partition("#")
    for path in (unquote(name), name):
        if archive.is_file(path):
            return MainDocument(path=member_path(path), fragment=unquote(fragment))
    problem = f"manifest.xml names '{reference}', which is not a readable document of the archive"
    return _only_document(archive, report, INVALID_MANIFEST, problem, entry.location)


def _find_manifest(archive: Archive, report: Report) -> Source | None:
    try:
        if archive.size(MANIFEST) > MOST_BYTES_OF_MANIFEST:
            raise AssetError(archive.member_name(MANIFEST), f"larger than {MOST_BYTES_OF_MANIFEST >> 20} MiB", hint=_HINT)
        return Source(archive.member_name(MANIFEST), archive.read(MANIFEST))
    except AssetError as error:
        report.add(error.limit or UNREADABLE_ARCHIVE, error.reason, Location(Source(error.uri)), hint=error.hint)
        return None


def _entries(node: XmlNode) -> Iterator[XmlNode]:
    if node.local_tag == "dae_root":
        yield node
    for child in node:
        yield from _entries(child)


def _only_document(archive: Archive, report: Report, rule: Rule, problem: str, location: Location) -> MainDocument | None:
    documents = [path for path in archive.members if _is_document(path)]
    if len(documents) == 1:
        report.add(rule, f"{problem}; '{documents[0]}' is used, the only document in the archive", location, hint=_HINT)
        return MainDocument(path=documents[0])
    more = f" and {len(documents) - _MOST_NAMED} more" if len(documents) > _MOST_NAMED else ""
    contained = f"{', '.join(documents[:_MOST_NAMED])}{more}" if documents else "no .dae file"
    report.add(NO_MAIN_DOCUMENT, f"{problem}, and the archive contains {contained}", location, hint=_HINT)
    return None


def _is_document(path: str) -> bool:
    return path.lower().endswith(".dae") and not path.startswith(_SYSTEM_FOLDER)
