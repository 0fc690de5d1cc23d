"""Renaming elements in states."""

from __future__ import annotations

from dataclasses import replace

from ossature.model.body import Body
from ossature.model.grasp import Grasp
from ossature.model.joint import Joint
from ossature.model.model import Model
from ossature.model.state import ModelState, State
from ossature.model.world import World


def rename_in_state(state: State, world: World, path: str, name: str, kind: type | None = None) -> State:
    """Return a state of a World for the World in which an element is renamed: ``world.rename(path, name, kind)``.

    The fingerprint and the checkpoint belong to the World with the old name, and are removed.
    """
    element = world[path] if kind is None else world.find(kind, path)
    models, frames, old = state.models, state.frames, element.name
    if isinstance(element, Model):
        models = models.map(lambda one: _with_model_name(one, old, name))
        frames = frames.map(lambda one: replace(one, parent=name) if one.parent == old else one)
    elif isinstance(element, Body | Joint):
        model = path[: -len(old) - 1]
        field = "links" if isinstance(element, Body) else "joints"
        if model in models and old in getattr(models[model], field):
            models = models.replaced(replace(models[model], **{field: getattr(models[model], field).renamed(old, name)}))
    grasps = state.grasps
    if grasps is not None:
        grasps = tuple([replace(one, grasp=_renamed_grasp(one.grasp, world, path, name, kind)) for one in grasps])
    return replace(state, models=models, frames=frames, grasps=grasps, fingerprint=None, checkpoint=None)


def _with_model_name(state: ModelState, old: str, new: str) -> ModelState:
    return replace(state, name=new if state.name == old else state.name, parent=new if state.parent == old else state.parent)


def _renamed_grasp(grasp: Grasp, world: World, path: str, name: str, kind: type | None) -> Grasp:
    return replace(world, grasps=(grasp,)).rename(path, name, kind).grasps[0]
