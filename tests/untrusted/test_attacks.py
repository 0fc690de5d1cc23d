"""Small files that try to take all time or memory, or to end the program, used under ceilings; and that reading is linear."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest

from generated_files import KINDS, Style, read_generated
from untrusted.attacks import ATTACKS
from untrusted.fuzzing import harm
from untrusted.sandbox import IS_AVAILABLE, sandbox

needs_sandbox = pytest.mark.skipif(not IS_AVAILABLE, reason="processes are not forked under ceilings here")
QUICK = (
    *(
        "idna.skel",
        "open_comment.dae",
        "open_tags.dae",
        "texts.urdf",
        "step_1e300.skel",
        "step_5e-324.skel",
        "equal_bodies.skel",
    ),
    *("zero_axis.yaml", "aliases.yaml", "wrapping_counts.dae", "wrapping_sum.dae", "stride.dae", "count.dae", "offset.dae"),
    *("functions.dae", "copies_deep.dae", "recording_header.npz"),
    *("recording_token.npz", "recording_deep.json"),
)
SMALL, LARGER, MOST_GROWTH, LEAST_SECONDS = 300, 1200, 9.0, 0.15
"""Four times as many elements take four times as long; a quadratic reader takes sixteen times."""


def require_harmless(names: tuple[str, ...], folder: Path) -> None:
    with sandbox() as used:
        for name in names:
            file = folder / name
            file.write_bytes(ATTACKS[name]())
            (outcome,) = used.use([file])
            assert not harm(outcome), f"{name}: {harm(outcome)}"
            file.unlink()


@needs_sandbox
def test_quick_attacks(tmp_path: Path) -> None:
    require_harmless(QUICK, tmp_path)


@needs_sandbox
@pytest.mark.slow
def test_every_attack(tmp_path: Path) -> None:
    require_harmless(tuple(ATTACKS), tmp_path)


def seconds(name: str, count: int, style: Style) -> float:
    """Return the CPU time of reading a generated file [s]."""
    data = KINDS[name].text(count, style).encode()
    gc.collect()
    started = time.process_time()
    read_generated(KINDS[name], data, 10**8)
    return time.process_time() - started


def growth(name: str, style: Style) -> float:
    """Return how many times as long a file of four times as many elements takes to be read, at best of three."""
    return min(seconds(name, LARGER, style) / max(seconds(name, SMALL, style), LEAST_SECONDS / 4) for _ in range(2))


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("SKEL bodies", Style.EQUAL_NAMES),
        ("SKEL text between elements", Style.PLAIN),
        ("URDF joints of one link", Style.UNRESOLVED),
        ("Chrono springs", Style.ONE_LINE),
        ("COLLADA groups of faces", Style.PLAIN),
        ("COLLADA rigid bodies", Style.UNRESOLVED),
        ("COLLADA joints", Style.EQUAL_NAMES),
        ("USDF models", Style.PLAIN),
    ],
)
def test_reading_time_is_linear(name: str, style: Style) -> None:
    seconds(name, 10, style)  # imports
    assert growth(name, style) < MOST_GROWTH


@pytest.mark.slow
@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("name", KINDS)
def test_reading_time_of_every_kind_is_linear(name: str, style: Style) -> None:
    seconds(name, 10, style)
    assert growth(name, style) < MOST_GROWTH
