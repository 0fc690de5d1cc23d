"""A rich console that escapes control sequences of terminals and workflow commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from ossature.diagnostics.text_escaping import WORKFLOW_COMMAND, WORKFLOW_LINE, printable


class SafeConsole(Console):
    """A console that escapes non-printable characters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.push_render_hook(_EscapingHook())

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; a string is one line; line breaks in names are escaped."""
        super().print(*[printable(one, line_breaks=False) if isinstance(one, str) else one for one in objects], **options)


class WithoutTrailingBlanks:
    """A renderable whose lines end with their last character that is no blank; tables fill theirs with blanks."""

    def __init__(self, renderable: ConsoleRenderable) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in Segment.split_lines(console.render(self._renderable, options)):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                yield from line[:-1]
                yield Segment(line[-1].text.rstrip(), line[-1].style, line[-1].control)
            yield Segment.line()


class _EscapingHook(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Escaped(renderable) for renderable in renderables]


class _Escaped:
    """A renderable with non-printable characters and workflow commands escaped."""

    def __init__(self, renderable: ConsoleRenderable) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line: list[Segment] = []
        for segment in _split_lines(console.render(self._renderable, options)):
            if segment.text != "\n" or segment.control:
                line.append(segment)
                continue
            yield from _escape(line)
            yield segment
            line = []
        yield from _escape(line)


def _escape(line: list[Segment]) -> Iterator[Segment]:
    """Yield the segments of a line with non-printable characters and the start of a workflow command escaped."""
    is_command = WORKFLOW_LINE.match("".join([segment.text for segment in line if not segment.control])) is not None
    for segment in line:
        if segment.control:
            yield segment
            continue
        text = WORKFLOW_COMMAND.sub(r"#\\x23", printable(segment.text))
        if is_command and ":" in text:
            text, is_command = text.replace(":", r"\x3a", 1), False
        yield Segment(text, segment.style)


def _split_lines(segments: Iterable[Segment]) -> Iterator[Segment]:
    for segment in segments:
        if segment.control or "\n" not in segment.text:
            yield segment
            continue
        for number, part in enumerate(segment.text.split("\n")):
            if number:
                yield Segment.line()
            if part:
                yield Segment(part, segment.style)
