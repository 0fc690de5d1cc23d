"""An immutable sequence of elements with access by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Generic, Protocol, SupportsIndex, TypeVar, overload


class HasName(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name."""


T = TypeVar("T", bound=HasName)


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
            KeyError: No element has the name; the message lists those that exist.
            IndexError: There is no such position.
        """
        if isinstance(key, str):
            try:
                return self._index()[key]
            except KeyError:
                raise KeyError(f"no '{key}' among {', '.join(self.names()) or 'no elements'}") from None
        return self._items[key]

    def get(self, name: str) -> T | None:
        """Return the element of a name, or None."""
        return self._index().get(name)

    def names(self) -> tuple[str, ...]:
        """Return all names in order."""
        if self._names is None:
            self._names = tuple([item.name for item in self._items])
        return self._names

    def _index(self) -> dict[str, T]:
        if self._by_name is None:
            self._by_name = {item.name: item for item in reversed(self._items)}
        return self._by_name

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
        return f"Named({list(self._items)!r})"
