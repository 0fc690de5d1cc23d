"""Monitoring of a run by samples: loop residuals, rotation per step, stiffness and the energy balance."""

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
    MAX_LOOP_RESIDUAL,
    MAX_ROTATION_PER_STEP,
    MAX_STIFFNESS,
    MAX_TRAVEL_PER_STEP,
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
"""Largest number of steps between two samples."""
_SHORTEST = 10
"""Smallest number of steps between two samples."""
_SPREAD = 0.25
"""Relative variation of the intervals, so that periodic motion is not sampled at the same phases only."""
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
_ENERGY_EVERY = 150
"""Steps between two samples of energy; every second sample of the initial phase, so that a short run has enough of them."""
_INITIAL_PHASE = 10
"""Samples of the initial phase of a run."""
_STIFFNESS_EVERY, _STIFFNESS_OFTEN = 2000, 500
"""Steps between two samples of stiffness; the second value if the last one was near the stability limit."""
_NEARLY_STIFF = 0.3
_ROOT_OF_3 = 3.0**0.5
_NEGLIGIBLE = 1e-12
_SENSIBLE = 1e9
"""Velocity above which the engine's state is not sampled [m/s, rad/s]."""
_SMOOTH = (ConstantFunction, PolynomialFunction, SineFunction)
_SMOOTH_RATES = {DriveMode.POSITION: _SMOOTH, DriveMode.SPEED: (*_SMOOTH, RampFunction, TableFunction)}
"""Functions of motors whose prescribed rate is continuous."""
_COARSE, _FINE = 0.02, 0.004
"""Correction of the trapezoidal rule, relative to the work between two samples, above and below which the intervals become
shorter and longer: a sinusoidal power is sampled about 13 to 28 times per period."""
_ERROR_FACTOR = 20.0
"""Factor of that ratio to the power of 3/2 which bounds the unresolved part of the work: the error of the parabola is one order
higher than the correction, and ten times less than this for a sinusoidal power."""
_IRRELEVANT = 1e-5
"""Correction, relative to the energy of the motion, that does not require a shorter interval."""
_QUADRATURE = 0.02
"""Relative error of the work by quadrature and by the time of the forces within a step."""
_ROUNDING = 1e-9
_LEAST_ENERGY = 1e-6
"""Energy below which a balance is not significant: massless bodies have the smallest mass that the engine supports [J]."""
_LEAST_SHARE = 0.01
"""Smallest scale of the energy, relative to the weight times the extent of the model."""

_WELD, _JOINT = int(mujoco.mjtEq.mjEQ_WELD), int(mujoco.mjtEq.mjEQ_JOINT)


@dataclass(slots=True)
class _Maximum:
    """The largest value so far, its time [s], and the engine's index or the name of its element."""

    value: float = -1.0
    time: float = 0.0
    of: int | str = 0
    bound: float | None = None


