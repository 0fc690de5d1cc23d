"""Fits recover parameters of three mechanisms from noisy recordings, within the error that the noise causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.formats.calibration import read_calibration, with_calibration
from ossature.model import Box, Model, World, make_body, make_joint
from ossature.sweeps import Fit, FitError, FitParameter, FitResult, MeasuredSeries, SweepError, fit, make_executor
from sweeps.pendulums import pendulum

MOST_ERRORS = 4.0
"""Largest error in standard errors: a correct fit exceeds it once in 16,000 parameters."""


def sled() -> World:
    """Return a sled on a rail with dry friction, between springs."""
    body = make_body("sled", Box(size=(0.2, 0.1, 0.1)), mass=1.5)
    rail = make_joint("rail", "prismatic", None, "sled", axis="x", friction=0.8)
    world = World(models=[Model(name="sled", bodies=[body], joints=[rail])])
    return world.replace_at("sled/rail", stiffness=40.0, initial_position=0.3)


def crank() -> World:
    return ossature.load(PROJECT / "examples" / "slider_crank.yaml")


CASES = [
    (pendulum, {"pendulum/link.mass": 2.4, "pendulum/hinge.damping": 0.11}, "pendulum/hinge.positions[0]", 1.0, 0.02, 0.005),
    (
        crank,
        {"slider crank/spring.stiffness": 150.0, "slider crank/slider.mass": 1.7},
        "slider crank/drive.torque",
        0.6,
        0.04,
        0.1,
    ),
    (sled, {"sled/rail.friction": 0.6, "sled/rail.stiffness": 52.0}, "sled/rail.positions[0]", 1.2, 0.02, 0.002),
]


def measured(
    world: World, true: dict[str, float], quantity: str, duration: float, interval: float
) -> tuple[Sequence[float], ...]:
    """Return times and values of a quantity with the true parameters."""
    changed = ossature.CompiledModel.from_world(world).with_parameters(true)
    columns, rows = ossature.Simulation(changed).run(duration, interval, forces=True).to_rows()
    return rows[:, 0].tolist(), rows[:, columns.labels.index(quantity)].tolist()


def solve(world: World, defined: Fit) -> FitResult:
    return fit(world, defined, make_executor("serial"), Report())


@pytest.mark.parametrize(("make", "true", "quantity", "duration", "interval", "noise"), CASES)
def test_parameters_are_recovered_within_the_expected_error(
    make: object, true: dict[str, float], quantity: str, duration: float, interval: float, noise: float
) -> None:
    world = make()  # type: ignore[operator]
    times, exact = measured(world, true, quantity, duration, interval)
    noisy = np.array(exact) + noise * np.random.default_rng(11).standard_normal(len(exact))
    measurement = MeasuredSeries(quantity=quantity, values=tuple(noisy.tolist()), standard_deviation=noise)
    parameters = tuple([FitParameter(name=path, paths=(path,), low=0.0, high=10.0 * value) for path, value in true.items()])
    result = fit(
        world, Fit(parameters=parameters, measurements=(measurement,), times=tuple(times)), make_executor("serial"), Report()
    )
    assert result.is_converged and 0.7 < result.rms < 1.3
    for path, value in true.items():
        assert abs(result.values[path] - value) < MOST_ERRORS * result.standard_errors[path]
        assert result.standard_errors[path] < 0.1 * value  # the measurements determine it
        assert result.values[path] != world[path]


def test_a_search_finds_the_start_among_several_minima() -> None:
    pytest.importorskip("nevergrad")
    path, quantity = "sled/rail.stiffness", "sled/rail.positions[0]"
    times, exact = measured(sled(), {path: 52.0}, quantity, 1.2, 0.02)
    measurement = MeasuredSeries(quantity=quantity, values=tuple(exact), standard_deviation=0.002)
    stiffness = FitParameter(name="k", paths=(path,), initial=800.0, low=1.0, high=1000.0)
    alone = Fit(parameters=(stiffness,), measurements=(measurement,), times=tuple(times))
    assert abs(solve(sled(), alone).values["k"] - 52.0) > 10.0
    found = solve(sled(), replace(alone, search_runs=60, seed=1))
    assert found.values["k"] == pytest.approx(52.0, abs=0.01) and found.runs > 60
    assert solve(sled(), replace(alone, search_runs=60, seed=1)) == found
    with pytest.raises(ValueError, match="a search needs bounds: 'k' has none"):
        replace(alone, parameters=(replace(stiffness, high=float("inf")),), search_runs=60)


@pytest.mark.slow
def test_standard_errors_are_those_of_repeated_measurements() -> None:
    true, quantity, noise = CASES[0][1], CASES[0][2], 0.02
    times, exact = measured(pendulum(), true, quantity, 0.5, 0.05)
    parameters = (FitParameter(name="damping", paths=("pendulum/hinge.damping",), low=-1.0, high=1.0),)
    world = pendulum().replace_at("pendulum/link", mass=2.4)
    generator, found = np.random.default_rng(3), []
    for _ in range(24):
        noisy = np.array(exact) + noise * generator.standard_normal(len(exact))
        measurement = MeasuredSeries(quantity=quantity, values=tuple(noisy.tolist()), standard_deviation=noise)
        found.append(
            fit(
                world,
                Fit(parameters=parameters, measurements=(measurement,), times=tuple(times)),
                make_executor("serial"),
                Report(),
            )
        )
    scores = [(one.values["damping"] - 0.11) / one.standard_errors["damping"] for one in found]
    assert 0.6 < np.sqrt(np.mean(np.square(scores))) < 1.5  # the chi-square distribution exceeds this once in ten thousand


def write_fit(folder: Path, recording: str, *lines: str) -> Path:
    ossature.save(pendulum(), folder / "pendulum.skel")
    path = folder / "fit.yaml"
    path.write_text(
        f"ossature-fit: 1\nmodel: pendulum.skel\nrecording: {recording}\n"
        "parameters:\n  - {name: mass, path: pendulum/link.mass, low: 0.5, high: 9}\n"
        "measurements:\n  - {quantity: 'pendulum/hinge.positions[0]', column: angle}\n" + "\n".join(lines)
    )
    return path


def test_the_command_writes_a_calibration(tmp_path: Path) -> None:
    path = write_fit(tmp_path, "angles.csv")
    world = ossature.load(tmp_path / "pendulum.skel")
    times, angles = measured(world, {"pendulum/link.mass": 3.0}, "pendulum/hinge.positions[0]", 0.5, 0.02)
    (tmp_path / "angles.csv").write_text("time,angle\n" + "".join(f"{t},{a}\n" for t, a in zip(times, angles, strict=True)))
    result = CliRunner().invoke(app, ["fit", str(path), "--output", str(tmp_path / "robot.yaml"), "--executor", "threads"])
    assert result.exit_code == 0, result.output
    calibration = read_calibration(tmp_path / "robot.yaml", Report())
    assert calibration is not None and calibration.parameters[0].standard_error is not None
    report = Report()
    fitted = with_calibration(world, calibration, report)
    assert fitted["pendulum/link.mass"] == pytest.approx(3.0, rel=1e-5) and not report
    assert ossature.load(tmp_path / "pendulum.skel", calibration=tmp_path / "robot.yaml") == fitted


@pytest.mark.parametrize("suffix", [".usdf", ".parquet"])
def test_recordings_are_measurements(suffix: str, tmp_path: Path) -> None:
    path = write_fit(tmp_path, f"run{suffix}")
    path.write_text(path.read_text().replace(", column: angle", ""))
    world = ossature.load(tmp_path / "pendulum.skel")
    heavy = ossature.CompiledModel.from_world(world).with_parameters({"pendulum/link.mass": 3.0})
    ossature.Simulation(heavy).run(0.3, 0.02, record=tmp_path / f"run{suffix}")
    result = CliRunner().invoke(app, ["fit", str(path), "--json"])
    assert result.exit_code == 0, result.output
    assert '"mass": 3.0' in result.output or '"mass": 2.9999' in result.output


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("column: angle", "column: angel"), "no column 'angel': did you mean 'angle'?"),
        (("low: 0.5", "low: 10"), "low must be below high"),
        (("link.mass", "link.mas"), "did you mean 'mass'?"),
        (("hinge.positions", "hing.positions"), "did you mean 'pendulum/hinge.positions[0]'?"),
        (("high: 9", "high: 1"), "is 2 in the model, not between its bounds"),
        (("parameters:", "paramters:"), "did you mean 'parameters'"),
        (("ossature-fit", "ossature-fid"), "the file starts with ossature-fit: 1"),
    ],
)
def test_errors_name_what_exists(change: tuple[str, str], expected: str, tmp_path: Path) -> None:
    path = write_fit(tmp_path, "angles.csv")
    (tmp_path / "angles.csv").write_text("time,angle\n0,1\n0.1,0.9\n")
    path.write_text(path.read_text().replace(*change))
    result = CliRunner().invoke(app, ["fit", str(path)])
    assert result.exit_code == 1 and expected in result.output, result.output


def test_what_the_measurements_do_not_determine_has_no_standard_error() -> None:
    still = pendulum().replace_at("pendulum/hinge", initial_position=0.0)
    measurement = MeasuredSeries(quantity="pendulum/hinge.positions[0]", values=(0.0, 0.0, 0.0), standard_deviation=0.01)
    parameters = (FitParameter(name="damping", paths=("pendulum/hinge.damping",), low=0.0),)
    defined = Fit(parameters=parameters, measurements=(measurement,), times=(0.0, 0.1, 0.2))
    result = solve(still, defined)
    assert np.isnan(result.standard_errors["damping"]) and result.calibration().parameters[0].standard_error is None


@pytest.mark.parametrize(("value", "deviation"), [(1.0, 1e-320), (1e300, 1e-300)])
def test_measurements_that_overflow_are_refused(value: float, deviation: float) -> None:
    measurement = MeasuredSeries(quantity="pendulum/hinge.positions[0]", values=(1.0, value), standard_deviation=deviation)
    mass = FitParameter(name="mass", paths=("pendulum/link.mass",))
    defined = Fit(parameters=(mass,), measurements=(measurement,), times=(0.0, 0.1))
    with pytest.raises(FitError, match="check the measurements"):
        fit(pendulum(), defined, make_executor("serial"), Report())


def test_a_start_near_the_smallest_number() -> None:
    times, angles = measured(pendulum(), {"pendulum/hinge.damping": 0.01}, "pendulum/hinge.positions[0]", 0.5, 0.02)
    damping = FitParameter(name="damping", paths=("pendulum/hinge.damping",), initial=1e-320, low=0.0, high=1.0)
    series = MeasuredSeries(quantity="pendulum/hinge.positions[0]", values=angles)
    result = solve(pendulum(), Fit(parameters=(damping,), measurements=(series,), times=times))
    assert result.values["damping"] == pytest.approx(0.01, abs=1e-5)


def test_impossible_fits() -> None:
    measurement = MeasuredSeries(quantity="pendulum/hinge.positions[0]", values=(1.0, 0.9))
    mass = FitParameter(name="mass", paths=("pendulum/link.mass",), initial=-1.0)
    with pytest.raises(FitError, match="cannot be simulated with the initial values"):
        fit(
            pendulum(),
            Fit(parameters=(mass,), measurements=(measurement,), times=(0.0, 0.1)),
            make_executor("serial"),
            Report(),
        )
    with pytest.raises(SweepError, match="did you mean"):
        wrong = FitParameter(name="mass", paths=("pendulum/link.mas",))
        fit(
            pendulum(),
            Fit(parameters=(wrong,), measurements=(measurement,), times=(0.0, 0.1)),
            make_executor("serial"),
            Report(),
        )
    for times in ((0.1, 0.0), (0.0, 0.0), (-0.1, 0.1), (0.0,)):
        with pytest.raises(ValueError):
            Fit(parameters=(mass,), measurements=(measurement,), times=times)


@pytest.mark.parametrize("time_step", [1e-320, 1e308])
def test_a_time_step_that_cannot_be_simulated_is_refused(time_step: float) -> None:
    parameters = (FitParameter(name="mass", paths=("pendulum/link.mass",)),)
    measurements = (MeasuredSeries(quantity="pendulum/hinge.positions[0]", values=(0.0, 0.1)),)
    defined = Fit(parameters=parameters, measurements=measurements, times=(0.0, 0.1), time_step=time_step)
    with pytest.raises(ossature.SimulationError, match="the time step must be from"):
        fit(pendulum(), defined, make_executor("serial"), Report())
