"""Words inside sensors: each is read, means what it says in any unit of length, and comes back."""

from __future__ import annotations

import math
from typing import Any

import pytest

from collada_documents import read, robot, technique
from ossature.comparison import compare
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.collada import read_collada, write_collada
from ossature.formats.collada.openrave.schema_sensors import WORDS
from ossature.formats.collada.schema_common import PAGE
from ossature.model import Distortion, DistortionModel, Sensor, World
from ossature.syntax.schema import spellings

CAMERAS = '<sensor type="base_pinhole_camera" id="c"/>'
VALUES = {"format": "uint16", "hardware_id": "device", "polarity": "-1", "width": "7", "height": "5", "channels": "4"}
OF_STRUCTURE = {
    "interface_type": "<technique profile='OpenRAVE'><interface>Part</interface></technique>",
    "distortion_model": "plumb_bob",
}
WITH_OTHERS = {"distortion_coeffs": "<distortion_model>plumb_bob</distortion_model>"}
"""Words that mean something beside another one only."""


def sensing(kind: str, inside: str, **parts: str) -> str:
    attached = technique("attach_sensor", '<instance_sensor url="#s"/><frame_origin link="hand"/>', attributes='name="eye"')
    library = technique("library_sensors", f'{CAMERAS}<sensor type="{kind}" id="s">{inside}</sensor>')
    return robot(motion_extra=attached, extra=library, **parts)


def sensor_of(document: str, report: Report | None = None) -> Sensor:
    (sensor,) = world_of(document, report).models[0].sensors
    return sensor


def world_of(document: str, report: Report | None = None) -> World:
    world = read(document, report)
    assert world is not None
    return world


def inside(tag: str, spelling: Any) -> str:
    if tag == "target":
        return "<target>hand</target>" if spelling.source == PAGE else "<target>elbow</target>"
    if tag in OF_STRUCTURE:
        return f"<{tag}>{OF_STRUCTURE[tag]}</{tag}>"
    count = next((n for n in (36, 9, 6, 4, 3, 2) if spelling.value.name.startswith(f"{n} ")), 1)
    return f"<{tag}>{VALUES.get(tag, ' '.join(['2'] * count))}</{tag}>"


EVERY_WORD = [
    (kind, tag, spelling)
    for kind, declared in WORDS.items()
    for tag, spelling in spellings(declared).items()
    if tag != "instance_sensor" and (kind, tag) != ("base_stereo_camera", "rectification")
]


@pytest.mark.parametrize(("kind", "tag", "spelling"), EVERY_WORD, ids=[f"{kind}-{tag}" for kind, tag, _ in EVERY_WORD])
def test_every_word_is_read_and_written(kind: str, tag: str, spelling: Any) -> None:
    beside = WITH_OTHERS.get(tag, "")
    without, specified = world_of(sensing(kind, beside)), world_of(sensing(kind, inside(tag, spelling) + beside))
    changed = [found.path for found in compare(without, specified)]
    assert changed, f"<{tag}> changes nothing"
    assert all(path.startswith("arm/eye") for path in changed)
    ledger = Ledger()
    again = read_collada(Source("written", write_collada(specified, ledger).encode()), Report())
    assert again is not None
    assert not compare(specified, again, tolerance=1e-12)
    assert not [entry for entry in ledger if "eye" in entry.path], "the page and the program have words for it"


def test_both_editions_and_the_program_mean_the_same() -> None:
    spelled = [
        "<angle_range>-80 85</angle_range><distance_range>0.5 4</distance_range><angle_increment>1</angle_increment>"
        "<measurement_time>0.5</measurement_time>",
        "<angle_min>-80</angle_min><angle_max>85</angle_max><range_min>0.5</range_min><range_max>4</range_max>"
        "<angle_increment>1</angle_increment><measurement_time>0.5</measurement_time>",
        "<min_angle>-80</min_angle><max_angle>85</max_angle><min_range>0.5</min_range><max_range>4</max_range>"
        "<resolution>1</resolution><scantime>0.5</scantime>",
        "<MinAngle>-80</MinAngle><maxangle>85</maxangle><minrange>0.5</minrange><maxrange>4</maxrange>"
        "<resolution>1</resolution><time_scan>0.5</time_scan>",
    ]
    one, *others = [sensor_of(sensing("base_laser2d", words)).description for words in spelled]
    assert one is not None
    assert one.min_angle == math.radians(-80.0)
    assert all(other == one for other in others)


