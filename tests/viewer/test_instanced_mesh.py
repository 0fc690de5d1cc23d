"""Shapes with one mesh at many bodies: drawn as one node, at the same places as single nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser")

from ossature.assets import MeshStore
from ossature.model import Body, Box, Model, NamedList, Visual, World
from ossature.spatial import Pose, quaternion_from_axis_angle
from ossature.viewer import color_palette
from ossature.viewer.instanced_mesh import LEAST_INSTANCES, InstancedMesh
from ossature.viewer.scene_layers import Layer
from ossature.viewer.scene_nodes import WorldNodes
from ossature.viewer.server import LOOPBACK, LocalServer, serve

COUNT = LEAST_INSTANCES + 5
RED = (1.0, 0.0, 0.0, 1.0)


def world() -> World:
    turned = Pose((0.1, 0.0, 0.0), quaternion_from_axis_angle((0.0, 0.0, 1.0), 0.3))
    shape = Visual(geometry=Box(size=(0.1, 0.2, 0.3)), pose=turned, color=RED)
    return World(
        models=NamedList([Model(name="swarm", bodies=NamedList([Body(name=f"b{n}", visuals=(shape,)) for n in range(COUNT)]))])
    )


def poses(shift: float) -> dict[str, dict[str, Pose]]:
    turns = (quaternion_from_axis_angle((1.0, 0.0, 0.0), 0.1 * number + shift) for number in range(COUNT))
    return {"swarm": {f"b{n}": Pose((float(n), shift, 0.0), turn) for n, turn in enumerate(turns)}}


@pytest.fixture
def server() -> Iterator[LocalServer]:
    started = serve(LOOPBACK, 0, "test", shadows=False)
    yield started
    started.stop()


@pytest.fixture
def clicked() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def nodes(server: LocalServer, clicked: list[tuple[str, str]]) -> WorldNodes:
    made = WorldNodes(server.scene, "file", world(), MeshStore(), lambda model, body: clicked.append((model, body)))
    made.set_poses(poses(0.0))
    made.show(Layer.VISUALS, True)
    return made


def instances(nodes: WorldNodes) -> InstancedMesh:
    (shapes,) = nodes._instanced[Layer.VISUALS]
    assert not nodes._layers[Layer.VISUALS]
    return shapes


@pytest.mark.parametrize("shift", [0.0, 0.7])
def test_shapes_are_where_their_bodies_place_them(nodes: WorldNodes, shift: float) -> None:
    nodes.set_poses(poses(shift))
    node = instances(nodes).node
    for number, body in enumerate(world().models[0].bodies):
        expected = poses(shift)["swarm"][body.name] @ body.visuals[0].pose
        assert math.dist(node.batched_positions[number], expected.position) < 1e-5
        assert abs(np.dot(node.batched_wxyzs[number], expected.wxyz)) == pytest.approx(1.0, abs=1e-6)


def test_shapes_move_with_their_world_and_not_with_its_node(server: LocalServer, nodes: WorldNodes) -> None:
    node = instances(nodes).node
    before = node.batched_positions.copy()
    nodes.move_to((1.0, 2.0, 3.0))
    np.testing.assert_allclose(node.batched_positions - before, [[1.0, 2.0, 3.0]] * COUNT, atol=1e-5)
    assert not node.name.startswith(f"{nodes.root}/")
    nodes.remove()
    assert server.scene.get_handle_by_name(node.name) is None


def test_bodies_are_hidden_selected_and_made_transparent(nodes: WorldNodes) -> None:
    node = instances(nodes).node
    nodes.hide_bodies({("swarm", "b3")})
    assert np.flatnonzero(~node.batched_scales.any(axis=1)).tolist() == [3]
    nodes.hide_bodies(())
    assert node.batched_scales.all()
    nodes.select(("swarm", "b7"))
    accent = color_palette.rgb(color_palette.ACCENT)
    assert [number for number, color in enumerate(node.batched_colors) if tuple(color) == accent] == [7]
    nodes.select(None)
    assert {tuple(map(int, color)) for color in node.batched_colors} == {color_palette.rgb(RED)}
    nodes.set_transparent(True)
    assert node.opacity is not None
    nodes.show(Layer.VISUALS, False)
    assert not node.visible


def test_a_click_is_one_on_the_body_of_the_shape(nodes: WorldNodes, clicked: list[tuple[str, str]]) -> None:
    class Event:
        instance_index = 11

    (callback,) = instances(nodes).node._impl.click_cb
    event: Any = Event()
    callback.callback(event)
    assert clicked == [("swarm", "b11")]


def test_the_number_of_messages_does_not_grow_with_the_bodies(server: LocalServer, nodes: WorldNodes) -> None:
    assert len(server._websock_server._broadcast_buffer.message_from_id) < COUNT
