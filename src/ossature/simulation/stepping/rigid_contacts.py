"""Rigid contacts: what a step of the engine needs around it so that bodies touch without sinking in.

The engine solves for accelerations under constraints whose rows ask for an acceleration each. Contacts are found before
they close: shapes get margins that cover what they can travel until the margins are set anew. The row of each contact then
asks for the velocity that closes its gap exactly at the end of the step (Stewart and Trinkle 1996), so that nothing
overlaps and nothing is pushed back. Where a contact closes with a restitution, it asks for the velocity of Newton's law of
impact instead. An overlap that exists nevertheless, as at a start, is removed slowly.

The engine's convex model of Coulomb friction opens a gap that slips by a velocity of friction coefficient times slip
(Anitescu 2006). The row is made less demanding by as much, with the slip at the end of the step, which is found by
iterating: the slip of the step before is right for bodies that slide, and only impacts and large steps need more than one
solution (Acary et al. 2011).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.simulation.checkpointing import Memory
from ossature.simulation.compile.contact_settings import ContactParameters, apply_rigid_settings, apply_rigid_solver
from ossature.simulation.compile.integrator_choice import Integrator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

STEPS_BETWEEN_MARGINS = 16
"""How many steps margins hold, unless velocities change by more than they allow for."""
_LEAST_ACCELERATION = 9.81
"""Acceleration that margins allow for in a World of less gravity [m/s²]."""
_MARGIN_FACTOR = 1.1
_SMALLEST_MARGIN_M = 1e-5
LARGEST_GAP_ERROR_M = 1e-5
"""By how much the gap of a contact may be wrong at the end of a step; beyond, the step is solved again."""
_NEGLIGIBLE_M = 1e-6
"""A change of gaps in a step that needs no care, such as that of bodies at rest."""
LARGEST_PENETRATION_M = 1e-3
"""Penetration beyond which a simulation has a finding."""
_LARGEST_REPEATS = 12
_LARGEST_RELAXATION = 1.8
_RELAXATION = (0.2, 2.0)
"""Bounds of the relaxation that follows from two solutions."""
RECOVERY_SPEED = 0.03
"""Speed with which an overlap is removed [m/s]: a body that gets it flies up by a twentieth of a millimetre."""
SMALLEST_BOUNCE_SPEED = 0.1
"""Normal speed below which a contact does not rebound [m/s]; DART has the same, Chrono 0.15."""
_ROWS = 3
"""Rows of the engine of a contact: along the normal, and two along the surface."""
_BALANCED_SQUARE = 1e-4**2
"""Square of the generalised accelerations up to which bodies at rest are in balance [m²/s⁴ or rad²/s⁴]: a contact that bears
a force is closed then, so that no margin is needed to find it."""
_UNBALANCED_SQUARE = 1e-3**2
"""Square of those from which they are no longer in balance."""
_BALANCED_TOLERANCE = 1e-10
"""Tolerance of the engine's solver for bodies in balance: their accelerations may be wrong by some 1e-9 m/s²."""


@dataclass(frozen=True, slots=True)
class Penetration:
    """How deep two of the engine's geoms were in each other at the beginning of a step.

    Attributes:
        depth: How deep [m].
        time: When [s].
        geoms: The engine's numbers of the two.
    """

    depth: float
    time: float
    geoms: tuple[int, int]


