"""The registry of formats: those of the package, and those of plug-ins, which are loaded when they may be needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from itertools import chain
from pathlib import Path

from ossature import plugins
from ossature.diagnostics import OssatureError, Report, suggestion
from ossature.formats.builtin_formats import OWN_FORMATS
from ossature.formats.format import Content, Format
from ossature.formats.guard_plugin_format import guard_plugin_format


class FormatRegistry:
    """Formats by name.

    Args:
        formats: The formats that need no search.

    Raises:
        ValueError: Two formats have the same name.
    """

    def __init__(self, formats: Iterable[Format]) -> None:
        self._formats: list[Format] = []
        self._named: dict[str, tuple[Format, str | None]] = {}
        self._problems: list[tuple[plugins.Plugin, str]] = []
        self._has_plugins = False
        self._lock = threading.Lock()
        for known in formats:
            self.add(known)

    def add(self, added: Format) -> None:
        """Add a format.

        Raises:
            ValueError: Its name, or that of a dialect, is the name of another one.
        """
        for name in (added.name, *added.dialects):
            if name in self._named:
                raise ValueError(f"there is a format named '{name}' already")
        self._formats.append(added)
        self._named |= {name: (added, None if name == added.name else name) for name in (added.name, *added.dialects)}

    def all(self, *contents: Content, report: Report | None = None) -> list[Format]:
        """Return the formats with some contents, by default of all contents, with plug-ins, whose problems are reported."""
        self._load_plugins(report)
        return [known for known in self._formats if not contents or known.content in contents]

    def dialects(self) -> list[str]:
        """Return the dialects of all formats."""
        return [dialect for known in self.all() for dialect in known.dialects]

    def own(self, content: Content) -> list[Format]:
        """Return the formats with a content that need no search of plug-ins."""
        return [known for known in OWN_FORMATS if known.content is content]

    def named(self, name: str, is_choice: Callable[[Format], bool] = lambda _: True) -> tuple[Format, str | None]:
        """Return the format of a name, and the dialect if the name is that of a dialect.

        Args:
            name: The name.
            is_choice: Which formats the message about an unknown name lists.

        Raises:
            ValueError: There is none.
            TypeError: The name is not a text.
        """
        if not isinstance(name, str):
            raise TypeError(f"a format is stated by its name, such as 'urdf', not {name!r:.80}")
        if name not in self._named:
            self._load_plugins(None)
        if name not in self._named:
            choices = [choice for choice, (known, _) in self._named.items() if is_choice(known)]
            raise ValueError(f"unknown format '{name}': {suggestion(name, choices)}{self._failed()}")
        return self._named[name]

    def find(
        self, path: Path, data: bytes = b"", contents: Collection[Content] = (), report: Report | None = None
    ) -> Format | None:
        """Return the format of a file by its suffix and its first bytes, or None if it is unknown.

        Args:
            path: The file.
            data: Its first bytes, if they are known.
            contents: What the file should contain. A format with another content is returned if it fits better.
            report: Receives findings about plug-ins that cannot be used.
        """
        rank, found = self._best(path, data, contents)
        if rank < (_SUFFIX_AND_CONTENT if data else _WANTED_SUFFIX):
            self._load_plugins(report)
            rank, found = self._best(path, data, contents)
        return found

    def to_write(self, path: Path, name: str | None = None) -> Format:
        """Return the format in which a World is written to a file: the named one, or that of its suffix.

        Raises:
            OssatureError: There is none.
        """
        if name is not None:
            if name not in self._named:
                self._load_plugins(None)
            known = self._named.get(name)
            if known is None or not _writes_world(known[0]):
                choices = [choice for choice, (each, _) in self._named.items() if _writes_world(each)]
                problem = (
                    f"unknown output format '{name}'" if known is None else f"models cannot be written in the format {name}"
                )
                raise OssatureError(f"{problem}: {suggestion(name, choices)}{self._failed()}")
            return known[0]
        found = self._written_with(path.suffix.lower())
        if found is None:
            self._load_plugins(None)
            found = self._written_with(path.suffix.lower())
        if found is not None:
            return found
        only_read = next(
            (each for each in self._formats if each.read is not None and path.suffix.lower() in each.suffixes), None
        )
        problem = suffix_problem(path) if only_read is None else f"models cannot be written in the format {only_read.name}"
        if only_read is not None and only_read.content is Content.STATE:
            problem += " (`ossature state extract` writes the initial state of one)"
        known_suffixes = ", ".join(f"{each.name} ({' '.join(each.suffixes)})" for each in filter(_writes_world, self._formats))
        raise OssatureError(f"{problem}; formats that are written: {known_suffixes}{self._failed()}")

    def _written_with(self, suffix: str) -> Format | None:
        return next((each for each in self._formats if _writes_world(each) and suffix in each.suffixes), None)

    def _best(self, path: Path, data: bytes, contents: Collection[Content]) -> tuple[int, Format | None]:
        suffix, best, found = path.suffix.lower(), 0, None
        # Usually the first of the formats with the suffix fits best, and no other one has to look at the content.
        with_suffix = (known for known in self._formats if suffix in known.suffixes)
        others = (known for known in self._formats if suffix not in known.suffixes)
        for known in chain(with_suffix, others):
            rank = _rank(known, suffix, data, known.content in contents)
            if rank > best:
                best, found = rank, known
            if rank == _BEST_RANK:
                break
        return best, found

    def _load_plugins(self, report: Report | None) -> None:
        with self._lock:
            if not self._has_plugins:
                self._has_plugins = True
                for plugin in plugins.plugins(plugins.FORMATS):
                    self._add_plugin(plugin)
        if report is not None:
            for plugin, problem in self._problems:
                plugins.report_plugin(plugin, problem, report)

    def _add_plugin(self, plugin: plugins.Plugin) -> None:
        problem = plugin.problem
        if not problem and not isinstance(plugin.value, Format):
            problem = f"it is no ossature.formats.Format, but a {type(plugin.value).__name__}"
        try:
            if not problem:
                self.add(guard_plugin_format(plugin))
        except ValueError as error:
            problem = str(error)
        if problem:
            self._problems.append((plugin, problem))

    def _failed(self) -> str:
        """Return the plug-ins that cannot be used, for messages."""
        return "".join(f"; the plug-in {plugin.label} is not used: {problem}" for plugin, problem in self._problems)


def suffix_problem(path: Path) -> str:
    """Return why the suffix of a file names no format."""
    return f"unknown suffix '{path.suffix}'" if path.suffix else f"'{path.name}' has no suffix"


def _writes_world(known: Format) -> bool:
    return known.content is Content.WORLD and known.write is not None


_BEST_RANK, _SUFFIX_AND_CONTENT, _WANTED_SUFFIX = 5, 4, 3
_GENERIC_SUFFIXES = (".xml",)
"""Suffixes of files of many formats, which are recognised by content."""


def _rank(known: Format, suffix: str, data: bytes, is_wanted: bool) -> int:
    """Return how well a format fits a file; 0 if it does not."""
    has_suffix = suffix in known.suffixes
    has_content = bool(data) and known.sniff(data)
    if has_suffix and has_content:
        return _SUFFIX_AND_CONTENT + is_wanted
    if has_suffix:
        is_specific = not data or suffix not in _GENERIC_SUFFIXES
        return _WANTED_SUFFIX if is_wanted and known.read is not None and is_specific else 1
    return 1 + is_wanted if has_content else 0


REGISTRY = FormatRegistry(OWN_FORMATS)
"""The formats."""
