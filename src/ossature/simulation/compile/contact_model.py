"""Contact models: rigid contacts, resolved at the end of each step, or compliant contacts, the engine's springs and dampers.

Rigid contacts are those of the time-stepping methods of Moreau and Stewart: at the end of a step no two shapes overlap,
because of an impulse in the friction cone. The engine evaluates a contact as a spring and damper per unit of mass; with the
stiffness 1/h² and the damping 1/h of :func:`rigid_reference` the gap of a contact reaches in one step of h the value that
:class:`~ossature.simulation.stepping.rigid_contacts.RigidContacts` requires.

Compliant contacts are the engine's own: a time constant and a damping ratio, as MuJoCo's ``solref`` has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco

from ossature.array_types import Vector
from ossature.model import Material
from ossature.simulation.compile.constraint_solref import Impedance
from ossature.simulation.compile.engine_spec import EngineSpec

_IMPEDANCE = 0.9999
"""The largest impedance that the engine accepts: a ten-thousandth of the applied force remains as acceleration."""
_HARD: Impedance = (_IMPEDANCE, _IMPEDANCE, 0.001, 0.5, 2.0)


LARGEST_PENETRATION_M = 1e-3
"""Penetration above which a simulation has a finding."""
LARGEST_GAP_ERROR_M = 2e-5
"""Largest error of the gap of a rigid contact at the end of a step; with a larger one the step is solved again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactOptions:
    """The contact model: rigid unless a time constant is given.

    Attributes:
        time_constant: Time constant of compliant contacts [s]: the first number of MuJoCo's ``solref``. Contacts are rigid if
            it is None.
        damping_ratio: Damping ratio of compliant contacts: the second number of MuJoCo's ``solref``.
        ignore_link_overlaps: Whether bodies of a model that joints connect do not collide if they overlap at the start by more
            than :attr:`smallest_ignored_overlap`: contacts cannot separate them.

    Raises:
        ValueError: A number is not positive.
    """

    time_constant: float | None = None
    damping_ratio: float = 1.0
    ignore_link_overlaps: bool = True

    def __post_init__(self) -> None:
        for name, value in (("time constant", self.time_constant), ("damping ratio", self.damping_ratio)):
            if value is not None and not 0.0 < value < math.inf:
                raise ValueError(f"the {name} of contacts must be positive, not {value:g}")

    @property
    def are_rigid(self) -> bool:
        """Whether contacts are rigid."""
        return self.time_constant is None

    @property
    def smallest_ignored_overlap(self) -> float:
        """The overlap from which bodies that joints connect do not collide [m]: 0.02 mm, or 1 mm with compliant contacts.

        Rigid contacts penetrate by less, and remove larger overlaps with a speed that does not depend on the depth: if joints
        and friction hardly permit the motion, a small overlap needs as much energy as a large one. Compliant contacts penetrate
        by more if bodies rest on each other.
        """
        return LARGEST_GAP_ERROR_M if self.are_rigid else LARGEST_PENETRATION_M

    @property
    def description(self) -> str:
        """A text that describes the contact model."""
        overlaps = "" if self.ignore_link_overlaps else ", also of links that overlap at the start"
        if self.are_rigid:
            return f"rigid{overlaps}"
        return f"compliant, time constant {self.time_constant!r} s, damping ratio {self.damping_ratio!r}{overlaps}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOverlap:
    """Two bodies of a model that joints connect, and that overlap at the start.

    Attributes:
        model: Name of the model.
        bodies: Names of the bodies.
        depth: How deep the convex hulls of their shapes overlap [m].
    """

    model: str
    bodies: tuple[str, str]
    depth: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactParameters:
    """The contact parameters of a compiled World.

    Attributes:
        restitution: Coefficient of restitution of each of the engine's geoms, shape (n).
        ignored_overlaps: The bodies that do not collide because they overlap at the start although joints connect them.
    """

    options: ContactOptions
    restitution: Vector
    ignored_overlaps: tuple[LinkOverlap, ...] = ()


def restitution_of(material: Material) -> float:
    """Return the coefficient of restitution of a material: zero if it is not specified.

    Of two materials the smaller coefficient applies, as in Chrono. DART would multiply them, but SKEL cannot specify one.
    """
    return 0.0 if material.restitution is None else min(max(material.restitution, 0.0), 1.0)


def rigid_reference(time_step: float, *, at_end_of_step: bool) -> tuple[float, float]:
    """Return the ``solref`` of rigid contacts: a gap and a slip are removed in one step.

    Args:
        time_step: The step [s].
        at_end_of_step: Whether the integrator evaluates the force at the end of the step, as ``discrete`` does. It needs a
            stiffness well above 1/h² and a damping well above 1/h for the same effect.
    """
    if at_end_of_step:
        return (-1e6 / time_step**2, -1e3 / time_step)
    return (-_IMPEDANCE / time_step**2, -_IMPEDANCE / time_step)


def apply_contact_settings(options: ContactOptions, spec: EngineSpec) -> None:
    """Set the contact model in the engine's specification.

    The parameters of rigid contacts depend on the step and the integrator, so that the stepper sets them in the compiled model;
    the specification, and so a file exported from it, has the engine's nearest equivalent.
    """
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    for geom in spec.geoms:
        geom.solref = engine_reference(options, spec.option.timestep)
        geom.solimp = _HARD


def engine_reference(options: ContactOptions, time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of compliant contacts, or that nearest to rigid contacts."""
    if options.time_constant is not None:
        return options.time_constant, options.damping_ratio
    return TIME_CONSTANT_STEPS * time_step, 1.0


TIME_CONSTANT_STEPS = 8.0
"""Time constant of the compliant contact that is nearest to a rigid one, in steps.

At 1 ms a box that falls from 1 m penetrates by 15 mm and rebounds by 12 mm, and one that slides at 3 m/s lifts off by 9 mm;
with shorter time constants boxes penetrate less, and rebound and lift off more.
"""


def apply_rigid_settings(model: mujoco.MjModel, *, at_end_of_step: bool) -> None:
    """Set the parameters of rigid contacts in the engine's compiled model, for its current step."""
    model.geom_solref[:] = rigid_reference(float(model.opt.timestep), at_end_of_step=at_end_of_step)
    model.geom_solimp[:] = _HARD


_LEAST_SPARSE = 24
"""Degrees of freedom from which sparse contact Jacobians are faster: the engine updates a Hessian for each sliding contact,
which costs the square of the degrees of freedom if it is dense."""
_LINE_SEARCH_TOLERANCE = 1e8
"""Tolerance of line searches, relative to that of the solver: the gradient, per unit of mass, that a search may leave, since
the solver iterates further to its own tolerance. More exact searches need up to twice as many evaluations, because of rounding
with contacts this stiff. With 1e10, the solver stops at wrong contact forces in one of some hundred steps."""


def apply_rigid_solver(model: mujoco.MjModel) -> None:
    """Set the engine's solver options for rigid contacts in its compiled model; the problem that it solves is the same."""
    model.opt.ls_tolerance = _LINE_SEARCH_TOLERANCE
    if model.nv >= _LEAST_SPARSE:
        model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE


_SMALL_MODEL = 60
"""Degrees of freedom up to which the engine solves all constraints at once faster than island by island."""


def choose_islands(model: mujoco.MjModel) -> None:
    """Make the engine solve the constraints of a small model at once, and those of a large one island by island."""
    if model.nv <= _SMALL_MODEL:
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
