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

import dataclasses
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from ossature.array_types import AnyArray, BoolArray, Vector
from ossature.simulation.compile.contact_model import LARGEST_PENETRATION_M, apply_rigid_settings, apply_rigid_solver
from ossature.simulation.compile.engine_enumerations import VELOCITY_STAGE
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.compiled_stepping_structs import Contacts, set_addresses, set_index_addresses
from ossature.simulation.stepping.constraint_islands import find_islands
from ossature.simulation.stepping.contact_clearance import describe_clearance, find_rates_with_clearance
from ossature.simulation.stepping.contact_lever_arms import move_to_surfaces
from ossature.simulation.stepping.contact_margins import ContactMargins
from ossature.simulation.stepping.contact_rows import ROWS, ContactRows
from ossature.simulation.stepping.contact_tolerances import LARGEST_SPEED_ERROR, NEGLIGIBLE_M, ContactTolerances
from ossature.simulation.stepping.energy_limited_restitution import (
    ContactWork,
    is_energy_gained,
    reduce_restitutions,
)
from ossature.simulation.stepping.equality_solver import make_equality_solver, take_second_half
from ossature.simulation.stepping.impact_sequence import OPEN_M, ImpactSequence
from ossature.simulation.stepping.penetrations import SAME_DEPTH, Penetration, select_penetration
from ossature.simulation.stepping.restitution_impacts import SMALLEST_BOUNCE_SPEED, RestitutionImpacts, find_restitution_impacts
from ossature.simulation.stepping.slip_extrapolation import SlipExtrapolation
from ossature.simulation.stepping.slip_fixed_point_iteration import MAX_RELAXATION, RELAXATION_BOUNDS, SlipFixedPointIteration
from ossature.simulation.stepping.step_start import StepStart

_STEADY_SQUARE = 0.1**2
"""Square of the relative change of the slip of contacts that slide steadily. The friction that brakes them lets them overlap by
the same distance in each step, so that nothing is pushed out."""
_NOTABLE_GAP_M = 1e-4
"""Gap from which the point of a contact that closes in a step is moved to the surfaces."""
_MAX_REPEATS = 12
_EQUILIBRIUM_SQUARE = 1e-4**2
"""Square of the generalised accelerations up to which bodies at rest are in equilibrium [m²/s⁴ or rad²/s⁴]: a contact with
a force is closed then, so that no margin is needed to detect it."""
_MOTION_SQUARE = 1e-3**2
"""Square of the generalised accelerations from which they are no longer in equilibrium."""
_EQUILIBRIUM_TOLERANCE = 1e-10
"""Tolerance of the engine's solver for bodies in equilibrium: the error of accelerations is about 1e-9 m/s²."""
_TOLERANCES = tuple([field.name for field in dataclasses.fields(ContactTolerances)])