class RunMonitor:
    """Monitors a run by samples, at a small part of the cost of the steps and without effect on them.

    Args:
        engine: The compiled World at run time.
    """

    def __init__(self, engine: SimulationRuntime) -> None:
        self._steps = self._samples = 0
        self._judged = self._exceeding = 0
        self._residual_ratio = -1.0
        self._residual, self._rotation = _Maximum(), _Maximum(bound=MAX_ROTATION_PER_STEP)
        self._travel, self._stiffness = _Maximum(), _Maximum(bound=MAX_STIFFNESS)
        self._found: list[SingularConfiguration] = []
        self._set_engine(engine)
        self._energy = _EnergyAccount(engine)

    def attach(self, engine: SimulationRuntime) -> None:
        """Monitor another engine from now on, or the same one in another state."""
        for largest in (self._residual, self._rotation, self._travel):
            self._resolve_path(largest)
        self._set_engine(engine)
        self._energy.attach(engine)

    def _set_engine(self, engine: SimulationRuntime) -> None:
        compiled, data = engine.compiled, engine.data
        self._compiled, self._data = compiled, data
        self._loops = _LoopRows(compiled, data)
        engine.stepper.after_step = self._loops.record if self._loops.has_rows else None
        self._step = float(compiled.model.opt.timestep)
        self._travel.bound = MAX_TRAVEL_PER_STEP * float(compiled.model.stat.extent)
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
        """Number of steps until the next sample."""
        return max(self._interval - self._since, 1)

    def after(self, steps: int) -> None:
        """Take a sample if one is due.

        Args:
            steps: Number of steps since the last call.
        """
        self._steps += steps
        self._since += steps
        if self._since >= self._interval:
            self._sample(self._since)

    def complete(self) -> None:
        """Take a sample now if there were steps since the last one."""
        if self._since:
            self._sample(self._since)
        self._energy.complete()

    def _sample(self, steps: int) -> None:
        self._since = 0
        if not np.abs(self._qvel).max(initial=0.0) < _SENSIBLE:
            return  # the simulation diverges, which SimulationMonitor reports
        self._samples += 1
        time = float(self._data.time)
        # Components are compared before squares are summed: that is all that most samples cost.
        rotation = float(np.abs(self._spins).max()) * self._step
        sub_step = self._step / self._sub_steps.count
        if _ROOT_OF_3 * rotation / self._sub_steps.count > self._rotation.value:
            self._record_displacement(self._rotation, self._spins, time, sub_step)
        if self._loops.has_rows:
            self._sample_residual(time)
        if self._energy.sample(steps):
            velocities = self._cvel[:, 3:] + _cross(self._spins, self._xipos - self._centers[self._roots])
            self._record_displacement(self._travel, velocities, time, sub_step)
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
        """Return the number of steps until the next sample."""
        spread = 1.0 - _SPREAD * (self._samples * _GOLDEN % 1.0)
        return max(int(self._energy.interval * spread), _SHORTEST)

    def _record_displacement(self, largest: _Maximum, velocities: Vector, time: float, duration: float) -> None:
        """Record the largest velocity of bodies, as the displacement in a step or sub-step of a duration [s]."""
        squares = np.einsum("ij,ij->i", velocities, velocities)
        body = int(squares.argmax())
        value = float(np.sqrt(squares[body])) * duration
        if value > largest.value:
            largest.value, largest.time, largest.of = value, time, body

    def _sample_residual(self, time: float) -> None:
        """Record the residual that is largest relative to its bound in the steps since the last sample."""
        found = self._loops.largest_relative_residual()
        if found is None:
            return
        residual, ratio, number, ago = found
        if ratio > self._residual_ratio:
            self._residual_ratio = ratio
            self._residual.value, self._residual.time, self._residual.of = residual, time - ago * self._step, number
            self._residual.bound = residual / ratio if ratio else None
            if ratio > 1.0:
                self._singular.note_failure(time, self._step)

    def _sample_singular(self, time: float) -> None:
        """Check for singular configurations if a sample is due; the engine's data have the constraints of the last sub-step."""
        if self._steps >= self._next_singular:
            self._singular.sample(time, self._steps - self._last_singular)
            self._last_singular, self._next_singular = self._steps, self._steps + self._singular.wait
        self._interval = min(self._interval, self._next_singular - self._steps)

    def note_divergence(self, time: float) -> None:
        """Record that the run diverged at a time [s], possibly because a mechanism locked."""
        self._singular.note_failure(time, self._step)

    def _sample_stiffness(self, meter: StiffnessMeter, time: float) -> None:
        strain, name = meter.strain_at(self._data.qpos)
        ratio = strain / STABLE
        self._next_stiffness = self._steps + (_STIFFNESS_OFTEN if ratio > _NEARLY_STIFF else _STIFFNESS_EVERY)
        if ratio > self._stiffness.value:
            self._stiffness.value, self._stiffness.time, self._stiffness.of = ratio, time, name

    def _resolve_path(self, largest: _Maximum) -> None:
        """Replace the engine's index by the path of the element."""
        if largest.value >= 0.0 and not isinstance(largest.of, str):
            path = equality_path if largest is self._residual else body_path
            largest.of = path(self._compiled, largest.of)

    def _make_peak(self, largest: _Maximum) -> Peak | None:
        if largest.value < 0.0:
            return None
        self._resolve_path(largest)
        return Peak(value=largest.value, time=largest.time, element=str(largest.of), bound=largest.bound)

    def diagnostics(self) -> RunDiagnostics:
        """Return the diagnostics of the run so far."""
        return RunDiagnostics(
            steps=self._steps,
            samples=self._samples,
            loop_residual=self._make_peak(self._residual),
            rotation_per_step=self._make_peak(self._rotation),
            travel_per_step=self._make_peak(self._travel),
            stiffness=self._make_peak(self._stiffness),
            energy=self._energy.balance(),
            singular_configurations=tuple(self._found),
        )

    def has_new_exceedance(self) -> bool:
        """Whether more of the largest values exceed their bounds than at the last call."""
        if self._samples == self._judged:
            return False
        self._judged = self._samples
        before = self._exceeding
        every = (self._residual, self._rotation, self._travel, self._stiffness)
        self._exceeding = sum([one.bound is not None and one.value > one.bound for one in every]) + len(self._found)
        return self._exceeding > before


