"""What a page adds to a World that is simulated: whether bases are fixed, a floor, gravity and time step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ossature.diagnostics import shared_rules
from ossature.kinematics import BaseChoice, add_ground, choose_bases, infer_inertia, spanning_tree
from ossature.model import Model, Plane, World
from ossature.spatial import Vector3
from ossature.viewer.loaded_file import LoadedFile

_MOST_INFERRED = 3
"""Number of bodies with inferred inertia that are listed."""
_FORMATS_WITHOUT_FLOORS = ("urdf", "collada", "openrave")
_SUFFIXES_WITHOUT_FLOORS = (".urdf", ".dae", ".zae", ".xacro")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationEnvironment:
    """Changes of a World that its user asked for on the page.

    Attributes:
        base: Whether bases are fixed or float; ``BY_RULE`` leaves them as they were read.
        has_floor: Whether a floor is added, or None for :func:`needs_floor`.
        gravity: Gravitational acceleration [m/s²], or None for that of the file.
        time_step: Time step of simulations [s], or None for that of the file.
        infers_inertia: Whether bodies without inertia get it from their shapes.
    """

    base: BaseChoice = BaseChoice.BY_RULE
    has_floor: bool | None = None
    gravity: Vector3 | None = None
    time_step: float | None = None
    infers_inertia: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptedFile:
    """A file in an environment.

    Attributes:
        loaded: The file with the adapted World.
        statements: What was chosen for its World, for people.
        has_floor: Whether a floor was added.
        can_add_floor: Whether a floor can be added: the World has no plane, and gravity is along -z.
    """

    loaded: LoadedFile
    statements: tuple[str, ...]
    has_floor: bool
    can_add_floor: bool


def adapt_file(loaded: LoadedFile, environment: SimulationEnvironment) -> AdaptedFile:
    """Return a file whose World is adapted to an environment."""
    world = loaded.world
    assert world is not None  # noqa: S101  # the caller checks it
    statements = []
    if environment.base is BaseChoice.BY_RULE:
        statements += [finding.message for finding in loaded.report if finding.rule.name == shared_rules.FREE_BASE.name]
    else:
        world, bases = choose_bases(world, environment.base)
        statements += [f"the base '{base.body}' of '{base.model}' is {environment.base.value}" for base in bases]
    if environment.infers_inertia:
        world, inferred = infer_inertia(world, meshes=loaded.meshes)
        statements += [f"inferred: {one.message}" for one in inferred[:_MOST_INFERRED]]
        if len(inferred) > _MOST_INFERRED:
            statements.append(f"… and {len(inferred) - _MOST_INFERRED} more bodies")
        if not inferred:
            statements.append("every moving body with shapes has inertia: nothing is inferred")
    if environment.gravity is not None:
        world = replace(world, gravity=environment.gravity)
    can_add, by_default = can_add_floor(world), needs_floor(world, loaded)
    adds = can_add and (by_default if environment.has_floor is None else environment.has_floor)
    if adds:
        with_ground = add_ground(world, loaded.meshes)
        plane = next(_planes(with_ground))
        reason = "it floats, and its format has no floors" if environment.has_floor is None else "as requested"
        statements.append(f"a floor is added at {round(plane.offset, 6) + 0.0:.4g} m: {reason}")
        world = with_ground
    adapted = replace(loaded, world=world)
    return AdaptedFile(loaded=adapted, statements=tuple(statements), has_floor=adds, can_add_floor=can_add)


def can_add_floor(world: World) -> bool:
    """Whether :func:`~ossature.kinematics.add_ground` adds a floor that is perpendicular to gravity."""
    x, y, z = world.gravity
    return z <= 0.0 and math.hypot(x, y) <= 1e-9 * abs(z) and next(_planes(world), None) is None


def needs_floor(world: World, loaded: LoadedFile) -> bool:
    """Whether a floor is added by default: below floating robots and bodies of formats that have no floors."""
    has_no_floors = (
        loaded.path.suffix.lower() in _SUFFIXES_WITHOUT_FLOORS
        if loaded.format is None
        else loaded.format in _FORMATS_WITHOUT_FLOORS
    )
    return has_no_floors and any(_floats(model) for model in world.models)


def _floats(model: Model) -> bool:
    return not model.static and any(branch.inboard is None for branch in spanning_tree(model).branches)


def _planes(world: World) -> Iterator[Plane]:
    for model in world.models:
        for body in model.bodies:
            for shape in body.collisions:
                if isinstance(shape.geometry, Plane):
                    yield shape.geometry
