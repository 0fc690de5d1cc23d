"""The solver of equality constraints: the engine's solution, and the same bits compiled and in Python."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from ossature.diagnostics import Report
from ossature.simulation import Simulation
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stepping.engine_memory_addresses import engine_access
from ossature.simulation.stepping.equality_solver import EqualitySolver, make_equality_solver, take_second_half
from random_mechanisms import random_mechanism

_SEEDS_WITH_LOOPS = (1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15)
_SOLVED = ("qacc", "efc_force", "qfrc_constraint", "qacc_warmstart")
_PENDULUM = """<mujoco><option integrator="Euler"><flag {flags}/></option><worldbody>
<body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>
<body pos=".3 0 0"><joint name="b" axis="0 1 0" {limits}/><geom size=".1" pos=".3 0 0"/></body></body></worldbody>
<equality><joint joint1="a" polycoef="0.1 0 0 0 0"/></equality>{sensors}</mujoco>"""


def _loaded(text: str) -> tuple[mujoco.MjModel, Any]:
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def _pendulum(flags: str = 'contact="disable"', limits: str = "", sensors: str = "") -> tuple[mujoco.MjModel, Any]:
    return _loaded(_PENDULUM.format(flags=flags, limits=limits, sensors=sensors))


def _random_states(seed: int, folder: Path) -> tuple[mujoco.MjModel, list[Any]]:
    """Return a random mechanism, and data before the solution of some steps, with random states and last accelerations."""
    rng = np.random.default_rng(seed)
    simulation = Simulation(random_mechanism(seed, folder), report=Report())
    model, states = simulation.compiled.model, []
    for _ in range(3):
        data: Any = mujoco.MjData(model)
        data.qpos[:] = simulation.data.qpos
        data.qvel[:] = rng.normal(size=model.nv)
        data.qfrc_applied[:] = rng.normal(size=model.nv)
        data.qacc_warmstart[:] = rng.normal(size=model.nv) * 10.0 ** rng.integers(-3, 4)
        _prepare(model, data)
        states.append(data)
    return model, states


def _prepare(model: mujoco.MjModel, data: Any) -> None:
    mujoco.mj_step1(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)


def _numbers(data: Any) -> dict[str, bytes]:
    return {name: getattr(data, name).tobytes() for name in _SOLVED}


@pytest.mark.parametrize("seed", _SEEDS_WITH_LOOPS)
def test_compiled_and_python_solutions_have_the_same_bits(seed: int, tmp_path: Path) -> None:
    access = engine_access()
    if isinstance(access, str):
        pytest.skip(f"no compiled loop: {access}")
    model, states = _random_states(seed, tmp_path)
    for data in states:
        assert data.nefc == data.ne > 0
        solver, start = EqualitySolver(model, data), np.array(data.qacc_warmstart)
        assert solver._solve()
        compiled = _numbers(data)
        data.qacc_warmstart[:] = start
        assert solver._solve_in_python()
        assert _numbers(data) == compiled


@pytest.mark.parametrize("seed", _SEEDS_WITH_LOOPS)
def test_the_acceleration_is_the_minimum_of_the_cost_of_the_engine(seed: int, tmp_path: Path) -> None:
    model, states = _random_states(seed, tmp_path)
    for data in states:
        EqualitySolver(model, data)._solve()
        jacobian, mass = data.efc_J.reshape(-1, model.nv), np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        forces = data.efc_D * (data.efc_aref - jacobian @ data.qacc)
        size = np.abs(data.efc_force).max()
        assert data.efc_force == pytest.approx(forces, abs=1e-9 * size)
        assert data.qfrc_constraint == pytest.approx(jacobian.T @ data.efc_force, abs=1e-12 * size)
        balance = mass @ data.qacc - data.qfrc_smooth - data.qfrc_constraint
        assert balance == pytest.approx(np.zeros(model.nv), abs=1e-9 * size)
        assert (data.qacc == data.qacc_warmstart).all()


def _solve_exactly(matrix: list[list[Fraction]], right: list[Fraction]) -> list[float]:
    """Solve linear equations by elimination without rounding."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k, pivot in enumerate(rows):
        rows[k] = pivot = [value / pivot[k] for value in pivot]
        for i, row in enumerate(rows):
            if i != k:
                rows[i] = [value - row[k] * other for value, other in zip(row, pivot, strict=True)]
    return [float(row[-1]) for row in rows]


