"""Description of the integrator of a simulation, and findings about its steps."""

from __future__ import annotations

from typing import Any

from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import rules
from ossature.simulation.engine_element_paths import body_path
from ossature.simulation.simulation_runtime import SimulationRuntime

_ORDERS = {1: "first order", 2: "second order"}


class IntegratorSummary:
    """The integrator of a simulation, its number of sub-steps and its estimated errors."""

    def __init__(self, world: World, engine: SimulationRuntime, report: Report) -> None:
        self._world, self._engine, self._report = world, engine, report
        self._has_reported = False
        self._steps = self._sub_steps = 0
        choice = engine.compiled.choice
        if choice.excess:
            message = f"{choice.reason}: {choice.excess:.2g} times the stability limit with {_sub_steps_text(choice.sub_steps)}"
            report.add(
                rules.UNSTABLE_STEP,
                message,
                world.origin,
                hint="reduce the time step (--time-step), or select another --integrator",
            )

    def switch_to_engine(self, engine: SimulationRuntime) -> None:
        """Describe another compilation of the same World from now on."""
        self._engine = engine

    @property
    def name(self) -> str:
        """The name of the integrator, as in the option of a simulation."""
        return self._engine.compiled.choice.integrator.value

    @property
    def order(self) -> int:
        """The order of convergence of the integrator."""
        return self._engine.compiled.choice.integrator.order

    @property
    def reason(self) -> str:
        """Why the integrator was selected."""
        return self._engine.compiled.choice.reason

    @property
    def least_sub_steps(self) -> int:
        """The smallest number of sub-steps of a step, because of stiff elements."""
        return self._engine.compiled.choice.sub_steps

    @property
    def most_sub_steps(self) -> int:
        """The largest number of sub-steps of a step so far."""
        return self._engine.stepper.sub_steps.record.most

    @property
    def largest_error(self) -> float | None:
        """The largest estimated error per second of a step so far [m/s or rad/s]; None if there is no estimate.

        Of steps whose errors are far below the tolerance only one in eight is estimated.
        """
        return self._engine.stepper.sub_steps.record.largest_error if self.order == 2 else None

    def __str__(self) -> str:
        """Return a description in one line."""
        text = f"integrator: {self.name}, {_ORDERS[self.order]}; {self.reason}"
        record = self._engine.stepper.sub_steps.record
        if record.most > 1:
            fixed = record.most == self.least_sub_steps
            text += (
                f"; {_sub_steps_text(record.most)}"
                if fixed
                else f"; up to {_sub_steps_text(record.most)} at {record.most_at:.3g} s"
            )
        if record.largest_error and record.largest_dof >= 0:
            joint = self._path(record.largest_dof)
            text += (
                f"; estimated error up to {record.largest_error:.1g} m or rad per second ({joint}, {record.largest_at:.3g} s)"
            )
        return text

    def as_dict(self) -> dict[str, Any]:
        """Return the description as plain data."""
        record = self._engine.stepper.sub_steps.record
        return {
            "name": self.name,
            "order": self.order,
            "reason": self.reason,
            "sub_steps": {"least": self.least_sub_steps, "most": record.most, "most_at": record.most_at},
            "estimated_error_per_second": self.largest_error,
        }

    def check(self) -> None:
        """Report a step whose estimated error exceeds the tolerance in spite of sub-steps."""
        sub_steps = self._engine.stepper.sub_steps
        if sub_steps.record.unmet is None or self._has_reported:
            return
        self._has_reported = True
        time, dof, error = sub_steps.record.unmet
        count = sub_steps.record.most
        message = (
            f"{self._path(dof)} has an estimated error of {error:.2g} m or rad per second at {time:.4g} s with "
            f"{_sub_steps_text(count)}; the tolerance is {sub_steps.tolerance:g}"
        )
        hint = "reduce the time step (--time-step)" if count > 1 else "reduce the time step (--time-step), or allow sub-steps"
        self._report.add(rules.TOLERANCE_NOT_MET, message, self._world.origin, hint=hint)

    def _path(self, dof: int) -> str:
        """Return the joint, or else the body, that a degree of freedom of the engine moves."""
        compiled = self._engine.compiled
        body = int(compiled.model.dof_bodyid[dof])
        joint = next((each.joint.name for each in compiled.index.all_joints() if each.body == body), None)
        return f"body '{body_path(compiled, body)}'" if joint is None else f"joint '{joint}'"


def _sub_steps_text(count: int) -> str:
    return "1 sub-step" if count == 1 else f"{count} sub-steps"
