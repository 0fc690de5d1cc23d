"""Files of sweeps: what is wrong is a finding at its line, and the schema describes what is read."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pyarrow
import pyarrow.parquet
import pytest
import yaml
from typer.testing import CliRunner

from conftest import PROJECT
from ossature.cli import sweep
from ossature.cli.app import app
from ossature.diagnostics import Report, Source
from ossature.formats import REGISTRY
from ossature.sweeps import LogUniform, Normal, Triangular, Uniform, Values, Variants, read_sweep
from ossature.sweeps.read_sweep import parse_sweep
from ossature.syntax.json_schema import json_schema

EXAMPLES = sorted(path for path in (PROJECT / "examples").glob("*.yaml") if "ossature-sweep:" in path.read_text())
HEAD = "ossature-sweep: 1\nmodel: arm.skel\nsimulation: {duration: 1}\n"


def findings(text: str) -> list[str]:
    report = Report()
    parse_sweep(Source("sweep.yaml", text.encode()), report)
    return [str(one) for one in report]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model: a.skel", "sweep.yaml:1:1: error[invalid-sweep]: missing 'ossature-sweep'"),
        (HEAD.replace("1\n", "2\n", 1) + "parameters: []", "unsupported version 2; 1 is supported"),
        (HEAD, "the file has no 'parameters'"),
        (HEAD + "paramters: []", "did you mean 'parameters'"),
        (
            HEAD + "parameters:\n  - {path: a.mass}",
            "sweep.yaml:5:5: error[invalid-sweep]: 'a.mass' has no values: state one of",
        ),
        (HEAD + "parameters:\n  - {values: [1]}", "a parameter needs a name or a path"),
        (HEAD + "parameters:\n  - {path: a.mass, values: [1], expression: k}", "has values and expression: state one of"),
        (HEAD + "parameters:\n  - {path: a.mass, values: []}", "a list of values must not be empty"),
        (HEAD + "parameters:\n  - {path: a.mass, values: [1, x]}", "sweep.yaml:5:32: error[invalid-number]"),
        (HEAD + "parameters:\n  - {path: a.mass, distribution: unifrom}", "did you mean 'uniform'"),
        (HEAD + "parameters:\n  - {path: a.mass, distribution: uniform, low: 1}", "a uniform distribution needs high"),
        (HEAD + "parameters:\n  - {path: a.mass, distribution: uniform, low: 1, high: 0}", "must not be above high"),
        (HEAD + "parameters:\n  - {path: a.mass, column: k}", "has a column, but the sweep has no table"),
        (HEAD + "table: none.csv\nparameters:\n  - {path: a.mass, column: k}", "none.csv"),
        (HEAD + "parameters:\n  - {name: f, files: [a.skel]}", "both a model and a parameter with files"),
        (HEAD.replace("model: arm.skel\n", "") + "parameters: []", "the sweep has no model"),
        (HEAD + "parameters: []\ndesign: {method: random}", "a random design needs the number of its points"),
        (HEAD + "parameters: []\nconstraints: [k <]", "'k <' is not an expression"),
        (HEAD + "parameters: []\nconstraints: [__import__('os')]", "unknown function '__import__'"),
        (HEAD + "parameters: []\noutputs: [{name: a, quantity: b, statistic: maximun}]", "did you mean 'maximum'"),
        (HEAD + "parameters: []\noutputs: [{name: a, quantity: b, statistic: first-above}]", "have a threshold"),
        (HEAD + "parameters: []\nstop: [{quantity: b}]", "needs a bound: above or below"),
        (HEAD.replace("duration: 1", "duration: -1") + "parameters: []", "the duration must be between 0 and 1e9 s"),
        (HEAD + "parameters: &a [*a]", "error["),
    ],
)
def test_what_is_wrong_is_found(text: str, expected: str) -> None:
    found = findings(text)
    assert any(expected in one for one in found), found


def test_sources_of_parameters(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("m, k\n1.5, 2\n2.5, 3\n")
    (tmp_path / "sweep.yaml").write_text(
        HEAD
        + "table: points.csv\ndesign: {method: random, count: 2}\nparameters:\n"
        + "  - {path: a.mass, column: k}\n"
        + "  - {path: b.mass, distribution: log-uniform, low: 1, high: 2, relative: true}\n"
        + "  - {path: c.mass, distribution: normal, mean: 1, standard_deviation: 2, low: 0}\n"
        + "  - {path: d.mass, distribution: triangular, low: 1, mode: 2, high: 3}\n"
        + "  - {paths: [e.mass, f.mass], name: both, distribution: uniform, low: 1, high: 2}\n"
    )
    report = Report()
    found = read_sweep(tmp_path / "sweep.yaml", report)
    assert found is not None, report
    sources = [one.source for one in found[0].parameters]
    expected = [Values((2.0, 3.0)), LogUniform(1.0, 2.0), Normal(1.0, 2.0, 0.0), Triangular(1.0, 2.0, 3.0), Uniform(1.0, 2.0)]
    assert sources == expected
    assert found[0].parameters[4].paths == ("e.mass", "f.mass") and found[0].parameters[1].is_relative
    assert found[1] == tmp_path / "arm.skel"


def test_variants_are_files() -> None:
    report = Report()
    text = HEAD.replace("model: arm.skel\n", "") + "parameters: [{name: robot, files: [a.urdf, b.urdf]}]"
    found = parse_sweep(Source("sweep.yaml", text.encode()), report)
    assert found is not None and found[0].parameters[0].source == Variants(("a.urdf", "b.urdf")) and found[1] is None


@pytest.mark.parametrize(
    ("cells", "message"),
    [("k\n1\nx\n", "3: 'x' is not a number"), ("k\n1\nnan\n", "row 2"), ("q\n1\n", "no column 'k'"), ("", "no column 'k'")],
)
def test_tables_are_checked(cells: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text(cells)
    (tmp_path / "sweep.yaml").write_text(HEAD + "table: points.csv\nparameters: [{path: a.mass, column: k}]")
    report = Report()
    assert read_sweep(tmp_path / "sweep.yaml", report) is None
    assert message in str(report)


def test_other_files_are_no_tables_and_are_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "accounts").write_text("password:x:0:0\n")
    (tmp_path / "sweep.yaml").write_text(HEAD + "table: accounts\nparameters: [{path: a.mass, column: k}]")
    report = Report()
    assert read_sweep(tmp_path / "sweep.yaml", report) is None
    assert "a table is a .csv or .parquet file" in str(report) and "password" not in str(report)


def test_parquet_tables(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"k": [1.0, 2.0], "text": ["a", "b"]}), tmp_path / "points.parquet")
    for column, is_read in (("k", True), ("text", False), ("l", False)):
        (tmp_path / "sweep.yaml").write_text(HEAD + f"table: points.parquet\nparameters: [{{path: a.mass, column: {column}}}]")
        report = Report()
        assert (read_sweep(tmp_path / "sweep.yaml", report) is not None) == is_read, report


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_schema_accepts_the_examples(path: Path) -> None:
    known = REGISTRY.named("sweep")[0]
    schema = json_schema(known.title, known.schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = yaml.safe_load(path.read_text())
    jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "outptus": []}, schema)


LISTED = """ossature-sweep: 1
model: {model}
simulation: {{duration: 0.01}}
design: {{method: list}}
parameters: [{{name: k, path: arm/elbow.damping, values: [1, 2]}}]
outputs: [{{name: q, quantity: "arm/elbow.positions[0]"}}]
"""


@pytest.mark.parametrize("is_installed", [True, False])
def test_a_missing_package_is_named_only_if_it_is_missing(
    is_installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.yaml").write_text(LISTED.format(model=PROJECT / "examples" / "arm.skel"))
    CliRunner().invoke(app, ["sweep", str(tmp_path / "s.yaml"), "-o", str(tmp_path / "out")], catch_exceptions=False)
    monkeypatch.setattr(sweep, "find_spec", lambda name: object() if is_installed else None)
    shown = CliRunner().invoke(app, ["sweep", "show", str(tmp_path / "out"), "--sensitivities"], catch_exceptions=False).output
    assert "indices need a grid of which all runs finished, or a random design" in shown
    assert ("pip install" in shown) is not is_installed


def test_commands(tmp_path: Path) -> None:
    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, ["sweep", *words])
        assert result.exit_code == code, result.output
        return result.output

    spec = str(PROJECT / "examples" / "spring_sweep.yaml")
    folder = str(tmp_path / "out")
    assert "6 points" in run(spec, "--dry-run") and not (tmp_path / "out").exists()
    assert "6 finished" in run(spec, "--output", folder, "--executor", "threads", "--workers", "2")
    assert "all runs are there" in run(spec, "-o", folder)
    assert "3 more rows" in run("show", folder, "--limit", "3")
    shown = json.loads(run("show", folder, "--json"))
    assert [row["index"] for row in shown["rows"]] == list(range(6)) and shown["manifest"]["count"] == 6
    assert "one worker" in run(spec, "-o", folder, "--workers", "2", code=1)
    assert "no folder with results" in run("show", str(tmp_path), code=1)
    assert "only the executor ray has an address" in run(spec, "-o", folder, "--address", "10.0.0.1:6379", code=1)
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        HEAD.replace("arm.skel", str(PROJECT / "examples" / "arm.skel")) + "parameters: [{path: arm/elbw.damping, values: [1]}]"
    )
    assert "wrong.yaml:4:14: error[unknown-parameter]" in run(str(wrong), code=1)
