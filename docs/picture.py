"""Makes the picture of the README: the example arm, its rays cast by the engine. Run it with ``make pictures``."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
from PIL import Image

import ossature
from ossature.assets import MeshStore
from ossature.conversion.mjcf import write_mjcf
from ossature.diagnostics import Ledger, Report

DOCS = Path(__file__).resolve().parent
WIDTH, HEIGHT, OVERSAMPLING = 960, 600, 2
EYE, TARGET, FOCAL = np.array([1.15, -1.25, 0.85]), np.array([0.12, 0.08, 0.3]), 1.55
LIGHT = np.array([0.45, -0.55, 0.9]) / np.linalg.norm([0.45, -0.55, 0.9])
SKY, AMBIENT = np.array([0.96, 0.97, 0.98]), 0.35


def main() -> None:
    """Write ``docs/arm.png``."""
    world = ossature.load(DOCS.parent / "examples" / "arm.skel")
    text = write_mjcf(world, Ledger(), meshes=MeshStore(), report=Report())
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    picture = shade(model, data, WIDTH * OVERSAMPLING, HEIGHT * OVERSAMPLING)
    image = Image.fromarray((picture * 255.0).astype(np.uint8)).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    image.save(DOCS / "arm.png", optimize=True)
    print(DOCS / "arm.png")


def shade(model: mujoco.MjModel, data: mujoco.MjData, width: int, height: int) -> np.ndarray:
    """Return a picture, shape (height, width, 3), with diffuse light and a shadow."""
    rays = camera_rays(width, height)
    distance, geom, normal = cast(model, data, EYE, rays)
    hit = geom >= 0
    points = EYE + rays * distance[:, None]
    colors = np.where(hit[:, None], model.geom_rgba[geom][:, :3], SKY)
    lit = np.clip(normal @ LIGHT, 0.0, 1.0)
    lit[hit] *= in_light(model, data, points[hit] + 1e-4 * normal[hit])
    brightness = np.where(hit, AMBIENT + (1.0 - AMBIENT) * lit, 1.0)
    return (np.clip(colors * brightness[:, None], 0.0, 1.0) ** (1.0 / 1.4)).reshape(height, width, 3)


def camera_rays(width: int, height: int) -> np.ndarray:
    """Return the unit direction of every pixel's ray, row by row."""
    forward = (TARGET - EYE) / np.linalg.norm(TARGET - EYE)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    x = (np.arange(width) + 0.5 - width / 2.0) / (height / 2.0)
    y = (height / 2.0 - np.arange(height) - 0.5) / (height / 2.0)
    grid = FOCAL * 1.6 * forward + x[None, :, None] * right + y[:, None, None] * up
    rays = grid.reshape(-1, 3)
    return rays / np.linalg.norm(rays, axis=1, keepdims=True)


def cast(model: mujoco.MjModel, data: mujoco.MjData, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return distance, geom and surface normal for rays from one point."""
    count = len(rays)
    geom, distance, normal = np.full(count, -1, np.int32), np.zeros(count), np.zeros((count, 3))
    group = np.array([0, 0, 1, 0, 0, 0], np.uint8)
    found, away = np.zeros(1, np.int32), np.zeros(3)
    for index, ray in enumerate(rays):
        reach = mujoco.mj_ray(model, data, origin, ray, group, 1, -1, found, away)
        if reach >= 0.0:
            geom[index], distance[index], normal[index] = found[0], reach, away
    return distance, geom, normal


def in_light(model: mujoco.MjModel, data: mujoco.MjData, points: np.ndarray) -> np.ndarray:
    """Return 1 for points that the light reaches, and less for those in shadow."""
    group = np.array([0, 0, 1, 0, 0, 0], np.uint8)
    found, away = np.zeros(1, np.int32), np.zeros(3)
    blocked = [mujoco.mj_ray(model, data, point, LIGHT, group, 1, -1, found, away) >= 0.0 for point in points]
    return np.where(blocked, 0.25, 1.0)


if __name__ == "__main__":
    main()
