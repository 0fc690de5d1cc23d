"""Kinematics systems of COLLADA: loops, parameters, states of links, units, and grasps."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import ossature
from collada_coverage import FILES
from collada_documents import (
    CENTIMETRE,
    document,
    geometry,
    read,
    read_arm,
    read_test_file,
    robot,
    shown,
    technique,
)
from ossature.diagnostics import Report
from ossature.model import (
    Actuation,
    Box,
)
from ossature.simulation import Simulation


def test_poses_of_a_closed_loop() -> None:
    poses = ossature.poses(read_test_file("loop.dae"))["four_bars"]
    assert {name: pose.position for name, pose in poses.items()} == {
        "ground": (0.0, 0.0, 0.0),
        "left": (0.0, 0.0, 0.0),
        "top": (0.0, 0.0, 1.0),
        "right": (2.0, 0.0, 1.0),
    }


def test_a_loop_stays_closed_while_it_moves() -> None:
    simulation = Simulation(read_test_file("loop.dae"), report=Report())
    simulation.step(2000)
    poses = simulation.poses()["four_bars"]
    end = poses["right"].transform((0.0, 0.0, -1.0))
    assert end == pytest.approx((2.0, 0.0, 0.0), abs=1e-6)
    (angle,) = simulation.positions()["four_bars"]["a"]
    assert angle > 0.1
    # The opposite bars of a parallelogram stay parallel.
    assert poses["top"].position == pytest.approx((math.sin(angle), 0.0, math.cos(angle)), abs=1e-6)
    assert np.allclose(poses["top"].wxyz, (1.0, 0.0, 0.0, 0.0), atol=1e-6)


def test_parameters_through_three_levels() -> None:
    (model,) = read_test_file("kinematics.dae").models
    (bearing,), (rail,) = (model.joints[name].coordinates for name in ("bearing", "rail"))
    assert bearing.position_limits.lower == math.radians(-85.0)  # set by the scene, in the parameters of the kinematics system
    assert bearing.initial_position == math.radians(15.0)
    assert bearing.velocity_limits.upper == math.radians(90.0)  # set by the motion system
    assert bearing.acceleration_limits.upper == math.radians(45.0)  # bound by it
    assert rail.position_limits.upper == pytest.approx(0.275)  # declared by the model, set by its instance
    assert rail.initial_position == pytest.approx(0.0875)  # named by the scene through both systems, set by it
    assert model.joints["bearing"].actuation is Actuation.PASSIVE
    assert model.joints["rail"].actuation is Actuation.LOCKED


@pytest.mark.parametrize(
    "path",
    [
        "kscene/arm/arm_motion/kin_inst/arm_kinematics/arm_inst/elbow/axis0",
        "arm_motion/arm_kinematics/arm_inst/elbow/axis0",
        "arm/arm_inst/elbow/axis0",
        "arm_inst/./elbow/axis0",
        "arm/elbow/axis0",
        "elbow/axis0",
        "elbow",
    ],
)
def test_paths_to_an_axis(path: str) -> None:
    text = robot(value="<float>20</float>").replace("kscene/arm/arm_kinematics/arm_inst/elbow/axis0", path)
    assert read_arm(text).joints["elbow"].initial_positions == (math.radians(20.0),)


@pytest.mark.parametrize("path", ["legs/elbow/axis0", "arm/elbow/axis7", "arm/elbow/axis0/more"])
def test_invalid_paths_are_reported(path: str, report: Report) -> None:
    text = robot(value="<float>20</float>").replace("kscene/arm/arm_kinematics/arm_inst/elbow/axis0", path)
    assert read_arm(text, report).joints["elbow"].initial_positions == (0.0,)
    assert report.take("unresolved-binding")
    assert report.take("unbound-axis")


def test_parameters_that_name_each_other_have_no_value(report: Report) -> None:
    text = robot(
        scene_instance='<newparam sid="a"><SIDREF>b</SIDREF></newparam><newparam sid="b"><SIDREF>a</SIDREF></newparam>',
        value="<param>a</param>",
    )
    assert read_arm(text, report).joints["elbow"].initial_positions == (0.0,)
    assert report.take("unresolved-parameter")


def states(kind: str, value: str, link: str = "base") -> str:
    return technique("collision", f'<link_{kind}_state link="{link}"><bool>{value}</bool></link_{kind}_state>')


@pytest.mark.parametrize(
    ("system", "instance", "expected"),
    [
        ("", "", True),
        ("false", "", False),
        ("", "false", False),
        ("false", "true", False),
        ("true", "false", False),
        ("true", "true", True),
    ],
)
@pytest.mark.parametrize("kind", ["collision", "visible"])
def test_an_instance_switches_off_and_never_on(kind: str, system: str, instance: str, expected: bool) -> None:
    text = robot(
        geometries=geometry("g"),
        base_node=shown("g"),
        motion_extra=states(kind, system) if system else "",
        scene_instance=states(kind, instance) if instance else "",
    )
    base = read_arm(text).bodies["base"]
    shapes = [shape.enabled for shape in base.collisions] if kind == "collision" else [one.visible for one in base.visuals]
    assert shapes == [expected]


def test_outer_levels_of_a_system_count_before_inner_ones() -> None:
    text = robot(
        geometries=geometry("g"),
        base_node=shown("g"),
        model_extra=states("collision", "false"),
        kinematics_extra=states("collision", "false"),
        motion_extra=states("collision", "true"),
    )
    assert [shape.enabled for shape in read_arm(text).bodies["base"].collisions] == [True]


@pytest.mark.parametrize("kind", ["collision", "visible"])
def test_visibility_of_links_in_both_places(kind: str) -> None:
    hidden = technique(kind, '<link_visible_state link="base"><bool>false</bool></link_visible_state>')
    base = read_arm(robot(geometries=geometry("g"), base_node=shown("g"), motion_extra=hidden)).bodies["base"]
    assert [visual.visible for visual in base.visuals] == [False]
    assert [shape.enabled for shape in base.collisions] == [True]


@pytest.mark.parametrize("name", ["base", "arm/base", "arm_inst/base"])
def test_links_by_their_paths(name: str) -> None:
    pair = technique("collision", f'<ignore_link_pair link0="{name}" link1="hand"/>')
    assert read_arm(robot(motion_extra=pair)).ignored_pairs == (("base", "hand"),)


@pytest.mark.parametrize("name", ["base/hand", "arm/base/hand", "arm_inst/base/hand"])
def test_links_by_paths_through_the_links_above_them(name: str, report: Report) -> None:
    pair = technique("collision", f'<ignore_link_pair link0="base" link1="{name}"/>')
    assert read_arm(robot(motion_extra=pair), report).ignored_pairs == (("base", "hand"),)


@pytest.mark.parametrize("name", ["hand/base", "other/base/hand", "arm/hand/hand"])
def test_links_by_paths_that_no_link_has(name: str, report: Report) -> None:
    pair = technique("collision", f'<ignore_link_pair link0="base" link1="{name}"/>')
    assert read_arm(robot(motion_extra=pair), report).ignored_pairs == ()
    assert name in report.take("unknown-link")[0].message


def test_a_collision_state_refers_to_a_parameter_of_the_model() -> None:
    state = '<link_collision_state link="base"><param>collides</param></link_collision_state>'
    for value in ("true", "false"):
        parameter = f'<newparam sid="collides"><bool>{value}</bool></newparam>'
        world = read(
            robot(
                joints=parameter,
                geometries=geometry("g"),
                base_node=shown("g"),
                model_extra=technique("collision", state),
            )
        )
        assert [shape.enabled for shape in world.models[0].bodies["base"].collisions] == [value == "true"]


def with_unit(text: str, container: str) -> str:
    """Return a document one of whose elements has the unit of a centimetre."""
    assert text.count(container) == 1
    return text.replace(container, container + CENTIMETRE)


def test_formulas_of_systems_have_the_unit_of_the_system() -> None:
    joint = '<prismatic sid="axis0"><axis>0 0 1</axis></prismatic>'
    formula = "<formula><technique_common><math><cn>3</cn></math></technique_common></formula>"
    text = robot(joint=joint, place='<translate sid="turn">0 0 0</translate>', axis_info=formula)
    (coordinate,) = read_arm(with_unit(text, '<articulated_system id="arm_kinematics">')).joints["elbow"].coordinates
    assert coordinate.coupling is not None
    hand = ossature.poses(read(with_unit(text, '<articulated_system id="arm_kinematics">')))["arm"]["hand"]
    assert hand.position == pytest.approx((0.0, 0.0, 1.03), abs=1e-15)


def test_formulas_of_systems_refer_to_the_document_of_the_system(tmp_path: Path) -> None:
    formula = '<formula id="half"><technique_common><math><cn>0.5</cn></math></technique_common></formula>'
    text = robot(axis_info='<instance_formula url="#half"/>', extra=f"<library_formulas>{formula}</library_formulas>")
    begin, end = text.index("<library_kinematics_models>"), text.index("</library_kinematics_models>")
    library = text[begin:end] + "</library_kinematics_models>"
    (tmp_path / "parts.dae").write_text(document(library))
    text = text.replace(library, "").replace('url="#arm" sid', 'url="parts.dae#arm" sid')
    (coordinate,) = read(text, folder=tmp_path).models["arm"].joints["elbow"].coordinates
    assert coordinate.coupling is not None


def test_instances_of_rigid_bodies_have_the_unit_of_their_scene() -> None:
    body = "<mass>2</mass><mass_frame><translate>0 3 0</translate></mass_frame><inertia>1 1 1</inertia>"
    box = "<shape><translate>1 0 0</translate><box><half_extents>2 3 4</half_extents></box></shape>"
    own = f"<technique_common><mass_frame><translate>5 0 0</translate></mass_frame>{box}</technique_common>"
    text = robot(base_body=f"<dynamic>false</dynamic>{body}", place="<translate>0 0 1</translate>").replace(
        'sid="rigid_base" target="#base_node"/>', f'sid="rigid_base" target="#base_node">{own}</instance_rigid_body>'
    )
    base = read_arm(with_unit(text, '<physics_scene id="pscene">')).bodies["base"]
    assert base.inertial.center_of_mass == pytest.approx((0.05, 0.0, 0.0), abs=1e-15)
    (shape,) = base.collisions
    assert (shape.geometry, shape.pose.position) == (Box(size=(0.04, 0.06, 0.08)), (0.01, 0.0, 0.0))


def test_grasped_body() -> None:
    (grasp,) = read_test_file("extensions.dae").grasps
    assert (grasp.link.model, grasp.link.body) == ("gripper", "finger")
    assert (grasp.body.model, grasp.body.body) == ("stick", "stick")
    assert grasp.ignored_bodies == ("palm",)


def test_bare_names_of_ignored_links(report: Report) -> None:
    text = (FILES / "extensions.dae").read_text(encoding="utf-8").replace('link="robot/palm"', 'link="palm"')
    (grasp,) = read(text, report).grasps
    assert grasp.ignored_bodies == ("palm",)
    report.take("deprecated-spelling")
    report.take("unsupported-content")
