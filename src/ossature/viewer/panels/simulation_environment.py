"""The folder "Environment": bases, floor, gravity and time step of simulations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ossature.kinematics import DEFAULT_DENSITY, BaseChoice
from ossature.viewer.properties_and_findings_html import paragraph
from ossature.viewer.simulation_environment import AdaptedFile, SimulationEnvironment

if TYPE_CHECKING:
    import viser

OnChange = Callable[[SimulationEnvironment], None]

_BASES = {"as read": BaseChoice.BY_RULE, "fixed": BaseChoice.FIXED, "floating": BaseChoice.FLOATING}
_SHORTEST_STEP, _LONGEST_STEP = 1e-6, 0.1
_DECIMALS = 3
"""Decimals of gravity that its fields have room for."""


class EnvironmentPanel:
    """Changes the environment; each change starts the simulation again."""

    def __init__(
        self,
        gui: viser.GuiApi,
        files: Sequence[AdaptedFile],
        environment: SimulationEnvironment,
        on_change: OnChange,
        *,
        is_open: bool,
    ) -> None:
        self._environment, self._on_change = environment, on_change
        world = files[0].loaded.world
        assert world is not None  # noqa: S101  # it is shown
        x, y, z = self._gravity = world.gravity if environment.gravity is None else environment.gravity
        can_add = any(file.can_add_floor or file.has_floor for file in files)
        with gui.add_folder("Environment", expand_by_default=is_open):
            base: Any = gui.add_dropdown(
                "Base",
                tuple(_BASES),
                initial_value=next(name for name, choice in _BASES.items() if choice is environment.base),
                hint="Whether the bases of robots are fixed to the world or float",
            )
            why = "A horizontal plane below the robots" if can_add else "There is a plane, or gravity is not along -z"
            floor = gui.add_checkbox("Floor", any(file.has_floor for file in files), disabled=not can_add, hint=why)
            shown = (round(x, _DECIMALS), round(y, _DECIMALS), round(z, _DECIMALS))
            gravity = gui.add_vector3("Gravity", shown, step=0.01, hint="Gravitational acceleration [m/s²]")
            step = gui.add_number(
                "Time step",
                min(max(environment.time_step or world.time_step, _SHORTEST_STEP), _LONGEST_STEP),
                min=_SHORTEST_STEP,
                max=_LONGEST_STEP,
                step=1e-6,
                hint="Time step of simulations [s]",
            )
            infers = gui.add_checkbox(
                "Infer inertia",
                environment.infers_inertia,
                hint=f"Mass and inertia from the shapes, at {DEFAULT_DENSITY:g} kg/m³, for bodies that have none",
            )
            gui.add_html("".join(paragraph(text) for text in dict.fromkeys(text for file in files for text in file.statements)))
        base.on_update(lambda event: self._change(event, base=_BASES[str(event.target.value)]))
        floor.on_update(lambda event: self._change(event, has_floor=bool(event.target.value)))
        gravity.on_update(lambda event: self._change(event, gravity=self._specified_gravity(event.target.value)))
        step.on_update(lambda event: self._change(event, time_step=float(event.target.value)))

        infers.on_update(lambda event: self._change(event, infers_inertia=bool(event.target.value)))

    def _specified_gravity(self, values: Sequence[float]) -> tuple[float, ...]:
        """Return the gravity of the page; components that show the rounded ones of the file are those of the file."""
        pairs = zip(values, self._gravity, strict=True)
        return tuple([exact if value == round(exact, _DECIMALS) else float(value) for value, exact in pairs])

    def _change(self, event: viser.GuiEvent[Any], **changes: Any) -> None:
        if event.client is not None:
            self._environment = replace(self._environment, **changes)
            self._on_change(self._environment)
