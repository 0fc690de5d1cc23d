"""Sensors measure the frame of a body along its principal axes of inertia as MuJoCo does with the original file."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature

MODEL = """<mujoco model="arm">
  <compiler angle="degree"/>
  <worldbody>
    <body name="ascending" pos="1 0 0" euler="10 20 30">
      <freejoint/>
      <inertial pos="0.1 0.2 0.3" mass="2" diaginertia="0.1 0.2 0.25" euler="30 20 10"/>
    </body>
    <body name="permuted" pos="0 1 0">
      <joint name="ball" type="ball"/>
      <inertial pos="0 0 -0.1" mass="1" diaginertia="0.3 0.1 0.2" quat="1 1 0 0"/>
    </body>
    <body name="symmetric">
      <joint name="hinge" axis="1 1 0"/>
      <geom type="cylinder" size="0.04 0.2" zaxis="1 2 3"/>
    </body>
  </worldbody>
  <sensor>
    <framequat objtype="body" objname="ascending"/>
    <framexaxis objtype="body" objname="permuted"/>
    <framequat objtype="xbody" objname="symmetric" reftype="body" refname="symmetric"/>
    <framelinvel objtype="xbody" objname="symmetric" reftype="body" refname="ascending"/>
    <frameangvel objtype="body" objname="permuted" reftype="body" refname="symmetric"/>
  </sensor>
</mujoco>"""


def _expected(path: Path) -> np.ndarray:
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=50)
    mujoco.mj_forward(model, data)
    return data.sensordata.copy()


def test_principal_axes(tmp_path: Path) -> None:
    path, written = tmp_path / "arm.xml", tmp_path / "written.xml"
    path.write_text(MODEL)
    simulation = ossature.Simulation(ossature.load(path))
    simulation.run(0.1)
    measured = np.concatenate([np.ravel(value) for value in simulation.measurements()["arm"].values()])
    assert measured == pytest.approx(_expected(path), abs=1e-12)
    ossature.convert(path, written, verify=True)
    assert _expected(written) == pytest.approx(measured, abs=1e-12)


def test_axes_of_another_tensor(tmp_path: Path) -> None:
    path, written = tmp_path / "arm.xml", tmp_path / "written.xml"
    path.write_text(MODEL)
    moment = ((0.3, 0.1, 0.0), (0.1, 0.3, 0.0), (0.0, 0.0, 0.4))
    ossature.save(ossature.load(path).replace_at("arm/ascending", moment=moment), written)
    assert np.asarray(ossature.load(written).models[0].bodies["ascending"].inertial.moment) == pytest.approx(np.array(moment))