class RigidContacts:
    """Resolves contacts at the end of each step.

    Attributes:
        deepest: The deepest penetration beyond :data:`LARGEST_PENETRATION_M` of the last geoms with one, or None.
        is_in_equilibrium: Whether all bodies are at rest and in equilibrium, so that shapes have no margins now.
        rows: The rows of contacts among those of the engine.
        divides_impacts: Whether :meth:`has_impact_ahead` may divide steps.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        model, integrator, contacts = compiled.model, compiled.choice.integrator, compiled.contacts
        self._model, self._data = model, data
        # Masks may change later: shapes that cannot collide may be able to again.
        self._approach_rates = compiled.shared_results.get(find_rates_with_clearance, compiled, None)
        apply_rigid_solver(model)
        self.equality_solver = make_equality_solver(model, data, integrator)
        self._tolerance = float(model.opt.tolerance)
        # The integrator ``discrete`` computes references again from the gaps; for others the references are written.
        self._at_end_of_step = integrator in (Integrator.DISCRETE, Integrator.STAGGERED)
        self._margins = ContactMargins(compiled, data)
        self._can_rest = not self._margins.has_specified
        self._extrapolation = None if self._at_end_of_step else SlipExtrapolation()
        self._friction, self._largest_friction = compiled.shared_results.get(_find_friction, compiled, None)
        # The smaller of two coefficients applies, so that only pairs of shapes that both have one can rebound.
        self._restitution = contacts.restitution if np.count_nonzero(contacts.restitution) > 1 else None
        self.rows, self._step_start = ContactRows(model, data), StepStart(data)
        self._qvel, self._qacc = data.qvel, data.qacc
        self.deepest: Penetration | None = None
        self._reported_gap = -LARGEST_PENETRATION_M
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
        self._tolerances = ContactTolerances.of_step(step, self._largest_friction, self._margins.acceleration)
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
        first = self.rows.locate()
        speeds, gaps = data.efc_vel[first::ROWS], data.efc_pos[first::ROWS]
        if not speeds.size or _minimum(speeds) > -SMALLEST_BOUNCE_SPEED:
            return False
        self.rows.count = gaps.size
        if self._margins.has_specified:
            gaps = gaps - self._margins.specified_between(self.rows.geoms())
        return bool(((speeds < -SMALLEST_BOUNCE_SPEED) & (gaps + self._step * speeds < 0.0)).any())

    def release_closing(self) -> None:
        """Remove the forces of contacts that close within the step: there is no impact before it."""
        if self.rows.count <= 0:
            return
        data, first = self._data, self.rows.first
        is_closing = data.efc_vel[first::ROWS][: self.rows.count] < -LARGEST_SPEED_ERROR
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
            nq=data.qpos.size,
            na=data.act.size,
            is_sparse=bool(mujoco.mj_isSparse(self._model)),
            at_end_of_step=self._at_end_of_step,
            can_rest=self._can_rest,
            has_limits=self.rows.has_limits,
            has_limit_margins=self.rows.has_limit_margins,
            has_specified_margins=margins.has_specified,
            has_restitution=restitution is not None,
            divides_impacts=self.divides_impacts,
            motion_square=_MOTION_SQUARE,
            equilibrium_square=_EQUILIBRIUM_SQUARE,
            steady_square=_STEADY_SQUARE,
            largest_penetration=LARGEST_PENETRATION_M,
            same_depth=SAME_DEPTH,
            bounce_speed=SMALLEST_BOUNCE_SPEED,
            largest_relaxation=MAX_RELAXATION,
            relaxation_bounds=RELAXATION_BOUNDS,
            has_one_friction=self._friction is not None,
            friction=self._friction or 0.0,
            notable_gap=_NOTABLE_GAP_M,
            most_repeats=_MAX_REPEATS,
        )
        start = self._step_start
        set_addresses(fields, qpos=data.qpos, act=data.act, warmstart=data.qacc_warmstart, qacc=self._qacc)
        set_addresses(fields, old_qpos=start.qpos, old_qvel=start.qvel, old_act=start.act, old_warmstart=warmstart)
        set_addresses(fields, specified_margins=margins.specified, restitution=rebound)
        set_index_addresses(fields, geom_bodies=geom_bodies)
        margins.describe(fields)
        describe_clearance(self._model, self._approach_rates, fields, kept)
        if self._extrapolation is not None:
            self._extrapolation.describe(fields)
        return fields

    def write_state(self, fields: Contacts) -> None:
        """Write the state for the compiled loop, and what depends on the time step."""
        fields.step, fields.rate = self._step, self._rate
        for name in _TOLERANCES:
            setattr(fields, name, getattr(self._tolerances, name))
        fields.is_clear, fields.count, fields.reported_gap = self._is_clear, self.rows.count, self._reported_gap
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
        self._is_clear, self.rows.count = bool(fields.is_clear), fields.count
        self._is_at_rest, self._reported_gap = bool(fields.is_at_rest), fields.reported_gap
        deepest = self.deepest
        if fields.has_deepest and (deepest is None or (deepest.depth, deepest.time) != (fields.deepest, fields.deepest_time)):
            first, second = fields.deepest_geoms
            self.deepest = Penetration(fields.deepest, fields.deepest_time, (first, second))

    def update_equilibrium(self) -> None:
        """Remove the margins if all bodies are at rest and in equilibrium; call it after a step.

        The contacts with forces have to be closed then, as most are by the nanometre of their compliance: without margins the
        engine does not detect others. Those without forces close by less than :data:`NEGLIGIBLE_M` in a step.
        """
        if self.rows.count < 0 and self._qacc.dot(self._qacc) < _EQUILIBRIUM_SQUARE and self._are_forces_of_closed_contacts():
            self._margins.remove()
            self._set_equilibrium(True)

    def _are_forces_of_closed_contacts(self) -> bool:
        data, first = self._data, self.rows.locate()
        return not ((data.efc_force[first::ROWS] > 0.0) & (data.efc_pos[first::ROWS] >= 0.0)).any()

    def _set_equilibrium(self, is_in_equilibrium: bool) -> None:
        """Set whether bodies are in equilibrium; if so, the solution of the last step is reused with a looser tolerance."""
        self.is_in_equilibrium = is_in_equilibrium
        self._model.opt.tolerance = max(_EQUILIBRIUM_TOLERANCE, self._tolerance) if is_in_equilibrium else self._tolerance

    def step_in_equilibrium(self) -> bool:
        """Take a step of the engine without corrections; if bodies start to move in it, undo it and return False."""
        data = self._data
        self._step_start.save()
        mujoco.mj_step(self._model, data)
        qvel, qacc = self._qvel, self._qacc
        if qvel.dot(qvel) < self._tolerances.quiet_square and qacc.dot(qacc) < _MOTION_SQUARE:
            return True
        self._step_start.restore()
        return False

    def constrain(self) -> None:
        """Set contact references that close the gaps; call it between the halves of a step, with the velocities before it."""
        data = self._data
        if not data.ncon:
            self.rows.count = 0
            self._is_at_rest = False
            return
        if self._is_clear and self._can_rest and self._qvel.dot(self._qvel) < self._tolerances.quiet_square:
            self._is_at_rest = True
            self._margins.steps_left += 1  # margins of bodies at rest stay valid
            self._request_rest()
            return
        self._is_at_rest = False
        first = self.rows.locate()
        # Each view of the engine's rows costs as much as a small calculation, and so does numpy's minimum of few numbers.
        positions, velocities = data.efc_pos, data.efc_vel
        gaps = positions[first::ROWS]
        self.rows.count = gaps.size
        if not gaps.size:
            return
        if self._margins.has_specified:
            gaps = gaps - self._margins.specified_between(self.rows.geoms())
        if self._move_closing_contacts(gaps, velocities[first::ROWS]):
            velocities = data.efc_vel
        tangential = self.rows.tangential(velocities)
        self._slips = _lengths(tangential)
        if self._extrapolation is not None:
            self._extrapolation.find_corrections(tangential)
            if self._extrapolation.corrections is not None:
                # Without forces, the slip at the end of the last step would be this.
                self._slips = _lengths(tangential - self._extrapolation.corrections)
        friction = self._friction
        self._opening = self._step * (self.rows.frictions() if friction is None else friction)
        smallest_gap = _minimum(gaps)
        if smallest_gap < self._reported_gap:
            self._note_penetration(gaps)
        self._gaps = np.maximum(gaps, self._tolerances.recovery) if smallest_gap < self._tolerances.recovery else gaps.copy()
        self._is_clear = smallest_gap > -self._tolerances.gap_error
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
        move_to_surfaces(self._model, self._data, self.rows.first, closing, gaps[closing])
        self._are_arms_moved = True
        return True

    def _note_penetration(self, gaps: Vector) -> None:
        number, were_apart = int(gaps.argmin()), self._reported_gap >= -LARGEST_PENETRATION_M
        self._reported_gap = float(gaps[number])
        first, second = self.rows.geoms()[number].tolist()
        found = Penetration(-self._reported_gap, float(self._data.time), (first, second))
        self.deepest = select_penetration(self.deepest, found, were_apart=were_apart)

    def _request_rest(self) -> None:
        """Request closed gaps: their opening by slips is negligible."""
        self.rows.count, self._impacts = -1, None
        self.rows.clear_margins()
        if not self._at_end_of_step:
            mujoco.mj_referenceConstraint(self._model, self._data)

    def _request_references(self, positions: Vector, velocities: Vector) -> None:
        """Write the references of the engine's contact rows from their positions and velocities."""
        first = self.rows.first
        requested = self._opening * self._slips
        requested -= self._tolerances.negligible_opening
        np.maximum(requested, 0.0, out=requested)
        requested += self._gaps
        if self._at_end_of_step:
            positions[first::ROWS] = requested
            self.rows.clear_margins()
        else:
            requested *= self._rate
            requested += velocities[first::ROWS]
            references = self._data.efc_aref
            np.multiply(requested, -self._rate, out=references[first::ROWS])
            if self._extrapolation is not None and self._extrapolation.corrections is not None:
                end_velocities = self.rows.tangential(velocities) + self._extrapolation.corrections
                np.multiply(end_velocities, -self._rate, out=self.rows.tangential(references))

    def _find_impacts(self, gaps: Vector, speeds: Vector) -> None:
        """Find the contacts that close in this step with a rebound; the first solution of the step is without their forces."""
        restitution = self._restitution
        assert restitution is not None  # noqa: S101  # checked by the caller
        self._impacts = None
        if _minimum(speeds) > -SMALLEST_BOUNCE_SPEED:
            return
        restitutions = restitution[self.rows.geoms()].min(axis=1)
        self._impacts = find_restitution_impacts(gaps, speeds, restitutions, step=self._step, negligible_gap=NEGLIGIBLE_M)
        if self._impacts is not None:
            np.copyto(self._gaps, OPEN_M, where=self._impacts.is_impact)

    def step2(self) -> None:
        """Take the second half of the engine's step, and repeat it while gaps at its end differ from the requested ones."""
        self._solve()
        extrapolation = self._extrapolation
        if extrapolation is not None:
            if self.rows.count > 0:
                extrapolation.keep(self.rows.tangential(self.rows.project(self._qvel)))
            else:
                extrapolation.start()

    def _solve(self) -> None:
        model, data = self._model, self._data
        if not self.rows.count:
            take_second_half(self.equality_solver, model, data)
            return
        self._step_start.save()
        mujoco.mj_step2(model, data)
        qacc = self._qacc
        if self._impacts is None and qacc.dot(qacc) < self._tolerances.still_square:
            return
        if self.rows.count < 0:
            self._repeat_from_rest()
        self._is_clear = False
        if self._impacts is None:
            self._solve_slips()
        else:
            self._resolve_impacts(self._impacts)

    def _solve_slips(self) -> None:
        """Repeat the second half of the step until gaps at its end are the requested ones."""
        self._relaxation = SlipFixedPointIteration(self._opening / self._step)
        for _ in range(_MAX_REPEATS):
            velocities = self.rows.project(self._qvel)
            if self._is_solved(velocities):
                return
            self._update_slips(velocities)
            self._repeat()

    def _resolve_impacts(self, specified: RestitutionImpacts) -> None:
        """Repeat the second half of the step with rebounds, which are reduced if impacts gain energy."""
        model, data, first = self._model, self._data, self.rows.first
        requested, slips = self._gaps, self._slips
        accelerations = self.rows.project(data.qacc)[first::ROWS]

        def solve(factors: Vector | float) -> ContactWork:
            impacts = specified.with_restitutions(factors)
            rebounds = impacts.rebound_speeds(accelerations)
            self._gaps, self._slips = np.where(impacts.is_impact, -self._step * rebounds, requested), slips
            self._repeat()
            self._solve_slips()
            self._correct_rebounds(impacts.is_impact)
            if (data.efc_force[first::ROWS][impacts.can_follow] > 0.0).any():
                self._resolve_following_impacts(impacts)
            powers = 0.5 * self.rows.project(self._step_start.qvel + self._qvel) * data.efc_force
            contact_powers = powers[first : first + ROWS * self.rows.count]
            return ContactWork(
                self._step * contact_powers.reshape(-1, ROWS).sum(axis=1), self._step * float(np.abs(powers).sum())
            )

        work = solve(1.0)
        if is_energy_gained(work):
            islands = find_islands(model, data).of_rows
            reduce_restitutions(islands[first::ROWS][: self.rows.count], model.ntree, work, solve)

    def _correct_rebounds(self, is_impact: BoolArray) -> None:
        """Repeat the step with requests that compensate the compliance of contacts and the errors of slips."""
        errors = self._step * self.rows.project(self._qvel)[self.rows.first :: ROWS] + self._gaps
        has_rebounded = is_impact & (self._data.efc_force[self.rows.first :: ROWS] > 0.0)
        self._gaps = np.where(has_rebounded, self._gaps + errors, self._gaps)
        self._repeat()

    def _resolve_following_impacts(self, impacts: RestitutionImpacts) -> None:
        """Resolve impacts that other impacts of this step cause; afterwards forces are the means of all of them."""
        data, first = self._data, self.rows.first
        forces, sums = (data.efc_force, data.qfrc_constraint), (np.zeros(data.nefc), np.zeros(self._qvel.size))
        start_velocities = self._step_start.qvel.copy()

        def add_forces() -> None:
            for total, force in zip(sums, forces, strict=True):
                total += force

        def continue_from_solution() -> None:
            add_forces()
            # The smooth forces of the step are in the velocities of the first solution already.
            np.subtract(self._qvel, self._step * data.qacc_smooth, out=self._step_start.qvel)
            self._step_start.restore()
            mujoco.mj_referenceConstraint(self._model, data)

        def solve(requested: Vector) -> Vector:
            self._gaps = requested
            self._repeat()
            self._solve_slips()
            return self.rows.project(self._qvel)[first::ROWS]

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
        self._step_start.qvel[:] = start_velocities

    def _repeat_from_rest(self) -> None:
        """Repeat a step that started at rest, because velocities change much in it."""
        self._step_start.restore()
        self._is_clear = False  # so that the step is not treated as one at rest again
        mujoco.mj_referenceConstraint(self._model, self._data)
        self.constrain()
        mujoco.mj_step2(self._model, self._data)

    def _repeat(self) -> None:
        """Repeat the second half of the step with the present references."""
        self._step_start.restore()
        self._request_references(self._data.efc_pos, self._data.efc_vel)
        mujoco.mj_step2(self._model, self._data)

    def _is_solved(self, velocities: Vector) -> bool:
        """Whether gaps at the end of the step are the requested ones, with velocities along the rows."""
        tolerances, first = self._tolerances, self.rows.first
        errors = self._step * velocities[first::ROWS]
        errors += self._gaps
        smallest = _minimum(errors)
        is_clear = smallest > -tolerances.overlap_error
        if not is_clear and not (smallest > -tolerances.gap_error and self._is_slip_steady(errors, velocities)):
            return False
        if _maximum_or_zero(errors) < tolerances.gap_error:
            return True
        # A contact without a force may open by more.
        return _maximum_or_zero(errors[self._data.efc_force[first::ROWS] > 0.0]) < tolerances.gap_error

    def _update_slips(self, velocities: Vector) -> None:
        """Set the slips of the next iteration, from the velocities along the rows after this one."""
        tangential = self.rows.tangential(velocities)
        if self._extrapolation is not None and self._extrapolation.corrections is not None:
            tangential = tangential + self._extrapolation.corrections
        self._slips = self._relaxation.next_slips(self._slips, _lengths(tangential))

    def _is_slip_steady(self, errors: Vector, velocities: Vector) -> bool:
        """Return whether contacts that overlap at the end of the step were closed before it, with about the same slip."""
        tolerances = self._tolerances
        overlapped = np.flatnonzero(errors <= -tolerances.overlap_error)
        openings = np.broadcast_to(self._opening, errors.shape)[overlapped]
        has_closed = (self._gaps[overlapped] >= tolerances.overlap_error).any()
        if has_closed or (openings > tolerances.largest_steady_opening).any():
            return False
        rows, before = self.rows.first + ROWS * overlapped, self._data.efc_vel
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
