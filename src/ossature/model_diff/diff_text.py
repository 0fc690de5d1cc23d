"""Differences as text for people: by category, with equal ones and similar ones on one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ossature.model_diff.changes import Category, Change, WorldDiff

_MOST_NAMES = 4
"""Elements that are listed by name on one line."""
_MOST_VALUES = 3
"""Different values of one quantity that are listed."""
_NOTHING = 1e-9
"""Distances of bodies up to this are rounding errors [m]."""


def diff_lines(found: WorldDiff, *, verbose: bool = False) -> list[str]:
    """Return the lines of a text about differences.

    Args:
        verbose: Whether each difference has a line of its own.
    """
    lines: list[str] = []
    paths = [(change.path_a, change.path_b) for change in found.changes]
    models = [
        {path.partition("/")[0] for path in side if path is not None and "/" in path} for side in zip(*paths, strict=True)
    ]
    if all(len(names) <= 1 for names in models):
        found = replace(found, changes=tuple([_without_model(change) for change in found.changes]))
    for category in Category:
        changes = [change for change in found.changes if change.category is category]
        if changes:
            lines.append(f"{category.value}:")
            lines += [f"  {line}" for line in _category_lines(changes, verbose)]
    lines += [f"note: {note}" for note in found.notes]
    return [*lines, _summary(found)]


def _without_model(change: Change) -> Change:
    """Return a change with paths without the model, if they have one."""
    paths = {name: path.rpartition("/")[2] for name in ("path_a", "path_b") if (path := getattr(change, name)) is not None}
    return replace(change, **paths)


def _category_lines(changes: Sequence[Change], verbose: bool) -> Iterator[str]:
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.quantity, _side(change)), []).append(change)
    for (quantity, side), group in groups.items():
        if quantity.startswith("name of the "):
            listed = [change.text for change in group] if verbose else [change.text for change in group][:_MOST_NAMES]
            yield f"{quantity}: {', '.join(listed)}{_more(len(group)) if not verbose else ''}"
        elif verbose:
            yield from [_line([_name(change)], f"{quantity}{side}", change.text) for change in group]
        else:
            yield from _group_lines(quantity, side, group)


def _group_lines(quantity: str, side: str, group: Sequence[Change]) -> Iterator[str]:
    """Yield lines about one quantity of several elements: one for each difference, or a summary of many."""
    by_text: dict[str, list[str]] = {}
    for change in group:
        by_text.setdefault(change.text, []).append(_name(change))
    if len(by_text) <= _MOST_VALUES:
        yield from [_line(names, f"{quantity}{side}", text) for text, names in by_text.items()]
        return
    largest = sorted(group, key=lambda change: -(change.amount or 0.0))[:_MOST_VALUES]
    elements = dict.fromkeys(map(_name, group))
    yield f"{quantity}{side} of {_count(len(elements))}: {', '.join(list(elements)[:_MOST_NAMES])}{_more(len(elements))}"
    for change in largest:
        yield f"  {_line([_name(change)], '', change.text)}"
    yield f"  … and {len(group) - len(largest)} more (--verbose lists all)"


def _line(names: Sequence[str], quantity: str, text: str) -> str:
    listed = f"{', '.join(list(dict.fromkeys(names))[:_MOST_NAMES])}{_more(len({*names}))}"
    return f"{listed}: {quantity} {text}".replace(":  ", ": ").rstrip()


def _more(count: int) -> str:
    return f" and {count - _MOST_NAMES} others" if count > _MOST_NAMES else ""


def _count(count: int) -> str:
    return f"{count} element{'s' * (count != 1)}"


def _name(change: Change) -> str:
    return change.path or "world"


def _side(change: Change) -> str:
    if change.path_a is None:
        return " only in B"
    return " only in A" if change.path_b is None else ""


def _summary(found: WorldDiff) -> str:
    poses = found.poses
    tolerance = f"within {found.tolerance:g}"
    if not found.changes:
        agreement = "" if poses is None else f", and poses at zero and {poses.configurations} random configurations"
        return f"no differences: everything agrees {tolerance}{agreement}"
    elements = {change.path for change in found.changes}
    text = f"{len(found.changes)} difference{'s' * (len(found.changes) != 1)} in {_count(len(elements))}"
    if poses is None:
        return text
    if poses.anywhere <= max(found.tolerance, _NOTHING):
        return f"{text}; corresponding bodies have the same poses at zero and {poses.configurations} random configurations"
    return (
        f"{text}; at equal joint positions corresponding bodies are up to {poses.anywhere:.3g} m apart "
        f"('{poses.body}'), {poses.at_zero:.3g} m at zero"
    )
