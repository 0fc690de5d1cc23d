"""Robots as people have them, with what exporters leave out or write by mistake, pass all stages of ``benchmarks.robots``."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.robots import examine

from urdf_corpus import urdf_files, urdf_path

ARM = Path(__file__).parent / "files" / "arm.urdf"


def _joints(robot: ET.Element) -> list[ET.Element]:
    return [joint for joint in robot.findall("joint") if joint.get("type") == "revolute"]


def _set_inertia(robot: ET.Element, mass: str, ixx: str, iyy: str, izz: str) -> None:
    for link in robot.findall("link"):
        for inertial in link.findall("inertial"):
            inertial.find("mass").set("value", mass)  # type: ignore[union-attr]
            for name, value in (("ixx", ixx), ("iyy", iyy), ("izz", izz)):
                inertial.find("inertia").set(name, value)  # type: ignore[union-attr]


def _remove(robot: ET.Element, parent: str, *tags: str) -> None:
    for element in list(robot.iter(parent)):
        for tag in tags:
            for child in element.findall(tag):
                element.remove(child)


def _set_shapes(robot: ET.Element, tag: str, **attributes: str) -> None:
    for geometry in robot.iter("geometry"):
        geometry[:] = [ET.Element(tag, attributes)]


def _add_massless_link(robot: ET.Element) -> None:
    joint = _joints(robot)[1]
    parent = joint.find("parent")
    assert parent is not None
    ET.SubElement(robot, "link", name="between")
    added = ET.SubElement(robot, "joint", name="added", type="continuous")
    ET.SubElement(added, "parent", link=parent.get("link", ""))
    ET.SubElement(added, "child", link="between")
    parent.set("link", "between")


def _set_limits(robot: ET.Element, **limits: str) -> None:
    for joint in _joints(robot):
        joint.find("limit").attrib.update(limits)  # type: ignore[union-attr]
    _remove(robot, "joint", "safety_controller", "mimic")


def _make_world_root(robot: ET.Element) -> None:
    world = ET.SubElement(robot, "link", name="world")
    ET.SubElement(world, "origin", xyz="0 0 0", rpy="0 0 0")
    joint = ET.SubElement(robot, "joint", name="mount", type="fixed")
    ET.SubElement(joint, "origin", xyz="0 0 0.5", rpy="0.1 0.2 0.3")
    ET.SubElement(joint, "parent", link="world")
    ET.SubElement(joint, "child", link="base")


def _name_with_blanks(robot: ET.Element) -> None:
    for element in robot.iter():
        for attribute in ("name", "link"):
            if element.get(attribute) == "upper":
                element.set(attribute, "upper arm")


def _leave_xacro(robot: ET.Element) -> None:
    for material in robot.iter("material"):
        material.set("name", "${color}")
        for color in material:
            color.set("rgba", "${rgba}")


def _chain_mimics(robot: ET.Element) -> None:
    first, second, third = _joints(robot)
    _remove(robot, "joint", "mimic")
    for leader, follower in ((first, second), (second, third)):
        ET.SubElement(follower, "mimic", joint=leader.get("name", ""), multiplier="0.5")


VARIANTS: dict[str, Callable[[ET.Element], object]] = {
    "no inertia": lambda robot: _remove(robot, "link", "inertial"),
    "no inertia and no shapes": lambda robot: _remove(robot, "link", "inertial", "visual", "collision"),
    "massless link between joints": _add_massless_link,
    "moments of rank one": lambda robot: _set_inertia(robot, "1", "0.01", "0", "0"),
    "tiny negative moment": lambda robot: _set_inertia(robot, "1", "0.01", "0.01", "-1e-9"),
    "mass without moments": lambda robot: _set_inertia(robot, "1", "0", "0", "0"),
    "zero mass": lambda robot: _set_inertia(robot, "0", "0", "0", "0"),
    "zero outside the limits": lambda robot: _set_limits(robot, lower="0.3", upper="0.9"),
    "no limits": lambda robot: _remove(robot, "joint", "limit", "safety_controller"),
    "continuous with limits": lambda robot: [joint.set("type", "continuous") for joint in _joints(robot)],
    "missing meshes": lambda robot: _set_shapes(robot, "mesh", filename="package://gone/none.stl"),
    "empty mesh file": lambda robot: _set_shapes(robot, "mesh", filename="../meshes/empty.stl"),
    "corrupt mesh file": lambda robot: _set_shapes(robot, "mesh", filename="../meshes/corrupt.stl"),
    "mesh scale of zero": lambda robot: _set_shapes(robot, "mesh", filename="../meshes/hand.obj", scale="0 1 1"),
    "huge mesh": lambda robot: _set_shapes(robot, "mesh", filename="../meshes/hand.obj", scale="100 100 100"),
    "tiny mesh": lambda robot: _set_shapes(robot, "mesh", filename="../meshes/hand.obj", scale="1e-8 1e-8 1e-8"),
    "capsules": lambda robot: _set_shapes(robot, "capsule", radius="0.05", length="0.1"),
    "boxes of size zero": lambda robot: _set_shapes(robot, "box", size="0 0 0"),
    "flat cylinders": lambda robot: _set_shapes(robot, "cylinder", radius="0.1", length="0"),
    "other package name": lambda robot: _set_shapes(robot, "mesh", filename="package://old/meshes/hand.obj"),
    "world with an origin": _make_world_root,
    "blanks in names": _name_with_blanks,
    "xacro in materials": _leave_xacro,
    "chain of mimics": _chain_mimics,
    "UTF-16": lambda robot: None,
}
FAST = ("no inertia", "tiny negative moment", "tiny mesh", "xacro in materials")
DEGENERATE = (
    "no inertia and no shapes",
    "massless link between joints",
    "moments of rank one",
    "tiny negative moment",
    "mass without moments",
    "zero mass",
)
EXCUSED = {
    # MuJoCo requires positive moments of inertia of moving bodies, also of massless ones, and DART assumes them.
    **dict.fromkeys(DEGENERATE, ("urdf>mujoco", "urdf>dart", "mjcf>mujoco")),
}
"""Stages at which a program rejects what the file states, or repairs it in its own way."""


def failures(file: Path) -> dict[str, str]:
    outcomes = examine(file)
    return {stage: outcome for stage, outcome in outcomes.items() if not outcome.startswith(("ok", "-"))}


@pytest.mark.parametrize("name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in VARIANTS])
def test_a_variant_passes_every_stage(name: str, tmp_path: Path) -> None:
    robot = ET.parse(ARM).getroot()  # noqa: S314  # a file of our own
    for mimic in robot.iter("mimic"):
        mimic.attrib.pop("offset")  # a Chrono file has no zero position other than the initial one
    VARIANTS[name](robot)
    for folder in ("urdf", "meshes"):
        (tmp_path / folder).mkdir()
    (tmp_path / "package.xml").write_text("<package><name>arm_description</name></package>")
    for folder in ("urdf", "meshes"):
        (tmp_path / folder / "hand.obj").write_bytes((ARM.parent / "hand.obj").read_bytes())
    (tmp_path / "meshes" / "empty.stl").write_bytes(b"")
    (tmp_path / "meshes" / "corrupt.stl").write_bytes(bytes(80) + b"\xff\0\0\0abc")
    text = ET.tostring(robot, encoding="unicode")
    file = tmp_path / "urdf" / "robot.urdf"
    file.write_bytes(text.encode("utf-16" if name == "UTF-16" else "utf-8"))
    found = {stage: reason for stage, reason in failures(file).items() if stage not in EXCUSED.get(name, ())}
    assert found == {}


KNOWN_MISTAKES = {
    "oems/pioneer_adept_mobile_robots/description/urdf/pioneer-lx-devil": {
        "check": "reversed-limits",
        "urdf>dart": "mass matrix",
    },
    "drake/pr2/pr2_description/urdf/pr2_simplified": {"urdf>dart": "mass matrix", "urdf>mujoco": "mjMINVAL"},
    "matlab/Atlas/urdf/atlas": {"urdf>dart": "mass matrix"},
    "robotics-toolbox/abb_irb140/urdf/irb140": {"urdf>dart": "mass matrix"},
    "robotics-toolbox/abb_irb140/urdf/irb140QT": {"urdf>dart": "mass matrix"},
}
"""Robots that are wrong, and robots with massless links that the programs of a stage read in their own way: their outcomes."""
SAMPLE = ("oems/pioneer_adept_mobile_robots/description/urdf/pioneer-lx-devil",)


@pytest.mark.parametrize(
    "name", [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.slow) for name in urdf_files()]
)
def test_a_robot_of_the_corpus_passes_every_stage(name: str, corpus: Path) -> None:
    found = failures(urdf_path(corpus, name))
    known = KNOWN_MISTAKES.get(name, {})
    assert {stage: reason for stage, reason in found.items() if known.get(stage, "?") not in reason} == {}
