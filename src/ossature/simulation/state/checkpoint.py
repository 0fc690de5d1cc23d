"""The state of a simulation as plain data, and back: to the last bit where everything that it remembers fits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import mujoco
import numpy as np

from ossature.diagnostics import Report
from ossature.model import Actuation, Checkpoint, CheckpointArray, State, World
from ossature.model.fingerprint import Fingerprint, fingerprint
from ossature.model.state_compatibility import (
    StateMismatchError,
    fingerprint_differences,
    plain_digest,
    restrict_state,
    structure_differences,
)
from ossature.simulation import rules
from ossature.simulation.checkpointing import EngineMemory, Stateful, flatten_state, unflatten_state
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.engine_warnings import suppress_engine_warnings
from ossature.simulation.observation.sampler import Sampler
from ossature.simulation.state.apply_plain_state import MAX_DISTANCE, largest_contradiction, place, push, unmoved_models
from ossature.simulation.state.export_state import external_forces, plain_models
from ossature.simulation.state.mesh_digest import mesh_digest
from ossature.simulation.stepping.applied_forces import Inputs
from ossature.simulation.stepping.constraint_projection import equality_rows
from ossature.simulation.stepping.drive_set import DriveSet
from ossature.simulation.stepping.integrators import Stepper
from ossature.simulation.stepping.signals import Constant

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_OPEN = 1e-4
"""How far loops of a state may be open [m or rad]; while a machine runs they are by a tenth of that at a step of 1 ms."""

_SAME_EFFORT = 1e-9
"""How far an effort of a state may be from its command and still be that of the command [N·m, N, or as a share]."""

_COMMANDED = ("driving", "inputs")
"""The parts that follow commands."""
_FUNCTION = "/command/function"
"""What ends the name of an array that tells of a function of time."""
_GIVE_AGAIN = "command it so again before restoring, or restore in part, by the plain numbers"


class Restart:
    """Takes the state of a simulation, and gives it back.

    Args:
        world: The World.
        compiled: The same in the engine.
        data: The engine's data.
        driving: What drives joints.
        inputs: What is written at each step.
        stepper: What steps it.
        report: Where findings go.
    """

    def __init__(
        self,
        world: World,
        compiled: Compiled,
        data: Any,
        driving: DriveSet,
        inputs: Inputs,
        stepper: Stepper,
        report: Report,
    ) -> None:
        self._world, self._compiled, self._data, self._report = world, compiled, data, report
        self._driving, self._inputs, self._stepper = driving, inputs, stepper
        self._sampler = Sampler(compiled, data)
        self.carriers: dict[str, Stateful] = {
            "driving": driving,
            "engine": EngineMemory(compiled.model, data),
            "inputs": inputs,
            "stepper": stepper,
        }

    @cached_property
    def _fingerprint(self) -> Fingerprint:
        return fingerprint(self._world)

    @cached_property
    def _meshes(self) -> str:
        """What a file holds under the name of a mesh is no part of a World's fingerprint, and moves bodies all the same."""
        return mesh_digest(self._compiled.model)

    @property
    def _settings(self) -> tuple[tuple[str, str], ...]:
        model = self._compiled.model
        return (
            ("engine", f"MuJoCo {mujoco.mj_versionString()}"),
            ("scheme", self._compiled.choice.scheme.value),
            ("sub-steps", self._compiled.choice.division),
            ("time step", repr(float(model.opt.timestep))),
            ("limits", "enforced" if model.jnt_limited.any() else "none"),
            ("meshes", self._meshes),
            ("contacts", self._compiled.contacts.options.description),
        )

    def state(self) -> State:
        """Return the state now."""
        time = float(self._data.time)
        recording = self._sampler.recording([self._sampler.sample()])
        pushes = external_forces(self._data, self._compiled.index, self._inputs.pushed_bodies)
        state = State(
            name=self._world.name,
            time=time,
            models=plain_models(recording, self._driving.efforts(time), pushes),
            fingerprint=self._fingerprint,
            grasps=self._compiled.holding.held,
        )
        return replace(state, checkpoint=_remembered(self.carriers, self._settings, plain_digest(state)))

    def restore(self, state: State, *, partial: bool, efforts: bool) -> None:
        """Go to a state; see :meth:`Simulation.restore`."""
        if state.time is not None:
            _require_time_that_passes(state.time, float(self._compiled.model.opt.timestep))
        obstacles = self._obstacles(state)
        if not obstacles and state.checkpoint is not None:
            obstacles = self._lost_functions(state.checkpoint)
            if obstacles and not partial:
                raise StateMismatchError([f"{lost}: {_GIVE_AGAIN}" for lost in obstacles])
        if not obstacles and state.checkpoint is not None:
            self._recall(state.checkpoint)
            return
        self._refuse(state, partial=partial)
        self._report.add(rules.INEXACT_RESTART, obstacles[0], state.origin)
        self._place(restrict_state(state, self._world), state.checkpoint, efforts=efforts)

    def _refuse(self, state: State, *, partial: bool) -> None:
        differences = structure_differences(state, self._world)
        if state.fingerprint is not None:
            differences += fingerprint_differences(state.fingerprint, self._fingerprint)
        differences += unmoved_models(restrict_state(state, self._world), self._compiled)
        if differences and not partial:
            raise StateMismatchError(differences)

    def _obstacles(self, state: State) -> list[str]:
        """Return why a restart cannot be exact."""
        remembered = state.checkpoint
        if remembered is None:
            return ["the state carries plain numbers only"]
        if state.fingerprint != self._fingerprint:
            return ["the state is one of another World"]
        if remembered.plain != plain_digest(state):
            return ["the plain numbers of the state were edited, and count"]
        if state.grasps is None and self._compiled.holding.held:
            return ["the state does not say what hands hold"]
        here = dict(self._settings)
        return [
            f"{name}: {value} there, {here.get(name)} here" for name, value in remembered.settings if here.get(name) != value
        ]

    def _lost_functions(self, remembered: Checkpoint) -> list[str]:
        """Return what followed a function of time that has not been given again.

        That is asked before anything changes: a function that is given up for what a state says cannot be taken back.
        """
        here = flatten_state({name: self.carriers[name].memory() for name in _COMMANDED})
        names = [array.name for array in remembered.arrays if array.name.partition("/")[0] in _COMMANDED]
        lost = [name for name in names if name.endswith(_FUNCTION) and name not in here]
        return [f"{_label(name)} followed a function of time, which no file can carry" for name in lost]

    def _recall(self, remembered: Checkpoint) -> None:
        parts = unflatten_state({array.name: _array(array) for array in remembered.arrays})
        strangers = [f"nobody takes what '{name}' remembered" for name in parts if name not in self.carriers]
        if strangers:
            raise StateMismatchError(strangers)
        if not all(np.isfinite(array).all() for array in parts.get("engine", {}).values()):
            raise StateMismatchError(["what the engine remembered is not finite"])
        before = {name: carrier.memory() for name, carrier in self.carriers.items()}
        for name, carrier in self.carriers.items():
            try:
                carrier.recall(parts.get(name, {}))
            except (ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
                for taken, other in self.carriers.items():
                    other.recall(before[taken])
                raise StateMismatchError([f"{name}: {error.args[0] if error.args else error}"]) from error

    def _place(self, state: State, remembered: Checkpoint | None, *, efforts: bool) -> None:
        data, model = self._data, self._compiled.model
        place(state, self._compiled, data, self._inputs)
        self._inputs.stops.start()
        data.qacc_warmstart[:] = 0.0
        with suppress_engine_warnings():
            mujoco.mj_forward(model, data)
        if remembered is not None:
            self._restore_commands(remembered, efforts=efforts)
        if efforts:
            self._command_efforts(state)
            push(state, self._compiled, data)
        self._driving.restart(float(data.time))
        self._inputs.sort()
        with suppress_engine_warnings():
            # Only now are the constraints of driven joints where these are.
            mujoco.mj_forward(model, data)
        self._report_contradictions(state)
        with suppress_engine_warnings():
            self._stepper.start()

    def _report_contradictions(self, state: State) -> None:
        contradiction, path = largest_contradiction(state, self._compiled, self._data)
        if contradiction > MAX_DISTANCE:
            message = f"'{path}' is {contradiction:.3g} m or rad from where the joints place it"
            self._report.add(rules.CONTRADICTORY_STATE, message, state.origin, path=path)
        violation, _ = equality_rows(self._compiled.model, self._data)
        gap = float(np.abs(violation).max(initial=0.0))
        if gap > _MOST_OPEN:
            message = f"loops, motors or followers are open by up to {gap:.3g} m or rad where the state places them"
            self._report.add(rules.CONTRADICTORY_STATE, message, state.origin)

    def _restore_commands(self, remembered: Checkpoint, *, efforts: bool) -> None:
        """Go on with the commands of a state, where this World has what they command; functions of time cannot go on."""
        parts = unflatten_state({array.name: _array(array) for array in remembered.arrays})
        self._driving.restore_commands(parts.get("driving", {}), float(self._data.time), efforts=efforts)
        self._inputs.restore_commands(parts.get("inputs", {}))

    def _command_efforts(self, state: State) -> None:
        """Let joints that take a force exert what the state says, unless the command that they follow says the same now."""
        present = self._driving.efforts(float(self._data.time))
        for stated in state.models:
            joints = self._compiled.index.joints[stated.name]
            for joint in stated.joints:
                index = joints[joint.name]
                if not (joint.efforts and index.dof_count and index.joint.actuation is Actuation.FORCE):
                    continue
                commanded = present.get((stated.name, joint.name))
                if commanded is None or not np.allclose(commanded, joint.efforts, rtol=_SAME_EFFORT, atol=_SAME_EFFORT):
                    self._driving.command(index, Constant(np.array(joint.efforts)), float(self._data.time))


def _label(array: str) -> str:
    """Return the joint, motor or load of whose command an array tells, as ``MODEL/NAME``."""
    model, _, name = array.removesuffix(_FUNCTION).rpartition("/")[2].partition(":")
    return f"'{unquote(model)}/{unquote(name)}'"


def _require_time_that_passes(time: float, step: float) -> None:
    if not math.isfinite(time):
        raise StateMismatchError([f"{time:g} s is no time"])
    if time + step == time:
        raise StateMismatchError([f"after {time:g} s a step of {step:g} s is lost to rounding, and time stands still"])


def _remembered(carriers: Mapping[str, Stateful], settings: tuple[tuple[str, str], ...], plain: str) -> Checkpoint:
    memory = flatten_state({name: carrier.memory() for name, carrier in carriers.items()})
    arrays = tuple([CheckpointArray(name=name, values=_numbers(name, array)) for name, array in memory.items()])
    return Checkpoint(plain=plain, settings=settings, arrays=arrays)


def _numbers(name: str, array: NDArray[Any]) -> tuple[float, ...] | tuple[int, ...]:
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise ValueError(f"'{name}' remembers {array.dtype} of shape {array.shape}, not numbers in one dimension")
    # Text has no word for truth values; those who remember them take whole numbers back.
    return tuple((array.astype(np.int64) if array.dtype.kind == "b" else array).tolist())


def _array(remembered: CheckpointArray) -> NDArray[Any]:
    values = remembered.values
    if not values or not isinstance(values[0], int):
        return np.array(values, dtype=np.float64)
    kind = np.uint64 if max(values) > np.iinfo(np.int64).max else np.int64
    try:
        return np.array(values, dtype=kind)
    except OverflowError as error:
        raise StateMismatchError([f"no whole numbers of 64 bits are all those of '{remembered.name}'"]) from error
