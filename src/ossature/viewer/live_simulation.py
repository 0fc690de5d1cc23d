"""A simulation for the viewer: advanced in small intervals, restarted, recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ossature.assets import MeshStore
from ossature.kinematics.apply_state import place_models, start_at_positions
from ossature.model import State, World
from ossature.viewer.mouse_pull import INTERVAL, MousePull, apply_pull, release_pull
from ossature.viewer.playback_recording import PlaybackFrame
from ossature.viewer.sensor_reading_display import DisplayedReading, displayed_reading
from ossature.viewer.signal_history import SignalHistory, SignalTable, sample_signals

if TYPE_CHECKING:
    from ossature.simulation import ContactForce, Recording, Simulation

_LONGEST_RECORDING = 100_000
_MOST_BODIES = 200
"""Number of bodies up to which forces are recorded in each case; of larger trees for DART they would slow down the page."""


class LiveSimulation:
    """The simulation of one World from initial joint positions or a state.

    Raises:
        OssatureError: The World cannot be simulated, or the state does not match it.
    """

    def __init__(
        self,
        world: World,
        meshes: MeshStore,
        positions: Mapping[str, Mapping[str, Sequence[float]]],
        state: State | None = None,
        time_step: float | None = None,
    ) -> None:
        """Prepare a simulation.

        Args:
            positions: Initial positions by model and joint [rad or m].
            state: Initial state, which overrides the positions, or None.
            time_step: Time step [s]; by default that of the World.
        """
        self._state, self._specified_step = state, time_step
        placed = world if state is None else place_models(world, state)
        self._world = start_at_positions(placed, positions)
        self._meshes = meshes
        self._parts: list[Recording] = []
        self.history = SignalHistory()
        self._pull: MousePull | None = None
        self._records_forces = True if sum(len(model.bodies) for model in world.models) <= _MOST_BODIES else None
        self._simulation = self._create_simulation()

    def command(self, model: str, name: str, value: float) -> None:
        """Command a motor or a joint until the next restart; see :mod:`ossature.viewer.list_command_inputs`."""
        self._simulation.command(model, name, [value])

    def _create_simulation(self) -> Simulation:
        from ossature.simulation import Simulation  # loads the engine

        simulation = Simulation(self._world, meshes=self._meshes, time_step=self._specified_step)
        if self._state is not None:
            simulation.restore(self._state)
        return simulation

    def restart(self) -> None:
        """Return to the initial state, and discard the recording."""
        self._parts, self._pull = [], None
        self.history.clear()
        self._simulation = self._create_simulation()

    @property
    def time(self) -> float:
        """The simulated time [s]."""
        return self._simulation.time

    @property
    def time_step(self) -> float:
        """The time step [s]."""
        return self._simulation.time_step

    def advance(self, duration: float, *, record: bool = False) -> None:
        """Advance by a duration, at least by one time step.

        Args:
            duration: The duration [s].
            record: Whether this interval is recorded. After a gap a new recording starts.

        Raises:
            SimulationError: The simulation diverged.
        """
        duration = max(duration, self.time_step)
        if self._pull is None:
            self._advance(duration, record=record)
            return
        count = max(1, round(duration / self.time_step))
        largest = max(1, int(INTERVAL / self.time_step))
        while count > 0 and self._pull is not None:
            apply_pull(self._simulation, self._pull)
            part = min(count, largest)
            self._advance(part * self.time_step, record=record)
            count -= part

    def pull(self, pull: MousePull | None) -> None:
        """Pull a body from now on, or release it."""
        if self._pull is not None:
            release_pull(self._simulation, self._pull)
        self._pull = pull

    def _advance(self, duration: float, *, record: bool) -> None:
        if not record or len(self._parts) >= _LONGEST_RECORDING:
            self._simulation.step(max(1, round(duration / self.time_step)))
            return
        if self._parts and abs(float(self._parts[-1].times[-1]) - self.time) > 0.5 * self.time_step:
            self._parts = []
        self._parts.append(self._simulation.run(duration, forces=self._records_forces))

    def sample_signals(self, *, forces: bool = True) -> SignalTable:
        """Return the current values of all signals; see :func:`~ossature.viewer.signal_history.sample_signals`."""
        return sample_signals(self._simulation, forces=forces)

    def record_signals(self, labels: Sequence[str], *, forces: bool) -> None:
        """Append the current values of signals to the history.

        Args:
            labels: Labels of the signals that are plotted.
            forces: Whether there are forces among them.
        """
        motion = self.sample_signals(forces=False)
        self.history.append(self.time, motion, labels, self.sample_signals() if forces else None)

    def state(self) -> State:
        """Return the current state."""
        return self._simulation.state()

    def frame(self) -> PlaybackFrame:
        """Return the current frame."""
        return PlaybackFrame(time=self.time, poses=self._simulation.poses(), positions=self._simulation.positions())

    def read_sensor(self, sensor: str) -> DisplayedReading:
        """Return the current reading of a sensor; see :func:`~ossature.viewer.sensor_reading_display.displayed_reading`."""
        return displayed_reading(self._simulation, sensor)

    def contact_forces(self) -> list[ContactForce]:
        """Return the forces at the current contacts."""
        return self._simulation.contact_forces()

    @property
    def is_recorded(self) -> bool:
        """Whether an interval was recorded."""
        return bool(self._parts)

    def recording(self) -> Recording:
        """Return the recording.

        Raises:
            ValueError: Nothing was recorded.
        """
        from ossature.simulation.observation.concatenate_recordings import concatenate

        return concatenate(self._parts)
