"""Monitoring a run: loop residuals, rotation per step, stiffness and the energy balance, sampled while it is stepped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.model import (
    Actuation,
    ConstantFunction,
    DriveMode,
    PolynomialFunction,
    RampFunction,
    SineFunction,
    SpringDamper,
    TableFunction,
)
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.compile.integrator_choice import STABLE, Integrator, StiffnessMeter
from ossature.simulation.element_paths import body_path, equality_path
from ossature.simulation.run_diagnostics import (
    MOST_LOOP_RESIDUAL,
    MOST_ROTATION_PER_STEP,
    MOST_STIFFNESS,
    MOST_TRAVEL_PER_STEP,
    EnergyBalance,
    Peak,
    RunDiagnostics,
    SingularConfiguration,
)
from ossature.simulation.runtime import SimulationRuntime
from ossature.simulation.singular_configurations import SingularConfigurationMonitor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

LONGEST_INTERVAL = 150
"""Steps between two samples at the most."""
_SHORTEST = 10
"""Steps between two samples at the least."""
_SPREAD = 0.25
"""Share by which intervals differ from one to the next, so that no periodic motion is sampled at the same phases only."""
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
_ENERGY_EVERY = 150
"""Steps for one sample of energy; at the beginning every second sample, so that a short run has enough of them."""
_INITIAL_PHASE = 10
"""Samples that are the beginning of a run."""
_STIFFNESS_EVERY, _STIFFNESS_OFTEN = 2000, 500
"""Steps for one sample of stiffness; the second if the last one was more than a share of what the integrator allows."""
_NEARLY_STIFF = 0.3
_ROOT_OF_3 = 3.0**0.5
_NEGLIGIBLE = 1e-12
_SENSIBLE = 1e9
"""Velocity above which the engine's state is not sampled [m/s, rad/s]."""
_SMOOTH = (ConstantFunction, PolynomialFunction, SineFunction)
_SMOOTH_RATES = {DriveMode.POSITION: _SMOOTH, DriveMode.SPEED: (*_SMOOTH, RampFunction, TableFunction)}
"""Functions of motors whose prescribed rate never jumps."""
_COARSE, _FINE = 0.02, 0.004
"""Size of the correction of the trapezoidal rule, as a share of the work between two samples, above and below which the
intervals become shorter and longer: a sinusoidal power is sampled about 13 to 28 times a period."""
_ERROR_FACTOR = 20.0
"""Factor on that share to the power of 3/2 which bounds the share of the work that is not resolved: the error of the parabola
is one order higher than the correction, and ten times less than this for a sinusoidal power."""
_IRRELEVANT = 1e-5
"""Size of that correction, as a share of the energy that takes part in the motion, which needs no shorter interval."""
_QUADRATURE = 0.02
"""Share of the work that its quadrature and the moment of its forces within a step may be wrong by."""
_ROUNDING = 1e-9
_LEAST_ENERGY = 1e-6
"""Energy below which a balance says nothing: massless bodies are given the least mass that the engine bears [J]."""
_LEAST_SHARE = 0.01
"""Share of weight times extent of a model that its energy is compared with at least."""

_WELD, _JOINT = int(mujoco.mjtEq.mjEQ_WELD), int(mujoco.mjtEq.mjEQ_JOINT)


@dataclass(slots=True)
class _Largest:
    """The largest value so far, the time of it, and the engine's number or the name of what has it."""

    value: float = -1.0
    time: float = 0.0
    of: int | str = 0
    bound: float | None = None


