"""Animations and images of recordings: frames, durations, and the options of ``render``."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from conftest import PROJECT

pytest.importorskip("PIL")

from PIL import Image

import ossature
from ossature.cli.app import app
from ossature.viewer.video_export import encode_gif

ARM = PROJECT / "examples" / "palletizer.urdf"


def colored_frames(count: int) -> list[np.ndarray]:
    return [np.full((16, 24, 3), 20 * number, np.uint8) for number in range(count)]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("animation") / "run.json"
    ossature.Simulation(ossature.load(ARM)).run(0.3, sample=0.05).save(path)
    return path


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["render", str(ARM), *map(str, arguments)])
    return result.exit_code, result.output


@pytest.mark.parametrize("rate", [10.0, 24.0, 30.0, 60.0])
def test_gif_has_the_duration_of_its_frames(rate: float) -> None:
    image = Image.open(io.BytesIO(encode_gif(iter(colored_frames(12)), rate)))
    assert image.n_frames == 12
    total = 0
    for number in range(12):
        image.seek(number)
        total += image.info["duration"]
    assert total == pytest.approx(1000.0 * 12 / rate, abs=10.0)


def test_animation_has_a_frame_for_each_instant_and_shows_motion(recording: Path, tmp_path: Path) -> None:
    output = tmp_path / "animation.gif"
    code, text = run(output, "--recording", recording, "--fps", 10, "--size", "64x48")
    assert code == 0, text
    image = Image.open(io.BytesIO(output.read_bytes()))
    assert image.n_frames == 4
    assert image.size == (64, 48)
    frames = []
    for number in range(4):
        image.seek(number)
        frames.append(np.asarray(image.convert("L"), dtype=float))
    assert np.abs(frames[0] - frames[3]).max() > 30.0


def test_video_has_a_frame_for_each_instant(recording: Path, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    output = tmp_path / "animation.mp4"
    code, text = run(output, "--recording", recording, "--fps", 10, "--size", "64x48")
    assert code == 0, text
    count, duration = ffmpeg.count_frames_and_secs(str(output))
    assert count == 4
    assert duration == pytest.approx(0.4, abs=0.05)


def test_image_of_a_recording_is_that_of_its_last_sample_unless_a_time_is_given(recording: Path, tmp_path: Path) -> None:
    images = []
    for number, options in enumerate(([], ["--time", 0.3], ["--time", 0.0])):
        output = tmp_path / f"{number}.png"
        assert run(output, "--recording", recording, "--size", "64x48", *options)[0] == 0
        images.append(output.read_bytes())
    assert images[0] == images[1] != images[2]


def test_views_differ(tmp_path: Path) -> None:
    images = set()
    for view in ("isometric", "front", "left", "top"):
        output = tmp_path / f"{view}.png"
        assert run(output, "--view", view, "--size", "48x32")[0] == 0
        images.add(output.read_bytes())
    assert len(images) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x.mp4"], "needs --recording"),
        (["x.png", "--view", "side"], "there is no view 'side'"),
        (["x.png", "--time", "1"], "--time is for an image of a recording"),
        (["x.gif", "--recording", "RUN", "--joint", "turn=1"], "contradict"),
        (["x.avi"], ".gif"),
    ],
)
def test_contradictory_options_are_refused(arguments: list[str], message: str, recording: Path, tmp_path: Path) -> None:
    texts = [str(recording) if text == "RUN" else text for text in arguments]
    code, text = run(tmp_path / texts[0], *texts[1:])
    assert code == 2
    assert message in text.replace("\n", " ")
    assert not list(tmp_path.iterdir())
