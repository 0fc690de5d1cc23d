"""Files of earlier versions of MuJoCo are read as they were meant, with a finding for each change."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import pytest
from typer.testing import CliRunner

import ossature
from mjcf.engine_models import differences
from ossature.cli.app import app
from ossature.simulation import Simulation

FILE = """<mujoco>
  <compiler{compiler}/>
  <option{option}><flag{flag}/></option>
  <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1 0.2 0.2 0.2" face="0 2 1 0 1 3 1 2 4 1 4 3 0 3 4 0 4 2"{mesh}/></asset>
  <worldbody>
    <light{light}/>
    <camera name="eye"{camera}/>
    <geom name="floor" type="plane" size="1 1 1"{geom}/>
    <body name="leg" pos="0 0 1">
      <joint name="knee" stiffness="3" damping="1"{joint}/>
      <geom name="foot" type="mesh" mesh="m"{geom}/>
    </body>
  </worldbody>
  <contact>{pair}</contact>
</mujoco>
"""
PLACES = ("compiler", "option", "flag", "mesh", "light", "camera", "geom", "joint", "pair")
PAIR = '<pair geom1="floor" geom2="foot"/>'
CASES = [
    ({"option": 'mpr_iterations="20" mpr_tolerance="1e-5"'}, {"option": 'ccd_iterations="20" ccd_tolerance="1e-5"'}),
    ({"option": 'apirate="100" collision="all"', "pair": PAIR}, {"pair": PAIR}),
    ({"option": 'collision="dynamic"', "pair": PAIR}, {}),
    ({"option": 'collision="predefined"', "pair": PAIR}, {"geom": 'contype="0" conaffinity="0"', "pair": PAIR}),
    ({"flag": 'passive="disable" sensornoise="enable"'}, {"flag": 'spring="disable" damper="disable"'}),
    ({"compiler": 'exactmeshinertia="true" convexhull="false"'}, {"mesh": 'inertia="exact"'}),
    ({"compiler": 'exactmeshinertia="false"'}, {}),
    ({"joint": 'actuatorforcerange="-1 2"'}, {"joint": 'actuatorfrcrange="-1 2"'}),
    ({"camera": 'orthographic="true"'}, {"camera": 'projection="orthographic"'}),
    ({"light": 'directional="true"'}, {"light": 'type="directional"'}),
]


def text_of(values: dict[str, str]) -> str:
    return FILE.format(**{place: "" if place not in values else f" {values[place]}" for place in PLACES})


@pytest.mark.parametrize(("old", "new"), CASES, ids=lambda case: " ".join(case.values())[:30] or "nothing")
def test_removed_attributes_are_read_as_they_were_meant(old: dict[str, str], new: dict[str, str]) -> None:
    world, report = ossature.read(text_of(old))
    assert world is not None
    found = {finding.message.split("'")[1] for finding in [*report.take("removed-mjcf"), *report.take("obsolete-mjcf")]}
    assert found == {name for place in old if place != "pair" for name in re.findall(r"(\w+)=", old[place])}
    model = mujoco.MjModel.from_xml_string(text_of(new))
    own = Simulation(world).compiled.model
    own.opt.disableflags = model.opt.disableflags
    assert not differences(model, own)
    assert not {finding.rule.name for finding in report} & {"unknown-attribute", "unknown-element", "mujoco-error"}


def test_fixes_write_the_current_spelling(tmp_path: Path) -> None:
    path = tmp_path / "old.xml"
    old = {"option": 'mpr_iterations="20" apirate="100"', "flag": 'passive="disable"', "camera": 'orthographic="true"'}
    path.write_text(text_of(old))
    with pytest.raises(ValueError, match="unrecognized attribute"):
        mujoco.MjModel.from_xml_path(str(path))
    CliRunner().invoke(app, ["check", str(path), "--fix"])
    assert path.read_text() == text_of(
        {"option": 'ccd_iterations="20"', "flag": 'spring="disable" damper="disable"', "camera": 'projection="orthographic"'}
    )
    mujoco.MjModel.from_xml_path(str(path))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('<compiler coordinate="global"/>', "2.3.3"),
        ('<worldbody><composite type="grid" count="2 2 1"/></worldbody>', "flexcomp"),
    ],
)
def test_content_without_a_counterpart_is_refused_with_advice(text: str, hint: str) -> None:
    world, report = ossature.read(f"<mujoco>\n{text}\n</mujoco>")
    (finding,) = report.take("mujoco-error")
    assert world is None
    assert hint in str(finding)
    assert finding.location is not None
    assert finding.location.line == 2


def test_parts_that_other_files_include_are_refused_as_such() -> None:
    _, report = ossature.read("<mujocoinclude><body/></mujocoinclude>", format="mjcf")
    assert "include" in str(next(iter(report)).hint)
