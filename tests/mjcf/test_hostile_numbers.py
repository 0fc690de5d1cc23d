"""MJCF files whose numbers MuJoCo accepts, and of which it makes what is no model, or none in any time."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from ossature.assets.uri_resolver import Resolver
from ossature.diagnostics import Limits, Report, Source
from ossature.formats.format import ReadContext
from ossature.formats.mjcf.read import read
from ossature.model import World
from ossature.simulation import Simulation, SimulationError

BODY = '<body name="b">{inside}<geom size="1"/></body>'
MUSCLE = """<mujoco>
<worldbody><body><joint name="j" type="slide" axis="{axis}" range="-1 1"/><geom size="1"/></body></worldbody>
<actuator><muscle joint="j"/></actuator></mujoco>"""


def read_text(text: str, report: Report) -> World | None:
    return read(ReadContext(source=Source("file.xml", text.encode()), report=report, given_resolver=Resolver())).world


def assert_refused(text: str) -> None:
    report = Report()
    assert read_text(text, report) is None
    assert [finding.rule.name for finding in report.errors] == ["invalid-number"]


@pytest.mark.parametrize(
    "body",
    [
        '<body quat="1 1e308 0 0"><geom size="1"/></body>',
        '<body><geom size="1" quat="0 1 0 1e308"/></body>',
        BODY.format(inside='<site quat="1 2 1e308 4"/>'),
        BODY.format(inside='<camera quat="1 2 1e308 4"/>'),
        BODY.format(inside='<camera xyaxes="0 -1 0 0 0 nan"/>'),
        '<body mocap="true" quat=".1e308 .2 .3 .4"><geom size="1"/></body>',
    ],
)
def test_what_is_no_rotation_is_refused(body: str) -> None:
    assert_refused(f"<mujoco><worldbody>{body}</worldbody></mujoco>")


def test_a_keyframe_with_what_is_no_rotation_is_refused() -> None:
    body = '<body mocap="true"><geom size="1"/></body>'
    keyframe = '<keyframe><key mquat="1 1 nan 1"/></keyframe>'
    assert_refused(f"<mujoco><worldbody>{body}</worldbody>{keyframe}</mujoco>")


def test_length_ranges_whose_computation_does_not_end_are_refused() -> None:
    report = Report(limits=Limits(seconds=60))
    assert read_text(MUSCLE.format(axis="1 nan 0"), report) is None
    (error,) = report.errors
    assert error.rule.name == "reading-too-long"
    assert "length ranges" in error.message


def test_length_ranges_are_those_of_mujoco() -> None:
    world = read_text(MUSCLE.format(axis="1 0 0"), Report())
    assert world is not None
    expected = mujoco.MjModel.from_xml_string(MUSCLE.format(axis="1 0 0")).actuator_lengthrange[0]
    assert expected[0] < expected[1]
    compiled = Simulation(world, report=Report()).compiled.model
    np.testing.assert_array_equal(compiled.actuator_lengthrange[0], expected)


def test_positions_near_the_largest_number_are_not_simulated() -> None:
    world = read_text(
        '<mujoco><worldbody><body pos="0 1e307 0"><freejoint/><geom size="1"/></body></worldbody></mujoco>', Report()
    )
    assert world is not None
    with pytest.raises(SimulationError, match="initial positions"):
        Simulation(world, report=Report())


def test_a_lack_of_memory_for_the_state_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    world = read_text(f"<mujoco><worldbody>{BODY.format(inside='<freejoint/>')}</worldbody></mujoco>", Report())
    assert world is not None

    def fail(model: object) -> None:
        raise mujoco.FatalError("Could not allocate memory")

    monkeypatch.setattr(mujoco, "MjData", fail)
    report = Report()
    with pytest.raises(SimulationError, match="not enough memory"):
        Simulation(world, report=report)
    assert [finding.rule.name for finding in report.errors] == ["out-of-memory"]
