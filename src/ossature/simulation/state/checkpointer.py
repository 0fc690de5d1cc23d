"""Saving and restoring the state of a simulation: bit-exact if the checkpoint matches the simulation."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote

import mujoco
import numpy as np

from ossature.array_types import AnyArray
from ossature.diagnostics import Report
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.kinematics.joint_states_from_links import complete_joint_states
from ossature.model import Actuation, Checkpoint, CheckpointArray, State, World
from ossature.model.fingerprint import Fingerprint, fingerprint
from ossature.model.state_compatibility import (
    StateDifference,
    StateMismatchError,
    complete_model_poses,
    fingerprint_differences,
    plain_digest,
    restrict_state,
    structure_differences,
)
from ossature.simulation import rules
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.sampler import Sampler
from ossature.simulation.state import apply_plain_state
from ossature.simulation.state.export_state import external_forces, model_states
from ossature.simulation.stateful_components import EngineState, Stateful, flatten_state, unflatten_state
from ossature.simulation.stepping.actuator_inputs import ActuatorInputs
from ossature.simulation.stepping.command_signals import Constant
from ossature.simulation.stepping.constraint_projection import equality_rows
from ossature.simulation.stepping.drive_set import DriveSet
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.stepper import Stepper

if TYPE_CHECKING:
    import mujoco

_MOST_OPEN = 1e-4
"""Largest residual of loops in a state [m or rad]; in a simulation with a step of 1 ms it is about a tenth of this."""

_SAME_EFFORT = 1e-9
"""Largest absolute [N·m or N] or relative difference of an effort of a state from an equal command."""

_SENSORS = "sensors"
_COMMANDED = ("driving", "inputs", "actuators")
"""The components that have commands."""
_FUNCTION = "/command/function"
"""Suffix of the name of an array that represents a function of time."""
_COMMAND_AGAIN = "set the command again before restoring, or restore partially, from positions and velocities"


class Checkpointer:
    """Saves and restores the state of a simulation."""

    def __init__(
        self,
        world: World,
        compiled: EngineModel,
        data: mujoco.MjData,
        driving: DriveSet,
        inputs: Inputs,
        actuators: ActuatorInputs,
        stepper: Stepper,
        report: Report,
    ) -> None:
        self._world, self._compiled, self._data, self._report = world, compiled, data, report
        self._driving, self._inputs, self._actuators, self._stepper = driving, inputs, actuators, stepper
        self.components: dict[str, Stateful] = {
            "driving": driving,
            "engine": EngineState(compiled.model, data),
            "inputs": inputs,
            "stepper": stepper,
            "actuators": actuators,
        }

    @cached_property
    def _sampler(self) -> Sampler:
        return Sampler(self._compiled, self._data)

    @cached_property
    def _fingerprint(self) -> Fingerprint:
        return fingerprint(self._world)

    @cached_property
    def _mesh_digest(self) -> str:
        """A digest of the meshes: their files are not part of the World's fingerprint, but affect the motion."""
        return mesh_digest(self._compiled.model)

    @property
    def _settings(self) -> tuple[tuple[str, str], ...]:
        model = self._compiled.model
        return (
            ("engine", f"MuJoCo {mujoco.mj_versionString()}"),
            ("scheme", self._compiled.choice.integrator.value),
            ("sub-steps", self._compiled.choice.division),
            ("time step", repr(float(model.opt.timestep))),
            ("limits", "enforced" if model.jnt_limited.any() else "none"),
            ("meshes", self._mesh_digest),
            ("contacts", self._compiled.contacts.options.description),
        )

    def state(self) -> State:
        """Return the current state."""
        time = float(self._data.time)
        recording = self._sampler.recording([self._sampler.sample()])
        wrenches = external_forces(self._data, self._compiled.index, self._inputs.element_forces.bodies_with_world_fixed_loads)
        state = State(
            name=self._world.name,
            time=time,
            models=model_states(recording, self._driving.efforts(time), wrenches),
            fingerprint=self._fingerprint,
            grasps=self._compiled.grasp_plan.grasps,
        )
        return replace(state, checkpoint=_make_checkpoint(self.components, self._settings, plain_digest(state)))

    def restore(self, state: State, *, partial: bool, efforts: bool) -> None:
        """Restore a state; see :meth:`Simulation.restore`."""
        if state.time is not None:
            _require_advancing_time(state.time, float(self._compiled.model.opt.timestep))
        obstacles = self._restart_obstacles(state)
        if not obstacles and state.checkpoint is not None:
            obstacles = self._lost_functions(state.checkpoint)
            if obstacles and not partial:
                raise StateMismatchError([StateDifference(f"{lost}: {_COMMAND_AGAIN}", state.origin) for lost in obstacles])
        if not obstacles and state.checkpoint is not None:
            self._restore_checkpoint(state.checkpoint)
            return
        self._require_compatible(state, partial=partial)
        self._report.add(rules.APPROXIMATE_RESTART, obstacles[0], state.origin)
        self._restore_plain_state(self._fitting_part(state), state.checkpoint, efforts=efforts)

    def apply_coordinates(self, state: State) -> None:
        """Set the positions and velocities that a state specifies, and continue with the present commands.

        Raises:
            StateMismatchError: The state does not fit the World.
        """
        self._require_compatible(state, partial=False)
        self._restore_plain_state(self._fitting_part(state), None, efforts=False)

    def _require_compatible(self, state: State, *, partial: bool) -> None:
        differences = structure_differences(state, self._world)
        if state.fingerprint is not None and not differences:
            others = fingerprint_differences(state.fingerprint, self._fingerprint)
            differences += [StateDifference(message, state.origin) for message in others]
        differences += apply_plain_state.frame_differences(self._fitting_part(state), self._compiled)
        if differences and not partial:
            raise StateMismatchError(differences)

    def _fitting_part(self, state: State) -> State:
        return complete_model_poses(restrict_state(state, self._world), self._world)

    def _restart_obstacles(self, state: State) -> list[str]:
        """Return why a restart is not bit-exact."""
        checkpoint = state.checkpoint
        if checkpoint is None:
            return ["the state has no checkpoint"]
        if state.fingerprint != self._fingerprint:
            return ["the state belongs to another World"]
        if checkpoint.plain != plain_digest(state):
            return ["positions, velocities or efforts of the state were edited; the edited values are used"]
        if state.grasps is None and self._compiled.grasp_plan.grasps:
            return ["the state does not specify the grasps"]
        current = dict(self._settings)
        return [
            f"{name}: {saved} in the state, {current.get(name)} in the simulation"
            for name, saved in checkpoint.settings
            if current.get(name) != saved
        ]

    def _lost_functions(self, checkpoint: Checkpoint) -> list[str]:
        """Return, as messages, the commands that were functions of time and have not been set again.

        They are checked before anything changes: a function that a state replaces cannot be recovered.
        """
        current = flatten_state({name: self.components[name].get_state() for name in _COMMANDED})
        names = [array.name for array in checkpoint.arrays if array.name.partition("/")[0] in _COMMANDED]
        lost = [name for name in names if name.endswith(_FUNCTION) and name not in current]
        return [f"the command of {_array_label(name)} is a function of time, which is not saved" for name in lost]

    def _restore_checkpoint(self, checkpoint: Checkpoint) -> None:
        parts = unflatten_state({array.name: _array_of(array) for array in checkpoint.arrays})
        unknown = [f"no component restores the saved state of '{name}'" for name in parts if name not in self.components]
        if unknown:
            raise StateMismatchError(unknown)
        if not all(np.isfinite(array).all() for array in parts.get("engine", {}).values()):
            raise StateMismatchError(["the saved state of the engine is not finite"])
        before = {name: carrier.get_state() for name, carrier in self.components.items()}
        for name, carrier in self.components.items():
            try:
                carrier.set_state(parts.get(name, {}))
            except (ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
                for restored, other in self.components.items():
                    other.set_state(before[restored])
                reason = str(error.args[0]) if error.args else ""
                raise StateMismatchError([f"{name}: {reason or type(error).__name__}"]) from error

    def _restore_plain_state(self, state: State, checkpoint: Checkpoint | None, *, efforts: bool) -> None:
        data, model = self._data, self._compiled.model
        state, residuals = complete_joint_states(state, self._world)
        for residual in residuals:
            self._report.add(rules.INCONSISTENT_STATE, residual.message, residual.origin or state.origin, path=residual.path)
        apply_plain_state.set_plain_state(state, self._compiled, data, self._inputs)
        self._inputs.stops.start()
        data.qacc_warmstart[:] = 0.0
        with suppress_engine_warnings():
            mujoco.mj_forward(model, data)
        if checkpoint is not None:
            self._restore_commands(checkpoint, efforts=efforts)
        if efforts:
            self._command_efforts(state)
            apply_plain_state.apply_wrenches(state, self._compiled, data)
        self._driving.restart(float(data.time))
        if _SENSORS in self.components:
            self.components[_SENSORS].set_state({})  # their times belong to another clock
        self._inputs.sort()
        self._inputs.set_present(float(data.time))
        with suppress_engine_warnings():
            # Updates the targets of the constraints of driven joints.
            mujoco.mj_forward(model, data)
        self._report_contradictions(state)
        with suppress_engine_warnings():
            self._stepper.start()

    def _report_contradictions(self, state: State) -> None:
        of_poses = apply_plain_state.largest_contradiction(state, self._compiled, self._data)
        if of_poses.size > apply_plain_state.MAX_DISTANCE:
            message = f"the pose of '{of_poses.path}' differs by {of_poses.size:.3g} m or rad from that of the joint positions"
            self._report.add(rules.INCONSISTENT_STATE, message, of_poses.origin or state.origin, path=of_poses.path)
        of_twists = apply_plain_state.largest_twist_contradiction(state, self._compiled, self._data)
        if of_twists.size > apply_plain_state.MAX_DISTANCE:
            size = f"{of_twists.size:.3g} m/s or rad/s"
            message = f"the twist of '{of_twists.path}' differs by {size} from that of the joint velocities"
            self._report.add(rules.INCONSISTENT_STATE, message, of_twists.origin or state.origin, path=of_twists.path)
        violation, _ = equality_rows(self._compiled.model, self._data)
        gap = float(np.abs(violation).max(initial=0.0))
        if gap > _MOST_OPEN:
            message = f"loops, motors or couplings have a residual of up to {gap:.3g} m or rad in the state"
            self._report.add(rules.INCONSISTENT_STATE, message, state.origin)

    def _restore_commands(self, checkpoint: Checkpoint, *, efforts: bool) -> None:
        """Restore the commands of a state for elements that this World has, except functions of time."""
        parts = unflatten_state({array.name: _array_of(array) for array in checkpoint.arrays})
        self._driving.restore_commands(parts.get("driving", {}), float(self._data.time), efforts=efforts)
        self._inputs.restore_commands(parts.get("inputs", {}))
        self._actuators.restore_commands(parts.get("actuators", {}), float(self._data.time))

    def _command_efforts(self, state: State) -> None:
        """Command the efforts of a state to force-actuated joints, unless their current command has the same value."""
        current = self._driving.efforts(float(self._data.time))
        for specified in state.models:
            joints = self._compiled.index.joints[specified.name]
            for joint in specified.joints:
                index = joints[joint.name]
                if not (joint.efforts and index.dof_count and index.joint.actuation is Actuation.FORCE):
                    continue
                commanded = current.get((specified.name, joint.name))
                if commanded is None or not np.allclose(commanded, joint.efforts, rtol=_SAME_EFFORT, atol=_SAME_EFFORT):
                    self._driving.command(index, Constant(np.array(joint.efforts)), float(self._data.time))


def _array_label(array: str) -> str:
    """Return the joint, motor or load whose command an array represents, as ``'MODEL/NAME'``."""
    model, _, name = array.removesuffix(_FUNCTION).rpartition("/")[2].partition(":")
    return f"'{unquote(model)}/{unquote(name)}'"


def _require_advancing_time(time: float, step: float) -> None:
    if not math.isfinite(time):
        raise StateMismatchError([f"the time {time:g} s is not finite"])
    if time + step == time:
        raise StateMismatchError([f"at {time:g} s a step of {step:g} s is lost to rounding: time does not advance"])


def _make_checkpoint(carriers: Mapping[str, Stateful], settings: tuple[tuple[str, str], ...], plain: str) -> Checkpoint:
    saved_state = flatten_state({name: carrier.get_state() for name, carrier in carriers.items()})
    arrays = tuple([CheckpointArray(name=name, values=_array_values(name, array)) for name, array in saved_state.items()])
    return Checkpoint(plain=plain, settings=settings, arrays=arrays)


def _array_values(name: str, array: AnyArray) -> tuple[float, ...] | tuple[int, ...]:
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise ValueError(f"the saved state of '{name}' has type {array.dtype} and {array.ndim} dimensions, not 1-D numbers")
    # The text format has no Boolean values; components restore them from integers.
    return tuple((array.astype(np.int64) if array.dtype.kind == "b" else array).tolist())


def _array_of(checkpoint: CheckpointArray) -> AnyArray:
    values = checkpoint.values
    if not values or not isinstance(values[0], int):
        return np.array(values, dtype=np.float64)
    kind = np.uint64 if max(values) > np.iinfo(np.int64).max else np.int64
    try:
        if kind is np.uint64 and min(values) < 0:  # NumPy 1.26 only warns
            raise OverflowError
        return np.array(values, dtype=kind)
    except OverflowError as error:
        raise StateMismatchError([f"an integer of '{checkpoint.name}' does not fit into 64 bits"]) from error


def mesh_digest(model: mujoco.MjModel) -> str:
    """Return a digest of the mesh triangles of the engine's model, or ``none`` if it has no meshes."""
    if not model.nmesh:
        return "none"
    hashed = hashlib.sha256()
    # The engine moves each mesh to its centre, and stores its former pose.
    for array in (model.mesh_vertnum, model.mesh_vert, model.mesh_facenum, model.mesh_face, model.mesh_pos, model.mesh_quat):
        hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()[:32]
