"""The registry finds the format of each file, and all formats read and write through the same two calls."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import ossature
from complete_robot import robot
from conftest import PROJECT
from ossature.comparison import compare
from ossature.diagnostics import LoadError, OssatureError, Report, Source
from ossature.formats import REGISTRY, Content, Format, ReadContext, WriteContext
from ossature.formats.builtin_formats import OWN_FORMATS
from ossature.formats.load_file import load_file
from ossature.formats.registry import FormatRegistry
from ossature.formats.sniffing import xml_root
from ossature.model import Channel, Trajectory
from ossature.model.calibration import Calibration, JointOffset

EXAMPLES = sorted(
    path for path in (PROJECT / "examples").iterdir() if path.suffix in (".skel", ".yaml", ".dae", ".urdf", ".sdf", ".usdf")
)


@pytest.mark.parametrize("known", OWN_FORMATS, ids=lambda known: known.name)
def test_every_function_of_the_table_exists(known: Format) -> None:
    from ossature.formats.format import imported

    for called in (known.read, known.write, known.record, known.write_reference, *known.passes):
        target = getattr(called, "__qualname__", "")
        if ":" in target:
            assert callable(imported(target))
    is_parsed_by_library = known.name == "usd"
    assert (
        known.schema() or is_parsed_by_library or known.content in (Content.TRAJECTORY, Content.RECORDING) or known.read is None
    )
    assert all(rule.name for rule in known.rules())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_content_is_recognised_without_a_suffix(path: Path) -> None:
    by_suffix = REGISTRY.find(path, path.read_bytes(), (Content.WORLD,))
    assert by_suffix is not None
    assert REGISTRY.find(Path("unnamed"), path.read_bytes(), (Content.WORLD,)) is by_suffix


@pytest.mark.parametrize(
    ("text", "root"),
    [
        (b"<skel/>", "skel"),
        (
            b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- <robot> --><!DOCTYPE a [<!ENTITY b '<urdf>'>]><c:COLLADA x='1'>",
            "COLLADA",
        ),
        (b"<!-- never closed <robot>", ""),
        (b"plain text", ""),
        (b"<" * 100_000, ""),
        (b"<!--x-->" * 20_000, ""),
    ],
)
def test_root_elements(text: bytes, root: str) -> None:
    assert xml_root(text) == root


UNEXPECTED = {
    "calibration.yaml": (b"ossature-calibration: 1\n", "this file contains the calibration of a robot, not a model"),
    "state": (b"<world_state version='1.0' name='w'/>", "this file contains the state of a world, not a model"),
    "run.csv": (b"time,a\n", "files with the suffix '.csv' contain a trajectory, not a model"),
    "run.npz": (b"PK\x03\x04", "this file contains a recording, not a model"),
}
UNKNOWN = {
    "model.scene": (b"<scene/>", "unknown suffix '.scene', and the content is XML with the root element <scene>"),
    "model.abc": (b"Ogawa\0\0", "unknown suffix '.abc', and the content is binary"),
    "model": (b"", "'model' has no suffix, and the file is empty"),
    "model.unknown": (b"", "unknown suffix '.unknown', and the file is empty"),
}


@pytest.mark.parametrize(("name", "case"), [*UNEXPECTED.items(), *UNKNOWN.items()], ids=[*UNEXPECTED, *UNKNOWN])
def test_a_file_that_is_no_model(name: str, case: tuple[bytes, str], tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(case[0])
    world, report = ossature.read(tmp_path / name)
    assert world is None
    assert [(finding.rule.name, finding.message) for finding in report] == [
        ("unexpected-content" if name in UNEXPECTED else "unknown-format", case[1])
    ]


@pytest.mark.parametrize("content", [Content.STATE, Content.CALIBRATION])
def test_a_model_in_place_of_something_else(content: Content) -> None:
    report = Report()
    load_file(PROJECT / "examples" / "arm.skel", report, contents=(content,))
    assert [finding.rule.name for finding in report] == ["unexpected-content"]
    assert "contains a model" in str(report)


def test_states_trajectories_and_calibrations_through_the_registry(tmp_path: Path) -> None:
    channel = Channel(model="arm", joint="elbow", coordinate=0, times=(0.0, 1.0), values=(0.1, 0.2))
    contents = {
        "usdf": ossature.Simulation(ossature.load(PROJECT / "examples" / "arm.skel")).state(),
        "trajectory": Trajectory(name="t", channels=(channel,)),
        "calibration": Calibration(joints=(JointOffset(model="arm", joint="elbow", offset=0.01),)),
    }
    for name, content in contents.items():
        known, _ = REGISTRY.named(name)
        path = tmp_path / f"t{known.suffixes[0]}"
        (path, data), *others = known.written_files(content, WriteContext(path=path)).items()
        assert not others
        assert known.read is not None
        loaded = known.read(ReadContext.of_file(Source(str(path), data), Report()))
        (found,) = [*loaded.states, *loaded.trajectories, *([loaded.calibration] if loaded.calibration else [])]
        assert not compare(content, found), name


def test_a_dialect_by_its_old_and_its_new_name() -> None:
    path = next(path for path in EXAMPLES if path.suffix == ".dae")
    old, new = ossature.load(path, format="openrave"), ossature.load(path, dialect="openrave")
    assert old == new == ossature.load(path, format="collada", dialect="openrave")
    assert REGISTRY.to_write(Path("a.txt"), "openrave").name == "collada"
    with pytest.raises(ValueError, match="the format 'urdf' has no dialect 'openrave'"):
        ossature.load(path, format="urdf", dialect="openrave")


def test_conversion_in_one_call(tmp_path: Path) -> None:
    done = ossature.convert(PROJECT / "examples" / "palletizer.urdf", tmp_path / "p.yaml", verify=True)
    assert done.format == "chrono"
    assert list(done.files) == [tmp_path / "p.yaml", tmp_path / "p_run.yaml"]
    assert all(path.read_bytes() == content for path, content in done.files.items())
    assert not done.differences
    assert len(done.ledger)


def test_nothing_is_written_if_the_conversion_is_not_as_required(tmp_path: Path) -> None:
    source = PROJECT / "examples" / "palletizer.urdf"
    with pytest.raises(ossature.ConversionError, match="not lossless") as error:
        ossature.convert(source, tmp_path / "p.skel", strict=True)
    assert not error.value.conversion.ledger.lossless
    with pytest.raises(OssatureError, match="urdf files cannot refer to others; use collada"):
        ossature.convert(source, tmp_path / "p.urdf", reference={"palletizer": "p.dae"})
    with pytest.raises(LoadError):
        ossature.convert(tmp_path / "absent.urdf", tmp_path / "p.skel")
    assert not list(tmp_path.iterdir())


def test_verification_finds_what_a_writer_conceals(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A writer that drops the joints without an entry in the ledger."""
    from dataclasses import replace

    from ossature.model import NamedList

    known, _ = REGISTRY.named("skel")

    def conceal(world: ossature.World, context: WriteContext) -> ossature.World:
        return replace(world, models=NamedList([replace(model, joints=NamedList()) for model in world.models]))

    monkeypatch.setitem(REGISTRY._named, "skel", (replace(known, passes=(*known.passes, conceal)), None))
    with pytest.raises(ossature.ConversionError, match="differs from the input beyond the ledger") as error:
        ossature.convert(PROJECT / "examples" / "arm.skel", tmp_path / "arm.skel", format="skel", verify=True)
    assert error.value.conversion.differences
    assert not list(tmp_path.iterdir())