class RunMonitor:
    """Monitors a run, by samples that cost a small share of a step.

    Nothing that a step depends on changes.

    Args:
        engine: What is stepped.
    """

    def __init__(self, engine: SimulationRuntime) -> None:
        self._steps = self._samples = 0
        self._judged = self._exceeding = 0
        self._share_of_bound = -1.0
        self._residual, self._rotation = _Largest(), _Largest(bound=MOST_ROTATION_PER_STEP)
        self._travel, self._stiffness = _Largest(), _Largest(bound=MOST_STIFFNESS)
        self._found: list[SingularConfiguration] = []
        self._attach(engine)
        self._energy = _EnergyAccount(engine)

    def go_on(self, engine: SimulationRuntime) -> None:
        """Monitor another engine from now on, or the same one in another state."""
        for largest in (self._residual, self._rotation, self._travel):
            self._name(largest)
        self._attach(engine)
        self._energy.go_on(engine)

    def _attach(self, engine: SimulationRuntime) -> None:
        compiled, data = engine.compiled, engine.data
        self._compiled, self._data = compiled, data
        self._loops = _LoopRows(compiled, data)
        engine.stepper.after_step = self._loops.keep if self._loops.has_rows else None
        self._step = float(compiled.model.opt.timestep)
        self._travel.bound = MOST_TRAVEL_PER_STEP * float(compiled.model.stat.extent)
        self._sub_steps = engine.stepper.sub_steps
        self._interval = _SHORTEST
        self._since = 0
        self._qvel = data.qvel
        self._cvel, self._xipos, self._centers = data.cvel, data.xipos, data.subtree_com
        self._spins = data.cvel[:, :3]
        self._roots = compiled.model.body_rootid
        self._stiffness_meter: StiffnessMeter | None = None
        if compiled.choice.scheme is Integrator.CENTRED:
            meter = StiffnessMeter(compiled.model, compiled.elements, compiled.choice.sub_steps)
            self._stiffness_meter = meter if meter.has_parts else None
        self._next_stiffness = self._steps
        self._most_sub_steps = self._sub_steps.count
        self._singular = SingularConfigurationMonitor(compiled, data, LONGEST_INTERVAL, self._found)
        self._last_singular, self._next_singular = self._steps, self._steps + 1

    @property
    def interval(self) -> int:
        """How many steps may be taken until a sample is due."""
        return max(self._interval - self._since, 1)

    def after(self, steps: int) -> None:
        """Take a sample if one is due.

        Args:
            steps: How many steps were taken since this was called last.
        """
        self._steps += steps
        self._since += steps
        if self._since >= self._interval:
            self._sample(self._since)

    def complete(self) -> None:
        """Take a sample now, if any step was taken since the last one."""
        if self._since:
            self._sample(self._since)
        self._energy.complete()

    def _sample(self, steps: int) -> None:
        self._since = 0
        if not np.abs(self._qvel).max(initial=0.0) < _SENSIBLE:
            return  # it diverges, which is found out elsewhere
        self._samples += 1
        time = float(self._data.time)
        # Components are compared before anything is squared and summed: that is what most samples cost.
        rotation = float(np.abs(self._spins).max()) * self._step
        sub_step = self._step / self._sub_steps.count
        if _ROOT_OF_3 * rotation / self._sub_steps.count > self._rotation.value:
            self._note(self._rotation, self._spins, time, sub_step)
        if self._loops.has_rows:
            self._sample_residual(time)
        if self._energy.sample(steps):
            ways = self._cvel[:, 3:] + _cross(self._spins, self._xipos - self._centers[self._roots])
            self._note(self._travel, ways, time, sub_step)
            self._energy.measure()
        # Steps that need more sub-steps than before may be those of a stiffer configuration.
        is_divided_more = self._sub_steps.count > self._most_sub_steps
        if self._stiffness_meter is not None and (is_divided_more or self._steps >= self._next_stiffness):
            self._most_sub_steps = max(self._most_sub_steps, self._sub_steps.count)
            self._sample_stiffness(self._stiffness_meter, time)
        self._interval = self._next_interval()
        if self._singular.has_loops:
            self._sample_singular(time - sub_step)

    def _next_interval(self) -> int:
        """Return the steps until the next sample."""
        spread = 1.0 - _SPREAD * (self._samples * _GOLDEN % 1.0)
        return max(int(self._energy.interval * spread), _SHORTEST)

    def _note(self, largest: _Largest, velocities: Vector, time: float, duration: float) -> None:
        """Note the largest of some velocities of bodies, as a displacement in a step or sub-step of a duration [s]."""
        squares = np.einsum("ij,ij->i", velocities, velocities)
        body = int(squares.argmax())
        value = float(np.sqrt(squares[body])) * duration
        if value > largest.value:
            largest.value, largest.time, largest.of = value, time, body

    def _sample_residual(self, time: float) -> None:
        """Note the residual that is the largest share of its bound in the steps since the last sample."""
        found = self._loops.largest()
        if found is None:
            return
        residual, share, number, ago = found
        if share > self._share_of_bound:
            self._share_of_bound = share
            self._residual.value, self._residual.time, self._residual.of = residual, time - ago * self._step, number
            self._residual.bound = residual / share if share else None
            if share > 1.0:
                self._singular.note_failure(time, self._step)

    def _sample_singular(self, time: float) -> None:
        """Look for singular configurations, if that is due; the engine's data hold the constraints of the last sub-step."""
        if self._steps >= self._next_singular:
            self._singular.sample(time, self._steps - self._last_singular)
            self._last_singular, self._next_singular = self._steps, self._steps + self._singular.wait
        self._interval = min(self._interval, self._next_singular - self._steps)

    def note_divergence(self, time: float) -> None:
        """Note that the run diverged at a time [s], perhaps because a mechanism has locked."""
        self._singular.note_failure(time, self._step)

    def _sample_stiffness(self, meter: StiffnessMeter, time: float) -> None:
        strain, name = meter.strain_at(self._data.qpos)
        share = strain / STABLE
        self._next_stiffness = self._steps + (_STIFFNESS_OFTEN if share > _NEARLY_STIFF else _STIFFNESS_EVERY)
        if share > self._stiffness.value:
            self._stiffness.value, self._stiffness.time, self._stiffness.of = share, time, name

    def _name(self, largest: _Largest) -> None:
        """Put the path of what the engine's number stands for into its place."""
        if largest.value >= 0.0 and not isinstance(largest.of, str):
            path = equality_path if largest is self._residual else body_path
            largest.of = path(self._compiled, largest.of)

    def _peak(self, largest: _Largest) -> Peak | None:
        if largest.value < 0.0:
            return None
        self._name(largest)
        return Peak(value=largest.value, time=largest.time, element=str(largest.of), bound=largest.bound)

    def diagnostics(self) -> RunDiagnostics:
        """Return what the run has shown so far."""
        return RunDiagnostics(
            steps=self._steps,
            samples=self._samples,
            loop_residual=self._peak(self._residual),
            rotation_per_step=self._peak(self._rotation),
            travel_per_step=self._peak(self._travel),
            stiffness=self._peak(self._stiffness),
            energy=self._energy.balance(),
            singular_configurations=tuple(self._found),
        )

    def exceeds_anew(self) -> bool:
        """Whether more of the largest values exceed their bounds than when this was asked last."""
        if self._samples == self._judged:
            return False
        self._judged = self._samples
        before = self._exceeding
        every = (self._residual, self._rotation, self._travel, self._stiffness)
        self._exceeding = sum([one.bound is not None and one.value > one.bound for one in every]) + len(self._found)
        return self._exceeding > before


