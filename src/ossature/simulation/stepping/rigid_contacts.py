"""Rigid contacts: corrections of the engine's step so that bodies touch without penetration.

The engine solves for accelerations under constraints with a reference acceleration per row. Contacts are detected before
they close: the margins of shapes cover the distance they can travel until the next update of margins. The row of each contact
requests the velocity that closes its gap exactly at the end of the step (Stewart and Trinkle 1996), so that nothing
overlaps and nothing is pushed back. If a contact closes with a restitution, it requests the velocity of Newton's law of
impact instead. An overlap that exists nevertheless, for example at the start, is removed slowly.

The engine's convex model of Coulomb friction opens the gap of a contact with a velocity of friction coefficient times slip
(Anitescu 2006). The requested velocity is reduced by as much, with the slip at the end of the step, which is found by
iteration: the slip of the step before is accurate for sliding bodies, and only impacts and large steps need more than one
solution (Acary et al. 2011). A body whose contact opens only with slip, such as the foot of an inclined link on a hinge, moves
fast in the wrong direction if it is pushed out of an overlap: the iteration therefore tolerates gaps rather than overlaps,
except of contacts that slide steadily.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from ossature.array_types import AnyArray, BoolArray, Int32Array, Vector
from ossature.simulation.compile.contact_model import apply_rigid_settings, apply_rigid_solver
from ossature.simulation.compile.engine_enumerations import VELOCITY_STAGE
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.compiled_stepping_structs import Contacts, set_addresses, set_index_addresses
from ossature.simulation.stepping.constraint_islands import find_islands
from ossature.simulation.stepping.contact_clearance import describe_clearance, find_rates_with_clearance
from ossature.simulation.stepping.contact_lever_arms import move_to_surfaces
from ossature.simulation.stepping.contact_margins import ContactMargins
from ossature.simulation.stepping.energy_limited_restitution import (
    ContactWork,
    is_energy_gained,
    reduce_restitutions,
)
from ossature.simulation.stepping.equality_solver import make_equality_solver, take_second_half
from ossature.simulation.stepping.impact_sequence import OPEN_M, ImpactSequence
from ossature.simulation.stepping.restitution_impacts import SMALLEST_BOUNCE_SPEED, RestitutionImpacts, find_restitution_impacts
from ossature.simulation.stepping.slip_extrapolation import SlipExtrapolation
from ossature.simulation.stepping.slip_fixed_point_iteration import MAX_RELAXATION, RELAXATION_BOUNDS, SlipFixedPointIteration

LARGEST_GAP_ERROR_M = 2e-5
"""Largest error of the gap of a contact at the end of a step; with a larger one the step is solved again."""
_LARGEST_OVERLAP = 0.05
"""Largest overlap at the end of a step, relative to the largest error of gaps. The next step removes an overlap, with a large
force if friction jams the contact; a body above the surface only falls."""
LARGEST_SPEED_ERROR = 0.02
"""Largest error of the normal velocity of a contact after a step [m/s]; in short steps it is a small gap."""
_NEGLIGIBLE_M = 1e-6
"""Negligible change of gaps in a step, such as that of bodies at rest."""
_NEGLIGIBLE_OPENING = 0.01
"""Opening of a contact by its slip that remains, relative to the largest error of gaps. If a contact nearly sticks, its slip
in the last step does not predict that in this one: if such openings were removed, slips of 0.1 mm/s might alternate."""
_STEADY_SQUARE = 0.1**2
"""Square of the relative change of the slip of contacts that slide steadily. The friction that brakes them lets them overlap by
the same distance in each step, so that nothing is pushed out."""
_LARGEST_STEADY_OVERLAP = 0.5
"""Largest overlap of what friction brakes on a level plane, relative to the largest error of gaps. The forces of a larger one
would alternate, because it exceeds that error in some of the steps."""
_NOTABLE_GAP_M = 1e-4
"""Gap from which the point of a contact that closes in a step is moved to the surfaces."""
_LARGEST_QUIET_SPEED = 0.01
"""Largest generalised velocity of bodies that are treated as at rest, far below that of a rebound [m/s or rad/s]."""
LARGEST_PENETRATION_M = 1e-3
"""Penetration above which a simulation has a finding."""
_SAME_DEPTH = 1.1
"""Ratio of depths below which a penetration of the same geoms is represented by an earlier one."""
_MAX_REPEATS = 12
RECOVERY_SPEED = 0.03
"""Speed with which an overlap is removed [m/s]: a body with this speed rises by 0.05 mm."""
ROWS = 3
"""Constraint rows of a contact in the engine: one normal, and two tangential."""
_EQUILIBRIUM_SQUARE = 1e-4**2
"""Square of the generalised accelerations up to which bodies at rest are in equilibrium [m²/s⁴ or rad²/s⁴]: a contact with
a force is closed then, so that no margin is needed to detect it."""
_MOTION_SQUARE = 1e-3**2
"""Square of the generalised accelerations from which they are no longer in equilibrium."""
_EQUILIBRIUM_TOLERANCE = 1e-10
"""Tolerance of the engine's solver for bodies in equilibrium: the error of accelerations is about 1e-9 m/s²."""


