"""What an electric motor is told, and what its drive makes of it within the limits of the motor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.model import Controller
from ossature.model.motor_datasheet import torque_at
from ossature.simulation.checkpointing import Memory, flatten_state, unflatten_state
from ossature.simulation.compile.electric_motors import OFF_GROUP, ON_GROUP
from ossature.simulation.compile.force_elements import CompiledElectricMotor
from ossature.simulation.stepping.signals import Signal, recalled_signal, signal_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_BANDWIDTH_HZ = 10.0
"""How quickly a drive without stated gains follows, unless the step is too long for it."""
_SLOWEST_SWING = 0.1
"""Largest product of the step and the drive's angular frequency."""
_INTEGRAL_SHARE = 0.2
"""The integral gain of a drive without stated gains, per inertia and cube of its angular frequency."""


class MotorQuantity(StrEnum):
    """What a motor is told."""

    VOLTAGE = "voltage"
    """Between its terminals [V]."""
    TORQUE = "torque"
    """Of the motor, seen at the joint behind the gear, frictions not taken off [N·m or N]."""
    VELOCITY = "velocity"
    """Of the joint [rad/s or m/s]."""
    POSITION = "position"
    """Of the joint [rad or m]."""


def default_gains(inertia: float, time_step: float) -> Controller:
    """Return gains for a joint that behaves as an inertia [kg·m² or kg]: critically damped, and steady under gravity.

    The inertia is that of all joints at zero; stated gains are better for a robot that stretches far.
    """
    frequency = min(math.tau * DEFAULT_BANDWIDTH_HZ, _SLOWEST_SWING / time_step)
    return Controller(
        proportional=inertia * frequency**2,
        derivative=2.0 * inertia * frequency,
        integral=_INTEGRAL_SHARE * inertia * frequency**3,
    )