class _LoopRows:
    """The rows of the engine's constraints that close loops, and their residuals in all steps since the last sample."""

    def __init__(self, compiled: Compiled, data: Any) -> None:
        model = compiled.model
        self._data, self._model = data, model
        following = {coupling.equality.id for coupling in compiled.couplings}
        kinds = model.eq_type
        self._closing = [number for number in range(model.neq) if kinds[number] != _JOINT and number not in following]
        self._length = MOST_LOOP_RESIDUAL * float(model.stat.extent)
        self.has_rows = bool(self._closing)
        # No equality is switched on or off while an engine steps, so that their rows are always the same and come first.
        numbers = np.array(data.efc_id[: data.ne])
        self._first, self._past = 0, 0
        self._numbers, self._bounds = numbers[:0], np.zeros(0)
        rows = np.flatnonzero(np.isin(numbers, self._closing))
        if len(rows):
            self._first, self._past = int(rows[0]), int(rows[-1]) + 1
            self._numbers = numbers[self._first : self._past]
            self._bounds = self._bounds_of_rows()
        self._residuals = np.zeros((LONGEST_INTERVAL, self._past - self._first))
        self._kept = [0]
        self.keep = self._make_keep()

    def _make_keep(self) -> Callable[[], None]:
        """Return what keeps the residuals of the step just taken; a closure, because it is called in every step."""
        data, residuals, counter, columns = self._data, self._residuals, self._kept, slice(self._first, self._past)

        def keep() -> None:
            kept = counter[0]
            if kept < LONGEST_INTERVAL:
                residuals[kept] = data.efc_pos[columns]
                counter[0] = kept + 1

        return keep

    def largest(self) -> tuple[float, float, int, int] | None:
        """Return the residual that is the largest share of its bound in all steps since this was asked last.

        Returns:
            The residual [m or rad], that share, the engine's constraint, and how many steps ago it was met.
        """
        kept, self._kept[0] = self._kept[0], 0
        if not kept or self._past == self._first:
            return None
        residuals = np.abs(self._residuals[:kept])
        shares = residuals / self._bounds
        step, row = divmod(int(shares.argmax()), shares.shape[1])
        return float(residuals[step, row]), float(shares[step, row]), int(self._numbers[row]), kept - 1 - step

    def _bounds_of_rows(self) -> Vector:
        """Return the bound of each row [m or rad]; infinity for rows that close no loop."""
        bounds = []
        for place, number in enumerate(self._numbers.tolist()):
            is_weld = self._model.eq_type[number] == _WELD
            is_turn = is_weld and int((self._numbers[:place] == number).sum()) >= 3
            bounds.append((MOST_LOOP_RESIDUAL if is_turn else self._length) if number in self._closing else np.inf)
        return np.array(bounds)


