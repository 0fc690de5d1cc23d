"""Comments in files that suppress findings.

    <joint name="a"> <!-- ossature: ignore[missing-limit] -->      the findings on this line, or in this tag
    <!-- ossature: ignore[MDL020, non-unit-axis] the vendor's -->  alone on its line: those of the next element
    <!-- ossature: ignore-file[missing-mesh] -->                   those of the whole file

In YAML ``# ossature: ignore[…]`` has the same effect: on its line, or alone on a line, on the next entry with its content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ossature.diagnostics.fix import Edit, Fix, Safety
from ossature.diagnostics.location import Location, Source
from ossature.diagnostics.report import Diagnostic, Report
from ossature.diagnostics.rule import Rule
from ossature.diagnostics.text_escaping import printable

UNUSED_SUPPRESSION = Rule.warning(
    "unused-suppression",
    "LINT001",
    "A comment suppresses a finding that does not exist.",
    "The problem was corrected, or the comment is at another place: at the end of a line it applies to the findings of this "
    "line, alone on a line to those of the next element. A finding of this rule that comes later would be suppressed without "
    "notice. Remove the name from the comment, or the comment.",
    fixes=(Safety.SAFE,),
)
INVALID_SUPPRESSION = Rule.warning(
    "invalid-suppression",
    "LINT002",
    "A comment that suppresses findings is malformed, or names an unknown rule.",
    "It suppresses nothing. The form is `ossature: ignore[RULE, …]`, or `ossature: ignore-file[RULE, …]` for the whole file; "
    "RULE is the name or code of a rule, and there is no form for all rules. `ossature rules` lists them.",
)
RULES = (UNUSED_SUPPRESSION, INVALID_SUPPRESSION)

FindRule = Callable[[str], Rule | None]
"""Returns the rule with a name or code, or None."""

_DIRECTIVE = r"ossature:\s*(?P<verb>[\w-]*)[ \t]*(?:\[(?P<names>[^\]\n]*)\])?"
_XML = re.compile(rf"<!--\s*{_DIRECTIVE}(?:(?!-->).)*-->", re.DOTALL)
_YAML = re.compile(rf"(?:^|(?<=[\s\ufeff]))#\s*{_DIRECTIVE}[^\n]*", re.MULTILINE)
_NAME = re.compile(r"[^\s,\]]+")
_MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(?P<closing>/)?[^\s<>/!?][^<>\"']*(?:\"[^\"]*\"[^<>\"']*|'[^']*'[^<>\"']*)*>",
    re.DOTALL,
)
_SEPARATOR = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class _Suppression:
    """One rule of one comment.

    Attributes:
        start: Byte offset of the first location to which it applies.
        stop: Byte offset after the last one.
        is_for_file: Whether it also applies to findings without a location in the file.
        location: Location of the name in the comment.
        comment: First and last character of the comment in the text of the file, if there are no other names in it.
    """

    rule: str
    start: int
    stop: int
    is_for_file: bool
    location: Location
    comment: tuple[int, int] | None

    def applies_to(self, finding: Diagnostic) -> bool:
        """Whether it suppresses a finding about its file."""
        if finding.rule.name != self.rule:
            return False
        offset = finding.location.offset if finding.location is not None else None
        return self.is_for_file if offset is None else self.start <= offset < self.stop


def without_suppressed(
    findings: Iterable[Diagnostic], source: Source, find_rule: FindRule, report: Report, *, may_be_unused: Iterable[str] = ()
) -> list[Diagnostic]:
    """Return the findings about a file that its comments do not suppress.

    Args:
        findings: Findings about this and other files.
        find_rule: Returns the rule with a name or code.
        report: Receives findings about the comments.
        may_be_unused: Names of rules whose absence is not reported, because they are not always checked.
    """
    found = list(findings)
    suppressions = _suppressions_in(source, find_rule, report)
    used: set[int] = set()
    kept = []
    for finding in found:
        about = finding.location is None or finding.location.file == source.name
        matching = [index for index, each in enumerate(suppressions) if about and each.applies_to(finding)]
        used.update(matching)
        if not matching:
            kept.append(finding)
    unchecked = set(may_be_unused)
    for index, each in enumerate(suppressions):
        if index not in used and each.rule not in unchecked:
            report.add(
                UNUSED_SUPPRESSION,
                f"no finding of '{each.rule}' is suppressed here",
                each.location,
                hint="remove it from the comment; alone on a line a comment applies to the next element",
                fix=partial(_remove_name, each),
            )
    return kept


def _suppressions_in(source: Source, find_rule: FindRule, report: Report) -> list[_Suppression]:
    if "ossature:".encode(source.encoding) not in source.data:
        return []
    text = source.text.replace("\r", "\n")  # all line ends are found alike, at the same places
    is_xml = source.is_xml
    found: list[_Suppression] = []
    for comment in (_XML if is_xml else _YAML).finditer(text):
        found += _suppressions_of(comment, source, _suppressed_span_xml if is_xml else _suppressed_span_yaml, find_rule, report)
    return found


def _suppressions_of(
    comment: re.Match[str],
    source: Source,
    find_span: Callable[[str, int, int], tuple[int, int]],
    find_rule: FindRule,
    report: Report,
) -> list[_Suppression]:
    def location_at(index: int) -> Location:
        return Location(source, source.byte_offset(index))

    text = comment.string
    names = list(_NAME.finditer(text, comment.start("names"), comment.end("names"))) if comment["names"] else []
    if comment["verb"] not in ("ignore", "ignore-file") or not names:
        shown = printable(" ".join(comment[0].split())[:60], line_breaks=False)
        hint = "write `ossature: ignore[RULE, …]` or `ossature: ignore-file[RULE, …]`"
        report.add(INVALID_SUPPRESSION, f"'{shown}' suppresses nothing", location_at(comment.start()), hint=hint)
        return []
    is_for_file = comment["verb"] == "ignore-file"
    start, stop = (0, len(text)) if is_for_file else find_span(text, comment.start(), comment.end())
    span = (source.byte_offset(start), source.byte_offset(stop))
    found = []
    for name in names:
        rule = find_rule(name[0])
        if rule is None:
            message = f"there is no rule '{printable(name[0][:60], line_breaks=False)}'"
            report.add(INVALID_SUPPRESSION, message, location_at(name.start()), hint="`ossature rules` lists all rules")
        else:
            only = comment.span() if len(names) == 1 else None
            found.append(_Suppression(rule.name, *span, is_for_file, location_at(name.start()), only))
    return found


def _remove_name(suppression: _Suppression) -> Fix | None:
    """Return the fix that removes a name from a comment, or the whole comment if it is the only name."""
    source, offset = suppression.location
    text = source.text
    if suppression.comment is not None:
        start, stop = suppression.comment
        line, end = _start_of_line(text, start), _end_of_line(text, stop)
        if _is_alone(text, start, stop):
            start, stop = line, min(end + 1, len(text))
        else:
            start = line + len(text[line:start].rstrip())
        title = "remove the comment"
    else:
        start = len(source.data[:offset].decode(source.encoding, "replace"))
        found = _NAME.match(text, start)
        stop = found.end() if found is not None else start
        after = _SEPARATOR.match(text, stop)
        if after is not None:
            stop = after.end()
        else:  # the last name
            start = len(text[:start].rstrip(" \t,"))
        title = f"remove '{suppression.rule}' from the comment"
    return Fix(title=title, edits=(Edit(source.byte_offset(start), source.byte_offset(stop), ""),), keeps_model=True)


def _is_alone(text: str, start: int, stop: int) -> bool:
    """Whether there is nothing else on the lines of a comment."""
    before, after = _start_of_line(text, start), _end_of_line(text, stop)
    return not text[before:start].strip() and not text[stop:after].strip()


def _start_of_line(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _end_of_line(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _suppressed_span_xml(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return where the findings are to which a comment applies: the next element, or its line with the tag that ends there."""
    if not _is_alone(text, start, stop):
        tag = text.rfind("<", 0, start)
        line = _start_of_line(text, start)
        ends_here = tag >= 0 and text.find(">", tag, start) >= line
        return (min(tag, line) if ends_here else line), _end_of_line(text, stop)
    depth, first = 0, stop
    for markup in _MARKUP.finditer(text, stop):
        is_tag = markup[0][1] not in "!?"
        if not is_tag:
            continue
        if depth == 0:
            first = markup.start()
        depth += -1 if markup["closing"] else not markup[0].endswith("/>")
        if depth <= 0:
            return (first, markup.end()) if depth == 0 else (stop, stop)
    return first, len(text)


def _suppressed_span_yaml(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return where the findings are to which a comment applies: the next entry with its content, or its line."""
    if not _is_alone(text, start, stop):
        return _start_of_line(text, start), _end_of_line(text, stop)
    lines = _following_lines(text, _end_of_line(text, stop) + 1)
    if not lines:
        return stop, stop
    (first, indentation), *rest = lines
    return first, next((line for line, deeper in rest if deeper <= indentation), len(text))


def _following_lines(text: str, start: int) -> Sequence[tuple[int, int]]:
    """Return the start and the indentation of each line from an index on, without blank lines and comments."""
    lines = []
    while start < len(text):
        end = _end_of_line(text, start)
        content = text[start:end].strip()
        if content and not content.startswith("#"):
            lines.append((start, len(text[start:end]) - len(text[start:end].lstrip())))
        start = end + 1
    return lines
