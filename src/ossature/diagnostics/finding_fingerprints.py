"""Fingerprints of findings, which stay the same if lines are inserted before them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from ossature.diagnostics.report import Diagnostic


def finding_key(finding: Diagnostic) -> str:
    """Return what identifies a finding in its file: rule, path in the model, and the text of its line, or else its message.

    Messages contain paths that differ from machine to machine.
    """
    excerpt = finding.location.excerpt if finding.location is not None else None
    return "\0".join((finding.rule.code, finding.path, excerpt.text if excerpt is not None else finding.message))


def fingerprints(findings: Iterable[Diagnostic]) -> list[str]:
    """Return a fingerprint of each finding; equal findings of one file are numbered."""
    counts: Counter[str] = Counter()
    found = []
    for finding in findings:
        key = f"{finding.location.file if finding.location is not None else ''}\0{finding_key(finding)}"
        counts[key] += 1
        specified = f"{key}\0{counts[key]}".encode("utf-8", "surrogateescape")
        found.append(hashlib.blake2b(specified, digest_size=16).hexdigest())
    return found
