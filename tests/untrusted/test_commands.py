"""Commands with hostile options, names and files, under ceilings; inputs and outputs that are not regular files."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ossature.cli.app import app
from untrusted.command_attacks import ARM, COMMAND_ATTACKS, mesh, urdf
from untrusted.fuzzing import harm
from untrusted.sandbox import IS_AVAILABLE, sandbox

needs_sandbox = pytest.mark.skipif(not IS_AVAILABLE, reason="processes are not forked under ceilings here")
posix = pytest.mark.skipif(os.name != "posix", reason="FIFOs, links and devices")
QUICK = ("targets", "sampled joints", "integration tolerances", "trajectory commands", "names in text", "gltf tree")


def require_harmless(names: tuple[str, ...], folder: Path) -> None:
    files = []
    for number, name in enumerate(names):
        files.append(folder / f"commands-{number}.txtar")
        files[-1].write_text(COMMAND_ATTACKS[name]())
    with sandbox() as used:
        for name, outcome in zip(names, used.use(files), strict=True):
            assert not harm(outcome), f"{name}: {harm(outcome)}"


@needs_sandbox
def test_quick_attacks(tmp_path: Path) -> None:
    require_harmless(QUICK, tmp_path)


@needs_sandbox
@pytest.mark.slow
def test_every_attack(tmp_path: Path) -> None:
    require_harmless(tuple(COMMAND_ATTACKS), tmp_path)


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (0, 1, 2)
    return result


@posix
def test_pipes_devices_and_folders_as_inputs_are_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for suffix in ("skel", "usdf", "csv", "json", "npz", "yaml", "obj"):
        os.mkfifo(f"pipe.{suffix}")
        Path(f"device.{suffix}").symlink_to("/dev/zero")
        Path(f"folder.{suffix}").mkdir()
        Path(f"cycle.{suffix}").symlink_to(f"cycle.{suffix}")
    for kind in ("pipe", "device", "folder", "cycle"):
        assert run("info", f"{kind}.skel").exit_code == 1
        assert run("check", f"{kind}.skel").exit_code == (0 if kind == "folder" else 1)  # the files in a folder are checked
        for suffix in ("usdf", "csv", "json", "npz"):
            assert run("state", "show", f"{kind}.{suffix}").exit_code == 1
        assert run("check", ARM, "--calibration", f"{kind}.yaml").exit_code == 1
        for option in ("--command", "--track"):
            assert run("simulate", ARM, "--duration", "0.002", option, f"{kind}.csv").exit_code == 1
        assert run("simulate", ARM, "--duration", "0.002", "--initial-state", f"{kind}.usdf").exit_code == 1
        Path("m.urdf").write_text(mesh(f"{kind}.obj"))
        assert f"{kind}.obj" in run("simulate", "m.urdf", "--duration", "0.002").output


@posix
@pytest.mark.parametrize(
    "command",
    [
        ("convert", ARM, "OUT.skel"),
        ("simulate", ARM, "--duration", "0.002", "--record", "OUT.csv"),
        ("simulate", ARM, "--duration", "0.002", "--save-state", "OUT.usdf"),
        ("state", "extract", ARM, "OUT.usdf"),
        ("calibration", "diff", ARM, ARM, "-o", "OUT.yaml"),
    ],
    ids=lambda command: " ".join(map(str, (command[0], command[-1]))),
)
def test_full_devices_folders_and_dangling_links_as_outputs_are_errors(
    command: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = Path(str(command[-1]))
    for target in ("/dev/full", tmp_path / "no folder" / "x", "/proc/version"):
        out.symlink_to(target)
        result = run(*command)
        assert result.exit_code != 0, (target, result.output)
        assert "error" in result.output
        assert out.is_symlink()
        out.unlink()
        assert list(tmp_path.iterdir()) == []
    out.mkdir()
    assert run(*command).exit_code != 0
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


@posix
def test_a_full_file_system_keeps_the_old_output(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounting = ["/bin/mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        (disk / "old.skel").write_text("old")
        (disk / "filler").write_bytes(bytes(56 << 10))
        result = run("convert", ARM, disk / "old.skel")
        assert result.exit_code == 1
        assert "no space left" in result.output.lower()
        assert (disk / "old.skel").read_text() == "old"
        assert run("simulate", ARM, "--duration", "1", "--record", disk / "run.csv").exit_code == 1
        assert {path.name for path in disk.iterdir()} <= {"old.skel", "filler", "run.csv"}
    finally:
        subprocess.run(["/bin/umount", str(disk)], check=True)


def test_a_model_that_changes_while_it_is_read_is_read_or_a_finding(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    versions = [urdf().encode() + b" " * 2_000_000, b"", urdf().encode()[:200], urdf().encode()]
    ended = threading.Event()

    def change() -> None:
        while not ended.is_set():
            for version in versions:
                file.write_bytes(version)

    file.write_bytes(versions[0])
    thread = threading.Thread(target=change)
    thread.start()
    try:
        codes = {run("info", file).exit_code for _ in range(30)}
    finally:
        ended.set()
        thread.join()
    assert codes <= {0, 1}
