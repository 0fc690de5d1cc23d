"""What all tests share."""

from __future__ import annotations

import functools
import gc
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.testing
from hypothesis import HealthCheck, settings

import blas_threads  # noqa: F401  # before NumPy
from growth import freeze_heap
from ossature.diagnostics import Report

# As the command line does: tests and models live long, and collections of garbage would traverse them often.
gc.set_threshold(50_000)

PROJECT = Path(__file__).resolve().parent.parent

# Tests of commands call the program some thousand times: its commands are built once.
typer.testing._get_command = functools.cache(typer.testing._get_command)

# Files are not written through to the disk: no test finds what remains of them after a power failure.
os.fsync = os.fstat

# On a busy machine examples take long to make and to try: no test fails for that.
settings.register_profile("many", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("busy", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


def example_models(*suffixes: str) -> list[Path]:
    """Return the examples with one of some suffixes that are models without mistakes, not sweeps, fits or calibrations."""
    files = [path for path in (PROJECT / "examples").iterdir() if path.suffix in suffixes and path.stem != "typo"]
    others = re.compile(rb"^ossature-(sweep|fit|calibration):", re.MULTILINE)
    return sorted(path for path in files if not others.search(path.read_bytes()))


def corpus_folder() -> Path | None:
    """Return the folder with the corpus of real files and the reference numbers, or None where there is none."""
    folder = Path(os.environ.get("OSSATURE_CORPUS", PROJECT.parent / "shared"))
    return folder if (folder / "corpus").is_dir() else None


@pytest.fixture(scope="session", autouse=True)
def _no_cache_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let tests of commands use a cache of their own."""
    os.environ["OSSATURE_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["OSSATURE_CACHE_DIR"]


@pytest.fixture
def corpus() -> Path:
    """The folder with the corpus of real files (``corpus/``) and the reference numbers (``reference/``)."""
    folder = corpus_folder()
    if folder is None:
        pytest.skip("no corpus of real files: set OSSATURE_CORPUS")
    return folder


@pytest.hookimpl(tryfirst=True)  # before those that are slow are deselected
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave all but one in several cases of some tests to long runs; each value of each parameter remains in some case."""
    numbers: dict[tuple[str, ...], dict[tuple[int, ...], int]] = {}
    for item in items:
        one_in = item.get_closest_marker("one_in")
        if one_in is not None and isinstance(item, pytest.Function):
            function = item.nodeid.partition("[")[0]
            values = [((function, *names), value) for names, value in _parameters(item)]
            if sum(_number_of(numbers.setdefault(key, {}), value) for key, value in values) % one_in.args[0]:
                item.add_marker("slow")


def _parameters(item: pytest.Function) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Yield the names of parameters that one decorator or fixture gives, and the identities of their values."""
    given = [mark.args[0] for mark in item.iter_markers("parametrize")]
    together = [tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names) for names in given]
    alone = [(name,) for name in item.callspec.params if not any(name in names for names in together)]
    for names in (*together, *alone):
        yield names, tuple(id(item.callspec.params[name]) for name in names)


def _number_of(numbers: dict[tuple[int, ...], int], value: tuple[int, ...]) -> int:
    return numbers.setdefault(value, len(numbers))


def pytest_collection_finish() -> None:
    """Let collections of garbage pass over modules and tests, which stay until the end."""
    freeze_heap()


@pytest.fixture(scope="module")
def heap_of_one_module() -> None:
    """Collections of garbage pass over what the tests of other modules have left."""
    freeze_heap()


@pytest.fixture
def report() -> Iterator[Report]:
    """A Report whose findings a test must take: one that was produced and not expected fails it."""
    collected = Report()
    yield collected
    assert not collected, f"unexpected findings:\n{collected}"
