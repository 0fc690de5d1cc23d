"""The work of forces that only MuJoCo's sums along coordinates contain: compared with closed forms of a sliding mass."""

from __future__ import annotations

import math

import pytest

import ossature
from ossature.diagnostics import Report
from ossature.simulation import Simulation
from ossature.simulation.accuracy_results import EnergyBalance

MASS, SPEED, DURATION = 2.0, 1.5, 0.5
KINETIC = 0.5 * MASS * SPEED**2


def balance(
    joint: str, body: str = "", rest: str = "", option: str = 'gravity="0 0 0"', control: str = "", force: float = 0.0
) -> EnergyBalance:
    """Return the energy balance of a mass that slides along z with an initial speed; a finding would fail the test."""
    text = (
        f'<mujoco><option timestep="0.0001" {option}/><worldbody><body name="b" {body}><joint name="j" type="slide" {joint}/>'
        f'<geom type="box" size=".1 .1 .1" mass="{MASS}"/></body></worldbody>{rest}'
        f'<keyframe><key name="k" qvel="{SPEED}" {control}/></keyframe></mujoco>'
    )
    report = Report()
    simulation = Simulation(ossature.load(text.encode(), format="mjcf"), report=report)
    simulation.apply_keyframe("k")
    simulation.data.qfrc_applied[:] = force
    simulation.run(DURATION)
    assert not [finding.message for finding in report if finding.rule.name in ("energy-gained", "energy-lost")]
    return simulation.diagnostics.energy


def test_a_tendon_dissipates_what_its_damper_does() -> None:
    damping = 3.0
    tendon = f'<tendon><fixed damping="{damping}"><joint joint="j" coef="1"/></fixed></tendon>'
    found = balance("", rest=tendon)
    expected = KINETIC * (1.0 - math.exp(-2.0 * damping * DURATION / MASS))
    assert found.dissipated_by_dampers == pytest.approx(expected, rel=1e-3)
    assert found.change == pytest.approx(-expected, rel=1e-3)


def test_a_damper_of_a_joint_is_counted_once() -> None:
    found = balance('damping="3"')
    expected = KINETIC * (1.0 - math.exp(-2.0 * 3.0 * DURATION / MASS))
    assert found.dissipated_by_dampers == pytest.approx(expected, rel=1e-3)


def test_damping_by_a_cubic_polynomial_is_dissipated() -> None:
    """m v' = -c v³."""
    cubic = 2.0
    found = balance(f'damping="0 0 {cubic}"')
    expected = KINETIC * (1.0 - 1.0 / (1.0 + 2.0 * cubic * SPEED**2 * DURATION / MASS))
    assert found.dissipated_by_dampers == pytest.approx(expected, rel=1e-3)


def test_a_fluid_dissipates_the_kinetic_energy_that_is_lost() -> None:
    found = balance("", option='gravity="0 0 0" density="100" viscosity="1"')
    assert found.change < -0.3 * KINETIC
    assert found.dissipated_by_dampers == pytest.approx(-found.change, rel=1e-3)


def test_an_actuator_does_the_work_of_its_force_within_the_limit_of_the_joint() -> None:
    limit = 4.0
    found = balance(
        f'actuatorfrcrange="-{limit} {limit}"', rest='<actuator><motor joint="j" gear="10"/></actuator>', control='ctrl="7"'
    )
    path = SPEED * DURATION + 0.5 * limit / MASS * DURATION**2
    assert found.supplied == pytest.approx(limit * path, rel=1e-3)
    assert found.change == pytest.approx(limit * path, rel=1e-3)


def test_an_applied_force_and_an_actuator_both_do_their_work() -> None:
    force = 3.0
    found = balance("", rest='<actuator><motor joint="j"/></actuator>', control='ctrl="7"', force=force)
    path = SPEED * DURATION + 0.5 * (7.0 + force) / MASS * DURATION**2
    assert found.supplied == pytest.approx((7.0 + force) * path, rel=1e-3)


@pytest.mark.parametrize("limits", ["", 'actuatorfrcrange="-100 100"'])
def test_compensation_of_gravity_by_an_actuator_is_no_work(limits: str) -> None:
    """Potential energy excludes the weight that is compensated."""
    motor = '<actuator><motor joint="j"/></actuator>'
    found = balance(f'actuatorgravcomp="true" {limits}', 'gravcomp="1"', motor, 'gravity="0 0 -9.81"')
    assert (found.supplied, found.change) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_the_energy_of_a_joint_that_starts_outside_its_limits_is_explained() -> None:
    text = (
        '<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody><body><joint name="ankle" type="hinge" axis="0 1 0" '
        'range="30 70" damping="0.01"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body></worldbody></mujoco>'
    )
    report = Report()
    Simulation(ossature.load(text.encode(), format="mjcf"), report=report).run(0.2)
    (outside,) = report.take("initial-position-outside-limits")
    assert "'ankle' starts at 0, outside of its limits 0.523599 to 1.22173" in outside.message
    (gained,) = report.take("energy-gained")
    assert gained.hint is not None
    assert gained.hint.startswith("limits do work")
