"""Errors and warnings about the robots of the corpus: each was looked at; ``known_findings`` states why it is true.

A new one is a false alarm until it is in the table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import pytest

from linting.known_findings import COLLADA, MJCF, SDF, URDF
from ossature.diagnostics import Diagnostic, Severity
from ossature.diagnostics.render.text import to_grouped_text
from ossature.linting.check_file import find_problems
from ossature.linting.configuration import ConfigurationFinder
from ossature.linting.file_reading_options import CheckOptions
from ossature.linting.find_files import find_model_files


def assert_expected(
    files: Iterable[Path], expected: dict[str, tuple[str, str]], *, parents: bool = False
) -> list[list[Diagnostic]]:
    """Compare the rules and files of errors and warnings with the table; return all findings of each file."""
    found: dict[str, set[str]] = {}
    all_findings = []
    for file in files:
        findings = find_problems(file, CheckOptions()).sorted()
        all_findings.append(findings)
        for finding in findings:
            if finding.severity is not Severity.NOTE:
                found.setdefault(finding.rule.name, set()).add(f"{file.parent.name}/{file.stem}" if parents else file.stem)
    assert found == {rule: set(names.split()) for rule, (_, names) in expected.items()}
    return all_findings


def test_robots_of_urdf(corpus: Path) -> None:
    findings = assert_expected(sorted((corpus / "corpus" / "urdf").rglob("*.urdf")), URDF)
    assert median(len(to_grouped_text(each).plain.splitlines()) for each in findings) < 10


@pytest.mark.slow
def test_robots_of_collada(corpus: Path) -> None:
    files = [file for file in sorted((corpus / "corpus" / "openrave").iterdir()) if file.suffix in (".dae", ".zae")]
    findings = assert_expected(files, COLLADA)
    assert median(len(to_grouped_text(each).plain.splitlines()) for each in findings) < 10


@pytest.mark.slow
def test_robots_of_mjcf(corpus: Path) -> None:
    finder = ConfigurationFinder(is_searched=False)
    files = [file for file in find_model_files([corpus / "corpus" / "mjcf"], finder) if file.suffix == ".xml"]
    findings = assert_expected(files, MJCF, parents=True)
    assert median(len(to_grouped_text(each).plain.splitlines()) for each in findings) < 10


def test_files_of_sdformat(corpus: Path) -> None:
    root, references = corpus / "corpus" / "sdf", corpus / "reference" / "sdf"
    valid = [file for file in sorted(references.rglob("*.json")) if not json.loads(file.read_text())["errors"]]
    files = [root / file.relative_to(references).as_posix().removesuffix(".json") for file in valid]
    findings = assert_expected(files, SDF, parents=True)
    assert median(len(to_grouped_text(each).plain.splitlines()) for each in findings) < 10
