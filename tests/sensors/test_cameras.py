"""Cameras: where corners are seen, and what both ways of making images agree on."""

from __future__ import annotations

import gc
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossature.diagnostics import Report
from ossature.model import (
    Body,
    Box,
    Collision,
    Distortion,
    DistortionModel,
    ImageFormat,
    Model,
    NamedList,
    PinholeCamera,
    Sphere,
    StereoCamera,
    StereoView,
    Visual,
)
from ossature.sensor_models.camera_projection import CameraProjection
from ossature.sensor_models.image_formats import make_image
from ossature.sensor_models.lens_distortion import distort, undistort
from ossature.simulation import Simulation
from ossature.simulation.sensors.camera import CameraBackend, CameraImage
from ossature.simulation.sensors.renderer import RendererError
from ossature.simulation.sensors.stereo import StereoImages
from ossature.spatial import Pose, quaternion_from_rotation_vector
from sensors.sensor_scenes import box, carrier, simulation, thing

FORWARD = Pose((0.0, 0.0, 0.0), quaternion_from_rotation_vector((0.0, math.pi / 2.0, 0.0)))
"""A camera that looks along x of its body; its x points downwards there, its y along the body's."""
LENSES: dict[str, Distortion | None] = {
    "none": None,
    "plumb_bob": Distortion(model=DistortionModel.PLUMB_BOB, coefficients=(-0.25, 0.08, 0.002, -0.003, 0.01)),
    "rational_polynomial": Distortion(
        model=DistortionModel.RATIONAL_POLYNOMIAL, coefficients=(0.4, 0.1, 0.001, 0.002, 0.02, 0.7, 0.2, 0.05)
    ),
    "equidistant": Distortion(model=DistortionModel.EQUIDISTANT, coefficients=(0.02, -0.01, 0.003, -0.001)),
}
MATRICES = {
    "plain": ((300.0, 0.0, 160.0), (0.0, 300.0, 120.0)),
    "skewed": ((300.0, 12.0, 150.0), (0.0, 280.0, 130.0)),
}
PANEL = Box(size=(0.1, 1.2, 0.8))
PLACE = Pose((3.0, 0.15, -0.1), quaternion_from_rotation_vector((0.3, 0.1, -0.2)))


def renderer_starts() -> bool:
    try:
        image_by(CameraBackend.RENDERER, PinholeCamera(width=8, height=8))
    except RendererError:
        return False
    return True


def image_by(way: CameraBackend, camera: PinholeCamera, *models: Model) -> CameraImage:
    eye = simulation(carrier(camera, sensor_pose=FORWARD), *models).sensors["eye"]
    eye.backend = way  # type: ignore[attr-defined]  # it is a camera
    reading = eye.read()
    assert isinstance(reading, CameraImage)
    return reading


def camera(lens: str, matrix: str) -> PinholeCamera:
    return PinholeCamera(width=320, height=240, intrinsic=MATRICES[matrix], distortion=LENSES[lens])


def by_hand(points: Any, lens: Distortion | None, matrix: Any) -> Any:
    """Return where points in front of a camera are seen, by the formulas as the literature has them, one by one."""
    pixels = []
    for x, y, z in points:
        a, b = x / z, y / z
        r2 = a * a + b * b
        if lens is not None and lens.model is DistortionModel.EQUIDISTANT:
            k1, k2, k3, k4 = lens.coefficients
            theta = math.atan(math.sqrt(r2))
            bent = theta + k1 * theta**3 + k2 * theta**5 + k3 * theta**7 + k4 * theta**9
            a, b = a * bent / math.sqrt(r2), b * bent / math.sqrt(r2)
        elif lens is not None:
            k1, k2, p1, p2, k3, *rest = lens.coefficients
            radial = 1.0 + k1 * r2 + k2 * r2**2 + k3 * r2**3
            if rest:
                radial /= 1.0 + rest[0] * r2 + rest[1] * r2**2 + rest[2] * r2**3
            a, b = (
                a * radial + 2.0 * p1 * a * b + p2 * (r2 + 2.0 * a * a),
                b * radial + p1 * (r2 + 2.0 * b * b) + 2.0 * p2 * a * b,
            )
        (fx, skew, cx), (_, fy, cy) = matrix
        pixels.append((fx * a + skew * b + cx, fy * b + cy))
    return np.array(pixels)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("lens", LENSES)
