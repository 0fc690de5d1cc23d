"""Quantities of a World that MuJoCo compiles: of actuators and tendons, and the measurements of sensors of states.

They are those of the present state, as MuJoCo's ``mj_forward`` computes them: after a step MuJoCo's own arrays are still those
of the state before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import mujoco
import numpy as np

from ossature.array_types import BoolArray, Int32Array, Vector
from ossature.formats.mjcf.engine_data import make_engine_data
from ossature.model.unique_names import unique_labels
from ossature.simulation.actuator_layout import actuator_of_forces
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.quantity_type_aliases import Quantities
from ossature.simulation.stateful_components import STATE

_ACTUATOR, _TENDON, _SENSOR = "actuator", "tendon", "sensor"


class MujocoQuantities:
    """Computes the quantities of actuators, tendons and sensors, without any effect on the simulation."""

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self._compiled, self._model, self._data = compiled, compiled.model, data
        self._present = make_engine_data(compiled.model)
        self._state = np.full(mujoco.mj_stateSize(compiled.model, STATE), np.nan)
        self._labels = _unique_labels(compiled)

    def quantities(self) -> Quantities:
        """Return lengths, velocities, controls, activations and forces of actuators and tendons, and measured values."""
        present, model, index = self._evaluate(), self._model, self._compiled.index
        quantities: Quantities = {}
        for owner, actuators in index.actuators.items():
            for name, address in actuators.items():
                at, first = address.controls, int(model.actuator_actadr[address.number])
                values = {"control": present.ctrl[at], "force": present.actuator_force[at]}
                if first >= 0:
                    values["activation"] = present.act[first : first + int(model.actuator_actnum[address.number])]
                self._add(quantities, owner, _ACTUATOR, name, values)
        forces = tendon_forces(model, present) if model.ntendon else np.zeros(0)
        for owner, tendons in index.tendons.items():
            for name, number in tendons.items():
                values = {"length": present.ten_length[number], "rate": present.ten_velocity[number], "force": forces[number]}
                self._add(quantities, owner, _TENDON, name, values)
        for owner, sensors in index.sensors.items():
            for name, at in sensors.items():
                self._add(quantities, owner, _SENSOR, name, {"measurement": present.sensordata[at]})
        return quantities

    def _add(self, quantities: Quantities, owner: str, kind: str, name: str, values: dict[str, Vector]) -> None:
        arrays = {quantity: np.array(value, dtype=float) for quantity, value in values.items()}
        # A vector with one component is recorded as a number.
        group = {quantity: value[0] if value.shape == (1,) else value for quantity, value in arrays.items()}
        quantities.setdefault(owner, {})[self._labels[owner, kind, name]] = group

    def measurement(self, model: str, sensor: str) -> Vector:
        """Return the values that a sensor of states measures."""
        return self._evaluate().sensordata[self._compiled.index.sensors[model][sensor]].copy()

    def _evaluate(self) -> mujoco.MjData:
        """Return the engine's data of the present state."""
        state = np.empty_like(self._state)
        mujoco.mj_getState(self._model, self._data, state, STATE)
        if not np.array_equal(state, self._state):
            mujoco.mj_setState(self._model, self._present, state, STATE)
            mujoco.mj_forward(self._model, self._present)
            self._state = state
        return self._present


def _unique_labels(compiled: EngineModel) -> dict[tuple[str, str, str], str]:
    """Return the names of elements by model, kind and name, with the kind if several elements of a model have the name."""
    index = compiled.index
    groups: dict[str, Mapping[str, Iterable[str]]] = {
        _ACTUATOR: index.actuators,
        _TENDON: index.tendons,
        _SENSOR: index.sensors,
    }
    elements = [(model, kind, name) for kind, models in groups.items() for model, names in models.items() for name in names]
    return dict(zip(elements, [label for _, label in unique_labels(elements)], strict=True))


def tendon_forces(model: mujoco.MjModel, data: mujoco.MjData) -> Vector:
    """Return the force along each tendon, which pulls if it is negative, shape (tendons,) [N; N·m of sums of angles].

    It is the sum of the forces of its actuators, of its spring and damper, of its friction and limits, and of equalities. Those
    of plastic springs are not included.
    """
    forces = _spring_and_damper_forces(model, data)
    actuators = actuator_of_forces(model)
    outputs = np.flatnonzero(model.actuator_trntype[actuators] == mujoco.mjtTrn.mjTRN_TENDON)
    tendons = model.actuator_trnid[actuators[outputs], 0]
    np.add.at(forces, tendons, model.actuator_gear[outputs, 0] * data.actuator_force[outputs])
    _add_constraint_forces(forces, model, data)
    return forces


def have_plastic_springs(model: mujoco.MjModel) -> BoolArray:
    """Return for each tendon whether its spring is plastic, which no spring is in MuJoCo before version 4."""
    addresses: Int32Array | None = getattr(model, "tendon_plasticadr", None)
    return np.zeros(model.ntendon, bool) if addresses is None else addresses >= 0


def _spring_and_damper_forces(model: mujoco.MjModel, data: mujoco.MjData) -> Vector:
    lengths, rates, disabled = data.ten_length, data.ten_velocity, int(model.opt.disableflags)
    forces = np.zeros(model.ntendon)
    if not disabled & int(mujoco.mjtDisableBit.mjDSBL_SPRING):
        lower, upper = model.tendon_lengthspring.T
        stretch = np.minimum(lengths - lower, 0.0) + np.maximum(lengths - upper, 0.0)
        quadratic, cubic = model.tendon_stiffnesspoly.T
        elastic = model.tendon_stiffness * stretch + quadratic * stretch**2 + cubic * stretch**3
        forces -= np.where(have_plastic_springs(model), 0.0, elastic)
    if not disabled & int(mujoco.mjtDisableBit.mjDSBL_DAMPER):
        quadratic, cubic = model.tendon_dampingpoly.T
        forces -= model.tendon_damping * rates + quadratic * rates * np.abs(rates) + cubic * rates**3
    return forces


def _add_constraint_forces(forces: Vector, model: mujoco.MjModel, data: mujoco.MjData) -> None:
    kinds = mujoco.mjtConstraint
    for kind, number, position, force in zip(
        data.efc_type.tolist(), data.efc_id.tolist(), data.efc_pos.tolist(), data.efc_force.tolist(), strict=True
    ):
        if kind == kinds.mjCNSTR_FRICTION_TENDON:
            forces[number] += force
        elif kind == kinds.mjCNSTR_LIMIT_TENDON:
            lower, upper = (model.tendon_range[number] - data.ten_length[number]).tolist()
            forces[number] += force if abs(position + lower) < abs(position - upper) else -force
        elif kind == kinds.mjCNSTR_EQUALITY and model.eq_type[number] == mujoco.mjtEq.mjEQ_TENDON:
            first, second = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
            forces[first] += force
            if second >= 0:
                stretch = float(data.ten_length[second] - model.tendon_length0[second])
                _, *slopes = model.eq_data[number, :5].tolist()
                forces[second] -= force * sum((power + 1) * slope * stretch**power for power, slope in enumerate(slopes))
