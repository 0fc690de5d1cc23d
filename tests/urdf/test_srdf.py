"""SRDF files beside URDF files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conftest import PROJECT
from ossature import World, convert, diff, load, read
from ossature.diagnostics import OssatureError, Report
from ossature.model import Actuation, Fixed, KeyframeJoint, NamedList

URDF = """<robot name="arm">
  <link name="base"/> <link name="upper"/> <link name="lower"/> <link name="left"/> <link name="right"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
  <joint name="left_finger" type="prismatic"><parent link="lower"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.1" effort="9" velocity="9"/></joint>
  <joint name="right_finger" type="prismatic"><parent link="lower"/><child link="right"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.1" effort="9" velocity="9"/><mimic joint="left_finger"/></joint>
</robot>"""
SRDF = """<robot name="arm">
  <group name="manipulator"><chain base_link="base" tip_link="lower"/></group>
  <group name="fingers"><link name="left"/><joint name="right_finger"/></group>
  <group name="all"><group name="manipulator"/><group name="fingers"/></group>
  <group_state name="home" group="manipulator"><joint name="shoulder" value="0.5"/><joint name="elbow" value="1"/></group_state>
  <group_state name="open" group="fingers"><joint name="left_finger" value="0.1"/></group_state>
  <group_state name="closed" group="fingers"><joint name="left_finger" value="0"/></group_state>
  <end_effector name="hand" parent_link="lower" group="fingers"/>
  <virtual_joint name="mount" type="fixed" parent_frame="world" child_link="base"/>
  <passive_joint name="elbow"/>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="upper" link2="base"/>
  <disable_collisions link1="left" link2="right" reason="Never"/>
  <disable_default_collisions link="right"/>
  <joint_property joint_name="elbow" property_name="angular_distance_weight" value="0.1"/>