def test_projected_corners_agree_within_a_pixel(lens: str, matrix: str) -> None:
    """Small balls at the corners of a panel: the middle of what is seen of each is where its centre is projected."""
    seen_by = camera(lens, matrix)
    half = np.array(PANEL.size) / 2.0
    corners = np.array([(0.0, y, z) for y in (-half[1], half[1]) for z in (-half[2], half[2])])
    turn = PLACE.matrix()
    world = corners @ turn[:3, :3].T + turn[:3, 3]
    balls = [thing(f"ball{number}", Sphere(radius=0.03), Pose(tuple(place))) for number, place in enumerate(world.tolist())]
    image = image_by(CameraBackend.RAYS, seen_by, *balls)
    to_camera = (world - np.array(FORWARD.position)) @ FORWARD.matrix()[:3, :3]
    expected = by_hand(to_camera, seen_by.distortion, seen_by.intrinsic)
    for number, place in enumerate(expected):
        rows, columns = np.nonzero(image.shapes == image.bodies.index(f"ball{number}/ball{number}"))
        assert len(rows) > 4, "the corner is in the image"
        middle = np.array([columns.mean() + 0.5, rows.mean() + 0.5])
        assert np.abs(middle - place).max() < 1.0


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("lens", LENSES)
def test_distortion_agrees_with_literature(lens: str, matrix: str) -> None:
    seen_by = camera(lens, matrix)
    points = np.random.default_rng(5).uniform((-0.4, -0.3, 1.0), (0.4, 0.3, 2.0), (200, 3))
    optics = CameraProjection.of(seen_by)
    assert optics.project(points) == pytest.approx(by_hand(points, seen_by.distortion, seen_by.intrinsic), abs=1e-9)
    back = optics.unproject(optics.project(points))
    assert back == pytest.approx(points[:, :2] / points[:, 2:], abs=1e-9)


