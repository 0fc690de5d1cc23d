"""What can be wrong with the text of a file, whatever it describes."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

UNREADABLE_FILE = Rule(
    name="unreadable-file",
    severity=Severity.ERROR,
    summary="The file cannot be opened or read.",
    explanation="There is no such file, it is a folder, it is no regular file (a device, a pipe), or it may not be read.",
)
MALFORMED_XML = Rule(
    name="malformed-xml",
    severity=Severity.ERROR,
    summary="The text is not well-formed XML.",
    explanation=(
        "Nothing after this place can be trusted, so nothing is read. The usual reasons are a tag that is not closed, a "
        "missing quote, a bare & or < in text (write &amp; and &lt;), or a file that is no XML at all."
    ),
)
FORBIDDEN_ENTITY = Rule(
    name="forbidden-entity",
    severity=Severity.ERROR,
    summary="The file declares XML entities.",
    explanation=(
        "Entities can blow up a small file to gigabytes, or pull in other files. Robot models do not need them, and a "
        "file that declares one is refused. Replace the entity by what it stands for."
    ),
)
UNKNOWN_ELEMENT = Rule(
    name="unknown-element",
    severity=Severity.WARNING,
    summary="The format has no such element at this place.",
    explanation=(
        "The element and all that it holds is not read, and will be missing from what is written. Most often it is "
        "misspelt, or stands one level too high or too low; the hint names the nearest element that belongs here."
    ),
)
UNKNOWN_ATTRIBUTE = Rule(
    name="unknown-attribute",
    severity=Severity.WARNING,
    summary="The format has no such attribute on this element.",
    explanation="It is not read. The hint names the nearest attribute that belongs here.",
)
UNREAD_ELEMENT = Rule(
    name="unread-element",
    severity=Severity.NOTE,
    summary="The format has this element, and it says nothing about a robot.",
    explanation="Lights, cameras of a picture, textures and the like are not read, and not written again.",
)
DUPLICATE_ELEMENT = Rule(
    name="duplicate-element",
    severity=Severity.WARNING,
    summary="An element that may stand here once stands here twice.",
    explanation="The first one counts, the others are not read.",
)
OLD_SPELLING = Rule(
    name="old-spelling",
    severity=Severity.WARNING,
    summary="A misprint or an older spelling that is read as what it plainly means.",
    explanation="Other programs may drop it in silence. What is written has the proper spelling.",
)
MISSING_ELEMENT = Rule(
    name="missing-element",
    severity=Severity.ERROR,
    summary="An element or attribute that the format requires is missing, and nothing can stand in for it.",
    explanation="What needs it is left out of the model, or read as far as that is possible without it.",
)
DEFAULT_TAKEN = Rule(
    name="default-taken",
    severity=Severity.WARNING,
    summary="A value that a file should state is missing, and the documented default is taken.",
    explanation=(
        "Programs disagree about what a missing value means. The message says which one was taken; state it in the "
        "file, and every program agrees."
    ),
)
STRAY_TEXT = Rule(
    name="stray-text",
    severity=Severity.WARNING,
    summary="There is text where only elements belong.",
    explanation="The text is not read. Perhaps a tag around it is missing, or a comment was not closed as one.",
)
BAD_NUMBER = Rule(
    name="bad-number",
    severity=Severity.ERROR,
    summary="Something that should be a number is not.",
    explanation=(
        "Numbers are written in decimal, with a point and perhaps an exponent. NaN, hexadecimal numbers, underscores "
        "and decimal commas are not numbers here; infinity is one only for limits."
    ),
)
WRONG_COUNT = Rule(
    name="wrong-count",
    severity=Severity.ERROR,
    summary="A list has too many or too few numbers.",
    explanation="Numbers of a vector are separated by blanks. The hint says how many there should be.",
)
BAD_WORD = Rule(
    name="bad-word",
    severity=Severity.ERROR,
    summary="A word is not among those that the format knows here.",
    explanation="The hint names the nearest valid word, or all of them.",
)
MALFORMED_YAML = Rule(
    name="malformed-yaml",
    severity=Severity.ERROR,
    summary="The text is not well-formed YAML.",
    explanation=(
        "Nothing is read from such a file. The usual reasons are tabs, wrong indentation, a missing colon, or a bracket "
        "or quote that is not closed."
    ),
)
SECOND_DOCUMENT = Rule(
    name="second-document",
    severity=Severity.WARNING,
    summary="A YAML file holds more than one document.",
    explanation="Only the first is read. Put the others into files of their own.",
)
BAD_ALIAS = Rule(
    name="bad-alias",
    severity=Severity.ERROR,
    summary="A YAML alias or merge key does not lead to anything that can stand there.",
    explanation="An alias needs an anchor before it, outside itself; a merge key << takes mappings.",
)
BAD_KEY = Rule(
    name="bad-key",
    severity=Severity.ERROR,
    summary="A key of a mapping is not a single word.",
    explanation="The entry is not read.",
)
DUPLICATE_KEY = Rule(
    name="duplicate-key",
    severity=Severity.WARNING,
    summary="A key stands twice in one mapping.",
    explanation="The first one counts. YAML forbids this; programs differ in which one they take.",
)
UNKNOWN_KEY = Rule(
    name="unknown-key",
    severity=Severity.WARNING,
    summary="The format has no such key at this place.",
    explanation=(
        "It is not read, and will be missing from what is written; the format's own program drops it too, in silence. "
        "Most often it is misspelt, or stands one level too high or too low; the hint names the nearest valid key."
    ),
)
MISSING_KEY = Rule(
    name="missing-key",
    severity=Severity.ERROR,
    summary="A key that the format requires is missing, and nothing can stand in for it.",
    explanation="What needs it is left out of the model, or read as far as that is possible without it.",
)
WRONG_TYPE = Rule(
    name="wrong-type",
    severity=Severity.ERROR,
    summary="A value is of the wrong kind: a list where a number belongs, a text where a list belongs.",
    explanation="It is not read. The hint says what belongs here.",
)

RULES = (
    UNREADABLE_FILE,
    MALFORMED_XML,
    FORBIDDEN_ENTITY,
    UNKNOWN_ELEMENT,
    UNKNOWN_ATTRIBUTE,
    UNREAD_ELEMENT,
    DUPLICATE_ELEMENT,
    OLD_SPELLING,
    MISSING_ELEMENT,
    DEFAULT_TAKEN,
    STRAY_TEXT,
    BAD_NUMBER,
    WRONG_COUNT,
    BAD_WORD,
    MALFORMED_YAML,
    SECOND_DOCUMENT,
    BAD_ALIAS,
    BAD_KEY,
    DUPLICATE_KEY,
    UNKNOWN_KEY,
    MISSING_KEY,
    WRONG_TYPE,
)