class _EnergyAccount:
    """The energy balance of a run: energy and work, the latter by quadrature over samples of power."""

    def __init__(self, engine: SimulationRuntime) -> None:
        self._supplied = self._dissipated = self._throughput = self._unresolved = 0.0
        self._before = 0.0
        self._lowest = self._highest = self._kinetic = 0.0
        self._gain = self._gain_time = self._loss = self._loss_time = self._change = 0.0
        self._is_dissipative = False
        self._is_complete = True
        self._potential_range = 0.0
        self._attach(engine)

    def go_on(self, engine: SimulationRuntime) -> None:
        """Go on with another engine, whose energy is as that of the one before: what a grasp takes is no loss."""
        self._before = self._change
        self._attach(engine)

    def _attach(self, engine: SimulationRuntime) -> None:
        compiled, data = engine.compiled, engine.data
        model, elements = compiled.model, compiled.elements
        self._engine, self._model, self._data = engine, model, data
        storing = {built.actuator.id for built in elements.springs}
        storing |= {actuator.id for built in elements.bushings for actuator in built.actuators.values()}
        self._sources = np.array([float(number not in storing) for number in range(model.nu)])
        self._has_sources = bool(self._sources.any())
        self._dampers, self._coefficients = _linear_dampers(compiled)
        self._turning = _turning_dampers(compiled)
        self._ctrl = data.ctrl
        self._damping = np.array(model.dof_damping)
        self._has_damping = bool(self._damping.any())
        self._has_motors = bool((model.eq_type == _JOINT).any() or model.dof_frictionloss.any())
        # A stop that moves back with a joint that started outside its limits does work, which is not computed.
        self._is_complete &= _has_known_energy(compiled) and not engine.inputs.stops.is_active
        self._is_dissipative |= _dissipates(compiled)
        self._qvel, self._force, self._velocity = data.qvel, data.actuator_force, data.actuator_velocity
        self._applied, self._wrenches = data.qfrc_applied, data.xfrc_applied
        self._is_prescribed: Vector = np.zeros(0)
        # Forces of constraints are those of the last step only until the energy is computed.
        self._power, self._loss_power = self._power_in(), self._power_out()
        self._slope = self._last_duration = 0.0
        self.interval = float(_SHORTEST if has_work(compiled) else LONGEST_INTERVAL)
        self.has_work = has_work(compiled)
        self._step = float(model.opt.timestep)
        potential, kinetic = engine.energy()
        self._start = potential + kinetic
        self._deepest = self._highest_potential = potential
        weight = float(np.linalg.norm(model.opt.gravity)) * float(model.body_mass.sum())
        self._least_scale = _LEAST_SHARE * weight * float(model.stat.extent)
        self._count = self._since = 0

    # Sampling

    def sample(self, steps: int) -> bool:
        """Take a sample of power; return whether one of energy is due.

        Args:
            steps: Steps since the last one.
        """
        self._count += 1
        self._since += steps
        if self.has_work:
            self._integrate(steps * self._step)
        elif self._applied.any() or self._wrenches.any():
            self._is_complete = False  # commanded forces began between two samples
        is_due = self._since >= _ENERGY_EVERY
        return is_due or (self._count <= _INITIAL_PHASE and self._count % 2 == 0)

    def _integrate(self, duration: float) -> None:
        """Integrate the power over an interval [s], by the parabola through its ends and the last sample before."""
        power, out = self._power_in(), self._power_out()
        slope = (power - out - self._power + self._loss_power) / duration
        if self._last_duration:
            correction = -(slope - self._slope) / (duration + self._last_duration) * duration**3 / 6.0
        else:
            correction = -slope * duration**2 / 12.0
        throughput = 0.5 * duration * (abs(self._power) + abs(power) + self._loss_power + out)
        self._supplied += 0.5 * duration * (self._power + power) + (correction if self._last_duration else 0.0)
        self._throughput += throughput
        self._dissipated += 0.5 * duration * (self._loss_power + out)
        # A correction that is not small beside the work itself shows motion that is too fast for the interval.
        size = abs(correction)
        share = size / throughput if throughput else 0.0
        self._unresolved += throughput * min(1.0, _ERROR_FACTOR * share**1.5)
        self._power, self._loss_power, self._slope, self._last_duration = power, out, slope, duration
        if share > _COARSE and size > _IRRELEVANT * self._scale():
            self.interval = max(0.5 * self.interval, _SHORTEST)
        elif share < _FINE or size <= _IRRELEVANT * self._scale():
            self.interval = min(1.5 * self.interval, LONGEST_INTERVAL)

    def _scale(self) -> float:
        """Return the energy that takes part in the motion [J]."""
        moved = self._kinetic + self._potential_range + self._highest - self._lowest + self._dissipated
        return max(moved, self._least_scale)

    def complete(self) -> None:
        """Take a sample of energy now, if any of power was taken since the last one."""
        if self._since:
            self.measure()

    def measure(self) -> None:
        """Take a sample of energy."""
        self._since = 0
        potential, kinetic = self._engine.energy()
        time = float(self._data.time)
        self._kinetic = max(self._kinetic, kinetic)
        self._deepest, self._highest_potential = min(self._deepest, potential), max(self._highest_potential, potential)
        self._potential_range = max(self._potential_range, self._highest_potential - self._deepest)
        self._change = self._before + potential + kinetic - self._start
        excess = self._change - self._supplied + self._dissipated
        if excess - self._gain > 0.0:
            self._gain, self._gain_time = excess, time
        if -excess - self._loss > 0.0:
            self._loss, self._loss_time = -excess, time
        self._lowest, self._highest = min(self._lowest, self._supplied), max(self._highest, self._supplied)

    def _power_in(self) -> float:
        """Return the power of what moves bodies by force or prescribes their motion [W]."""
        power = 0.0
        if self._has_sources:
            power += float((self._force * self._sources).dot(self._velocity))
        if self._has_motors:
            power += self._prescribed_power()
        if self._applied.any():
            power += float(self._applied @ self._qvel)
        if self._wrenches.any():
            power += self._wrench_power()
        return power

    def _prescribed_power(self) -> float:
        """Return the power of joints whose coordinate is prescribed, from the forces and velocities of their constraints."""
        data = self._data
        equalities, frictions = data.ne, data.nf
        power = 0.0
        if equalities:
            if equalities != len(self._is_prescribed):
                self._is_prescribed = (self._model.eq_type[data.efc_id[:equalities]] == _JOINT).astype(np.float64)
            power += float((data.efc_force[:equalities] * self._is_prescribed).dot(data.efc_vel[:equalities]))
        if frictions:
            end = equalities + frictions
            power += float(data.efc_force[equalities:end].dot(data.efc_vel[equalities:end]))
        return power

    def _wrench_power(self) -> float:
        data = self._data
        spins = data.cvel[:, :3]
        ways = data.cvel[:, 3:] + _cross(spins, data.xipos - data.subtree_com[self._model.body_rootid])
        return float((self._wrenches[:, :3] * ways).sum() + (self._wrenches[:, 3:] * spins).sum())

    def _power_out(self) -> float:
        """Return the power that linear dampers dissipate [W]."""
        power = 0.0
        if self._has_damping:
            power += float(self._damping @ (self._qvel * self._qvel))
        if len(self._dampers):
            rates = self._velocity[self._dampers]
            power += float(self._coefficients @ (rates * rates))
        if len(self._turning):
            # The velocity between two bodies differs from the rate of the deformation, which is measured in axes that turn;
            # what damps is written as a control for the difference, and its force acts on bodies with the former.
            power -= float(self._ctrl[self._turning] @ self._velocity[self._turning])
        return power

    def balance(self) -> EnergyBalance:
        """Return the balance so far."""
        return EnergyBalance(
            change=self._change,
            supplied=self._supplied,
            dissipated=self._dissipated,
            is_dissipative=self._is_dissipative,
            uncertainty=self._unresolved
            + _QUADRATURE * self._throughput
            + _ROUNDING * max(abs(self._deepest), abs(self._highest_potential))
            + _LEAST_ENERGY,
            scale=self._scale(),
            gain=self._gain,
            gain_time=self._gain_time,
            loss=self._loss,
            loss_time=self._loss_time,
            is_complete=self._is_complete,
        )


