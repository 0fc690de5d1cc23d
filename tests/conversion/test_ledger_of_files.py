"""Ledgers compared with the files that were converted: each thing that is lost has an entry with its value."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import ossature
from ossature.conversion import save
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import Action, Ledger, Source
from ossature.formats.collada.unread_metadata import record_unread_metadata
from ossature.model import (
    Body,
    Box,
    Camera,
    Coordinate,
    DriveMode,
    Inertial,
    Joint,
    Keyframe,
    Light,
    Model,
    Motor,
    MotorKinematics,
    NamedList,
    PinholeCamera,
    Revolute,
    Sensor,
    Visual,
    World,
)
from ossature.spatial import Pose

EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
OBJ = "mtllib a.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
URDF = """<robot name="arm">
  <!-- made by hand -->
  <link name="base"><visual><geometry><mesh filename="red.obj"/></geometry></visual>
    <visual><geometry><mesh filename="missing.obj"/></geometry></visual></link>
  <link name="tip">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/><dynamics damping="0.5"/></joint>
  <transmission name="first"><joint name="elbow"/></transmission>
  <transmission name="second"><joint name="elbow"/></transmission>
  <gazebo reference="tip"><mu1>0.5</mu1></gazebo>
  <ros2_control name="system"><joint name="elbow"/></ros2_control>