class RigidContacts:
    """Resolves contacts at the end of each step.

    Args:
        model: The engine's model.
        data: The engine's data.
        scheme: How the model is stepped.
        contacts: How contacts act.

    Attributes:
        deepest: The deepest penetration so far beyond :data:`LARGEST_PENETRATION_M`; None if there was none.
        is_balanced: Whether all bodies are at rest and in balance, so that shapes have no margins now.
    """

    def __init__(self, model: Any, data: Any, scheme: Integrator, contacts: ContactParameters) -> None:
        self._model, self._data = model, data
        apply_rigid_solver(model)
        self._tolerance = float(model.opt.tolerance)
        # The integrator ``discrete`` computes what rows ask for once more from their gaps; elsewhere it is written itself.
        self._at_end_of_step = scheme in (Integrator.DISCRETE, Integrator.STAGGERED)
        self._margins = model.geom_margin
        self._own_margins = np.array(model.geom_margin)
        self._has_own_margins = bool(self._own_margins.any())
        self._can_rest = not self._has_own_margins
        bodies = np.array(model.geom_bodyid)
        self._moving = np.flatnonzero(np.array(model.body_weldid)[bodies] > 0)
        self._bodies = bodies[self._moving]
        self._roots = np.array(model.body_rootid)[self._bodies]
        self._reach = np.array(model.geom_rbound)[self._moving]
        self._gravity = max(float(np.linalg.norm(model.opt.gravity)), _LEAST_ACCELERATION)
        frictions = np.unique(model.geom_friction[:, 0])
        self._friction = float(frictions[0]) if frictions.size == 1 else None
        self._largest_friction = max(float(frictions[-1]), 1e-3)
        self._restitution = contacts.restitution if contacts.restitution.any() else None
        self._has_limits = bool(model.jnt_limited.any() or model.tendon_limited.any())
        self._has_limit_margins = bool(model.jnt_margin.any() or model.tendon_margin.any())
        self._qpos, self._qvel, self._qacc, self._act = data.qpos, data.qvel, data.qacc, data.act
        self._has_act = bool(data.act.size)
        # The acceleration of the step before, which a restart gives back.
        self._earlier_qacc = data.qacc_warmstart
        self._old_qpos, self._old_qvel, self._old_act = (np.array(each) for each in (data.qpos, data.qvel, data.act))
        self._margin_qvel = np.array(data.qvel)
        self._change = np.empty(data.qvel.size)
        self._largest_change_square = 0.0
        self.deepest: Penetration | None = None
        self._lowest = -LARGEST_PENETRATION_M
        self._first, self._count = 0, 0
        self._hits: NDArray[np.bool_] | None = None
        self._is_clear = self._is_at_rest = self.is_balanced = False
        self._steps_left = 0
        self.set_time_step(float(model.opt.timestep))

    def set_time_step(self, step: float) -> None:
        """Go on with another step, which the engine's model has already."""
        self._step, self._rate = step, 1.0 / step
        apply_rigid_settings(self._model, at_end_of_step=self._at_end_of_step)
        self._recovery = -RECOVERY_SPEED * step
        # A slip opens gaps by so much in a step; so do changes of slips that are not foreseen.
        opening = step * self._largest_friction
        self._quiet_square = (_NEGLIGIBLE_M / opening) ** 2
        self._still_square = (LARGEST_GAP_ERROR_M / (opening * step)) ** 2
        self.start()

    def memory(self) -> Memory:
        """Return the margins, the velocities they are for and how long they hold, and what is known of overlaps."""
        rest = int(self._is_at_rest) + int(self.is_balanced)
        flags = np.array([self._steps_left, self._is_clear, rest], dtype=np.int64)
        return {
            "margins": self._margins.copy(),
            "margin velocities": self._margin_qvel.copy(),
            "margin change": np.array([self._largest_change_square]),
            "contact state": flags,
        }

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave."""
        if memory["margins"].shape != self._margins.shape:
            raise ValueError("there are other shapes")
        if memory["margin velocities"].shape != self._margin_qvel.shape:
            raise ValueError("there are other degrees of freedom")
        self._margins[:] = memory["margins"]
        self._margin_qvel[:] = memory["margin velocities"]
        self._largest_change_square = float(memory["margin change"][0])
        steps_left, is_clear, rest = memory["contact state"].astype(int).tolist()
        self._steps_left, self._is_clear, self._is_at_rest = steps_left, bool(is_clear), rest > 0
        self._set_balanced(rest > 1)

    def start(self) -> None:
        """Begin at the state that the engine's data hold."""
        self._steps_left = 0
        self._is_clear = self._is_at_rest = False
        self._set_balanced(False)

    @property
    def has_force(self) -> bool:
        """Whether a contact had a force in the step that was taken last."""
        # Of an elliptic cone all three forces are zero, or the one along the normal is positive.
        return self._count != 0 and bool(np.count_nonzero(self._data.efc_force[self._first_row() :]))

    def forward(self) -> None:
        """Compute the accelerations of now, as the engine's forward dynamics do, with rigid contacts."""
        model, data = self._model, self._data
        self.prepare()
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        self.constrain()
        mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_VEL, 0)

    def prepare(self) -> None:
        """Set margins if it is time; call it before the first half of a step."""
        if self._steps_left <= 0 or self.is_balanced:
            self._set_margins()
        elif not self._is_at_rest:
            change = np.subtract(self._qvel, self._margin_qvel, out=self._change)
            if not change.dot(change) <= self._largest_change_square:
                self._set_margins()
        self._steps_left -= 1

    def _set_margins(self) -> None:
        """Let the margin of each shape cover what its fastest point travels in a step, until margins are set anew.

        They allow for a change of velocities as gravity makes it until then. An angular velocity changes the velocity of a
        point by as much as its distance, so that the change of generalised velocities is bounded by less in large models.
        """
        model, data = self._model, self._data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        arms = data.geom_xpos[self._moving] - data.subtree_com[self._roots]
        velocities = data.cvel[self._bodies]
        spins, flows = np.sqrt(_SUMS_OF_THREES @ np.square(velocities).T)
        extents = np.sqrt(_SUM_OF_THREE @ np.square(arms).T) + self._reach
        gained = self._gravity * self._step
        travel = (_MARGIN_FACTOR * self._step) * (flows + spins * extents + gained * (STEPS_BETWEEN_MARGINS + 1))
        self._margins[self._moving] = travel + (self._own_margins[self._moving] + _SMALLEST_MARGIN_M)
        largest_change = gained * STEPS_BETWEEN_MARGINS / max(_greatest(extents), 1.0)
        self._largest_change_square = largest_change * largest_change
        np.copyto(self._margin_qvel, self._qvel)
        self._steps_left = STEPS_BETWEEN_MARGINS
        if self.is_balanced:
            self._set_balanced(False)

    def balance(self) -> None:
        """Take the margins away if all bodies are at rest and in balance; call it after a step.

        The contacts that bear forces are closed then, by the thousandth of a micrometre that their rows give way; others
        close by less than :data:`_NEGLIGIBLE_M` in a step.
        """
        if self._count < 0 and self._qacc.dot(self._qacc) < _BALANCED_SQUARE:
            self._margins.fill(0.0)
            self._set_balanced(True)

    def _set_balanced(self, is_balanced: bool) -> None:
        """State whether bodies are in balance: there the step before has solved this one, and the engine need not repeat it."""
        self.is_balanced = is_balanced
        self._model.opt.tolerance = max(_BALANCED_TOLERANCE, self._tolerance) if is_balanced else self._tolerance

    def step_in_balance(self) -> bool:
        """Take a step of the engine with nothing written; if bodies leave their rest in it, undo it and return False."""
        data = self._data
        np.copyto(self._old_qpos, self._qpos)
        np.copyto(self._old_qvel, self._qvel)
        if self._has_act:
            np.copyto(self._old_act, self._act)
        time = data.time
        mujoco.mj_step(self._model, data)
        qvel, qacc = self._qvel, self._qacc
        if qvel.dot(qvel) < self._quiet_square and qacc.dot(qacc) < _UNBALANCED_SQUARE:
            return True
        self._take_back(time)
        return False

    def constrain(self) -> None:
        """Let contacts ask for what closes their gaps; call it between the halves of a step, with velocities to go on from."""
        data = self._data
        if not data.ncon:
            self._count = 0
            self._is_at_rest = False
            return
        if self._is_clear and self._can_rest and self._qvel.dot(self._qvel) < self._quiet_square:
            self._is_at_rest = True
            self._steps_left += 1  # margins of bodies at rest hold on
            self._request_rest()
            return
        self._is_at_rest = False
        self._first = first = self._first_row()
        # Each view of the engine's rows costs as much as a small calculation, and so does numpy's minimum of few numbers.
        positions, velocities = data.efc_pos, data.efc_vel
        gaps = positions[first::_ROWS]
        self._count = gaps.size
        if not gaps.size:
            return
        if self._has_own_margins:
            gaps = gaps - self._own_margin_of_contacts()
        self._slips = np.hypot(velocities[first + 1 :: _ROWS], velocities[first + 2 :: _ROWS])
        friction = self._friction
        self._opening = self._step * (self._frictions() if friction is None else friction)
        lowest = _least(gaps)
        if lowest < self._lowest:
            self._note_penetration(gaps)
        self._gaps = np.maximum(gaps, self._recovery) if lowest < self._recovery else gaps.copy()
        self._is_clear = lowest > -LARGEST_GAP_ERROR_M
        if self._is_clear:
            self._lowest = -LARGEST_PENETRATION_M
        if self._restitution is not None:
            self._find_hits(gaps, velocities[first::_ROWS])
        self._request_references(positions, velocities)

    def _note_penetration(self, gaps: Vector) -> None:
        number = int(gaps.argmin())
        self._lowest = float(gaps[number])
        first, second = self._geoms()[number].tolist()
        self.deepest = Penetration(-self._lowest, float(self._data.time), (first, second))

    def _first_row(self) -> int:
        """Return the first row of contacts among the engine's."""
        data = self._data
        first: int = data.ne + data.nf + (data.nl if self._has_limits else 0)
        return first

    def _request_rest(self) -> None:
        """Let gaps close: what they would open by slips is negligible."""
        self._count = -1
        self._clear_margins()
        if not self._at_end_of_step:
            mujoco.mj_referenceConstraint(self._model, self._data)

    def _clear_margins(self) -> None:
        """Take the margins out of the engine's rows of contacts; other rows have some only if joints or tendons do."""
        margins = self._data.efc_margin
        if self._has_limit_margins:
            margins[self._first_row() :] = 0.0
        else:
            margins.fill(0.0)

    def _request_references(self, positions: Vector, velocities: Vector) -> None:
        """Write into the engine's rows, whose positions and velocities are given, what they ask for."""
        first = self._first
        wanted = self._opening * self._slips
        wanted += self._gaps
        if self._at_end_of_step:
            positions[first::_ROWS] = wanted
            self._clear_margins()
        else:
            wanted *= self._rate
            wanted += velocities[first::_ROWS]
            np.multiply(wanted, -self._rate, out=self._data.efc_aref[first::_ROWS])

    def _frictions(self) -> Vector:
        contacts = self._data.contact
        frictions: Vector = contacts.friction[:, 0]
        return frictions if frictions.size == self._count else frictions[contacts.efc_address >= 0]

    def _geoms(self) -> NDArray[np.int32]:
        contacts = self._data.contact
        geoms: NDArray[np.int32] = contacts.geom
        return geoms if len(geoms) == self._count else geoms[contacts.efc_address >= 0]

    def _own_margin_of_contacts(self) -> Vector:
        """Return the distance at which the shapes of each contact touch by what their file says [m]."""
        margins: Vector = self._own_margins[self._geoms()].sum(axis=1)
        return margins

    def _find_hits(self, gaps: Vector, speeds: Vector) -> None:
        """Let contacts that close in this step ask for a rebound by Newton's law of impact."""
        restitution = self._restitution
        assert restitution is not None  # noqa: S101  # the caller looked
        self._hits = None
        if _least(speeds) > -SMALLEST_BOUNCE_SPEED:
            return
        hits = (gaps + self._step * speeds < 0.0) & (speeds < -SMALLEST_BOUNCE_SPEED)
        if hits.any():
            self._elasticity = restitution[self._geoms()].min(axis=1)
            self._hits = hits & (self._elasticity > 0.0)
            self._impact = (np.maximum(gaps, 0.0), np.array(speeds))
            self._rebound(np.zeros(gaps.size))

    def _rebound(self, accelerations: Vector) -> None:
        """Ask for rebounds, with given accelerations along the normal without contacts.

        A contact is resolved at the place where the step begins, above the surface. There it gets the velocity with which it
        would pass on its way up after an impact at the surface.
        """
        heights, speeds = self._impact
        fallen = 2.0 * np.minimum(accelerations, 0.0) * heights
        rebounds = np.sqrt(np.maximum(self._elasticity**2 * (speeds**2 - fallen) + fallen, 0.0))
        hits = self._hits
        assert hits is not None  # noqa: S101  # the callers looked
        np.copyto(self._gaps, -self._step * rebounds, where=hits)

    def step2(self) -> None:
        """Take the second half of the engine's step, again while gaps at its end differ from what was asked for."""
        model, data = self._model, self._data
        if not self._count:
            mujoco.mj_step2(model, data)
            return
        np.copyto(self._old_qpos, self._qpos)
        np.copyto(self._old_qvel, self._qvel)
        if self._has_act:
            np.copyto(self._old_act, self._act)
        time = data.time
        mujoco.mj_step2(model, data)
        qacc = self._qacc
        if qacc.dot(qacc) < self._still_square:
            return
        if self._count < 0:
            self._leave_rest(time)
        self._is_clear = False
        if self._hits is not None:
            self._rebound(self._along(data.qacc_smooth)[self._first :: _ROWS])
            self._repeat(time)
        self._residuals: Vector | None = None
        for _ in range(_LARGEST_REPEATS):
            if self._is_solved():
                return
            self._repeat(time)

    def _leave_rest(self, time: float) -> None:
        """Take a step again that began at rest, because velocities change much in it."""
        self._take_back(time)
        self._is_clear = False  # so that the step is not taken as one at rest again
        mujoco.mj_referenceConstraint(self._model, self._data)
        self.constrain()
        mujoco.mj_step2(self._model, self._data)

    def _repeat(self, time: float) -> None:
        """Take the second half of the step again, with what is asked for now."""
        self._take_back(time)
        self._request_references(self._data.efc_pos, self._data.efc_vel)
        mujoco.mj_step2(self._model, self._data)

    def _take_back(self, time: float) -> None:
        np.copyto(self._qpos, self._old_qpos)
        np.copyto(self._qvel, self._old_qvel)
        if self._has_act:
            np.copyto(self._act, self._old_act)
        self._data.time = time

    def _along(self, velocities: Vector) -> Vector:
        """Return generalised velocities or accelerations along the engine's rows."""
        along = np.empty(self._data.nefc)
        mujoco.mj_mulJacVec(self._model, self._data, along, velocities)
        return along

    def _is_solved(self) -> bool:
        """Whether gaps at the end of the step are those that were asked for; if not, the slips to go on with are set."""
        first = self._first
        velocities = self._along(self._qvel)
        errors = self._step * velocities[first::_ROWS]
        errors += self._gaps
        if _least(errors) > -LARGEST_GAP_ERROR_M:
            if _greatest(errors) < LARGEST_GAP_ERROR_M:
                return True
            # A contact without a force may open by more.
            if _greatest(errors[self._data.efc_force[first::_ROWS] > 0.0]) < LARGEST_GAP_ERROR_M:
                return True
        self._improve_slips(np.hypot(velocities[first + 1 :: _ROWS], velocities[first + 2 :: _ROWS]))
        return False

    def _improve_slips(self, slips: Vector) -> None:
        """Set the slips to go on with from those that came out of the last solution.

        Each contact has a relaxation of its own. If one body touches, the slip that comes out changes by 1 - 1/(1 + µ²) of
        the one that goes in; after two solutions the change is known (Aitken's method for each contact), also if contacts
        act on each other so that slips would alternate.
        """
        residuals = slips - self._slips
        earlier = self._residuals
        if earlier is None:
            friction = self._opening / self._step
            self._relaxation = np.minimum(1.0 + friction * friction, _LARGEST_RELAXATION) + np.zeros(slips.size)
        else:
            change = earlier - residuals
            secant = np.divide(self._relaxation * earlier, change, out=self._relaxation.copy(), where=change != 0.0)
            self._relaxation = np.clip(secant, *_RELAXATION)
        self._residuals = residuals
        self._slips = np.maximum(self._slips + self._relaxation * residuals, 0.0)


_FEW = 32
"""Numbers up to which Python finds the least faster than numpy."""
_SUM_OF_THREE = np.ones(3)
_SUMS_OF_THREES = np.kron(np.eye(2), np.ones(3))
"""Matrices whose products are faster than numpy's sums of few numbers."""


def _least(numbers: Vector) -> float:
    return min(numbers.tolist()) if numbers.size <= _FEW else float(np.minimum.reduce(numbers))


def _greatest(numbers: Vector) -> float:
    """Return the greatest of some numbers that matter if they are positive."""
    return max(numbers.tolist(), default=0.0) if numbers.size <= _FEW else float(np.maximum.reduce(numbers))


def make_contacts(scheme: Integrator, model: Any, data: Any, contacts: ContactParameters) -> RigidContacts | None:
    """Return what resolves the contacts of a model; None if nothing can touch, or contacts are compliant."""
    can_touch = model.ngeom > 0 and not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    return RigidContacts(model, data, scheme, contacts) if can_touch and contacts.options.are_rigid else None
