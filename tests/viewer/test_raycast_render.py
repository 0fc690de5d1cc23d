"""Ray-cast images compared with closed forms; exported pages; and the commands."""

from __future__ import annotations

import io
import math
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from conftest import PROJECT

pytest.importorskip("viser")
pytest.importorskip("embreex")

from PIL import Image

import ossature
from ossature.assets import MeshStore
from ossature.cli.app import app
from ossature.cli.view_options import configuration_at
from ossature.io import save_state
from ossature.kinematics import poses
from ossature.model import Body, Box, Model, NamedList, Sphere, Visual, World
from ossature.spatial import Pose
from ossature.viewer.camera_framing import FIELD_OF_VIEW
from ossature.viewer.loaded_file import open_file
from ossature.viewer.playback_recording import playback_of
from ossature.viewer.raycast_render import render_image
from ossature.viewer.scene_builder import framing_at
from ossature.viewer.scene_layers import LAYER_NAMES, Layer, layer_named
from ossature.viewer.triangle_scene import build_triangle_scene
from ossature.viewer.web_page_export import page_of

ARM = PROJECT / "examples" / "arm.skel"
CRANK = PROJECT / "examples" / "slider_crank.yaml"
RED, GLASS = (0.9, 0.05, 0.05, 1.0), (0.05, 0.05, 0.9, 0.4)
NOTHING = MeshStore()


def drawn(*visuals: Visual, size: int = 120) -> tuple[np.ndarray, float]:
    """Return a frame of shapes, and how far the camera is from their middle in their own size."""
    world = World(models=NamedList([Model(name="m", bodies=NamedList([Body(name="b", visuals=visuals)]))]))
    framing = framing_at(world, poses(world), NOTHING)
    still = build_triangle_scene(world, poses(world), {Layer.VISUALS}, framing, NOTHING)
    return render_image(still, framing, size, size).colors, math.dist(framing.eye, framing.look_at)


def redness(frame: np.ndarray) -> np.ndarray:
    return frame[..., 0] - 0.5 * (frame[..., 1] + frame[..., 2])


def test_sphere_covers_its_view_cone() -> None:
    frame, distance = drawn(Visual(geometry=Sphere(radius=1.0), color=RED))
    covered = (redness(frame) > 0.15).mean()
    # A ball is seen as a circle of half angle asin(r/d); the frame is 2·tan(f/2) high at distance one.
    radius = math.tan(math.asin(1.0 / distance)) / (2.0 * math.tan(FIELD_OF_VIEW / 2.0))
    assert covered == pytest.approx(math.pi * radius**2, rel=0.04)


def test_translucent_shapes_show_and_opaque_shapes_hide() -> None:
    ball = Visual(geometry=Sphere(radius=0.5), color=RED)
    shell = Box(size=(2.0, 2.0, 2.0))
    bare, _ = drawn(ball, Visual(geometry=shell, color=GLASS))
    hidden, _ = drawn(ball, Visual(geometry=shell, color=(*GLASS[:3], 1.0)))
    assert redness(bare)[40:80, 40:80].max() > 0.05
    assert redness(hidden).max() < 0.05


def test_render_is_deterministic_and_floor_has_shadow() -> None:
    ball = Visual(geometry=Sphere(radius=0.5), pose=Pose((0.0, 0.0, 1.0)), color=RED)
    first, _ = drawn(ball)
    second, _ = drawn(ball)
    assert np.array_equal(first, second)
    below = first[75:110, 30:90]
    assert below.min() < 0.8 < below.max()


def test_empty_scene_can_be_rendered() -> None:
    frame, _ = drawn()
    assert frame.shape == (120, 120, 3)
    assert redness(frame).max() < 0.05


def test_inner_layers_make_visual_shapes_transparent() -> None:
    world = ossature.load(ARM)
    framing = framing_at(world, poses(world), NOTHING)
    solid = build_triangle_scene(world, poses(world), {Layer.VISUALS}, framing, NOTHING)
    marked = build_triangle_scene(world, poses(world), {Layer.VISUALS, Layer.FRAMES}, framing, NOTHING)
    assert (solid.colors[:, 3] == 1.0).all()
    assert (marked.colors[: len(solid.colors), 3] < 1.0).all()
    assert np.allclose(np.linalg.norm(solid.normals, axis=2), 1.0)


# Exported pages


def test_exported_page_is_self_contained() -> None:
    loaded = open_file(ARM, lambda path: NOTHING)
    html = page_of([loaded], shadows=False)
    assert "__VISER_EMBED_DATA__" in html
    assert not re.search(r"""<(?:script|link|img)[^>]+(?:src|href)=["']https?:""", html)


