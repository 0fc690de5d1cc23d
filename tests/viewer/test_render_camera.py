"""Cameras of rendered images: where points are seen, what is transparent, cropping, and contact sheets."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from conftest import PROJECT

pytest.importorskip("PIL")

from PIL import Image

from ossature.assets import MeshStore
from ossature.cli.app import app
from ossature.cli.console import EXIT_INVALID_INPUT
from ossature.kinematics import poses
from ossature.model import Body, Model, NamedList, Sphere, Visual, World
from ossature.spatial import Pose, Vector3
from ossature.viewer.raycast_render import RenderedImage, render_image
from ossature.viewer.render_camera import RenderCamera
from ossature.viewer.scene_builder import framing_at
from ossature.viewer.scene_layers import Layer
from ossature.viewer.triangle_scene import build_triangle_scene

EXAMPLES = PROJECT / "examples"
UP = (0.0, 0.0, 1.0)


def image_of(balls: dict[Vector3, float], camera: RenderCamera, width: int = 120, height: int = 90) -> RenderedImage:
    shapes = [Visual(geometry=Sphere(radius=radius), pose=Pose(at)) for at, radius in balls.items()]
    world = World(models=NamedList([Model(name="m", bodies=NamedList([Body(name="b", visuals=tuple(shapes))]))]))
    framing = framing_at(world, poses(world), MeshStore())
    still = build_triangle_scene(world, poses(world), {Layer.VISUALS}, framing, MeshStore())
    return render_image(still, framing, width, height, camera=camera)


def random_camera(seed: int, *, is_orthographic: bool) -> RenderCamera:
    generator = np.random.default_rng(seed)
    position, target = 4.0 * generator.normal(size=3) + [0.0, 0.0, 3.0], 0.3 * generator.normal(size=3)
    return RenderCamera(
        position=tuple(position.tolist()),
        target=tuple(target.tolist()),
        up=UP,
        field_of_view=math.radians(generator.uniform(20.0, 70.0)),
        is_orthographic=is_orthographic,
    )


@pytest.mark.parametrize("is_orthographic", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_ball_is_seen_where_a_pinhole_or_parallel_camera_sees_it(seed: int, is_orthographic: bool) -> None:
    camera = random_camera(seed, is_orthographic=is_orthographic)
    ahead = np.subtract(camera.target, camera.position)
    depth = float(np.linalg.norm(ahead))
    ahead = ahead / depth
    right = np.cross(ahead, UP) / np.linalg.norm(np.cross(ahead, UP))
    reach = 0.25 * depth * math.tan(camera.field_of_view / 2.0)
    point = np.array(camera.target) + reach * right + 0.6 * reach * np.cross(right, ahead) - 0.2 * depth * ahead
    opacity = image_of({tuple(point.tolist()): 0.1 * reach}, camera).opacity
    offset = point - camera.position
    divisor = depth if is_orthographic else offset @ ahead
    scale = 90 / (2.0 * divisor * math.tan(camera.field_of_view / 2.0))
    expected = [60.0 + scale * (offset @ right), 45.0 - scale * (offset @ np.cross(right, ahead))]
    rows, columns = np.indices(opacity.shape)
    seen = [float((opacity * (axis + 0.5)).sum() / opacity.sum()) for axis in (columns, rows)]
    np.testing.assert_allclose(seen, expected, atol=0.4)


def test_only_with_perspective_far_balls_are_smaller() -> None:
    near, far = (1.0, -0.6, 0.0), (-2.0, 0.6, 0.0)
    for is_orthographic in (False, True):
        camera = RenderCamera(position=(6.0, 0.0, 0.0), target=(0.0, 0.0, 0.0), up=UP, is_orthographic=is_orthographic)
        areas = [image_of({at: 0.4}, camera).opacity.sum() for at in (near, far)]
        ratio = areas[0] / areas[1]
        assert ratio == pytest.approx(1.0 if is_orthographic else (8.0 / 5.0) ** 2, rel=0.05)


def test_transparent_and_cropped_images_have_the_scene_alone() -> None:
    camera = RenderCamera(position=(5.0, 0.0, 1.0), target=(0.0, 0.6, 1.0), up=UP)
    image = image_of({(0.0, 0.0, 1.0): 0.3}, camera)
    transparent = image.transparent()
    assert transparent[0, 0, 3] == transparent[-1, -1, 3] == 0.0
    inside = transparent[..., 3] == 1.0
    np.testing.assert_allclose(transparent[inside][:, :3], image.colors[inside], atol=1e-12)
    part = image.cropped(3)
    assert part.opacity.sum() == image.opacity.sum()
    height, width = part.opacity.shape
    assert abs(height - width) <= 2
    assert not part.opacity[:3].any()
    assert part.opacity[3].any()
    empty = image_of({(0.0, 0.0, -50.0): 0.1}, camera)
    assert empty.cropped(3) is empty


def test_a_camera_above_its_target_sees_it() -> None:
    camera = RenderCamera(position=(0.0, 0.0, 4.0), target=(0.0, 0.0, 0.0), up=UP)
    assert image_of({(0.0, 0.0, 0.0): 0.3}, camera).opacity[45, 60] == 1.0


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["render", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--camera", "1", "2", "3", "--target", "1", "2", "3"], "at the point that it looks at"),
        (["--fov", "180"], "between 0.1 and 170"),
    ],
)
def test_cameras_that_see_nothing_are_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    code, text = run(EXAMPLES / "palletizer.urdf", tmp_path / "x.png", "--size", "32x32", *arguments)
    assert code == 2
    assert message in text.replace("\n", " ")
    assert not list(tmp_path.iterdir())


def test_options_of_the_camera_reach_the_image(tmp_path: Path) -> None:
    images = set()
    for number, options in enumerate(
        (["--orthographic"], ["--fov", "60"], ["--target", "0", "0", "0.2"], ["--camera", "1", "1", "1"], ["--transparent"])
    ):
        output = tmp_path / f"{number}.png"
        assert run(EXAMPLES / "palletizer.urdf", output, "--size", "40x30", *options)[0] == 0
        images.add(output.read_bytes())
    assert len(images) == 5


def test_several_files_are_a_contact_sheet_also_if_one_is_invalid(tmp_path: Path) -> None:
    broken, output = tmp_path / "broken.urdf", tmp_path / "sheet.png"
    broken.write_text("<robot>")
    files = [EXAMPLES / "palletizer.urdf", EXAMPLES / "arm.skel"]
    assert run(*files, output, "--size", "48x32", "--crop")[0] == 0
    complete = Image.open(io.BytesIO(output.read_bytes()))
    code, text = run(*files, broken, output, "--size", "48x32")
    assert code == EXIT_INVALID_INPUT
    assert "broken.urdf" in text
    assert Image.open(io.BytesIO(output.read_bytes())).height > complete.height
    assert run(*files, tmp_path / "video.gif")[0] == 2
