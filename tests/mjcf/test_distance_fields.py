"""Shapes of the type ``sdf``: MuJoCo's signed distance fields, which the model does not have."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from mjcf.mujoco_reference import compiled_by_mujoco, read_mjcf
from ossature.diagnostics import Report
from ossature.simulation import Simulation

WALLS = (
    ((-0.5, -0.5, 0.0), (0.5, 0.5, 0.1)),
    ((-0.5, -0.5, 0.1), (-0.4, 0.5, 0.6)),
    ((0.4, -0.5, 0.1), (0.5, 0.5, 0.6)),
    ((-0.4, -0.5, 0.1), (0.4, -0.4, 0.6)),
    ((-0.4, 0.4, 0.1), (0.4, 0.5, 0.6)),
)
FACES = "0 1 3 0 3 2 4 6 7 4 7 5 0 4 5 0 5 1 2 3 7 2 7 6 0 2 6 0 6 4 1 5 7 1 7 3"


def cup(shape: str, walls: int = len(WALLS)) -> str:
    """Return a ball above a cup, whose floor is 0.1 m thick, or above its first walls."""
    corners = [
        np.array(np.meshgrid(*zip(low, high, strict=True), indexing="ij")).reshape(3, -1).T for low, high in WALLS[:walls]
    ]
    faces = [np.array(FACES.split(), dtype=int) + 8 * number for number in range(walls)]
    vertices, indices = (" ".join(map(str, np.concatenate(each).ravel().tolist())) for each in (corners, faces))
    return f"""<mujoco>
  <asset><mesh name="cup" vertex="{vertices}" face="{indices}"/></asset>
  <worldbody>
    <geom name="cup" {shape} mesh="cup"/>
    <body name="ball" pos="0 0 0.5"><freejoint/><geom type="sphere" size="0.1"/></body>
  </worldbody>
</mujoco>"""


def findings_of(text: str, path: Path) -> list[str]:
    path.write_text(text)
    report = Report()
    read_mjcf(path, report)
    return [finding.message for finding in report if finding.rule.name == "unrepresented-mjcf"]


def test_a_ball_in_a_cup_rests_elsewhere_than_in_mujoco_and_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "cup.xml"
    (message,) = findings_of(cup('type="sdf"'), path)
    assert "1 shape of the type 'sdf'" in message
    model = compiled_by_mujoco(path)
    data = mujoco.MjData(model)
    for _ in range(500):
        mujoco.mj_step(model, data)
    assert data.qpos[2] == pytest.approx(0.2, abs=1e-3)
    simulation = Simulation(ossature.load(path))
    simulation.step(500)
    assert simulation.data.qpos[2] == pytest.approx(0.7, abs=1e-3)


@pytest.mark.parametrize("shape", ['type="mesh"', 'type="sdf" contype="0" conaffinity="0"'])
def test_meshes_and_shapes_that_do_not_collide_are_not_reported(shape: str, tmp_path: Path) -> None:
    assert not findings_of(cup(shape), tmp_path / "cup.xml")
