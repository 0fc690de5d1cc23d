"""One file in the scene: what is drawn of it follows where its joints are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ossature.spatial import Pose, Vector3
from ossature.viewer.camera_framing import moved
from ossature.viewer.closed_loop_configuration import configuration_of
from ossature.viewer.contact_arrows import ContactArrows
from ossature.viewer.joint_configuration import CoordinateSlider, handles_of
from ossature.viewer.layers import Layer
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.scene_builder import framing_at, layers_of, shown_at_first
from ossature.viewer.scene_nodes import Clicked, WorldNodes

if TYPE_CHECKING:
    import viser

    from ossature.simulation.contacts import ContactPoint


class ModelView:
    """A World that is shown.

    Attributes:
        loaded: The file.
        world: Its World.
        configuration: Where its joints are.
        stage: What is drawn of it.
        touches: Where its bodies touch.
        framing: How large it is.
        handles: Its coordinates.
        first: The layers that are shown when it is opened.
    """

    def __init__(self, scene: viser.SceneApi, name: str, loaded: LoadedFile, clicked: Clicked) -> None:
        assert loaded.world is not None  # noqa: S101  # the caller looked
        self.loaded, self.world = loaded, loaded.world
        self.name = name
        self.configuration = configuration_of(self.world, loaded.meshes)
        self.stage = WorldNodes(scene, name, self.world, loaded.meshes, clicked)
        self.touches = ContactArrows(scene, self.stage.root, self.world, loaded.meshes)
        self.first = shown_at_first(self.world)
        self.framing = framing_at(self.world, self.configuration.poses(), loaded.meshes)
        self.stage.frame(self.framing)
        self.handles: list[CoordinateSlider] = handles_of(self.world, self.framing.size)
        self._poses: Mapping[str, Mapping[str, Pose]] = {}

    def move_to(self, offset: Vector3) -> None:
        """Put the World's origin somewhere else in the scene [m]."""
        self.stage.move_to(offset)
        self.framing = moved(self.framing, offset)

    def present(self) -> set[Layer]:
        """Return the layers that something is part of."""
        return layers_of(self.world, self.loaded.meshes)

    @property
    def poses(self) -> Mapping[str, Mapping[str, Pose]]:
        """Where its bodies are drawn."""
        return self._poses

    def follow_joints(self) -> None:
        """Put bodies where the joints are.

        Raises:
            FormulaError: A formula gives no value.
        """
        self.put(self.configuration.poses())

    def put(self, poses: Mapping[str, Mapping[str, Pose]]) -> None:
        """Put bodies anywhere."""
        self.stage.place(poses)
        self._poses = poses

    def show_contacts(self) -> None:
        """Draw where bodies touch now, if that is to be seen.

        Raises:
            SimulationError: The World cannot be compiled for it.
        """
        if Layer.CONTACTS in self.stage.shown:
            self.draw_contacts(self.touches.look(self.configuration.positions()))
        else:
            self.touches.clear()

    def draw_contacts(self, contacts: Sequence[ContactPoint]) -> None:
        """Draw contacts."""
        self.touches.show(contacts, self.framing.axis_length)