def test_exported_recording_has_its_duration() -> None:
    loaded = open_file(ARM, lambda path: NOTHING)
    clip = playback_of(ossature.Simulation(loaded.world).run(0.1, sample=0.02))
    shares: list[float] = []
    moving = page_of([loaded], shadows=False, clips=[clip], progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(moving) > len(page_of([loaded], shadows=False))


# Commands


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_render_writes_image_of_given_size(tmp_path: Path) -> None:
    output = tmp_path / "arm.png"
    result = run("render", ARM, output, "--size", "64x48", "--joint", "elbow=1.2", "--layer", "frames")
    assert result.exit_code == 0, result.output
    assert Image.open(io.BytesIO(output.read_bytes())).size == (64, 48)
    assert "Embree" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["a.jpg"], "written as .png"),
        (["a.png", "--size", "big"], "WIDTHxHEIGHT"),
        (["a.png", "--size", "99999x99999"], "pixels"),
        (["a.png", "--layer", "frame"], "did you mean 'frames'"),
        (["a.png", "--joint", "elbow=1,2"], "has 1 coordinate, not 2"),
        (["a.png", "--joint", "knee=1"], "no joint 'knee'"),
    ],
)
def test_render_reports_invalid_usage(tmp_path: Path, options: list[str], message: str) -> None:
    result = run("render", ARM, tmp_path / options[0], *options[1:])
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


def test_render_lists_and_counts_unavailable_meshes(tmp_path: Path) -> None:
    shape = "<geometry><mesh><file_name>{}.stl</file_name><scale>1 1 1</scale></mesh></geometry>"
    meshes = "".join(f"<visualization_shape>{shape.format(name)}</visualization_shape>" for name in "abcde")
    (tmp_path / "arm.skel").write_text(ARM.read_text().replace("<visualization_shape>", f"{meshes}<visualization_shape>", 1))
    result = run("render", tmp_path / "arm.skel", tmp_path / "arm.png", "--size", "32x32")
    assert result.exit_code == 0
    assert result.stderr.count("not rendered:") == 3
    assert "and 2 more" in result.stderr


def test_view_exports_page_with_recording(tmp_path: Path) -> None:
    recording, output = tmp_path / "run.json", tmp_path / "arm.html"
    ossature.Simulation(ossature.load(ARM)).run(0.05, sample=0.01).save(recording)
    result = run("view", ARM, "--export", output, "--recording", recording, "--no-shadows")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert output.stat().st_size > 500_000


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--export", "page.pdf"], 2, "writes .html files"),
        (["--export", "page.html", "--recording", "nowhere.json"], 1, "no such file"),
        (["--export", "page.html", "--initial-state", "nowhere.usdf"], 1, "no such file"),
        (["--export", "page.html", "-j", "elbow=nan"], 2, "joint positions must be finite"),
        (["--export", "page.html", "--layer", "everything"], 2, "no layer 'everything'"),
    ],
)
def test_view_reports_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options, code: int, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("view", ARM, *options)
    assert result.exit_code == code
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


def test_exported_page_shows_state(tmp_path: Path) -> None:
    state = tmp_path / "end.usdf"
    simulation = ossature.Simulation(ossature.load(ARM))
    simulation.step(200)
    save_state(simulation.state(), state)
    pages = [tmp_path / "begin.html", tmp_path / "end.html"]
    assert run("view", ARM, "--export", pages[0], "--no-shadows").exit_code == 0
    assert run("view", ARM, "--export", pages[1], "--no-shadows", "--state", state).exit_code == 0
    assert pages[0].read_bytes() != pages[1].read_bytes()


def test_render_reports_invalid_joint_position(tmp_path: Path) -> None:
    result = run("render", CRANK, tmp_path / "asked.png", "--size", "64x48", "-j", "guide=5")
    assert result.exit_code == 0
    assert "slider crank/guide is at" in result.stderr
    reached = run("render", CRANK, tmp_path / "asked.png", "--size", "64x48", "-j", "pin=0.3")
    assert "pin is at" not in reached.stderr


@pytest.mark.parametrize(("joint", "wanted"), [("guide", 5.0), ("pin", 0.3)])
def test_render_keeps_loops_closed(joint: str, wanted: float) -> None:
    loaded = open_file(CRANK, lambda found: MeshStore())
    assert loaded.world is not None
    (model,) = loaded.world.models
    wrist = model.joints["wrist"]
    assert wrist.parent is not None
    at_the_start = model.bodies[wrist.child].pose @ wrist.pose
    bodies = configuration_at(loaded, {model.name: {joint: [wanted]}}).poses()[model.name]
    first, second = (bodies[name] @ model.bodies[name].pose.inverse() @ at_the_start for name in (wrist.parent, wrist.child))
    assert math.dist(first.position, second.position) < 1e-6


def test_each_layer_has_a_command_line_name() -> None:
    assert {layer_named(name) for name in LAYER_NAMES} == set(Layer)


def test_images_without_embree_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = [
        Visual(geometry=Sphere(radius=0.5), pose=Pose((0.0, 0.0, 1.0)), color=RED),
        Visual(geometry=Box(size=(2.0, 1.0, 0.3)), color=GLASS),
    ]
    with_embree, _ = drawn(*shapes, size=80)
    monkeypatch.setattr("ossature.viewer.raycast_render._is_embree_installed", lambda: False)
    without, _ = drawn(*shapes, size=80)
    difference = np.abs(with_embree.astype(float) - without.astype(float)).max(axis=2)
    assert (difference > 0.05).mean() < 0.01  # pixels on silhouettes, by single precision
    assert difference.max() > 0.0  # by another library
