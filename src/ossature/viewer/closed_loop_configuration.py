"""Joint positions of models with closed loops: moving one joint moves those that the loop couples to it."""

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
    from ossature.simulation.mechanism_positioner import MechanismPositioner


class ClosedLoopConfiguration(JointConfiguration):
    """Joint positions of a World with closed loops.

    The engine is loaded when a joint is first moved; until then bodies have the poses of the file.

    Attributes:
        problem: Why loops cannot be closed, or None if they can, or if no joint has been moved yet.
    """

    def __init__(self, world: World, meshes: MeshStore) -> None:
        self._meshes = meshes
        self._assembly: MechanismPositioner | None = None
        self._pending: dict[str, dict[str, Sequence[float]]] = {}
        self.problem: str | None = None
        super().__init__(world)

    def reset(self) -> None:
        """Set all joints to their initial positions."""
        super().reset()
        self._assembly = None
        self._pending = {}

    def move(self, model: str, joint: str, number: int, value: float) -> None:
        """Move one coordinate and those coupled to it; nothing moves if that would open a loop."""
        self._close_loops()
        assembly = self._assembled()
        if assembly is None:
            super().move(model, joint, number, value)
            return
        assembly.move(model, joint, number, value)
        self._take_over(assembly)

    def set_positions(self, positions: Positions) -> None:
        """Set positions by model and joint; loops are closed when positions or poses are next requested."""
        super().set_positions(positions)
        # Not at once: a simulation sets all positions thirty times a second.
        for model, joints in positions.items():
            self._pending.setdefault(model, {}).update(joints)

    def positions(self) -> dict[str, dict[str, Sequence[float]]]:
        """Return the coordinates of every joint."""
        self._close_loops()
        if self._assembly is None:
            return super().positions()
        return {model: dict(joints) for model, joints in self._assembly.positions().items()}

    def poses(self) -> dict[str, dict[str, Pose]]:
        """Return the pose of every body in the world."""
        self._close_loops()
        return super().poses() if self._assembly is None else self._assembly.poses()

    def _close_loops(self) -> None:
        """Close the loops after positions were set."""
        if not self._pending:
            return
        pending, self._pending = self._pending, {}
        assembly = self._assembled()
        if assembly is not None:
            assembly.place(pending)
            self._take_over(assembly)

    def _take_over(self, assembly: MechanismPositioner) -> None:
        super().set_positions(assembly.positions())

    def _assembled(self) -> MechanismPositioner | None:
        if self._assembly is None and self.problem is None:
            from ossature.simulation import Simulation  # loads the engine
            from ossature.simulation.mechanism_positioner import MechanismPositioner

            try:
                self._assembly = MechanismPositioner(Simulation(self.world, meshes=self._meshes))
            except OssatureError as error:
                self.problem = str(getattr(error, "report", error))
        return self._assembly


def configuration_of(world: World, meshes: MeshStore) -> JointConfiguration:
    """Return the joint configuration of a World; closed loops stay closed."""
    plain = JointConfiguration(world)
    has_equalities = any(one.active for model in world.models for one in model.equalities)
    return ClosedLoopConfiguration(world, meshes) if plain.loops() or has_equalities else plain
