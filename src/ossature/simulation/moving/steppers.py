"""How time goes on: the loop around the engine's step, for each way of stepping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import mujoco
import numpy as np

from ossature.simulation.compiling.scheme import Scheme, equality_reference
from ossature.simulation.memory import Memory
from ossature.simulation.moving.drives import Drive, ServoDrive
from ossature.simulation.moving.inputs import Inputs
from ossature.simulation.moving.rigid_contacts import RigidContacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class StepVelocities(NamedTuple):
    """The generalised velocities of a step.

    Attributes:
        present: At which forces that depend on velocities are evaluated, with the positions of the step's beginning.
        before: From which the step accelerates.
        after: To which it accelerates.
    """

    present: Vector
    before: Vector
    after: Vector


class Stepper(Protocol):
    """A way of stepping."""

    def start(self) -> None:
        """Begin at the state that the engine's data hold."""

    def steps(self, count: int, drives: list[Drive], servos: list[ServoDrive]) -> None:
        """Take a number of steps; afterwards the engine's data hold places and velocities of the same time."""

    def evaluate(self, drives: list[Drive], servos: list[ServoDrive]) -> StepVelocities:
        """Take one undivided step, after which the engine's data hold its forces, and return its velocities."""

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
        contacts: What resolves rigid contacts; None if there are none.
    """

    def __init__(self, model: Any, data: Any, inputs: Inputs, contacts: RigidContacts | None) -> None:
        self._model, self._data, self._inputs, self._contacts = model, data, inputs, contacts

    def start(self) -> None:
        """Begin at the state that the engine's data hold."""
        self._inputs.following.start(float(self._model.opt.timestep))
        if self._contacts is not None:
            self._contacts.start()

    def memory(self) -> Memory:
        """Return what rigid contacts keep."""
        return {} if self._contacts is None else self._contacts.memory()

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave."""
        if self._contacts is not None:
            self._contacts.recall(memory)

    def evaluate(self, drives: list[Drive], servos: list[ServoDrive]) -> StepVelocities:
        """Take one step, after which the engine's data hold its forces, and return its velocities."""
        before = self._data.qvel.copy()
        self.steps(1, drives, servos)
        return StepVelocities(before, before, self._data.qvel.copy())

    def steps(self, count: int, drives: list[Drive], servos: list[ServoDrive]) -> None:
        """Take a number of steps."""
        inputs, contacts = self._inputs, self._contacts
        if not (drives or servos or inputs.motors or inputs.loads or inputs.needs_middle or inputs.has_live):
            if contacts is None:
                mujoco.mj_step(self._model, self._data, nstep=count)
            else:
                _step_freely(self._model, self._data, contacts, count)
            return
        model, data = self._model, self._data
        step = float(model.opt.timestep)
        in_two = bool(servos) or inputs.needs_middle or contacts is not None
        for targets, controls in inputs.rows(float(data.time), step, count):
            time = data.time
            _feed(inputs, targets, controls)
            if inputs.has_live:
                inputs.before(time, step)
            for drive in drives:
                drive.before(time, step)
            if not in_two:
                mujoco.mj_step(model, data)
                continue
            if contacts is not None:
                contacts.prepare()
            mujoco.mj_step1(model, data)
            if contacts is not None:
                contacts.constrain()
            inputs.middle(time)
            for servo in servos:
                servo.between(time, step)
            if contacts is not None:
                contacts.step2()
            else:
                mujoco.mj_step2(model, data)


