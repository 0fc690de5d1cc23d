"""Formats and checks of other packages: found when they are needed, and refused with one finding if they cannot be used."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import PROJECT
from ossature import plugins
from ossature.checks import check, plugin_checks
from ossature.diagnostics import OssatureError, Report, Source
from ossature.formats import Content, Format, FormatRegistry, Loaded, ReadContext, WriteContext
from ossature.formats.builtin_formats import OWN_FORMATS
from ossature.model import World
from ossature.rule_catalogue import catalogue_with_plugins

PACKAGE = PROJECT / "tests" / "plugin_package"


def install(folder: Path, name: str, entry_points: dict[str, dict[str, str]]) -> None:
    """Write what an installer writes for a package: the information from which its entry points are read."""
    information = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [line for group, each in entry_points.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in each.items()))]
    (information / "entry_points.txt").write_text("\n".join([*lines, ""]))


def project() -> dict[str, Any]:
    """Return the description of the package of this test."""
    return tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with the package of this test."""
    install(tmp_path / "site", project()["name"], project()["entry-points"])
    shutil.copytree(PACKAGE / "src" / "ossature_toy", tmp_path / "site" / "ossature_toy")
    return tmp_path / "site"


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Search for plug-ins anew, now and after the test."""
    plugins.plugins.cache_clear()
    yield monkeypatch
    plugins.plugins.cache_clear()


def run_commands(site: Path, *commands: str) -> list[tuple[int, str]]:
    """Run commands in one process that finds the package, and return the exit code and the output of each."""
    code = f"""
import json
from typer.testing import CliRunner
from ossature.cli.app import app
results = [CliRunner().invoke(app, command.split()) for command in {commands}]
print(json.dumps([(result.exit_code, result.output) for result in results]))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(PROJECT / "src")])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=site.parent, env=environment, check=True)
    return [(exit_code, output) for exit_code, output in json.loads(done.stdout)]


def test_a_format_and_a_check_of_an_installed_package(site: Path) -> None:
    folder = site.parent
    (folder / "blocks.toy").write_text("toy blocks\ncube 0.2\nfeather 0.0001\n")
    (folder / "unnamed").write_text("toy blocks\ncube heavy\n")
    found, by_content, converted, back, listed, explained = run_commands(
        site,
        "check blocks.toy",
        "check unnamed",
        "convert blocks.toy blocks.urdf",
        "convert blocks.urdf again.toy --verify",
        "formats",
        "explain TOY002",
    )
    assert found[0] == 0, found
    assert "light-body]: the mass is 0.0001 kg" in found[1]
    assert by_content[0] == 1
    assert "invalid-toy-line" in by_content[1]
    assert converted[0] == 0, converted
    assert back[0] == 0, back
    assert (folder / "again.toy").read_text() == (folder / "blocks.toy").read_text()
    assert "Toy files" in listed[1]
    assert "toy shop" in explained[1]


def test_the_page_shows_the_package() -> None:
    blocks = re.findall(r"^```\w+\n(.*?)^```$", (PROJECT / "docs" / "plugins.md").read_text(), re.MULTILINE | re.DOTALL)
    sources = PACKAGE / "src" / "ossature_toy"
    assert blocks[1:] == [(sources / name).read_text() for name in ("format.py", "light_body.py")]
    assert tomllib.loads(blocks[0])["project"]["entry-points"] == project()["entry-points"]


def test_plugins_are_searched_only_if_they_may_be_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(group: str) -> tuple[plugins.Plugin, ...]:
        raise AssertionError(group)

    monkeypatch.setattr(plugins, "plugins", searched)
    registry = FormatRegistry(OWN_FORMATS)
    for path in sorted((PROJECT / "examples").iterdir()):
        if path.suffix in (".skel", ".yaml", ".urdf", ".dae", ".usdf"):
            assert registry.find(path, path.read_bytes(), (Content.WORLD,)) is not None
    assert registry.to_write(Path("robot.urdf")).name == "urdf"
    with pytest.raises(AssertionError):
        registry.find(Path("robot.unknown"), b"unknown")


def test_without_plugins_nothing_of_the_standard_library_is_imported(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "other-1.0.dist-info").mkdir()
    (tmp_path / "other-1.0.dist-info" / "entry_points.txt").write_text("[console_scripts]\nother = other:main\n")
    fresh.setattr(sys, "path", [str(tmp_path), str(tmp_path / "absent"), ""])
    fresh.chdir(tmp_path)
    fresh.delitem(sys.modules, "importlib.metadata", raising=False)
    assert plugins.plugins(plugins.FORMATS) == ()
    assert "importlib.metadata" not in sys.modules


