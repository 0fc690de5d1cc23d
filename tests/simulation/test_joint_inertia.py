"""Which joints move no inertia, and that finding them takes time in proportion to the number of kinematic trees."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from growth import is_growth_below
from ossature.simulation.compile import inertia
from ossature.simulation.compile.inertia import joint_inertia

BALL = '<body pos="{x} 0 0"><freejoint/><geom size="0.1"/></body>'
TWO_COLLINEAR_HINGES = (
    '<body><joint axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1e-14 1e-14 1e-14"/>'
    '<body><joint axis="0 0 1"/><geom pos="1 0 0" size="0.1"/></body></body>'
)
PENDULUMS = '<body pos="0.5 0 0"><joint axis="0 1 0"/><geom pos="1 0 0" size="0.1"/>{inner}</body>'


def compiled(content: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(f'<mujoco><compiler boundmass="0"/><worldbody>{content}</worldbody></mujoco>')


def balls(count: int) -> mujoco.MjModel:
    return compiled("".join(BALL.format(x=x) for x in range(count)))


def pendulums(count: int) -> str:
    content = ""
    for _ in range(count):
        content = PENDULUMS.format(inner=content)
    return content


def all_eigenvalues(model: mujoco.MjModel) -> np.ndarray:
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    scale = 1.0 / np.sqrt(mass.diagonal())
    return np.linalg.eigvalsh(scale[:, None] * mass * scale)


def test_each_tree_is_searched() -> None:
    content = BALL.format(x=5) + TWO_COLLINEAR_HINGES + BALL.format(x=9)
    model = compiled(content)
    model.body_inertia[2] = 0.0
    found = joint_inertia(model)
    assert all_eigenvalues(model)[0] < 1e-13
    assert found.is_valid
    assert found.massless.tolist() == [6, 7]


def test_the_diagonal_is_that_of_the_mass_matrix() -> None:
    model = compiled(BALL.format(x=5) + pendulums(4))
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    found = joint_inertia(model)
    assert found.diagonal.tolist() == mass.diagonal().tolist()
    assert not found.massless.size


@pytest.mark.parametrize("most", [1, 500])
def test_large_trees_are_searched_without_eigenvalues(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inertia, "MOST_EIGENVALUES", most)
    sound = compiled(pendulums(12))
    found = joint_inertia(sound)
    assert found.is_valid
    assert not found.massless.size
    singular = compiled(pendulums(3) + TWO_COLLINEAR_HINGES)
    singular.body_inertia[-2] = 0.0
    assert set(joint_inertia(singular).massless.tolist()) & {3, 4}


def test_time_grows_with_the_number_of_trees() -> None:
    few, many = balls(40), balls(320)
    assert is_growth_below(24.0, lambda: joint_inertia(few), lambda: joint_inertia(many))