class StaggeredStepper:
    """Keeps velocities halfway between the places.

    The engine's data hold the velocity of the same time as the places between calls, and the staggered one inside. That
    velocity is one and a half times the last staggered one less half of the one before: one small product.

    Args:
        model: The engine's model.
        data: The engine's data.
        inputs: What is written at each step.
        scheme: ``CENTRED`` evaluates all forces in the middle of the velocities' step; ``STAGGERED`` leaves that to the
            engine's integrator.
        contacts: What resolves rigid contacts; None if there are none.
    """

    def __init__(self, model: Any, data: Any, inputs: Inputs, scheme: Scheme, contacts: RigidContacts | None) -> None:
        self._model, self._data, self._inputs, self._contacts = model, data, inputs, contacts
        self._is_centred = scheme is Scheme.CENTRED
        self._scheme = scheme
        self._qvel = data.qvel
        self._velocities = np.zeros((2, data.qvel.size))
        self._can_touch = bool(model.ngeom)
        self._can_stop = bool(model.jnt_limited.any())
        friction = model.dof_frictionloss.any() or model.tendon_frictionloss.any()
        self._is_held = self._can_touch or bool(model.neq or model.jnt_limited.any() or friction)
        self._last = 0

    def memory(self) -> Memory:
        """Return the last two staggered velocities, in which row the last one is, and what rigid contacts keep.

        Sums depend on the row to the bit.
        """
        rows = {"earlier": self._velocities[1 - self._last].copy(), "last": self._velocities[self._last].copy()}
        own = rows | {"row": np.array([self._last])}
        return own if self._contacts is None else own | self._contacts.memory()

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back the last two staggered velocities."""
        self._last = int(memory["row"][0]) % 2 if "row" in memory else self._last
        self._velocities[1 - self._last] = memory["earlier"]
        self._velocities[self._last] = memory["last"]
        if self._contacts is not None:
            self._contacts.recall(memory)

    def start(self) -> None:
        """Begin at the state that the engine's data hold, going back with the acceleration of that state."""
        model, data = self._model, self._data
        time, step = float(data.time), float(model.opt.timestep)
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

    def evaluate(self, drives: list[Drive], servos: list[ServoDrive]) -> StepVelocities:
        """Take one undivided step, after which the engine's data hold its forces, and return its velocities."""
        before = self._velocities[self._last].copy()
        present = self._qvel.copy() if self._is_centred else before
        self._run(self._inputs, 1, drives, watches_stops=False)
        return StepVelocities(present, before, self._velocities[self._last].copy())

    def steps(self, count: int, drives: list[Drive], servos: list[ServoDrive]) -> None:
        """Take a number of steps."""
        self._run(self._inputs, count, drives, watches_stops=self._inputs.has_stops)

    def _run(self, inputs: Inputs, count: int, drives: list[Drive], *, watches_stops: bool) -> None:
        model, data, qvel, velocities = self._model, self._data, self._qvel, self._velocities
        step1, step2, reference, copy, product = (
            mujoco.mj_step1,
            mujoco.mj_step2,
            mujoco.mj_referenceConstraint,
            np.copyto,
            np.dot,
        )
        step = float(model.opt.timestep)
        is_centred, needs_middle, has_live = self._is_centred, inputs.needs_middle, inputs.has_live
        rows = (velocities[0], velocities[1])
        last = self._last
        # Each look at the engine's data costs as much as a small calculation.
        can_touch, can_stop, is_held, contacts = self._can_touch, self._can_stop, self._is_held, self._contacts
        for targets, controls in inputs.rows(float(data.time), step, count):
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
            if watches_stops:
                parts = inputs.sub_steps(step)
                if parts > 1:
                    self._last = last
                    self._divided(parts, drives)
                    last = self._last
                    continue
            if needs_middle:
                inputs.middle(data.time)
            if is_centred:
                copy(qvel, rows[last])
                if is_held:
                    reference(model, data)
            if contacts is None:
                step2(model, data)
            else:
                contacts.constrain()
                contacts.step2()
            last = 1 - last
            copy(rows[last], qvel)
            has_contact = can_touch and data.ncon and (contacts is None or contacts.has_force)
            if has_contact or (can_stop and data.nl):
                rows[1 - last][:] = qvel  # an impact of bodies or of a joint's stop is no acceleration to go on with
        self._last = last
        product(_EXTRAPOLATE[last], velocities, out=qvel)

    def _divided(self, parts: int, drives: list[Drive]) -> None:
        """Take one step in several parts, in which stops are followed and not watched again."""
        step = float(self._model.opt.timestep)
        self._set_step(step, step / parts)
        try:
            self._run(self._inputs, parts, drives, watches_stops=False)
        finally:
            self._set_step(step / parts, step)

    def _set_step(self, old: float, new: float) -> None:
        """Change the step, keeping the velocity of the present time and the acceleration."""
        model, velocities, last = self._model, self._velocities, self._last
        now = _EXTRAPOLATE[last] @ velocities
        change = (velocities[last] - velocities[1 - last]) * (new / old)
        velocities[last] = now - 0.5 * change
        velocities[1 - last] = now - 1.5 * change
        model.opt.timestep = new
        model.eq_solref[:] = equality_reference(self._scheme, new)
        if self._contacts is not None:
            self._contacts.set_time_step(new)


_EXTRAPOLATE = (np.array([1.5, -0.5]), np.array([-0.5, 1.5]))
"""Weights of the two staggered velocities that give the velocity of the present time, by which of them is the last."""


def _feed(inputs: Inputs, targets: Vector | None, controls: Vector | None) -> None:
    if targets is not None:
        inputs.set_targets(targets)
    if controls is not None:
        inputs.set_controls(controls)


def _step_freely(model: Any, data: Any, contacts: RigidContacts, count: int) -> None:
    """Take a number of steps in which nothing is written but what rigid contacts need."""
    step1, prepare, constrain, step2 = mujoco.mj_step1, contacts.prepare, contacts.constrain, contacts.step2
    for _ in range(count):
        prepare()
        step1(model, data)
        constrain()
        step2()


def make_stepper(scheme: Scheme, model: Any, data: Any, inputs: Inputs, contacts: RigidContacts | None) -> Stepper:
    """Return the stepper for a way of stepping."""
    if scheme in (Scheme.CENTRED, Scheme.STAGGERED):
        return StaggeredStepper(model, data, inputs, scheme, contacts)
    return PlainStepper(model, data, inputs, contacts)
