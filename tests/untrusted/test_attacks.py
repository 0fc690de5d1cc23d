"""Small files that try to take all time or memory, or to end the program, used under ceilings; and that reading is linear."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest

from scaling_files import KINDS, Style, read_generated
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
SMALL, LARGER, MOST_GROWTH = 500, 4_000, 13.0
"""Eight times as many elements take eight times as long; fourteen times, if half of the longer time is quadratic."""


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
    """Return the CPU time of reading a generated file [s], without that of collecting garbage."""
    data = KINDS[name].text(count, style).encode()
    gc.collect()
    gc.disable()
    started = time.process_time()
    try:
        read_generated(KINDS[name], data, 10**8)
        return time.process_time() - started
    finally:
        gc.enable()


def is_linear(name: str, style: Style) -> bool:
    """Whether larger files take longer in proportion, at best of three: other programs on the machine only make it slower."""
    small = min(seconds(name, SMALL, style) for _ in range(3))
    return any(seconds(name, LARGER, style) < MOST_GROWTH * small for _ in range(3))


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("SKEL bodies", Style.EQUAL_NAMES),
        ("URDF joints of one link", Style.UNRESOLVED),
        ("Chrono springs", Style.ONE_LINE),
        ("COLLADA joints", Style.EQUAL_NAMES),
        ("USDF models", Style.PLAIN),
    ],
)
def test_reading_time_is_linear(name: str, style: Style) -> None:
    seconds(name, 10, style)  # imports
    assert is_linear(name, style)


@pytest.mark.slow
@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("name", KINDS)
def test_reading_time_of_every_kind_is_linear(name: str, style: Style) -> None:
    seconds(name, 10, style)
    assert is_linear(name, style)
