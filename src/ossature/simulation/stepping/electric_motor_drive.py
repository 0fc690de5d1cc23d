"""Commands of electric motors, and their execution by a drive within the limits of the motor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import AnyArray
from ossature.model import Controller
from ossature.model.motor_characteristics import torque_at
from ossature.simulation.compile.electric_motors import OFF_GROUP, ON_GROUP
from ossature.simulation.compile.force_elements import CompiledElectricMotor
from ossature.simulation.stateful_components import ComponentState, flatten_state, unflatten_state
from ossature.simulation.stepping.command_signals import Signal, restore_signal, signal_state

if TYPE_CHECKING:
    import mujoco

DEFAULT_BANDWIDTH_HZ = 10.0
"""Bandwidth of a drive without stated gains, unless the time step is too long for it."""
_MAX_STEP_FREQUENCY = 0.1
"""Largest product of the time step and the drive's angular frequency."""
_INTEGRAL_SHARE = 0.2
"""Integral gain of a drive without stated gains, divided by the inertia and the cube of its angular frequency."""


class MotorQuantity(StrEnum):
    """The commanded quantity of a motor."""

    VOLTAGE = "voltage"
    """Between its terminals [V]."""
    TORQUE = "torque"
    """Of the motor, referred to the joint behind the gear, before friction [N·m or N]."""
    VELOCITY = "velocity"
    """Of the joint [rad/s or m/s]."""
    POSITION = "position"
    """Of the joint [rad or m]."""


def default_gains(inertia: float, time_step: float) -> Controller:
    """Return gains for a joint of an effective inertia [kg·m² or kg]: critically damped, without steady-state error.

    The inertia is that of the zero configuration; if it varies much with the configuration, stated gains are better.
    """
    frequency = min(math.tau * DEFAULT_BANDWIDTH_HZ, _MAX_STEP_FREQUENCY / time_step)
    return Controller(
        proportional=inertia * frequency**2,
        derivative=2.0 * inertia * frequency,
        integral=_INTEGRAL_SHARE * inertia * frequency**3,
    )


