"""One file in the scene, drawn at its joint positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ossature.kinematics import Positions
from ossature.model import ModelError
from ossature.spatial import Pose, Vector3
from ossature.viewer.camera_framing import CameraFraming, frame_scene, translate_framing, up_of
from ossature.viewer.closed_loop_configuration import configuration_of
from ossature.viewer.contact_normals import ContactArrows
from ossature.viewer.joint_configuration import CoordinateSlider, coordinate_sliders
from ossature.viewer.layers import Layer
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.scene_builder import build, default_layers, framing_at, layers_of
from ossature.viewer.scene_elements import Primitive
from ossature.viewer.scene_nodes import OnClick, OnPull, WorldNodes
from ossature.viewer.tendon_lines import TendonLines

if TYPE_CHECKING:
    import viser

    from ossature.simulation.contacts import ContactPoint


class ModelView:
    """A World that is shown.

    Attributes:
        loaded: The file.
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

    def framing_of_body(self, model: str, body: str) -> CameraFraming:
        """Return the framing of one body at the pose at which it is drawn, in the world."""
        elements = [element for layer in self.nodes.shown for element in build(self.world, layer, 1e-6, self.loaded.meshes)]
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
