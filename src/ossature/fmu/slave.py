"""The part of a unit that runs in the program that simulates it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pythonfmu import Fmi2Causality, Fmi2Slave, Real

from ossature.io import load
from ossature.simulation import Plant, SimulationError

_TOLERANCE = 1e-6
"""Largest deviation of a communication step from a multiple of the time step, in time steps."""


class FmuSlave(Fmi2Slave):  # type: ignore[misc]  # PythonFMU has no types
    """A mechanism in co-simulation; a unit has a subclass with its model.

    Attributes:
        MODEL: The model's file in the resources of the unit.
        INPUTS: The commanded elements, or None for the default.
    """

    MODEL: ClassVar[str]
    INPUTS: ClassVar[Sequence[str] | None] = None

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.description = "A mechanism, simulated by Ossature."
        self._plant = Plant(load(Path(self.resources) / self.MODEL), self.INPUTS)
        self._commands = [0.0] * self._plant.u.size
        self._is_commanded = False
        names: set[str] = set()
        for number, name in enumerate(self._plant.u_names):
            self._register(names, f"u.{name}", Fmi2Causality.input, self._commands, number)
        for number, name in enumerate(self._plant.q_names):
            self._register(names, f"q.{name}", Fmi2Causality.output, "q", number)
            self._register(names, f"v.{name}", Fmi2Causality.output, "v", number)

    def _register(self, names: set[str], label: str, causality: Fmi2Causality, values: list[float] | str, number: int) -> None:
        """Register a variable with a structured name: ``q.MODEL.JOINT``, and ``q.MODEL.JOINT[1]``, … from one for several."""
        name = ".".join(re.sub(r"[^\w\[\]]", "_", part) for part in label.replace("/", ".").split("."))
        while name in names:
            name += "_"
        names.add(name)
        if isinstance(values, str):
            view = values
            variable = Real(name, causality=causality, getter=lambda: float(getattr(self._plant, view)[number]))
        else:
            commands = values

            def set_command(value: float) -> None:
                commands[number], self._is_commanded = value, True

            variable = Real(name, causality=causality, getter=lambda: commands[number], setter=set_command)
        self.register_variable(variable, nested=False)

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Take a communication step; return whether it succeeded."""
        steps = step_size / self._plant.simulation.time_step
        if abs(steps - round(steps)) > _TOLERANCE or round(steps) < 1:
            self.log(f"the step {step_size:g} s is no multiple of the time step {self._plant.simulation.time_step:g} s")
            return False
        try:
            self._plant.step(self._commands if self._is_commanded else None, steps=round(steps))
        except SimulationError as error:
            self.log(str(error))
            return False
        return True
