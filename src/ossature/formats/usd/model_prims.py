"""The prims of a stage that are models: those of the kind ``component``, else the top-level ones."""

from __future__ import annotations

from collections.abc import Iterable

from ossature.formats.usd.stage import Stage


def model_prim_of(stage: Stage, body: str) -> str:
    """Return the path of the prim that is the model of a body: itself if no other prim contains it."""
    return component_of(stage, body) or "/" + body.split("/")[1]


def component_of(stage: Stage, body: str) -> str | None:
    """Return the path of the component that contains a body, or None; in a component, bodies are parts of one model."""
    around = stage.prims[body].parent
    if around is None:
        return None
    return next((prim.path for prim in around.ancestors() if prim.is_component), None)


def bodies_by_component(stage: Stage, bodies: Iterable[str]) -> list[list[str]]:
    """Return the paths of the bodies of each component."""
    found: dict[str, list[str]] = {}
    for path in bodies:
        component = component_of(stage, path)
        if component is not None:
            found.setdefault(component, []).append(path)
    return list(found.values())
