"""Round trips are bit-exact; what URDF cannot represent is in the ledger."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import ossature
from complete_robot import robot
from conftest import PROJECT, example_models
from format_conversion import written
from ossature import model as m
from ossature.comparison import Difference, compare
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import Ledger, Report, Source
from ossature.diagnostics.ledger import Action
from ossature.formats.urdf import read_urdf, write_urdf
from ossature.model import Body, Extension, Joint, Model, NamedList, World
from ossature.spatial import Pose, quaternion_from_rotation_vector
from perturb import EACH, Changes, before
from urdf_corpus import load, urdf_files

EXAMPLES = PROJECT / "examples"
OWN_FILES = sorted([*EXAMPLES.glob("*.urdf"), *(PROJECT / "tests" / "urdf" / "files").glob("*.urdf")])
OTHER_FILES = sorted(
    [
        *example_models(".skel", ".yaml"),
        *(PROJECT / "tests" / "skel" / "files").glob("*.skel"),
        PROJECT / "tests" / "chrono" / "files" / "everything.yaml",
        PROJECT / "tests" / "collada" / "files" / "loop.dae",
    ]
)


def read(path: Path) -> World:
    world, _ = ossature.read(path)
    assert world is not None
    return world


def read_text(text: str, folder: Path) -> World:
    report = Report()
    again = read_urdf(Source("written.urdf", text.encode()), report, folder=folder)
    assert again is not None
    assert not report.has_errors, str(report)
    return again


def written_and_read(world: World, folder: Path) -> tuple[World, Ledger]:
    ledger = Ledger()
    return read_text(write_urdf(world, ledger, folder=folder), folder), ledger


def converted_and_read(world: World, folder: Path) -> tuple[World, Ledger]:
    """Write a World as ``ossature convert`` does, and read it again."""
    ledger, path = Ledger(), folder / "converted.urdf"
    return read_text(written(world, "urdf", path, ledger).decode(), folder), ledger


def lost(world: World, again: World, ledger: Ledger) -> list[Difference]:
    return uncovered_differences(world, again, ledger, tolerance=1e-12)


@pytest.mark.parametrize("name", urdf_files())
def test_corpus(corpus: Path, name: str, tmp_path: Path) -> None:
    world = load(corpus, name)
    again, ledger = written_and_read(world, tmp_path)
    assert again == world, compare(world, again)[0]
    # Missing limits are required by URDF: they are written as the largest finite number.
    assert {entry.action for entry in ledger} <= {Action.REWRITTEN}
    assert len(ledger) == (6 if "pr2" in name else 0)


@pytest.mark.parametrize("path", OWN_FILES, ids=lambda path: path.stem)
def test_own_files(path: Path, tmp_path: Path) -> None:
    world = read(path)
    again, ledger = written_and_read(world, tmp_path)
    assert again == world, compare(world, again)[0]
    assert not list(ledger)


@EACH
@pytest.mark.parametrize("path", OWN_FILES, ids=lambda path: path.stem)
def test_every_field_is_preserved_or_in_the_ledger(path: Path, changes: Changes, tmp_path: Path) -> None:
    count = 0
    for where, changed in changes(read(path), *map(read, before(path, OWN_FILES))):
        for again, ledger in (written_and_read(changed, tmp_path), converted_and_read(changed, tmp_path)):
            missing = lost(changed, again, ledger)
            assert not missing, f"{where}: {missing[0]} is not in the ledger"
        count += len(where.split(" or "))
    assert count > 50 or path != OWN_FILES[0]


@EACH
@pytest.mark.parametrize("path", OTHER_FILES, ids=lambda path: path.stem)
def test_every_field_of_other_formats_is_preserved_or_in_the_ledger(path: Path, changes: Changes, tmp_path: Path) -> None:
    for where, changed in [("unchanged", read(path)), *changes(read(path), robot(), *map(read, before(path, OTHER_FILES)))]:
        again, ledger = converted_and_read(changed, tmp_path)
        missing = lost(changed, again, ledger)
        assert not missing, f"{where}: {missing[0]} is not in the ledger"


@EACH
def test_every_field_of_a_robot_is_preserved_or_in_the_ledger(changes: Changes, tmp_path: Path) -> None:
    for where, changed in [("unchanged", robot()), *changes(robot())]:
        for again, ledger in (written_and_read(changed, tmp_path), converted_and_read(changed, tmp_path)):
            missing = lost(changed, again, ledger)
            assert not missing, f"{where}: {missing[0]} is not in the ledger"


@pytest.mark.parametrize("suffix", [".skel", ".yaml", ".dae"])
@pytest.mark.parametrize("path", OWN_FILES, ids=lambda path: path.stem)
def test_losses_of_other_formats_are_in_their_ledger(path: Path, suffix: str, tmp_path: Path) -> None:
    world, file = read(path), tmp_path / f"robot{suffix}"
    ledger = ossature.save(world, file)
    there = read(file)
    back, ledger_back = converted_and_read(there, tmp_path)
    missing = [found for found in lost(world, back, ledger) if not ledger_back.covers(found.path)]
    assert not missing, missing[0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("suffix", [".skel", ".yaml", ".dae"])
@pytest.mark.parametrize("name", urdf_files())
def test_losses_of_the_corpus_in_other_formats_are_in_their_ledger(
    corpus: Path, name: str, suffix: str, tmp_path: Path
) -> None:
    world, file = load(corpus, name), tmp_path / f"robot{suffix}"
    ledger = ossature.save(world, file)
    back, ledger_back = converted_and_read(read(file), tmp_path)
    missing = [found for found in lost(world, back, ledger) if not ledger_back.covers(found.path)]
    assert not missing, missing[0]


def body(name: str, **fields: object) -> Body:
    return Body(name=name, **fields)  # type: ignore[arg-type]


def fixed(name: str, parent: str | None, child: str, **fields: object) -> Joint:
    return Joint(name=name, type=m.Fixed(), parent=parent, child=child, **fields)  # type: ignore[arg-type]


def world_of(bodies: list[Body], joints: list[Joint], **fields: object) -> World:
    return World(models=NamedList([Model(name="r", bodies=NamedList(bodies), joints=NamedList(joints), **fields)]))  # type: ignore[arg-type]


def test_unsupported_content_is_in_the_ledger(tmp_path: Path) -> None:
    attached = [fixed("a", None, "one"), fixed("b", "one", "two"), fixed("loop", None, "two"), fixed("nowhere", None, "absent")]
    cycle = [fixed("c", "four", "three"), fixed("d", "three", "four")]
    ball = Joint(name="ball", type=m.Spherical(), parent="two", child="five")
    world = world_of([body(name) for name in ("one", "two", "three", "four", "five")], [*attached, *cycle, ball])
    again, ledger = written_and_read(world, tmp_path)
    dropped = {entry.path for entry in ledger if entry.action is Action.DROPPED}
    assert {"r/loop", "r/nowhere", "r/d", "r/ball"} <= dropped
    assert again.models[0].joints["a"].parent is None
    assert again.models[0].joints["four_floating"].type == m.Floating()


def test_several_models(tmp_path: Path) -> None:
    moving = Model(name="arm", bodies=NamedList([body("a"), body("b")]), joints=NamedList([fixed("j", "a", "b")]))
    world = World(models=NamedList([Model(name="ground", static=True, bodies=NamedList([body("g")])), moving]))
    again, ledger = written_and_read(world, tmp_path)
    assert again.models.names() == ("arm",)
    assert ledger.covers("ground")


TURNED = Pose((1.0, 2.0, 3.0), quaternion_from_rotation_vector((0.1, 0.2, 0.3)))


def test_pose_of_fixed_base_is_preserved(tmp_path: Path) -> None:
    world = world_of([body("fixed")], [fixed("j", None, "fixed")], pose=TURNED)
    again, _ = written_and_read(world, tmp_path)
    assert ossature.poses(again)["r"]["fixed"].matrix() == pytest.approx(TURNED.matrix(), abs=1e-15)


def test_pose_of_free_base_is_in_the_ledger(tmp_path: Path) -> None:
    for world in (world_of([body("free", pose=TURNED)], []), world_of([body("free")], [], pose=TURNED)):
        again, ledger = written_and_read(world, tmp_path)
        assert not again.models[0].joints
        assert ledger.covers("r.pose") or ledger.covers("r/free.pose"), str(ledger)


@pytest.mark.parametrize("path", OTHER_FILES, ids=lambda path: path.stem)
def test_body_poses_are_preserved(path: Path, tmp_path: Path) -> None:
    world = read(path)
    again, _ = converted_and_read(world, tmp_path)
    written = again.models[0]
    specified = world.models[written.name]
    for body in specified.bodies:
        expected = (specified.pose @ body.pose).matrix()
        assert written.bodies[body.name].pose.matrix() == pytest.approx(expected, abs=1e-9), body.name


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "bell\a", "<&\"'>", "  blanks  ", "ünïcödé", "a/b", "world"])
def test_odd_names(name: str, tmp_path: Path) -> None:
    world = world_of([body(name), body("other")], [fixed("j", name, "other")])
    again, ledger = written_and_read(world, tmp_path)
    written = again.models["r"].bodies[0].name
    assert written == name or not ledger.lossless
    assert again.models["r"].joints["j"].parent == written


def test_passthrough_elements_have_the_same_parents(tmp_path: Path) -> None:
    path = PROJECT / "tests" / "urdf" / "files" / "everything.urdf"
    root = ElementTree.fromstring(write_urdf(read(path), Ledger(), folder=path.parent))  # noqa: S314  # our own text
    drake = "{https://drake.mit.edu}"
    assert root.find(f"link[@name='base']/collision[@name='hull']/{drake}proximity_properties/{drake}mu_static") is not None
    assert root.find(f"joint[@name='sliding']/{drake}rotor_inertia") is not None
    assert root.find("joint[@name='turning']/safety_controller").attrib["k_velocity"] == "10"  # type: ignore[union-attr]
    assert [child.attrib["name"] for child in root.findall("transmission")] == ["new", "old"]
    assert root.find("gazebo/plugin/b") is not None
    assert root.find("ros2_control/hardware/plugin") is not None
    assert root.find("material[@name='wood']/texture") is not None
    assert root.findall("link[@name='base']/visual")[2].find("material").attrib["name"] == "wood"  # type: ignore[union-attr]


def test_invalid_extensions_are_dropped(tmp_path: Path) -> None:
    odd = (
        Extension(format="other", key="k", value="v"),
        Extension(format="urdf", key="gazebo", value="<gazebo>"),
        Extension(format="urdf", key="gazebo", value="<plugin/>"),
        Extension(format="urdf", key="link", value='<link name="smuggled"/>'),
        Extension(format="urdf", key="@name", value="smuggled"),
        Extension(format="urdf", key="material", value="<material/>"),
    )
    world = world_of([body("b", extensions=odd)], [fixed("j", None, "b", extensions=odd)], extensions=odd)
    again, ledger = written_and_read(world, tmp_path)
    assert again.models["r"].bodies.names() == ("b",)
    for path in ("r.extensions", "r/b.extensions", "r/j.extensions"):
        assert ledger.covers(path), path


def test_numbers_are_written_as_in_the_file() -> None:
    text = write_urdf(read(EXAMPLES / "palletizer.urdf"), Ledger())
    assert '<origin xyz="0 -0.1 0.7" rpy="0 1.5707963267948966 0"/>' in text
    assert '<limit lower="-0.6" upper="1.4" effort="200" velocity="1.5"/>' in text


def test_a_coupling_to_a_floating_joint_is_not_written_as_a_mimic() -> None:
    """A mimic refers to the single coordinate of a joint."""
    coupled = m.Coordinate(coupling=m.Coupling(position=m.JointPosition(joint="base", coordinate=0)))
    joints = [
        Joint(name="base", type=m.Floating(), parent=None, child="a"),
        Joint(name="hinge", type=m.Revolute(), parent="a", child="b", coordinates=(coupled,)),
    ]
    robot = Model(name="robot", bodies=NamedList([Body(name="a"), Body(name="b")]), joints=NamedList(joints))
    joints[0] = Joint(name="base", type=m.Floating(), parent="c", child="a")
    inside = Model(name="robot", bodies=NamedList([Body(name="c"), Body(name="a"), Body(name="b")]), joints=NamedList(joints))
    for model in (robot, inside):
        ledger = Ledger()
        text = write_urdf(World(models=NamedList([model])), ledger)
        assert "<mimic" not in text
        assert any(entry.action is Action.DROPPED and "hinge" in entry.path for entry in ledger)