def _fractions(numbers: Any) -> Any:
    return np.vectorize(Fraction, otypes=[object])(numbers)


@pytest.mark.parametrize("spread", [0, 6, 12])
@pytest.mark.parametrize("seed", _SEEDS_WITH_LOOPS[:4])
def test_the_acceleration_has_no_error_but_rounding(seed: int, spread: int, tmp_path: Path) -> None:
    """Masses differ by powers of ten."""
    model, states = _random_states(seed, tmp_path)
    factors = 10.0 ** np.random.default_rng(seed).uniform(-0.5 * spread, 0.5 * spread, model.nbody)
    model.body_mass[:] *= factors
    model.body_inertia[:] *= factors[:, None]
    for data in states[:1]:
        _prepare(model, data)
        assert EqualitySolver(model, data)._solve()
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        J, D, M = _fractions(data.efc_J.reshape(-1, model.nv)), _fractions(data.efc_D), _fractions(mass)
        right = _fractions(data.qfrc_smooth) + J.T @ (D * _fractions(data.efc_aref))
        exact = _solve_exactly((M + J.T @ (D[:, None] * J)).tolist(), right.tolist())
        assert data.qacc == pytest.approx(exact, rel=0.0, abs=1e-11 * max(map(abs, exact)))


def test_a_motion_that_diverges_is_left_to_the_engine() -> None:
    model, data = _pendulum()
    _prepare(model, data)
    data.qfrc_smooth[0] = np.nan
    solver = EqualitySolver(model, data)
    assert not solver._solve()
    assert not solver._solve_in_python()


@pytest.mark.parametrize("seed", _SEEDS_WITH_LOOPS)
def test_a_step_is_that_of_the_engine(seed: int, tmp_path: Path) -> None:
    model, states = _random_states(seed, tmp_path)
    for data in states:
        expected = mujoco.MjData(model)
        for name in ("qpos", "qvel", "qfrc_applied"):
            getattr(expected, name)[:] = getattr(data, name)
        mujoco.mj_step1(model, expected)
        take_second_half(EqualitySolver(model, data), model, data)
        mujoco.mj_step2(model, expected)
        size = np.abs(expected.qacc).max()
        assert data.qacc == pytest.approx(expected.qacc, abs=1e-7 * size)
        assert data.qvel == pytest.approx(expected.qvel, abs=1e-7 * size * model.opt.timestep)
        assert data.time == expected.time


def test_the_engine_solves_limits_and_contacts() -> None:
    model, data = _pendulum(limits='limited="true" range="-10 10"')
    solver = make_equality_solver(model, data, Integrator.CENTRED)
    mujoco.mj_step1(model, data)
    assert solver is not None and solver.take_second_half()
    data.qpos[1] = 0.5
    mujoco.mj_step1(model, data)
    before = np.array(data.qpos)
    assert not solver.take_second_half()
    assert (data.qpos == before).all()
    take_second_half(solver, model, data)
    assert data.nefc > data.ne and (data.qpos != before).any()


@pytest.mark.parametrize(
    "options",
    [
        {"sensors": '<sensor><jointpos joint="a"/></sensor>'},
        {"flags": 'contact="disable" energy="enable"'},
    ],
)
def test_the_engine_solves_if_its_step_computes_more(options: dict[str, str]) -> None:
    assert make_equality_solver(*_pendulum(**options), Integrator.CENTRED) is None
    assert make_equality_solver(*_pendulum(), Integrator.MUJOCO) is None
    assert make_equality_solver(*_pendulum(), Integrator.CENTRED) is not None


def test_equalities_that_are_switched_off_need_the_engine() -> None:
    model, data = _pendulum()
    solver = EqualitySolver(model, data)
    data.eq_active[:] = 0
    mujoco.mj_step1(model, data)
    assert not solver.take_second_half()