class MotorDrive:
    """The drive of one motor.

    Args:
        built: The motor.
        model: The engine's model.
        data: The engine's data.
    """

    def __init__(self, built: CompiledElectricMotor, model: Any, data: Any) -> None:
        self.built = built
        self.quantity: MotorQuantity | None = None
        self.held_back: dict[str, float] = {}
        self._model, self._data = model, data
        self._signal: Signal | None = None
        self._torque = built.torque.id
        self._voltage = None if built.voltage is None else built.voltage.id
        joint = built.joint.id
        self._qpos, self._dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        inertia, step = float(model.dof_M0[self._dof]), float(model.opt.timestep)
        self.gains = built.actuator.controller or default_gains(inertia, step)
        self._integral = 0.0
        self._last: float | None = None
        self._at_limit = False

    @property
    def commanded_signal(self) -> Signal | None:
        """The signal that it follows, or None."""
        return self._signal

    @property
    def assumes_gains(self) -> bool:
        """Whether it follows with gains that nobody stated."""
        return self.quantity in (MotorQuantity.VELOCITY, MotorQuantity.POSITION) and self.built.actuator.controller is None

    def adopt(self, before: MotorDrive) -> None:
        """Go on with the command of the same motor in another compilation of the World."""
        self._signal, self.held_back = before.commanded_signal, before.held_back
        self.recall(before.memory())

    def memory(self) -> Memory:
        """Return what it is told, and what it remembers from step to step."""
        if self._signal is None or self.quantity is None:
            return {}
        memory = flatten_state({"command": signal_memory(self._signal)})
        memory["quantity"] = np.array([list(MotorQuantity).index(self.quantity)])
        memory["control"] = np.array([self._integral, float(self._at_limit)])
        memory["last"] = np.array([] if self._last is None else [self._last])
        return memory

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what it was told, and what it remembers."""
        commanded_signal = unflatten_state(memory).get("command")
        if commanded_signal is None:
            self._signal = self.quantity = None
            return
        self._signal = recalled_signal(commanded_signal, self._signal)
        (number,) = memory["quantity"].tolist()
        if number not in range(len(MotorQuantity)):
            raise ValueError(f"there is no quantity of number {number} that a motor could follow")
        self.quantity = list(MotorQuantity)[int(number)]
        self._integral, self._at_limit = float(memory["control"][0]), bool(memory["control"][1])
        self._last = float(memory["last"][0]) if memory["last"].size else None

    def command(self, signal: Signal, quantity: MotorQuantity) -> None:
        """Follow a signal from now on.

        Raises:
            ValueError: It takes no voltage.
        """
        if quantity is MotorQuantity.VOLTAGE and self._voltage is None:
            raise ValueError(
                f"motor '{self.built.actuator.name}' takes no voltage: its sheet states no resistance or no torque constant"
            )
        self._signal, self.quantity = signal, quantity
        self._integral, self._last, self._at_limit = 0.0, None, False

    def release(self) -> None:
        """Take all current from the motor."""
        self._signal = self.quantity = None
        self._switch(None)

    def middle(self, time: float) -> None:
        """Set the voltage or the torque of the step that begins at a time [s]; places and velocities are those of that time."""
        if self._signal is None:
            return
        value = float(self._signal.at(time)[0])
        rate = float(self._data.qvel[self._dof])
        speed = self.built.sheet.gear * rate
        if self.quantity is MotorQuantity.VOLTAGE:
            self._apply_voltage(value, speed, time)
        else:
            self._apply_torque(self._desired_torque(value, rate, time) / self.built.sheet.gear, speed, time)

    # What is wanted

    def _desired_torque(self, value: float, rate: float, time: float) -> float:
        """Return the torque at the joint that the drive would like to have."""
        if self.quantity is MotorQuantity.TORQUE:
            return value
        # At a limit an integral would only wind up.
        step = 0.0 if self._last is None or self._at_limit else time - self._last
        self._last, self._at_limit = time, False
        gains, highest = self.gains, self._highest_rate(time)
        if self.quantity is MotorQuantity.VELOCITY:
            error_of_rate = self._limited(value, highest, "speed", time) - rate
            self._at_limit = False  # the integral is that of what it may do
            self._integral += error_of_rate * step
            return gains.derivative * error_of_rate + gains.proportional * self._integral
        error = value - float(self._data.qpos[self._qpos])
        self._integral += error * step
        planned = self._rate_of_signal(time)
        spring = gains.proportional * error
        if not gains.derivative:
            return spring + gains.integral * self._integral
        towards = self._limited(planned + spring / gains.derivative, highest, "speed", time)
        return gains.derivative * (towards - rate) + gains.integral * self._integral

    def _rate_of_signal(self, time: float) -> float:
        assert self._signal is not None  # noqa: S101  # the caller looked
        step = float(self._model.opt.timestep)
        return float((self._signal.at(time + step)[0] - self._signal.at(time)[0]) / step)

    def _highest_rate(self, time: float) -> float:
        speed = self.built.motor.max_speed
        return math.inf if speed is None else speed / abs(self.built.sheet.gear)

    # What is possible

    def _most_torque(self, speed: float) -> float:
        motor, sheet = self.built.motor, self.built.sheet
        most = torque_at(motor.max_points, speed)
        if motor.max_torque is not None:
            most = min(most, motor.max_torque)
        if not sheet.takes_voltage:
            most = min(most, sheet.stall_torque)
        return most

    def _apply_torque(self, torque: float, speed: float, time: float) -> None:
        """Produce a torque at the shaft, as far as the limits of the motor allow."""
        motor, sheet = self.built.motor, self.built.sheet
        torque = self._limited(torque, self._most_torque(speed), "torque", time)
        if motor.power_rating is not None and torque * speed > motor.power_rating:
            torque = self._limited(torque, motor.power_rating / abs(speed), "power", time)
        if sheet.torque_constant is not None and sheet.resistance is not None:
            voltage = torque * sheet.resistance / sheet.torque_constant + sheet.torque_constant * speed
            if abs(voltage) > sheet.voltage:
                self._note("voltage", time)
                self._switch(self._voltage, math.copysign(sheet.voltage, voltage))
                return
        self._switch(self._torque, torque)

    def _apply_voltage(self, voltage: float, speed: float, time: float) -> None:
        """Put a voltage on the terminals; only the curve of the motor limits what follows, its ratings are watched."""
        motor, sheet = self.built.motor, self.built.sheet
        assert sheet.torque_constant is not None and sheet.resistance is not None  # noqa: S101  # a command looked
        voltage = self._limited(voltage, sheet.voltage, "voltage", time)
        torque = sheet.torque_constant * (voltage - sheet.torque_constant * speed) / sheet.resistance
        if motor.max_speed is not None and abs(speed) > motor.max_speed:
            self._note("exceeded speed", time)
        if motor.power_rating is not None and torque * speed > motor.power_rating:
            self._note("exceeded power", time)
        most = self._most_torque(speed)
        if abs(torque) > most:
            self._note("torque", time)
            self._switch(self._torque, math.copysign(most, torque))
            return
        self._switch(self._voltage, voltage)

    def _limited(self, value: float, most: float, what: str, time: float) -> float:
        if abs(value) <= most * (1.0 + 1e-9):
            return value
        self._note(what, time)
        return math.copysign(most, value)

    def _note(self, what: str, time: float) -> None:
        self._at_limit = True
        self.held_back.setdefault(what, time)

    def _switch(self, on: int | None, value: float = 0.0) -> None:
        """Let one of the motor's actuators act, or none."""
        groups, ctrl = self._model.actuator_group, self._data.ctrl
        for actuator in (self._torque, self._voltage):
            if actuator is not None:
                groups[actuator] = ON_GROUP if actuator == on else OFF_GROUP
        if on is not None:
            ctrl[on] = value

    # Looking

    @property
    def speed(self) -> float:
        """Of the shaft now [rad/s]."""
        return self.built.sheet.gear * float(self._data.qvel[self._dof])

    def quantities(self, speed: float) -> dict[str, float]:
        """Return the torque [N·m] of the shaft in the step just taken, and the voltage [V] and current [A] that go with it.

        Args:
            speed: Of the shaft when the step began [rad/s].
        """
        sheet = self.built.sheet
        forces = self._data.actuator_force
        torque = sum(float(forces[actuator]) for actuator in (self._torque, self._voltage) if actuator is not None)
        found = {"speed": speed, "torque": torque}
        if sheet.torque_constant is not None:
            current = torque / sheet.torque_constant
            found["current"] = current
            if sheet.resistance is not None:
                found["voltage"] = sheet.resistance * current + sheet.torque_constant * speed
        return found


def split_command(name: str) -> tuple[str, MotorQuantity] | None:
    """Return name and quantity of ``ACTUATOR:QUANTITY``, or None where it is nothing of that kind."""
    actuator, colon, quantity = name.rpartition(":")
    if not colon or quantity not in list(MotorQuantity):
        return None
    return actuator, MotorQuantity(quantity)
