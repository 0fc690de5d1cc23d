"""Commands of the actuators of a World that MuJoCo compiles."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import rules
from ossature.simulation.compile.address_map import ActuatorAddress
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.stateful_components import ComponentState, flatten_state, label, unflatten_state
from ossature.simulation.stepping.command_signals import Constant, SampledSignal, Signal, restore_signal, signal_state
from ossature.simulation.stepping.joint_drives import StatelessDrive


class ActuatorInput(StatelessDrive):
    """Sets the controls of an actuator of the engine.

    Args:
        control: The controls in the engine's data.
        command: Their values over time.
    """

    def __init__(self, control: Vector, command: Signal) -> None:
        self.command = command
        self._control = control

    @property
    def is_steady(self) -> bool:
        """Whether the controls are constant."""
        return isinstance(self.command, Constant)

    def prepare_step(self, time: float, step: float) -> None:
        """Set the controls of a time [s]."""
        self._control[:] = self.command.at(time)


class ActuatorInputs:
    """The commands of all actuators.

    Args:
        report: Receives a finding about each actuator that is commanded out of its control range.

    Attributes:
        active: The inputs that change with time.
    """

    def __init__(self, world: World, compiled: EngineModel, data: mujoco.MjData, report: Report) -> None:
        self._world, self._data, self._report = world, data, report
        self._addresses = {
            label(model, name): address
            for model, actuators in compiled.index.actuators.items()
            for name, address in actuators.items()
        }
        self._inputs: dict[str, ActuatorInput] = {}
        self._limits = {name: limits_of_controls(compiled.model, address) for name, address in self._addresses.items()}
        self._clamps = not int(compiled.model.opt.disableflags) & int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)
        self._out_of_range: set[str] = set()
        self.active: list[ActuatorInput] = []

    def command(self, model: str, name: str, command: Signal, time: float) -> None:
        """Set the command of an actuator from now on."""
        self._report_range(model, name, command)
        self._set(label(model, name), command, time)
        self._select_active()

    def command_of(self, model: str, name: str) -> Signal | None:
        """Return the command of an actuator, or None."""
        found = self._inputs.get(label(model, name))
        return None if found is None else found.command

    def clear(self) -> None:
        """Remove all commands: the controls keep their present values."""
        self._inputs.clear()
        self._select_active()

    def get_state(self) -> ComponentState:
        """Return the commands."""
        return flatten_state(
            {
                name: {f"command/{key}": array for key, array in signal_state(one.command).items()}
                for name, one in self._inputs.items()
            }
        )

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore the commands; the engine's state has the present controls.

        Raises:
            ValueError: There is no such actuator, or its command was a function of time, and is none now.
        """
        self._inputs = {name: self._make(name, command) for name, command in self._restored(saved_state).items()}
        self._select_active()

    def restore_commands(self, saved_state: Mapping[str, AnyArray], time: float) -> None:
        """Restore commands that :meth:`get_state` returned, perhaps of another World, for the actuators that this World has.

        Functions of time that are not set, and commands of another number of controls, are ignored.
        """
        for name, part in unflatten_state(saved_state).items():
            try:
                commands = self._restored(flatten_state({name: part}))
            except ValueError:
                continue
            self._set(name, commands[name], time)
        self._select_active()

    def adopt(self, before: ActuatorInputs, time: float) -> None:
        """Continue with the commands of an earlier compilation of the same World."""
        for name, one in before._inputs.items():
            self._set(name, one.command, time)
        self._out_of_range = before._out_of_range
        self._select_active()

    def _restored(self, saved_state: Mapping[str, AnyArray]) -> dict[str, Signal]:
        restored: dict[str, Signal] = {}
        for name, part in unflatten_state(saved_state).items():
            if name not in self._addresses:
                raise ValueError(f"there is no actuator '{name}'")
            present = self._inputs.get(name)
            command = unflatten_state(part).get("command", {})
            try:
                restored[name] = restore_signal(
                    command, None if present is None else present.command, self._addresses[name].control_count
                )
            except (ValueError, KeyError) as error:
                raise ValueError(f"actuator '{name}': {error}") from None
        return restored

    def _set(self, name: str, command: Signal, time: float) -> None:
        self._inputs[name] = self._make(name, command)
        self._inputs[name].prepare_step(time, 0.0)

    def _make(self, name: str, command: Signal) -> ActuatorInput:
        return ActuatorInput(self._data.ctrl[self._addresses[name].controls], command)

    def _select_active(self) -> None:
        self.active = [one for one in self._inputs.values() if not one.is_steady]

    def _report_range(self, model: str, name: str, command: Signal) -> None:
        """Report a command outside the control range, once for each actuator."""
        key, values = label(model, name), _known_values(command)
        if values is None or key in self._out_of_range or not self._clamps:
            return
        lower, upper = self._limits[key]
        beyond = (values < lower) | (values > upper)
        if not beyond.any():
            return
        self._out_of_range.add(key)
        number = int(np.argwhere(beyond)[0][-1])
        message = (
            f"command {values[beyond][0]:g} of actuator '{model}/{name}' is outside its control range, "
            f"{lower[number]:g} to {upper[number]:g}: MuJoCo clamps it"
        )
        self._report.add(rules.COMMAND_OUT_OF_RANGE, message, self._world.models[model].actuators[name].origin)


def limits_of_controls(model: mujoco.MjModel, address: ActuatorAddress) -> tuple[Vector, Vector]:
    """Return the lower and upper limits of the controls of an actuator; infinite if there is none."""
    limits = model.actuator_ctrlrange[address.controls]
    is_limited = model.actuator_ctrllimited[address.controls].astype(bool)
    return np.where(is_limited, limits[:, 0], -np.inf), np.where(is_limited, limits[:, 1], np.inf)


def _known_values(command: Signal) -> Vector | None:
    """Return the values of a command, shape (n, controls), or None if they are computed by a function of time."""
    if isinstance(command, Constant):
        return command.values[None, :]
    return command.values if isinstance(command, SampledSignal) else None