class MotorDrive:
    """The drive of one motor."""

    def __init__(self, built: CompiledElectricMotor, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.built = built
        self.quantity: MotorQuantity | None = None
        self.limited_since: dict[str, float] = {}
        self._model, self._data = model, data
        self._signal: Signal | None = None
        self._torque = built.torque.id
        self._voltage = None if built.voltage is None else built.voltage.id
        joint = built.joint.id
        self._qpos, self._dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        inertia, step = float(model.dof_M0[self._dof]), float(model.opt.timestep)
        self.gains = built.actuator.controller or default_gains(inertia, step)
        self._integral = 0.0
        self._last_time: float | None = None
        self._at_limit = False

    @property
    def commanded_signal(self) -> Signal | None:
        """The commanded signal, or None."""
        return self._signal

    @property
    def assumes_gains(self) -> bool:
        """Whether it controls with default gains."""
        return self.quantity in (MotorQuantity.VELOCITY, MotorQuantity.POSITION) and self.built.actuator.controller is None

    def adopt(self, before: MotorDrive) -> None:
        """Continue with the command of the same motor in another compilation of the World."""
        self._signal, self.limited_since = before.commanded_signal, before.limited_since
        self.set_state(before.get_state())

    def get_state(self) -> ComponentState:
        """Return its command and its state from step to step."""
        if self._signal is None or self.quantity is None:
            return {}
        saved_state = flatten_state({"command": signal_state(self._signal)})
        saved_state["quantity"] = np.array([list(MotorQuantity).index(self.quantity)])
        saved_state["control"] = np.array([self._integral, float(self._at_limit)])
        saved_state["last"] = np.array([] if self._last_time is None else [self._last_time])
        return saved_state

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        commanded_signal = unflatten_state(saved_state).get("command")
        if commanded_signal is None:
            self._signal = self.quantity = None
            return
        self._signal = restore_signal(commanded_signal, self._signal)
        (number,) = saved_state["quantity"].tolist()
        if number not in range(len(MotorQuantity)):
            raise ValueError(f"the saved command has an unknown motor quantity {number}")
        self.quantity = list(MotorQuantity)[int(number)]
        self._integral, self._at_limit = float(saved_state["control"][0]), bool(saved_state["control"][1])
        self._last_time = float(saved_state["last"][0]) if saved_state["last"].size else None

    def command(self, signal: Signal, quantity: MotorQuantity) -> None:
        """Set the command from now on.

        Raises:
            ValueError: It accepts no voltage.
        """
        if quantity is MotorQuantity.VOLTAGE and self._voltage is None:
            raise ValueError(
                f"motor '{self.built.actuator.name}' accepts no voltage: its data sheet has no resistance or no torque constant"
            )
        self._signal, self.quantity = signal, quantity
        self._integral, self._last_time, self._at_limit = 0.0, None, False

    def release(self) -> None:
        """Switch the motor off."""
        self._signal = self.quantity = None
        self._select_actuator(None)

    def apply_command(self, time: float) -> None:
        """Set the voltage or the torque of the step that starts at a time [s], the time of positions and velocities."""
        if self._signal is None:
            return
        value = float(self._signal.at(time)[0])
        rate = float(self._data.qvel[self._dof])
        speed = self.built.sheet.gear * rate
        if self.quantity is MotorQuantity.VOLTAGE:
            self._apply_voltage(value, speed, time)
        else:
            self._apply_torque(self._desired_torque(value, rate, time) / self.built.sheet.gear, speed, time)

    # Desired torque

    def _desired_torque(self, value: float, rate: float, time: float) -> float:
        """Return the torque at the joint that the controller requests."""
        if self.quantity is MotorQuantity.TORQUE:
            return value
        # Anti-windup: the integral is constant at a limit.
        step = 0.0 if self._last_time is None or self._at_limit else time - self._last_time
        self._last_time, self._at_limit = time, False
        gains, max_rate = self.gains, self._max_joint_speed()
        if self.quantity is MotorQuantity.VELOCITY:
            velocity_error = self._clamp(value, max_rate, "speed", time) - rate
            self._at_limit = False  # the integral is that of the limited velocity
            self._integral += velocity_error * step
            return gains.derivative * velocity_error + gains.proportional * self._integral
        position_error = value - float(self._data.qpos[self._qpos])
        self._integral += position_error * step
        feedforward = self._rate_of_signal(time)
        spring = gains.proportional * position_error
        if not gains.derivative:
            return spring + gains.integral * self._integral
        velocity_target = self._clamp(feedforward + spring / gains.derivative, max_rate, "speed", time)
        return gains.derivative * (velocity_target - rate) + gains.integral * self._integral

    def _rate_of_signal(self, time: float) -> float:
        assert self._signal is not None  # noqa: S101  # checked by the caller
        step = float(self._model.opt.timestep)
        return float((self._signal.at(time + step)[0] - self._signal.at(time)[0]) / step)

    def _max_joint_speed(self) -> float:
        speed = self.built.motor.max_speed
        return math.inf if speed is None else speed / abs(self.built.sheet.gear)

    # Limits

    def _max_torque(self, speed: float) -> float:
        motor, sheet = self.built.motor, self.built.sheet
        limit = torque_at(motor.max_points, speed)
        if motor.max_torque is not None:
            limit = min(limit, motor.max_torque)
        if not sheet.takes_voltage:
            limit = min(limit, sheet.stall_torque)
        return limit

    def _apply_torque(self, torque: float, speed: float, time: float) -> None:
        """Apply a torque at the shaft within the limits of the motor."""
        motor, sheet = self.built.motor, self.built.sheet
        torque = self._clamp(torque, self._max_torque(speed), "torque", time)
        if motor.power_rating is not None and torque * speed > motor.power_rating:
            torque = self._clamp(torque, motor.power_rating / abs(speed), "power", time)
        if sheet.torque_constant is not None and sheet.resistance is not None:
            voltage = torque * sheet.resistance / sheet.torque_constant + sheet.torque_constant * speed
            if abs(voltage) > sheet.voltage:
                self._note_limit("voltage", time)
                self._select_actuator(self._voltage, math.copysign(sheet.voltage, voltage))
                return
        self._select_actuator(self._torque, torque)

    def _apply_voltage(self, voltage: float, speed: float, time: float) -> None:
        """Apply a voltage to the terminals; the torque is limited by the motor's curve, and exceeded ratings are noted."""
        motor, sheet = self.built.motor, self.built.sheet
        assert sheet.torque_constant is not None and sheet.resistance is not None  # noqa: S101  # checked by the command
        voltage = self._clamp(voltage, sheet.voltage, "voltage", time)
        torque = sheet.torque_constant * (voltage - sheet.torque_constant * speed) / sheet.resistance
        if motor.max_speed is not None and abs(speed) > motor.max_speed:
            self._note_limit("exceeded speed", time)
        if motor.power_rating is not None and torque * speed > motor.power_rating:
            self._note_limit("exceeded power", time)
        limit = self._max_torque(speed)
        if abs(torque) > limit:
            self._note_limit("torque", time)
            self._select_actuator(self._torque, math.copysign(limit, torque))
            return
        self._select_actuator(self._voltage, voltage)

    def _clamp(self, value: float, limit: float, quantity: str, time: float) -> float:
        if abs(value) <= limit * (1.0 + 1e-9):
            return value
        self._note_limit(quantity, time)
        return math.copysign(limit, value)

    def _note_limit(self, quantity: str, time: float) -> None:
        self._at_limit = True
        self.limited_since.setdefault(quantity, time)

    def _select_actuator(self, active: int | None, value: float = 0.0) -> None:
        """Enable one of the motor's actuators, or disable both."""
        groups, ctrl = self._model.actuator_group, self._data.ctrl
        for actuator in (self._torque, self._voltage):
            if actuator is not None:
                groups[actuator] = ON_GROUP if actuator == active else OFF_GROUP
        if active is not None:
            ctrl[active] = value

    # Observation

    @property
    def speed(self) -> float:
        """Present speed of the shaft [rad/s]."""
        return self.built.sheet.gear * float(self._data.qvel[self._dof])

    def quantities(self, speed: float) -> dict[str, float]:
        """Return the torque [N·m] of the shaft in the last step, and the corresponding voltage [V] and current [A].

        Args:
            speed: Speed of the shaft at the start of the step [rad/s].
        """
        sheet = self.built.sheet
        forces = self._data.actuator_force
        torque = sum(float(forces[actuator]) for actuator in (self._torque, self._voltage) if actuator is not None)
        quantities_now = {"speed": speed, "torque": torque}
        if sheet.torque_constant is not None:
            current = torque / sheet.torque_constant
            quantities_now["current"] = current
            if sheet.resistance is not None:
                quantities_now["voltage"] = sheet.resistance * current + sheet.torque_constant * speed
        return quantities_now


def split_command(name: str) -> tuple[str, MotorQuantity] | None:
    """Return name and quantity of ``ACTUATOR:QUANTITY``, or None if the text has another form."""
    actuator, colon, quantity = name.rpartition(":")
    return None if not colon or quantity not in list(MotorQuantity) else (actuator, MotorQuantity(quantity))