@dataclass(frozen=True, slots=True)
class Penetration:
    """The penetration of two of the engine's geoms at the start of a step.

    Attributes:
        depth: The penetration depth [m].
        time: The time [s].
        geoms: The engine's indices of the two.
    """

    depth: float
    time: float
    geoms: tuple[int, int]


def select_penetration(earlier: Penetration | None, found: Penetration, *, were_apart: bool) -> Penetration:
    """Return a penetration, or the earlier one if it is of the same geoms and not notably less deep.

    Args:
        earlier: The earlier penetration, or None.
        found: The penetration.
        were_apart: Whether shapes were apart after the earlier one: one at the start is then not continued.
    """
    if earlier is None or earlier.geoms != found.geoms or (were_apart and earlier.time <= 0.0):
        return found
    return earlier if found.depth < _SAME_DEPTH * earlier.depth else found


class RigidContacts:
    """Resolves contacts at the end of each step.

    Attributes:
        deepest: The deepest penetration beyond :data:`LARGEST_PENETRATION_M` of the last geoms with one, or None.
        is_in_equilibrium: Whether all bodies are at rest and in equilibrium, so that shapes have no margins now.
        divides_impacts: Whether :meth:`has_impact_ahead` may divide steps.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        model, scheme, contacts = compiled.model, compiled.choice.scheme, compiled.contacts
        self._model, self._data = model, data
        # Masks may change later: shapes that cannot collide may be able to again.
        self._approach_rates = compiled.shared_results.get(find_rates_with_clearance, compiled, None)
        apply_rigid_solver(model)
        self.equality_solver = make_equality_solver(model, data, scheme)
        self._tolerance = float(model.opt.tolerance)
        # The integrator ``discrete`` computes references again from the gaps; for others the references are written.
        self._at_end_of_step = scheme in (Integrator.DISCRETE, Integrator.STAGGERED)
        self._margins = ContactMargins(compiled, data)
        self._can_rest = not self._margins.has_specified
        self._extrapolation = None if self._at_end_of_step else SlipExtrapolation()
        self._friction, self._largest_friction = compiled.shared_results.get(_find_friction, compiled, None)
        # The smaller of two coefficients applies, so that only pairs of shapes that both have one can rebound.
        self._restitution = contacts.restitution if np.count_nonzero(contacts.restitution) > 1 else None
        self._has_limits = bool(model.jnt_limited.any() or model.tendon_limited.any())
        self._has_limit_margins = bool(model.jnt_margin.any() or model.tendon_margin.any())
        self._qpos, self._qvel, self._qacc, self._act = data.qpos, data.qvel, data.qacc, data.act
        self._has_act = bool(data.act.size)
        self._old_qpos, self._old_qvel, self._old_act = (np.array(each) for each in (data.qpos, data.qvel, data.act))
        self.deepest: Penetration | None = None
        self._reported_gap = -LARGEST_PENETRATION_M
        self._first, self._count = 0, 0
        self._gaps: Vector = np.zeros(0)
        self._impacts: RestitutionImpacts | None = None
        self._are_arms_moved = False
        self._is_clear = self._is_at_rest = self.is_in_equilibrium = False
        self.divides_impacts = False
        self.set_time_step(float(model.opt.timestep))

    def set_time_step(self, step: float) -> None:
        """Set the time step [s], which the engine's model has already."""
        self._step, self._rate = step, 1.0 / step
        apply_rigid_settings(self._model, at_end_of_step=self._at_end_of_step)
        self._margins.set_time_step(step)
        self._recovery = -RECOVERY_SPEED * step
        # A slip opens gaps by its friction in a step, and so do changes of slips that are not predicted. An approach
        # closes them by its whole length, and may end in a rebound.
        quiet_speed = min(_NEGLIGIBLE_M / (step * self._largest_friction), _LARGEST_QUIET_SPEED)
        self._quiet_square = quiet_speed**2
        self._gap_error = min(LARGEST_GAP_ERROR_M, LARGEST_SPEED_ERROR * step)
        self._overlap_error = _LARGEST_OVERLAP * self._gap_error
        self._negligible_opening = _NEGLIGIBLE_OPENING * self._gap_error
        # Friction of coefficient µ brakes a slip by µ·g·h in a step, which changes the opening µ·h·slip by g·(µ·h)².
        self._largest_steady_opening = math.sqrt(_LARGEST_STEADY_OVERLAP * self._gap_error / self._margins.acceleration)
        self._still_square = (self._overlap_error / (step * step * max(self._largest_friction, 1.0))) ** 2
        self.start()

    def get_state(self) -> ComponentState:
        """Return the margins, the velocities and the number of steps that they are valid for, and the state of contacts."""
        rest_state = int(self._is_at_rest) + int(self.is_in_equilibrium)
        flags = np.array([self._margins.steps_left, self._is_clear, rest_state], dtype=np.int64)
        slips = {} if self._extrapolation is None else self._extrapolation.get_state()
        return {**self._margins.get_state(), **slips, "contact state": flags}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        self._margins.set_state(saved_state)
        if self._extrapolation is not None:
            self._extrapolation.set_state(saved_state)
        self._margins.steps_left, is_clear, rest_state = saved_state["contact state"].astype(int).tolist()
        self._is_clear, self._is_at_rest = bool(is_clear), rest_state > 0
        self._set_equilibrium(rest_state > 1)

    def start(self) -> None:
        """Start at the state of the engine's data."""
        self._margins.steps_left = 0
        if self._extrapolation is not None:
            self._extrapolation.start()
        self._is_clear = self._is_at_rest = False
        self._set_equilibrium(False)

    @property
    def has_force(self) -> bool:
        """Whether a contact had a force in the last step."""
        # Of an elliptic cone all three forces are zero, or the one along the normal is positive.
        return self._count != 0 and bool(np.count_nonzero(self._data.efc_force[self._first_row() :]))

    def forward(self) -> None:
        """Compute the present accelerations, as the engine's forward dynamics do, with the rigid contacts that touch."""
        model, data = self._model, self._data
        self.prepare()
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        self.constrain()
        self.release_closing()
        mujoco.mj_forwardSkip(model, data, VELOCITY_STAGE, 0)

    def has_impact_ahead(self) -> bool:
        """Return whether a contact closes fast within the step; call it after the first half of the engine's step."""
        data = self._data
        if not data.ncon:
            return False
        first = self._first_row()
        speeds, gaps = data.efc_vel[first::ROWS], data.efc_pos[first::ROWS]
        if not speeds.size or _minimum(speeds) > -SMALLEST_BOUNCE_SPEED:
            return False
        self._count = gaps.size
        if self._margins.has_specified:
            gaps = gaps - self._margins.specified_between(self._contact_geoms())
        return bool(((speeds < -SMALLEST_BOUNCE_SPEED) & (gaps + self._step * speeds < 0.0)).any())

    def release_closing(self) -> None:
        """Remove the forces of contacts that close within the step: there is no impact before it."""
        if self._count <= 0:
            return
        data, first = self._data, self._first
        is_closing = data.efc_vel[first::ROWS][: self._count] < -LARGEST_SPEED_ERROR
        if is_closing.any():
            self._gaps = np.where(is_closing, OPEN_M, self._gaps)
            self._request_references(data.efc_pos, data.efc_vel)

    def prepare(self) -> None:
        """Update the margins if they are no longer valid; call it before the first half of a step."""
        self._are_arms_moved = False
        margins = self._margins
        is_moving = not self._is_at_rest
        if margins.steps_left <= 0 or self.is_in_equilibrium or (is_moving and not margins.allow_for_velocities):
            margins.update()
            if self.is_in_equilibrium:
                self._set_equilibrium(False)
        margins.steps_left -= 1

    def describe(self, kept: list[Any]) -> Contacts:
        """Return the structure of the compiled loop; the arrays that it needs are kept in a list."""
        data, restitution, margins = self._data, self._restitution, self._margins
        warmstart = np.array(data.qacc_warmstart)
        rebound = np.zeros(0) if restitution is None else np.array(restitution, dtype=np.float64)
        geom_bodies = np.array(self._model.geom_bodyid, dtype=np.int64)
        kept += [warmstart, rebound, geom_bodies]
        fields = Contacts(
            nq=self._qpos.size,
            na=self._act.size,
            is_sparse=bool(mujoco.mj_isSparse(self._model)),
            at_end_of_step=self._at_end_of_step,
            can_rest=self._can_rest,
            has_limits=self._has_limits,
            has_limit_margins=self._has_limit_margins,
            has_specified_margins=margins.has_specified,
            has_restitution=restitution is not None,
            divides_impacts=self.divides_impacts,
            motion_square=_MOTION_SQUARE,
            equilibrium_square=_EQUILIBRIUM_SQUARE,
            steady_square=_STEADY_SQUARE,
            largest_penetration=LARGEST_PENETRATION_M,
            same_depth=_SAME_DEPTH,
            bounce_speed=SMALLEST_BOUNCE_SPEED,
            largest_relaxation=MAX_RELAXATION,
            relaxation_bounds=RELAXATION_BOUNDS,
            has_one_friction=self._friction is not None,
            friction=self._friction or 0.0,
            notable_gap=_NOTABLE_GAP_M,
            most_repeats=_MAX_REPEATS,
        )
        set_addresses(fields, qpos=self._qpos, act=self._act, warmstart=data.qacc_warmstart, qacc=self._qacc)
        set_addresses(fields, old_qpos=self._old_qpos, old_qvel=self._old_qvel, old_act=self._old_act, old_warmstart=warmstart)
        set_addresses(fields, specified_margins=margins.specified, restitution=rebound)
        set_index_addresses(fields, geom_bodies=geom_bodies)
        margins.describe(fields)
        describe_clearance(self._model, self._approach_rates, fields, kept)
        if self._extrapolation is not None:
            self._extrapolation.describe(fields)
        return fields

    def write_state(self, fields: Contacts) -> None:
        """Write the state for the compiled loop, and what depends on the time step."""
        fields.step, fields.rate, fields.recovery = self._step, self._rate, self._recovery
        fields.gap_error, fields.overlap_error = self._gap_error, self._overlap_error
        fields.negligible_opening, fields.largest_steady_opening = self._negligible_opening, self._largest_steady_opening
        fields.quiet_square, fields.still_square = self._quiet_square, self._still_square
        fields.is_clear, fields.count, fields.reported_gap = self._is_clear, self._count, self._reported_gap
        fields.is_at_rest, fields.is_in_equilibrium = self._is_at_rest, self.is_in_equilibrium
        self._margins.write_state(fields)
        if self._extrapolation is not None:
            self._extrapolation.write_state(fields)
        deepest = self.deepest
        fields.has_deepest = deepest is not None
        if deepest is not None:
            fields.deepest, fields.deepest_time = deepest.depth, deepest.time
            fields.deepest_geoms[:] = deepest.geoms

    def read_state_of_compiled_loop(self, fields: Contacts) -> None:
        """Continue with the state of the compiled loop."""
        self._margins.read_state_of_compiled_loop(fields)
        if self._extrapolation is not None:
            self._extrapolation.read_state_of_compiled_loop(fields)
        self._is_clear, self._count = bool(fields.is_clear), fields.count
        self._is_at_rest, self._reported_gap = bool(fields.is_at_rest), fields.reported_gap
        deepest = self.deepest
        if fields.has_deepest and (deepest is None or (deepest.depth, deepest.time) != (fields.deepest, fields.deepest_time)):
            first, second = fields.deepest_geoms
            self.deepest = Penetration(fields.deepest, fields.deepest_time, (first, second))

    def update_equilibrium(self) -> None:
        """Remove the margins if all bodies are at rest and in equilibrium; call it after a step.

        The contacts with forces have to be closed then, as most are by the nanometre of their compliance: without margins the
        engine does not detect others. Those without forces close by less than :data:`_NEGLIGIBLE_M` in a step.
        """
        if self._count < 0 and self._qacc.dot(self._qacc) < _EQUILIBRIUM_SQUARE and self._are_forces_of_closed_contacts():
            self._margins.remove()
            self._set_equilibrium(True)

    def _are_forces_of_closed_contacts(self) -> bool:
        data, first = self._data, self._first_row()
        return not ((data.efc_force[first::ROWS] > 0.0) & (data.efc_pos[first::ROWS] >= 0.0)).any()

    def _set_equilibrium(self, is_in_equilibrium: bool) -> None:
        """Set whether bodies are in equilibrium; if so, the solution of the last step is reused with a looser tolerance."""
        self.is_in_equilibrium = is_in_equilibrium
        self._model.opt.tolerance = max(_EQUILIBRIUM_TOLERANCE, self._tolerance) if is_in_equilibrium else self._tolerance

    def step_in_equilibrium(self) -> bool:
        """Take a step of the engine without corrections; if bodies start to move in it, undo it and return False."""
        data = self._data
        np.copyto(self._old_qpos, self._qpos)
        np.copyto(self._old_qvel, self._qvel)
        if self._has_act:
            np.copyto(self._old_act, self._act)
        time = data.time
        mujoco.mj_step(self._model, data)
        qvel, qacc = self._qvel, self._qacc
        if qvel.dot(qvel) < self._quiet_square and qacc.dot(qacc) < _MOTION_SQUARE:
            return True
        self._restore_state(time)
        return False

    def constrain(self) -> None:
        """Set contact references that close the gaps; call it between the halves of a step, with the velocities before it."""
        data = self._data
        if not data.ncon:
            self._count = 0
            self._is_at_rest = False
            return
        if self._is_clear and self._can_rest and self._qvel.dot(self._qvel) < self._quiet_square:
            self._is_at_rest = True
            self._margins.steps_left += 1  # margins of bodies at rest stay valid
            self._request_rest()
            return
        self._is_at_rest = False
        self._first = first = self._first_row()
        # Each view of the engine's rows costs as much as a small calculation, and so does numpy's minimum of few numbers.
        positions, velocities = data.efc_pos, data.efc_vel
        gaps = positions[first::ROWS]
        self._count = gaps.size
        if not gaps.size:
            return
        if self._margins.has_specified:
            gaps = gaps - self._margins.specified_between(self._contact_geoms())
        if self._move_closing_contacts(gaps, velocities[first::ROWS]):
            velocities = data.efc_vel
        tangential = self._tangential(velocities)
        self._slips = _lengths(tangential)
        if self._extrapolation is not None:
            self._extrapolation.find_corrections(tangential)
            if self._extrapolation.corrections is not None:
                # Without forces, the slip at the end of the last step would be this.
                self._slips = _lengths(tangential - self._extrapolation.corrections)
        friction = self._friction
        self._opening = self._step * (self._contact_frictions() if friction is None else friction)
        smallest_gap = _minimum(gaps)
        if smallest_gap < self._reported_gap:
            self._note_penetration(gaps)
        self._gaps = np.maximum(gaps, self._recovery) if smallest_gap < self._recovery else gaps.copy()
        self._is_clear = smallest_gap > -self._gap_error
        if self._is_clear:
            self._reported_gap = -LARGEST_PENETRATION_M
        if self._restitution is not None:
            self._find_impacts(gaps, velocities[first::ROWS])
        self._request_references(positions, velocities)

    def _move_closing_contacts(self, gaps: Vector, speeds: Vector) -> bool:
        """Move the points of contacts that close from a notable gap to the surfaces, once; return whether there are any."""
        if self._are_arms_moved or _minimum(speeds) * self._step > -_NOTABLE_GAP_M:
            return False
        closing = np.flatnonzero((gaps > _NOTABLE_GAP_M) & (gaps + self._step * speeds < 0.0))
        if not closing.size:
            return False
        move_to_surfaces(self._model, self._data, self._first, closing, gaps[closing])
        self._are_arms_moved = True
        return True

    def _note_penetration(self, gaps: Vector) -> None:
        number, were_apart = int(gaps.argmin()), self._reported_gap >= -LARGEST_PENETRATION_M
        self._reported_gap = float(gaps[number])
        first, second = self._contact_geoms()[number].tolist()
        found = Penetration(-self._reported_gap, float(self._data.time), (first, second))
        self.deepest = select_penetration(self.deepest, found, were_apart=were_apart)

    def _first_row(self) -> int:
        """Return the first row of contacts among the engine's."""
        data = self._data
        first: int = data.ne + data.nf + (data.nl if self._has_limits else 0)
        return first

    def _request_rest(self) -> None:
        """Request closed gaps: their opening by slips is negligible."""
        self._count, self._impacts = -1, None
        self._clear_margins()
        if not self._at_end_of_step:
            mujoco.mj_referenceConstraint(self._model, self._data)

    def _clear_margins(self) -> None:
        """Clear the margins in the engine's contact rows; other rows have margins only if joints or tendons do."""
        margins = self._data.efc_margin
        if self._has_limit_margins:
            margins[self._first_row() :] = 0.0
        else:
            margins.fill(0.0)

    def _request_references(self, positions: Vector, velocities: Vector) -> None:
        """Write the references of the engine's contact rows from their positions and velocities."""
        first = self._first
        requested = self._opening * self._slips
        requested -= self._negligible_opening
        np.maximum(requested, 0.0, out=requested)
        requested += self._gaps
        if self._at_end_of_step:
            positions[first::ROWS] = requested
            self._clear_margins()
        else:
            requested *= self._rate
            requested += velocities[first::ROWS]
            references = self._data.efc_aref
            np.multiply(requested, -self._rate, out=references[first::ROWS])
            if self._extrapolation is not None and self._extrapolation.corrections is not None:
                end_velocities = self._tangential(velocities) + self._extrapolation.corrections
                np.multiply(end_velocities, -self._rate, out=self._tangential(references))

    def _contact_frictions(self) -> Vector:
        contacts = self._data.contact
        frictions: Vector = contacts.friction[:, 0]
        return frictions if frictions.size == self._count else frictions[contacts.efc_address >= 0]

    def _contact_geoms(self) -> Int32Array:
        contacts = self._data.contact
        geoms: Int32Array = contacts.geom
        return geoms if len(geoms) == self._count else geoms[contacts.efc_address >= 0]

    def _find_impacts(self, gaps: Vector, speeds: Vector) -> None:
        """Find the contacts that close in this step with a rebound; the first solution of the step is without their forces."""
        restitution = self._restitution
        assert restitution is not None  # noqa: S101  # checked by the caller
        self._impacts = None
        if _minimum(speeds) > -SMALLEST_BOUNCE_SPEED:
            return
        restitutions = restitution[self._contact_geoms()].min(axis=1)
        self._impacts = find_restitution_impacts(gaps, speeds, restitutions, step=self._step, negligible_gap=_NEGLIGIBLE_M)
        if self._impacts is not None:
            np.copyto(self._gaps, OPEN_M, where=self._impacts.is_impact)

    def step2(self) -> None:
        """Take the second half of the engine's step, and repeat it while gaps at its end differ from the requested ones."""
        self._solve()
        extrapolation = self._extrapolation
        if extrapolation is not None:
            if self._count > 0:
                extrapolation.keep(self._tangential(self._project_on_rows(self._qvel)))
            else:
                extrapolation.start()

    def _solve(self) -> None:
        model, data = self._model, self._data
        if not self._count:
            take_second_half(self.equality_solver, model, data)
            return
        np.copyto(self._old_qpos, self._qpos)
        np.copyto(self._old_qvel, self._qvel)
        if self._has_act:
            np.copyto(self._old_act, self._act)
        time = data.time
        mujoco.mj_step2(model, data)
        qacc = self._qacc
        if self._impacts is None and qacc.dot(qacc) < self._still_square:
            return
        if self._count < 0:
            self._repeat_from_rest(time)
        self._is_clear = False
        if self._impacts is None:
            self._solve_slips(time)
        else:
            self._resolve_impacts(time, self._impacts)

    def _solve_slips(self, time: float) -> None:
        """Repeat the second half of the step until gaps at its end are the requested ones."""
        self._relaxation = SlipFixedPointIteration(self._opening / self._step)
        for _ in range(_MAX_REPEATS):
            if self._is_solved():
                return
            self._repeat(time)

    def _resolve_impacts(self, time: float, specified: RestitutionImpacts) -> None:
        """Repeat the second half of the step with rebounds, which are reduced if impacts gain energy."""
        model, data, first = self._model, self._data, self._first
        requested, slips = self._gaps, self._slips
        accelerations = self._project_on_rows(data.qacc)[first::ROWS]

        def solve(factors: Vector | float) -> ContactWork:
            impacts = specified.with_restitutions(factors)
            rebounds = impacts.rebound_speeds(accelerations)
            self._gaps, self._slips = np.where(impacts.is_impact, -self._step * rebounds, requested), slips
            self._repeat(time)
            self._solve_slips(time)
            self._correct_rebounds(time, impacts.is_impact)
            if (data.efc_force[first::ROWS][impacts.can_follow] > 0.0).any():
                self._resolve_following_impacts(time, impacts)
            powers = 0.5 * self._project_on_rows(self._old_qvel + self._qvel) * data.efc_force
            contact_powers = powers[first : first + ROWS * self._count]
            return ContactWork(
                self._step * contact_powers.reshape(-1, ROWS).sum(axis=1), self._step * float(np.abs(powers).sum())
            )

        work = solve(1.0)
        if is_energy_gained(work):
            islands = find_islands(model, data).of_rows
            reduce_restitutions(islands[first::ROWS][: self._count], model.ntree, work, solve)

    def _correct_rebounds(self, time: float, is_impact: BoolArray) -> None:
        """Repeat the step with requests that compensate the compliance of contacts and the errors of slips."""
        errors = self._step * self._project_on_rows(self._qvel)[self._first :: ROWS] + self._gaps
        has_rebounded = is_impact & (self._data.efc_force[self._first :: ROWS] > 0.0)
        self._gaps = np.where(has_rebounded, self._gaps + errors, self._gaps)
        self._repeat(time)

    def _resolve_following_impacts(self, time: float, impacts: RestitutionImpacts) -> None:
        """Resolve impacts that other impacts of this step cause; afterwards forces are the means of all of them."""
        data, first = self._data, self._first
        forces, sums = (data.efc_force, data.qfrc_constraint), (np.zeros(data.nefc), np.zeros(self._qvel.size))
        start_velocities = self._old_qvel.copy()

        def add_forces() -> None:
            for total, force in zip(sums, forces, strict=True):
                total += force

        def continue_from_solution() -> None:
            add_forces()
            # The smooth forces of the step are in the velocities of the first solution already.
            np.subtract(self._qvel, self._step * data.qacc_smooth, out=self._old_qvel)
            self._restore_state(time)
            mujoco.mj_referenceConstraint(self._model, data)

        def solve(requested: Vector) -> Vector:
            self._gaps = requested
            self._repeat(time)
            self._solve_slips(time)
            return self._project_on_rows(self._qvel)[first::ROWS]

        ImpactSequence(
            gaps=impacts.heights,
            restitutions=impacts.restitutions,
            can_follow=impacts.can_follow,
            step=self._step,
            smallest_speed=SMALLEST_BOUNCE_SPEED,
            solve=solve,
            continue_from_solution=continue_from_solution,
        ).resolve(self._gaps, impacts.is_impact)
        add_forces()
        for total, force in zip(sums, forces, strict=True):
            force[:] = total
        self._qacc[:] = (self._qvel - start_velocities) * self._rate
        self._old_qvel[:] = start_velocities

    def _repeat_from_rest(self, time: float) -> None:
        """Repeat a step that started at rest, because velocities change much in it."""
        self._restore_state(time)
        self._is_clear = False  # so that the step is not treated as one at rest again
        mujoco.mj_referenceConstraint(self._model, self._data)
        self.constrain()
        mujoco.mj_step2(self._model, self._data)

    def _repeat(self, time: float) -> None:
        """Repeat the second half of the step with the present references."""
        self._restore_state(time)
        self._request_references(self._data.efc_pos, self._data.efc_vel)
        mujoco.mj_step2(self._model, self._data)

    def _restore_state(self, time: float) -> None:
        np.copyto(self._qpos, self._old_qpos)
        np.copyto(self._qvel, self._old_qvel)
        if self._has_act:
            np.copyto(self._act, self._old_act)
        self._data.time = time

    def _tangential(self, rows: Vector) -> Vector:
        """Return a view of the tangential velocities or accelerations of contacts, shape (n, 2), from those of all rows."""
        return rows[self._first : self._first + ROWS * self._count].reshape(-1, ROWS)[:, 1:]

    def _project_on_rows(self, velocities: Vector) -> Vector:
        """Return generalised velocities or accelerations along the engine's rows."""
        rows = np.empty(self._data.nefc)
        mujoco.mj_mulJacVec(self._model, self._data, rows, velocities)
        return rows

    def _is_solved(self) -> bool:
        """Whether gaps at the end of the step are the requested ones; if not, update the slips for the next iteration."""
        first = self._first
        velocities = self._project_on_rows(self._qvel)
        errors = self._step * velocities[first::ROWS]
        errors += self._gaps
        smallest = _minimum(errors)
        if smallest > -self._overlap_error or (smallest > -self._gap_error and self._is_slip_steady(errors, velocities)):
            if _maximum_or_zero(errors) < self._gap_error:
                return True
            # A contact without a force may open by more.
            if _maximum_or_zero(errors[self._data.efc_force[first::ROWS] > 0.0]) < self._gap_error:
                return True
        tangential = self._tangential(velocities)
        if self._extrapolation is not None and self._extrapolation.corrections is not None:
            tangential = tangential + self._extrapolation.corrections
        self._slips = self._relaxation.next_slips(self._slips, _lengths(tangential))
        return False

    def _is_slip_steady(self, errors: Vector, velocities: Vector) -> bool:
        """Return whether contacts that overlap at the end of the step were closed before it, with about the same slip."""
        overlapped = np.flatnonzero(errors <= -self._overlap_error)
        openings = np.broadcast_to(self._opening, errors.shape)[overlapped]
        if (self._gaps[overlapped] >= self._overlap_error).any() or (openings > self._largest_steady_opening).any():
            return False
        rows, before = self._first + ROWS * overlapped, self._data.efc_vel
        x, y = before[rows + 1], before[rows + 2]
        dx, dy = velocities[rows + 1] - x, velocities[rows + 2] - y
        return bool((dx * dx + dy * dy <= _STEADY_SQUARE * (x * x + y * y)).all())


