"""Rules for the syntax of XML and YAML files, shared by all formats."""

from __future__ import annotations

from ossature.diagnostics import Rule, Safety, shared_rules
from ossature.diagnostics.rule import rules_in

UNREADABLE_FILE = Rule.error(
    "unreadable-file",
    "FILE010",
    "A file cannot be opened or read.",
    "It does not exist, is a folder or no regular file (a device, a pipe), or may not be read. Check the path and the "
    "permissions.",
)
MALFORMED_XML = Rule.error(
    "malformed-xml",
    "XML001",
    "The text is not well-formed XML.",
    "Nothing is read, because the structure after this position is unknown. Usual reasons are a tag that is not closed, a "
    "missing quote, a bare & or < in text (write &amp; and &lt;), and a file that is not XML.",
    fixes=(Safety.SAFE, Safety.UNSAFE),
)
FORBIDDEN_ENTITY = Rule.error(
    "forbidden-entity",
    "XML002",
    "The file declares XML entities.",
    "Entities can expand a small file to gigabytes and include other files. Robot models do not need them, so that such a file "
    "is rejected. Replace each entity by its value.",
)
UNKNOWN_ELEMENT = shared_rules.UNKNOWN_ELEMENT
UNKNOWN_ATTRIBUTE = Rule.warning(
    "unknown-attribute",
    "XML003",
    "An element has an attribute that the format does not define.",
    "The attribute is ignored. It is usually misspelt: the hint names the nearest valid attribute.",
    fixes=(Safety.SAFE, Safety.UNSAFE),
)
UNREAD_ELEMENT = shared_rules.IGNORED_ELEMENT
DUPLICATE_ELEMENT = Rule.warning(
    "duplicate-element",
    "DOC003",
    "An element that is allowed once occurs more than once.",
    "The first one is used, and the others are ignored. Programs differ in which one they use. Remove the others.",
    fixes=(Safety.SAFE, Safety.UNSAFE),
)
DEPRECATED_SPELLING = Rule.warning(
    "deprecated-spelling",
    "DOC004",
    "A name has a deprecated or misspelt form that is still accepted.",
    "Other programs may ignore it silently. Use the spelling that the message names; written files have it.",
    aliases=("old-spelling",),
    fixes=(Safety.SAFE,),
)
MISSING_ELEMENT = Rule.error(
    "missing-element",
    "DOC005",
    "A required element, attribute or key is missing.",
    "There is no default for it. What depends on it is omitted from the model, or read without it. Add it.",
    aliases=("missing-key",),
)
DEFAULT_USED = Rule.warning(
    "default-used",
    "DOC006",
    "A value is missing, and the documented default is used.",
    "Programs disagree about the meaning of a missing value. The message names the default. State the value, so that all "
    "programs agree.",
    aliases=("default-taken",),
    fixes=(Safety.SAFE,),
)
UNEXPECTED_TEXT = Rule.warning(
    "unexpected-text",
    "XML004",
    "There is text where the format allows only elements.",
    "The text is ignored. An enclosing tag may be missing, or a comment may not be closed.",
    aliases=("stray-text",),
)
MISPLACED_XML_DECLARATION = Rule.warning(
    "misplaced-xml-declaration",
    "XML005",
    "White space precedes the XML declaration.",
    "XML requires <?xml …?> to be the first characters of a file. Some programs accept the file, others do not. It is read as "
    "if the declaration came first. Delete the white space before it.",
)
INVALID_NUMBER = Rule.error(
    "invalid-number",
    "DOC007",
    "A text is not a valid number.",
    "Numbers are decimal, with a point and an optional exponent. NaN, hexadecimal numbers, underscores and decimal commas are "
    "not accepted; infinity is accepted for limits only. Correct the number.",
    aliases=("bad-number",),
)
LIST_LENGTH_MISMATCH = Rule.error(
    "list-length-mismatch",
    "DOC008",
    "A list has too many or too few numbers.",
    "The value is not used, or only in part. Numbers of a vector are separated by blanks. The hint states the expected count.",
    aliases=("wrong-count",),
)
INVALID_CHOICE = Rule.error(
    "invalid-choice",
    "DOC009",
    "A value is not one of the choices that the format defines.",
    "The value is not used. The hint names the nearest choice, or all of them.",
    aliases=("bad-word",),
)
MALFORMED_YAML = Rule.error(
    "malformed-yaml",
    "YAML001",
    "The text is not well-formed YAML.",
    "Nothing is read. Usual reasons are tabs, wrong indentation, a missing colon, and a bracket or quote that is not closed.",
)
MULTIPLE_DOCUMENTS = Rule.warning(
    "multiple-documents",
    "YAML002",
    "A YAML file has more than one document.",
    "Only the first document is read. Put the others into files of their own.",
    aliases=("second-document",),
)
INVALID_YAML_ALIAS = Rule.error(
    "invalid-yaml-alias",
    "YAML003",
    "A YAML alias or merge key is not valid.",
    "An alias needs an anchor before it that does not contain it. A merge key << takes mappings only. Correct the name of the "
    "alias, or write the value out.",
    aliases=("bad-alias",),
)
NON_SCALAR_KEY = Rule.error(
    "non-scalar-key",
    "YAML004",
    "A key of a mapping is not a scalar.",
    "The entry is ignored, because the format's keys are names. Replace the list or mapping by a name.",
    aliases=("bad-key",),
)
DUPLICATE_KEY = Rule.warning(
    "duplicate-key",
    "YAML005",
    "A mapping has the same key twice.",
    "The first entry is used. YAML forbids duplicate keys, and programs differ in which one they use. Remove one.",
)
UNKNOWN_KEY = Rule.warning(
    "unknown-key",
    "YAML006",
    "A mapping has a key that the format does not define.",
    "The key and its value are ignored, and are missing from written files; the format's own program ignores them silently. "
    "The key is usually misspelt or at the wrong level: the hint names the nearest valid key.",
    fixes=(Safety.SAFE,),
)
MISSING_KEY = MISSING_ELEMENT
WRONG_TYPE = Rule.error(
    "wrong-type",
    "YAML007",
    "A value has the wrong type, such as a list instead of a number.",
    "The value is ignored. The hint states the expected type.",
)

RULES = rules_in(globals())