class _LoopRows:
    """The constraint rows of the engine that close loops, and their residuals in all steps since the last sample."""

    def __init__(self, compiled: Compiled, data: Any) -> None:
        model = compiled.model
        self._data, self._model = data, model
        couplings = {coupling.equality.id for coupling in compiled.couplings}
        kinds = model.eq_type
        self._closing = [number for number in range(model.neq) if kinds[number] != _JOINT and number not in couplings]
        self._length = MAX_LOOP_RESIDUAL * float(model.stat.extent)
        self.has_rows = bool(self._closing)
        # No equality constraint is activated or deactivated in a compilation: their rows are constant and come first.
        numbers = np.array(data.efc_id[: data.ne])
        self._first, self._past = 0, 0
        self._numbers, self._bounds = numbers[:0], np.zeros(0)
        rows = np.flatnonzero(np.isin(numbers, self._closing))
        if len(rows):
            self._first, self._past = int(rows[0]), int(rows[-1]) + 1
            self._numbers = numbers[self._first : self._past]
            self._bounds = self._bounds_of_rows()
        self._residuals = np.zeros((LONGEST_INTERVAL, self._past - self._first))
        self._count = [0]
        self.record = self._make_recorder()

    def _make_recorder(self) -> Callable[[], None]:
        """Return a function that records the residuals of the last step; a closure, because it is called in every step."""
        data, residuals, counter, columns = self._data, self._residuals, self._count, slice(self._first, self._past)

        def record() -> None:
            count = counter[0]
            if count < LONGEST_INTERVAL:
                residuals[count] = data.efc_pos[columns]
                counter[0] = count + 1

        return record

    def largest_relative_residual(self) -> tuple[float, float, int, int] | None:
        """Return the residual that is largest relative to its bound in all steps since the last call.

        Returns:
            The residual [m or rad], its ratio to the bound, the index of the constraint, and the number of steps since then.
        """
        count, self._count[0] = self._count[0], 0
        if not count or self._past == self._first:
            return None
        residuals = np.abs(self._residuals[:count])
        ratios = residuals / self._bounds
        step, row = divmod(int(ratios.argmax()), ratios.shape[1])
        return float(residuals[step, row]), float(ratios[step, row]), int(self._numbers[row]), count - 1 - step

    def _bounds_of_rows(self) -> Vector:
        """Return the bound of each row [m or rad]; infinity for rows of couplings and motors."""
        bounds = []
        for row, number in enumerate(self._numbers.tolist()):
            is_weld = self._model.eq_type[number] == _WELD
            is_rotation = is_weld and int((self._numbers[:row] == number).sum()) >= 3
            bounds.append((MAX_LOOP_RESIDUAL if is_rotation else self._length) if number in self._closing else np.inf)
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
        self._set_engine(engine)

    def attach(self, engine: SimulationRuntime) -> None:
        """Continue with another compilation from the same balance: energy dissipated by a grasp is not a loss."""
        self._before = self._change
        self._set_engine(engine)

    def _set_engine(self, engine: SimulationRuntime) -> None:
        compiled, data = engine.compiled, engine.data
        model, elements = compiled.model, compiled.elements
        self._engine, self._model, self._data = engine, model, data
        storing = {built.actuator.id for built in elements.springs}
        storing |= {actuator.id for built in elements.bushings for actuator in built.actuators.values()}
        self._sources = np.array([float(number not in storing) for number in range(model.nu)])
        self._has_sources = bool(self._sources.any())
        self._dampers, self._coefficients = _linear_dampers(compiled)
        self._rotating = _rotating_dampers(compiled)
        self._ctrl = data.ctrl
        self._damping = np.array(model.dof_damping)
        self._has_damping = bool(self._damping.any())
        self._has_motors = bool((model.eq_type == _JOINT).any() or model.dof_frictionloss.any())
        # A stop that returns a joint from outside its limits does work that is not computed.
        self._is_complete &= _has_known_energy(compiled) and not engine.inputs.stops.is_active
        self._is_dissipative |= _dissipates(compiled)
        self._qvel, self._force, self._velocity = data.qvel, data.actuator_force, data.actuator_velocity
        self._applied, self._wrenches = data.qfrc_applied, data.xfrc_applied
        self._is_prescribed: Vector = np.zeros(0)
        # Constraint forces of the last step are valid only until the energy is computed.
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
            self._is_complete = False  # commanded forces started between two samples
        is_due = self._since >= _ENERGY_EVERY
        return is_due or (self._count <= _INITIAL_PHASE and self._count % 2 == 0)

    def _integrate(self, duration: float) -> None:
        """Integrate the power over an interval [s] by the parabola through its ends and the sample before."""
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
        # A correction that is large relative to the work means that the motion is too fast for the interval.
        size = abs(correction)
        ratio = size / throughput if throughput else 0.0
        self._unresolved += throughput * min(1.0, _ERROR_FACTOR * ratio**1.5)
        self._power, self._loss_power, self._slope, self._last_duration = power, out, slope, duration
        if ratio > _COARSE and size > _IRRELEVANT * self._motion_energy():
            self.interval = max(0.5 * self.interval, _SHORTEST)
        elif ratio < _FINE or size <= _IRRELEVANT * self._motion_energy():
            self.interval = min(1.5 * self.interval, LONGEST_INTERVAL)

    def _motion_energy(self) -> float:
        """Return the energy of the motion [J]."""
        moved = self._kinetic + self._potential_range + self._highest - self._lowest + self._dissipated
        return max(moved, self._least_scale)

    def complete(self) -> None:
        """Take a sample of energy now if there were samples of power since the last one."""
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
        """Return the power of applied forces and prescribed motions [W]."""
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
        """Return the power of prescribed coordinates, from the forces and velocities of their constraints [W]."""
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
        velocities = data.cvel[:, 3:] + _cross(spins, data.xipos - data.subtree_com[self._model.body_rootid])
        return float((self._wrenches[:, :3] * velocities).sum() + (self._wrenches[:, 3:] * spins).sum())

    def _power_out(self) -> float:
        """Return the power that linear dampers dissipate [W]."""
        power = 0.0
        if self._has_damping:
            power += float(self._damping @ (self._qvel * self._qvel))
        if len(self._dampers):
            rates = self._velocity[self._dampers]
            power += float(self._coefficients @ (rates * rates))
        if len(self._rotating):
            # The relative velocity of two bodies differs from the rate of the deformation, which is expressed in a rotating
            # frame; the damping is written as a control for the latter, and its force acts on bodies with the former.
            power -= float(self._ctrl[self._rotating] @ self._velocity[self._rotating])
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
            scale=self._motion_energy(),
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