RULE = (
    "from ossature.diagnostics import Rule, Severity\n"
    "RULE = Rule(name='{}', code='{}', severity=Severity.NOTE, summary='s', explanation='e')\n"
)
FORMAT = "from ossature.formats import Format\nFORMAT = Format(name='{}', title='', suffixes=('.s',))\n"
BROKEN = {
    "raises": ("import absent_module\n", "cannot be imported: ModuleNotFoundError: No module named 'absent_module'"),
    "syntax": ("def\n", "cannot be imported: SyntaxError"),
    "absent": ("", "cannot be imported: AttributeError"),
    "other": ("FORMAT = 3\n", "it is no ossature.formats.Format, but a int"),
    "taken": (FORMAT.format("skel"), "there is a format named 'skel' already"),
    "dialect": (FORMAT.format("openrave"), "there is a format named 'openrave' already"),
}


@pytest.mark.parametrize(("text", "problem"), BROKEN.values(), ids=BROKEN)
def test_a_format_that_cannot_be_used(text: str, problem: str, fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "broken_format.py").write_text(text)
    install(tmp_path, "broken-format", {plugins.FORMATS: {"broken": "broken_format:FORMAT"}})
    fresh.syspath_prepend(tmp_path)
    fresh.delitem(sys.modules, "broken_format", raising=False)
    registry, report = FormatRegistry(OWN_FORMATS), Report()
    assert registry.find(Path("a.unknown"), b"?", (Content.WORLD,), report) is None
    (finding,) = report
    assert finding.rule is plugins.INVALID_PLUGIN
    assert finding.message.startswith("the plug-in 'broken' of the package broken-format is not used: ")
    assert problem in finding.message
    assert [known.name for known in registry.all()] == [known.name for known in OWN_FORMATS]
    with pytest.raises(
        ValueError, match=r"unknown format 'toy'.*the plug-in 'broken' of the package broken-format is not used"
    ):
        registry.named("toy")
    sys.modules.pop("broken_format", None)


