"""Change of the inertias of bodies in a compiled World: by far the fastest change of numbers, and a frequent one in sweeps.

Of a compilation only these depend on an inertia that is positive before and after: the engine's body and its clones, the choice
of the body that is cloned to close a loop, which is the heavier one, and the integrator. What would change anything else, or
yield a finding, is left to a compilation of the whole World.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from operator import attrgetter, is_
from typing import Any

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Diagnostic, Report
from ossature.formats.mjcf.engine_memory import copy_engine_model
from ossature.instance_maker import with_attributes
from ossature.kinematics.rules import MOTION_WITHOUT_INERTIA, ZERO_PRINCIPAL_MOMENT
from ossature.model import Body, Model, World
from ossature.simulation.compile.address_map import AddressMap
from ossature.simulation.compile.compile_context import CompileOptions
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.engine_spec import SpecBody, SpecElement, is_same
from ossature.simulation.compile.finish_compilation import limit_inverse_weights_of_slender_bodies
from ossature.simulation.compile.inertia import KnownInertia, set_inertia, set_substituted
from ossature.simulation.compile.integrator_choice import (
    IntegratorChoice,
    choose_integrator_by_stiffness,
    depends_on_inertias,
)
from ossature.simulation.compile.joint_inertia import joint_inertia
from ossature.simulation.compile.parameter_update import write_changes

_CONSEQUENCES = (MOTION_WITHOUT_INERTIA.name, ZERO_PRINCIPAL_MOMENT.name)
"""Rules of findings about the inertia that joints move."""


def with_inertias(
    base: EngineModel, before: World, world: World, findings: Sequence[Diagnostic], meshes: MeshStore, options: CompileOptions
) -> EngineModel | None:
    """Return a compiled World with other inertias of bodies; None if that needs a compilation of the whole World.

    Args:
        base: The compiled World.
        before: The World that it was compiled from.
        world: The World, of which anything may differ.
        findings: The findings of the compilation, which are those of the result, too.
    """
    plan = base.grasp_plan
    if base.is_mjcf_world or plan.grasps or base.has_engine_warnings:
        return None
    if not {finding.rule.name for finding in findings}.isdisjoint(_CONSEQUENCES):
        return None
    models = _changed_models(base, before, world)
    if models is None:
        return None
    spec, copies = base.spec.copy()
    inertias, changes = dict(base.inertias), list[tuple[SpecElement, str, Any]]()
    for model, bodies in models:
        for body in bodies:
            path = f"{model.name}/{body.name}"
            for engine_body, share in _engine_bodies(base, path):
                copied = copies[id(engine_body)]
                with_skin = not base.index.bodies[model.name][body.name].points
                if not _set_inertia(copied, engine_body, body, share, meshes, with_skin=with_skin):
                    return None
                inertias[path, share] = KnownInertia.of(copied, body)
                changes += [(copied, "mass", copied.mass), (copied, "inertia", copied.inertia)]
    substituted = tuple([replace(one, engine_body=copies[id(one.engine_body)]) for one in base.substituted])
    engine = copy_engine_model(base.model)
    if not write_changes(engine, spec, changes, [one.engine_body.id for one in substituted]):
        return None
    if substituted:
        set_substituted(engine, substituted)
        if joint_inertia(engine).massless.size:
            return None
    limit_inverse_weights_of_slender_bodies(engine)
    try:
        with np.errstate(over="raise", invalid="raise"):
            choice = _choose_scheme(base, engine, options)
    except (np.linalg.LinAlgError, FloatingPointError):
        return None
    if choice != base.choice:
        return None
    return with_attributes(
        base,
        spec=spec,
        model=engine,
        substituted=substituted,
        inertias=inertias,
        index=_updated_index(base.index, [model for model, _ in models]),
        grasp_plan=with_attributes(plan, world=_updated_plan(plan.world, before, world, [model for model, _ in models])),
    )


def _set_inertia(
    copied: SpecBody, engine_body: SpecBody, body: Body, share: float, meshes: MeshStore, *, with_skin: bool
) -> bool:
    """Set the inertia of a copy of an engine body; return whether it is in the same frame, and there is nothing to report."""
    report = Report()
    substituted = set_inertia(copied, body, "", meshes, report, has_own_joint=True, share=share, with_skin=with_skin)
    is_same_frame = is_same(copied.ipos, engine_body.ipos) and is_same(copied.iquat, engine_body.iquat)
    return substituted is None and not report and is_same_frame


def _engine_bodies(base: EngineModel, path: str) -> Iterator[tuple[SpecBody, float]]:
    """Yield the engine's bodies with a share of the inertia of a body, and their shares; none for a body that cannot move."""
    for number, share in base.weights.get(path, ()):
        yield base.spec.all_bodies[number], share


