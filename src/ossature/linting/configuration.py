"""The configuration of ``ossature check``: ``ossature.toml``, or the table ``tool.ossature`` of ``pyproject.toml``."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from ossature.assets.read_regular_files import read_regular_file
from ossature.diagnostics import Diagnostic, Severity, suggestion
from ossature.linting.path_patterns import matches, require_pattern
from ossature.linting.rule_selection import RuleSelection, SettingsError, require_selectors
from ossature.rule_catalogue import PROFILES, RuleCatalogue, apply_profile, catalogue_with_plugins

FILE_NAMES = ("ossature.toml", "pyproject.toml")
"""Names of configuration files, in each folder the first one that has a configuration."""
_MOST_BYTES = 1 << 20
_MOST_PARTS = 50
"""Largest number of parts of a key, which dots separate."""
_TOML_TOKEN = re.compile(r"""\.|[ \t]+|(?P<part>[\w-]+|"[^"\n]*"|'[^'\n]*')|(?P<other>.)""", re.DOTALL)
_KEYS = ("select", "ignore", "per-file-ignores", "severities", "exclude", "profile")


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Which findings are reported of which files, and how severe they are.

    Attributes:
        folder: The folder to which patterns are relative.
        selection: The rules whose findings are reported.
        per_file_ignores: Selectors of rules that are not reported for the files that match a pattern.
        severities: Severities of rules by name, code, or start of codes.
        exclude: Patterns of files and folders that are skipped when folders are searched.
        profile: Name of a profile of severities, or None.
    """

    folder: Path = field(default_factory=Path.cwd)
    selection: RuleSelection = field(default_factory=RuleSelection)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    severities: Mapping[str, Severity] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    profile: str | None = None

    def excludes(self, path: Path) -> bool:
        """Whether a file or folder is skipped when folders are searched."""
        inside = self._relative(path)
        return any(matches(inside, pattern) for pattern in self.exclude)

    def apply(self, findings: list[Diagnostic], path: Path) -> list[Diagnostic]:
        """Return the findings of a file that are reported, with their severities."""
        selection = self.selection
        inside = self._relative(path)
        ignored = [each for pattern, each in self.per_file_ignores.items() if matches(inside, pattern)]
        per_file = RuleSelection(ignore=tuple([selector for selectors in ignored for selector in selectors]))
        kept = [each for each in findings if selection.includes(each.rule) and per_file.includes(each.rule)]
        if self.profile is not None:
            kept = apply_profile(self.profile, kept)
        return [self._with_severity(each) for each in kept] if self.severities else kept

    def _with_severity(self, finding: Diagnostic) -> Diagnostic:
        ranked = {selector: RuleSelection(select=(selector,)).includes(finding.rule) for selector in self.severities}
        matching = [selector for selector, is_matching in ranked.items() if is_matching]
        if not matching:
            return finding
        exact = {finding.rule.name, finding.rule.code, finding.rule.code.lower()}
        best = max(matching, key=lambda selector: (selector in exact, len(selector) if selector != "ALL" else 0))
        return replace(finding, rule=finding.rule.with_severity(self.severities[best]))

    def _relative(self, path: Path) -> PurePath:
        return PurePath(os.path.relpath(os.path.abspath(path), self.folder))  # noqa: PTH100  # without resolving links


class ConfigurationFinder:
    """Finds the configuration of each file: the nearest one in its folder or above.

    Args:
        specified: The configuration file of all files, or None to search.
        is_searched: Whether configuration files are searched.

    Raises:
        SettingsError: The stated configuration file is not valid.
    """

    def __init__(self, specified: Path | None = None, *, is_searched: bool = True) -> None:
        self._by_folder: dict[Path, Configuration] = {}
        self._is_searched = is_searched
        self._specified = _read_configuration(specified, is_required=True) if specified is not None else None

    def of(self, path: Path) -> Configuration:
        """Return the configuration of a file or folder.

        Raises:
            SettingsError: A configuration file is not valid.
        """
        if self._specified is not None:
            return self._specified
        if not self._is_searched:
            return Configuration()
        absolute = Path(os.path.abspath(path))  # noqa: PTH100  # without resolving links
        return self._of_folder(absolute if absolute.is_dir() else absolute.parent)

    def _of_folder(self, folder: Path) -> Configuration:
        if folder not in self._by_folder:
            found = next((each for name in FILE_NAMES if (each := _read_configuration(folder / name)) is not None), None)
            if found is None:
                found = Configuration() if folder.parent == folder else self._of_folder(folder.parent)
            self._by_folder[folder] = found
        return self._by_folder[folder]


def _parse(text: str) -> dict[str, Any]:
    """Return the content of a TOML file.

    Raises:
        ValueError: It is not valid, or a key has so many parts that Python's parser, which is quadratic in them, takes long.
    """
    parts, follows_part = 0, False
    for token in _TOML_TOKEN.finditer(text):
        if token["other"]:
            parts, follows_part = 0, False
        elif token["part"]:
            follows_part = True
        elif token[0] == ".":
            parts, follows_part = parts + 1 if follows_part else 0, False
            if parts >= _MOST_PARTS:
                line = text.count("\n", 0, token.start()) + 1
                raise ValueError(f"line {line}: a key has more than {_MOST_PARTS} parts")
    return tomllib.loads(text)


def _read_configuration(path: Path, *, is_required: bool = False) -> Configuration | None:
    try:
        if not is_required and not path.is_file():
            return None
        data = read_regular_file(path, _MOST_BYTES)
    except OSError as error:
        if not is_required:
            return None
        raise SettingsError(f"{path}: {error.strerror or error}") from error
    try:
        table = _parse(data.decode())
    except ValueError as error:
        # Other tools report a broken project file that does not configure this one.
        if not is_required and path.name != "ossature.toml" and b"tool.ossature" not in data:
            return None
        raise SettingsError(f"{path}: {error}") from error
    except RecursionError as error:
        raise SettingsError(f"{path}: its values are nested too deeply") from error
    if path.name == "pyproject.toml":
        tools = table.get("tool", {})
        if not isinstance(tools, dict) or "ossature" not in tools:
            return None
        return _configuration_from(tools["ossature"], path)
    return _configuration_from(table, path)


def _configuration_from(table: Any, path: Path) -> Configuration:
    from ossature.diagnostics import Report

    if not isinstance(table, dict):
        raise SettingsError(f"{path}: 'tool.ossature' is not a table")
    for key in table:
        if key not in _KEYS:
            raise SettingsError(f"{path}: unknown key '{key}': {suggestion(key, _KEYS)}")
    catalogue = catalogue_with_plugins(Report())
    profile = table.get("profile")
    if profile is not None and profile not in list(PROFILES):  # it may be a list, which has no hash
        raise SettingsError(f"{path}: 'profile' is {profile!r}: one of {', '.join(PROFILES)}")
    select = _selectors(table["select"], "select", catalogue, path) if "select" in table else None
    return Configuration(
        folder=Path(os.path.abspath(path)).parent,  # noqa: PTH100  # without resolving links
        selection=RuleSelection(select, _selectors(table.get("ignore", []), "ignore", catalogue, path)),
        per_file_ignores={
            _pattern(pattern, "per-file-ignores", path): _selectors(selectors, f'per-file-ignores."{pattern}"', catalogue, path)
            for pattern, selectors in _table(table, "per-file-ignores", path).items()
        },
        severities={
            _selectors([selector], "severities", catalogue, path)[0]: _severity(severity, selector, path)
            for selector, severity in _table(table, "severities", path).items()
        },
        exclude=tuple([_pattern(each, "exclude", path) for each in _texts(table.get("exclude", []), "exclude", path)]),
        profile=profile,
    )


def _selectors(value: Any, key: str, catalogue: RuleCatalogue, path: Path) -> tuple[str, ...]:
    selectors = _texts(value, key, path)
    require_selectors(selectors, catalogue, f"{path}: '{key}'")
    return selectors


def _pattern(pattern: str, key: str, path: Path) -> str:
    try:
        require_pattern(pattern)
    except ValueError as error:
        raise SettingsError(f"{path}: '{key}': {error}: '{pattern[:40]}'") from error
    return pattern


def _texts(value: Any, key: str, path: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise SettingsError(f"{path}: '{key}' is not a list of strings")
    return tuple(value)


def _table(table: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise SettingsError(f"{path}: '{key}' is not a table")
    return value


def _severity(value: Any, selector: str, path: Path) -> Severity:
    if value not in list(Severity):
        raise SettingsError(f"{path}: the severity of '{selector}' is {value!r}: one of {', '.join(Severity)}")
    return Severity(value)
