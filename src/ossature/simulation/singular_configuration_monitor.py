"""Detection of singular configurations of mechanisms with loops during a run: dead centres and change points.

There the constraint Jacobian of loop joints and of coordinates that motors prescribe has a smaller rank than nearby: the motion
of some joints is not determined to first order. Its smallest singular value, other than those of redundant constraints, is zero
there. It is sampled while the mechanism moves. Along a smooth motion it cannot change by more than the Jacobian itself does,
which bounds the number of steps until the next sample without missing a zero.

Rotations are in rad and translations in characteristic lengths of the mechanism, as in :mod:`ossature.kinematics.mobility`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from ossature.array_types import BoolArray, Vector
from ossature.kinematics.mobility import RANK_TOLERANCE
from ossature.simulation.accuracy_results import SINGULAR_VALUE_BOUND, RedundantConstraints, SingularConfiguration
from ossature.simulation.closing_displacement import (
    ClosingDisplacement,
    ClosingDisplacementSearch,
    ScaledConstraints,
    largest,
)
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.mechanism_layout import (
    MechanismLayout,
    characteristic_length,
    dofs_of_equality,
    find_mechanism_layouts,
    joint_path,
)
from ossature.simulation.singular_values import singular_values
from ossature.simulation.stepping.constraint_projection import equality_numbers, equality_rows

_ADVANCE = 0.75
"""Fraction of the distance to the nearest possible singular configuration that is covered until the next sample.

