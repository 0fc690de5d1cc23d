"""RELAX NG and JSON Schemas that are exported from the declarations accept valid files, and reject mistakes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from lxml import etree
from typer.testing import CliRunner

from conftest import PROJECT
from ossature.cli.app import app
from ossature.diagnostics import Report, Severity
from ossature.formats.load_file import read_file

SYNTAX = {
    *("unknown-element", "unknown-attribute", "unknown-key", "missing-element", "wrong-type", "duplicate-element"),
    *("invalid-number", "invalid-choice", "list-length-mismatch", "wrong-root-element", "misplaced-element", "unexpected-text"),
}
"""Rules about what a schema states."""


class _Yaml12(yaml.SafeLoader):
    """YAML as editors and Chrono read it: 1e-4 is a number."""


_Yaml12.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\Z"), list("-+0123456789.")
)


def exported(*words: str) -> str:
    result = CliRunner().invoke(app, ["schema", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def xml_validator(name: str) -> Callable[[str], bool]:
    schema = etree.RelaxNG(etree.fromstring(exported(name, "--relax-ng").encode()))
    return lambda text: bool(schema.validate(etree.fromstring(text.encode())))


def yaml_validator(name: str) -> Callable[[str], bool]:
    schema = json.loads(exported(name, "--json-schema"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    return lambda text: validator.is_valid(yaml.load(text, Loader=_Yaml12))  # noqa: S506  # a safe loader


def syntax_problems(path: Path) -> set[str]:
    report = Report()
    read_file(path, report, srdf=False)
    problems = {finding.rule.name for finding in report if finding.severity is not Severity.NOTE}
    return problems & SYNTAX


@pytest.mark.parametrize(
    ("name", "patterns", "count"),
    [
        ("urdf", ["urdf/**/*.urdf"], 15),
        ("skel", ["skel/**/*.skel"], 70),
        ("chrono", ["chrono/*.yaml", "mechanisms/*.yaml"], 40),
    ],
)
def test_files_of_the_corpora_are_valid_unless_they_have_mistakes(
    corpus: Path, name: str, patterns: list[str], count: int
) -> None:
    is_valid = yaml_validator(name) if name == "chrono" else xml_validator(name)
    compared = 0
    for path in [file for pattern in patterns for file in sorted((corpus / "corpus").glob(pattern))]:
        report = Report()
        if read_file(path, report, srdf=False) is None and name != "chrono":
            continue  # not well-formed, or no model
        problems = syntax_problems(path)
        if name == "chrono" and "wrong-root-element" in problems:
            continue  # a solver file, which is read with its simulation file
        valid = is_valid(path.read_text(encoding="utf-8-sig"))
        assert valid or problems, path
        if name != "chrono":  # keys that other keys make meaningless are unknown too
            assert valid == (not problems), (path, problems)
        compared += 1
    assert compared >= count


@pytest.mark.parametrize("file", ["arm.skel", "palletizer.urdf"])
@pytest.mark.parametrize(
    ("pattern", "new"),
    [
        (r"<mass", "<mas"),
        (r" name=", " nam="),
        (r"(<mass>|<mass value=\")[\d.]+", r"\1heavy"),
        (r"<(\w+) (name=\"[^\"]*\")", r'<\1 \2 unknown="1"'),
    ],
    ids=["element", "attribute", "number", "more"],
)
def test_seeded_mistakes_in_xml_are_found(file: str, pattern: str, new: str) -> None:
    is_valid = xml_validator(Path(file).suffix[1:])
    text = re.sub(r"<\?xml[^>]*\?>", "", (PROJECT / "examples" / file).read_text())
    assert is_valid(text)
    wrong = re.sub(pattern, new, text, count=1)
    for tag in re.findall(r"<mas>", wrong):
        wrong = wrong.replace(f"</{tag[1:-1]}s>", f"</{tag[1:-1]}>", 1)
    assert wrong != text
    assert not is_valid(wrong)


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model["model"]["bodies"][0].update(mas=1.0),
        lambda model: model["model"]["bodies"][0].update(mass="heavy"),
        lambda model: model["model"]["bodies"][0].pop("name"),
        lambda model: model["model"]["bodies"][0].update(com={"location": [0.0, 0.0]}),
        lambda model: model.update(model=[]),
    ],
    ids=["unknown", "type", "missing", "length", "list"],
)
def test_seeded_mistakes_in_yaml_are_found(change: Callable[[dict[str, Any]], object]) -> None:
    is_valid = yaml_validator("chrono")
    model = yaml.load((PROJECT / "examples" / "slider_crank.yaml").read_text(), Loader=_Yaml12)  # noqa: S506
    assert is_valid(yaml.safe_dump(model))
    change(model)
    assert not is_valid(yaml.safe_dump(model))


@pytest.mark.parametrize("name", ["skel", "urdf", "srdf", "collada", "usdf"])
def test_every_xml_format_has_a_valid_relax_ng_schema(name: str) -> None:
    etree.RelaxNG(etree.fromstring(exported(name, "--relax-ng").encode()))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("urdf", "--json-schema"), "urdf is XML: use --relax-ng"),
        (("chrono", "--relax-ng"), "chrono is YAML: use --json-schema"),
        (("urdf", "--json-schema", "--relax-ng"), "contradict"),
    ],
)
def test_a_schema_of_another_syntax_is_refused(words: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(app, ["schema", *words])
    assert result.exit_code == 2
    assert message in result.output
