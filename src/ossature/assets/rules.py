"""Rules about files of a model: archives, and documents that other documents reference."""

from __future__ import annotations

from ossature.diagnostics import Rule, shared_rules
from ossature.diagnostics.rule import rules_in

UNREADABLE_ARCHIVE = Rule.error(
    "unreadable-archive",
    "FILE014",
    "An archive, or a required file in it, cannot be unpacked.",
    "It is damaged, truncated or encrypted, uses another method than stored or deflated, or unpacks to more than the limit. "
    "Links and names that lead out of the archive are never followed. Create the archive again with a standard ZIP program.",
)
DUPLICATE_ARCHIVE_MEMBER = Rule.warning(
    "duplicate-archive-member",
    "FILE015",
    "An archive has two files of the same name.",
    "The first one is used. Programs differ in which one they read. Keep only one.",
    aliases=("duplicate-member",),
)
MISSING_MANIFEST = Rule.warning(
    "missing-manifest",
    "FILE016",
    "An archive has no manifest.xml, which names the main document.",
    "The only .dae file is used. OpenRAVE does not read an archive without a manifest: add a file manifest.xml with "
    "<dae_root>./robot.dae</dae_root>.",
)
INVALID_MANIFEST = Rule.warning(
    "invalid-manifest",
    "FILE017",
    "The manifest.xml of an archive does not name a file in the archive.",
    "The only .dae file is used. State the main document in <dae_root> exactly as it is named in the archive, including upper "
    "and lower case.",
    aliases=("wrong-manifest",),
)
NO_MAIN_DOCUMENT = Rule.error(
    "no-main-document",
    "FILE018",
    "The main document of an archive cannot be determined.",
    "The archive has no .dae file, or several without a manifest.xml that names one. Nothing is read, because any choice would "
    "be a guess. Add a manifest.",
)
MISSING_DOCUMENT = shared_rules.MISSING_FILE

RULES = rules_in(globals())
