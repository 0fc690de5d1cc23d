"""Small Chrono models, put together from text."""

from __future__ import annotations

from ossature.diagnostics import Report, Source
from ossature.formats.chrono import read_chrono
from ossature.model import World

GROUND = "    - {name: ground, fixed: true, location: [0, 0, 0]}"


def body(name: str, location: str = "[0, 0, 0]", more: str = "", *, mass: float = 1.0, moments: str = "[0.1, 0.1, 0.1]") -> str:
    """Return the line of a body."""
    tail = f", {more}" if more else ""
    return f"    - {{name: {name}, location: {location}, mass: {mass}, inertia: {{moments: {moments}}}{tail}}}"


def text(*bodies: str, **lists: str) -> str:
    """Return a model file; each list is given by its key, as lines of items."""
    lines = ["chrono-version: 10.0", "model:", "  name: m", "  bodies:", *(bodies or (GROUND, body("b")))]
    for key, items in lists.items():
        lines += [f"  {key}:", *(f"    {item}" for item in items.splitlines())]
    return "\n".join(lines) + "\n"


def read(content: str, report: Report | None = None) -> World:
    """Return the World that a text describes; a finding fails, unless a Report is given to take it."""
    own = Report() if report is None else report
    world = read_chrono(Source("model.yaml", content.encode()), own)
    assert report is not None or not own, str(own)
    assert world is not None
    return world
