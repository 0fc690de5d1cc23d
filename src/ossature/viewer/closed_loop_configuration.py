"""Where the joints of machines with closed loops are: what one of them does, the others do with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError
from ossature.kinematics import Positions
from ossature.model import World
from ossature.spatial import Pose
from ossature.viewer.joint_configuration import JointConfiguration

if TYPE_CHECKING:
    from ossature.simulation.loop_closure_solver import Assembly


class ClosedLoopConfiguration(JointConfiguration):
    """Joints of a World some of whose models have loops.

    The engine is asked only when something is moved: at the start everything is where the file says.

    Attributes:
        problem: Why loops cannot be kept closed, or None where they can, or where nobody has moved anything yet.
    """

    def __init__(self, world: World, meshes: MeshStore) -> None:
        self._meshes = meshes
        self._assembly: Assembly | None = None
        self._pending: dict[str, dict[str, Sequence[float]]] = {}
        self.problem: str | None = None
        super().__init__(world)

    def reset(self) -> None:
        """Put all joints to their initial positions."""
        super().reset()
        self._assembly = None
        self._pending = {}

    def move(self, model: str, joint: str, number: int, value: float) -> None:
        """Move one coordinate, and all that hangs together with it; nothing where a loop would have to be opened."""
        self._settle()
        assembly = self._assembled()
        if assembly is None:
            super().move(model, joint, number, value)
            return
        assembly.move(model, joint, number, value)
        self._take_over(assembly)

    def place(self, positions: Positions) -> None:
        """Move joints that are named, and close what is open then."""
        super().place(positions)
        # Done when somebody asks: a simulation places everything thirty times a second.
        for model, joints in positions.items():
            self._pending.setdefault(model, {}).update(joints)

    def positions(self) -> dict[str, dict[str, Sequence[float]]]:
        """Return the coordinates of every joint."""
        self._settle()
        if self._assembly is None:
            return super().positions()
        return {model: dict(joints) for model, joints in self._assembly.positions().items()}

    def poses(self) -> dict[str, dict[str, Pose]]:
        """Return the pose of every body in the world."""
        self._settle()
        return super().poses() if self._assembly is None else self._assembly.poses()

    def _settle(self) -> None:
        """Close what is open after joints were placed."""
        if not self._pending:
            return
        pending, self._pending = self._pending, {}
        assembly = self._assembled()
        if assembly is not None:
            assembly.place(pending)
            self._take_over(assembly)

    def _take_over(self, assembly: Assembly) -> None:
        super().place(assembly.positions())

    def _assembled(self) -> Assembly | None:
        if self._assembly is None and self.problem is None:
            from ossature.simulation import Simulation  # loads the engine
            from ossature.simulation.loop_closure_solver import Assembly

            try:
                self._assembly = Assembly(Simulation(self.world, meshes=self._meshes))
            except OssatureError as error:
                self.problem = str(getattr(error, "report", error))
        return self._assembly


def configuration_of(world: World, meshes: MeshStore) -> JointConfiguration:
    """Return where the joints of a World are, with loops that stay closed where it has some."""
    plain = JointConfiguration(world)
    return ClosedLoopConfiguration(world, meshes) if plain.loops() else plain
