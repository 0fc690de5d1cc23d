"""Worlds that are read from the cache: equal, and read again if anything has changed."""

from __future__ import annotations

import os
import pickle
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
import ossature.world_cache as world_cache
from collada_documents import geometry, robot, shown
from conftest import PROJECT
from ossature import Simulation, element_pickles
from ossature.assets import AssetError, data_path_from_environment, search_path_from_environment, user_cache
from ossature.assets.file_access_log import FileAccessLog, logged_file_access, real_path
from ossature.assets.filesystem import DiskFiles
from ossature.assets.read_regular_files import read_regular_file
from ossature.assets.uri_resolver import FOLDER_VARIABLES
from ossature.diagnostics import Diagnostic, LimitError
from ossature.diagnostics.resource_limits import READING_TOO_LONG
from ossature.formats.load_file import read_file
from ossature.model import TriangleMesh, World
from ossature.syntax.rules import UNREADABLE_FILE
from ossature.world_cache import WorldCache

EXAMPLES = PROJECT / "examples"
FILES = ("arm.skel", "slider_crank.yaml", "picker.dae", "palletizer.urdf", "gripper_arm.sdf", "finger.xml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture(autouse=True, params=["of this process", "of another process"])
def _forget(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let entries be found in memory, or in files only."""
    monkeypatch.setattr(world_cache, "_RECENT", {})
    monkeypatch.setattr(world_cache, "_MOST_RECENT", 16 if request.param == "of this process" else 0)


@pytest.fixture
def refuse_reading(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function after whose call no file can be read without the cache."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    return lambda: monkeypatch.setattr("ossature.io.read_file", refuse)


def described(findings: Any) -> list[str]:
    return [repr(finding) for finding in findings]


@pytest.mark.parametrize("name", FILES)
def test_a_cached_world_is_the_one_that_was_read(name: str, folder: Path, refuse_reading: Callable[[], None]) -> None:
    world, report = ossature.read(EXAMPLES / name, cache=folder)
    assert world is not None and len(list(folder.iterdir())) == 1
    refuse_reading()
    cached, again = ossature.read(EXAMPLES / name, cache=folder)
    assert cached == world and described(again) == described(report)
    assert cached is not None
    moved = [Simulation(one) for one in (world, cached)]
    for simulation in moved:
        simulation.step(20)
    np.testing.assert_array_equal(moved[0].data.qpos, moved[1].data.qpos)


def arm_in(folder: Path) -> Path:
    return Path(shutil.copy(EXAMPLES / "arm.skel", folder / "arm.skel"))


def write_entry(path: Path, content: bytes) -> None:
    """Write an entry of the cache with its checksum, as the cache does."""
    path.write_bytes(zlib.crc32(content).to_bytes(4, "little") + content)


def gravity(world: World | None) -> float:
    assert world is not None
    return world.gravity[2]


def test_a_file_that_has_changed_is_read_again(tmp_path: Path, folder: Path) -> None:
    path = arm_in(tmp_path)
    specified = path.stat()
    assert gravity(ossature.read(path, cache=folder)[0]) == -9.81
    path.write_text(path.read_text().replace("-9.81", "-1.62"))
    os.utime(path, ns=(specified.st_atime_ns, specified.st_mtime_ns))
    assert gravity(ossature.read(path, cache=folder)[0]) == -1.62


def test_a_file_to_which_another_one_refers_may_change(tmp_path: Path, folder: Path) -> None:
    part, whole = tmp_path / "part.xml", tmp_path / "whole.xml"
    part.write_text('<mujoco><option gravity="0 0 -1"/></mujoco>')
    whole.write_text('<mujoco><include file="part.xml"/><worldbody><geom size="1"/></worldbody></mujoco>')
    assert gravity(ossature.load(whole, cache=folder)) == -1.0
    part.write_text('<mujoco><option gravity="0 0 -2"/></mujoco>')
    assert gravity(ossature.load(whole, cache=folder)) == -2.0


@pytest.fixture(params=["Linux", "Linux without /proc", "another system"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system have the means to find a path without links, or not."""

    def read_link(path: Any) -> str:
        if os.fspath(path).startswith("/proc"):
            raise FileNotFoundError(path)
        return readlink(path)

    readlink = os.readlink
    if request.param == "Linux without /proc":
        monkeypatch.setattr(os, "readlink", read_link)
    elif request.param == "another system":
        monkeypatch.delattr(os, "O_PATH", raising=False)


@pytest.mark.usefixtures("system")
def test_a_folder_may_be_a_link_to_another_one_later(tmp_path: Path, folder: Path) -> None:
    link = tmp_path / "robot"
    for version in (1, 2):
        (tmp_path / f"v{version}").mkdir()
        (tmp_path / f"v{version}" / "part.xml").write_text(f'<mujoco><option gravity="0 0 -{version}"/></mujoco>')
        (tmp_path / f"v{version}" / "whole.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / f"v{version}")
        assert gravity(ossature.load(link / "whole.xml", cache=folder)) == -version


@pytest.mark.usefixtures("system")
def test_a_real_path_has_no_links(tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    file = tmp_path / "a folder" / "ä\n.xml"
    file.write_text("")
    link, dangling, cycle = tmp_path / "link", tmp_path / "dangling", tmp_path / "cycle"
    for one, target in ((link, "a folder"), (dangling, "nothing"), (cycle, "cycle")):
        one.symlink_to(target)
    for path in (file, link / file.name, dangling, cycle, tmp_path / "absent" / "x", Path("pyproject.toml"), link):
        assert real_path(path) == os.path.realpath(path)


def test_a_link_to_a_file_that_was_refused_may_lead_to_another_one(tmp_path: Path, folder: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for one in (inside, outside):
        one.mkdir()
        (one / "solver.yaml").write_text("chrono-version: 10.0.0\ntype: MBS\nsolver:\n  contact_method: NSC\n")
    body = "{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}"
    (inside / "model.yaml").write_text(f"chrono-version: 10.0.0\ntype: MBS\nmodel: {{name: m, bodies: [{body}]}}\n")
    specified = "chrono-version: 10.0.0\ntype: MBS\nmodel: model.yaml\nsolver: link.yaml\nsimulation: {time_step: 1e-3}\n"
    (inside / "whole.yaml").write_text(specified)
    (inside / "link.yaml").symlink_to(outside / "solver.yaml")
    world, report = ossature.read(inside / "whole.yaml", cache=folder)
    assert world is not None and report.take("missing-file")
    (inside / "link.yaml").unlink()
    (inside / "link.yaml").symlink_to("solver.yaml")
    assert not ossature.read(inside / "whole.yaml", cache=folder)[1].take("missing-file")


def test_a_file_that_cannot_be_read_any_more(tmp_path: Path, folder: Path) -> None:
    path = arm_in(tmp_path)
    ossature.read(path, cache=folder)
    path.unlink()
    path.symlink_to(path)
    world, report = ossature.read(path, cache=folder)
    assert world is None and report.take("unreadable-file")


def test_an_srdf_file_that_is_added_is_read(tmp_path: Path, folder: Path) -> None:
    path, links = tmp_path / "r.urdf", '<link name="a"/><link name="b"/>'
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
    path.write_text(f'<robot name="r">{links}{joint}</robot>')
    before = ossature.load(path, cache=folder)
    pair = '<disable_collisions link1="a" link2="b" reason="Adjacent"/>'
    path.with_suffix(".srdf").write_text(f'<robot name="r">{pair}</robot>')
    after = ossature.load(path, cache=folder)
    assert after == ossature.load(path) and after != before


def test_a_process_that_reads_from_the_cache_imports_few_modules(folder: Path) -> None:
    program = (
        "import sys, ossature; ossature.load(sys.argv[1], cache=sys.argv[2]); "
        "print(*{'numpy', 'ssl', 'ossature.checks', 'ossature.kinematics', 'ossature.formats.urdf'} & sys.modules.keys())"
    )
    command = [sys.executable, "-c", program, str(EXAMPLES / "palletizer.urdf"), str(folder)]
    printed = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(2)]
    assert {"numpy", "ossature.formats.urdf"} <= set(printed[0]) and printed[1] == []


def test_other_options_have_other_entries(tmp_path: Path, folder: Path) -> None:
    path = arm_in(tmp_path)
    for options in ({}, {"format": "skel"}, {"allow": [tmp_path]}):
        ossature.read(path, cache=folder, **options)
    assert len(list(folder.iterdir())) == 3


class _Harm:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self._path), "w")


@pytest.mark.parametrize("kind", ["truncated", "foreign", "empty"])
def test_a_damaged_entry_is_no_entry(kind: str, tmp_path: Path, folder: Path) -> None:
    path, harmed = arm_in(tmp_path), tmp_path / "harmed"
    world, _ = ossature.read(path, cache=folder)
    world_cache._RECENT.clear()
    (entry,) = folder.iterdir()
    before = entry.read_bytes()
    facts, _, content = before[4:].partition(b"\n")
    contents = {"truncated": content[:-100], "foreign": pickle.dumps((_Harm(harmed), ())), "empty": b""}
    write_entry(entry, facts + b"\n" + contents[kind])
    assert ossature.read(path, cache=folder)[0] == world
    assert not harmed.exists()
    assert entry.read_bytes() == before


def test_a_single_wrong_bit_is_noticed(tmp_path: Path, folder: Path) -> None:
    path = arm_in(tmp_path)
    world, _ = ossature.read(path, cache=folder)
    (entry,) = folder.iterdir()
    before = entry.read_bytes()
    gravity_bytes = struct.pack(">d", -9.81)
    assert before.count(gravity_bytes) == 1
    damaged = bytearray(before)
    damaged[before.index(gravity_bytes)] ^= 1
    entry.write_bytes(damaged)
    world_cache._RECENT.clear()
    assert ossature.read(path, cache=folder)[0] == world
    assert entry.read_bytes() == before


def test_a_mesh_that_cannot_be_read_is_no_error_of_the_cache(tmp_path: Path, folder: Path) -> None:
    path, shape = tmp_path / "robot.dae", geometry("g").replace("<p>0 2 1", "<p>0 2 9")
    path.write_text(robot(geometries=shape, base_node=shown("g")))
    for _ in range(2):
        world, report = ossature.read(path, cache=folder)
        assert world is not None and described(report) == described(ossature.read(path)[1])
        visual = world.models[0].bodies["base"].visuals[0].geometry
        assert isinstance(visual, TriangleMesh)
        with pytest.raises(AssetError):
            _ = visual.surface.triangles


def test_a_world_that_is_nested_too_deeply_is_not_cached(folder: Path) -> None:
    nested: Any = ()
    for _ in range(100_000):
        nested = (nested,)
    finding = Diagnostic(rule=READING_TOO_LONG, message="", path=nested)
    with pytest.raises(RecursionError):
        element_pickles.dump(finding, {})
    cache, key = WorldCache(folder), "a" * 40
    cache.put(key, World(), [replace(finding, rule=UNREADABLE_FILE)], FileAccessLog())
    assert cache.get(key) is None
    cache.put(key, World(), [], FileAccessLog())
    assert cache.get(key) == (World(), ())


def test_a_world_that_was_read_up_to_a_limit_of_time_is_read_again(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_in_part(*arguments: Any, **options: Any) -> World | None:
        arguments[1].refuse(LimitError(READING_TOO_LONG, "reading takes too long", None, ""))
        return read_file(*arguments, **options)

    path = arm_in(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("ossature.io.read_file", read_in_part)
        assert ossature.read(path, cache=folder)[1].has_errors
    assert not ossature.read(path, cache=folder)[1].has_errors


def test_a_file_that_changes_while_it_is_read_twice_is_not_cached(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_and_change(*arguments: Any, **options: Any) -> World | None:
        found = read_file(*arguments, **options)
        path.write_text(path.read_text().replace("-9.81", "-1.62"))
        assert b"-1.62" in read_regular_file(path, 1 << 20)
        return found

    path = arm_in(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("ossature.io.read_file", read_and_change)
        assert gravity(ossature.read(path, cache=folder)[0]) == -9.81
    assert gravity(ossature.read(path, cache=folder)[0]) == -1.62


def test_a_file_in_a_folder_that_cannot_be_opened_is_logged(tmp_path: Path) -> None:
    with logged_file_access() as log, pytest.raises(OSError):
        DiskFiles().read_beneath(tmp_path, Path("absent.stl"), 1 << 20)
    assert log.digests == {str(tmp_path / "absent.stl"): None}


@pytest.mark.parametrize("name", ["HOME", *FOLDER_VARIABLES])
def test_another_folder_in_the_environment_is_another_entry(
    name: str, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = arm_in(tmp_path)
    ossature.read(path, cache=folder)
    monkeypatch.setenv(name, str(tmp_path))
    ossature.read(path, cache=folder)
    assert len(list(folder.iterdir())) == 2


def test_all_variables_with_folders_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    class Environment(dict[str, str]):
        def get(self, name: str, default: Any = None) -> Any:
            asked.add(name)
            return super().get(name, default)

    asked: set[str] = set()
    monkeypatch.setattr(os, "environ", Environment())
    search_path_from_environment()
    data_path_from_environment()
    assert asked == set(FOLDER_VARIABLES)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no users of the system own files")
def test_a_folder_into_which_others_can_write_is_not_used(tmp_path: Path, folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    ossature.read(arm_in(tmp_path), cache=folder)
    assert not list(folder.iterdir())


def test_the_working_folder_may_be_removed(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = arm_in(tmp_path)
    (tmp_path / "removed").mkdir()
    monkeypatch.chdir(tmp_path / "removed")
    (tmp_path / "removed").rmdir()
    assert ossature.read(path, cache=folder)[0] is not None


def test_nothing_is_cached_without_being_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of user"))
    ossature.load(arm_in(tmp_path))
    ossature.read("<robot name='r'><link name='l'/></robot>", cache=True)
    assert not list((tmp_path / "of user").rglob("*.world"))
    ossature.load(arm_in(tmp_path), cache=True)
    assert len(list((tmp_path / "of user").rglob("*.world"))) == 1


def test_a_changed_compiled_module_is_another_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    module = tmp_path / f"_xml{EXTENSION_SUFFIXES[-1]}"
    monkeypatch.setattr(user_cache, "__file__", str(tmp_path / "assets" / "user_cache.py"))
    digests = []
    for content in ("one", "another"):
        module.write_text(content)
        monkeypatch.setattr(user_cache, "_PROGRAM", [])
        digests.append(user_cache._program_digest())
    assert digests[0] != digests[1]
