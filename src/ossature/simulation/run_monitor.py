"""Monitoring a run: loop residuals, rotation per step, stiffness and the energy balance, sampled while it is stepped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.model import (
    Actuation,
    ConstantFunction,
    Drive,
    PolynomialFunction,
    RampFunction,
    SineFunction,
    SpringDamper,
    TableFunction,
)
from ossature.simulation.compiling.compiled import Compiled
from ossature.simulation.compiling.index import Layout
from ossature.simulation.compiling.scheme import STABLE, Scheme, StiffnessMeter
from ossature.simulation.diagnostics import (
    MOST_LOOP_RESIDUAL,
    MOST_ROTATION_PER_STEP,
    MOST_STIFFNESS,
    EnergyBalance,
    Peak,
    RunDiagnostics,
)
from ossature.simulation.element_paths import body_path, equality_path
from ossature.simulation.engine import Engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

LONGEST_INTERVAL = 100
"""Steps between two samples at the most."""
_LONGEST_IF_FINE = 50
"""The same if there are loops, or if motors, loads or dampers do work, which is integrated over samples."""
_SHORTEST = 10
"""Steps between two samples at the least, as long as no loop residual is near its bound."""
_WARY_INTERVAL = 2
_RESOLVED = 0.25
"""Rotation of the fastest body between two samples that is aimed at, if there are loops or work [rad]."""
_WARY = 0.1
"""Share of its bound from which a loop residual is watched at short intervals."""
_ENERGY_EVERY = 2
"""Samples of power for one of energy."""
_STIFFNESS_EVERY = 20
"""Samples for one of stiffness; every fourth one if the last was more than a share of what the integrator allows."""
_NEARLY_STIFF = 0.3
_ROOT_OF_3 = 3.0**0.5
_NEGLIGIBLE = 1e-12
_SENSIBLE = 1e9
"""Velocity above which the engine's state is not sampled [m/s, rad/s]."""
_SMOOTH = (ConstantFunction, PolynomialFunction, SineFunction)
_SMOOTH_RATES = {Drive.POSITION: _SMOOTH, Drive.SPEED: (*_SMOOTH, RampFunction, TableFunction)}
"""Functions of motors whose prescribed rate never jumps."""
_QUADRATURE = 0.02
"""Share of the work that its quadrature and the moment of its forces within a step may be wrong by."""
_ROUNDING = 1e-9
_LEAST_ENERGY = 1e-6
"""Energy below which a balance says nothing: massless bodies are given the least mass that the engine bears [J]."""
_LEAST_SHARE = 0.01
"""Share of weight times extent of a model that its energy is compared with at least."""

