"""The hooks of pre-commit, the GitHub action and the problem matcher, as far as they run here."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from conftest import PROJECT
from ossature.cli.app import app

GOOD = (PROJECT / "examples" / "arm.skel").read_text()
TYPO = GOOD.replace("<damping>0.5</damping>", "<dampingg>0.5</dampingg>")
BAD = TYPO.replace("<mass>3</mass>", "<mass>heavy</mass>")
SHELL = shutil.which("bash") or ""
GIT = shutil.which("git") or ""


def hooks() -> dict[str, Any]:
    return {hook["id"]: hook for hook in yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text())}


def run_hook(name: str, *files: Path) -> tuple[int, str]:
    """Run a hook on files as pre-commit does: those that match are arguments of its entry."""
    hook = hooks()[name]
    matching = [str(file) for file in files if re.search(hook["files"], str(file))]
    program, *words = shlex.split(hook["entry"])
    assert program == "ossature"
    result = CliRunner().invoke(app, [*words, "--no-cache", *matching])
    return result.exit_code, result.output


@pytest.mark.skipif(not GIT, reason="git is not installed")
def test_pre_commit_refuses_a_commit_with_an_error(tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"PRE_COMMIT_HOME": str(tmp_path / "home"), "GIT_CONFIG_GLOBAL": os.devnull}
    repository = tmp_path / "robots"
    repository.mkdir()

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=repository, env=environment, check=False, capture_output=True, text=True)

    hook = hooks()["ossature-check"]
    program = f"{shlex.quote(sys.executable)} -m {hook['entry']} --no-cache"
    # The interpreter of the tests instead of an environment, which pre-commit would install from a package index.
    configuration = {"repos": [{"repo": "local", "hooks": [hook | {"language": "unsupported", "entry": program}]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration))
    (repository / "good.skel").write_text(GOOD)
    (repository / "notes.txt").write_text("<robot>")
    run(GIT, "init", "-q")
    run(sys.executable, "-m", "pre_commit", "install")
    run(GIT, "add", ".")
    commit = (GIT, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-m", "Add robots")
    accepted = run(*commit)
    assert accepted.returncode == 0, accepted.stderr
    assert "Check robot models" in accepted.stderr
    (repository / "bad.skel").write_text(BAD)
    run(GIT, "add", "bad.skel")
    refused = run(*commit)
    assert refused.returncode == 1
    assert "bad.skel:" in refused.stderr
    assert "notes.txt" not in refused.stderr


def test_the_hook_that_fixes_changes_the_text(tmp_path: Path) -> None:
    file = tmp_path / "typo.skel"
    file.write_text(TYPO)
    run_hook("ossature-fix", file)
    assert file.read_text() == GOOD


@pytest.mark.parametrize("name", ["ossature-check", "ossature-fix"])
def test_hooks_state_what_pre_commit_requires(name: str) -> None:
    hook = hooks()[name]
    assert {"id", "name", "entry", "language", "files"} <= hook.keys()
    assert all(re.search(hook["files"], f"a.{suffix}") for suffix in ("urdf", "skel", "dae", "zae"))


def action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((PROJECT / "action.yml").read_text())
    return found


@pytest.mark.skipif(not SHELL, reason="bash is not installed")
def test_the_step_of_the_action_annotates_files(tmp_path: Path) -> None:
    (step,) = [step for step in action()["runs"]["steps"] if step["name"] == "Check"]
    program = tmp_path / "bin" / "ossature"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ossature "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "bad.skel").write_text(BAD)
    (tmp_path / "it; touch stolen.skel").write_text(GOOD)
    values = {"files": "*.skel; touch stolen", "options": "--no-cache --profile strict"}
    specified = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: values[found[1]], text) for name, text in step["env"].items()
    }
    environment = {**os.environ, **specified, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [SHELL, "-e", "-c", step["run"]], cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode in (1, 2)
    assert not (tmp_path / "stolen").exists()
    environment["FILES"] = "bad.skel"
    done = subprocess.run(
        [SHELL, "-e", "-c", step["run"]], cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "::error file=bad.skel,line=" in done.stdout


def test_inputs_of_the_action_are_never_part_of_a_script() -> None:
    assert not [step for step in action()["runs"]["steps"] if "${{" in step["run"]]
    used = {name for step in action()["runs"]["steps"] for name in re.findall(r"inputs\.(\w+)", str(step))}
    assert used == action()["inputs"].keys()


def test_the_problem_matcher_matches_each_finding(tmp_path: Path) -> None:
    (matcher,) = json.loads((PROJECT / "problem-matcher.json").read_text())["problemMatcher"]
    (pattern,) = matcher["pattern"]
    file = tmp_path / "bad.skel"
    file.write_text(BAD)
    lines = CliRunner().invoke(app, ["check", "--no-cache", "--notes", str(file)]).output.splitlines()
    found = [match for line in lines if (match := re.match(pattern["regexp"], line))]
    assert {match[pattern["code"]] for match in found} >= {"computed-inertia", "unknown-element"}
    assert len(found) == len([line for line in lines if line.startswith(str(file))])
    for match in found:
        assert Path(match[pattern["file"]]).name == "bad.skel"
        assert match[pattern["severity"]] in ("error", "warning", "note")
        assert int(match[pattern["line"]]) > 0
