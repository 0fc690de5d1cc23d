"""A model of a state without a pose and a parent stays where the World has it, and links and frames are stated in it.

The expected numbers: the skeleton is at (3, 2, 0), turned by 90° about z, so that (1, 0, 0) in it is (3, 3, 0) in the world.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from ossature.cli.app import app
from ossature.diagnostics import Report, Source
from ossature.formats.usdf import read_usdf, write_usdf
from ossature.kinematics import poses
from ossature.kinematics.apply_state import apply_state, place_models
from ossature.kinematics.state_diff import state_differences
from ossature.model import State, World
from ossature.model.state_compatibility import StateMismatchError, restrict_state

SKEL = """<skel version="1.0"><world name="w"><physics><gravity>0 0 0</gravity></physics>
<skeleton name="box"><transformation>3 2 0 0 0 1.5707963267948966</transformation>
<body name="b"><transformation>0 0 5 0 0 0</transformation></body></skeleton>
<skeleton name="second"><body name="c"/></skeleton>
</world></skel>"""
LINK_STATE = '<link_state name="b"><pose>1 0 0 0 0 0</pose><twist>0.5 0 0 0 0 0</twist></link_state>'
LINK = f'<model_state name="box">{LINK_STATE}</model_state>'
PARENT = '<model_state name="box"/><model_state name="second"><parent>box</parent><pose>1 0 0 0 0 0</pose></model_state>'


def read(inner: str, report: Report) -> State:
    state = read_usdf(Source("s.usdf", f'<world_state name="w">{inner}</world_state>'.encode()), report)
    assert state is not None
    return state


@pytest.fixture
def world(tmp_path: Path) -> World:
    (tmp_path / "w.skel").write_text(SKEL)
    return ossature.load(tmp_path / "w.skel")


def test_an_applied_link_pose_is_in_the_frame_of_the_model(world: World, report: Report) -> None:
    applied = apply_state(world, read(LINK, report))
    np.testing.assert_allclose(poses(applied)["box"]["b"].position, (3.0, 3.0, 0.0), atol=1e-12)
    assert applied.models["box"].pose == world.models["box"].pose
    body = ossature.Simulation(applied).body_states()["box"]["b"]
    np.testing.assert_allclose(body.linear_velocity, (0.0, 0.5, 0.0), atol=1e-12)
    assert report.take("missing-model-pose")[0].location is not None


def test_a_model_with_another_pose_is_refused_with_the_function_that_places_it(world: World, report: Report) -> None:
    state = read(LINK.replace('box">', 'box"><pose>4 0 0 0 0 0</pose>'), report)
    with pytest.raises(StateMismatchError, match=r"model 'box' has another pose.*place_models\(world, state\)"):
        ossature.Simulation(world).restore(state)
    simulation = ossature.Simulation(place_models(world, state))
    simulation.restore(state)
    assert simulation.body_states()["box"]["b"].position == pytest.approx((5.0, 0.0, 0.0), abs=1e-12)


def test_a_restored_link_pose_is_in_the_frame_of_the_model(world: World, report: Report) -> None:
    simulation = ossature.Simulation(world)
    simulation.restore(read(LINK, report))
    assert report.take("missing-model-pose")
    body = simulation.body_states()["box"]["b"]
    np.testing.assert_allclose(body.position, (3.0, 3.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(body.linear_velocity, (0.0, 0.5, 0.0), atol=1e-12)
    assert not [finding for finding in simulation.report if finding.rule.name == "inconsistent-state"]


@pytest.mark.parametrize("restores", [False, True])
def test_the_link_state_of_a_base_on_a_free_joint(restores: bool, tmp_path: Path, report: Report) -> None:
    """A free joint places a body, but does not constrain it: the link state of the body determines the joint."""
    joint = "<transformation>0.1 0.2 0.3 0.4 0.5 0.6</transformation><init_pos>1 2 3 4 5 6</init_pos>"
    free = f'<joint type="free" name="j"><parent>world</parent><child>b</child>{joint}</joint></skeleton><skeleton'
    (tmp_path / "w.skel").write_text(SKEL.replace("</skeleton>\n<skeleton", free))
    world = ossature.load(tmp_path / "w.skel")
    frame = "<pose>3 2 0 0 0 1.5707963267948966</pose><twist>0 0 1 0 0 2</twist>"
    state = read(LINK.replace("<link_state", frame + "<link_state"), report)
    simulation = ossature.Simulation(world if restores else apply_state(world, state))
    if restores:
        simulation.restore(state)
    body = simulation.body_states()["box"]["b"]
    np.testing.assert_allclose(body.position, (3.0, 3.0, 0.0), atol=1e-12)
    # The model rotates at 2 rad/s about its origin, 1 m from the body, and rises at 1 m/s.
    np.testing.assert_allclose(body.linear_velocity, (-2.0, 0.5, 1.0), atol=1e-12)
    np.testing.assert_allclose(body.angular_velocity_body, (0.0, 0.0, 2.0), atol=1e-12)


def test_another_model_in_one_without_a_pose(world: World, report: Report) -> None:
    state = read(PARENT, report)
    for placed in (place_models(world, state), apply_state(world, state)):
        np.testing.assert_allclose(placed.models["second"].pose.position, (3.0, 3.0, 0.0), atol=1e-12)
        assert placed.models["box"].pose == world.models["box"].pose
    assert not report.take("missing-model-pose")  # no link has a pose


def test_a_model_in_one_that_the_world_lacks(world: World, report: Report) -> None:
    state = read('<model_state name="cart"><pose>0 0 7 0 0 0</pose></model_state>' + PARENT.replace(">box<", ">cart<"), report)
    placed = apply_state(world, restrict_state(state, world))
    np.testing.assert_allclose(placed.models["second"].pose.position, (1.0, 0.0, 7.0), atol=1e-12)


def test_states_that_differ_in_whether_a_model_has_a_pose(report: Report) -> None:
    differences = state_differences(
        read(PARENT, report), read(PARENT.replace('"box"/>', '"box"><pose>0 0 0 0 0 0</pose></model_state>'), report)
    )
    assert list(map(str, differences)) == ["box: the pose is in one of them only"]


def test_show_uses_the_pose_of_the_model_file(world: World, tmp_path: Path) -> None:
    (tmp_path / "s.usdf").write_text(f'<world_state name="w">{LINK}</world_state>')
    arguments = ["state", "show", tmp_path / "s.usdf", "--model", tmp_path / "w.skel", "--json"]
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    link = json.loads(result.stdout)["models"]["box"]["links"]["b"]
    np.testing.assert_allclose(link["position"], (3.0, 3.0, 0.0), atol=1e-12)


def test_links_stated_in_the_world(world: World, report: Report) -> None:
    """An explicit parent without a pose: the frame is that of the parent, and the model keeps its pose."""
    state = read(LINK.replace("<link_state", "<parent>world</parent><link_state"), report)
    applied = apply_state(world, state)
    assert applied.models["box"].pose == world.models["box"].pose
    restored = ossature.Simulation(world)
    restored.restore(state)
    for simulation in (restored, ossature.Simulation(applied)):
        body = simulation.body_states()["box"]["b"]
        np.testing.assert_allclose(body.position, (1.0, 0.0, 0.0), atol=1e-12)
        np.testing.assert_allclose(body.linear_velocity, (0.5, 0.0, 0.0), atol=1e-12)
    assert read_usdf(Source("s.usdf", write_usdf(state).encode()), report) == state
