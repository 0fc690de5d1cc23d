"""A robot without inertia: why it cannot run is said in short, and the page infers its inertia."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("viser")

from ossature.assets import MeshStore
from ossature.viewer.app import ViewerApp
from ossature.viewer.loaded_file import open_file
from ossature.viewer.server import LOOPBACK, serve
from ossature.viewer.simulation_environment import SimulationEnvironment, adapt_file
from ossature.viewer.simulations_and_recordings import _reason_of

ARM = """<robot name="arm"><link name="base_link"/><link name="lever"><visual><origin xyz="0.5 0 0"/><geometry>
<box size="1 0.1 0.1"/></geometry></visual></link><joint name="hinge" type="revolute"><parent link="base_link"/>
<child link="lever"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def test_the_reason_names_the_error_and_no_notes(arm: Path) -> None:
    app = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [open_file(arm, lambda found: MeshStore())], shadows=False)
    with pytest.raises(Exception, match="inertia") as caught:
        app.session._create_simulations()
    reason = _reason_of(caught.value)
    assert "no moving body of 'arm' has inertia" in reason
    assert "velocity limit" not in reason
    assert "\n" not in reason
    app.set_simulation_environment(replace(app.environment, infers_inertia=True))
    assert len(app.session._create_simulations()) == 1
    app.close()


def test_inferred_inertia_is_specified(arm: Path) -> None:
    adapted = adapt_file(open_file(arm, lambda found: MeshStore()), SimulationEnvironment(infers_inertia=True))
    world: Any = adapted.loaded.world
    assert world.models["arm"].bodies["lever"].inertial.mass == pytest.approx(10.0)
    assert any("inferred: body 'lever': 10 kg" in statement for statement in adapted.statements)
