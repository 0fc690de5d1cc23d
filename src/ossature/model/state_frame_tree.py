"""The tree of frames and models of a state, and its errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ossature.diagnostics import OssatureError
from ossature.model.state import FrameState, ModelState, State

WORLD_FRAME = "world"
"""The name of the root frame."""

Framed: TypeAlias = FrameState | ModelState
"""A frame or a model, which have a parent frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameProblem:
    """Frames that cannot be resolved.

    Attributes:
        frame: A frame of the cycle, or the one whose parent is unknown.
        chain: The names of parents; the last one is unknown, or is the first one again.
        is_cycle: Whether it is a cycle; otherwise the last name of the chain is unknown.
    """

    frame: Framed
    chain: tuple[str, ...]
    is_cycle: bool

    def __str__(self) -> str:
        chain = " → ".join(self.chain)
        return f"cycle of frames: {chain}" if self.is_cycle else f"there is no frame '{self.chain[-1]}': {chain}"


class FrameError(OssatureError):
    """The frames of a state cannot be resolved.

    Attributes:
        problems: Why not.
    """

    def __init__(self, problems: tuple[FrameProblem, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(map(str, problems)))


def frames_and_models(state: State) -> Iterator[Framed]:
    """Yield all frames and models of a state."""
    yield from state.frames
    yield from state.models


def frame_problems(state: State) -> tuple[FrameProblem, ...]:
    """Return every unknown parent and every cycle, once each."""
    return _sort_frames(state)[1]


def parents_first(state: State) -> list[Framed]:
    """Return frames and models in an order in which each follows its parent.

    Raises:
        FrameError: A parent is unknown, or frames form a cycle.
    """
    ordered, problems = _sort_frames(state)
    if problems:
        raise FrameError(problems)
    return ordered


def _sort_frames(state: State) -> tuple[list[Framed], tuple[FrameProblem, ...]]:
    by_name: dict[str, Framed] = {}
    for frame in frames_and_models(state):
        by_name.setdefault(frame.name, frame)
    ordered: list[Framed] = []
    problems: list[FrameProblem] = []
    seen: set[str] = set()
    for start in by_name.values():
        trail: dict[str, Framed] = {}
        name: str | None = start.name
        while name is not None and name != WORLD_FRAME and name not in seen:
            if name not in by_name or name in trail:
                problems.append(_make_problem(trail, name, is_cycle=name in trail))
                break
            trail[name] = by_name[name]
            name = trail[name].parent
        seen.update(trail)
        ordered.extend(reversed(trail.values()))
    return ordered, tuple(problems)


def _make_problem(trail: dict[str, Framed], name: str, *, is_cycle: bool) -> FrameProblem:
    names = list(trail)
    chain = names[names.index(name) :] if is_cycle else names
    return FrameProblem(frame=trail[name if is_cycle else names[-1]], chain=(*chain, name), is_cycle=is_cycle)