def _rotating_dampers(compiled: Compiled) -> NDArray[np.intp]:
    """Return the actuators of translational damping in bushings whose frame rotates with a body."""
    bushings = [built for built in compiled.elements.bushings if built.turning_frame is not None]
    found = [
        actuator.id
        for built in bushings
        for number, actuator in built.actuators.items()
        if number < 3 and built.bushing.damping[number]
    ]
    return np.array(found, dtype=np.intp)


def _dissipates(compiled: Compiled) -> bool:
    """Whether there is dissipation whose power is not computed: friction, limits, curves and maps."""
    model = compiled.model
    springs = [built.spring for built in compiled.elements.springs]
    has_curves = any(spring.damping_curve for spring in springs)
    has_curves |= any(isinstance(spring, SpringDamper) and bool(spring.force_map or spring.length_range) for spring in springs)
    can_touch = not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    has_friction = can_touch or bool(model.dof_frictionloss.any() or model.tendon_frictionloss.any())
    return has_curves or has_friction or bool(model.jnt_limited.any()) or bool(compiled.elements.electric)


def _has_known_energy(compiled: Compiled) -> bool:
    """Whether the potential of all forces that store energy is computed."""
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
    """Whether the translational stiffness of a bushing is anisotropic in a frame that rotates with a body.

    Its force acts at a point of each body, and has no potential then.
    """
    model = compiled.model
    carriers = [(built.bushing, int(model.site_bodyid[built.reference.id])) for built in compiled.elements.bushings]
    return any(model.body_weldid[carrier] and len(set(bushing.stiffness[:3])) > 1 for bushing, carrier in carriers)


def _has_commanded_joints(compiled: Compiled) -> bool:
    """Whether commands prescribe the motion of joints, whose work is that of several types of constraints."""
    unprescribed = (Actuation.FORCE, Actuation.PASSIVE)
    return any(index.joint.actuation not in unprescribed for index in compiled.index.all_joints())


def _has_sudden_motion(compiled: Compiled) -> bool:
    """Whether a prescribed rate may jump: the work of the impulse is in one step, between two samples of power."""
    model, elements = compiled.model, compiled.elements
    prescribing = {motor.equality.id: motor.motor for motor in elements.motors if motor.equality is not None}
    couplings = {coupling.equality.id for coupling in compiled.couplings}
    for number in np.flatnonzero(model.eq_type == _JOINT):
        motor = prescribing.get(int(number))
        if motor is None and int(number) not in couplings and model.eq_obj2id[number] < 0:
            return True  # a command prescribes the joint
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
