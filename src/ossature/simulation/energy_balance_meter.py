"""The energy balance of a run: the change of energy against the work of all forces."""

from __future__ import annotations

import math
from operator import add
from typing import TYPE_CHECKING

from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation.accuracy_results import EnergyBalance
from ossature.simulation.work_recorder import Work, WorkRecorder

if TYPE_CHECKING:
    from ossature.simulation.simulation_runtime import SimulationRuntime

_ENERGY_EVERY = 150
"""Steps between two samples of energy; every second sample of the initial phase, so that a short run has enough of them."""
_MOST_SAMPLES = 100
"""Samples after which they are compared with the work at the latest."""
_INITIAL_PHASE = 10
"""Samples of the initial phase of a run."""
_RELATIVE_ERROR = {1: 0.02, 2: 0.002}
"""Relative error of the work by the time of the forces within a step, by the order of the integrator."""
_ROUNDING = 1e-9
_LEAST_ENERGY = 1e-6
"""Energy below which a balance is not significant: massless bodies have the smallest mass that the engine supports [J]."""
_LEAST_SHARE = 0.01
"""Smallest scale of the energy, relative to the weight of moving bodies times their extent."""


class EnergyBalanceMeter:
    """Compares the energy with the work of all forces during a run.

    Args:
        engine: The compiled World at run time.
        extent: The extent of the bodies that can move [m].
    """

    def __init__(self, engine: SimulationRuntime, extent: float) -> None:
        self._samples: list[tuple[float, float, float]] = []
        self._before, self._change = 0.0, 0.0
        self._earlier = self._work = Work(0.0, 0.0, 0.0, 0.0, 0.0)
        self._lowest = self._highest = self._kinetic = 0.0
        self._gain = self._gain_time = self._loss = self._loss_time = 0.0
        self._potential_range = 0.0
        self._has_moving_stops = False
        self._set_engine(engine, extent)

    def switch_to_engine(self, engine: SimulationRuntime, extent: float) -> None:
        """Continue with another compilation from the same balance: energy dissipated by a grasp is not a loss."""
        self._evaluate_samples()
        self._before, self._earlier = self._change, self._work
        self._set_engine(engine, extent)

    def _set_engine(self, engine: SimulationRuntime, extent: float) -> None:
        model = engine.compiled.model
        self._engine, self._data = engine, engine.data
        self._has_moving_stops |= engine.inputs.stops.is_active
        self._recorder = WorkRecorder(engine.compiled, engine.data, engine.inputs)
        engine.stepper.recorder = self._recorder
        if engine.stepper.is_at_start:
            self._recorder.restart(float(model.opt.timestep) / engine.stepper.sub_steps.count)
        potential, kinetic = engine.conservative_energy()
        self._start = potential + kinetic
        self._deepest = self._highest_potential = potential
        weight = math.hypot(*model.opt.gravity.tolist()) * float(model.body_mass[engine.compiled.moving_bodies].sum())
        self._least_scale = _LEAST_SHARE * weight * extent
        self._relative_error = _RELATIVE_ERROR[engine.compiled.choice.integrator.order]
        self._count = self._since = 0

    def is_due(self, steps: int) -> bool:
        """Return whether a sample of energy is due.

        Args:
            steps: Steps since the last call.
        """
        self._count += 1
        self._since += steps
        return self._since >= _ENERGY_EVERY or (self._count <= _INITIAL_PHASE and self._count % 2 == 0)

    def complete(self) -> None:
        """Take a sample of energy now if there were steps since the last one."""
        if self._since:
            self.measure()

    def stop(self) -> None:
        """Keep the balance as of the last sample, because the run has diverged."""
        self._since = 0
        self._evaluate_samples()
        self._engine.stepper.recorder = None

    def measure(self) -> None:
        """Take a sample of energy, which is compared with the work when the balance is needed: many samples at once."""
        self._since = 0
        self._recorder.sample()
        self._samples.append((float(self._data.time), *self._engine.conservative_energy()))
        if len(self._samples) >= _MOST_SAMPLES:
            self._evaluate_samples()

    def _evaluate_samples(self) -> None:
        if self._samples:
            with suppress_engine_warnings():  # a simulation that diverges is reported elsewhere
                for sample, now in zip(self._samples, self._recorder.take_samples(), strict=True):
                    self._evaluate(*sample, now)
            self._samples.clear()

    def _evaluate(self, time: float, potential: float, kinetic: float, now: Work) -> None:
        """Compare a sample of energy with the work up to its time."""
        self._work = work = Work(*map(add, now, self._earlier))._replace(jump=now.jump)
        self._kinetic = max(self._kinetic, kinetic)
        self._deepest, self._highest_potential = min(self._deepest, potential), max(self._highest_potential, potential)
        self._potential_range = max(self._potential_range, self._highest_potential - self._deepest)
        self._change = self._before + potential + kinetic - self._start
        excess = self._change - work.supplied + work.damped
        # Only a stop that returns a joint to its limits supplies energy; other constraints can but dissipate it.
        rubbed = work.rubbed if self._has_moving_stops else max(work.rubbed, 0.0)
        gain, loss = excess + rubbed - work.jump, -excess - work.rubbed - work.jump
        if gain > self._gain:
            self._gain, self._gain_time = gain, time
        if loss > self._loss:
            self._loss, self._loss_time = loss, time
        self._lowest, self._highest = min(self._lowest, work.supplied), max(self._highest, work.supplied)

    def balance(self) -> EnergyBalance:
        """Return the balance up to the last sample."""
        self._evaluate_samples()
        work = self._work
        largest_potential = max(abs(self._deepest), abs(self._highest_potential))
        moved = self._kinetic + self._potential_range + self._highest - self._lowest + work.damped
        return EnergyBalance(
            change=self._change,
            supplied=work.supplied,
            dissipated_by_dampers=work.damped,
            dissipated_by_constraints=work.rubbed,
            uncertainty=self._relative_error * work.throughput + _ROUNDING * largest_potential + _LEAST_ENERGY,
            scale=max(moved, self._least_scale),
            gain=self._gain,
            gain_time=self._gain_time,
            loss=self._loss,
            loss_time=self._loss_time,
        )
