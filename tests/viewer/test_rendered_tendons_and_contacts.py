"""Tendons and contacts in images: tendons are as long as MuJoCo's, contacts are where they are found."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from conftest import PROJECT

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore
from ossature.kinematics import poses
from ossature.viewer.contact_arrows import ContactArrows
from ossature.viewer.image_tendons_and_contacts import RenderedTendonsAndContacts
from ossature.viewer.loaded_file import open_file
from ossature.viewer.playback_recording import playback_of
from ossature.viewer.scene_layers import Layer
from ossature.viewer.scene_setup import ViewOptions
from ossature.viewer.server import LOOPBACK, serve
from ossature.viewer.web_page_export import page_of

FINGER = PROJECT / "examples" / "finger.xml"
SCENE = PROJECT / "examples" / "contact.skel"


@pytest.mark.parametrize("path", [FINGER, PROJECT / "tests" / "mjcf" / "files" / "tendons.xml"], ids=lambda path: path.stem)
def test_tendons_are_as_long_as_those_of_mujoco(path: Path) -> None:
    world = ossature.load(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    at = poses(world)
    lengths: dict[str, float] = {}
    for element in RenderedTendonsAndContacts(world, MeshStore()).elements({Layer.TENDONS}, at, {}, 0.1):
        name = element.name.rsplit(" ", 2)[0]
        _, (_, _, length) = element.pose_and_scale(world.models[element.model].pose, at[element.model])
        lengths[name] = lengths.get(name, 0.0) + length
    assert lengths
    for name, length in lengths.items():
        number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TENDON, name)
        divided = model.tendon_num[number]
        wraps = model.wrap_type[model.tendon_adr[number] : model.tendon_adr[number] + divided]
        if not (wraps == mujoco.mjtWrap.mjWRAP_PULLEY).any():  # whose branches count with their divisors
            # A tendon around a shape is drawn with straight lines.
            assert length == pytest.approx(data.ten_length[number], rel=2e-2)


def test_contacts_are_arrows_at_the_points_that_are_found() -> None:
    world = ossature.load(SCENE)
    simulation = ossature.Simulation(world)
    simulation.step(400)
    state = RenderedTendonsAndContacts(world, MeshStore())
    elements = list(state.elements({Layer.CONTACTS}, simulation.poses(), simulation.positions(), 0.2))
    found = state._contacts.points(simulation.positions())
    assert len(elements) == len(found) > 0
    for element, contact in zip(elements, found, strict=True):
        pose, (_, _, length) = element.pose_and_scale(world.models[element.model].pose, simulation.poses()[element.model])
        assert length == pytest.approx(0.2)
        np.testing.assert_allclose(pose.transform((0.0, 0.0, 0.5 * length)), contact.position, atol=1e-9)
        ahead = np.subtract(pose.transform((0.0, 0.0, 1.0)), pose.position)
        assert math.isclose(float(ahead @ np.array(contact.normal)), 1.0, abs_tol=1e-9)


def test_contact_forces_of_a_simulation_are_arrows_and_numbers() -> None:
    world = ossature.load(SCENE)
    server = serve(LOOPBACK, 0, "test", shadows=False)
    arrows = ContactArrows(server.scene, "/file", world, MeshStore())
    simulation = ossature.Simulation(world)
    simulation.step(3000)  # bodies are at rest
    arrows.show_forces(simulation.contact_forces(), 0.2)
    lines = np.array(server.scene.get_handle_by_name("/file/Contacts").points)
    moving = [model for model in world.models if not model.static]
    weights = {model.name: 9.81 * sum(body.inertial.mass for body in model.bodies) for model in moving}
    assert (lines[:, 1, 2] > lines[:, 0, 2]).all(), "the forces on the bodies that move, not those on the floor"
    shown = [float(label.text.removesuffix(" N")) for label in arrows._labels if label.visible]
    assert shown == sorted(shown, reverse=True)
    carried = {**weights, "box": weights["box"] + weights["upper box"]}
    del carried["egg"]  # which still rocks
    for name, weight in carried.items():
        assert any(force == pytest.approx(weight, rel=0.01) for force in shown), name
    assert len(shown) == len(weights)
    arrows.show_forces([], 0.2)
    assert not any(label.visible for label in arrows._labels)
    arrows.clear()
    assert server.scene.get_handle_by_name("/file/Contacts 0") is None
    server.stop()


def test_exported_recordings_show_tendons_and_contacts_as_they_move() -> None:
    for path, layer in ((FINGER, Layer.TENDONS), (SCENE, Layer.CONTACTS)):
        loaded = open_file(path, lambda found: MeshStore())
        clip = playback_of(ossature.Simulation(loaded.world).run(0.3, sample=0.1))
        with_layer, without = (
            page_of([loaded], shadows=False, clips=[clip], options=ViewOptions(layers={layer: is_shown}))
            for is_shown in (True, False)
        )
        assert len(with_layer) > len(without)
        assert f"<title>{path.name}</title>" in with_layer