</robot>"""


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    path.with_suffix(".srdf").write_text(SRDF)
    return path


def rules_of(report: Report) -> list[str]:
    return [finding.rule.name for finding in report]


def test_what_is_read(urdf: Path) -> None:
    world, report = read(urdf)
    assert world is not None
    model = world.models["arm"]
    (manipulator,) = model.manipulators
    assert (manipulator.name, manipulator.base, manipulator.tip) == ("manipulator", "base", "lower")
    assert [(joint.joint, joint.closing_directions) for joint in manipulator.gripper] == [("left_finger", (-1.0,))]
    assert model.keyframes["home"].joints == (
        KeyframeJoint(joint="shoulder", positions=(0.5,)),
        KeyframeJoint(joint="elbow", positions=(1.0,)),
    )
    assert model.ignored_pairs == (("base", "upper"), ("left", "right"))
    assert [body.name for body in model.bodies if not body.self_collide] == ["right"]
    assert model.joints["elbow"].actuation is Actuation.PASSIVE
    assert (model.joints["mount"].type, model.joints["mount"].child) == (Fixed(), "base")
    assert [extension.key for extension in model.extensions] == ["group", "joint_property"]
    assert set(rules_of(report)) == {"semantics-read", "group-without-chain"}  # the base is stated: no free-base


def test_it_is_chosen_by_name_or_specified(urdf: Path) -> None:
    assert not load(urdf, srdf=False).models["arm"].manipulators
    other = urdf.with_name("other.srdf")
    other.write_text(SRDF.replace('name="manipulator"', 'name="other"', 1))
    assert load(urdf, srdf=other).models["arm"].manipulators.names() == ("other",)
    missing, report = read(urdf, srdf=urdf.with_name("missing.srdf"))
    assert "unreadable-file" in rules_of(report)
    assert missing is not None


def test_the_file_of_another_robot_is_used_with_a_warning(urdf: Path) -> None:
    srdf = urdf.with_suffix(".srdf")
    srdf.write_text(SRDF.replace('name="arm"', 'name="leg"', 1))
    world, report = read(urdf)
    assert world is not None
    assert world.models["arm"].manipulators
    assert "semantics-of-other-robot" in rules_of(report)
    assert load(urdf, srdf=srdf).models["arm"].manipulators


def test_it_is_written_beside_the_urdf_file(urdf: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy" / "arm.urdf"
    target.parent.mkdir()
    conversion = convert(load(urdf), target)
    assert [path.name for path in conversion.files] == ["arm.urdf", "arm.srdf"]
    assert not diff(urdf, target)
    # Written and read again, the file does not change any more.
    again = convert(target, tmp_path / "again.urdf")
    assert list(again.files.values())[1] == list(conversion.files.values())[1]


def test_only_an_srdf_file_of_an_earlier_conversion_is_replaced(urdf: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy" / "arm.urdf"
    target.parent.mkdir()
    world, own = load(urdf), target.with_suffix(".srdf")
    own.write_text(SRDF)
    with pytest.raises(OssatureError, match=r"arm\.srdf exists .* --overwrite"):
        convert(world, target)
    assert own.read_text() == SRDF
    assert not target.exists()
    convert(world, target, overwrite=True)
    assert own.read_text() != SRDF
    own.write_text(own.read_text().replace('name="arm"', 'name="arm of an earlier conversion"'))
    convert(world, target)
    assert "earlier conversion" not in own.read_text()


def test_a_robot_without_semantics_has_no_srdf_file(urdf: Path, tmp_path: Path) -> None:
    conversion = convert(load(urdf, srdf=False), tmp_path / "plain.urdf")
    assert [path.name for path in conversion.files] == ["plain.urdf"]


def test_manipulators_of_collada_files_are_written(tmp_path: Path) -> None:
    picker = load(PROJECT / "examples" / "picker.dae")
    model = next(model for model in picker.models if model.manipulators)
    alone = World(models=type(picker.models)([model]))
    convert(alone, tmp_path / "picker.urdf")
    found = load(tmp_path / "picker.urdf").models[model.name]
    assert found.manipulators.names() == model.manipulators.names()
    for one, other in zip(found.manipulators, model.manipulators, strict=True):
        assert (one.base, one.tip) == (other.base, other.tip)
        assert [joint.joint for joint in one.gripper] == [joint.joint for joint in other.gripper]


def test_a_manipulator_of_a_single_body_is_in_the_ledger(urdf: Path, tmp_path: Path) -> None:
    """A chain of SRDF has at least one joint."""
    world = load(urdf)
    model = world.models[0]
    single = replace(model.manipulators[0], name="single", tip=model.manipulators[0].base)
    changed = replace(world, models=NamedList([replace(model, manipulators=NamedList([*model.manipulators, single]))]))
    done = convert(changed, tmp_path / "out.urdf", verify=True)
    assert done.differences == ()
    assert any("at least one joint" in str(entry) for entry in done.ledger)


@pytest.mark.parametrize(
    ("good", "bad", "rule", "hint"),
    [
        ('base_link="base"', 'base_link="bse"', "unknown-link", "did you mean 'base'?"),
        ('joint name="elbow" value', 'joint name="elbw" value', "unknown-joint", "did you mean 'elbow'?"),
        ('group="fingers"/>', 'group="figners"/>', "unknown-group", "did you mean 'fingers'?"),
        ("<passive_joint", "<pasive_joint", "unknown-element", "did you mean 'passive_joint'?"),
        ('value="0.5"', 'value="0.5 0.1"', "invalid-group-state", None),
        ('<group name="manipulator"/>', '<group name="all"/>', "cyclic-group", None),
        ('type="fixed"', 'type="welded"', "invalid-choice", None),
        ("<virtual_joint name", "<virtual_joint nme", "missing-element", None),
    ],
)
def test_mistakes_are_found_where_they_are(urdf: Path, good: str, bad: str, rule: str, hint: str | None) -> None:
    assert good in SRDF
    srdf = urdf.with_suffix(".srdf")
    srdf.write_text(SRDF.replace(good, bad, 1))
    _, report = read(urdf)
    (finding,) = [finding for finding in report if finding.rule.name == rule]
    assert finding.location is not None
    assert Path(finding.location.file).name == "arm.srdf"
    assert finding.location.line == next(number for number, line in enumerate(srdf.read_text().splitlines(), 1) if bad in line)
    if hint is not None:
        assert finding.hint == hint


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<robot",
        "<skel/>",
        "<robot/>",
        '<!DOCTYPE a [<!ENTITY b "c">]><robot name="arm">&b;</robot>',
        '<robot name="arm">' + '<group name="g">' * 5000,
        '<robot name="arm">'
        + "".join(f'<group name="g{i}"><group name="g{i + 1}"/></group>' for i in range(5_000))
        + "</robot>",
        '<robot name="arm">' + '<disable_collisions link1="base" link2="left"/>' * 50_000 + "</robot>",
    ],
    ids=["empty", "open", "skel", "no-name", "entity", "deep", "nested", "many"],
)
def test_hostile_files_are_bounded(urdf: Path, text: str) -> None:
    urdf.with_suffix(".srdf").write_text(text)
    world, _ = read(urdf)
    assert world is None or world.models["arm"].bodies


def test_groups_and_states_may_name_a_virtual_joint(urdf: Path) -> None:
    text = SRDF.replace('type="fixed"', 'type="planar"').replace(
        '<chain base_link="base" tip_link="lower"/>', '<joint name="mount"/><joint name="shoulder"/><joint name="elbow"/>'
    )
    urdf.with_suffix(".srdf").write_text(
        text.replace('group="manipulator">', 'group="manipulator"><joint name="mount" value="1 2 3"/>')
    )
    world, report = read(urdf)
    assert world is not None
    model = world.models["arm"]
    assert set(rules_of(report)) == {"semantics-read", "group-without-chain"}
    assert (model.manipulators[0].base, model.manipulators[0].tip) == ("base", "lower")
    assert model.keyframes["home"].joints[0] == KeyframeJoint(joint="mount", positions=(1.0, 2.0, 3.0))


def test_the_state_of_a_floating_virtual_joint_is_reported(urdf: Path) -> None:
    text = SRDF.replace('type="fixed"', 'type="floating"')
    urdf.with_suffix(".srdf").write_text(
        text.replace('group="manipulator">', 'group="manipulator"><joint name="mount" value="0 0 1 0 0 0 1"/>')
    )
    world, report = read(urdf)
    assert world is not None
    assert "position of 'mount' is ignored" in str(report)
    assert [joint.joint for joint in world.models["arm"].keyframes["home"].joints] == ["shoulder", "elbow"]
