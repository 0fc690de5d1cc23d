"""Options that are times in seconds, and the bounds within which they can be simulated."""

from __future__ import annotations

from ossature.cli.console import fail

LONGEST_DURATION = 1e9
LONGEST_STEP = 1e3
SHORTEST_STEP = 1e-12
"""The engine divides by the square of a step."""


def require_duration(option: str, value: float | None) -> None:
    """End the command unless a duration [s] is within bounds, or None."""
    if value is not None and not 0.0 <= value < LONGEST_DURATION:
        fail(f"{option} must be at least 0 s and less than {LONGEST_DURATION:g} s, not {value:g}")


def require_step(option: str, value: float | None) -> None:
    """End the command unless a step [s] is within bounds, or None."""
    if value is not None and not SHORTEST_STEP <= value < LONGEST_STEP:
        fail(f"{option} must be positive, at least {SHORTEST_STEP:g} s and less than {LONGEST_STEP:g} s, not {value:g}")
