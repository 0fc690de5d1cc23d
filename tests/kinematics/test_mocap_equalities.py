"""Equalities that tether a body to a mocap body, whose pose is an input: they close no loop."""

from __future__ import annotations

import ossature
from ossature.kinematics.equality_constraint_equations import unsupported_equalities

TETHERED = """<mujoco model="tethered">
  <worldbody>
    <body name="target" mocap="true" pos="1 0 0"/>
    <body name="arm">
      <joint name="shoulder" axis="0 0 1"/><geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/>
      <body name="forearm" pos="0.5 0 0">
        <joint name="elbow" axis="0 0 1"/><geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/>
        <site name="tip" pos="0.5 0 0"/>
      </body>
    </body>
  </worldbody>
  <equality><weld name="tether" body1="target" body2="forearm" relpose="-0.5 0 0 1 0 0 0"/></equality>
</mujoco>
"""


def test_a_weld_to_a_mocap_body_locks_no_joint() -> None:
    model = ossature.load(TETHERED).models[0]
    assert "mocap body 'target'" in unsupported_equalities(model)["tether"]
    report = ossature.check(TETHERED)
    assert {found.rule.name for found in report} & {"locked-joint", "singular-initial-configuration", "unclosed-loop"} == set()
