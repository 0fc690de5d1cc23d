"""Names of bodies and joints that a recording does not have."""

from __future__ import annotations

import pytest

import ossature
from conftest import PROJECT


def test_a_similar_name_is_suggested() -> None:
    recording = ossature.Simulation(ossature.load(PROJECT / "examples" / "arm.skel")).run(0.01, sample=0.01)
    with pytest.raises(KeyError, match="model 'arm' has no body 'hnd': did you mean 'hand'"):
        recording.body("arm", "hnd")
    with pytest.raises(KeyError, match="there is no model 'amr': did you mean 'arm'"):
        recording.body("amr", "hand")
    for values in (recording.joint_positions, recording.joint_velocities):
        with pytest.raises(KeyError, match="model 'arm' has no joint 'elbw': did you mean 'elbow'"):
            values("arm", "elbw")