def test_page_and_program_spell_a_distortion() -> None:
    page = '<distortion_model type="plumb_bob">0.5 0.25</distortion_model>'
    program = "<distortion_model>plumb_bob</distortion_model><distortion_coeffs>0.5 0.25</distortion_coeffs>"
    expected = Distortion(model=DistortionModel.PLUMB_BOB, coefficients=(0.5, 0.25))
    for words in (page, program):
        description = sensor_of(sensing("base_pinhole_camera", words)).description
        assert description.distortion == expected


LENGTHS = {
    ("base_laser2d", "distance_range", "2 3"): {"min_distance": 2.0e-3, "max_distance": 3.0e-3},
    ("base_laser2d", "angle_range", "90 180"): {"min_angle": 0.5 * math.pi, "max_angle": math.pi},
    ("base_pinhole_camera", "focal_length", "20"): {"focal_length": 0.02},
    ("base_force6d", "load_range_force", "1 2 3"): {"force_range": (1e-3, 2e-3, 3e-3)},
    ("base_force6d", "load_range_torque", "1 2 3"): {"torque_range": (1e-6, 2e-6, 3e-6)},
    ("base_imu", "angular_velocity_covariance", "1 0 0 0 1 0 0 0 1"): {
        "angular_velocity_covariance": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    },
    ("base_imu", "linear_acceleration_covariance", "1 0 0 0 1 0 0 0 1"): {
        "linear_acceleration_covariance": ((1e-6, 0.0, 0.0), (0.0, 1e-6, 0.0), (0.0, 0.0, 1e-6))
    },
}
"""What a word means in a document of millimetres: M D T⁻² and so on with D = 1e-3."""


@pytest.mark.parametrize("specified", LENGTHS, ids=lambda specified: specified[1])
def test_units_are_scaled(specified: tuple[str, str, str]) -> None:
    kind, tag, text = specified
    document = sensing(kind, f"<{tag}>{text}</{tag}>", asset='<unit meter="0.001" name="millimeter"/><up_axis>Z_UP</up_axis>')
    description = sensor_of(document).description
    assert description is not None
    for name, value in LENGTHS[specified].items():
        found = getattr(description, name)
        assert _flat(found) == pytest.approx(_flat(value), rel=1e-12)


def _flat(value: Any) -> list[float]:
    return [part for item in value for part in _flat(item)] if isinstance(value, tuple) else [value]


def test_a_stereo_camera_has_two_cameras_in_their_places() -> None:
    rows = "1 0 0 0 1 0 0 0 1"
    inside = (
        '<instance_sensor url="#c"/><instance_sensor url="#c"><translate>0.5 0 0</translate>'
        f"<rectification>{rows}</rectification></instance_sensor>"
    )
    world = world_of(sensing("base_stereo_camera", inside))
    (sensor,) = world.models[0].sensors
    assert sensor.description is not None
    first, second = sensor.description.views
    assert (first.pose, first.rectification) == (None, None)
    assert second.pose is not None
    assert second.pose.position == (0.5, 0.0, 0.0)
    assert second.rectification == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    again = read_collada(Source("written", write_collada(world, Ledger()).encode()), Report())
    assert not compare(world, again)


def test_an_unknown_type_comes_back_as_it_stood(report: Report) -> None:
    world = world_of(sensing("MySensor", "<threshold unit='mV'>3</threshold>"), report)
    assert len(report.take("unknown-sensor-type")) == 1
    (sensor,) = world.models[0].sensors
    assert (sensor.type, sensor.description) == ("MySensor", None)
    assert [setting.key for setting in sensor.settings] == ["threshold"]
    again = read_collada(Source("written", write_collada(world, Ledger()).encode()), Report())
    assert not compare(world, again)


def test_a_distortion_that_nobody_knows_comes_back_as_it_stood(report: Report) -> None:
    words = '<distortion_model type="wavy">1 2</distortion_model><distortion_coeffs>3</distortion_coeffs>'
    world = world_of(sensing("base_pinhole_camera", words), report)
    assert len(report.take("unsupported-distortion-model")) == 1
    again = read_collada(Source("written", write_collada(world, Ledger()).encode()), Report())
    assert not compare(world, again)
