"""What the reader makes of each element, by closed forms and the conventions of SDFormat."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.diagnostics import Report
from ossature.model import Body, Distortion, DistortionModel, Force6D, Imu, Laser2D, Mesh, Model, PinholeCamera, Screw

FILE = PROJECT / "tests" / "sdf" / "files" / "everything.sdf"


def loaded(inside: str) -> Model:
    """Return a model with some content."""
    return ossature.load(f'<sdf version="1.11"><model name="m">{inside}</model></sdf>'.encode(), format="sdf").models["m"]


@pytest.fixture(scope="module")
def machine() -> Model:
    """The machine of the file."""
    return ossature.load(FILE).models["machine"]


def test_inertia_of_solids(machine: Model) -> None:
    """A box and a ball above it, by the formulas of textbooks and the parallel axis theorem."""
    box, ball, radius, height = 700.0 * 0.1 * 0.2 * 0.3, 500.0 * 4.0 / 3.0 * math.pi * 0.05**3, 0.05, 0.2
    inertial = machine.bodies["a"].inertial
    center = ball * height / (box + ball)
    across = box * center**2 + ball * (height - center) ** 2
    moments = (
        box * (0.2**2 + 0.3**2) / 12.0 + 0.4 * ball * radius**2 + across,
        box * (0.1**2 + 0.3**2) / 12.0 + 0.4 * ball * radius**2 + across,
        box * (0.1**2 + 0.2**2) / 12.0 + 0.4 * ball * radius**2,
    )
    assert inertial.mass == pytest.approx(box + ball)
    assert inertial.center_of_mass == pytest.approx((0.0, 0.0, center))
    assert np.allclose(inertial.moment, np.diag(moments), rtol=1e-12)


def test_a_camera_looks_along_the_x_axis_of_its_link(machine: Model) -> None:
    sensor = machine.sensors["camera"]
    rotation = sensor.pose.matrix()[:3, :3]
    assert np.allclose(rotation @ (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))  # the view
    assert np.allclose(rotation @ (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))  # downwards in the image
    assert isinstance(sensor.description, PinholeCamera)
    assert sensor.description.intrinsic is not None
    focal = sensor.description.intrinsic[0][0]
    assert 2.0 * math.atan(32.0 / focal) == pytest.approx(1.2)


def test_sensors(machine: Model) -> None:
    scan, imu, load = (machine.sensors[name].description for name in ("scan", "imu", "load"))
    assert isinstance(scan, Laser2D)
    assert (scan.angle_increment, scan.distance_deviation) == (pytest.approx(0.2), 0.01)
    assert isinstance(imu, Imu)
    assert imu.angular_velocity_covariance == ((pytest.approx(4e-4), 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert isinstance(load, Force6D)
    assert load.polarity == -1
    assert machine.sensors["height"].description is None


def test_joints(machine: Model) -> None:
    assert machine.joints["thread"].type == Screw(axis=(0.0, 0.0, 1.0), pitch=0.02)
    assert machine.joints["tool_weld"].child == "tip::point"
    assert machine.bodies["tip::point"].pose.position == pytest.approx((3.5, 0.0, 0.2))


def test_what_is_no_mechanism_is_kept_as_text() -> None:
    world = ossature.load(FILE)
    assert {extension.key: extension.value for extension in world.extensions if extension.key.startswith("physics/@")} == {
        "physics/@name": "fast",
        "physics/@type": "dart",
    }
    keys = [extension.key for extension in world.extensions if not extension.key.startswith("physics/@")]
    assert keys == ["@xmlns:gz", "gz:note", "light sun", "physics/real_time_factor"]
    assert world.time_step == 0.002
    (collision,) = world["ground/plane"].collisions
    assert (collision.material.friction, collision.material.restitution) == (0.8, 0.1)


STATED = """<sdf version="1.9"><model name="m"><link name="a">
<visual name="v"><geometry><box><size>1 1 1</size></box></geometry>
<material><diffuse>1 0 0</diffuse><specular>1 1 1</specular><pbr><metal><roughness>0.1</roughness></metal></pbr></material>
</visual>
<collision name="c"><geometry><box><size>1 1 1</size></box></geometry><surface><bounce><threshold>1</threshold></bounce>
<friction><ode><mu>1</mu><mu2>2</mu2></ode></friction></surface></collision></link></model></sdf>"""


def test_specified_content_that_is_not_represented_is_kept_as_text(report: Report) -> None:
    body = ossature.load(STATED.encode(), format="sdf").models["m"].bodies["a"]
    assert {extension.key for extension in body.extensions} == {
        "visual v/material",
        "visual v/pbr/metal",
        "collision c/bounce",
        "collision c/friction/ode",
    }


FIXED_FRAMES = """<sdf version="1.9"><world name="w"><frame name="door"><pose>1 2 3 0 0 0</pose></frame>
<model name="m"><frame name="grip" attached_to="a"/>
<link name="a"><visual name="floor"><geometry><plane><normal>0 0 1</normal><size>4 5</size></plane></geometry>
<transparency>0.25</transparency></visual>
<collision name="ground"><geometry><plane><size>6 7</size></plane></geometry></collision></link></model></world></sdf>"""


def test_frames_of_the_world_sizes_of_planes_and_transparency_without_colour_are_kept_as_text() -> None:
    world = ossature.load(FIXED_FRAMES.encode(), format="sdf")
    (model,) = world.models
    assert [extension.key for extension in world.extensions] == ["frame door"]
    assert "1 2 3" in world.extensions[0].value
    assert [frame.name for frame in model.bodies["a"].frames] == ["grip"]
    specified = {extension.key: extension.value for extension in model.bodies["a"].extensions}
    assert specified["visual floor/transparency"] == "0.25"
    assert "4 5" in specified["visual floor/plane"]
    assert "6 7" in specified["collision ground/plane"]


@pytest.mark.parametrize(
    ("shape", "rule"),
    [("<mesh><uri>missing.stl</uri></mesh>", "missing-file"), ("<plane><normal>0 0 1</normal></plane>", "default-used")],
)
def test_an_inertia_that_cannot_be_computed_is_a_finding(shape: str, rule: str) -> None:
    link = f'<inertial auto="true"/><collision name="c"><geometry>{shape}</geometry></collision>'
    text = f'<sdf version="1.11"><model name="m"><link name="a">{link}</link></model></sdf>'
    _, found = ossature.read(text.encode(), format="sdf")
    assert rule in {finding.rule.name for finding in found}


@pytest.mark.parametrize("normal", ["0 0 0", "0 0 1e-320"])
def test_a_normal_without_direction_is_a_finding(normal: str) -> None:
    shape = f"<plane><normal>{normal}</normal><size>1 1</size></plane>"
    link = f'<collision name="c"><geometry>{shape}</geometry></collision>'
    text = f'<sdf version="1.11"><model name="m"><static>true</static><link name="a">{link}</link></model></sdf>'
    world, found = ossature.read(text.encode(), format="sdf")
    assert "zero-axis" in {finding.rule.name for finding in found}
    assert world.models["m"].bodies["a"].collisions[0].geometry.normal == (0.0, 0.0, 1.0)


def test_the_time_step_of_physics_that_is_not_used_is_kept_as_text() -> None:
    steps = [("", 0.001), ('default="true"', 0.002), ("", 0.003)]
    physics = "".join(
        f'<physics name="p" type="ode" {default}><max_step_size>{step}</max_step_size></physics>' for default, step in steps
    )
    world = ossature.load(f'<sdf version="1.9"><world name="w">{physics}</world></sdf>'.encode(), format="sdf")
    assert world.time_step == 0.002
    assert [each.value for each in world.extensions if each.key == "physics/max_step_size"] == ["0.001", "0.003"]


def test_distortion_has_the_order_of_coefficients_of_ros() -> None:
    """``camera_info`` states k1 k2 p1 p2 k3."""
    radial, tangential = "<k1>-0.2</k1><k2>0.1</k2><k3>0.03</k3>", "<p1>0.001</p1><p2>0.002</p2>"
    link = '<link name="a"><sensor name="s" type="camera"><camera name="c">{}</camera></sensor></link>'

    def distortion(stated: str) -> Distortion | None:
        camera = loaded(link.format(stated)).sensors["s"].description
        assert isinstance(camera, PinholeCamera)
        return camera.distortion

    specified = distortion(f"<distortion>{radial}{tangential}</distortion>")
    assert specified == Distortion(model=DistortionModel.PLUMB_BOB, coefficients=(-0.2, 0.1, 0.001, 0.002, 0.03))
    assert distortion("<distortion><k1>0</k1></distortion>") is distortion("") is None


def test_a_collision_can_mean_the_convex_hull_of_a_mesh() -> None:
    geometry = '<geometry><mesh optimization="{}"><uri>model://parts/part.stl</uri></mesh></geometry>'

    def body(optimization: str) -> Body:
        shapes = "".join(f'<{tag} name="s">{geometry.format(optimization)}</{tag}>' for tag in ("visual", "collision"))
        return loaded(f'<link name="a">{shapes}</link>').bodies["a"]

    for optimization, is_hull, kept in (("convex_hull", True, []), ("convex_decomposition", False, ["collision s/mesh"])):
        (visual,), (collision,) = body(optimization).visuals, body(optimization).collisions
        assert isinstance(visual.geometry, Mesh)
        assert isinstance(collision.geometry, Mesh)
        assert (visual.geometry.convex, collision.geometry.convex) == (False, is_hull)
        assert [extension.key for extension in body(optimization).extensions] == kept
