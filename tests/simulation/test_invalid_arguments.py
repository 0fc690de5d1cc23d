"""Arguments of simulations that are no counts, times or choices are refused at once, with the valid choices."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ossature
from conftest import PROJECT
from ossature import Simulation, World


@pytest.fixture(scope="module")
def world() -> World:
    return ossature.load(PROJECT / "examples" / "palletizer.urdf")


@pytest.mark.parametrize("method", ["step", "advance"])
@pytest.mark.parametrize(("count", "error"), [(1.5, TypeError), (math.inf, TypeError), ("2", TypeError), (-1, ValueError)])
def test_counts_of_steps_are_integers_that_are_not_negative(
    world: World, method: str, count: Any, error: type[Exception]
) -> None:
    simulation = Simulation(world)
    with pytest.raises(error):
        getattr(simulation, method)(count)
    assert simulation.time == 0.0


@pytest.mark.parametrize("time", [-1.0, math.nan, math.inf])
def test_actions_are_scheduled_at_finite_times_to_come(world: World, time: float) -> None:
    simulation = Simulation(world)
    with pytest.raises(ValueError, match="cannot schedule an action"):
        simulation.schedule(time, lambda: None)
    simulation.step(2)


def test_unknown_choices_are_named_with_the_valid_ones(world: World) -> None:
    with pytest.raises(ValueError, match="'leap' is no integrator: did you mean 'leapfrog'"):
        Simulation(world, integrator="leap")
    base: Any = "x"
    with pytest.raises(ValueError, match="'x' is no base choice: valid: by-rule, fixed, floating"):
        ossature.load(PROJECT / "examples" / "palletizer.urdf", base=base)
    with pytest.raises(ValueError, match="'x' is no actuator kind: valid: motor, none, position, velocity"):
        ossature.convert(world, "robot.xml", actuators="x")


def test_a_world_without_electric_motors_has_no_choices(world: World) -> None:
    with pytest.raises(KeyError, match="there is no electric motor 'a/b': there are none"):
        Simulation(world).disable_motor("a", "b")