The rest allows for changes of the acceleration. In random mechanisms the same singular configurations are found with 0.5, and
with a sample in each step; the times of those at which a mechanism locks differ by some steps.
"""
_RANK_RISE = 1e-2
"""Relative singular value from which a larger rank than before is accepted: redundant constraints have less, as residuals of
loops are below a thousandth of the size of the mechanism."""
_NO_FORCE = 1e-6
"""Share of a constraint in forces that balance each other below which it has none."""
_SAME_CONFIGURATION = 0.05
"""Relative change of the Jacobian below which two configurations are the same."""
_APPROACHED = 0.5
"""Fraction of its largest value below which the singular value indicates an approach."""
_REACHED = 0.05
"""Fraction below which the limit of the motion is reached, independent of the prediction from the last samples."""
_AFTER = 2.0
"""Steps by which a failure may precede the predicted limit of the motion that causes it."""
_BEFORE_DIVERGENCE = 50.0
"""Steps by which a limit of the motion, in which loops open slowly, may precede the divergence that it causes."""
_MAX_CONFIGURATIONS = 16
_MAX_JOINTS = 4
_PARTICIPATION = 0.2
"""Fraction of the largest displacement in the undetermined motion from which a joint is reported."""


class SingularConfigurationMonitor:
    """Detects singular configurations by samples of the constraint Jacobian.

    Args:
        longest: Largest number of steps between two samples.
        found: Collects the singular configurations.

    Attributes:
        has_loops: Whether there is a mechanism with loops.
        wait: Steps until the next sample is due.
        last_time: Time of the last sample [s].
        negligible_residual: If no residual is larger [m or rad], it leaves no displacement above its bound at the last sample.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData, longest: int, found: list[SingularConfiguration]) -> None:
        self._model, self._data, self._longest, self._found = compiled.model, data, longest, found
        self._is_sparse = bool(mujoco.mj_isSparse(compiled.model))
        layouts = compiled.shared_results.get(find_mechanism_layouts, compiled, equality_numbers(data))
        self._mechanisms = [_Mechanism(compiled, data, layout) for layout in layouts]
        self._row_count = int(data.ne)
        self._has_soft_constraints = compiled.is_mjcf_world
        self.has_loops = bool(self._mechanisms)
        self.wait = 1
        self.last_time = -math.inf
        self.negligible_residual = math.inf

    def present_jacobian(self) -> Vector:
        """Return the numbers of the Jacobian of the constraints in the engine's data, row by row; not a number without it."""
        model, data = self._model, self._data
        if data.ne != self._row_count:  # equalities of flexes do not always have rows
            return np.full(self._row_count * model.nv, np.nan)
        # The engine stores a dense matrix for small mechanisms.
        return equality_rows(model, data)[1].reshape(-1) if self._is_sparse else data.efc_J

    def sample(self, J: Vector, time: float, steps: int) -> None:
        """Take a sample; :attr:`wait` is the number of steps until the next one is due.

        Args:
            J: The numbers of the Jacobian of all equality constraints in a configuration, row by row.
            time: Time of that configuration [s].
        """
        self.last_time = time
        if J.size and J[0] != J[0]:  # not a number
            self.wait = self._longest
            return
        wait = float(self._longest)
        self.negligible_residual = math.inf
        for mechanism in self._mechanisms:
            found = mechanism.sample(J, time)
            self.negligible_residual = min(self.negligible_residual, mechanism.negligible_residual)
            if found is not None and len(self._found) < _MAX_CONFIGURATIONS:
                self._found.append(found)
            wait = min(wait, mechanism.wait(steps))
        self.wait = max(int(wait), 1)

    def redundant_constraints(self) -> Iterator[RedundantConstraints]:
        """Yield the redundant constraints of each mechanism; soft constraints of MuJoCo's files have unique forces."""
        if self._has_soft_constraints:
            return
        J = self.present_jacobian()
        for mechanism in self._mechanisms:
            found = mechanism.redundant_constraints(J)
            if found is not None:
                yield found

    def largest_closing_displacement(self) -> ClosingDisplacement | None:
        """Return the largest displacement above its bound that closes the loops exactly, from the engine's positions.

        It costs little unless residuals are large for the last singular values. Soft constraints of MuJoCo's files have
        residuals by intention.
        """
        if self._has_soft_constraints or self._data.ne != self._row_count:
            return None
        # This part of the singular value remains at least until the next sample.
        remaining = 1.0 - _ADVANCE
        return largest(
            each.closing_displacements.find(self._data, remaining * each.singular_value, each.rank) for each in self._mechanisms
        )

    def least_closing_displacement(self, J: Vector, violations: Vector) -> ClosingDisplacement | None:
        """Return a lower bound of the largest displacement above its bound that closes the loops, at the last sample.

        Args:
            J: The numbers of the Jacobian of all equality constraints, row by row.
            violations: The violations of all equality constraints.
        """
        if self._has_soft_constraints:
            return None
        return largest(
            each.closing_displacements.find_least(J, violations, each.singular_value, each.rank) for each in self._mechanisms
        )

    def note_failure(self, time: float, step: float, *, has_diverged: bool = False) -> None:
        """Record the limit configuration of a mechanism if loops opened or the run diverged on the approach to it.

        Args:
            time: Time of the failure [s].
            step: Time step [s].
            has_diverged: Whether the run diverged.
        """
        margin = _AFTER * step
        longest = _BEFORE_DIVERGENCE * step if has_diverged else margin
        for number, met in enumerate(self._found):
            # A limit that is reached within a step appears as a minimum, because the values after it are arbitrary.
            if not met.is_limit and abs(met.time - time) <= longest:
                self._found[number] = replace(met, is_limit=True)
        self._found += [found for one in self._mechanisms if (found := one.limit_before(time, margin)) is not None]


@dataclass(frozen=True, slots=True)
class _Sample:
    time: float
    value: float
    matrix: Vector