# Differences of Worlds

_CHANGED = {World: "models", Model: "bodies", Body: "inertial"}
"""The attribute of each class in which Worlds may differ."""
_READERS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    kind: attrgetter(*[item.name for item in fields(kind) if item.name != changed]) for kind, changed in _CHANGED.items()
}


def _differ_elsewhere(before: Any, now: Any) -> bool:
    read = _READERS[type(before)]
    return not all(map(is_, read(before), read(now)))


def _changed_models(base: EngineModel, before: World, world: World) -> list[tuple[Model, list[Body]]] | None:
    """Return the models with changed bodies; None if anything else differs, or the change has consequences."""
    if type(before) is not World or _differ_elsewhere(before, world) or len(before.models) != len(world.models):
        return None
    found = []
    for old, new in zip(before.models, world.models, strict=True):
        if old is new:
            continue
        pairs = None if _differ_elsewhere(old, new) else _changed_bodies(old, new)
        if pairs is None or (_has_clones(base, new) and _ranks_of_masses(old) != _ranks_of_masses(new)):
            return None
        if any(body.inertial.mass < 0.0 for body in old.bodies):
            return None
        if any(motor.has_auxiliary_inertia and motor.model == new.name for motor in base.elements.motors):
            return None
        for one, other in pairs:
            if not (_is_plain(base, f"{new.name}/{other.name}", one) and one.inertial.mass > 0.0 and other.inertial.mass > 0.0):
                return None
        planned = base.grasp_plan.world.models[new.name]
        if planned.bodies is not old.bodies:
            return None
        # The compilation changes joints, for example positions outside of limits.
        found.append((new if planned is old else replace(planned, bodies=new.bodies), [body for _, body in pairs]))
    return found


def _updated_plan(planned: World, before: World, world: World, models: Sequence[Model]) -> World:
    """Return the World with the changes of its compilation."""
    return world if planned is before else replace(planned, models=planned.models.replaced(*models))


def _is_plain(base: EngineModel, path: str, body: Body) -> bool:
    """Whether there were no findings about the inertia of a body."""
    known = [base.inertias.get((path, share)) for _, share in base.weights.get(path, ())]
    return all(one is not None and one.body is body for one in known)


def _changed_bodies(old: Model, new: Model) -> list[tuple[Body, Body]] | None:
    """Return the bodies whose inertias differ, before and now; None if anything else differs."""
    if len(old.bodies) != len(new.bodies):
        return None
    pairs = [(one, other) for one, other in zip(old.bodies, new.bodies, strict=True) if one is not other]
    return None if any(_differ_elsewhere(one, other) for one, other in pairs) else pairs


def _has_clones(base: EngineModel, model: Model) -> bool:
    return any(len(base.weights.get(f"{model.name}/{name}", ())) > 1 for name in model.bodies.names())


def _ranks_of_masses(model: Model) -> list[int]:
    masses = [body.inertial.mass for body in model.bodies]
    ranks = {mass: rank for rank, mass in enumerate(sorted(set(masses)))}
    return [ranks[mass] for mass in masses]


def _updated_index(index: AddressMap, models: Sequence[Model]) -> AddressMap:
    """Return addresses of bodies with the present models."""
    bodies = dict(index.bodies)
    for model in models:
        bodies[model.name] = {
            name: with_attributes(address, model=model, body=model.bodies[name]) for name, address in bodies[model.name].items()
        }
    return with_attributes(index, bodies=bodies)


def _choose_scheme(base: EngineModel, engine: mujoco.MjModel, options: CompileOptions) -> IntegratorChoice:
    if not depends_on_inertias(base.choice, options.integrator, base.elements):
        return base.choice
    return choose_integrator_by_stiffness(engine, base.elements, base.compliant_parts, options.integrator, options.step_control)
