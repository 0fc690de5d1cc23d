"""Singular configurations that a mechanism with loops meets during a run: dead centres and change points.

There the constraint Jacobian, of joints that close loops and of coordinates that motors prescribe, has a smaller rank than
nearby: the motion of some joints is not determined to first order. Its smallest singular value, other than those of redundant
constraints, is zero there. It is sampled while the mechanism moves. Along a smooth motion it cannot change by more than the
Jacobian itself does, which bounds how many steps may be taken until the next sample without missing a zero.

Rotations are in rad and translations in characteristic lengths of the mechanism, as in :mod:`ossature.kinematics.mobility`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.kinematics.mobility import RANK_TOLERANCE
from ossature.simulation.compiling.compiled import Compiled
from ossature.simulation.diagnostics import MOST_SINGULAR, SingularConfiguration
from ossature.simulation.element_paths import body_path
from ossature.simulation.moving.projection import equality_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_ADVANCE = 0.5
"""Share of the way to the nearest possible singular configuration that is gone until the next sample."""
_RANK_RISE = 1e-2
"""Relative singular value from which a larger rank than before is believed: redundant constraints have less, as loops are
closed to a thousandth of the mechanism at the worst."""
_SAME_PLACE = 0.05
"""Relative change of the Jacobian below which a configuration is the same."""
_APPROACHED = 0.5
"""Share of its largest value below which the singular value is that of an approach."""
_AFTER = 2.0
"""Steps by which a failure may come before the limit of the motion that causes it, as samples predict it."""
_MOST_PLACES = 16
_MOST_JOINTS = 4
_MOVES = 0.2
"""Share of the largest displacement in the motion that is not determined, from which a joint is named."""
_FREE, _BALL, _SLIDE = mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL, mujoco.mjtJoint.mjJNT_SLIDE
_CONNECT, _WELD = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD


class SingularConfigurationMonitor:
    """Finds singular configurations, by samples of the constraint Jacobian.

    Args:
        compiled: The World in the engine.
        data: The engine's data.
        longest: Steps between two samples at the most.
        found: Where what is found is added.

    Attributes:
        has_loops: Whether there is anything to sample.
        wait: Steps until the next sample is due.
    """

    def __init__(self, compiled: Compiled, data: Any, longest: int, found: list[SingularConfiguration]) -> None:
        self._model, self._data, self._longest, self._found = compiled.model, data, longest, found
        self._mechanisms = [_Mechanism(compiled, data, dofs) for dofs in _mechanisms(compiled)]
        self.has_loops = bool(self._mechanisms)
        self.wait = 1

    def sample(self, time: float, steps: int) -> None:
        """Take a sample; :attr:`wait` is the number of steps until the next one is due.

        Args:
            time: Of the configuration whose constraints the engine's data hold [s].
            steps: Steps since the last sample.
        """
        _, J = equality_rows(self._model, self._data)
        wait = float(self._longest)
        numbers = np.array(self._data.efc_id[: len(J)])
        for mechanism in self._mechanisms:
            found = mechanism.sample(J, numbers, time)
            if found is not None and len(self._found) < _MOST_PLACES:
                self._found.append(found)
            wait = min(wait, mechanism.wait(steps))
        self.wait = max(int(wait), 1)

    def note_failure(self, time: float, step: float) -> None:
        """Note a configuration beyond which the mechanism cannot move: loops opened or the run diverged as it was approached.

        Args:
            time: When that happened [s].
            step: Time step [s].
        """
        self._found += [found for one in self._mechanisms if (found := one.limit_before(time + _AFTER * step)) is not None]


@dataclass(frozen=True, slots=True)
class _Sample:
    time: float
    value: float
    motion: Vector
    matrix: Vector


class _Mechanism:
    """Degrees of freedom that loops connect, and the constraint Jacobian of them, sample by sample."""

    def __init__(self, compiled: Compiled, data: Any, dofs: NDArray[np.intp]) -> None:
        self._compiled, self._model, self._dofs = compiled, compiled.model, dofs
        self._length = _characteristic_length(self._model, data, dofs)
        self._widths = _widths(self._model, dofs, self._length)
        self._rank = 0
        self._largest = 0.0
        self._samples: list[_Sample] = []
        self._places: list[Vector] = []
        self._is_left = True
        self._numbers: NDArray[Any] = np.zeros(0)
        self._rows = np.zeros(0, dtype=np.intp)
        self._heights: Vector = np.zeros((0, 1))

    def sample(self, J: Vector, numbers: NDArray[Any], time: float) -> SingularConfiguration | None:
        """Take a sample; return a singular configuration that was met between the last two or at the last one."""
        if not np.array_equal(numbers, self._numbers):
            self._find_rows(numbers)
        B = (J[self._rows][:, self._dofs] * self._widths) * self._heights
        _, s, vh = np.linalg.svd(B, full_matrices=False)
        rank = int((s > (RANK_TOLERANCE if not self._rank else _RANK_RISE) * s[0]).sum()) if len(s) else 0
        if rank > self._rank:
            self._rank = rank
            self._largest = 0.0
            self._samples.clear()
        if not self._rank:
            return None
        value = float(s[self._rank - 1])
        self._largest = max(self._largest, value)
        self._samples = [*self._samples[-2:], _Sample(time, value, vh[self._rank - 1], B)]
        return self._judge()

    def wait(self, steps: int) -> float:
        """Return after how many steps the Jacobian cannot have become singular.

        Args:
            steps: Between the last two samples.
        """
        if len(self._samples) < 2:
            return 1.0
        before, last = self._samples[-2:]
        change = float(np.linalg.norm(last.matrix - before.matrix)) / steps
        return _ADVANCE * last.value / change if change > 0.0 else np.inf

    def limit_before(self, time: float) -> SingularConfiguration | None:
        """Return the limit of the motion that the last samples approach, if it is met before a time [s].

        There the square of the singular value falls linearly to zero.
        """
        if not self._is_left or len(self._samples) < 2:
            return None
        before, last = self._samples[-2:]
        fall = before.value**2 - last.value**2
        if last.value > _APPROACHED * self._largest or fall <= 0.0:
            return None
        met = last.time + (last.time - before.time) * last.value**2 / fall
        if met > time:
            return None
        self._is_left = False
        return SingularConfiguration(
            time=met,
            joints=tuple(self._joints(last.motion)),
            singular_value=last.value,
            largest_singular_value=self._largest,
            is_limit=True,
        )

    def _find_rows(self, numbers: NDArray[Any]) -> None:
        own = set(self._dofs.tolist())
        kinds = self._model.eq_type
        rows, heights = [], []
        for row, number in enumerate(numbers.tolist()):
            if not own.intersection(_dofs_of_equality(self._model, number)):
                continue
            place = int((numbers[:row] == number).sum())
            is_length = kinds[number] == _CONNECT or (kinds[number] == _WELD and place < 3) or self._slides(number)
            rows.append(row)
            heights.append(1.0 / self._length if is_length else 1.0)
        self._numbers = numbers.copy()
        self._rows, self._heights = np.array(rows, dtype=np.intp), np.array(heights)[:, None]
        self._samples.clear()

    def _slides(self, number: int) -> bool:
        model = self._model
        if model.eq_type[number] != mujoco.mjtEq.mjEQ_JOINT:
            return bool(model.eq_type[number] == mujoco.mjtEq.mjEQ_TENDON)
        return bool(model.jnt_type[model.eq_obj1id[number]] == _SLIDE)

    def _judge(self) -> SingularConfiguration | None:
        if len(self._samples) < 3:
            return None
        first, middle, last = self._samples
        bound = MOST_SINGULAR * self._largest
        if min(middle.value, last.value) > 10.0 * bound:
            self._is_left = True
        if not (middle.value <= first.value and middle.value <= last.value):
            return None
        time, value = _least(first, middle, last)
        if value > bound or not self._is_left:
            return None
        self._is_left = False
        size = float(np.linalg.norm(middle.matrix))
        if any(np.linalg.norm(middle.matrix - place) < _SAME_PLACE * size for place in self._places):
            return None
        self._places.append(middle.matrix)
        joints = tuple(self._joints(middle.motion))
        return SingularConfiguration(time=time, joints=joints, singular_value=value, largest_singular_value=self._largest)

    def _joints(self, motion: Vector) -> Iterator[str]:
        """Yield the joints that move in a motion of the degrees of freedom, those that move most first."""
        sizes = np.abs(motion)
        names: dict[str, None] = {}
        for place in np.argsort(-sizes, kind="stable").tolist():
            if sizes[place] < _MOVES * sizes.max():
                break
            names[_joint_path(self._compiled, int(self._dofs[place]))] = None
        yield from list(names)[:_MOST_JOINTS]


def _least(first: _Sample, middle: _Sample, last: _Sample) -> tuple[float, float]:
    """Return time and value of the least singular value by the parabola through its squares at three times.

    Beside a simple zero the square is (a·t)² + b² to leading order.
    """
    times = np.array([first.time, middle.time, last.time]) - middle.time
    span = float(times[2] - times[0])
    squares = np.square([first.value, middle.value, last.value])
    a, b, c = np.polyfit(times / span, squares, 2)
    if not a > 0.0:
        return middle.time, middle.value
    at = float(np.clip(-0.5 * b / a, times[0] / span, times[2] / span))
    return middle.time + at * span, float(np.sqrt(max(c + b * at + a * at * at, 0.0)))


def _mechanisms(compiled: Compiled) -> Iterator[NDArray[np.intp]]:
    """Yield the degrees of freedom of each mechanism: those that equality constraints connect, if one closes a loop."""
    model = compiled.model
    following = {coupling.equality.id for coupling in compiled.couplings}
    groups: list[tuple[set[int], bool]] = []
    for number in range(model.neq):
        dofs = set(_dofs_of_equality(model, number))
        closes = model.eq_type[number] != mujoco.mjtEq.mjEQ_JOINT and number not in following
        touching = [group for group in groups if group[0] & dofs]
        groups = [group for group in groups if not group[0] & dofs]
        groups.append((dofs.union(*[group[0] for group in touching]), closes or any(group[1] for group in touching)))
    for dofs, closes in groups:
        if closes and dofs:
            yield np.array(sorted(dofs), dtype=np.intp)


def _dofs_of_equality(model: Any, number: int) -> list[int]:
    """Return the degrees of freedom that an equality constraint can depend on."""
    kind, first, second = model.eq_type[number], int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
    if kind == mujoco.mjtEq.mjEQ_JOINT:
        return [int(model.jnt_dofadr[joint]) for joint in (first, second) if joint >= 0]
    if kind == mujoco.mjtEq.mjEQ_TENDON:
        return [dof for tendon in (first, second) if tendon >= 0 for dof in _dofs_of_tendon(model, tendon)]
    if model.eq_objtype[number] == mujoco.mjtObj.mjOBJ_SITE:
        first, second = int(model.site_bodyid[first]), int(model.site_bodyid[second])
    return sorted(set(_dofs_of_body(model, first)) ^ set(_dofs_of_body(model, second)))


def _dofs_of_tendon(model: Any, tendon: int) -> list[int]:
    start, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    dofs: set[int] = set()
    for wrap in range(start, start + count):
        of = int(model.wrap_objid[wrap])
        if model.wrap_type[wrap] == mujoco.mjtWrap.mjWRAP_SITE:
            dofs ^= set(_dofs_of_body(model, int(model.site_bodyid[of])))
        elif model.wrap_type[wrap] == mujoco.mjtWrap.mjWRAP_JOINT:
            dofs.add(int(model.jnt_dofadr[of]))
    return sorted(dofs)


def _dofs_of_body(model: Any, body: int) -> list[int]:
    dofs: list[int] = []
    while body:
        dofs += range(int(model.body_dofadr[body]), int(model.body_dofadr[body]) + int(model.body_dofnum[body]))
        body = int(model.body_parentid[body])
    return dofs


def _characteristic_length(model: Any, data: Any, dofs: NDArray[np.intp]) -> float:
    """Return the typical distance of the joints of a mechanism from their middle [m]."""
    anchors = np.array(data.xanchor)[np.unique(model.dof_jntid[dofs])]
    length = float(np.sqrt(np.square(anchors - anchors.mean(axis=0)).sum(axis=1).mean()))
    return length if length > 0.0 else float(model.stat.extent)


def _widths(model: Any, dofs: NDArray[np.intp], length: float) -> Vector:
    """Return the displacement of each degree of freedom that counts as one: 1 rad or a characteristic length."""
    widths = np.ones(len(dofs))
    for place, dof in enumerate(dofs.tolist()):
        joint = int(model.dof_jntid[dof])
        kind, offset = model.jnt_type[joint], dof - int(model.jnt_dofadr[joint])
        if kind == _SLIDE or (kind == _FREE and offset < 3):
            widths[place] = length
    return widths


def _joint_path(compiled: Compiled, dof: int) -> str:
    """Return the path of the joint, or else of the body, that one of the engine's degrees of freedom belongs to."""
    for index in compiled.index.all_joints():
        if index.dof_count and index.dof <= dof < index.dof + index.dof_count:
            return f"{index.model}/{index.joint.name}"
    name = str(compiled.model.joint(int(compiled.model.dof_jntid[dof])).name)
    return name or body_path(compiled, int(compiled.model.dof_bodyid[dof]))
