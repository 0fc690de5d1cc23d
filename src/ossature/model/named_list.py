"""An immutable sequence of elements with access by name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Generic, Protocol, SupportsIndex, TypeVar, overload

from ossature.diagnostics.suggestions import suggestion


class HasName(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name."""


T = TypeVar("T", bound=HasName)


class UnknownNameError(KeyError):
    """No element has a name; the message names the nearest one."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError shows a message as a quoted string


def _unknown_name(name: str, known: tuple[str, ...]) -> UnknownNameError:
    return UnknownNameError(f"no '{name}': {suggestion(name, known) or 'there are no elements'}")


class NamedList(Generic[T]):
    """Elements in file order, found by position or by name in constant time.

    If a name occurs twice it refers to the first element; ``checks`` reports the second.
    """

    __slots__ = ("_by_name", "_items", "_names")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items: tuple[T, ...] = tuple(items)
        self._by_name: dict[str, T] | None = None
        self._names: tuple[str, ...] | None = None

    @overload
    def __getitem__(self, key: str | SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[T, ...]: ...
    def __getitem__(self, key: Any) -> Any:
        """Return the element with that name or at that position.

        Raises:
            UnknownNameError: No element has the name; the message names the nearest one.
            IndexError: There is no such position.
        """
        if isinstance(key, str):
            try:
                return self._index()[key]
            except KeyError:
                raise _unknown_name(key, self.names()) from None
        return self._items[key]

    def get(self, name: str) -> T | None:
        """Return the element of a name, or None."""
        return self._index().get(name)

    def names(self) -> tuple[str, ...]:
        """Return all names in order."""
        if self._names is None:
            self._names = tuple([item.name for item in self._items])
        return self._names

    def with_(self, *items: T) -> NamedList[T]:
        """Return a list with further elements at the end."""
        return NamedList([*self._items, *items])

    def without(self, *names: str) -> NamedList[T]:
        """Return a list without the elements of some names.

        Raises:
            UnknownNameError: No element has one of the names.
        """
        self._require(names)
        return NamedList([item for item in self._items if item.name not in names])

    def replaced(self, *items: T) -> NamedList[T]:
        """Return a list with each given element in the place of the first one of its name.

        Raises:
            UnknownNameError: No element has the name of one of them.
        """
        self._require([item.name for item in items])
        new = {id(self._index()[item.name]): item for item in items}
        return NamedList([new.get(id(item), item) for item in self._items])

    def renamed(self, old: str, new: str) -> NamedList[T]:
        """Return a list in which the first element of a name has another one; references to it are unchanged.

        Raises:
            UnknownNameError: No element has the old name.
            ValueError: Another element has the new name.
        """
        self._require([old])
        if new != old and new in self._index():
            raise ValueError(f"'{old}' cannot be renamed to '{new}': another element has that name")
        first: Any = self._index()[old]
        renamed = replace(first, name=new)
        return NamedList([renamed if item is first else item for item in self._items])

    def map(self, change: Callable[[T], T]) -> NamedList[T]:
        """Return a list of changed elements; the list itself if no element is changed."""
        items = [change(item) for item in self._items]
        return self if all(map(operator.is_, items, self._items)) else NamedList(items)

    def _require(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._index():
                raise _unknown_name(name, self.names())

    def _index(self) -> dict[str, T]:
        if self._by_name is None:
            self._by_name = {item.name: item for item in reversed(self._items)}
        return self._by_name

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names, which IPython completes between brackets."""
        return list(self.names())

    def __contains__(self, value: object) -> bool:
        return value in self._index() if isinstance(value, str) else value in self._items

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedList) and self._items == other._items

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        return f"NamedList({list(self._items)!r})"


NO_ELEMENTS: NamedList[Any] = NamedList()
"""The empty list, which all elements without content share."""
