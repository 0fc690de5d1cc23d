"""Samples as text: any names and numbers round-trip bit-exactly."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature.cli.app import app
from ossature.diagnostics import OssatureError, Report, Source
from ossature.formats.usdf.read_recording import Series, read_series
from ossature.formats.usdf.write import sample_text, series_text
from ossature.recordings import Columns, Header, RecordedQuantity
from ossature.recordings.number_formatting import number_text
from ossature.recordings.sample_columns import quantities_of_body, quantities_of_joint
from ossature.recordings.sampled_link_motions import Links, multiply_quaternions, roll_pitch_yaw, rotate_vectors
from ossature.recordings.state_conversion import states_of_rows
from ossature.recordings.write_text_samples import json_template, samples_text
from ossature.recordings.write_usdf_samples import UsdfSamples, non_state_quantities, non_state_values
from ossature.spatial import Pose, multiply, normalized, rotate

NAMES = ("arm", "50 % & <more>", "\"quoted\" 'twice'", "tab\tand\nline", "%b", "ä/b", "1.5", "NaN")


def number(chance: random.Random) -> float:
    if chance.randrange(5) == 0:
        return chance.choice((0.0, -0.0, 1.0, 5e-324, 1.7976931348623157e300, -1e-300, 0.1, 1e16, 123456789.0))
    return chance.uniform(-1.0, 1.0) * 10.0 ** chance.randint(-12, 12)


def turn(chance: random.Random) -> tuple[float, float, float, float]:
    return normalized((chance.gauss(0, 1), chance.gauss(0, 1), chance.gauss(0, 1), chance.gauss(0, 1)))


def header(chance: random.Random) -> Header:
    models = chance.sample(NAMES, chance.randint(1, 3))
    bodies = {model: chance.sample(NAMES, chance.randint(1, 4)) for model in models}
    quantities = [RecordedQuantity(group="time")]
    quantities += [one for model in models for body in bodies[model] for one in quantities_of_body(model, body)]
    quantities += [
        one for model in models for body in bodies[model] for one in quantities_of_joint(model, body, chance.randrange(4))
    ]
    if chance.randrange(2):
        quantities += [
            RecordedQuantity(group="elements", model=models[0], name="spring %", field="force"),
            RecordedQuantity(group="reactions", model=models[0], name="joint", field="torque", width=3),
            RecordedQuantity(group="energy", field="potential"),
            RecordedQuantity(group="energy", field="kinetic"),
            RecordedQuantity(group="violation"),
        ]
    poses = {model: Pose((number(chance), 0.0, 1.0), turn(chance)) for model in models if chance.randrange(2)}
    return Header(columns=Columns(tuple(quantities)), name="world", poses=poses)


def with_header(seed: int) -> tuple[random.Random, Header]:
    chance = random.Random(seed)
    return chance, header(chance)


def row(of: Header, chance: random.Random) -> np.ndarray:
    values = np.array([number(chance) for _ in of.columns.labels])
    for quantity, where in of.columns.slices:
        if quantity.field == "wxyz":
            values[where] = turn(chance)
    return values


def series(of: Header, rows: np.ndarray, report: Report) -> Series:
    first = next(states_of_rows(of, rows[:1]))
    quantities = [quantity.to_data() for quantity in non_state_quantities(of)]
    head, tail = series_text(first, quantities, non_state_values(of, rows[0]))
    samples = UsdfSamples(of)
    text = head.encode() + b"".join(samples.text(row) for row in rows[1:]) + tail.encode()
    found = read_series(Source("run.usdf", text), report)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(40))
def test_usdf_samples_round_trip(seed: int, report: Report) -> None:
    chance, of = with_header(seed)
    rows = np.array([row(of, chance) for _ in range(3)])
    read = list(series(of, rows, report).samples)
    for (state, values), expected, numbers in zip(read, states_of_rows(of, rows), rows, strict=True):
        assert state.models == expected.models
        assert repr(state.time) == repr(float(numbers[0]))
        assert values == non_state_values(of, numbers)


@pytest.mark.parametrize("seed", range(10))
def test_missing_values_are_omitted_from_the_text(seed: int, report: Report) -> None:
    chance, of = with_header(seed)
    rows = np.array([row(of, chance) for _ in range(2)])
    silent = next(where for quantity, where in of.columns.slices if quantity.field == "linear_velocity")
    rows[1, silent] = np.nan
    (_, state), expected = (state for state, _ in series(of, rows, report).samples), list(states_of_rows(of, rows))[1]
    assert state.models == expected.models
    assert next(iter(next(iter(state.models)).links)).twist is None
    assert sample_text(expected, non_state_values(of, rows[1])).encode() == UsdfSamples(of).text(rows[1])


def test_states_that_overflow_are_refused() -> None:
    chance, of = with_header(0)
    rows = np.array([row(of, chance)])
    rows[0, next(where for quantity, where in of.columns.slices if quantity.field == "linear_velocity")] = (
        1.7e308,
        -1.7e308,
        0.0,
    )
    rows[0, next(where for quantity, where in of.columns.slices if quantity.field == "wxyz")] = 1.0
    with pytest.raises(ValueError, match="too large"):
        list(states_of_rows(of, rows))


@pytest.mark.parametrize(("coordinate", "message"), [(np.nan, "of a model in the header is not"), (1.7e308, "too large")])
def test_poses_of_models_that_overflow_are_refused(coordinate: float, message: str, tmp_path: Path) -> None:
    run = tmp_path / "run.json"
    simulation = ossature.Simulation(ossature.load(PROJECT / "examples" / "arm.skel"))
    simulation.run(0.004, 0.002, record=run)
    data = json.loads(run.read_text())
    data["header"]["poses"]["arm"][2] = coordinate
    data["samples"][0]["bodies"]["arm"]["base"]["position"] = [0.0, 0.0, -1.7e308]
    run.write_text(json.dumps(data))
    result = CliRunner().invoke(app, ["state", "resample", str(run), str(tmp_path / "out.npz")])
    assert result.exit_code == 1, result.output
    assert message in " ".join(result.output.split())


def test_mismatching_values_are_reported() -> None:
    chance, of = next(found for found in map(with_header, range(20)) if non_state_quantities(found[1]))
    rows = np.array([row(of, chance) for _ in range(3)])
    first = next(states_of_rows(of, rows[:1]))
    text = "".join(series_text(first, [one.to_data() for one in non_state_quantities(of)], non_state_values(of, rows[0])))
    torn = sample_text(first, (1.0, 2.0)).encode()
    report = Report()
    found = read_series(Source("run.usdf", text.encode().replace(b"</world_state>", torn + b"</world_state>")), report)
    assert found is not None
    _, (state, values) = found.samples
    assert state.models == first.models
    assert len(values) == len(found.values)
    assert np.isnan(values).all()
    assert report.take("column-count-mismatch")
    assert not report


@pytest.mark.parametrize("seed", range(40))
def test_json_samples_round_trip(seed: int) -> None:
    chance, of = with_header(seed)
    values = row(of, chance)
    template = json_template(of.columns)
    assert json.loads(template.filled(values)) == of.columns.nested(values)
    assert of.columns.row(json.loads(template.filled(values))).tobytes() == values.tobytes()
    values[-1] = np.nan
    sample = json.loads(template.filled(values), parse_constant=pytest.fail)  # NaN is no JSON
    np.testing.assert_array_equal(of.columns.row(sample), values)


def test_numbers_round_trip() -> None:
    chance = random.Random(0)
    values = np.array([number(chance) for _ in range(2000)])
    assert list(map(repr, map(float, number_text(values).split(b",")))) == list(map(repr, values.tolist()))
    strange = np.array([1.0, np.nan, np.inf, -np.inf])
    assert repr([float(word) for word in number_text(strange).split(b",")]) == "[1.0, nan, inf, -inf]"


def test_vectorized_rotations_equal_single_ones() -> None:
    chance = random.Random(0)
    first, second = [turn(chance) for _ in range(500)], [turn(chance) for _ in range(500)]
    vectors = [(number(chance), number(chance), number(chance)) for _ in range(500)]
    a, b, v = (np.array(values).T for values in (first, second, vectors))
    assert list(zip(*(part.tolist() for part in rotate_vectors(a, v)), strict=True)) == list(map(rotate, first, vectors))
    assert list(zip(*(part.tolist() for part in multiply_quaternions(a, b)), strict=True)) == list(map(multiply, first, second))


def test_roll_pitch_and_yaw() -> None:
    chance = random.Random(0)
    turns = [turn(chance) for _ in range(500)]
    # Straight up and down only the sum or difference of roll and yaw counts.
    turns += [normalized((1.0, 0.0, sign, 0.0)) for sign in (1.0, -1.0)]
    turns += [Pose.from_euler((0.0, 0.0, 0.0), (1.0, sign * np.pi / 2, 0.3), "zyx").wxyz for sign in (1.0, -1.0)]
    angles = zip(*(part.tolist() for part in roll_pitch_yaw(np.array(turns).T)), strict=True)
    for wxyz, (roll, pitch, yaw) in zip(turns, angles, strict=True):
        again = Pose.from_euler((0.0, 0.0, 0.0), (yaw, pitch, roll), "zyx").wxyz
        assert abs(np.dot(again, wxyz)) == pytest.approx(1.0, abs=1e-14)
        assert max(abs(roll), abs(yaw)) <= np.pi


def test_bodies_with_missing_columns() -> None:
    columns = Columns((RecordedQuantity(group="time"), *quantities_of_body("arm", "hand")[:2]))
    with pytest.raises(ValueError, match=r"body 'arm/hand' lacks the columns linear_velocity\[0\] to linear_velocity\[2\]"):
        Links(Header(columns=columns))


def test_json_and_csv_of_samples_have_the_same_numbers() -> None:
    samples = [
        {"time": time, "joints": {"arm": {"a,b": {"positions": [value], "velocities": [-value]}}}}
        for time, value in ((0.0, 0.1), (0.5, 1.0 / 3.0))
    ]
    assert json.loads(samples_text(samples, ".json")) == {"samples": samples}
    head, *rows = csv.reader(samples_text(samples, ".csv").decode().splitlines())
    assert head == ["time", "arm/a,b.positions[0]", "arm/a,b.velocities[0]"]
    assert [[float(text) for text in row] for row in rows] == [[0.0, 0.1, -0.1], [0.5, 1.0 / 3.0, -1.0 / 3.0]]
    assert json.loads(samples_text([], ".json")) == {"samples": []}
    with pytest.raises(OssatureError, match=r"\.txt"):
        samples_text(samples, ".txt")