_FEW_NUMBERS = 32
"""Count of numbers up to which Python computes a minimum faster than numpy."""


def _lengths(vectors: Vector) -> Vector:
    x, y = vectors[:, 0], vectors[:, 1]
    return np.asarray(np.sqrt(x * x + y * y))


def _minimum(numbers: Vector) -> float:
    return min(numbers.tolist()) if numbers.size <= _FEW_NUMBERS else float(np.minimum.reduce(numbers))


def _maximum_or_zero(numbers: Vector) -> float:
    return max(numbers.tolist(), default=0.0) if numbers.size <= _FEW_NUMBERS else float(np.maximum.reduce(numbers))


def _find_friction(compiled: EngineModel, _: None) -> tuple[float | None, float]:
    """Return the coefficient of friction, or None if there are several, and the largest one, which is not negligible."""
    frictions = np.unique(compiled.model.geom_friction[:, 0])
    return float(frictions[0]) if frictions.size == 1 else None, max(float(frictions[-1]), 1e-3)


def make_contacts(compiled: EngineModel, data: mujoco.MjData) -> RigidContacts | None:
    """Return the rigid contacts of a model, or None if nothing can collide or contacts are compliant."""
    are_rigid = compiled.contacts.options.are_rigid
    return RigidContacts(compiled, data) if are_rigid and compiled.can_touch else None