_WELD, _JOINT = int(mujoco.mjtEq.mjEQ_WELD), int(mujoco.mjtEq.mjEQ_JOINT)
_FRICTION = (int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF), int(mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON))


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

    def __init__(self, engine: Engine) -> None:
        self._steps = self._samples = 0
        self._residual, self._rotation = _Largest(), _Largest(bound=MOST_ROTATION_PER_STEP)
        self._travel, self._stiffness = _Largest(), _Largest(bound=MOST_STIFFNESS)
        self._attach(engine)
        self._energy = _EnergyAccount(engine)

    def go_on(self, engine: Engine) -> None:
        """Monitor another engine from now on, or the same one in another state."""
        for largest in (self._residual, self._rotation, self._travel):
            self._name(largest)
        self._attach(engine)
        self._energy.go_on(engine)

    def _attach(self, engine: Engine) -> None:
        compiled, data = engine.compiled, engine.data
        self._compiled, self._data = compiled, data
        self._loops = _LoopRows(compiled, data)
        self._step = float(compiled.model.opt.timestep)
        self._sub_steps = engine.stepper.sub_steps
        is_fine = self._loops.has_rows or has_work(compiled)
        self._longest = _LONGEST_IF_FINE if is_fine else LONGEST_INTERVAL
        self._shortest = _SHORTEST if is_fine else LONGEST_INTERVAL
        self._interval = _SHORTEST
        self._since = 0
        self._cvel, self._xipos, self._centers = data.cvel, data.xipos, data.subtree_com
        self._spins = data.cvel[:, :3]
        self._roots = compiled.model.body_rootid
        self._stiffness_meter: StiffnessMeter | None = None
        if compiled.choice.scheme is Scheme.CENTRED:
            meter = StiffnessMeter(compiled.model, compiled.elements, compiled.choice.sub_steps)
            self._stiffness_meter = meter if meter.has_parts else None
        self._next_stiffness = self._samples

    @property
    def interval(self) -> int:
        """How many steps may be taken until something is looked at: the last one before a sample gives the rate of power."""
        left = self._interval - self._since
        return left - 1 if left > 1 and self._energy.has_work else max(left, 1)

    def after(self, steps: int) -> None:
        """Take a sample if one is due.

        Args:
            steps: How many steps were taken since this was called last.
        """
        self._steps += steps
        self._since += steps
        if self._since >= self._interval:
            self._sample(self._since)
        elif self._since == self._interval - 1 and self._energy.has_work:
            self._energy.look_ahead()

    def complete(self) -> None:
        """Take a sample now, if any step was taken since the last one."""
        if self._since:
            self._sample(self._since)
        self._energy.complete()

    def _sample(self, steps: int) -> None:
        self._since = 0
        if not np.abs(self._data.qvel).max(initial=0.0) < _SENSIBLE:
            return  # it diverges, which is found out elsewhere
        self._samples += 1
        time = float(self._data.time)
        # Components are compared before anything is squared and summed: that is what most samples cost.
        rotation = float(np.abs(self._spins).max()) * self._step
        sub_step = self._step / self._sub_steps.count
        if _ROOT_OF_3 * rotation / self._sub_steps.count > self._rotation.value:
            self._note(self._rotation, self._spins, time, sub_step)
        is_wary = self._loops.has_rows and self._sample_residual(time)
        if self._energy.sample(steps * self._step):
            ways = self._cvel[:, 3:] + _cross(self._spins, self._xipos - self._centers[self._roots])
            self._note(self._travel, ways, time, sub_step)
            self._energy.measure()
        if self._stiffness_meter is not None and self._samples >= self._next_stiffness:
            self._sample_stiffness(self._stiffness_meter, time)
        if is_wary:
            self._interval = _WARY_INTERVAL
        else:
            wanted = int(_RESOLVED / rotation) if rotation > _NEGLIGIBLE else LONGEST_INTERVAL
            self._interval = min(max(wanted, self._shortest), self._longest)

    def _note(self, largest: _Largest, velocities: Vector, time: float, duration: float) -> None:
        """Note the largest of some velocities of bodies, as a displacement in a step or sub-step of a duration [s]."""
        squares = np.einsum("ij,ij->i", velocities, velocities)
        body = int(squares.argmax())
        value = float(np.sqrt(squares[body])) * duration
        if value > largest.value:
            largest.value, largest.time, largest.of = value, time, body

    def _sample_residual(self, time: float) -> bool:
        """Note the largest residual of a loop; return whether it is near its bound."""
        found = self._loops.largest()
        if found is None:
            return False
        residual, share, number = found
        if residual > self._residual.value:
            self._residual.value, self._residual.time, self._residual.of = residual, time, number
            self._residual.bound = residual / share if share else None
        return share > _WARY

    def _sample_stiffness(self, meter: StiffnessMeter, time: float) -> None:
        strain, name = meter.strain_at(self._data.qpos)
        share = strain / STABLE
        self._next_stiffness = self._samples + (4 if share > _NEARLY_STIFF else _STIFFNESS_EVERY)
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
        )

    def exceeds(self) -> bool:
        """Whether a largest value exceeds its bound."""
        every = (self._residual, self._rotation, self._stiffness)
        return any(one.bound is not None and one.value > one.bound for one in every)


class _LoopRows:
    """The rows of the engine's constraints that close loops."""

    def __init__(self, compiled: Compiled, data: Any) -> None:
        model = compiled.model
        self._data, self._model = data, model
        following = {coupling.equality.id for coupling in compiled.couplings}
        kinds = model.eq_type
        self._closing = [number for number in range(model.neq) if kinds[number] != _JOINT and number not in following]
        self._length = MOST_LOOP_RESIDUAL * float(model.stat.extent)
        self.has_rows = bool(self._closing)
        self._count = -1
        self._rows = np.zeros(0, dtype=np.intp)
        self._bounds: Vector = np.zeros(0)

    def largest(self) -> tuple[float, float, int] | None:
        """Return the residual that is the largest share of its bound [m or rad], that share, and the engine's constraint."""
        data = self._data
        count = data.ne
        if count != self._count:
            self._find(count)
        if not len(self._rows):
            return None
        residuals = np.abs(data.efc_pos[self._rows])
        shares = residuals / self._bounds
        row = int(shares.argmax())
        return float(residuals[row]), float(shares[row]), int(data.efc_id[self._rows[row]])

    def _find(self, count: int) -> None:
        numbers = np.array(self._data.efc_id[:count])
        self._count = count
        self._rows = np.flatnonzero(np.isin(numbers, self._closing))
        bounds = []
        for number in self._closing:
            rows = int((numbers == number).sum())
            is_weld = self._model.eq_type[number] == _WELD
            bounds += [self._length] * (3 if is_weld else rows) + [MOST_LOOP_RESIDUAL] * (rows - 3 if is_weld else 0)
        self._bounds = np.array(bounds)


