"""A compiled World: the engine's model, and the map from the World to it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import mujoco
import numpy as np

from ossature.array_types import IndexArray
from ossature.model import Geometry
from ossature.simulation.compile.address_map import AddressMap
from ossature.simulation.compile.collision_filter import can_collide
from ossature.simulation.compile.compile_joint_couplings import CompiledCoupling
from ossature.simulation.compile.contact_model import ContactParameters
from ossature.simulation.compile.engine_spec import EngineSpec
from ossature.simulation.compile.equality_constraints import Equalities, find_equalities
from ossature.simulation.compile.force_elements import Elements
from ossature.simulation.compile.geoms import MeshShape
from ossature.simulation.compile.grasp_attachment import GraspPlan
from ossature.simulation.compile.inertia import KnownInertia, SubstitutedInertia
from ossature.simulation.compile.integrator_choice import Integrator, IntegratorChoice
from ossature.simulation.compile.stiffness_estimate import CompliantParts, find_compliant_parts

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class InertiaIndependentResults:
    """Results that are the same for all models that differ in inertias only, such as those of the runs of a sweep."""

    def __init__(self) -> None:
        self._results: dict[tuple[object, Hashable], Any] = {}

    def get(self, compute: Callable[[EngineModel, K], T], compiled: EngineModel, argument: K) -> T:
        """Return the result of a function of one of the models and an argument; it is called once for each argument.

        The result must not be changed.
        """
        if (compute, argument) not in self._results:
            self._results[compute, argument] = compute(compiled, argument)
        result: T = self._results[compute, argument]
        return result

    def __reduce__(self) -> tuple[type[InertiaIndependentResults], tuple[()]]:
        return type(self), ()  # it is computed again where the model is used


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineModel:
    """The engine's model of a World, and where the elements of the World are in it.

    Attributes:
        spec: The engine's specification, as it was compiled.
        substituted: Inertias that the engine's compiler rejects, which were set in the model afterwards.
        has_engine_warnings: Whether the engine's compiler gave a warning.
        index: Addresses of joints and bodies.
        elements: Force elements: springs, bushings, loads and motors.
        choice: The integrator, and the reason for it.
        is_mechanism: Whether it has loops, motors or force elements.
        shapes: Shapes that the engine has as meshes.
        inertias: Inertias of bodies without findings, by ``MODEL/NAME`` and the share of the mass of the body.
        weights: The bodies in the specification, by number, that have a share of the inertia of a body ``MODEL/NAME``.
        shared_results: What models that differ in inertias only have in common.
    """

    spec: EngineSpec
    model: mujoco.MjModel
    substituted: tuple[SubstitutedInertia, ...]
    has_engine_warnings: bool
    index: AddressMap
    elements: Elements
    choice: IntegratorChoice
    couplings: Sequence[CompiledCoupling]
    is_mechanism: bool
    shapes: Mapping[Geometry, MeshShape]
    inertias: Mapping[tuple[str, float], KnownInertia]
    weights: Mapping[str, Sequence[tuple[int, float]]]
    grasp_plan: GraspPlan
    contacts: ContactParameters
    shared_results: InertiaIndependentResults = field(default_factory=InertiaIndependentResults, compare=False, repr=False)

    @property
    def is_mjcf_world(self) -> bool:
        """Whether MuJoCo's own step simulates it, with the options of an MJCF file."""
        return self.choice.integrator is Integrator.MUJOCO

    @property
    def compliant_parts(self) -> CompliantParts:
        """The springs and dampers in the reference configuration."""
        return self.shared_results.get(_compliant_parts, self, None)

    @property
    def drive_equalities(self) -> Equalities:
        """The equality constraints of drives of joints."""
        return self.shared_results.get(_drive_equalities, self, None)

    @property
    def can_touch(self) -> bool:
        """Whether any pair of shapes can collide, with the masks of the World."""
        return self.shared_results.get(_can_touch, self, None)

    @property
    def moving_bodies(self) -> IndexArray:
        """The engine's bodies that can move."""
        return self.shared_results.get(_moving_bodies, self, None)


def _compliant_parts(compiled: EngineModel, _: None) -> CompliantParts:
    return find_compliant_parts(compiled.model, compiled.elements)


def _drive_equalities(compiled: EngineModel, _: None) -> Equalities:
    return find_equalities(compiled.model, compiled.grasp_plan.weld_names)


def _can_touch(compiled: EngineModel, _: None) -> bool:
    return can_collide(compiled.model)


def _moving_bodies(compiled: EngineModel, _: None) -> IndexArray:
    return np.flatnonzero(np.array(compiled.model.body_weldid) > 0)
