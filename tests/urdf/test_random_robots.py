"""Random robots: their files and their states go through text to the same bits, and they are what Pinocchio makes of them."""

from __future__ import annotations

import math
import random
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest

import ossature
from ossature.comparison import compare
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.urdf import read_urdf, write_urdf
from ossature.formats.usdf import read_usdf, write_usdf
from ossature.model import World
from ossature.simulation import Simulation
from ossature.spatial import quaternion_from_rotation_vector, rotation_matrix
from state_digits import digits_of

KINDS = ("revolute", "continuous", "prismatic", "fixed")


class Robot:
    """Makes the text of a robot.

    Attributes:
        text: The text.
        turning: Its joints that have a coordinate.
    """

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.turning: list[str] = []
        count = self._chance.randint(1, 8)
        links = [self._link(number) for number in range(count)]
        joints = [self._joint(number) for number in range(1, count)]
        parts = links + joints
        self._chance.shuffle(parts)
        self.text = f"<robot name={quoteattr(self._chance.choice(NAMES))}>{''.join(parts)}</robot>"

    def _number(self) -> float:
        return self._chance.uniform(-1.0, 1.0) * 10.0 ** self._chance.randint(-3, 1)

    def _three(self) -> str:
        return " ".join(repr(self._number()) for _ in range(3))

    def _origin(self) -> str:
        return f'<origin xyz="{self._three()}" rpy="{self._three()}"/>' if self._chance.random() < 0.8 else ""

    def _link(self, number: int) -> str:
        inertial = f'<inertial>{self._origin()}<mass value="{math.exp(self._number())!r}"/>{self._inertia()}</inertial>'
        shape = self._chance.choice(
            [
                f'<box size="{abs(self._number())!r} 0.5 0.25"/>',
                f'<sphere radius="{abs(self._number())!r}"/>',
                f'<cylinder radius="0.1" length="{abs(self._number())!r}"/>',
            ]
        )
        visual = f"<visual>{self._origin()}<geometry>{shape}</geometry></visual>"
        return f"<link name={quoteattr(link(number))}>{inertial}{visual}</link>"

    def _inertia(self) -> str:
        """Return the rotated inertia tensor of a possible body."""
        a, b, c = (math.exp(self._number()) for _ in range(3))
        turn = np.array(rotation_matrix(quaternion_from_rotation_vector((a, -b, c))))
        moment = (turn @ np.diag([b + c, a + c, a + b]) @ turn.T).tolist()
        names = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
        return "<inertia " + " ".join(f'{name}="{moment[i][j]!r}"' for name, i, j in names) + "/>"

    def _joint(self, number: int) -> str:
        kind, name = self._chance.choice(KINDS), f"joint {number}"
        parent = link(self._chance.randrange(number))
        inside = f"{self._origin()}<parent link={quoteattr(parent)}/><child link={quoteattr(link(number))}/>"
        if kind != "fixed":
            self.turning.append(name)
            inside += f'<axis xyz="{self._three()}"/><dynamics damping="{abs(self._number())!r}"/>'
            inside += f'<limit lower="{-9 + self._number()!r}" upper="{9 + self._number()!r}" effort="5" velocity="3"/>'
        return f'<joint name="{name}" type="{kind}">{inside}</joint>'


NAMES = ("robot", "a 'quoted' one", "<&>", "ünï", "50 %")


def link(number: int) -> str:
    return f"link {number} {NAMES[number % len(NAMES)]}"


def read(text: str) -> World:
    report = Report()
    world = read_urdf(Source("robot.urdf", text.encode()), report)
    assert world is not None
    assert not report.has_errors, str(report)
    return world


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(100, 1000, 100))])
def test_round_trip_of_a_thousand_robots_is_bit_exact(first: int) -> None:
    for seed in range(first, first + 100):
        world, ledger = read(Robot(seed).text), Ledger()
        text = write_urdf(world, ledger)
        again = read(text)
        assert not list(ledger)
        assert not compare(world, again), seed
        assert repr(world.models) == repr(again.models), seed
        assert write_urdf(again, Ledger()) == text


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(20, 200, 20))])
def test_round_trip_of_their_states_is_bit_exact(first: int) -> None:
    for seed in range(first, first + 20):
        world = read(Robot(seed).text)
        whole, second = (Simulation(world, report=Report()) for _ in range(2))
        whole.step(20)
        state = whole.state()
        restored = read_usdf(Source("state.usdf", write_usdf(state).encode()), Report())
        assert restored == state
        assert digits_of(restored) == digits_of(state)
        second.restore(restored)
        whole.step(20)
        second.step(20)
        assert digits_of(second.state()) == digits_of(whole.state()), seed


def test_poses_equal_those_of_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    for seed in range(100):
        robot = Robot(seed)
        model = pin.buildModelFromXML(robot.text)
        data, world = model.createData(), read(robot.text)
        chance, positions, q = random.Random(seed), {}, pin.neutral(model)
        for number in range(1, model.njoints):
            joint, value = model.joints[number], chance.uniform(-1.5, 1.5)
            positions[model.names[number]] = (value,)
            q[joint.idx_q : joint.idx_q + joint.nq] = (value,) if joint.nq == 1 else (math.cos(value), math.sin(value))
        assert set(positions) == set(robot.turning)
        pin.framesForwardKinematics(model, data, q)
        found = ossature.poses(world, {world.models[0].name: positions})[world.models[0].name]
        for body, pose in found.items():
            expected = data.oMf[model.getFrameId(body)].homogeneous
            np.testing.assert_allclose(pose.matrix(), expected, atol=1e-9, err_msg=f"{seed} {body}")
