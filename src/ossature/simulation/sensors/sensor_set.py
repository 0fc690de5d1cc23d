"""All sensors of a simulation, by name."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ossature.diagnostics import suggestion
from ossature.model import (
    Encoder,
    FlashLaser,
    Force6D,
    Imu,
    Laser2D,
    Laser3D,
    Model,
    Odometry,
    PinholeCamera,
    Sensor,
    StereoCamera,
    UnknownNameError,
)
from ossature.sensor_models import rules
from ossature.sensor_models.report_assumed_defaults import report_assumed_defaults
from ossature.sensor_models.validation import find_faults
from ossature.simulation.sensors.camera import CameraDevice
from ossature.simulation.sensors.encoder import EncoderDevice
from ossature.simulation.sensors.flash_lidar import FlashLaserDevice
from ossature.simulation.sensors.force6d import Force6DDevice
from ossature.simulation.sensors.imu import ImuDevice
from ossature.simulation.sensors.lidar import Laser2DDevice, Laser3DDevice
from ossature.simulation.sensors.mujoco_sensor import MeasurementDevice
from ossature.simulation.sensors.odometry import OdometryDevice
from ossature.simulation.sensors.reading_base import Reading
from ossature.simulation.sensors.sensor_base import Device, SensorState
from ossature.simulation.sensors.sensor_context import SensorContext
from ossature.simulation.sensors.stereo import StereoDevice


class Sensors(Mapping[str, Device]):
    """The supported sensors of a simulation, by ``model/name``, or by name alone if it is unique.

    Args:
        refresh: Updates positions and velocities after steps.
    """

    def __init__(self, context: SensorContext, refresh: Callable[[], None]) -> None:
        self._context, self._refresh = context, refresh
        self._devices: dict[str, Device] = {}
        self._readings: dict[str, list[Reading]] = {}
        refresh()
        for model in context.world.models:
            for sensor in model.sensors:
                device = _create_device(sensor, model, context)
                if device is not None:
                    self._devices[device.path] = device
        self._initial = self.state()

    def __getitem__(self, name: str) -> Device:
        matches = [device for path, device in self._devices.items() if name in (path, device.sensor.name)]
        if len(matches) == 1:
            with self._context.exclusive_use:
                self._refresh()
            return matches[0]
        if matches:
            raise UnknownNameError(f"several models have a sensor '{name}': {', '.join(device.path for device in matches)}")
        raise UnknownNameError(
            f"there is no sensor '{name}': {suggestion(name, self._devices) or 'the simulation has no sensors'}"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._devices)

    def __len__(self) -> int:
        return len(self._devices)

    @property
    def active(self) -> list[Device]:
        """The sensors that measure periodically."""
        return [device for device in self._devices.values() if device.is_on]

    def seed(self, seed: int) -> None:
        """Seed the noise of all sensors: the same seed gives the same noise."""
        for device in self._devices.values():
            device.seed(seed)

    def state(self) -> dict[str, SensorState]:
        """Return the states of all sensors as plain data."""
        return {path: device.state() for path, device in self._devices.items()}

    def restore(self, states: Mapping[str, SensorState]) -> None:
        """Restore the states of sensors."""
        for path, state in states.items():
            self._devices[path].restore(state)

    def reset(self) -> None:
        """Switch all sensors off and restore the state in which they were built, also that of their noise."""
        self.restore(self._initial)

    def adopt(self, before: Sensors) -> None:
        """Continue with the state and the recordings of the same sensors in another compilation of the World."""
        self.restore(before.state())
        self._initial = before._initial
        self._readings = before._readings

    def to_bytes(self) -> bytes:
        """Return the states of all sensors as bytes."""
        return states_to_bytes(self.state())

    def restore_bytes(self, data: bytes) -> None:
        """Restore the states from the value of :meth:`to_bytes`, also of another process.

        Raises:
            ValueError: They are not states of these sensors.
        """
        self.restore(states_from_bytes(data, {path: device.READING for path, device in self._devices.items()}))

    def record(self, names: Sequence[str]) -> None:
        """Switch sensors on, and record their readings from now on."""
        devices = [self[name] for name in names]
        self._readings = {device.path: [] for device in devices}
        for device in devices:
            if not device.is_on:
                device.start()
            reading = device.state().last
            if reading is not None and reading.time >= self._context.time:
                self._readings[device.path].append(reading)

    def recorded(self) -> dict[str, tuple[Reading, ...]]:
        """Return the recorded readings, and stop recording."""
        recorded = {path: tuple(readings) for path, readings in self._readings.items()}
        self._readings = {}
        return recorded

    def advance(self, count: int, take_steps: Callable[[int], None]) -> None:
        """Take steps, and update sensors when they are due.

        Args:
            take_steps: Takes a number of steps.
        """
        step = float(self._context.compiled.model.opt.timestep)
        active = self.active
        while count > 0:
            steps = min(count, *(device.steps_until_due(self._context.time, step) for device in active))
            needs_positions = any(device.needs_every_step for device in active)
            before = self._context.data.qpos.copy() if needs_positions else None
            take_steps(steps)
            count -= steps
            due = [device for device in active if device.is_due(self._context.time, step)]
            if due:
                self._refresh()
            for device in due:
                self._append_reading(device, device.update(before if device.needs_every_step else None))

    def _append_reading(self, device: Device, reading: Reading | None) -> None:
        if reading is not None and device.path in self._readings:
            self._readings[device.path].append(reading)


def _create_device(sensor: Sensor, model: Model, context: SensorContext) -> Device | None:
    path = f"{model.name}/{sensor.name}"
    if sensor.name in context.compiled.index.sensors.get(model.name, {}):
        return MeasurementDevice(sensor, model, context, 0)
    problem = next(_problems(sensor, model), None)
    if problem is not None:
        context.report.add(
            rules.UNSUPPORTED_SENSOR, f"sensor '{sensor.name}' cannot be simulated: {problem}", sensor.origin, path=path
        )
        return None
    report_assumed_defaults(sensor, path, context.report)
    device_class: Any = DEVICES[type(sensor.description)]
    return device_class(sensor, model, context, 0)  # type: ignore[no-any-return]  # a device


def _problems(sensor: Sensor, model: Model) -> Iterator[str]:
    if sensor.measurement is not None and sensor.description is None:
        yield "it measures a state, which only the simulation of MuJoCo does"
    elif sensor.description is None:
        yield f"unknown sensor type '{sensor.type or ''}'"
    elif sensor.body is None or sensor.body not in model.bodies:
        yield f"its body '{sensor.body}' does not exist" if sensor.body else "it is not attached to a body"
    else:
        yield from (fault.message for fault in find_faults(sensor.description, model))


DEVICES: dict[type, type[Device]] = {
    PinholeCamera: CameraDevice,
    StereoCamera: StereoDevice,
    Laser2D: Laser2DDevice,
    Laser3D: Laser3DDevice,
    FlashLaser: FlashLaserDevice,
    Encoder: EncoderDevice,
    Force6D: Force6DDevice,
    Imu: ImuDevice,
    Odometry: OdometryDevice,
}
"""The device class of each type of description."""


_STATES = "states"
_MEMORY, _LAST = "memory", "last"


def states_to_bytes(states: Mapping[str, SensorState]) -> bytes:
    """Return states by sensor as bytes, which cannot execute code when they are read."""
    plain = {
        path: {"is_on": state.is_on, "began": state.began, "count": state.count, "generator": state.generator}
        for path, state in states.items()
    }
    arrays: dict[str, Any] = {_STATES: np.frombuffer(json.dumps(plain).encode(), np.uint8)}
    for path, state in states.items():
        arrays |= {f"{path}|{_MEMORY}|{name}": array for name, array in state.type_state.items()}
        if state.last is not None:
            arrays |= {f"{path}|{_LAST}|{name}": array for name, array in state.last.arrays().items()}
    data = io.BytesIO()
    np.savez_compressed(data, **arrays)
    return data.getvalue()


def states_from_bytes(data: bytes, kinds: Mapping[str, type[Reading]]) -> dict[str, SensorState]:
    """Return the states by sensor from bytes.

    Args:
        kinds: The type of the readings of each sensor.

    Raises:
        ValueError: They are not states, or states of other sensors.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            plain = json.loads(arrays[_STATES].tobytes())
            if set(plain) != set(kinds):
                raise ValueError("it is the state of other sensors")
            return {
                path: SensorState(
                    **fields,
                    last=_last_reading(path, kinds[path], _arrays_of(arrays, path, _LAST)),
                    type_state=_arrays_of(arrays, path, _MEMORY),
                )
                for path, fields in plain.items()
            }
    except (OSError, KeyError, TypeError, EOFError, ValueError, BadZipFile) as error:
        raise ValueError(f"the state of the sensors cannot be read: {error}") from error


def _arrays_of(arrays: Any, path: str, part: str) -> dict[str, Any]:
    prefix = f"{path}|{part}|"
    return {name.removeprefix(prefix): arrays[name] for name in arrays.files if name.startswith(prefix)}


def _last_reading(path: str, kind: type[Reading], arrays: Mapping[str, Any]) -> Reading | None:
    return kind.of_arrays(path, arrays) if arrays else None
