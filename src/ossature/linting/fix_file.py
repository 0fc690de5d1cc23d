"""Fixes of the findings of a file: edits of its text, each of which is verified by reading the file again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

from ossature.argument_types import typed_arguments
from ossature.assets.atomic_write import write_file_atomically
from ossature.assets.read_regular_files import read_regular_file
from ossature.comparison import compare
from ossature.diagnostics import Diagnostic, Fix, OssatureError, Report, Safety, Severity, Source
from ossature.diagnostics.fix import edited
from ossature.linting.check_file import find_problems_and_world
from ossature.linting.file_reading_options import CheckOptions
from ossature.linting.rule_selection import RuleSelection, require_selectors
from ossature.model import World
from ossature.rule_catalogue import catalogue_with_plugins

IsWanted = Callable[[Diagnostic], bool]
"""Whether a finding is to be fixed."""

_MOST_ROUNDS = 50
_ROUNDING = 1e-12


class FixError(OssatureError):
    """A fixed file cannot be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedFile:
    """A file after its fixes.

    Attributes:
        after: Its bytes with the fixes; equal if there are none.
        applied: The findings that were fixed, each with its fix.
        rejected: The findings whose fix would have caused another finding or changed the model otherwise, each with its fix.
        report: The findings that are left.
    """

    path: Path
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)
    applied: tuple[tuple[Diagnostic, Fix], ...] = ()
    rejected: tuple[tuple[Diagnostic, Fix], ...] = ()
    report: Report

    def __repr__(self) -> str:
        return f"FixedFile({self.path}: {len(self.applied)} fixed, {len(self.rejected)} rejected; {self.report!r})"

    @property
    def is_changed(self) -> bool:
        """Whether there are fixes."""
        return self.after != self.before

    def diff(self) -> list[str]:
        """Return the lines of a unified diff of the text."""
        before, after = [Source(str(self.path), data).text.splitlines() for data in (self.before, self.after)]
        return list(unified_diff(before, after, str(self.path), str(self.path), lineterm=""))

    def write(self) -> None:
        """Write the file if it is changed; links are followed, and permissions stay.

        Raises:
            FixError: The file was changed since it was read, or cannot be written.
        """
        if not self.is_changed:
            return
        try:
            if read_regular_file(self.path, max(2 * len(self.before), 1 << 20)) != self.before:
                raise FixError(f"{self.path}: the file was changed while it was checked; nothing is written")
            write_file_atomically(self.path, self.after)
        except OSError as error:
            raise FixError(f"{self.path}: {error.strerror or error}") from error


@typed_arguments
def fix(path: str | Path, *, unsafe: bool = False, dry_run: bool = False, rules: Sequence[str] | None = None) -> FixedFile:
    """Fix the findings of a file whose fixes are safe, and write it.

    Only the text that a fix is about is changed: comments, line ends, encoding and the order of elements stay. After each fix
    the file is read again; a fix that would cause another finding, or change more of the model than it should, is rejected.
    Files to which this one refers, and documents in archives, are not changed.

    Args:
        path: The file.
        unsafe: Whether fixes are applied that may not be what the author meant.
        dry_run: Whether the file is not written.
        rules: The rules whose findings are fixed, by name, code or start of a code (``XML``), as ``--select`` states them; all
            if None.

    Returns:
        The file before and after, the fixes, and the findings that are left.

    Raises:
        FixError: The file cannot be read or written, or was changed meanwhile.
        SettingsError: There is no rule of that name or code.
    """
    require_selectors(rules or (), catalogue_with_plugins(Report()), "rules")
    selection = RuleSelection(None if rules is None else tuple(rules))
    file = Path(path)
    try:
        data = read_regular_file(file, CheckOptions().limits.file_bytes)
    except OSError as error:
        raise FixError(f"{file}: {error.strerror or error}") from error
    fixed = fix_content(file, data, CheckOptions(), unsafe=unsafe, is_wanted=lambda finding: selection.includes(finding.rule))
    if not dry_run:
        fixed.write()
    return fixed


