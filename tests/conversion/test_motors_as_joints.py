"""Joints that motors become in formats without functions of time start as the motors prescribe, or the ledger has the size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ossature
from chrono.models import GROUND, body, read, text
from ossature.conversion import convert
from ossature.model import World

START, RATE, ARM = 0.6, 0.5, 0.4
RAMP = f"{{type: RAMP, slope: {RATE}, intercept: {START}}}"


def driven(kind: str, drive: str = "POSITION", **lists: str) -> World:
    item = (
        f"- {{name: motor, type: {kind}, body1: b, body2: ground, location: [0, 0, 0], axis: [0, 1, 0],"
        f" actuation_type: {drive}, actuation_function: {RAMP}}}"
    )
    return read(text(GROUND, body("b", f"[{ARM}, 0, 0]"), motors=item, **lists))


def start(path: Path) -> tuple[np.ndarray, np.ndarray]:
    simulation = ossature.Simulation(ossature.load(path))
    for keyframe in simulation.world.models[0].keyframes:
        simulation.apply_keyframe(keyframe.name)
    (states,) = simulation.body_states().values()
    return np.array(states["b"].position), np.array(states["b"].linear_velocity)


@pytest.mark.parametrize("suffix", [".xml", ".skel", ".usda"])
@pytest.mark.parametrize("kind", ["ROTATION", "LINEAR"])
def test_they_start_at_the_position_of_the_motor(kind: str, suffix: str, tmp_path: Path) -> None:
    """A rotation about y takes x to -z."""
    turned = ARM * np.array([np.cos(START), 0.0, -np.sin(START)])
    across = ARM * np.array([-np.sin(START), 0.0, -np.cos(START)])
    expected = {"ROTATION": (turned, RATE * across), "LINEAR": ((ARM, START, 0.0), (0.0, RATE, 0.0))}[kind]
    ledger = convert(driven(kind), tmp_path / f"written{suffix}").ledger
    position, velocity = start(tmp_path / f"written{suffix}")
    np.testing.assert_allclose(position, expected[0], atol=1e-7)
    if suffix == ".usda":  # velocities are those of bodies there
        assert f"({RATE:g} " in next(str(entry) for entry in ledger if entry.path.endswith("initial_velocity"))
    else:
        np.testing.assert_allclose(velocity, expected[1], atol=1e-9)


@pytest.mark.parametrize("suffix", [".xml", ".skel"])
def test_they_start_with_a_prescribed_velocity(suffix: str, tmp_path: Path) -> None:
    ossature.save(driven("LINEAR", "SPEED"), tmp_path / f"written{suffix}")
    position, velocity = start(tmp_path / f"written{suffix}")
    np.testing.assert_allclose(position, (ARM, 0.0, 0.0), atol=1e-9)
    np.testing.assert_allclose(velocity, (0.0, START, 0.0), atol=1e-9)


@pytest.mark.parametrize("suffix", [".urdf", ".sdf"])
def test_the_ledger_has_the_position_that_the_format_does_not_have(suffix: str, tmp_path: Path) -> None:
    ledger = convert(driven("LINEAR"), tmp_path / f"written{suffix}").ledger
    lost = {entry.path: entry.before for entry in ledger if "initial" in entry.path}
    assert lost["m/motor.coordinates[0].initial_position"] == f"{START} m"


@pytest.mark.parametrize("suffix", [".xml", ".skel", ".usda", ".urdf", ".sdf"])
def test_the_ledger_has_the_position_of_a_motor_in_a_loop(suffix: str, tmp_path: Path) -> None:
    """The other joints of the loop would have to move, too."""
    hinge = "- {name: j, type: PRISMATIC, body1: b, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}"
    ledger = convert(driven("LINEAR", joints=hinge), tmp_path / f"written{suffix}").ledger
    assert any("it starts at rest at zero, not at 0.6 m with 0.5 m/s" in str(entry) for entry in ledger)


@pytest.mark.parametrize("suffix", [".xml", ".skel"])
def test_the_ledger_names_motors_whose_start_moves_other_joints(suffix: str, tmp_path: Path) -> None:
    """The motor is inclined to the arm that carries it: by its impulse the arm turns about its hinge."""
    arm = "- {name: a, type: REVOLUTE, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 0, 1]}"
    item = (
        f"- {{name: motor, type: LINEAR, body1: b, body2: arm, location: [0.4, 0, 0], axis: [0, 1, 0], actuation_type: SPEED,"
        f" actuation_function: {{type: CONSTANT, value: {RATE}}}}}"
    )
    world = read(text(GROUND, body("arm", "[0.2, 0, 0]"), body("b", f"[{ARM}, 0, 0]"), motors=item, joints=arm))
    ledger = convert(world, tmp_path / f"written{suffix}").ledger
    expected = "other joints start without the impulse with which it begins to move at 0.5 m/s"
    assert [entry.path.removesuffix(".function") for entry in ledger if expected in str(entry)] == ["m/motor"]
    assert abs(ossature.Simulation(world).velocities()["m"]["a"][0]) > 0.1
    assert not any(expected[:40] in str(entry) for entry in convert(driven("LINEAR"), tmp_path / f"other{suffix}").ledger)
