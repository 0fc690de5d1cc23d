"""What can be wrong with the files that hold a model: archives, and documents that other documents name."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

UNREADABLE_ARCHIVE = Rule(
    name="unreadable-archive",
    severity=Severity.ERROR,
    summary="An archive, or the file in it that is needed, cannot be unpacked.",
    explanation=(
        "It is damaged or cut short, encrypted, packed with another method than stored or deflated, or made so that it "
        "would fill the memory. Files with names that lead out of the archive, and links, are never opened. Pack the "
        "files again with an ordinary zip program."
    ),
)
DUPLICATE_MEMBER = Rule(
    name="duplicate-member",
    severity=Severity.WARNING,
    summary="An archive holds two files of one name.",
    explanation="The first one counts. Programs differ in which one they take; leave only one in the archive.",
)
MISSING_MANIFEST = Rule(
    name="missing-manifest",
    severity=Severity.WARNING,
    summary="An archive has no manifest.xml that says which document is the main one.",
    explanation=(
        "The only .dae file in it is taken. OpenRAVE opens no archive without a manifest; add a file manifest.xml with "
        "<dae_root>./robot.dae</dae_root>."
    ),
)
WRONG_MANIFEST = Rule(
    name="wrong-manifest",
    severity=Severity.WARNING,
    summary="The manifest.xml of an archive names no file that can be had from it.",
    explanation=(
        "The only .dae file in the archive is taken. Let <dae_root> name the main document as it is called in the "
        "archive, upper and lower case as there."
    ),
)
NO_MAIN_DOCUMENT = Rule(
    name="no-main-document",
    severity=Severity.ERROR,
    summary="Nothing says which document of an archive is the main one.",
    explanation=(
        "There is no .dae file in it, or there are several and no manifest.xml that names one of them. Nothing is read, "
        "because any choice would be a guess."
    ),
)
MISSING_DOCUMENT = Rule(
    name="missing-document",
    severity=Severity.ERROR,
    summary="A document names another one that cannot be had.",
    explanation=(
        "What it holds is missing from the model. References are relative to the document that makes them; openrave: "
        "URIs are looked for in the folders of OPENRAVE_DATA and in the search path. Files elsewhere are not opened "
        "unless the caller allows it, and nothing is fetched from a network."
    ),
)

RULES = (
    UNREADABLE_ARCHIVE,
    DUPLICATE_MEMBER,
    MISSING_MANIFEST,
    WRONG_MANIFEST,
    NO_MAIN_DOCUMENT,
    MISSING_DOCUMENT,
)
