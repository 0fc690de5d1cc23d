"""The memory of simulations."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

import ossature
from conftest import PROJECT
from ossature.simulation import Simulation

pytestmark = pytest.mark.usefixtures("heap_of_one_module")


@pytest.fixture
def without_collector() -> Iterator[None]:
    """Let only references free memory, not the garbage collector."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("name", ["slider_crank.yaml", "contact.skel", "double_pendulum.skel"])
def test_a_simulation_is_freed_as_soon_as_nothing_refers_to_it(name: str) -> None:
    """A program that simulates a model many times does not need memory for all of them."""
    simulation = Simulation(ossature.load(PROJECT / "examples" / name))
    simulation.run(0.05, 0.01)
    parts = [weakref.ref(simulation), weakref.ref(simulation.data)]
    del simulation
    assert [part() for part in parts] == [None, None]
