"""Pass: moments of inertia that a file leaves open are computed from shapes."""

from __future__ import annotations

from dataclasses import replace

from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.kinematics import default_moment_of_inertia
from ossature.model import Body, Model, NamedList, World


def compute_inertia(world: World, context: WriteContext) -> World:
    """Return a World whose bodies all have moments of inertia; missing ones are computed from the shapes."""
    return replace(world, models=world.models.map(lambda model: _with_moments(model, context.meshes, context.ledger)))


def _with_moments(model: Model, meshes: MeshStore, ledger: Ledger) -> Model:
    if all(body.inertial.moment is not None for body in model.bodies):
        return model
    bodies = [
        body
        if body.inertial.moment is not None
        else _with_default_inertia_tensor(body, f"{model.name}/{body.name}", meshes, ledger)
        for body in model.bodies
    ]
    return replace(model, bodies=NamedList(bodies))


def _with_default_inertia_tensor(body: Body, path: str, meshes: MeshStore, ledger: Ledger) -> Body:
    try:
        moment = default_moment_of_inertia(body, meshes)
    except AssetError as error:
        ledger.approximated(f"{path}.inertial.moment", f"not computed, because a mesh is unavailable: {error.reason}")
        return body
    ledger.rewritten(f"{path}.inertial.moment", "computed from the shapes")
    return replace(body, inertial=replace(body.inertial, moment=moment))