class _Mechanism:
    """The degrees of freedom of connected loops, and samples of their constraint Jacobian.

    Attributes:
        rank: The rank of the Jacobian without redundant constraints.
        closing_displacements: Finds displacements that close the loops exactly.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData, layout: MechanismLayout) -> None:
        self._compiled, self._dofs, self._cells = compiled, layout.dofs, layout.cells
        self._belong_to_drives, self._equalities = layout.belong_to_drives, layout.equalities
        length = characteristic_length(compiled.model, data, layout.joints)
        self.rank = 0
        self._largest = 0.0
        self._samples: list[_Sample] = []
        self._configurations: list[Vector] = []
        self._is_left = True
        self._change, self._steps = 0.0, 0
        # The unit displacement of a degree of freedom is 1 rad or a characteristic length.
        row_scales = np.where(layout.are_lengths, 1.0 / length, 1.0)
        column_scales = np.where(layout.are_translations, length, 1.0)
        self._scales = row_scales[:, None] * column_scales
        constraints = ScaledConstraints(
            rows=layout.cells[:, 0] // compiled.model.nv,
            dofs=layout.dofs,
            row_scales=row_scales,
            column_scales=column_scales,
            residual_scales=row_scales * layout.close_loops,
        )
        self.closing_displacements = ClosingDisplacementSearch(compiled, constraints)

    @property
    def negligible_residual(self) -> float:
        """A residual that leaves no displacement above its bound if none is larger [m or rad]."""
        return self.closing_displacements.negligible_residual(self.singular_value)

    @property
    def singular_value(self) -> float:
        """The smallest singular value of the last sample; infinite without one."""
        return self._samples[-1].value if self._samples else math.inf

    def sample(self, J: Vector, time: float) -> SingularConfiguration | None:
        """Take a sample; return a singular configuration between the last two samples or at the last one.

        Args:
            J: The numbers of the Jacobian of all constraints, row by row.
            time: The time of the sample [s].
        """
        B = J.take(self._cells)
        B *= self._scales
        s = singular_values(B)
        least = (_RANK_RISE if self.rank else RANK_TOLERANCE) * s[0] if s else 0.0
        rank = len([value for value in s if value > least])
        if rank > self.rank:
            self.rank = rank
            self._largest = 0.0
            self._samples.clear()
        if not self.rank:
            return None
        value = s[self.rank - 1]
        self._largest = max(self._largest, value)
        self._samples = [*self._samples[-2:], _Sample(time, value, B)]
        return self._detect()

    def redundant_constraints(self, J: Vector) -> RedundantConstraints | None:
        """Return the redundant constraints, by the samples so far, or else by a Jacobian, whose numbers are row by row."""
        rank = self.rank
        B = J.take(self._cells) * self._scales
        if not rank and not np.isnan(J[:1]).any():
            s = singular_values(B)
            rank = len([value for value in s if value > RANK_TOLERANCE * s[0]])
        sizes = np.linalg.norm(B, axis=1)
        without_force = self._belong_to_drives & (sizes <= RANK_TOLERANCE * sizes.max(initial=0.0))
        count = len(B) - int(without_force.sum()) - rank
        if not rank or not count:
            return None
        return RedundantConstraints(count=count, joints=self._joints_of_free_forces(B, rank, without_force))

    def _joints_of_free_forces(self, B: Vector, rank: int, without_force: BoolArray) -> tuple[str, ...]:
        """Return the paths of the joints of loops in which forces of constraints can balance each other.

        Args:
            B: The scaled Jacobian.
            rank: Its rank.
            without_force: Its rows that have no force.
        """
        every = np.linalg.svd(B)[0][:, rank:]
        have_force = ~without_force & (np.linalg.norm(every, axis=1) > _NO_FORCE)
        loops = [dofs_of_equality(self._compiled.model, number) for number in set(self._equalities[have_force].tolist())]
        found = set().union(*loops)
        paths = dict.fromkeys(joint_path(self._compiled, int(dof)) for dof in self._dofs if int(dof) in found)
        return tuple(paths)

    def wait(self, steps: int) -> float:
        """Return the number of steps within which the Jacobian cannot become singular.

        Args:
            steps: Number of steps between the last two samples.
        """
        if len(self._samples) < 2:
            return 1.0
        before, last = self._samples[-2:]
        difference = (last.matrix - before.matrix).ravel()
        change = math.sqrt(difference.dot(difference)) / steps
        # A mechanism that starts from rest, or turns back, moves faster soon.
        growth = 2.0 * abs(change - self._change) / (steps + self._steps)
        self._change, self._steps = change, steps
        fastest = change + math.sqrt(change**2 + 2.0 * growth * last.value)
        wait = 2.0 * last.value / fastest if fastest > 0.0 else math.inf
        fall = before.value**2 - last.value**2
        if last.value < _APPROACHED * self._largest and fall > 0.0:
            # At a limit of the motion accelerations are unbounded, and the square decreases linearly.
            wait = min(wait, last.value**2 * steps / fall)
        return _ADVANCE * wait

    def limit_before(self, time: float, margin: float) -> SingularConfiguration | None:
        """Return the limit of the motion that the last samples approach, if it is reached before a time plus a margin [s].

        There the square of the singular value decreases linearly to zero.
        """
        if not self._is_left or len(self._samples) < 2:
            return None
        before, last = self._samples[-2:]
        fall = before.value**2 - last.value**2
        if last.value > _APPROACHED * self._largest or fall <= 0.0:
            return None
        limit_time = last.time + (last.time - before.time) * last.value**2 / fall
        if limit_time > time + margin:
            if last.value > _REACHED * self._largest:
                return None
            limit_time = time
        self._is_left = False
        return SingularConfiguration(
            time=limit_time,
            joints=tuple(self._least_determined_joints(last)),
            singular_value=last.value,
            largest_singular_value=self._largest,
            is_limit=True,
        )

    def _detect(self) -> SingularConfiguration | None:
        if len(self._samples) < 3:
            return None
        first, middle, last = self._samples
        bound = SINGULAR_VALUE_BOUND * self._largest
        if min(middle.value, last.value) > 10.0 * bound:
            self._is_left = True
        if not (middle.value <= first.value and middle.value <= last.value):
            return None
        time, value = _parabola_minimum(first, middle, last)
        if value > bound or not self._is_left:
            return None
        self._is_left = False
        size = float(np.linalg.norm(middle.matrix))
        if any(np.linalg.norm(middle.matrix - known) < _SAME_CONFIGURATION * size for known in self._configurations):
            return None
        self._configurations.append(middle.matrix)
        joints = tuple(self._least_determined_joints(middle))
        return SingularConfiguration(time=time, joints=joints, singular_value=value, largest_singular_value=self._largest)

    def _least_determined_joints(self, sample: _Sample) -> Iterator[str]:
        """Yield the joints of the least determined motion, in descending order of their displacement."""
        sizes = np.abs(np.linalg.svd(sample.matrix)[2][self.rank - 1])
        names: dict[str, None] = {}
        for column in np.argsort(-sizes, kind="stable").tolist():
            if sizes[column] < _PARTICIPATION * sizes.max():
                break
            names[joint_path(self._compiled, int(self._dofs[column]))] = None
        yield from list(names)[:_MAX_JOINTS]


def _parabola_minimum(first: _Sample, middle: _Sample, last: _Sample) -> tuple[float, float]:
    """Return time and value of the smallest singular value by the parabola through its squares at three times.

    Near a simple zero the square is (a·t)² + b² to leading order.
    """
    before, after = middle.time - first.time, last.time - middle.time
    fall = (middle.value**2 - first.value**2) / before
    rise = (last.value**2 - middle.value**2) / after
    curvature = (rise - fall) / (before + after)
    if not curvature > 0.0:
        return middle.time, middle.value
    slope = (fall * after + rise * before) / (before + after)
    offset = min(max(-0.5 * slope / curvature, -before), after)
    return middle.time + offset, math.sqrt(max(middle.value**2 + (slope + curvature * offset) * offset, 0.0))
