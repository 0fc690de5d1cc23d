"""All sensors of a simulation, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ossature.diagnostics import suggestion
from ossature.model import Model, Sensor
from ossature.sensor_models import rules
from ossature.sensor_models.default_values import report_defaults
from ossature.sensor_models.validation import faults
from ossature.simulation.sensors.sensor_base import Device, SensorState
from ossature.simulation.sensors.sensor_context import SensorContext
from ossature.simulation.sensors.sensor_reading import Reading
from ossature.simulation.sensors.sensor_registry import DEVICES
from ossature.simulation.sensors.state_serialization import to_plain_data, unpacked


class Sensors(Mapping[str, Device]):
    """The sensors of a simulation that can sense, by ``model/name``, or by name alone where one model has it.

    Args:
        around: What they sense.
        refresh: Brings places and velocities up to date after steps.
    """

    def __init__(self, around: SensorContext, refresh: Callable[[], None]) -> None:
        self._around, self._refresh = around, refresh
        self._devices: dict[str, Device] = {}
        self._readings: dict[str, list[Reading]] = {}
        refresh()
        for model in around.world.models:
            for sensor in model.sensors:
                device = _device(sensor, model, around)
                if device is not None:
                    self._devices[device.path] = device

    def __getitem__(self, name: str) -> Device:
        found = [device for path, device in self._devices.items() if name in (path, device.sensor.name)]
        if len(found) == 1:
            with self._around.exclusive_use:
                self._refresh()
            return found[0]
        if found:
            raise KeyError(f"several models have a sensor '{name}': {', '.join(device.path for device in found)}")
        raise KeyError(f"there is no sensor '{name}': {suggestion(name, self._devices) or 'nothing senses here'}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._devices)

    def __len__(self) -> int:
        return len(self._devices)

    @property
    def active(self) -> list[Device]:
        """Those that sense at their own times."""
        return [device for device in self._devices.values() if device.is_on]

    def seed(self, seed: int) -> None:
        """Let the noise of all sensors begin anew: the same seed gives the same noise."""
        for device in self._devices.values():
            device.seed(seed)

    def state(self) -> dict[str, SensorState]:
        """Return all that the sensors remember, as plain data."""
        return {path: device.state() for path, device in self._devices.items()}

    def restore(self, states: Mapping[str, SensorState]) -> None:
        """Go back to a state."""
        for path, state in states.items():
            self._devices[path].restore(state)

    def adopt(self, before: Sensors) -> None:
        """Go on with the state and the recordings of the same sensors in another compilation of the World."""
        self.restore(before.state())
        self._readings = before._readings

    def packed(self) -> bytes:
        """Return all that the sensors remember, as bytes."""
        return to_plain_data(self.state())

    def unpack(self, data: bytes) -> None:
        """Go back to the state that :meth:`to_plain_data` gave, here or in another process.

        Raises:
            ValueError: It is not one of these sensors.
        """
        self.restore(unpacked(data, {path: device.READING for path, device in self._devices.items()}))

    def record(self, names: Sequence[str]) -> None:
        """Switch sensors on that are not, and keep their readings from now on."""
        devices = [self[name] for name in names]
        self._readings = {device.path: [] for device in devices}
        for device in devices:
            if not device.is_on:
                device.start()
            reading = device.state().last
            if reading is not None and reading.time >= self._around.time:
                self._readings[device.path].append(reading)

    def recorded(self) -> dict[str, tuple[Reading, ...]]:
        """Return what was kept, and keep no more."""
        kept = {path: tuple(readings) for path, readings in self._readings.items()}
        self._readings = {}
        return kept

    def accompany(self, count: int, step_on: Callable[[int], None]) -> None:
        """Step on and let sensors sense when their time has come.

        Args:
            count: How many steps.
            step_on: Takes a number of steps.
        """
        step = float(self._around.compiled.model.opt.timestep)
        active = self.active
        while count > 0:
            steps = min(count, *(device.steps_until_due(self._around.time, step) for device in active))
            is_watched = any(device.watches_steps for device in active)
            before = self._around.data.qpos.copy() if is_watched else None
            step_on(steps)
            count -= steps
            due = [device for device in active if device.is_due(self._around.time, step)]
            if due:
                self._refresh()
            for device in due:
                self._keep(device, device.after(before if device.watches_steps else None))

    def _keep(self, device: Device, reading: Reading | None) -> None:
        if reading is not None and device.path in self._readings:
            self._readings[device.path].append(reading)


def _device(sensor: Sensor, model: Model, around: SensorContext) -> Device | None:
    path = f"{model.name}/{sensor.name}"
    problem = next(_problems(sensor, model), None)
    if problem is not None:
        around.report.add(rules.NO_SENSE, f"sensor '{sensor.name}' senses nothing: {problem}", sensor.origin, path=path)
        return None
    report_defaults(sensor, path, around.report)
    kind: Any = DEVICES[type(sensor.description)]
    return kind(sensor, model, around, 0)  # type: ignore[no-any-return]  # a device


def _problems(sensor: Sensor, model: Model) -> Iterator[str]:
    if sensor.description is None:
        yield f"nobody knows its type '{sensor.type or ''}'"
    elif sensor.body is None or sensor.body not in model.bodies:
        yield f"it is on the body '{sensor.body}', which does not exist" if sensor.body else "it is on no body"
    else:
        yield from (fault.message for fault in faults(sensor.description, model))