class _EnergyAccount:
    """The energy balance of a run: energy and work, the latter by quadrature over samples of power."""

    def __init__(self, engine: Engine) -> None:
        self._supplied = self._dissipated = self._throughput = self._unresolved = 0.0
        self._before = 0.0
        self._lowest = self._highest = self._kinetic = 0.0
        self._gain = self._gain_time = self._loss = self._loss_time = self._change = 0.0
        self._is_dissipative = False
        self._is_complete = True
        self._potential_range = 0.0
        self._attach(engine)

    def go_on(self, engine: Engine) -> None:
        """Go on with another engine, whose energy is as that of the one before: what a grasp takes is no loss."""
        self._before = self._change
        self._attach(engine)

    def _attach(self, engine: Engine) -> None:
        compiled, data = engine.compiled, engine.data
        model, elements = compiled.model, compiled.elements
        self._engine, self._model, self._data = engine, model, data
        storing = {built.actuator.id for built in elements.springs}
        storing |= {actuator.id for built in elements.bushings for actuator in built.actuators.values()}
        self._sources = np.array([number for number in range(model.nu) if number not in storing], dtype=np.intp)
        self._dampers, self._coefficients = _linear_dampers(compiled)
        self._damping = np.array(model.dof_damping)
        self._has_damping = bool(self._damping.any())
        self._has_motors = bool((model.eq_type == _JOINT).any() or model.dof_frictionloss.any())
        # A stop that moves back with a joint that started outside its limits does work, which is not computed.
        self._is_complete &= _has_known_energy(compiled) and not engine.inputs.stops.is_active
        self._is_dissipative |= _dissipates(compiled)
        self._qvel, self._force, self._velocity = data.qvel, data.actuator_force, data.actuator_velocity
        self._applied, self._wrenches = data.qfrc_applied, data.xfrc_applied
        self._friction_rows = bool(model.dof_frictionloss.any())
        # Forces of constraints are those of the last step only until the energy is computed.
        self._power, self._loss_power = self._power_in(), self._power_out()
        self._rate = self._before_last = 0.0
        self._has_looked = False
        self.has_work = has_work(compiled)
        self._step = float(model.opt.timestep)
        potential, kinetic = engine.energy()
        self._start = potential + kinetic
        self._deepest = self._highest_potential = potential
        weight = float(np.linalg.norm(model.opt.gravity)) * float(model.body_mass.sum())
        self._least_scale = _LEAST_SHARE * weight * float(model.stat.extent)
        self._count = 0

    # Sampling

    def sample(self, duration: float) -> bool:
        """Take a sample of power; return whether one of energy is due.

        Args:
            duration: Time since the last one [s].
        """
        self._count += 1
        if not self.has_work and (self._applied.any() or self._wrenches.any()):
            self._is_complete = False  # commanded forces began between two samples
        if not self.has_work or not duration:
            return self._count >= _ENERGY_EVERY
        power, out = self._power_in(), self._power_out()
        # The trapezoidal rule, corrected by the rates at both ends (Euler and Maclaurin): an error of fourth order.
        rate = (power - out - self._before_last) / self._step if self._has_looked else self._rate
        correction = duration**2 / 12.0 * (self._rate - rate)
        size = duration**2 / 12.0 * (abs(self._rate) + abs(rate))
        throughput = 0.5 * duration * (abs(self._power) + abs(power) + self._loss_power + out)
        self._supplied += 0.5 * duration * (self._power + power) + correction
        self._throughput += throughput
        self._dissipated += 0.5 * duration * (self._loss_power + out)
        # A correction that is not small beside the work itself shows motion that is too fast for the interval.
        self._unresolved += 4.0 * size * min(1.0, size / throughput if throughput else 0.0)
        self._power, self._loss_power, self._rate, self._has_looked = power, out, rate, False
        return self._count >= _ENERGY_EVERY

    def look_ahead(self) -> None:
        """Note the power one step before a sample, for its rate."""
        self._before_last = self._power_in() - self._power_out()
        self._has_looked = True

    def complete(self) -> None:
        """Take a sample of energy now, if any of power was taken since the last one."""
        if self._count:
            self.measure()

    def measure(self) -> None:
        """Take a sample of energy."""
        self._count = 0
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
        if len(self._sources):
            power += float(self._force[self._sources] @ self._velocity[self._sources])
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
        rows = data.ne
        is_prescribed = self._model.eq_type[data.efc_id[:rows]] == _JOINT
        if self._friction_rows:
            rows = data.nefc
            is_friction = np.isin(data.efc_type[data.ne : rows], _FRICTION)
            is_prescribed = np.concatenate([is_prescribed, is_friction])
        return float((data.efc_force[:rows] * data.efc_vel[:rows])[is_prescribed].sum())

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
            scale=max(
                self._kinetic + self._potential_range + self._highest - self._lowest + self._dissipated, self._least_scale
            ),
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
    rotating = (Layout.BALL, Layout.STACK, Layout.FREE, Layout.POINT)
    has_ball_springs = any(
        index.layout in rotating and any(coordinate.stiffness for coordinate in index.joint.coordinates)
        for index in compiled.index.all_joints()
    )
    return not (has_maps or has_ball_springs or _has_sudden_motion(compiled) or _has_commanded_joints(compiled))


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