</robot>
"""


def ledger_of(folder: Path, suffix: str) -> Ledger:
    (folder / "red.obj").write_text(OBJ)
    source = folder / "arm.urdf"
    source.write_text(URDF)
    return save(ossature.load(source), folder / f"out.{suffix}")


def values(ledger: Ledger, action: Action) -> dict[str, str | None]:
    return {entry.path: entry.before for entry in ledger if entry.action is action}


@pytest.mark.parametrize("suffix", ["skel", "yaml", "xml"])
def test_each_element_of_other_programs_is_dropped_by_name(suffix: str, tmp_path: Path) -> None:
    dropped = " ".join(filter(None, values(ledger_of(tmp_path, suffix), Action.DROPPED).values()))
    for start in (
        '<transmission name="first"',
        '<transmission name="second"',
        '<gazebo reference="tip"',
        "<ros2_control name=",
    ):
        assert dropped.count(start) == 1


@pytest.mark.parametrize("suffix", ["skel", "urdf", "yaml", "xml", "dae"])
def test_comments_are_omitted_with_their_line(suffix: str, tmp_path: Path) -> None:
    assert values(ledger_of(tmp_path, suffix), Action.OMITTED) == {"line 2": "made by hand"}


@pytest.mark.parametrize("suffix", ["skel", "xml", "dae"])
def test_a_visual_whose_mesh_is_missing_is_dropped(suffix: str, tmp_path: Path) -> None:
    dropped = values(ledger_of(tmp_path, suffix), Action.DROPPED)
    assert (dropped["arm/base.visuals[1]"] or "").endswith("missing.obj")


@pytest.mark.parametrize("suffix", ["xml", "dae"])
def test_colours_of_an_embedded_mesh_are_dropped(suffix: str, tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, suffix)
    (entry,) = [each for each in ledger if each.detail == "colours and textures in the mesh file"]
    assert (entry.action, entry.path) == (Action.DROPPED, "arm/base.visuals[0].geometry")


@pytest.mark.parametrize("suffix", ["yaml", "xml"])
def test_the_colour_of_a_mesh_and_the_chosen_base_are_in_the_ledger(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "a.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (tmp_path / "red.obj").write_text(OBJ)
    missing = '<visual><geometry><mesh filename="missing.obj"/></geometry></visual>'
    (tmp_path / "arm.urdf").write_text(URDF.replace(missing, ""))
    result = ossature.convert(tmp_path / "arm.urdf", tmp_path / f"out.{suffix}", verify=True)
    assert not result.differences


def test_each_body_with_a_mesh_of_several_materials_has_an_entry(tmp_path: Path) -> None:
    (tmp_path / "a.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    (tmp_path / "red.obj").write_text(OBJ.replace("f 1 4 3", "usemtl blue\nf 1 4 3"))
    mesh = '<visual><geometry><mesh filename="red.obj"/></geometry></visual>'
    (tmp_path / "arm.urdf").write_text(
        URDF.replace("missing.obj", "red.obj").replace('<link name="tip">', f'<link name="tip">{mesh}')
    )
    ledger = ossature.convert(tmp_path / "arm.urdf", tmp_path / "out.xml", verify=True).ledger
    found = [entry.path for entry in ledger if entry.detail == "one shape for each of 2 materials of a mesh"]
    assert sorted(set(found)) == ["arm/base.visuals", "arm/tip.visuals"]


def test_limits_are_specified_with_their_units(tmp_path: Path) -> None:
    specified = values(ledger_of(tmp_path, "yaml"), Action.DROPPED)
    limits = {name: specified[f"arm/elbow.coordinates[0].{name}_limits"] for name in ("position", "velocity", "effort")}
    assert limits == {"position": "-1 to 1 rad", "velocity": "-2 to 2 rad/s", "effort": "-5 to 5 N·m"}


def test_yaml_comments(tmp_path: Path) -> None:
    source = tmp_path / "in.yaml"
    model = Path(__file__).parents[2] / "examples" / "slider_crank.yaml"
    source.write_text("# first # still first\n" + "\n".join(line.partition("#")[0] for line in model.read_text().splitlines()))
    assert values(save(ossature.load(source), tmp_path / "out.dae"), Action.OMITTED) == {"line 1": "first # still first"}


def test_a_closed_loop_that_openrave_opens_is_approximated(tmp_path: Path) -> None:
    world = ossature.load(Path(__file__).parents[2] / "examples" / "slider_crank.yaml")
    ignored = [entry for entry in save(world, tmp_path / "out.dae", format="openrave") if "closes a loop" in entry.detail]
    assert len(ignored) == 1
    assert not [entry for entry in save(world, tmp_path / "out.dae") if "closes a loop" in entry.detail]


def test_an_entry_is_recorded_once_with_each_content() -> None:
    ledger = Ledger()
    for path, error in (("a/b.mass", 0.1), ("a/b.mass", 0.1), ("a/c.mass", 0.1)):
        ledger.approximated(path, "rounded", error=error)
    assert [entry.path for entry in ledger] == ["a/b.mass", "a/c.mass"]


def test_rounding_of_euler_angles_is_no_loss(tmp_path: Path) -> None:
    text = URDF.replace("<axis", '<origin rpy="1.5 0.3 -0.2"/><axis')
    (tmp_path / "arm.urdf").write_text(text)
    ledger = save(ossature.load(tmp_path / "arm.urdf"), tmp_path / "out.skel")
    (entry,) = [each for each in ledger if each.detail == "rotation written as Euler angles"]
    assert entry.action is Action.REWRITTEN
    assert entry.error < 1e-15


CAMERA = PinholeCamera(width=640, height=480, measurement_time=0.2, focal_length=0.01)


def test_what_is_dropped_or_approximated_has_its_values_and_units(tmp_path: Path) -> None:
    eye = Sensor(name="eye", body="head", pose=Pose((0.5, 0.0, 0.0)), type="camera", description=CAMERA)
    head = Body(name="head", inertial=Inertial(mass=1.0, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))))
    neck = Coordinate(position_limits=(-1.0, 2.0), initial_position=0.25)
    joint = Joint(name="neck", type=Revolute(), parent=None, child="head", coordinates=(neck,))
    model = Model(name="m", bodies=NamedList([head]), joints=NamedList([joint]), sensors=NamedList([eye]))
    world = World(models=NamedList([model]))
    for suffix in (".skel", ".yaml", ".urdf", ".xml"):
        ledger = ossature.save(world, tmp_path / f"out{suffix}")
        (entry,) = [entry for entry in ledger if entry.path == "m/eye"]
        for value in ("width 640 pixel", "height 480 pixel", "measurement time 0.2 s", "position (0.5, 0, 0) m"):
            assert value in (entry.before or ""), suffix
    values = {entry.path: entry.before for entry in ossature.save(world, tmp_path / "out.yaml")}
    assert values["m/neck.coordinates[0].position_limits"] == "-1 to 2 rad"
    assert "m/neck.coordinates[0].spring_reference" not in values


def test_a_dropped_shape_has_all_its_values(tmp_path: Path) -> None:
    stated = """<visual name="cover"><origin xyz="0 0 0.5"/>
    <geometry><mesh filename="missing.obj" scale="2 2 2"/></geometry></visual></link>"""
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm"><link name="base">{stated}</robot>')
    for suffix in ("skel", "xml", "dae"):
        (entry,) = [
            one
            for one in save(ossature.load(tmp_path / "arm.urdf"), tmp_path / f"out.{suffix}")
            if one.path == "arm/base.visuals[0]" and one.action is Action.DROPPED
        ]
        assert entry.before is not None
        for value in ("missing.obj", "scale (2, 2, 2)", "position (0, 0, 0.5) m", "name 'cover'"):
            assert value in entry.before


def test_a_dropped_model_has_all_its_values(tmp_path: Path) -> None:
    table = Model(name="table", bodies=NamedList([Body(name="top", inertial=Inertial(mass=1.75))]), static=True)
    arm = Model(name="arm", bodies=NamedList([Body(name="tip", inertial=Inertial(mass=1.0))]))
    (entry,) = [one for one in save(World(models=NamedList([arm, table])), tmp_path / "out.urdf") if one.path == "table"]
    assert entry.before is not None
    assert "name 'top'" in entry.before
    assert "mass 1.75 kg" in entry.before


def test_names_of_groups_are_omitted_with_embedded_meshes(tmp_path: Path) -> None:
    (tmp_path / "red.obj").write_text(OBJ.replace("f 1 3 2", "o lower\ng side\nf 1 3 2").replace("f 1 4 3", "g top\nf 1 4 3"))
    (tmp_path / "arm.urdf").write_text(URDF)
    for suffix in ("dae", "xml"):
        ledger = save(ossature.load(tmp_path / "arm.urdf"), tmp_path / f"out.{suffix}")
        assert values(ledger, Action.OMITTED)["arm/base.visuals[0].geometry"] == "lower, side, top"


PHONG = """<phong><ambient><color>0.1 0.2 0.3 1</color></ambient><diffuse><color>0.8 0.8 0.8 1</color></diffuse>
<specular><color>0.4 0.5 0.6 1</color></specular></phong>"""


def test_metadata_and_shader_fields_of_collada_are_omitted_with_their_values(tmp_path: Path) -> None:
    table = Body(
        name="top",
        inertial=Inertial(mass=1.0),
        visuals=(Visual(geometry=Box(size=(1.0, 1.0, 1.0)), color=(0.8, 0.8, 0.8, 1.0)),),
    )
    save(World(models=NamedList([Model(name="table", bodies=NamedList([table]))])), tmp_path / "table.dae")
    assert not values(save(ossature.load(tmp_path / "table.dae"), tmp_path / "same.dae"), Action.OMITTED)
    text = (tmp_path / "table.dae").read_text().replace(">Ossature<", ">Hand 1.0<")
    (tmp_path / "table.dae").write_text(re.sub(r"(?s)<phong>.*?</phong>", PHONG, text))
    ledger = save(ossature.load(tmp_path / "table.dae"), tmp_path / "table.urdf")
    found = {entry.detail: entry.before for entry in ledger if entry.action is Action.OMITTED}
    assert found == {"authoring tool": "Hand 1.0", "ambient": "0.1 0.2 0.3 1", "specular": "0.4 0.5 0.6 1"}


FRAME_OF_A_MESH = """<extra type="geometry_info"/><extra type="geometry_info"><technique profile="OpenRAVE">{shape}
<translate>0 0 0.5</translate><rotate>0 0 1 0</rotate></technique></extra>"""


@pytest.mark.parametrize("shape", ["", "<sphere><radius>1</radius></sphere>"])
def test_frames_of_meshes_of_collada_are_omitted(shape: str, tmp_path: Path) -> None:
    data = f"<COLLADA><translate>1 0 0</translate>{FRAME_OF_A_MESH.format(shape=shape)}<translate>2 0 0</translate></COLLADA>"
    ledger = Ledger()
    record_unread_metadata(Source("robot.dae", data.encode()), ledger)
    assert [(entry.path, entry.before) for entry in ledger] == ([] if shape else [("line 2", "0 0 0.5")])


def test_a_motor_does_not_cover_the_joint_of_its_name(tmp_path: Path) -> None:
    """A motor that drives two bodies becomes a joint and an actuator of MJCF; another joint has its name."""
    bodies = [Body(name=name, inertial=Inertial(mass=1.0, moment=EYE)) for name in ("a", "b", "c")]
    joint = Joint(name="j", type=Revolute(), parent="a", child="b", coordinates=(Coordinate(damping=0.5),))
    motor = Motor(name="j", body1="c", body2="b", guide=MotorKinematics.REVOLUTE, drive=DriveMode.SPEED)
    model = Model(name="m", bodies=NamedList(bodies), joints=NamedList([joint]), motors=NamedList([motor]))
    damped = replace(joint, coordinates=(Coordinate(damping=0.7),))
    for actuators in (None, "none"):
        done = ossature.convert(World(models=NamedList([model])), tmp_path / "m.xml", verify=True, actuators=actuators)
        assert any(entry.path in {"m/j", "m/j.function"} for entry in done.ledger)
        changed = World(models=NamedList([replace(model, joints=NamedList([damped]))]))
        found = uncovered_differences(changed, ossature.load(tmp_path / "m.xml"), done.ledger, tolerance=1e-9)
        assert "m/j.coordinates[0].damping" in [difference.path for difference in found]
    for suffix in (".skel", ".urdf", ".sdf", ".usda", ".dae", ".yaml"):
        ossature.convert(World(models=NamedList([model])), tmp_path / f"m{suffix}", verify=True)


def test_the_pose_of_a_model_covers_only_poses(tmp_path: Path) -> None:
    """MJCF states cameras, lights and keyframes of a displaced model in the world, and the rest of them as it is."""
    camera, light = Camera(name="eye", body=None, field_of_view=0.5), Light(name="sun", body=None, exponent=3.0)
    model = Model(
        name="m",
        pose=Pose((1.0, 2.0, 3.0)),
        bodies=NamedList([Body(name="a", inertial=Inertial(mass=1.0, moment=EYE))]),
        cameras=NamedList([camera]),
        lights=NamedList([light]),
        keyframes=NamedList([Keyframe(name="k", time=2.0)]),
    )
    done = ossature.convert(World(models=NamedList([model])), tmp_path / "m.xml", verify=True)
    changed = replace(
        model,
        cameras=NamedList([replace(camera, field_of_view=0.6)]),
        lights=NamedList([replace(light, exponent=4.0)]),
        keyframes=NamedList([Keyframe(name="k", time=3.0)]),
    )
    again = ossature.load(tmp_path / "m.xml")
    found = uncovered_differences(World(models=NamedList([changed])), again, done.ledger, tolerance=1e-9)
    assert {difference.path for difference in found} >= {"m/eye.field_of_view", "m/sun.exponent", "m/k.time"}
