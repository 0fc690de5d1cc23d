"""Small files that try to take all time or memory, or to end the program, used under ceilings; and that reading is linear."""

from __future__ import annotations

import cProfile
import time
from functools import partial
from pathlib import Path

import pytest

import ossature
from growth import freeze_heap, is_growth_below
from ossature.diagnostics import Limits, Report
from ossature.formats import REGISTRY, Content
from scaling_files import IN_SQUARE_FOR_MUJOCO, KINDS, Style, read_generated
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
SMALL, LARGER = 500, 8_000
MOST_GROWTH = 40.0
"""16 times as many elements take 16 times as long; 40 times, if work that is quadratic takes a ninth of the shorter time.

A lower limit would fail where other programs use the caches of the processor: 20 times was measured for linear work.
"""


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


def is_linear(name: str, style: Style) -> bool:
    """Whether the time of reading a generated file grows in proportion to its size."""
    few, many = (KINDS[name].text(count, style).encode() for count in (SMALL, LARGER))
    read = partial(read_generated, KINDS[name])
    return is_growth_below(MOST_GROWTH, lambda: read(few, 10**8), lambda: read(many, 10**8))


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
    assert is_linear(name, style)


@pytest.mark.slow
@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("name", [name for name in KINDS if name not in IN_SQUARE_FOR_MUJOCO])
def test_reading_time_of_every_kind_is_linear(name: str, style: Style) -> None:
    assert is_linear(name, style)


def check_generated(name: str, count: int) -> None:
    """Read and check a generated file, and format its first findings."""
    kind = KINDS[name]
    data, path = kind.text(count, Style.PLAIN).encode(), Path(f"generated{kind.suffix}")
    found = REGISTRY.find(path, contents=(Content.WORLD,))
    assert found is not None
    report = Report(limits=Limits(elements=10**8, findings=10**8))
    for finding in list(ossature.check(data, format=found.name, report=report))[:2000]:
        str(finding)


@pytest.mark.parametrize(
    "name",
    [
        "URDF links without inertia",
        *[
            pytest.param(name, marks=pytest.mark.slow)
            for name, kind in KINDS.items()
            if kind.suffix in (".skel", ".urdf", ".yaml", ".dae", ".sdf")
        ],
    ],
)
def test_checking_time_is_linear(name: str) -> None:
    few, many = partial(check_generated, name, SMALL), partial(check_generated, name, LARGER)
    assert is_growth_below(MOST_GROWTH, few, many)


def seconds_beside_mujoco(name: str, count: int) -> float:
    """Return the CPU time of reading a generated file without that in MuJoCo's parser and compiler, under a profiler [s]."""
    data = KINDS[name].text(count, Style.PLAIN).encode()
    profile = cProfile.Profile(time.process_time)
    freeze_heap()
    profile.runcall(read_generated, KINDS[name], data, 10**8)
    return sum(one.inlinetime for one in profile.getstats() if "mujoco._specs" not in str(one.code))


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_SQUARE_FOR_MUJOCO)
def test_reading_time_beside_that_of_mujoco_is_linear(name: str) -> None:
    read_generated(KINDS[name], KINDS[name].text(10, Style.PLAIN).encode(), 10**8)  # imports what is needed
    few, many = (min(seconds_beside_mujoco(name, count) for _ in range(3)) for count in (SMALL, LARGER))
    assert many < MOST_GROWTH * few
