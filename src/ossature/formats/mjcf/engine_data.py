"""MuJoCo's Python package, whose type stubs here cover only what simulations use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mujoco import MjData, MjModel

mujoco: Any = import_module("mujoco")
"""The package."""


def make_engine_data(model: MjModel) -> MjData:
    """Return new data of a compiled model.

    Raises:
        MemoryError: There is not enough memory.
    """
    try:
        data: MjData = mujoco.MjData(model)
    except mujoco.FatalError as error:
        raise MemoryError(f"the engine cannot allocate the {model.narena:,} bytes of its arena") from error
    return data


class _Spare(threading.local):
    """Data that are not in use, for models of certain sizes, of the current thread."""

    sizes = b""
    data: MjData | None = None


_spare = _Spare()


@contextmanager
def temporary_engine_data(model: MjModel) -> Iterator[MjData]:
    """Yield data of a compiled model for a calculation, equal to new ones; they must not be kept.

    To make data takes longer than most calculations with them, so that those of the last model of the same sizes are reused.

    Raises:
        MemoryError: There is not enough memory.
    """
    sizes = sizes_of(model)
    data = _spare.data if _spare.sizes == sizes and not model.nplugin else None
    if data is None:
        data = make_engine_data(model)
    else:
        _spare.data = None  # a calculation within this one has its own
        mujoco.mj_resetData(model, data)
    yield data
    _spare.sizes, _spare.data = sizes, data


def sizes_of(model: MjModel) -> bytes:
    """Return all sizes of a model, to be compared with those of another one."""
    return _size_reader()(model)


@cache
def _size_reader() -> Callable[[MjModel], bytes]:
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    if hasattr(model, "_sizes"):  # one array, much faster than its numbers one by one
        read = attrgetter("_sizes")
        return lambda model: bytes(read(model).tobytes())
    read_each = attrgetter(*[name for name in dir(model) if name.startswith("n") and isinstance(getattr(model, name), int)])
    return lambda model: repr(read_each(model)).encode()