def test_an_archive_is_an_ordinary_output(tmp_path: Path) -> None:
    done = ossature.convert(robot(), tmp_path / "robot.zae", verify=True)
    assert done.files[tmp_path / "robot.zae"].startswith(b"PK")
    json.dumps(done.ledger.to_records())


def test_a_format_that_is_only_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = robot()
    registry = FormatRegistry([replace(known, write=None) if known.name == "sdf" else known for known in OWN_FORMATS])
    monkeypatch.setattr("ossature.conversion.REGISTRY", registry)
    with pytest.raises(OssatureError, match="models cannot be written in the format sdf; formats that are written: skel"):
        ossature.save(world, tmp_path / "robot.sdf")
    with pytest.raises(OssatureError, match="`ossature state extract` writes the initial state of one"):
        ossature.save(world, tmp_path / "robot.usdf")
    with pytest.raises(OssatureError, match=r"unknown suffix '\.robot'; formats that are written"):
        ossature.save(world, tmp_path / "robot.robot")
    with pytest.raises(OssatureError, match="models cannot be written in the format sdf: did you mean 'usd'"):
        ossature.save(world, tmp_path / "robot.urdf", format="sdf")


@pytest.mark.parametrize(
    ("suffix", "text", "hint"),
    [
        (
            ".urdf",
            '<skel version="1.0"/>',
            "this is a file of SKEL: change its suffix, or state the format (--input-format skel, in Python format='skel')",
        ),
        (
            ".skel",
            '<robot name="r"/>',
            "this is a file of URDF: change its suffix, or state the format (--input-format urdf, in Python format='urdf')",
        ),
        (
            ".sdf",
            "<mujoco/>",
            "this is a file of MJCF: change its suffix, or state the format (--input-format mjcf, in Python format='mjcf')",
        ),
        (
            ".dae",
            '<sdf version="1.9"/>',
            "this is a file of SDFormat: change its suffix, or state the format (--input-format sdf, in Python format='sdf')",
        ),
        (
            ".yaml",
            "<?xml version='1.0'?><skel/>",
            "this is a file of SKEL: change its suffix, or state the format (--input-format skel, in Python format='skel')",
        ),
        (".skel", "<html/>", "the root element of a SKEL file is <skel>"),
    ],
)
def test_a_file_with_the_suffix_of_another_format_is_recognised(suffix: str, text: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    path.write_text(text)
    world, report = ossature.read(path)
    assert world is None
    assert [finding.hint for finding in report if finding.rule.name == "wrong-root-element"] == [hint]