def test_checks_that_cannot_be_used(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    function = "def check(world, report, context):\n    report.add(RULE, 'it ran')\n"
    modules = {
        "own_name": RULE.format("large-time-step", "TOY1") + function,
        "own_code": RULE.format("toy-rule", "MDL039") + function,
        "no_function": RULE.format("toy-rule", "TOY2"),
        "raises": "raise OSError('there is no licence server')\n",
        "right": RULE.format("toy-rule", "TOY3") + function,
        "second": RULE.format("toy-rule", "TOY4") + function,
    }
    for name, text in modules.items():
        (tmp_path / f"toy_{name}.py").write_text(text)
    install(tmp_path, "broken-checks", {plugins.CHECKS: {name: f"toy_{name}" for name in modules}})
    fresh.syspath_prepend(tmp_path)
    report = Report()
    assert [each.RULE.code for each in plugin_checks(report)] == ["TOY3"]
    problems = [finding.message.partition("is not used: ")[2] for finding in report]
    assert problems == [
        "it has no Rule named RULE, or no function named check",
        "there is a rule 'MDL039' already",
        "there is a rule 'large-time-step' already",
        "toy_raises cannot be imported: OSError: there is no licence server",
        "there is a rule 'toy-rule' already",
    ]
    assert [finding.message for finding in check(World()) if finding.rule.name == "toy-rule"] == ["it ran"]
    assert catalogue_with_plugins(Report()).find("TOY3") is not None
    for name in modules:
        sys.modules.pop(f"toy_{name}", None)


def test_a_plugin_that_raises_is_named(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "toy_failing.py").write_text(
        RULE.format("toy-rule", "TOY5")
        + "from ossature.formats import Format\nfrom ossature.model import Model\n"
        + "def check(world, report, context):\n    1 / 0\n"
        + "def read(context):\n    return Model(name=3)\n"
        + "def write(world, context):\n    return world.absent\n"
        + "FORMAT = Format(name='fails', title='', suffixes=('.fails',), read=read, write=write)\n"
    )
    install(tmp_path, "failing", {plugins.CHECKS: {"bad": "toy_failing"}, plugins.FORMATS: {"fails": "toy_failing:FORMAT"}})
    fresh.syspath_prepend(tmp_path)
    (finding,) = check(World())
    assert finding.rule is plugins.FAILED_PLUGIN
    place = "failed: ZeroDivisionError: division by zero (toy_failing.py, line "
    assert finding.message.startswith(f"the plug-in 'bad' of the package failing {place}")
    known, _ = FormatRegistry(OWN_FORMATS).named("fails")
    report = Report()
    assert known.read is not None
    assert known.read(ReadContext.of_file(Source("a.fails", b""), report)) == Loaded()
    (finding,) = report
    assert "the plug-in 'fails' of the package failing failed: ModelError: " in finding.message
    assert finding.location is not None
    with pytest.raises(OssatureError, match=r"failed: AttributeError: .*\(toy_failing\.py, line "):
        known.written_files(World(), WriteContext(path=tmp_path / "a.fails"))
    sys.modules.pop("toy_failing", None)


def test_rules_of_a_plugin_that_are_taken_are_not_listed(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A check may have the name of a rule of a format, which is known only when all rules are collected."""
    (tmp_path / "toy_name.py").write_text(RULE.format("unknown-format", "TOY1") + "def check(world, report, context): ...\n")
    install(tmp_path, "taken-rule", {plugins.CHECKS: {"taken": "toy_name"}})
    fresh.syspath_prepend(tmp_path)
    report = Report()
    assert catalogue_with_plugins(report).find("TOY1") is None
    assert [finding.rule for finding in report] == [plugins.INVALID_PLUGIN]
    sys.modules.pop("toy_name", None)


def test_names_are_unique() -> None:
    with pytest.raises(ValueError, match="there is a format named 'skel' already"):
        FormatRegistry([*OWN_FORMATS, Format(name="skel", title="", suffixes=())])


WRONG_FIELDS = {
    "sniff": "name='odd', title='', suffixes=('.odd',), sniff=None",
    "name": "name=['odd'], title='', suffixes=('.odd',)",
    "suffixes": "name='odd', title='', suffixes=None",
}


@pytest.mark.parametrize(("field", "arguments"), WRONG_FIELDS.items(), ids=WRONG_FIELDS)
def test_a_format_with_a_field_of_a_wrong_type(field: str, arguments: str, fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    registry = registry_with(f"FORMAT = Format({arguments})\n", fresh, tmp_path)
    report = Report()
    assert registry.find(Path("a.odd"), b"?", (Content.WORLD,), report) is None
    (finding,) = report
    assert re.search(f"its Format has a wrong type of .*{field}", finding.message)


def registry_with(text: str, fresh: pytest.MonkeyPatch, folder: Path) -> FormatRegistry:
    """Return the formats with that of a module of a plug-in."""
    (folder / "toy_odd.py").write_text(f"import sys\nfrom ossature.formats import Format, Loaded\n{text}")
    install(folder, "odd", {plugins.FORMATS: {"odd": "toy_odd:FORMAT"}})
    fresh.syspath_prepend(folder)
    fresh.delitem(sys.modules, "toy_odd", raising=False)
    return FormatRegistry(OWN_FORMATS)


@pytest.mark.parametrize("raised", ["sys.exit(3)", "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})"])
def test_a_plugin_ends_no_command_when_it_is_imported(raised: str, fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    report = Report()
    assert registry_with(f"{raised}\n", fresh, tmp_path).find(Path("a.odd"), b"?", (Content.WORLD,), report) is None
    assert [finding.rule for finding in report] == [plugins.INVALID_PLUGIN]


def test_functions_of_a_plugin_that_return_or_raise_anything_are_named(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    functions = "read=lambda context: Loaded(world=5), write=lambda world, context: [1], rules=lambda: (1,)"
    sniff = "sniff=lambda data: sys.exit(3)"
    registry = registry_with(
        f"FORMAT = Format(name='odd', title='', suffixes=('.odd',), {functions}, {sniff})\n", fresh, tmp_path
    )
    known, _ = registry.named("odd")
    report = Report()
    assert known.read is not None
    assert known.read(ReadContext.of_file(Source("a.odd", b""), report)) == Loaded()
    assert [finding.rule for finding in report] == [plugins.FAILED_PLUGIN]
    with pytest.raises(OssatureError, match="the plug-in 'odd' of the package odd failed: TypeError: its writer returned"):
        known.written_files(World(), WriteContext(path=tmp_path / "a.odd"))
    with pytest.raises(OssatureError, match="the plug-in 'odd' of the package odd failed: SystemExit"):
        known.sniff(b"?")
    with pytest.raises(ValueError, match="no Rule"):
        known.rules()
