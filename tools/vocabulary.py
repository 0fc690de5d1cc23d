"""Checks that identifiers, messages, docstrings, comments and headings use the terms of the field, by lists of denied words.

usage: python tools/vocabulary.py [--list]

Identifiers are split into words (``carriedMasses`` and ``carried_masses`` have two). Messages are the texts that are reported:
arguments of ``report.add``, of ledger entries, of exceptions and of options. ``--list`` prints all that is found, also what the
baseline allows. The baseline, ``tools/vocabulary_baseline.txt``, has what was there when the check was made: it may only
shrink.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASELINE = Path(__file__).with_name("vocabulary_baseline.txt")

IDENTIFIERS = {
    "say": "specify, state",
    "says": "specifies, states",
    "said": "specified, supported",
    "sayable": "representable",
    "tell": "report",
    "tells": "reports",
    "told": "commanded, reported",
    "hang": "attach",
    "hangs": "is attached to",
    "hung": "attached",
    "stands": "is located",
    "grab": "grasp",
    "grabbed": "grasped",
    "borne": "carried by a joint: child",
    "exhibit": "view",
    "gallery": "scene",
    "conductor": "runner",
    "projector": "player",
    "performance": "live simulation",
    "film": "clip, recording",
    "posture": "configuration",
    "nobody": "none",
    "somebody": "user",
    "suits": "is supported",
    "holder": "link, gripper",
}
"""Words that no identifier has, and what is said instead."""

MESSAGES = {
    r"\bhangs? on\b": "is attached to",
    r"\bnobody\b": "no component",
    r"\bto the last bit\b": "bit-exact",
    r"\bway of stepping\b": "integrator",
    r"\bcannot be had\b": "unavailable",
    r"\bhas no word for\b": "cannot represent",
    r"\blets? go\b": "releases",
    r"\bbeyond all measure\b": "overflow",
}
"""Phrases that no message and no heading has, and what is said instead."""

PROSE = {
    **MESSAGES,
    r"\b(says?|said)\b": "specifies, states",
    r"\b(tells?|told)\b": "reports, commanded",
    r"\b(nobody|somebody|anybody)\b": "no component, the user",
    r"\b(hangs|hung)\b": "is attached to",
    r"\bstands? (?:at|in|on|for|behind|beside)\b": "is at, means",
}
"""Phrases that no docstring and no comment has, and the terms to use instead."""

HEADINGS = {
    **MESSAGES,
    r"\bhouse\b": "package layout",
    r"\bsays?\b": "specifies",
    r"\btells?\b": "reports",
    r"\bhands?\b": "gripper",
}

ALLOWED = {
    "tell": "the method of file objects",
}
"""Names that are those of other libraries."""

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_REPORTING = {"add", "fail", "dropped", "approximated", "rewritten", "extension", "Option", "Argument", "Rule"}


def words_of(name: str) -> list[str]:
    """Return the words of an identifier, in small letters."""
    return [word.lower() for word in _WORD.findall(name)]


def names_in(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield what a module defines: functions, classes, arguments, variables and attributes, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def messages_in(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the texts of messages with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            call = node.exc
        elif isinstance(node, ast.Call) and _called(node) in _REPORTING:
            call = node
        else:
            continue
        for part in ast.walk(call):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value, part.lineno


def prose_in(source: str) -> Iterator[str]:
    """Yield the docstrings and comments of a module."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""')):
            yield token.string


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def findings() -> Iterator[tuple[str, str]]:
    """Yield each use of a denied word: a key without line number, and what to say instead."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for word in words_of(path.stem):
            if word in IDENTIFIERS:
                yield f"{name}: module", IDENTIFIERS[word]
        source = path.read_text(encoding="utf-8")
        for text in prose_in(source):
            for pattern, instead in PROSE.items():
                if match := re.search(pattern, text):
                    yield f"{name}: prose '{match.group(0)}'", instead
        tree = ast.parse(source)
        for identifier, _line in names_in(tree):
            for word in words_of(identifier):
                if word in IDENTIFIERS and identifier not in ALLOWED:
                    yield f"{name}: {identifier}", IDENTIFIERS[word]
        for text, _line in messages_in(tree):
            for pattern, instead in MESSAGES.items():
                if match := re.search(pattern, text):
                    yield f"{name}: message '{match.group(0)}'", instead
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]):
        for line in path.read_text(encoding="utf-8").splitlines():
            for pattern, instead in HEADINGS.items():
                if line.startswith("#") and re.search(pattern, line):
                    yield f"{path.relative_to(ROOT).as_posix()}: heading '{line.lstrip('# ')[:60]}'", instead


def main() -> int:
    """Print what is new against the baseline; 1 if there is any."""
    found = dict(findings())
    if "--write-baseline" in sys.argv:
        BASELINE.write_text("".join(f"{key}\n" for key in sorted(found)), encoding="utf-8")
        return 0
    allowed = set(BASELINE.read_text(encoding="utf-8").splitlines()) if BASELINE.exists() else set()
    shown = found if "--list" in sys.argv else {key: instead for key, instead in found.items() if key not in allowed}
    for key, instead in shown.items():
        print(f"{key} (use: {instead})")
    for key in sorted(allowed - found.keys()):
        print(f"no longer there, take it off tools/{BASELINE.name}: {key}")
    return 1 if set(found) != allowed else 0


if __name__ == "__main__":
    sys.exit(main())
