"""Compilation of joint couplings (mimic joints) to constraints of the engine.

A linear formula becomes a constant equality: of two joints, or of a tendon that is a weighted sum of several. Any other
formula is linearised at each step: with the slopes at the start of the step, because constraint forces act along them, and
the value at the predicted end of the step, because there the engine makes a constraint meet its target.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ossature.diagnostics import Rule
from ossature.kinematics import CoupledCoordinate, affine_form, evaluate, partial, sorted_coupled_coordinates
from ossature.model import Floating, JointPosition, Model, PointOnLine, PointOnPlane, Spherical, position_text
from ossature.model.value_text import kind_text
from ossature.simulation.compile import rules
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.compile_context import CompileContext, CompiledJoint
from ossature.simulation.compile.engine_spec import SpecEquality, SpecJoint, SpecTendon
from ossature.simulation.compile.equality_constraints import add_coupling, add_sum_constraint
from ossature.simulation.compile.joint_actuation import DRIVEN, is_effort_limited_servo


@dataclass(slots=True, kw_only=True)
class CompiledCoupling:
    """A compiled coupling.

    Attributes:
        follower: The coupled coordinate and its formula.
        own: The engine joint of the coupled coordinate, or None if it cannot move.
        sources: The engine joints of its source coordinates, by coordinate; without those that cannot move.
        still: The constant positions of the sources that cannot move [rad or m].
        position: The constant position of a coupled coordinate that cannot move [rad or m], else 0.
        is_linear: Whether its formula is linear, so that its constraint is constant.
        tendon: The engine's tendon with the weighted sum of its joints, or None if the equality is one of two joints.
    """

    model: str
    follower: CoupledCoordinate
    own: SpecJoint | None
    sources: Mapping[JointPosition, SpecJoint]
    still: Mapping[JointPosition, float]
    position: float
    is_linear: bool
    equality: SpecEquality
    tendon: SpecTendon | None

    @property
    def path(self) -> str:
        """Its path for messages, ``MODEL/JOINT``."""
        return f"{self.model}/{self.follower.joint.name}"


# Building


def add_couplings(work: CompileContext) -> list[CompiledCoupling]:
    """Add the constraints of all couplings of a World, whose joints are compiled, and return the compiled couplings."""
    return [
        built
        for model in work.world.models
        if not model.static and (ordered := sorted_coupled_coordinates(model))
        for built in _ModelCouplings(work, model).add_all(ordered)
    ]


class _ModelCouplings:
    def __init__(self, work: CompileContext, model: Model) -> None:
        self._work, self._model = work, model
        self._moving: dict[JointPosition, SpecJoint] = {}
        self._still: dict[JointPosition, float] = {}
        for entry in work.joints:
            if entry.model is model:
                self._record_joint(entry)
        self._determined = {position for position in (*self._moving, *self._still) if self._is_prescribed(position)}

    def _record_joint(self, entry: CompiledJoint) -> None:
        """Record the engine joint of each coordinate, or its constant position."""
        joint = entry.joint
        positions = [JointPosition(joint=joint.name, coordinate=number) for number in range(joint.degrees_of_freedom)]
        if entry.layout is JointLayout.NONE or (entry.layout is JointLayout.DERIVED and not isinstance(joint.type, _DERIVED)):
            self._still.update(zip(positions, joint.initial_positions, strict=True))
        elif entry.layout is JointLayout.SCREW:
            self._moving[positions[0]] = entry.added[1]
        elif entry.layout is JointLayout.SCALARS:
            self._moving.update(zip(positions, entry.in_joint_order, strict=True))
        elif entry.layout is JointLayout.POINT:
            self._moving.update(zip(positions, entry.added[:-1], strict=False))

    def _is_prescribed(self, position: JointPosition) -> bool:
        """Whether a coordinate cannot move, or is driven with unlimited effort."""
        joint = self._model.joints[position.joint]
        is_driven = joint.actuation in DRIVEN and not is_effort_limited_servo(joint, joint.coordinates[position.coordinate])
        return position in self._still or is_driven

    def add_all(self, ordered: Iterable[CoupledCoordinate]) -> list[CompiledCoupling]:
        """Add the constraints of couplings, each after those of its sources."""
        return [built for follower in ordered if self._can_couple(follower) and (built := self._add(follower)) is not None]

    def _can_couple(self, follower: CoupledCoordinate) -> bool:
        unknown = [p for p in (follower.position, *follower.sources) if p not in self._moving and p not in self._still]
        for position in unknown:
            kind = kind_text(type(self._model.joints[position.joint].type))
            source = position_text(position)
            message = f"joint '{follower.joint.name}': {follower.text}: '{source}' is a coordinate of a {kind} joint"
            self._report(rules.UNSUPPORTED_COUPLING, message, follower)
        return not unknown

    def _add(self, follower: CoupledCoordinate) -> CompiledCoupling | None:
        if self._determined.issuperset(follower.sources):
            if follower.position in self._determined:
                self._report_overdetermined(follower)
            self._determined.add(follower.position)
        own = self._moving.get(follower.position)
        sources = {source: self._moving[source] for source in follower.sources if source in self._moving}
        still = {source: self._still[source] for source in follower.sources if source in self._still}
        position = self._still.get(follower.position, 0.0)
        linear = affine_form(follower.formula.position)
        if linear is None:
            positions = self._initial_positions(follower)
            slopes, target = slopes_at(follower, positions, sources), target_at(follower, positions, sources)
        else:
            sources = {source: joint for source, joint in sources.items() if source in linear.coefficients}
            slopes = dict(linear.coefficients)
            target = linear.constant + sum(slopes.get(source, 0.0) * value for source, value in still.items())
        if own is None and not sources:
            return None  # no coordinate of the formula moves
        weights = [slopes[source] for source in sources]
        equality, tendon = self._add_constraint(follower, own, list(sources.values()), weights, target - position)
        return CompiledCoupling(
            model=self._model.name,
            follower=follower,
            own=own,
            sources=sources,
            still=still,
            position=position,
            is_linear=linear is not None,
            equality=equality,
            tendon=tendon,
        )

    def _initial_positions(self, follower: CoupledCoordinate) -> dict[JointPosition, float]:
        joints = self._model.joints
        return {source: joints[source.joint].initial_positions[source.coordinate] for source in follower.sources}

    def _add_constraint(
        self,
        follower: CoupledCoordinate,
        own: SpecJoint | None,
        sources: Sequence[SpecJoint],
        slopes: Sequence[float],
        target: float,
    ) -> tuple[SpecEquality, SpecTendon | None]:
        name = f"{self._model.name}/{position_text(follower.position)} follows its formula"
        if own is not None and len(sources) == 1:
            return add_coupling(self._work.spec, name, own, sources[0], target, slopes[0]), None
        weights = [-slope for slope in slopes]
        joints = [*sources] if own is None else [own, *sources]
        return add_sum_constraint(self._work.spec, name, joints, weights if own is None else [1.0, *weights], target)

    def _report_overdetermined(self, follower: CoupledCoordinate) -> None:
        if self._still.keys() >= {follower.position, *follower.sources}:
            return  # no coordinate moves, and the formula is satisfied initially
        message = f"joint '{follower.joint.name}': {follower.text}, which prescribes its position a second time"
        self._report(rules.OVERCONSTRAINED_COUPLING, message, follower)

    def _report(self, rule: Rule, message: str, follower: CoupledCoordinate) -> None:
        self._work.report.add(rule, message, follower.joint.origin, path=f"{self._model.name}/{follower.joint.name}")


_DERIVED = (Spherical, Floating, PointOnLine, PointOnPlane)
"""Types of joints whose coordinates are computed from the poses of bodies if the engine has no joint for them."""


def slopes_at(
    follower: CoupledCoordinate, positions: Mapping[JointPosition, float], sources: Iterable[JointPosition]
) -> dict[JointPosition, float]:
    """Return the partial derivatives of a formula by some of its sources; zero if one is not finite."""
    slopes = {source: float(partial(follower.formula.position, positions, source)) for source in sources}
    return {source: slope if np.isfinite(slope) else 0.0 for source, slope in slopes.items()}


def target_at(follower: CoupledCoordinate, positions: Mapping[JointPosition, float], sources: Iterable[JointPosition]) -> float:
    """Return the constant term of a linearised formula: its value less the slopes times the sources."""
    slopes = slopes_at(follower, positions, sources)
    value = float(evaluate(follower.formula.position, positions))
    return value - sum(slope * positions[source] for source, slope in slopes.items())