def has_work(compiled: Compiled) -> bool:
    """Whether motors, loads or dampers do work."""
    model, elements = compiled.model, compiled.elements
    has_motors = bool(model.nu) or bool(elements.motors) or bool((model.eq_type == _JOINT).any())
    return has_motors or bool(model.dof_frictionloss.any()) or bool(model.dof_damping.any())


def _linear_dampers(compiled: Compiled) -> tuple[NDArray[np.intp], Vector]:
    """Return the actuators of spring-dampers and bushings that have a damping coefficient, and that coefficient."""
    found: dict[int, float] = {}
    for spring in compiled.elements.springs:
        if spring.spring.damping:
            found[spring.actuator.id] = spring.spring.damping
    for bushing in compiled.elements.bushings:
        for component, actuator in bushing.actuators.items():
            if bushing.bushing.damping[component]:
                found[actuator.id] = bushing.bushing.damping[component]
    return np.array(list(found), dtype=np.intp), np.array(list(found.values()))


def _turning_dampers(compiled: Compiled) -> NDArray[np.intp]:
    """Return the actuators of translational damping in bushings whose axes turn with a body."""
    bushings = [built for built in compiled.elements.bushings if built.turning_frame is not None]
    found = [
        actuator.id
        for built in bushings
        for number, actuator in built.actuators.items()
        if number < 3 and built.bushing.damping[number]
    ]
    return np.array(found, dtype=np.intp)


