"""Comments that suppress findings."""

from __future__ import annotations

from collections import Counter

import pytest

from ossature.diagnostics import Diagnostic, Location, Report, Severity, Source
from ossature.diagnostics.rule import Rule
from ossature.diagnostics.suppressions import without_suppressed

RULES = {
    name: Rule(name=name, code=code, severity=Severity.WARNING, summary="", explanation="")
    for name, code in (("one", "A001"), ("two", "A002"))
}


def outcome(text: str, encoding: str = "utf-8") -> tuple[list[str], Counter[str]]:
    """Return the texts at the findings that are left, and how often each rule about comments is reported.

    There is a finding of the rule `one` at each text ``@name``.
    """
    source = Source("f", text.encode(encoding))
    marks = [index for index, character in enumerate(text) if character == "@"]
    found = [
        Diagnostic(rule=RULES["one"], message=text[index + 1], location=Location(source, source.byte_offset(index)))
        for index in marks
    ]
    report = Report()
    by_code = {rule.code: rule for rule in RULES.values()}
    left = without_suppressed(found, source, lambda name: RULES.get(name) or by_code.get(name.upper()), report)
    return [finding.message for finding in left], Counter(finding.rule.name for finding in report)


XML = [
    ("<a>\n<b @x/> <!-- ossature: ignore[one] -->\n<c @y/>\n</a>", "y"),
    ("<a>\n<b\n @x\n @y/> <!-- ossature: ignore[A001] -->\n<c @z/>\n</a>", "z"),
    ("<a>\n<!-- ossature: ignore[one] reason: the vendor's -->\n<b @x><c @y/>\n<d>@z</d></b><e @v/>\n</a>", "v"),
    ("<a>\n<!-- ossature:\n ignore[one] -->\n<!-- <no @n> --><b x='/>' @x/><e @v/>\n</a>", "nv"),
    ("<a @x>\n<!-- ossature: ignore-file[one] -->\n<b @y/></a>", ""),
    ("<a>\n<b @x/>\n<!-- ossature: ignore[one] -->\n<b @y>", "x"),
]
YAML = [
    ("a: @x # ossature: ignore[one]\nb: @y\n", "y"),
    ("a:\n  # ossature: ignore[one] reason\n  - b: @x\n    c: @y\n  - @z\n", "z"),
    ("# ossature: ignore-file[one]\na: @x\nb: @y\n", ""),
    ("a: 'no # ossature: ignore[one]'\nb: @y\n# ossature: ignore[one]\n\n# comment\nc: @z", "y"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
@pytest.mark.parametrize(("text", "left"), XML + YAML[:3])
def test_the_findings_to_which_a_comment_applies(text: str, left: str, encoding: str, newline: str) -> None:
    text = text.replace("\n", newline)
    marked = text if encoding == "utf-8" else f"\ufeff{text.replace('reason', 'gründe')}"
    found, about_comments = outcome(marked, encoding)
    assert ("".join(found), about_comments) == (left, Counter())


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("<a>\n<!-- ossature: ignore[one] -->\n<b/><b @x/></a>", "unused-suppression"),
        ("<a><b @x/>\n<!-- ossature: ignore[one] --></a>", "unused-suppression"),
        ("<a @x>\n<!-- ossature: ignore[one] -->\n</a>", "unused-suppression"),
        ("<a @x><!-- ossature: ignore[two] --></a>", "unused-suppression"),
        ("<a @x><!-- ossature: ignore-file[two] --></a>", "unused-suppression"),
        ("a: @x\n# ossature: ignore[one]", "unused-suppression"),
        ("<a @x><!-- ossature: ignore --></a>", "invalid-suppression"),
        ("<a @x><!-- ossature: ignore[] --></a>", "invalid-suppression"),
        ("<a @x><!-- ossature: ignore[three] --></a>", "invalid-suppression"),
        ("<a @x><!-- ossature: disable[one] --></a>", "invalid-suppression"),
        ("a: @x # ossature: ignore one", "invalid-suppression"),
    ],
)
def test_a_comment_without_effect_is_reported(text: str, rule: str) -> None:
    assert outcome(text) == (["x"], Counter({rule: 1}))


def test_other_comments_are_no_suppressions() -> None:
    text = "<a @x><!-- as ossature check --><!-- see ossature.toml --></a>"
    assert outcome(text) == (["x"], Counter())
