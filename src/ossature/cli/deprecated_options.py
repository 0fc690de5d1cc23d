"""Former names of commands and options: they still work, with a warning, for one release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from ossature.cli.console import errors_console
from ossature.diagnostics.text_escaping import printable

_IK_TARGETS = (
    "transform6d",
    "rotation3d",
    "translation3d",
    "direction3d",
    "ray4d",
    "lookat3d",
    "translation-direction5d",
)

FORMER_OPTIONS: Mapping[str, str] = {
    "--from": "--input-format",
    "--to": "--output-format",
    "--openrave": "--dialect openrave",
    "--motor-speeds": "--motor-speed-unit",
    "--partial": "--ignore-mismatch",
    "--efforts": "--apply-forces",
    "--no-efforts": "--no-apply-forces",
    "--from-state": "--initial-state",
    "--state": "--initial-state",
    "--follow": "--track",
    "--sense": "--sensor",
    "--readings": "--sensor-output",
    "--final": "--save-world",
    "--grab": "--grasp",
    "--close": "--close-gripper",
    "--open": "--open-gripper",
    "--sample": "--sample-interval",
    "--interval": "--sample-interval",
    "--step": "--sample-interval",
    "--show": "--layer",
    "--free": "--sample-joint",
    "--suggest": "--list-target-types",
    "--write": "--output",
    "--out": "--output",
    "--onto": "--at",
    "--root": "--part-link",
} | {f"--{name}": f"--target {name}:" for name in _IK_TARGETS}
"""Current option by former one. A word after it is the option's value, or its prefix if it ends in a colon."""

FORMER_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "sense": ("sensor", "read"),
    "compose": ("attach",),
    "calibrate": ("calibration",),
}
"""Current command by former one."""


class _WholeSummary:
    """A command whose line in the list of commands ends at a colon or semicolon if its first sentence is too long."""

    def get_short_help_str(self, limit: int = 45) -> str:
        sentence: str = super().get_short_help_str(1000)  # type: ignore[misc]
        if len(sentence) <= limit:
            return sentence
        clause = re.split(r"[;:] ", sentence, maxsplit=1)[0] + "."
        return clause if len(clause) <= limit else super().get_short_help_str(limit)  # type: ignore[misc]


class Command(_WholeSummary, TyperCommand):
    """A command that accepts former names of its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments after each former option is replaced by the current one."""
        return super().parse_args(ctx, _with_optional_values(list(self._current_arguments(ctx, args))))

    def _current_arguments(self, ctx: Any, args: Sequence[str]) -> Iterator[str]:
        parameters = self.get_params(ctx)
        options = {name for one in parameters for name in (*one.opts, *one.secondary_opts)}
        with_value = {name for one in parameters if not getattr(one, "is_flag", False) for name in one.opts}
        rest = iter(args)
        for word in rest:
            if word == "--":
                yield word
                break
            name, equals, value = word.partition("=")
            current = FORMER_OPTIONS.get(name, "") if name not in options else ""
            option, _, specified = current.partition(" ")
            if option not in options:
                yield word
                if word in with_value:
                    yield from (one for one in [next(rest, None)] if one is not None)
                continue
            _warn(name, current)
            yield option
            if specified and not specified.endswith(":"):
                yield specified
            elif equals or option in with_value:
                yield from (specified + one for one in [value if equals else next(rest, None)] if one is not None)
        yield from rest


_OPTIONAL_VALUES = {"--infer-inertia": "1000"}
"""Options whose value may be omitted, with the value that they have then; a value is given as ``--option=value``."""


def _with_optional_values(args: list[str]) -> list[str]:
    end = args.index("--") if "--" in args else len(args)
    return [f"{word}={_OPTIONAL_VALUES[word]}" if word in _OPTIONAL_VALUES else word for word in args[:end]] + args[end:]


UsageError: Any = typer.BadParameter.__base__
"""The error of wrong arguments; its module differs between versions of typer."""


class Group(_WholeSummary, TyperGroup):
    """Commands that can be called by their former names too, and whose errors of usage have no control characters."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        with _printable_usage_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was called."""
        with _printable_usage_errors():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the command that the arguments name, and the arguments that are left."""
        current = FORMER_COMMANDS.get(args[0], ()) if args and args[0] not in self.commands else ()
        if current and current[0] in self.commands:
            _warn(args[0], " ".join(current))
            args = [*current, *args[1:]]
        return super().resolve_command(ctx, args)


@contextmanager
def _printable_usage_errors() -> Iterator[None]:
    """Escape the messages of errors of usage: the names of strangers' files may be arguments."""
    try:
        yield
    except UsageError as error:
        if type(error).__name__ != "NoArgsIsHelpError":  # a private class of typer, whose message is our help
            error.message = printable(error.message, line_breaks=False)
        raise


def _warn(former: str, current: str) -> None:
    text = f"'{former}' is deprecated, and will be removed in the next release: use '{current}'"
    errors_console().print(f"[yellow]warning[/]: {text}", soft_wrap=True)
