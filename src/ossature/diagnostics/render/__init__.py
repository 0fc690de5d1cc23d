"""Findings as text, JSON, SARIF, JUnit and workflow annotations: one file each, one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ossature.diagnostics.render.github import to_github
from ossature.diagnostics.render.json import to_json
from ossature.diagnostics.render.junit import to_junit
from ossature.diagnostics.render.sarif import to_sarif
from ossature.diagnostics.report import Diagnostic

MACHINE_FORMATS: dict[str, Callable[[Sequence[Diagnostic]], str]] = {
    "json": to_json,
    "sarif": to_sarif,
    "github": to_github,
    "junit": to_junit,
}
"""Renderers for programs, by name. Text for people is in :mod:`ossature.diagnostics.render.text`, which needs rich."""

__all__ = ["MACHINE_FORMATS", "to_github", "to_json", "to_junit", "to_sarif"]
