"""How time goes on: the loop around the engine's step, for each way of stepping."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import mujoco
import numpy as np

from ossature.simulation.checkpointing import STATE, Memory
from ossature.simulation.compile.integrator_choice import Integrator, IntegratorChoice, equality_reference
from ossature.simulation.stepping.applied_forces import Inputs
from ossature.simulation.stepping.constraint_projection import equality_rows, weighted_inverse
from ossature.simulation.stepping.joint_drives import JointDrive, ServoDrive
from ossature.simulation.stepping.rigid_contacts import RigidContacts
from ossature.simulation.stepping.step_size_control import WATCHED_EVERY, Criterion, SubSteps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class StepVelocities(NamedTuple):
    """The generalised velocities of a step, or of the first of its sub-steps.

    Attributes:
        duration: Its length [s].
        present: At which forces that depend on velocities are evaluated, with the positions of the step's beginning.
        before: From which the step accelerates.
        after: To which it accelerates.
    """

    duration: float
    present: Vector
    before: Vector
    after: Vector


class Stepper(Protocol):
    """An integrator at work.

    Attributes:
        criteria: What may ask for a step to be divided, asked when each step begins.
        sub_steps: What decides into how many sub-steps a step is divided, and what came of it.
        after_step: Called after each step, while the engine's data hold its constraints (of a divided step those of the last
            sub-step); None if nothing is.
    """

    criteria: list[Criterion]
    sub_steps: SubSteps
    after_step: Callable[[], None] | None

    def start(self) -> None:
        """Begin at the state that the engine's data hold."""

    def steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps; afterwards the engine's data hold places and velocities of the same time."""

    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take the first sub-step of the next step, after which the engine's data hold its forces; return its velocities."""

    def memory(self) -> Memory:
        """Return what it keeps besides the engine's own state."""

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave."""


class PlainStepper:
    """Steps as the engine does.

    Args:
        model: The engine's model.
        data: The engine's data.
        inputs: What is written at each step.
        choice: The integrator.
        contacts: What resolves rigid contacts; None if there are none.
    """

    def __init__(self, model: Any, data: Any, inputs: Inputs, choice: IntegratorChoice, contacts: RigidContacts | None) -> None:
        self._model, self._data, self._inputs, self._contacts = model, data, inputs, contacts
        self._scheme = choice.scheme
        self._step = float(model.opt.timestep)
        self.sub_steps = SubSteps(model, choice)
        self.criteria: list[Criterion] = []
        self.after_step: Callable[[], None] | None = None

    def start(self) -> None:
        """Begin at the state that the engine's data hold."""
        self._inputs.following.start(self._step)
        if self._contacts is not None:
            self._contacts.start()

    def memory(self) -> Memory:
        """Return what rigid contacts keep."""
        return {} if self._contacts is None else self._contacts.memory()

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave."""
        if self._contacts is not None:
            self._contacts.recall(memory)

    def steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps."""
        inputs = self._inputs
        if self.criteria:
            for _ in range(count):
                self._divided_step(drives, servos)
        elif drives or servos or inputs.motors or inputs.loads or inputs.needs_middle or inputs.has_live or self.after_step:
            self._steps(self._step, count, drives, servos)
        elif self._contacts is not None:
            _step_freely(self._model, self._data, self._contacts, count)
        else:
            mujoco.mj_step(self._model, self._data, nstep=count)

    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take the first sub-step of the next step, after which the engine's data hold its forces; return its velocities."""
        before, duration = self._data.qvel.copy(), self._step / self._parts()
        after_step, self.after_step = self.after_step, None
        self._set_engine_step(duration)
        self._steps(duration, 1, drives, servos)
        self._set_engine_step(self._step)
        self.after_step = after_step
        return StepVelocities(duration, before, before, self._data.qvel.copy())

    def _set_engine_step(self, step: float) -> None:
        _set_engine_step(self._model, self._scheme, self._contacts, step)

    def _parts(self) -> int:
        """Return into how many parts the criteria divide the step that begins now."""
        if not self.criteria:
            return 1
        mujoco.mj_step1(self._model, self._data)
        return self.sub_steps.limited(max([criterion(self._step) for criterion in self.criteria]))

    def _divided_step(self, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        parts = self._parts()
        self._set_engine_step(self._step / parts)
        self._steps(self._step / parts, parts, drives, servos)
        self._set_engine_step(self._step)
        self.sub_steps.note(float(self._data.time), parts)

    def _steps(self, step: float, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps of a length [s], which is the engine's."""
        model, data, inputs, contacts = self._model, self._data, self._inputs, self._contacts
        in_two = bool(servos) or inputs.needs_middle or contacts is not None
        after_step = self.after_step
        for targets, controls in inputs.rows(float(data.time), step, count):
            time = data.time
            _feed(inputs, targets, controls)
            if inputs.has_live:
                inputs.before(time, step)
            for drive in drives:
                drive.before(time, step)
            if not in_two:
                mujoco.mj_step(model, data)
            else:
                _begin(model, data, contacts)
                inputs.middle(time)
                for servo in servos:
                    servo.between(time, step)
                _finish(model, data, contacts)
            if after_step is not None:
                after_step()


class StaggeredStepper:
    """Keeps velocities halfway between the positions.

    The engine's data hold the velocity of the same time as the positions between calls, and the staggered one inside. That
    velocity is one and a half times the last staggered one less half of the one before: one small product.

    A step is divided into sub-steps if :class:`SubSteps` or a criterion asks for it. The staggered velocities stay a sub-step
    apart from one divided step to the next, and are placed anew, with the acceleration of the present time, only when the
    count changes: so nothing is lost by dividing many steps.

    Args:
        model: The engine's model.
        data: The engine's data.
        inputs: What is written at each step.
        choice: The integrator; with ``CENTRED`` all forces are evaluated in the middle of the velocities' step, with
            ``STAGGERED`` that is left to the engine's integrator.
        contacts: What resolves rigid contacts; None if there are none.
    """

    def __init__(self, model: Any, data: Any, inputs: Inputs, choice: IntegratorChoice, contacts: RigidContacts | None) -> None:
        self._model, self._data, self._inputs, self._contacts = model, data, inputs, contacts
        self._is_centred = choice.scheme is Integrator.CENTRED
        self._scheme = choice.scheme
        self._step = float(model.opt.timestep)
        self._spacing = self._step
        self._qvel = data.qvel
        self._velocities = np.zeros((2, data.qvel.size))
        self._can_touch = bool(model.ngeom)
        self._can_stop = bool(model.jnt_limited.any())
        friction = model.dof_frictionloss.any() or model.tendon_frictionloss.any()
        self._is_held = self._can_touch or bool(model.neq or model.jnt_limited.any() or friction)
        self._last = self._unsettled = 0
        self._estimate = np.zeros(data.qvel.size)
        self._midpoint = np.zeros(data.qvel.size)
        self._engine_state = np.zeros(mujoco.mj_stateSize(model, STATE))
        self.sub_steps = SubSteps(model, choice)
        is_sprung = bool(model.nu or model.jnt_stiffness.any() or model.dof_damping.any() or model.ntendon)
        self._watched_every = WATCHED_EVERY if is_sprung else 2 * WATCHED_EVERY
        tolerance = choice.control.tolerance
        self.criteria: list[Criterion] = [lambda step: inputs.sub_steps(step, tolerance)] if inputs.has_stops else []
        self.after_step: Callable[[], None] | None = None

    def memory(self) -> Memory:
        """Return the staggered velocities, in which row the last one is (sums depend on it to the bit), and how steps go on."""
        rows = {"earlier": self._velocities[1 - self._last].copy(), "last": self._velocities[self._last].copy()}
        spacing = {
            "row": np.array([self._last]),
            "spacing": np.array([self._spacing]),
            "unsettled": np.array([self._unsettled]),
        }
        own = rows | spacing | self.sub_steps.memory()
        return own if self._contacts is None else own | self._contacts.memory()

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave."""
        spacing = float(memory["spacing"][0])
        if not 0.0 < spacing <= self._step:
            raise ValueError(f"sub-steps of {spacing:g} s do not divide steps of {self._step:g} s")
        self._spacing, self._unsettled = spacing, int(memory["unsettled"][0])
        self._last = int(memory["row"][0]) % 2
        self._velocities[1 - self._last] = memory["earlier"]
        self._velocities[self._last] = memory["last"]
        self.sub_steps.recall(memory)
        if self._contacts is not None:
            self._contacts.recall(memory)

    def start(self) -> None:
        """Begin at the state that the engine's data hold, going back with the acceleration of that state."""
        model, data = self._model, self._data
        time, step = float(data.time), self._step / self.sub_steps.count
        self._set_engine_step(step)
        self._inputs.set_start(time, step)
        self._inputs.middle(time)
        if self._contacts is None:
            mujoco.mj_forward(model, data)
        else:
            self._contacts.start()
            self._contacts.forward()
        change = step * np.array(data.qacc)
        self._velocities[self._last] = self._qvel - 0.5 * change
        self._velocities[1 - self._last] = self._qvel - 1.5 * change
        self._spacing = step
        self.sub_steps.start()
        self._set_engine_step(self._step)

    def steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps."""
        while count > 0:
            if self._divides:
                self._watched_step(drives, servos)
                count -= 1
            else:
                count -= self._plain_steps(count, drives, servos)
        np.dot(_EXTRAPOLATE[self._last], self._velocities, out=self._qvel)

    @property
    def _divides(self) -> bool:
        """Whether the next step is watched, or divided."""
        return self.sub_steps.is_watching or self._spacing != self._step

    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take the first sub-step of the next step, after which the engine's data hold its forces; return its velocities."""
        if self._divides:
            self._space(self._step / self.sub_steps.count, drives, servos)
            before = self._velocities[self._last].copy()
            self._spaced_steps(1, drives, servos)
            present = self._midpoint.copy() if self._is_centred else before
        else:
            before = self._velocities[self._last].copy()
            present = _EXTRAPOLATE[self._last] @ self._velocities if self._is_centred else before
            after_step, self.after_step = self.after_step, None
            self._plain_steps(1, drives, servos)
            self.after_step = after_step
        after = self._velocities[self._last].copy()
        np.dot(_EXTRAPOLATE[self._last], self._velocities, out=self._qvel)
        return StepVelocities(self._spacing, present, before, after)

    def _set_engine_step(self, step: float) -> None:
        _set_engine_step(self._model, self._scheme, self._contacts, step)

    # Steps that are not divided

    def _plain_steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
        """Take whole steps until one has to be watched; return how many were taken."""
        model, data, qvel, velocities, inputs = self._model, self._data, self._qvel, self._velocities, self._inputs
        step1, step2, reference, copy, product = (
            mujoco.mj_step1,
            mujoco.mj_step2,
            mujoco.mj_referenceConstraint,
            np.copyto,
            np.dot,
        )
        step = self._step
        is_centred, needs_middle, has_live, criteria = self._is_centred, inputs.needs_middle, inputs.has_live, self.criteria
        rows = (velocities[0], velocities[1])
        estimate, harmless = self._estimate, self.sub_steps.harmless
        # Each look at the engine's data costs as much as a small calculation.
        can_touch, can_stop, is_held, contacts = self._can_touch, self._can_stop, self._is_held, self._contacts
        last, taken, after_step = self._last, 0, self.after_step
        # Steps are counted from time zero, so that it makes no difference in how many portions they are asked for.
        every = self._watched_every
        watched = every - round(float(data.time) / step) % every if is_centred else 0
        for targets, controls in inputs.rows(float(data.time), step, count):
            undo = self._saved(drives) if criteria and (drives or has_live) else None
            if targets is not None:
                inputs.set_targets(targets)
            if controls is not None:
                inputs.set_controls(controls)
            if is_centred:
                product(_EXTRAPOLATE[last], velocities, out=qvel)
            else:
                copy(qvel, rows[last])
            if has_live:
                inputs.before(data.time, step)
            for drive in drives:
                drive.before(data.time, step)
            if contacts is not None:
                contacts.prepare()
            step1(model, data)
            if criteria and self._must_divide():
                if undo is not None:
                    undo()
                break
            if needs_middle:
                inputs.middle(data.time, step)
            if is_centred:
                copy(qvel, rows[last])
                if is_held:
                    reference(model, data)
            if servos:
                _correct_servos(servos, data, step)
            if contacts is None:
                step2(model, data)
            else:
                contacts.constrain()
                contacts.step2()
            taken += 1
            if after_step is not None:
                after_step()
            is_watched = taken == watched
            if is_watched:
                watched += every
                product(_DIFFER[last], velocities, out=estimate)
                estimate += qvel
                is_watched = not (product(estimate, estimate) < harmless or self._has_impact())
            last = 1 - last
            copy(rows[last], qvel)
            has_contact = can_touch and data.ncon and (contacts is None or contacts.has_force)
            if has_contact or (can_stop and data.nl):
                rows[1 - last][:] = qvel  # an impact of bodies or of a joint's stop is no acceleration to go on with
            if is_watched and self.sub_steps.watch(estimate):
                break
        self._last = last
        return taken

    def _has_impact(self) -> bool:
        """Whether bodies touch, or a joint is at a limit: there velocities may jump."""
        has_contact = self._can_touch and self._data.ncon and (self._contacts is None or self._contacts.has_force)
        return bool(has_contact or (self._can_stop and self._data.nl))

    def _error(self, last: int) -> tuple[float, int]:
        """Return the largest error of the step just taken, before its velocity takes its place, and what has it."""
        estimate = self._estimate
        np.dot(_DIFFER[last], self._velocities, out=estimate)
        estimate += self._qvel
        return self.sub_steps.error(estimate)

    def _must_divide(self) -> bool:
        """Ask the criteria whether the step that begins now has to be divided; positions and velocities are those of now."""
        for criterion in self.criteria:
            parts = criterion(self._step)
            if parts > 1:
                self.sub_steps.require(parts)
        return self.sub_steps.is_watching

    # Steps that are watched, and divided if need be

    def _watched_step(self, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take one step in as many sub-steps as its error or a criterion needs."""
        model, data, control = self._model, self._data, self.sub_steps
        if self.criteria:
            np.dot(_EXTRAPOLATE[self._last], self._velocities, out=self._qvel)
            mujoco.mj_step1(model, data)
            self._must_divide()
        undo = self._saved(drives)
        if control.is_first:
            self._space(0.5 * self._spacing, drives, servos)
            error, _ = self._spaced_steps(2, drives, servos)
            undo()
            control.probe(error)
        attempt = control.begin()
        while True:
            self._space(self._step / attempt.count, drives, servos)
            error, dof = self._spaced_steps(attempt.count, drives, servos)
            again = control.again(attempt, error)
            if again is None:
                break
            undo()
            attempt = again
        control.accept(float(data.time), attempt, error, dof)
        if self.after_step is not None:
            self.after_step()

    def _spaced_steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> tuple[float, int]:
        """Take sub-steps as long as the velocities are apart; see :meth:`_sub_steps`."""
        self._set_engine_step(self._spacing)
        try:
            return self._sub_steps(count, drives, servos)
        finally:
            self._set_engine_step(self._step)

    def _sub_steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> tuple[float, int]:
        """Take sub-steps; return their largest error [share of the tolerance] and the degree of freedom that has it."""
        model, data, inputs, qvel, velocities = self._model, self._data, self._inputs, self._qvel, self._velocities
        step, largest, dof = self._spacing, 0.0, -1
        for row in inputs.rows(float(data.time), step, count):
            last = self._last
            self._prepare(step, row, drives, span=step)
            if self._is_centred:
                self._correct(step, servos, span=step)
            _correct_servos(servos, data, step)
            _finish(model, data, self._contacts)
            if self._unsettled:
                self._unsettled -= 1
            elif self._is_centred and not self._has_impact():
                error, of_dof = self._error(last)
                if not error <= largest:
                    largest, dof = error, of_dof
                if not math.isfinite(error):
                    return math.inf, dof
            self._last = 1 - last
            velocities[self._last] = qvel
            if self._has_impact():
                velocities[last] = qvel
        return largest, dof

    def _prepare(self, step: float, row: tuple[Vector | None, Vector | None], drives: list[JointDrive], *, span: float) -> None:
        """Compute what a step depends on before its acceleration: inputs, positions and velocities, forces of elements."""
        data, inputs, last = self._data, self._inputs, self._last
        _feed(inputs, *row)
        if self._is_centred:
            np.dot(_EXTRAPOLATE[last], self._velocities, out=self._qvel)
        else:
            self._qvel[:] = self._velocities[last]
        if inputs.has_live:
            inputs.before(data.time, step)
        for drive in drives:
            drive.before(data.time, step)
        _begin(self._model, data, self._contacts)
        if inputs.needs_middle:
            inputs.middle(data.time, span)

    def _correct(self, step: float, servos: list[ServoDrive], *, span: float) -> None:
        """Evaluate what depends on velocities at the mean of those before and after, and leave the one before in the data."""
        model, data, qvel, velocity = self._model, self._data, self._qvel, self._velocities[self._last]
        qvel[:] = velocity
        self._refer()
        _correct_servos(servos, data, step)
        mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_VEL, 1)
        np.multiply(data.qacc, 0.5 * step, out=qvel)
        qvel += velocity
        self._midpoint[:] = qvel
        mujoco.mj_fwdVelocity(model, data)
        if self._inputs.needs_middle:
            self._inputs.middle_of_elements(data.time, span)
        qvel[:] = velocity
        self._refer()

    def _refer(self) -> None:
        """Let the constraints ask for accelerations from the velocity in the data."""
        mujoco.mj_referenceConstraint(self._model, self._data)
        if self._contacts is not None:
            self._contacts.constrain()

    def _saved(self, drives: list[JointDrive]) -> Callable[[], None]:
        """Return what takes the engine, inputs and velocities back to the present."""
        model, data, inputs = self._model, self._data, self._inputs
        mujoco.mj_getState(model, data, self._engine_state, STATE)
        velocities, last, spacing, unsettled = self._velocities.copy(), self._last, self._spacing, self._unsettled
        remembered = inputs.memory() if inputs.has_memory else None
        of_drives = [drive.memory() for drive in drives]
        of_contacts = None if self._contacts is None else self._contacts.memory()

        def undo() -> None:
            mujoco.mj_setState(model, data, self._engine_state, STATE)
            self._velocities[:] = velocities
            self._last, self._spacing, self._unsettled = last, spacing, unsettled
            if remembered is not None:
                inputs.recall(remembered)
            for drive, memory in zip(drives, of_drives, strict=True):
                drive.recall(memory)
            if self._contacts is not None and of_contacts is not None:
                self._contacts.recall(of_contacts)

        return undo

    def _space(self, step: float, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Place the staggered velocities a step apart.

        Each is the mean velocity of a step, so that acceleration and jerk of the present time lead from the means of steps of
        one length to those of another. Loops, which are open by an amount that goes with the square of the step, are closed:
        to close them within a short step would take a velocity far beyond that of the motion.
        """
        if step == self._spacing:
            return
        velocities, last, old = self._velocities, self._last, self._spacing
        before = (velocities[last] - velocities[1 - last]) / old
        acceleration, jerk = before, np.zeros(before.size)
        if self._is_centred:
            acceleration = self._acceleration(drives, servos)
            # After a velocity has jumped, the difference of those before and after it is no acceleration.
            if np.dot(before, before) < _LARGEST_CHANGE**2 * np.dot(acceleration, acceleration):
                jerk = (acceleration - before) / old
        velocities[last] += 0.5 * (old - step) * acceleration - (old**2 - step**2) / 6.0 * jerk
        velocities[1 - last] = velocities[last] - step * (acceleration - step * jerk)
        if step < old and self._model.neq:
            self._project_positions()
            self._unsettled = _UNSETTLED
        self._spacing = step

    def _project_positions(self) -> None:
        """Move all bodies by as little as possible so that the equality constraints hold, with the targets of now."""
        model, data = self._model, self._data
        for _ in range(_PROJECTIONS):
            mujoco.mj_fwdPosition(model, data)
            violation, J = equality_rows(model, data)
            if not violation.size:
                return
            try:
                change = -weighted_inverse(model, data, J) @ violation
            except np.linalg.LinAlgError:
                return  # without an inverse of the mass matrix the run diverges, which is reported with its time and body
            mujoco.mj_integratePos(model, data.qpos, change, 1.0)

    def _acceleration(self, drives: list[JointDrive], servos: list[ServoDrive]) -> Vector:
        """Return the acceleration of the present time, as a step as long as the velocities are apart would have it."""
        model, data, inputs, step = self._model, self._data, self._inputs, self._spacing
        undo, targets = self._saved(drives), model.eq_data.copy()
        self._set_engine_step(step)
        try:
            # Of a stop that is met within the step the half before the present time has felt nothing: no mean forces.
            self._prepare(step, next(iter(inputs.rows(float(data.time), step, 1))), drives, span=0.0)
            self._correct(step, servos, span=0.0)
            _correct_servos(servos, data, step)
            mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_VEL, 1)
            return np.array(data.qacc)
        finally:
            self._set_engine_step(self._step)
            undo()
            model.eq_data[:] = targets


def _set_engine_step(model: Any, scheme: Integrator, contacts: RigidContacts | None, step: float) -> None:
    """Let the engine step so far, with equality constraints and contacts that remove an error in such a step."""
    if model.opt.timestep == step:
        return
    model.opt.timestep = step
    model.eq_solref[:] = equality_reference(scheme, step)
    if contacts is not None:
        contacts.set_time_step(step)


def _begin(model: Any, data: Any, contacts: RigidContacts | None) -> None:
    """Take the first half of the engine's step."""
    if contacts is not None:
        contacts.prepare()
    mujoco.mj_step1(model, data)


def _finish(model: Any, data: Any, contacts: RigidContacts | None) -> None:
    """Take the second half of the engine's step."""
    if contacts is None:
        mujoco.mj_step2(model, data)
    else:
        contacts.constrain()
        contacts.step2()


def _step_freely(model: Any, data: Any, contacts: RigidContacts, count: int) -> None:
    """Take a number of steps in which nothing is written but what rigid contacts need."""
    step1, prepare, constrain, step2 = mujoco.mj_step1, contacts.prepare, contacts.constrain, contacts.step2
    for _ in range(count):
        if contacts.is_balanced and contacts.step_in_balance():
            continue
        prepare()
        step1(model, data)
        constrain()
        step2()
        contacts.balance()


_UNSETTLED = 2
"""Sub-steps after loops have been closed whose second difference of velocities is due to that, and not an error."""
_LARGEST_CHANGE = 8.0
"""Ratio by which the acceleration may have fallen within a step."""
_PROJECTIONS = 2
"""Iterations that close loops; what is open by 1e-5 is open by 1e-10 after the first one."""

_EXTRAPOLATE = (np.array([1.5, -0.5]), np.array([-0.5, 1.5]))
"""Weights of the two staggered velocities that give the velocity of the present time, by which of them is the last."""

_DIFFER = (np.array([-2.0, 1.0]), np.array([1.0, -2.0]))
"""Weights of them that, with the velocity after them, give the second difference."""


def _correct_servos(servos: list[ServoDrive], data: Any, step: float) -> None:
    for servo in servos:
        servo.between(data.time, step)


def _feed(inputs: Inputs, targets: Vector | None, controls: Vector | None) -> None:
    if targets is not None:
        inputs.set_targets(targets)
    if controls is not None:
        inputs.set_controls(controls)


def make_stepper(choice: IntegratorChoice, model: Any, data: Any, inputs: Inputs, contacts: RigidContacts | None) -> Stepper:
    """Return what takes the steps of an integrator."""
    if choice.scheme in (Integrator.CENTRED, Integrator.STAGGERED):
        return StaggeredStepper(model, data, inputs, choice, contacts)
    return PlainStepper(model, data, inputs, choice, contacts)
