"""Laws of the frames of SDFormat: a pose is the same, whatever frame states it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import ossature
from growth import is_growth_below
from ossature.assets import Resolver
from ossature.diagnostics import Limits, Report, Source
from ossature.formats.sdf import read_sdf
from ossature.model import World
from ossature.model.expression import sources_of
from ossature.spatial import IDENTITY, Pose


def read(text: str, report: Report, folder: Path | None = None, search: Sequence[Path] = ()) -> World:
    """Return the World of a file; findings stay in the report."""
    resolver = Resolver(folder=folder, search_path=tuple(search))
    name = str(folder / "robot.sdf") if folder is not None else "robot.sdf"
    world = read_sdf(Source(name, text.encode()), report, resolver=resolver, folder=folder)
    assert world is not None
    return world


def model(inside: str, version: str = "1.9") -> str:
    return f'<sdf version="{version}"><model name="m">{inside}</model></sdf>'


def random_pose(generator: random.Random) -> Pose:
    angles = tuple(generator.uniform(-1.5, 1.5) for _ in range(3))
    return Pose.from_euler(tuple(generator.uniform(-2.0, 2.0) for _ in range(3)), angles, "zyx")  # type: ignore[arg-type]


def written(pose: Pose, relative_to: str, generator: random.Random) -> str:
    """Return a ``<pose>`` in one of its formats."""
    attribute = f' relative_to="{relative_to}"' if relative_to else ""
    position = " ".join(map(repr, pose.position))
    yaw, pitch, roll = pose.euler("zyx")
    w, x, y, z = pose.wxyz
    spelled = generator.choice(
        [
            f">{position} {roll!r} {pitch!r} {yaw!r}",
            f' degrees="true">{position} {np.degrees(roll)!r} {np.degrees(pitch)!r} {np.degrees(yaw)!r}',
            f' rotation_format="quat_xyzw">{position} {x!r} {y!r} {z!r} {w!r}',
        ]
    )
    return f"<pose{attribute}{spelled}</pose>".replace("np.float64(", "").replace(")", "")


@pytest.mark.parametrize("seed", range(20))
def test_poses_are_the_same_whatever_frame_states_them(report: Report, seed: int) -> None:
    """Links, frames and nested models in random order, each relative to a random earlier one, or to the model."""
    generator = random.Random(seed)
    in_model = {"": IDENTITY}
    elements = []
    for number in range(15):
        reference = generator.choice(list(in_model))
        kind, name, pose = generator.choice(["link", "frame", "model"]), f"e{number}", random_pose(generator)
        in_model[name] = pose
        specified = written(in_model[reference].inverse() @ pose, reference, generator)
        if kind == "frame" and reference and generator.random() < 0.5:
            specified = written(in_model[reference].inverse() @ pose, "", generator)
            elements.append(f'<frame name="{name}" attached_to="{reference}">{specified}</frame>')
        elif kind == "model":
            inner = random_pose(generator)
            in_model[f"{name}::inner"] = pose @ inner
            placed = generator.random() < 0.5
            if placed:  # the stated pose is that of the inner link
                specified = written(in_model[reference].inverse() @ pose @ inner, reference, generator)
            placement = ' placement_frame="inner"' if placed else ""
            link = f'<link name="inner">{written(inner, "", generator)}</link>'
            elements.append(f'<model name="{name}"{placement}>{specified}{link}</model>')
        else:
            elements.append(f'<{kind} name="{name}">{specified}</{kind}>')
    generator.shuffle(elements)
    world = read(model('<link name="root"/>' + "".join(elements)), report)
    frames = {frame.name: body.pose @ frame.pose for body in world.models[0].bodies for frame in body.frames}
    found = {**frames, **{body.name: body.pose for body in world.models[0].bodies}}
    assert {name for name in in_model if name and (name in found or f"{name}::inner" in found)} == set(in_model) - {""}
    for name, pose in found.items():
        if name != "root":
            assert np.allclose(pose.matrix(), in_model[name].matrix(), atol=1e-12), name


@pytest.mark.parametrize("seed", range(10))
def test_shapes_and_sensors_are_the_same_whatever_frame_states_them(report: Report, seed: int) -> None:
    """A visual, a collision, an IMU and a camera of a link, and a sensor of a joint, relative to any frame of the model."""
    generator = random.Random(seed)
    poses = {name: random_pose(generator) for name in ("a", "b", "f", "n")}
    inner, joint, shape = (random_pose(generator) for _ in range(3))
    in_model = {**poses, "__model__": IDENTITY, "n::c": poses["n"] @ inner, "j": poses["b"] @ joint}
    frames = (
        f'<link name="b">{written(poses["b"], "", generator)}</link>'
        f'<frame name="f">{written(poses["f"], "", generator)}</frame>'
        f'<model name="n">{written(poses["n"], "", generator)}<link name="c">{written(inner, "", generator)}</link></model>'
    )

    def stated(default: str) -> str:
        reference = generator.choice(["", *in_model])
        return written(in_model[reference or default].inverse() @ shape, reference, generator)

    geometry = "<geometry><sphere><radius>1</radius></sphere></geometry>"
    link = (
        f'<visual name="v">{stated("a")}{geometry}</visual><collision name="k">{stated("a")}{geometry}</collision>'
        f'<sensor name="imu" type="imu">{stated("a")}</sensor>'
        f'<sensor name="cam" type="camera"><camera name="c">{stated("a")}</camera></sensor>'
    )
    on_joint = f'<sensor name="force" type="force_torque">{stated("j")}</sensor>'
    text = (
        f'{frames}<link name="a">{written(poses["a"], "", generator)}{link}</link><joint name="j" type="ball">'
        f"{written(joint, '', generator)}<parent>a</parent><child>b</child>{on_joint}</joint>"
    )
    found = read(model(text), report).models[0]
    body = found.bodies["a"]
    sensors = {sensor.name: found.bodies[sensor.body].pose @ sensor.pose for sensor in found.sensors}
    optical = Pose((0.0, 0.0, 0.0), (0.5, 0.5, -0.5, 0.5))  # from the axes of a pinhole camera to those of SDFormat
    placed = [body.pose @ body.visuals[0].pose, body.pose @ body.collisions[0].pose, sensors["imu"], sensors["cam"] @ optical]
    assert all(np.allclose(pose.matrix(), shape.matrix(), atol=1e-12) for pose in placed)
    assert np.allclose(sensors["force"].position, shape.position, atol=1e-12)


def test_a_shape_relative_to_its_own_link_has_the_numbers_of_the_file(report: Report) -> None:
    shape = "<geometry><sphere><radius>1</radius></sphere></geometry>"
    poses = ("<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>", '<pose relative_to="a">0.1 0.2 0.3 0.4 0.5 0.6</pose>')
    visuals = "".join(f'<visual name="v{number}">{pose}{shape}</visual>' for number, pose in enumerate(poses))
    world = read(model(f'<link name="a"><pose>1 2 3 0.7 0.8 0.9</pose>{visuals}</link>'), report)
    first, second = world.models[0].bodies["a"].visuals
    assert first.pose == second.pose


def test_a_shape_relative_to_an_unknown_frame_is_reported(report: Report) -> None:
    shape = '<pose relative_to="nothing">1 0 0 0 0 0</pose><geometry><sphere><radius>1</radius></sphere></geometry>'
    world = read(model(f'<link name="a"><visual name="v">{shape}</visual></link>'), report)
    (finding,) = report.take("unknown-sdf-frame")
    assert "nothing" in finding.message
    assert world.models[0].bodies["a"].visuals[0].pose == Pose((1.0, 0.0, 0.0))


def test_an_inertial_frame_is_always_stated_in_its_link(report: Report) -> None:
    read(model('<link name="a"><inertial><pose relative_to="__model__">1 0 0 0 0 0</pose></inertial></link>'), report)
    assert len(report.take("unknown-attribute")) == 1


@pytest.mark.parametrize("seed", range(10))
def test_axes_are_the_same_whatever_frame_expresses_them(report: Report, seed: int) -> None:
    """An axis in the model, expressed in the joint frame, the child link, a frame, or the model."""
    generator = random.Random(seed)
    poses = {name: random_pose(generator) for name in ("a", "b", "f")}
    axis = np.array([generator.gauss(0.0, 1.0) for _ in range(3)])
    axis /= np.linalg.norm(axis)
    joint = random_pose(generator)
    in_model = {"": poses["b"] @ joint, "__model__": IDENTITY, "a": poses["a"], "b": poses["b"], "f": poses["f"]}
    parts = "".join(
        f'<{tag} name="{name}">{written(poses[name], "", generator)}</{tag}>'
        for tag, name in (("link", "a"), ("link", "b"), ("frame", "f"))
    )
    for frame, pose in in_model.items():
        x, y, z = (pose.matrix()[:3, :3].T @ axis).tolist()
        text = (
            f'{parts}<joint name="j" type="revolute"><parent>a</parent><child>b</child>{written(joint, "", generator)}'
            f'<axis><xyz expressed_in="{frame}">{x!r} {y!r} {z!r}</xyz></axis></joint>'
        )
        found = read(model(text), report).models[0]
        read_joint = found.joints["j"]
        rotation = (found.bodies["b"].pose @ read_joint.pose).matrix()[:3, :3]
        assert np.allclose(rotation @ np.array(read_joint.type.axis), axis, atol=1e-12)  # type: ignore[union-attr]


def test_a_joint_to_a_frame_connects_the_link_to_which_it_is_fixed(report: Report) -> None:
    text = (
        '<link name="a"/><link name="b"><pose>0 0 1 0 0 0</pose></link>'
        '<frame name="f" attached_to="b"><pose>1 0 0 0 0 0</pose></frame>'
        '<joint name="j" type="ball"><parent>a</parent><child>f</child></joint>'
    )
    joint = read(model(text), report).models[0].joints["j"]
    assert (joint.parent, joint.child, joint.pose.position) == ("a", "b", (1.0, 0.0, 0.0))


def test_old_axes_are_in_the_frame_of_the_model(report: Report) -> None:
    """Until 1.4 always, until 1.6 by ``use_parent_model_frame``."""
    turned = '<link name="a"/><link name="b"><pose>0 0 0 0 0 1.5707963267948966</pose></link>'

    def axis(version: str, specified: str) -> tuple[float, ...]:
        joint = f"<parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>{specified}</axis>"
        text = model(f'{turned}<joint name="j" type="revolute">{joint}</joint>', version)
        found: tuple[float, ...] = read(text, report).models[0].joints["j"].type.axis  # type: ignore[union-attr]
        return found

    assert np.allclose(axis("1.4", ""), (0.0, -1.0, 0.0))
    assert np.allclose(axis("1.6", "<use_parent_model_frame>1</use_parent_model_frame>"), (0.0, -1.0, 0.0))
    assert np.allclose(axis("1.6", ""), (1.0, 0.0, 0.0))


def test_long_chains_of_frames_are_read_in_linear_time() -> None:
    def read_chain(count: int) -> None:
        frames = "".join(f'<frame name="f{n}" attached_to="f{n + 1}"><pose>1 0 0 0 0 0</pose></frame>' for n in range(count))
        text = model(f'<link name="a"/>{frames}<frame name="f{count}" attached_to="a"/>')
        world = read(text, Report())
        frame = next(frame for frame in world.models[0].bodies["a"].frames if frame.name == "f0")
        assert frame.pose.position == (float(count), 0.0, 0.0)

    assert is_growth_below(32.0, lambda: read_chain(400), lambda: read_chain(3200))


def test_merged_models_have_the_names_of_the_outer_one(report: Report, tmp_path: Path) -> None:
    part = model('<link name="b"><pose>0 0 1 0 0 0</pose></link><frame name="f"><pose>0 1 0 0 0 0</pose></frame>')
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "model.config").write_text('<model><sdf version="1.9">part.sdf</sdf></model>')
    (tmp_path / "part" / "part.sdf").write_text(part)
    include = "<uri>model://part</uri><pose>1 0 0 0 0 0</pose>"
    joint = '<joint name="j" type="revolute"><parent>a</parent><child>{}</child></joint>'
    merged = model(f'<link name="a"/><include merge="true">{include}</include>{joint.format("f")}')
    found = read(merged, report, tmp_path, [tmp_path]).models[0]
    assert found.bodies["b"].pose.position == (1.0, 0.0, 1.0)
    assert found.bodies["b"].frames[0].name == "f"
    assert (found.joints["j"].child, found.joints["j"].pose.position) == ("b", (0.0, 1.0, -1.0))
    nested = model(f'<link name="a"/><include>{include}</include>{joint.format("m::f")}')
    found = read(nested, report, tmp_path, [tmp_path]).models[0]
    assert found.bodies["m::b"].pose.position == (1.0, 0.0, 1.0)


def test_a_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    report = Report()
    text = model('<link name="a"/><include><uri>robot.sdf</uri></include>')
    (tmp_path / "robot.sdf").write_text(text)
    read(text, report, tmp_path)
    assert [finding.rule.name for finding in report] == ["invalid-include"]


def test_files_that_include_each_other_twice_are_refused_soon(tmp_path: Path) -> None:
    """Twenty files, each of which includes the next one twice: a million models."""
    report = Report(limits=Limits(expansions=5000))
    for number in range(20):
        include = f"<include><name>x{{}}</name><uri>m{number + 1}.sdf</uri></include>" if number < 19 else ""
        text = model(f'<link name="a"/>{include.format(1)}{include.format(2)}')
        (tmp_path / f"m{number}.sdf").write_text(text)
    text = (tmp_path / "m0.sdf").read_text()
    found = read_sdf(Source("m0.sdf", text.encode()), report, resolver=Resolver(folder=tmp_path), folder=tmp_path)
    assert found is None
    assert [finding.rule.name for finding in report] == ["too-many-expansions"]


def test_joints_of_a_world_connect_its_models(report: Report) -> None:
    text = (
        '<sdf version="1.11"><world name="w"><model name="a"><link name="l"/></model>'
        '<model name="b"><pose>0 0 1 0 0 0</pose><link name="l"/></model><model name="c"><link name="l"/></model>'
        '<joint name="j" type="ball"><parent>a::l</parent><child>b::l</child></joint></world></sdf>'
    )
    world = read(text, report)
    assert [model.name for model in world.models] == ["a", "c"]
    assert world["a/j"].child == "b::l"
    assert world["a/b::l"].pose.position == (0.0, 0.0, 1.0)


def test_a_mimic_in_connected_models_names_its_leader(report: Report) -> None:
    pair = '<joint name="{}" type="revolute"><parent>{}</parent><child>{}</child><axis><xyz>0 0 1</xyz>{}</axis></joint>'
    follower = pair.format("k", "b", "c", '<mimic joint="j"><multiplier>2</multiplier></mimic>')
    inner = f'<link name="a"/><link name="b"/><link name="c"/>{pair.format("j", "a", "b", "")}{follower}'
    text = (
        f'<sdf version="1.11"><world name="w"><model name="m">{inner}</model><model name="n"><link name="l"/></model>'
        '<joint name="weld" type="fixed"><parent>m::c</parent><child>n::l</child></joint></world></sdf>'
    )
    (found,) = read(text, report).models
    assert {joint.name for joint in found.joints} == {"m::j", "m::k", "weld"}
    coupling = found.joints["m::k"].coordinates[0].coupling
    assert coupling is not None
    assert [source.joint for source in sources_of(coupling.position)] == ["m::j"]


def test_the_stiffness_of_a_stop_is_kept_as_text(report: Report) -> None:
    limit = "<limit><lower>0</lower><upper>1</upper><stiffness>1e5</stiffness></limit>"
    joint = f'<joint name="j" type="prismatic"><parent>a</parent><child>b</child><axis>{limit}</axis></joint>'
    found = read(model(f'<link name="a"/><link name="b"/>{joint}'), report).models[0].joints["j"]
    assert [extension.key for extension in found.extensions] == ["axis/limit"]


def test_public_functions_read_sdf() -> None:
    world = ossature.load(model('<link name="a"/>').encode(), format="sdf")
    assert world.models[0].bodies["a"].inertial.mass == 1.0
