"""One file in the scene, drawn at its joint positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import Array
from ossature.kinematics import Positions, spanning_tree
from ossature.model import ModelError
from ossature.spatial import Pose, Vector3
from ossature.viewer.camera_framing import CameraFraming, frame_scene, primitive_corners, translate_framing, up_of
from ossature.viewer.closed_loop_configuration import configuration_of
from ossature.viewer.contact_arrows import ContactArrows
from ossature.viewer.joint_configuration import CoordinateSlider, coordinate_sliders
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.scene_builder import default_layers, elements_of_layer, framed_primitives, framing_at, layers_of
from ossature.viewer.scene_elements import Primitive
from ossature.viewer.scene_layers import Layer
from ossature.viewer.scene_nodes import OnClick, OnPull, WorldNodes
from ossature.viewer.tendon_lines import TendonLines

if TYPE_CHECKING:
    import viser

    from ossature.simulation import ContactForce
    from ossature.simulation.contacts import ContactPoint

_MOST_BOXES = 300


class ModelView:
    """A World that is shown.

    Attributes:
        world: Its World.
        configuration: Its joint positions.
        nodes: Its nodes in the scene.
        contact_arrows: Its contacts in the scene.
        tendon_lines: Its tendons in the scene.
        framing: Its bounding box.
        sliders: Sliders of its coordinates.
        initial_layers: Layers that are shown when it is opened.
    """

    def __init__(
        self, scene: viser.SceneApi, name: str, loaded: LoadedFile, on_click: OnClick, on_pull: OnPull | None = None
    ) -> None:
        assert loaded.world is not None  # noqa: S101  # the caller checks it
        self.loaded, self.world = loaded, loaded.world
        self.name = name
        self.configuration = configuration_of(self.world, loaded.meshes)
        self.nodes = WorldNodes(scene, name, self.world, loaded.meshes, on_click, on_pull)
        self.tendon_lines = TendonLines(scene, self.nodes.root, self.world)
        self.contact_arrows = ContactArrows(scene, self.nodes.root, self.world, loaded.meshes)
        self.initial_layers = default_layers(self.world, loaded.meshes)
        self.framing = framing_at(self.world, self.configuration.poses(), loaded.meshes)
        self.nodes.set_size(self.framing)
        self.sliders: list[CoordinateSlider] = coordinate_sliders(self.world, self.framing.size)
        self._poses: Mapping[str, Mapping[str, Pose]] = {}

    def move_to(self, offset: Vector3) -> None:
        """Translate the World in the scene [m]."""
        self.nodes.move_to(offset)
        self.framing = translate_framing(self.framing, offset)

    def current_framing(self) -> CameraFraming:
        """Return the framing at the poses at which bodies are drawn, in the scene."""
        return translate_framing(framing_at(self.world, self._poses, self.loaded.meshes), self.nodes.offset)

    def moving_points(self) -> Array:
        """Return the corners of the boxes of what moves where it is drawn, in the scene [m], shape (n, 3).

        Of models with more than :data:`_MOST_BOXES` shapes, the origins of the bodies that move.
        """
        if len(self._moving_shapes) > _MOST_BOXES:
            corners = [np.array([self._poses[model][body].position]) for model, body in sorted(self._moving)]
        else:
            corners = [primitive_corners(shape, self._poses) for shape in self._moving_shapes]
        return np.asarray(np.concatenate([np.zeros((0, 3)), *corners]) + np.array(self.nodes.offset))

    @cached_property
    def _moving(self) -> set[tuple[str, str]]:
        models = [model for model in self.world.models if not model.static]
        return {(model.name, body) for model in models for body in spanning_tree(model).moving_bodies()}

    @cached_property
    def _moving_shapes(self) -> list[Primitive]:
        shapes = framed_primitives(self.world, self.loaded.meshes)
        return [shape for shape in shapes if (shape.model, shape.body) in self._moving and not shape.is_infinite]

    def framing_of_body(self, model: str, body: str) -> CameraFraming:
        """Return the framing of one body at the pose at which it is drawn, in the world."""
        elements = [
            element for layer in self.nodes.shown for element in elements_of_layer(self.world, layer, 1e-6, self.loaded.meshes)
        ]
        own = [
            element for element in elements if isinstance(element, Primitive) and (element.model, element.body) == (model, body)
        ]
        return frame_scene(own, {model: {body: self._poses[model][body]}}, up_of(self.world))

    def non_empty_layers(self) -> set[Layer]:
        """Return the layers that are not empty."""
        return layers_of(self.world, self.loaded.meshes)

    @property
    def poses(self) -> Mapping[str, Mapping[str, Pose]]:
        """Poses at which bodies are drawn, by model and body."""
        return self._poses

    def update(self) -> None:
        """Draw bodies at the joint positions.

        Raises:
            FormulaError: The formula of a coupled joint has no value.
        """
        self.show_poses(self.configuration.poses())

    def show_poses(self, poses: Mapping[str, Mapping[str, Pose]]) -> None:
        """Draw bodies at poses by model and body; models without poses, such as a floor that was not recorded, stay."""
        self._poses = {**self._poses, **{model: group for model, group in poses.items() if model in self.world.models}}
        self.nodes.set_poses(self._poses)
        self.show_tendons()

    def show_tendons(self) -> None:
        """Draw the tendons if their layer is shown; not those of a World in which one refers to what does not exist."""
        if Layer.TENDONS in self.nodes.shown:
            with suppress(ModelError):  # a finding of `check`
                self.tendon_lines.show(self._poses)
        else:
            self.tendon_lines.clear()

    def show_contacts(self, positions: Positions | None = None) -> None:
        """Draw the contacts if their layer is shown, at the current joint positions or others.

        Raises:
            SimulationError: The World cannot be compiled.
        """
        if Layer.CONTACTS in self.nodes.shown:
            self.draw_contacts(self.contact_arrows.finder.points(positions or self.configuration.positions()))
        else:
            self.contact_arrows.clear()

    def draw_contacts(self, contacts: Sequence[ContactPoint]) -> None:
        """Draw contacts."""
        self.contact_arrows.show(contacts, self.framing.axis_length)

    def draw_contact_forces(self, contacts: Sequence[ContactForce]) -> None:
        """Draw contact forces with numbers."""
        self.contact_arrows.show_forces(contacts, self.framing.axis_length)
