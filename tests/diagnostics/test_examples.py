"""The example of each rule triggers it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ossature.cli.app import app
from ossature.diagnostics.examples import example_of, parse_example
from ossature.rule_catalogue import all_rules

WITHOUT_EXAMPLE = {
    "angle-unwrapped-per-step",
    "array-too-large",
    "assumed-gains",
    "assumed-grip-force",
    "calibration-applied",
    "chain-too-deep",
    "column-count-mismatch",
    "convex-hull-collision",
    "duplicate-archive-member",
    "energy-gained",
    "energy-lost",
    "engine-compile-error",
    "engine-warning",
    "fast-rotation",
    "fast-travel",
    "frame-cycle",
    "guessed-package",
    "idle-actuator",
    "idle-motor",
    "inconsistent-state",
    "initial-assembly-adjusted",
    "initial-assembly-jump",
    "initial-velocity-changed",
    "invalid-attachment",
    "invalid-checkpoint",
    "invalid-manifest",
    "large-bushing-angle",
    "loop-residual-exceeded",
    "missing-inertia-mesh",
    "missing-manifest",
    "motor-saturated",
    "no-main-document",
    "non-finite-number",
    "out-of-memory",
    "overconstrained-coupling",
    "overloaded-motor",
    "penetration",
    "raycast-rendering",
    "reading-too-long",
    "self-collisions-dropped",
    "sensor-overloaded",
    "sensor-saturated",
    "servo-changes-integrator",
    "simulation-diverged",
    "singular-configuration",
    "smaller-restitution-used",
    "stiff-configuration",
    "tolerance-not-met",
    "too-many-documents",
    "too-many-elements",
    "too-many-expansions",
    "truncated-recording",
    "uncalibratable-sensor",
    "unenforced-effort-limit",
    "unknown-frame",
    "unsolvable-coupling",
    "unstable-step",
    "unsuitable-integrator",
    "unsupported-collision-shape",
    "unsupported-contact-material",
    "unsupported-coupling",
    "unsupported-sensor",
}
"""Rules whose example is still to be written."""

NAMES = sorted(all_rules().keys() - WITHOUT_EXAMPLE)


def test_every_rule_has_an_example_or_is_listed() -> None:
    assert {name for name in all_rules() if example_of(name) is None} == WITHOUT_EXAMPLE


@pytest.mark.parametrize("name", NAMES)
def test_example(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = example_of(name)
    assert example is not None
    for file, content in example.files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    for command in example.commands:
        program, *arguments = shlex.split(command)
        assert program == "ossature"
        result = CliRunner().invoke(app, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert f"{all_rules()[name].name}]" in result.output, result.output


def test_binary_sections_are_decoded() -> None:
    assert parse_example("ossature check a\n-- a.base64 --\nAAEC\n").files == {"a": b"\x00\x01\x02"}
