"""Sensitivities of sweeps, against closed forms: the Ishigami function has known Sobol indices."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from ossature.cli.app import app
from ossature.sweeps import Design, Formula, Metric, Output, Parameter, ResultFolder, Run, Uniform, Values, sensitivities
from sweeps.pendulums import pendulum

A, B = 7.0, 0.1
VARIANCE_1 = 0.5 * (1.0 + B * math.pi**4 / 5.0) ** 2
VARIANCE_2 = A**2 / 8.0
VARIANCE_13 = B**2 * math.pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
VARIANCE = VARIANCE_1 + VARIANCE_2 + VARIANCE_13


def sweep_ishigami(folder: Path, design: Design) -> ResultFolder:
    """Evaluate the Ishigami function as a metric of runs without steps."""
    names = ("x1", "x2", "x3")
    parameters = [Parameter(name=name, source=Uniform(-math.pi, math.pi)) for name in names]
    function = Metric(name="f", formula=Formula(f"sin(x1) + {A} * sin(x2)**2 + {B} * x3**4 * sin(x1)"))
    output = Output(name="angle", quantity="pendulum/hinge.positions[0]")
    run = Run(duration=0.0, time_step=0.002, outputs=[output], metrics=[function])
    ossature.sweep(pendulum(), parameters, run, design=design, output=folder)
    return ResultFolder(folder)


def test_indices_of_saltelli_are_those_of_the_ishigami_function(tmp_path: Path) -> None:
    pytest.importorskip("SALib")
    found = sensitivities(sweep_ishigami(tmp_path / "out", Design(method="saltelli", count=128, seed=2)))
    one = {entry.effect.parameter: entry for entry in found if entry.effect.result == "f"}
    first = [VARIANCE_1 / VARIANCE, VARIANCE_2 / VARIANCE, 0.0]
    total = [(VARIANCE_1 + VARIANCE_13) / VARIANCE, VARIANCE_2 / VARIANCE, VARIANCE_13 / VARIANCE]
    assert [one[name].first_order for name in ("x1", "x2", "x3")] == pytest.approx(first, abs=0.1)
    assert [one[name].total for name in ("x1", "x2", "x3")] == pytest.approx(total, abs=0.1)
    constant = [entry for entry in found if entry.effect.result == "angle"]
    assert len(constant) == 3 and all(entry.first_order is None and entry.effect.size == 0.0 for entry in constant)


def test_points_of_saltelli_exchange_one_parameter_at_a_time(tmp_path: Path) -> None:
    table = sweep_ishigami(tmp_path / "out", Design(method="saltelli", count=4)).table()
    rows = [[table.column(name)[number].as_py() for name in ("x1", "x2", "x3")] for number in range(5)]
    first, last = rows[0], rows[4]
    assert table.num_rows == 4 * 5
    assert all(rows[1 + n] == [last[k] if k == n else first[k] for k in range(3)] for n in range(3))


def test_main_effects_and_shares_of_a_grid(tmp_path: Path) -> None:
    parameters = [Parameter(name="a", source=Values((0.0, 1.0))), Parameter(name="b", source=Values((0.0, 1.0, 2.0)))]
    metrics = [Metric(name="f", formula=Formula("3 * a + b"))]
    output = Output(name="angle", quantity="pendulum/hinge.positions[0]")
    run = Run(duration=0.0, time_step=0.002, outputs=[output], metrics=metrics)
    ossature.sweep(pendulum(), parameters, run, output=tmp_path / "out")
    found = {one.effect.parameter: one for one in sensitivities(ResultFolder(tmp_path / "out")) if one.effect.result == "f"}
    assert (found["a"].effect.size, found["b"].effect.size) == (3.0, 2.0)
    assert found["a"].effect.means.tolist() == [1.0, 4.0] and found["b"].effect.means.tolist() == [1.5, 2.5, 3.5]
    variances = 9.0 / 4.0, 2.0 / 3.0
    assert found["a"].first_order == pytest.approx(variances[0] / sum(variances))
    assert found["b"].first_order == pytest.approx(variances[1] / sum(variances))

    arguments = ["sweep", "plot", str(tmp_path / "out"), "-o"]
    for options in ([], ["--effects"], ["--color", "a"]):
        image = tmp_path / f"plot{len(options)}.png"
        result = CliRunner().invoke(app, [*arguments, str(image), *options])
        assert result.exit_code == 0 and image.read_bytes().startswith(b"\x89PNG"), result.output
    result = CliRunner().invoke(app, [*arguments, str(tmp_path / "none.png"), "--color", "c"])
    assert result.exit_code == 1 and "there is no column 'c' of numbers: a, b, angle, f" in " ".join(result.output.split())
    assert not (tmp_path / "none.png").exists()


def test_a_saltelli_design_of_files_is_refused() -> None:
    from ossature.sweeps import Points, Sweep, Variants

    sweep = Sweep(
        parameters=(Parameter(name="robot", source=Variants(("a", "b"))),),
        run=Run(duration=0.1),
        design=Design(method="saltelli", count=8),
        text="",
    )
    with pytest.raises(ossature.OssatureError, match="a saltelli design varies numbers, not files as 'robot'"):
        Points(sweep)
