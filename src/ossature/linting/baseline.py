"""Baselines: files with the findings that a project has accepted, so that only new ones are reported."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePath

from ossature.assets.output_files import write_file_atomically
from ossature.assets.read_regular_files import read_regular_file
from ossature.diagnostics import Diagnostic
from ossature.diagnostics.fingerprints import finding_key
from ossature.linting.rule_selection import SettingsError

_VERSION = 1
_MOST_BYTES = 1 << 28


def read_baseline(path: Path) -> Counter[str]:
    """Return how often each fingerprint is in a baseline.

    Raises:
        SettingsError: It cannot be read, or is not a baseline.
    """
    try:
        data = json.loads(read_regular_file(path, _MOST_BYTES))
        if data["ossature-baseline"] != _VERSION:
            raise ValueError(f"its version is {data['ossature-baseline']!r}")
        counts: Counter[str] = Counter()
        for entry in data["findings"]:  # findings on equal lines have one fingerprint, with a message each
            counts[str(entry["fingerprint"])] += int(entry["count"])
        return counts
    except FileNotFoundError as error:
        raise SettingsError(f"{path}: no such baseline; write it with --update-baseline") from error
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise SettingsError(f"{path}: not a baseline of findings: {error}") from error


def without_baseline(findings: Iterable[Diagnostic], baseline: Counter[str], folder: Path) -> tuple[list[Diagnostic], int]:
    """Return the findings that a baseline does not contain, and how many of the baseline do not exist any more.

    Args:
        findings: The findings.
        baseline: See :func:`read_baseline`.
        folder: The folder of the baseline.
    """
    left = Counter(baseline)
    new = []
    for finding in findings:
        key = _fingerprint(finding, folder)
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(finding)
    return new, left.total()


def write_baseline(path: Path, findings: Iterable[Diagnostic]) -> None:
    """Write a baseline; findings are listed in a stable order, so that changes of it can be reviewed.

    Raises:
        OSError: It cannot be written.
    """
    counts: Counter[tuple[str, str, str, str]] = Counter()
    folder = path.absolute().parent
    for finding in findings:
        file = _relative_file(finding, folder)
        message = finding.message.replace(f"{folder}{os.sep}", "")
        counts[(file, finding.rule.code, message, _fingerprint(finding, folder))] += 1
    entries = [
        {"file": file, "code": code, "message": message, "count": count, "fingerprint": fingerprint}
        for (file, code, message, fingerprint), count in sorted(counts.items())
    ]
    write_file_atomically(path, json.dumps({"ossature-baseline": _VERSION, "findings": entries}, indent=1) + "\n")


def _relative_file(finding: Diagnostic, folder: Path) -> str:
    """Return the path of a finding's file from the folder of the baseline."""
    if finding.location is None:
        return ""
    return PurePath(os.path.relpath(finding.location.file, folder)).as_posix()


def _fingerprint(finding: Diagnostic, folder: Path) -> str:
    specified = f"{_relative_file(finding, folder)}\0{finding_key(finding)}"
    return hashlib.blake2b(specified.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
