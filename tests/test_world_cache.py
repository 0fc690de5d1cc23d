"""Worlds that are read from the cache: equal, and read again if anything has changed."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
import ossature.world_cache as world_cache
from conftest import PROJECT
from ossature import Simulation
from ossature.model import World

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
    facts, _, content = entry.read_bytes().partition(b"\n")
    contents = {"truncated": content[:-100], "foreign": pickle.dumps((_Harm(harmed), ())), "empty": b""}
    entry.write_bytes(facts + b"\n" + contents[kind])
    assert ossature.read(path, cache=folder)[0] == world
    assert not harmed.exists()
    assert entry.read_bytes().partition(b"\n")[2] == content


@pytest.mark.parametrize(
    "reduced", ["ossature.model.triangle_mesh\nnp.save", "ossature.diagnostics.location\ncached_property", "builtins\neval"]
)
def test_no_function_or_class_of_another_package_is_found(reduced: str, tmp_path: Path, folder: Path) -> None:
    path = arm_in(tmp_path)
    world, _ = ossature.read(path, cache=folder)
    world_cache._RECENT.clear()
    (entry,) = folder.iterdir()
    facts = entry.read_bytes().partition(b"\n")[0]
    entry.write_bytes(facts + b"\nc" + reduced.encode() + b"\n.")
    assert ossature.read(path, cache=folder)[0] == world


def test_nothing_is_cached_without_being_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of user"))
    ossature.load(arm_in(tmp_path))
    ossature.read("<robot name='r'><link name='l'/></robot>", cache=True)
    assert not list((tmp_path / "of user").rglob("*.world"))
    ossature.load(arm_in(tmp_path), cache=True)
    assert len(list((tmp_path / "of user").rglob("*.world"))) == 1
