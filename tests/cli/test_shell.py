"""What a shell offers, and what reaches terminals, pipes and narrow windows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PROJECT
from ossature.cli import main
from ossature.formats import REGISTRY, Content

ARM = PROJECT / "examples" / "arm.skel"
ESCAPE = "\x1b["
VARIABLES = ("NO_COLOR", "FORCE_COLOR", "COLUMNS")


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'ossature'; from ossature.cli import main; main()"]
    surroundings = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, env=surroundings | environment, check=False
    )


def offered(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    words = len(line.split()) if line.endswith(" ") else len(line.split()) - 1
    for name, value in {"_OSSATURE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(words)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["ossature"])
    # `python -m pytest` would give the command the name of this module, and its variables others.
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None, raising=False)
    with pytest.raises(SystemExit):
        main()
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("ossature re", {"render"}),
        ("ossature check a --format ", {"text", "json", "sarif", "github"}),
        ("ossature convert a b --input-format ", {known.name for known in REGISTRY.own(Content.WORLD) if known.read}),
        ("ossature convert a b --output-format m", {"mjcf"}),
        ("ossature view a --layer jo", {"joint-axes"}),
        ("ossature explain missing-m", {"missing-mesh"}),
        ("ossature schema sk", {"skel"}),
    ],
)
def test_a_shell_completes_names(
    line: str, some: set[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert some <= set(offered(line, monkeypatch, capsys))


@pytest.mark.parametrize("group", [(), ("state",), ("sensor",)], ids=str)
def test_without_a_command_the_help_has_lines(group: tuple[str, ...]) -> None:
    result = run(*group)
    assert result.returncode == 2
    assert result.stderr.strip() == run(*group, "--help").stdout.strip()


def test_completion_is_shown_or_refused_where_no_shell_is_detected() -> None:
    assert run("--show-completion", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1").returncode in (0, 2)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_had_for_every_shell(shell: str) -> None:
    script = run(_OSSATURE_COMPLETE=f"source_{shell}").stdout
    assert "_OSSATURE_COMPLETE" in script


@pytest.fixture
def typo(tmp_path: Path) -> Path:
    path = tmp_path / "typo.skel"
    path.write_text(ARM.read_text().replace("damping", "dampening"))
    return path


def test_pipes_get_no_colours(typo: Path) -> None:
    commands = [["check", str(typo)], ["info", str(ARM)], ["simulate", str(ARM), "--duration", "0.01"]]
    code = f"""
import sys
from contextlib import suppress
from ossature.cli import main
for command in {commands}:
    sys.argv = ["ossature", *command]
    with suppress(SystemExit):
        main()
"""
    surroundings = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=surroundings, check=True)
    assert all(word in result.stdout for word in ("typo.skel:", "shoulder", "steps of"))
    assert ESCAPE not in result.stdout + result.stderr


def test_an_output_of_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "arm.skel"
    path.write_text(ARM.read_text().replace('skeleton name="arm"', 'skeleton name="größe日"'), encoding="utf-8")
    assert "gr\\xf6\\xdfe\\u65e5" in run("info", path, PYTHONIOENCODING="ascii").stdout
    poses = json.loads(run("pose", path, "--json", PYTHONIOENCODING="ascii").stdout)
    assert "größe日" in poses


def test_colours_can_be_forced_and_no_color_wins(typo: Path) -> None:
    assert ESCAPE in run("info", ARM, FORCE_COLOR="1").stdout
    quiet = run("info", ARM, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert not any(f"{ESCAPE}{code}m" in quiet for code in range(30, 38))


def test_a_narrow_window_cuts_no_line_of_a_finding(typo: Path) -> None:
    wide, narrow = (run("check", typo, COLUMNS=columns).stdout for columns in ("200", "40"))
    assert wide == narrow
    assert "typo.skel:" in wide


def test_output_that_nobody_reads_is_no_error() -> None:
    command = f'"{sys.executable}" -m ossature rules | head -1'
    result = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [("info", ARM), ("--version",)])
def test_a_full_device_is_one_line(arguments: tuple[object, ...]) -> None:
    command = [sys.executable, "-m", "ossature", *map(str, arguments)]
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        silent = subprocess.run(command, stdout=full, stderr=full, text=True, check=False)
    assert told.stderr == "error: the output cannot be written: no space left on device\n"
    assert (told.returncode, silent.returncode) == (1, 1)


def test_without_any_output_a_command_runs() -> None:
    command = f'"{sys.executable}" -m ossature rules >&-'
    result = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_an_interruption_while_modules_are_loaded_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ossature.cli._run", interrupt)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
