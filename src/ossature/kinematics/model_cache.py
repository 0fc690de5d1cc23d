"""Values that are computed once for each model: models are immutable, and hashing one visits all of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Generic, TypeVar
from weakref import ref

from ossature.model import Model

T = TypeVar("T")


class CachedForModel(Generic[T]):
    """A function of a model whose value is kept as long as the model exists, by its identity.

    Args:
        function: The function; its value must not refer to the model itself.
    """

    def __init__(self, function: Callable[[Model], T]) -> None:
        self._function = function
        self._values: dict[int, tuple[ref[Model], T]] = {}
        update_wrapper(self, function)

    def __call__(self, model: Model) -> T:
        """Return the value for a model."""
        key = id(model)
        found = self._values.get(key)
        if found is not None and found[0]() is model:
            return found[1]
        value = self._function(model)
        self._values[key] = (ref(model, lambda _: self._values.pop(key, None)), value)
        return value