@settings(deadline=None)
@given(
    st.lists(st.floats(-0.3, 0.3), min_size=8, max_size=8),
    st.sampled_from(list(DistortionModel)),
    st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)),
)
def test_undistortion_inverts_distortion_or_is_nan(coefficients: list[float], kind: DistortionModel, seen: Any) -> None:
    lens = Distortion(model=kind, coefficients=tuple(coefficients))
    points = undistort(np.array([seen]), lens)
    if np.isfinite(points).all():
        assert distort(points, lens) == pytest.approx(np.array([seen]), abs=1e-8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("lens", LENSES)
def test_rays_and_renderer_agree_on_depth(lens: str, matrix: str) -> None:
    if not renderer_starts():
        pytest.skip("the renderer is not available here")
    models = (thing("panel", PANEL, PLACE), thing("ball", Sphere(radius=0.4), Pose((2.5, -0.5, 0.3))))
    cast, drawn = (image_by(way, camera(lens, matrix), *models) for way in (CameraBackend.RAYS, CameraBackend.RENDERER))
    assert (cast.made_by, drawn.made_by) == ("rays", "renderer")
    inner = inside(cast.shapes) & inside(drawn.shapes) & (cast.shapes == drawn.shapes)
    inner &= ~steep(cast.depth)
    assert inner.sum() > 5000
    assert np.abs(cast.depth[inner] - drawn.depth[inner]).max() < 1e-3
    assert (cast.shapes != drawn.shapes).mean() < 0.01


def steep(depth: Any) -> Any:
    """Whether a surface is seen so askew that depth changes by a centimetre from one pixel to the next.

    The renderer draws a ball with flat faces; what they lack of its roundness is seen enlarged at its rim.
    """
    with np.errstate(invalid="ignore"):
        changes = [np.abs(np.roll(depth, 1, axis) - depth) for axis in (0, 1)]
    return np.maximum(*changes) > 0.01


def inside(shapes: Any) -> Any:
    """Whether a pixel and all around it see the same body."""
    same = shapes >= 0
    for down in (-1, 0, 1):
        for across in (-1, 0, 1):
            same &= np.roll(shapes, (down, across), axis=(0, 1)) == shapes
    return same


def test_depth_is_that_of_a_plane() -> None:
    image = image_by(CameraBackend.RAYS, camera("none", "plain"), thing("wall", box((1.0, 50.0, 50.0)), Pose((5.5, 0.0, 0.0))))
    assert np.abs(image.depth - 5.0).max() < 1e-9


COLORED = Visual(geometry=box((1.0, 50.0, 50.0)), color=(1.0, 0.5, 0.25, 1.0))
RED_GREEN_BLUE = np.array([1.0, 0.5, 0.25])


def wall_in_color() -> Model:
    body = Body(name="wall", visuals=(COLORED,), collisions=(Collision(geometry=Sphere(radius=0.1)),))
    return Model(name="wall", pose=Pose((5.5, 0.0, 0.0)), static=True, bodies=NamedList([body]))


@pytest.mark.parametrize("kind", ImageFormat)
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_formats(kind: ImageFormat, channels: int) -> None:
    seen_by = PinholeCamera(width=6, height=4, channels=channels, format=kind, gain=0.5)
    image = image_by(CameraBackend.RAYS, seen_by, wall_in_color()).image
    assert image.shape == (4, 6, channels)
    assert image.dtype == np.dtype(kind.value)
    largest = 1.0 if image.dtype.kind == "f" else float(np.iinfo(image.dtype).max)
    colors = 0.5 * RED_GREEN_BLUE
    expected = {1: [colors @ (0.299, 0.587, 0.114)], 3: [*colors], 4: [*colors, 1.0]}[channels]
    assert image[2, 3] / largest == pytest.approx(expected, abs=0.51 / largest + 1e-6)


def test_brightness_is_clipped() -> None:
    image = make_image(np.full((1, 1, 3), 7.0), np.ones((1, 1)), 3, ImageFormat.INT32)
    assert image.ravel().tolist() == [np.iinfo(np.int32).max] * 3


def test_background_is_black_with_infinite_depth() -> None:
    image = image_by(CameraBackend.RAYS, PinholeCamera(width=6, height=4, channels=4))
    assert not image.image.any()
    assert np.isinf(image.depth).all()
    assert (image.shapes == -1).all()


def test_missing_renderer_falls_back_to_rays_with_a_finding(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> None:
        raise RendererError("no driver")

    monkeypatch.setattr("ossature.simulation.sensors.camera.Renderer", none)
    running = simulation(carrier(camera("none", "plain"), sensor_pose=FORWARD), report=report)
    eye = running.sensors["eye"]
    reading = eye.read()
    assert isinstance(reading, CameraImage)
    assert reading.made_by == "rays"
    eye.read()
    assert "no driver" in report.take("raycast-rendering")[0].message, "it is reported once"
    report.take("assumed-sensor-defaults")
    eye.backend = CameraBackend.RENDERER  # type: ignore[attr-defined]  # it is a camera
    with pytest.raises(RendererError):
        eye.read()


@pytest.mark.skipif(not renderer_starts(), reason="the renderer is not available here")
def test_image_and_simulation_may_belong_to_different_threads() -> None:
    eyes = [simulation(carrier(PinholeCamera(width=8, height=8), sensor_pose=FORWARD)).sensors["eye"]]

    def image() -> str:
        reading = eyes[0].read()
        assert isinstance(reading, CameraImage)
        return reading.made_by

    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        assert [one.submit(image).result(), other.submit(image).result(), image()] == ["renderer"] * 3
        eyes.clear()
        other.submit(gc.collect).result()


def stereo(baseline: float = 0.2, rectification: Any = None) -> tuple[Simulation, StereoImages]:
    one = PinholeCamera(width=160, height=120, intrinsic=((150.0, 0.0, 80.0), (0.0, 150.0, 60.0)))
    second = StereoView(camera=one, pose=Pose((baseline, 0.0, 0.0)), rectification=rectification)
    description = StereoCamera(views=(StereoView(camera=one), second))
    running = simulation(
        carrier(description, sensor_pose=FORWARD),
        thing("wall", box((1.0, 50.0, 50.0)), Pose((5.5, 0.0, 0.0))),
        thing("ball", Sphere(radius=0.5), Pose((3.0, 0.0, 0.0))),
    )
    eye = running.sensors["eye"]
    eye.backend = CameraBackend.RAYS  # type: ignore[attr-defined]  # it is a camera
    reading = eye.read()
    assert isinstance(reading, StereoImages)
    return running, reading


def test_stereo_depth_agrees_with_geometry() -> None:
    _, reading = stereo()
    seen = np.isfinite(reading.depth)
    assert 0.5 < seen.mean() < 1.0, "some of it the second camera does not see"
    assert reading.depth[seen] == pytest.approx(150.0 * 0.2 / reading.disparity[seen], rel=1e-9)
    wall = seen & (reading.depth > 4.0)
    assert wall.sum() > 1000
    assert reading.depth[wall] == pytest.approx(5.0, abs=1e-9)
    assert reading.depth[60, 80] == pytest.approx(2.5, abs=1e-3), "the ball is nearest in the middle"


def test_occluded_points_have_no_stereo_depth() -> None:
    _, reading = stereo(baseline=1.0)
    hidden = ~np.isfinite(reading.depth)
    assert np.isnan(reading.disparity[hidden]).all()
    # Of the wall in a column the second camera sees what is within its image: u - f B / z >= 0.
    columns = np.nonzero(np.isfinite(reading.depth[5]))[0]
    assert columns.min() == math.ceil(150.0 * 1.0 / 5.0 - 0.5)


def test_rectification_changes_disparity() -> None:
    shift = ((1.0, 0.0, 7.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    _, plain = stereo()
    _, moved = stereo(rectification=shift)
    seen = np.isfinite(plain.depth)
    assert moved.disparity[seen] == pytest.approx(plain.disparity[seen] - 7.0)
    assert moved.depth[seen] == pytest.approx(plain.depth[seen])