def fix_content(
    path: Path, data: bytes, options: CheckOptions, *, unsafe: bool = False, is_wanted: IsWanted = lambda _: True
) -> FixedFile:
    """Return a file with fixes, which is not written.

    Args:
        options: How it is read.
        unsafe: Whether unsafe fixes are applied too.
        is_wanted: Whether a finding is to be fixed.
    """
    levels = (Safety.SAFE, Safety.UNSAFE) if unsafe else (Safety.SAFE,)
    state = _State(path, data, options)
    applied: list[tuple[Diagnostic, Fix]] = []
    rejected: dict[tuple[str, str, str], tuple[Diagnostic, Fix]] = {}
    for _ in range(_MOST_ROUNDS):
        candidates = [
            (finding, found)
            for finding, found in state.fixes()
            if found.safety in levels and is_wanted(finding) and _key(finding, found) not in rejected
        ]
        # A misspelt name first: the default that its absence causes must not be stated beside it.
        batch = _without_overlaps(sorted(candidates, key=lambda each: each[1].keeps_model))
        if not batch:
            break
        after = state.with_fixes(batch)
        if after is None and len(batch) > 1:  # one of them is wrong: each by itself
            batch, after = batch[:1], state.with_fixes(batch[:1])
        if after is None:
            rejected |= {_key(*each): each for each in batch}
        else:
            applied += batch
            state = after
    return FixedFile(
        path=path,
        before=data,
        after=state.data,
        applied=tuple(applied),
        rejected=tuple(rejected.values()),
        report=state.report,
    )


def _key(finding: Diagnostic, found: Fix) -> tuple[str, str, str]:
    return (finding.rule.name, finding.message, found.title)


class _State:
    def __init__(self, path: Path, data: bytes, options: CheckOptions) -> None:
        self._path, self._options = path, options
        self.data = data
        self.report, self._world = find_problems_and_world(path, options, data)

    def fixes(self) -> list[tuple[Diagnostic, Fix]]:
        """Return the fixes of findings about this file, not of others to which it refers."""
        found = []
        for finding in self.report.sorted():
            source = finding.location.source if finding.location is not None else None
            if source is not None and source.name == str(self._path) and source.data == self.data:
                candidate = finding.fix
                if candidate is not None:
                    found.append((finding, candidate))
        return found

    def with_fixes(self, batch: Sequence[tuple[Diagnostic, Fix]]) -> _State | None:
        """Return the file after fixes, or None if they have other effects than they should have."""
        edits = [edit for _, found in batch for edit in found.edits]
        try:
            after = _State(self._path, edited(Source(str(self._path), self.data), edits), self._options)
        except UnicodeEncodeError:  # the encoding of the file does not have a character
            return None
        before, left = _counts(self.report), _counts(after.report)
        removed = Counter(finding.rule.name for finding, _ in batch)
        is_removed = all(left[name] <= before[name] - count for name, count in removed.items())
        keeps_model = all(found.keeps_model for _, found in batch)
        if self._world is None:
            is_harmless = True  # what a file that can be read now reports is not the effect of the fix
        elif keeps_model:
            grave = {finding.rule.name for finding in after.report if finding.severity is not Severity.NOTE}
            is_harmless = all(left[name] <= before[name] for name in grave)
        else:  # what was ignored is read now, and may have findings of its own
            is_harmless = after._world is not None and len(after.report.errors) <= len(self.report.errors)
        if is_removed and is_harmless and not (keeps_model and self._has_another_model(after._world)):
            return after
        return None

    def _has_another_model(self, world: World | None) -> bool:
        if self._world is None or world is None:
            return self._world is not world
        return bool(compare(self._world, world, tolerance=_ROUNDING))


def _counts(report: Report) -> Counter[str]:
    return Counter(finding.rule.name for finding in report)


def _without_overlaps(candidates: Sequence[tuple[Diagnostic, Fix]]) -> list[tuple[Diagnostic, Fix]]:
    """Return fixes whose edits do not touch each other, and that all keep the model, or all may change it."""
    chosen: list[tuple[Diagnostic, Fix]] = []
    taken: list[tuple[int, int]] = []
    for finding, found in candidates:
        spans = [(edit.start, edit.stop) for edit in found.edits]
        is_free = all(stop < start_taken or stop_taken < start for start, stop in spans for start_taken, stop_taken in taken)
        if is_free and (not chosen or found.keeps_model == chosen[0][1].keeps_model):
            chosen.append((finding, found))
            taken += spans
    return chosen
