"""References to links and joints in elements of other programs follow when these are renamed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ossature
from ossature.conversion import save
from ossature.model import Body, Extension, Joint, Model, ModelError, NamedList, Revolute, World
from ossature.model.attach import attach
from ossature.model.name_references import map_element_references

BODIES, JOINTS = {"hand": "left_hand", "both": "left_body"}, {"finger": "left_finger", "both": "left_joint"}


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        (
            '<transmission name="finger"><joint name="finger"><mode>finger</mode></joint></transmission>',
            '<transmission name="finger"><joint name="left_finger"><mode>finger</mode></joint></transmission>',
        ),
        ('<gazebo reference="hand"><mu1>0.5</mu1></gazebo>', '<gazebo reference="left_hand"><mu1>0.5</mu1></gazebo>'),
        ('<gazebo reference="finger"/>', '<gazebo reference="left_finger"/>'),
        ('<gazebo reference="both"/>', '<gazebo reference="left_body"/>'),
        (
            "<gazebo><plugin><leftJoint> both </leftJoint></plugin></gazebo>",
            "<gazebo><plugin><leftJoint> left_joint </leftJoint></plugin></gazebo>",
        ),
        (
            "<gazebo><bodyName>both</bodyName><topic>both</topic></gazebo>",
            "<gazebo><bodyName>left_body</bodyName><topic>both</topic></gazebo>",
        ),
        (
            '<ros2_control name="hand"><joint name="finger"/></ros2_control>',
            '<ros2_control name="hand"><joint name="left_finger"/></ros2_control>',
        ),
        ('<safety link="other"/>', '<safety link="other"/>'),
    ],
)
def test_names_in_elements(element: str, expected: str) -> None:
    assert map_element_references(element, BODIES, JOINTS) == expected


def test_special_characters() -> None:
    assert map_element_references('<joint name="a&amp;b"/>', {}, {"a&b": 'c<"d'}) == '<joint name="c&lt;&quot;d"/>'


def gripper() -> Model:
    text = '<transmission name="t"><joint name="finger"/></transmission>'
    return Model(
        name="gripper",
        bodies=NamedList([Body(name="palm"), Body(name="tip")]),
        joints=NamedList([Joint(name="finger", type=Revolute(), parent="palm", child="tip")]),
        extensions=(
            Extension(format="urdf", key="transmission", value=text),
            Extension(format="urdf", key="gazebo", value='<gazebo reference="palm"/>'),
        ),
    )


def test_transmissions_of_an_attached_part_follow() -> None:
    arm = Model(name="arm", bodies=NamedList([Body(name="flange")]))
    extensions = attach(arm, gripper(), onto="flange", prefix="left_").model.extensions
    assert '<joint name="left_finger"/>' in extensions[0].value
    assert extensions[1].value == '<gazebo reference="flange"/>'


def test_transmissions_of_a_renamed_joint_follow() -> None:
    world = World(models=NamedList([gripper()])).rename("gripper/finger", "thumb")
    assert '<joint name="thumb"/>' in world.models[0].extensions[0].value


@pytest.mark.parametrize("suffix", ["skel", "urdf", "dae", "yaml"])
def test_a_world_with_dangling_references_is_not_written(suffix: str, tmp_path: Path) -> None:
    model = gripper()
    world = World(models=NamedList([replace(model, bodies=model.bodies.without("tip"))]))
    path = tmp_path / f"out.{suffix}"
    with pytest.raises(ModelError, match=r"gripper/finger\.child: there is no 'tip'"):
        save(world, path)
    assert not path.exists()
    save(world, path, allow_dangling=True)
    assert path.exists()


def test_a_file_with_dangling_references_is_converted(tmp_path: Path) -> None:
    source = tmp_path / "in.urdf"
    source.write_text('<robot name="r"><link name="a"/><transmission name="t"><joint name="missing"/></transmission></robot>')
    save(ossature.load(source), tmp_path / "out.urdf")
    assert '<joint name="missing"/>' in (tmp_path / "out.urdf").read_text()
