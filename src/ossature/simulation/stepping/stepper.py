"""What integrators have in common: their interface, and that of the recorder of work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from ossature.array_types import AnyArray, Vector
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.compiled_stepping_structs import MotionPeaks, ResidualRows, WorkRows
from ossature.simulation.stepping.engine_step_with_rigid_constraints import EngineStep
from ossature.simulation.stepping.joint_drives import JointDrive, ServoDrive
from ossature.simulation.stepping.motion_recorder import MotionRecorder
from ossature.simulation.stepping.step_size_control import Criterion, SubSteps


class StepVelocities(NamedTuple):
    """The generalised velocities of a step, or of the first of its sub-steps.

    Attributes:
        duration: Its length [s].
        present: The velocities at which forces are evaluated, with the positions at the start of the step.
        before: The velocities before the acceleration of the step.
    """

    duration: float
    present: Vector
    before: Vector
    after: Vector


class WorkRecorder(Protocol):
    """Records the work of each step; see :class:`ossature.simulation.work_recorder.WorkRecorder`."""

    def begin(self, count: int, *, has_drives: bool) -> bool:
        """Prepare to record a number of steps that follow; return whether any force does work."""

    @property
    def record(self) -> Callable[[Vector, float], None]:
        """Records a step, with the velocities before it and its length."""

    def mark(self, *, has_drives: bool) -> int:
        """Return the number of recorded steps, before others that may be discarded."""

    def discard(self, mark: int) -> None:
        """Discard the steps after a mark."""

    def record_change(self, before: Vector, duration: float, duration_before: float) -> None:
        """Record a change of staggered velocities by the present forces, and by those of the last step, for some time [s]."""

    def restart(self, sub_step: float) -> None:
        """Record that forces change suddenly before a sub-step of a length [s]."""

    @property
    def step_rows(self) -> WorkRows | None:
        """The rows for the compiled loop; None if it cannot record them."""


class Stepper(ABC):
    """Advances the engine's data by an integrator.

    Attributes:
        criteria: Criteria for dividing a step, evaluated at the start of each step.
        sub_steps: The control of the number of sub-steps, with its statistics.
        after_step: Called after each step, while the engine's data have its constraints (of a divided step those of the last
            sub-step); None if there is no callback.
        residual_rows: The rows to which ``after_step`` adds, if it does nothing else; None otherwise.
        motion: Records the motion of bodies in each step (in the last sub-step of a divided step); None if it is not recorded.
        recorder: Records the work of each step and sub-step; None if it is not recorded.
        is_at_start: Whether it has started and taken no step since, so that the engine's data have the forces of the start.
    """

    def __init__(self, engine: EngineStep) -> None:
        self._engine, self._step = engine, engine.duration
        self._model, self._data, self._inputs, self._contacts = engine.model, engine.data, engine.inputs, engine.contacts
        self._qvel = engine.data.qvel
        self.sub_steps = SubSteps(engine.compiled)
        self.criteria: list[Criterion] = []
        self.after_step: Callable[[], None] | None = None
        self.residual_rows: ResidualRows | None = None
        self.motion: MotionRecorder | None = None
        self.recorder: WorkRecorder | None = None
        self.is_at_start = False

    @property
    def _peaks(self) -> MotionPeaks | None:
        """The largest motion of bodies so far, which the compiled loop records."""
        return None if self.motion is None else self.motion.peaks

    @property
    def _has_rows(self) -> bool:
        """Whether the compiled loop can do all that the callback after each step does."""
        return self.after_step is None or self.residual_rows is not None

    @property
    def _rows(self) -> ResidualRows | None:
        """The rows to which the compiled loop adds instead of the callback."""
        return None if self.after_step is None else self.residual_rows

    @abstractmethod
    def start(self) -> None:
        """Start at the state of the engine's data."""

    @abstractmethod
    def steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps; afterwards positions and velocities in the engine's data are of the same time."""

    @abstractmethod
    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take the first sub-step of the next step, so that the engine's data have its forces; return its velocities."""

    @abstractmethod
    def get_state(self) -> ComponentState:
        """Return its saved_state in addition to the engine's state."""

    @abstractmethod
    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""


def begin_recording(recorder: WorkRecorder | None, count: int, drives: list[JointDrive]) -> WorkRecorder | None:
    """Return the recorder of a number of steps that follow, or None if their work is not recorded, or they do none."""
    return recorder if recorder is not None and recorder.begin(count, has_drives=bool(drives)) else None


@contextmanager
def unrecorded(stepper: Stepper) -> Iterator[None]:
    """Neither record the work and the motion of steps nor call the callback after them."""
    recorder, after_step, motion = stepper.recorder, stepper.after_step, stepper.motion
    stepper.recorder = stepper.after_step = stepper.motion = None
    try:
        yield
    finally:
        stepper.recorder, stepper.after_step, stepper.motion = recorder, after_step, motion
