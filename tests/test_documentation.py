"""Each command and each Python block in README and docs runs, and commands print the output that the page shows.

Blocks marked ``console`` contain commands after ``$``, each followed by its output, in which ``…`` matches any text; a command
without output is not compared. Blocks marked ``python`` of one page share a namespace. All run in a folder with the files of
``examples``, in the order of the page. Images are rendered in a small size, and
plots with their first panel only.
"""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import ossature
import ossature.model
from conftest import PROJECT
from ossature.cli.app import app
from ossature.recordings import plot_panels

PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTSIDE = re.compile(r"^ {4,}\$? ?ossature \w", re.MULTILINE)
"""A command in an indented block, which would not be run."""
KINDS = {"console", "python", "yaml", "xml", "json", "text", "toml", ""}


@dataclass(frozen=True)
class Block:
    kind: str
    text: str

    def commands(self) -> list[tuple[str, str]]:
        """Return the commands with the output that the page shows."""
        found = re.split(r"^\$ ", self.text, flags=re.MULTILINE)
        assert not found[0].strip(), "a console block begins with a command"
        pairs = [one.partition("\n") for one in found[1:]]
        return [(command, output) for command, _, output in pairs]


def blocks_of(page: Path) -> list[Block]:
    return [Block(kind, text) for kind, text in BLOCK.findall(page.read_text())]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file in (PROJECT / "examples").iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    draw = plot_panels.image_of_panels
    monkeypatch.setattr(
        plot_panels, "image_of_panels", lambda times, panels, suffix: draw(times, dict(islice(panels.items(), 1)), suffix)
    )
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_runs(page: Path, folder: Path) -> None:
    names: dict[str, Any] = {}
    for block in blocks_of(page):
        assert block.kind in KINDS
        if block.kind == "python" and page.stem != "examples":  # tests/test_example_scripts.py runs those
            exec(compile(block.text, str(page), "exec"), names)  # noqa: S102
        for command, output in block.commands() if block.kind == "console" else ():
            run(command, output)


def run(command: str, shown: str) -> None:
    """Run a command, and compare what it prints with what the page shows."""
    program, *words = shlex.split(command, comments=True)
    assert program == "ossature", f"{command}: only commands of ossature are run"
    if words[0] == "view" and "--export" not in words:
        words += ["--export", "unshown.html"]  # without it the command serves until it is stopped
    if words[0] == "render" and "--size" not in words:
        words += ["--size", "48x30"]  # rays are cast on the CPU
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == (1 if "# exit code 1" in command else 0), f"{command}\n{result.output}"
    pattern = "[^\0]*?".join(re.escape(part) for part in _words(shown).split("…"))
    if shown.strip():
        assert re.fullmatch(pattern, _words(result.output)), f"{command} printed\n{result.output}"


def _words(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.strip().split("\n"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_whose_blocks_need_the_examples_name_their_folder(page: Path) -> None:
    text = page.read_text()
    blocks = "\n".join(block.text for block in blocks_of(page) if block.kind in ("console", "python"))
    files = [path.name for path in (PROJECT / "examples").iterdir() if path.is_file()]
    is_about_scripts = page.stem == "examples"  # they find their files
    assert (
        is_about_scripts
        or "folder `examples`" in text
        or not any(re.search(rf"\b{re.escape(name)}\b", blocks) for name in files)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_command_is_outside_of_a_console_block(page: Path) -> None:
    assert not OUTSIDE.findall(page.read_text())


@pytest.mark.parametrize("page", [*PAGES, *PROJECT.glob("*.md")], ids=lambda page: page.stem)
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", BLOCK.sub("", page.read_text()))
    missing = [one for one in targets if "://" not in one and not (page.parent / one).exists()]
    assert not missing


ROOTS = (PROJECT, PROJECT / "src" / "ossature", PROJECT / "tests" / "plugin_package" / "src")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_modules_that_are_named_exist(page: Path) -> None:
    named = re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", page.read_text())
    missing = [one for one in named if not any((root / one).exists() for root in ROOTS)]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_members_of_public_classes_that_are_named_exist(page: Path) -> None:
    text = page.read_text()
    named = {*re.findall(r"`(?:ossature\.)?([A-Z]\w+)\.([a-z]\w*)", text)}
    named |= {("Simulation", one) for one in re.findall(r"`simulation\.(\w+)", text)}
    owners = {name: getattr(ossature, name, None) or getattr(ossature.model, name, None) for name, _ in named}
    assert not [(name, one) for name, one in named if owners[name] is not None and not hasattr(owners[name], one)]


@cache
def main_command() -> Any:
    return typer.main.get_command(app)


INLINE = re.compile(r"`(ossature [^`]+)`", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_in_the_text_name_commands_options_and_files_that_exist(page: Path) -> None:
    console = "\n".join(block.text for block in blocks_of(page))
    for command in INLINE.findall(BLOCK.sub("", page.read_text())):
        words = command.split()[1:]
        known = main_command()
        while words and hasattr(known, "commands") and words[0] in known.commands:
            known = known.commands[words.pop(0)]
        if not words or not words[0].startswith("-"):
            assert not words or not hasattr(known, "commands") or hasattr(known, "invoke_without_command"), command
        options = {name for parameter in known.params for name in (*parameter.opts, *parameter.secondary_opts)} | {
            "-h",
            "--help",
        }
        unknown = [word for word in words if word.startswith("--") and word.split("=")[0] not in options]
        assert not unknown, f"{command}: {unknown}"
        inputs = words[:-1] if known.name == "convert" else words
        files = [word for word in inputs if re.fullmatch(r"[a-z_]+\.(?:skel|urdf|dae|yaml|xml|usdf|srdf)", word)]
        missing = [file for file in files if not (PROJECT / "examples" / file).exists() and file not in console]
        assert not missing, f"{command}: {missing}"


def test_the_changelog_has_the_usual_headings_and_one_line_a_change() -> None:
    lines = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    headings = [line for line in lines if line.startswith("#")]
    kinds = ["Added", "Changed", "Fixed", "Removed", "Security"]
    assert headings == ["# Changelog", "## Unreleased", *(f"### {kind}" for kind in kinds)]
    entries = [line for line in lines if line.startswith("- ")]
    assert not [line for line in lines if line.startswith(" ")], "one line a change"
    assert len(set(entries)) == len(entries)
