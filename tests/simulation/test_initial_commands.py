"""Initial forces and accelerations of SKEL files: DART applies them in its first step only, which a finding announces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.diagnostics import Report
from ossature.diagnostics.rule_examples import example_of

STEPS = 5


@pytest.mark.parametrize("actuator", ["force", "acceleration", "passive", "locked"])
def test_the_command_is_that_of_dart_if_it_is_withdrawn_after_the_first_step(actuator: str, tmp_path: Path) -> None:
    dart = pytest.importorskip("dartpy")
    example = example_of("lasting-initial-command")
    assert example is not None
    text = example.files["slide.skel"].decode().replace('name="slide"', f'name="slide" actuator="{actuator}"')
    (tmp_path / "slide.skel").write_text(
        text.replace('<force initial="4"/>', '<force initial="4"/><acceleration initial="3"/>')
    )
    world = dart.utils.SkelParser.readWorld(str(tmp_path / "slide.skel"))
    report = Report()
    simulation = ossature.Simulation(ossature.load(tmp_path / "slide.skel"), report=report)
    is_commanded = actuator in ("force", "acceleration")
    assert bool(report.take("lasting-initial-command")) is is_commanded
    expected, found = [], []
    for step in range(STEPS):
        world.step()
        simulation.step()
        if step == 0 and is_commanded:
            simulation.command("s", "slide", 0.0)
        expected.append(world.getSkeleton(0).getVelocities()[0])
        found.append(simulation.velocities()["s"]["slide"][0])
    # A commanded acceleration is a constraint of the engine, whose impedance is 0.9999; a second step would differ by 100 %.
    np.testing.assert_allclose(found, expected, rtol=2e-4 if actuator == "acceleration" else 1e-9, atol=1e-12)


@pytest.mark.parametrize(("actuator", "is_reported"), [("velocity", True), ("servo", False), ("passive", False)])
def test_the_motion_is_that_of_dart_if_the_initial_velocity_is_commanded_for_one_step(
    actuator: str, is_reported: bool, tmp_path: Path
) -> None:
    dart = pytest.importorskip("dartpy")
    example = example_of("uncommanded-initial-velocity")
    assert example is not None
    text = example.files["slide.skel"].decode().replace('actuator="velocity"', f'actuator="{actuator}"')
    (tmp_path / "slide.skel").write_text(text)
    world = dart.utils.SkelParser.readWorld(str(tmp_path / "slide.skel"))
    report = Report()
    simulation = ossature.Simulation(ossature.load(tmp_path / "slide.skel"), report=report)
    assert bool(report.take("uncommanded-initial-velocity")) is is_reported
    if is_reported:
        simulation.command("s", "slide", 1.5)
    expected, found = [], []
    for _ in range(STEPS):
        world.step()
        simulation.step()
        if is_reported:
            simulation.command("s", "slide", 0.0)
        expected.append(world.getSkeleton(0).getVelocities()[0])
        found.append(simulation.velocities()["s"]["slide"][0])
    # The constraint of a commanded velocity has an impedance of 0.9999.
    np.testing.assert_allclose(found, expected, atol=2e-4)
