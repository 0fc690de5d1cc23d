"""Robots that Newton's converters wrote from URDF and MJCF files, compared with the models of these files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
import usd  # noqa: F401  # skipped without usd-core
from conftest import corpus_folder
from ossature.model import Body, Coordinate, Joint, NamedList, Range, World
from usd.corpus_outcomes import OUTCOMES, outcome

MJCF_NAMES = {
    "bitcraze_crazyflie_2": "cf2",
    "agility_cassie": "cassie",
    "google_barkour_vb": "barkour_vb",
    "kinova_gen3": "gen3",
    "kuka_iiwa_14": "iiwa14",
    "iit_softfoot": "softfoot",
    "pal_tiago": "tiago",
    "robotiq_2f85": "2f85",
    "skydio_x2": "x2",
    "trossen_vx300s": "vx300s",
    "trossen_wx250s": "wx250s",
    "trs_so_arm100": "so_arm100",
    "ufactory_xarm7": "hand",
    "wonik_allegro": "left_hand",
}
"""Names of MJCF files that are not those of their folders."""
COMPUTED_CENTERS = {"pioneer-lx": "base_link"}
"""Bodies whose USD file states no centre of mass, which therefore follows from the shapes; URDF means the origin."""
COMPUTED_MASSES = {"trs_so_arm100": "Base"}
"""Bodies whose mass both files leave to be computed from shapes, which MuJoCo does with another volume of meshes."""
UNNAMED = ("Body", "body_1", "body_2")
"""Names of bodies without one, which the converter and the reader of MJCF choose."""
_FLOAT = 2e-6
"""Largest error of numbers with 32 bits, relative or of coordinates of chains [m]."""


def pairs() -> list[tuple[str, str]]:
    """Return the folders of the robots."""
    corpus = corpus_folder()
    if corpus is None:
        return []
    root = corpus / "corpus" / "usd"
    found = [(kind, path.name) for kind in ("from_urdf", "from_mjcf") for path in sorted((root / kind).iterdir())]
    return [pair for pair in found if pair[1] != "shadow_hand"]  # it was written from a file without bodies


def both(corpus: Path, kind: str, name: str) -> tuple[World, World]:
    """Return the World of an OpenUSD file, whose findings are the expected ones, and of the file that it was written from."""
    root = corpus / "corpus"
    (path,) = (root / "usd" / kind / name).glob("*.usda")
    if kind == "from_urdf":
        source = next((root / "urdf").rglob(f"{name}.urdf"))
    else:
        source = root / "mjcf" / name / f"{MJCF_NAMES.get(name, name)}.xml"
    world, report = ossature.read(path)
    assert OUTCOMES[path.relative_to(root / "usd").as_posix()] == outcome(world, report)
    assert world is not None
    return world, ossature.load(source)


def bodies(world: World) -> dict[str, Body]:
    return {body.name: body for model in world.models for body in model.bodies}


def coordinates(world: World) -> dict[tuple[str, int], tuple[str, Joint, Coordinate]]:
    """Return the coordinates that two files share, by the moved body and their index."""
    return {
        (joint.child, index): (model.name, joint, coordinate)
        for model in world.models
        for joint in model.joints
        for index, coordinate in enumerate(joint.coordinates)
        if type(joint.type).__name__ != "Floating"
    }


@pytest.mark.one_in(2)
@pytest.mark.corpus
@pytest.mark.parametrize(("kind", "name"), pairs())
def test_a_robot_is_that_of_its_source(corpus: Path, kind: str, name: str) -> None:
    world, source = both(corpus, kind, name)
    differences = [
        *different_masses(bodies(world), bodies(source), name),
        *different_coordinates(coordinates(world), coordinates(source)),
        *different_poses(world, source),
    ]
    assert not differences
    if kind == "from_mjcf":
        require_same_actuators_and_equalities(world, source)


def different_masses(own: dict[str, Body], other: dict[str, Body], name: str) -> Iterator[str]:
    for body in own.keys() & other.keys():
        ours, theirs = own[body].inertial, other[body].inertial
        if theirs.mass == 0.0 or COMPUTED_MASSES.get(name) == body:
            continue
        if not np.isclose(ours.mass, theirs.mass, rtol=_FLOAT):
            yield f"mass of {body}: {ours.mass}, not {theirs.mass}"
        if COMPUTED_CENTERS.get(name) != body and not np.allclose(ours.center_of_mass, theirs.center_of_mass, atol=_FLOAT):
            yield f"centre of mass of {body}: {ours.center_of_mass}, not {theirs.center_of_mass}"
        if theirs.moment is not None:
            moment = np.zeros((3, 3)) if ours.moment is None else np.array(ours.moment)
            largest = np.abs(theirs.moment).max()
            if not np.allclose(moment, theirs.moment, atol=2e-5 * largest):
                yield f"inertia of {body}: {ours.moment}, not {theirs.moment}"


def different_coordinates(own: dict, other: dict) -> Iterator[str]:  # type: ignore[type-arg]
    for key in sorted(own.keys() ^ other.keys()):
        if key[0] in UNNAMED:
            continue
        yield f"coordinate {key} is in one model only"
    for key in own.keys() & other.keys():
        (_, joint, ours), (_, source, theirs) = own[key], other[key]
        if type(joint.type) is not type(source.type):
            yield f"type of {joint.name}"
        for field in ("damping", "friction", "armature", "stiffness", "spring_reference"):
            if not np.isclose(getattr(ours, field), getattr(theirs, field), rtol=1e-5, atol=1e-9):
                yield f"{field} of {joint.name}: {getattr(ours, field)}, not {getattr(theirs, field)}"
        for field in ("position_limits", "velocity_limits", "effort_limits"):
            if not are_close(getattr(ours, field), getattr(theirs, field)):
                yield f"{field} of {joint.name}: {getattr(ours, field)}, not {getattr(theirs, field)}"
        if (ours.coupling is None) != (theirs.coupling is None):
            yield f"coupling of {joint.name}"


def are_close(first: Range, second: Range) -> bool:
    numbers = ((first.lower, second.lower), (first.upper, second.upper))
    return all(a == b or abs(a - b) <= 1e-9 + 1e-5 * max(abs(a), abs(b)) for a, b in numbers)


def different_poses(world: World, source: World) -> Iterator[str]:
    """Yield bodies that are elsewhere at random coordinates, relative to the first common body."""
    random = np.random.default_rng(7)
    own, other = coordinates(world), coordinates(source)
    models = [open_chains(world), open_chains(source)]
    for _ in range(3):
        chosen: tuple[dict, dict] = ({}, {})  # type: ignore[type-arg]
        for key in sorted(own.keys() & other.keys()):
            if own[key][2].coupling is None and other[key][2].coupling is None:
                value = float(random.uniform(-0.5, 0.5))
                for positions, (model, joint, _) in zip(chosen, (own[key], other[key]), strict=True):
                    values = positions.setdefault(model, {}).setdefault(joint.name, [0.0] * len(joint.coordinates))
                    values[key[1]] = value
        ours, theirs = (matrices(model, positions) for model, positions in zip(models, chosen, strict=True))
        common = [body for body in theirs if body in ours]
        for body in common:
            first = np.linalg.inv(ours[common[0]]) @ ours[body]
            second = np.linalg.inv(theirs[common[0]]) @ theirs[body]
            if not np.allclose(first, second, atol=_FLOAT):
                yield f"pose of {body}: off by {np.abs(first - second).max():.2g}"


def open_chains(world: World) -> World:
    """Return a World without equalities, so that poses follow from the positions of joints alone."""
    return replace(world, models=NamedList([replace(model, equalities=NamedList()) for model in world.models]))


def matrices(world: World, positions: dict) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    poses = ossature.poses(world, positions)
    return {body.name: poses[model.name][body.name].matrix() for model in world.models for body in model.bodies}


def require_same_actuators_and_equalities(world: World, source: World) -> None:
    (model,), (other,) = ([one for one in each.models if one.bodies and not one.static] for each in (world, source))
    assert len(model.actuators) == len(other.actuators)
    assert len(model.equalities) == len(other.equalities)
    for actuator, expected in zip(model.actuators, other.actuators, strict=True):
        assert actuator.model is not None
        assert expected.model is not None
        assert actuator.model.gain is expected.model.gain
        assert actuator.model.bias is expected.model.bias
        assert np.allclose(padded(actuator.model.gain_parameters), padded(expected.model.gain_parameters), rtol=1e-5)
        assert np.allclose(padded(actuator.model.bias_parameters), padded(expected.model.bias_parameters), rtol=1e-5)
        assert are_close(actuator.model.force_limits, expected.model.force_limits)


def padded(values: tuple[float, ...]) -> list[float]:
    return [*values, *[0.0] * (10 - len(values))]