def _dissipates(compiled: Compiled) -> bool:
    """Whether something dissipates whose power is not computed: friction, limits, curves and maps."""
    model = compiled.model
    springs = [built.spring for built in compiled.elements.springs]
    has_curves = any(spring.damping_curve for spring in springs)
    has_curves |= any(isinstance(spring, SpringDamper) and bool(spring.force_map or spring.length_range) for spring in springs)
    can_touch = not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    has_friction = can_touch or bool(model.dof_frictionloss.any() or model.tendon_frictionloss.any())
    return has_curves or has_friction or bool(model.jnt_limited.any()) or bool(compiled.elements.electric)


def _has_known_energy(compiled: Compiled) -> bool:
    """Whether all forces that store energy have a potential that is computed."""
    springs = [built.spring for built in compiled.elements.springs]
    has_maps = any(isinstance(spring, SpringDamper) and spring.force_map for spring in springs)
    rotating = (JointLayout.BALL, JointLayout.STACK, JointLayout.FREE, JointLayout.POINT)
    has_ball_springs = any(
        index.layout in rotating and any(coordinate.stiffness for coordinate in index.joint.coordinates)
        for index in compiled.index.all_joints()
    )
    return not (
        has_maps
        or has_ball_springs
        or _has_unbalanced_bushings(compiled)
        or _has_sudden_motion(compiled)
        or _has_commanded_joints(compiled)
    )


def _has_unbalanced_bushings(compiled: Compiled) -> bool:
    """Whether the translational stiffness of a bushing depends on the direction in axes that turn with a body.

    Its force acts at each body's own point, which has no potential then.
    """
    model = compiled.model
    carriers = [(built.bushing, int(model.site_bodyid[built.reference.id])) for built in compiled.elements.bushings]
    return any(model.body_weldid[carrier] and len(set(bushing.stiffness[:3])) > 1 for bushing, carrier in carriers)


def _has_commanded_joints(compiled: Compiled) -> bool:
    """Whether commands prescribe the motion of joints, whose work is that of constraints of several kinds."""
    own = (Actuation.FORCE, Actuation.PASSIVE)
    return any(index.joint.actuation not in own for index in compiled.index.all_joints())


def _has_sudden_motion(compiled: Compiled) -> bool:
    """Whether a prescribed rate may jump: the work of the impulse is in one step, between two samples of power."""
    model, elements = compiled.model, compiled.elements
    prescribing = {motor.equality.id: motor.motor for motor in elements.motors if motor.equality is not None}
    following = {coupling.equality.id for coupling in compiled.couplings}
    for number in np.flatnonzero(model.eq_type == _JOINT):
        motor = prescribing.get(int(number))
        if motor is None and int(number) not in following and model.eq_obj2id[number] < 0:
            return True  # a joint that commands prescribe
        if motor is not None and not isinstance(motor.function, _SMOOTH_RATES[motor.drive]):
            return True
    return False


def _cross(a: Any, b: Any) -> Any:
    """Return the vector products of rows; an order of magnitude faster than NumPy's for few rows."""
    result = np.empty_like(a)
    result[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    result[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    result[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return result
