"""Baselines: files with the findings that a project has accepted, so that only new ones are reported."""

from __future__ import annotations

import hashlib
import json
import os
import reprlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

from ossature.assets.atomic_write import write_file_atomically
from ossature.assets.read_regular_files import read_regular_file
from ossature.diagnostics import Diagnostic
from ossature.diagnostics.finding_fingerprints import finding_key
from ossature.linting.rule_selection import SettingsError

_VERSION = 1
_MOST_BYTES = 1 << 28
_MOST_COUNT = 1_000_000_000


def read_baseline(path: Path) -> Counter[str]:
    """Return how often each fingerprint is in a baseline.

    Raises:
        SettingsError: It cannot be read, or is not a baseline.
    """
    try:
        return _fingerprint_counts(json.loads(read_regular_file(path, _MOST_BYTES)))
    except FileNotFoundError as error:
        raise SettingsError(f"{path}: no such baseline; write it with --update-baseline") from error
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: not a baseline of findings: {error}") from error


def _fingerprint_counts(data: Any) -> Counter[str]:
    """Return how often each fingerprint is in the data of a baseline."""
    match data:
        case {"ossature-baseline": int(version), "findings": list(entries)} if version == _VERSION and version is not True:
            pass
        case {"ossature-baseline": version}:
            raise ValueError(f"its version is {reprlib.repr(version)}, not {_VERSION}, or it has no list of findings")
        case _:
            raise ValueError("it has no version")
    counts: Counter[str] = Counter()
    for entry in entries:  # findings on equal lines have one fingerprint, with a message each
        match entry:
            case {"fingerprint": str(fingerprint), "count": int(count)} if 0 < count <= _MOST_COUNT:
                counts[fingerprint] += count
            case _:
                raise ValueError(f"an entry is {reprlib.repr(entry)}, without a fingerprint or a count of 1 to {_MOST_COUNT}")
    return counts


def without_baseline(findings: Iterable[Diagnostic], baseline: Counter[str], folder: Path) -> tuple[list[Diagnostic], int]:
    """Return the findings that a baseline does not contain, and how many of the baseline do not exist any more.

    Args:
        baseline: See :func:`read_baseline`.
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
        SettingsError: The file exists and is not a baseline: it may be a model that was named by mistake.
    """
    if path.is_file() and path.stat().st_size:
        read_baseline(path)
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
    return "" if finding.location is None else PurePath(os.path.relpath(finding.location.file, folder)).as_posix()


def _fingerprint(finding: Diagnostic, folder: Path) -> str:
    specified = f"{_relative_file(finding, folder)}\0{finding_key(finding)}"
    return hashlib.blake2b(specified.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
