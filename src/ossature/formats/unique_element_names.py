"""Names of elements in a file: printable, not empty, and unique."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ossature.diagnostics.ledger import Ledger, WrittenName
from ossature.model import Frame
from ossature.model.unique_names import take_unique_name
from ossature.syntax import xml


class UniqueNames:
    """The name in the file of each element of a list; changes are recorded in the ledger.

    Args:
        names: The elements' names in the model.
        default: Name of elements without one.
        model: Name of their model; empty for models.
        collection: The field of the model with them.
        ledger: Receives the changes.
        reserved: Names that must not be used.
        unique: Whether an element with a used name gets another one; otherwise it is left out.
    """

    def __init__(
        self,
        names: Sequence[str],
        default: str,
        model: str,
        collection: str,
        ledger: Ledger,
        *,
        reserved: Iterable[str] = (),
        unique: bool = True,
    ) -> None:
        self._by_name: dict[str, str] = {}
        self._written: list[str | None] = []
        used = set(reserved)
        occurrences: Counter[str] = Counter()
        for name in names:
            occurrence = occurrences[name]
            occurrences[name] += 1
            if occurrence and not unique:
                self._written.append(None)
                ledger.dropped(f"{model}/{name}", "another element has the same name")
                continue
            written = take_unique_name(xml.printable(name) or default, used)
            self._written.append(written)
            self._by_name.setdefault(name, written)
            if written != name:
                changed = WrittenName(model=model, collection=collection, name=name, occurrence=occurrence, written=written)
                ledger.renamed(changed)

    def __getitem__(self, index: int) -> str:
        written = self._written[index]
        if written is None:
            raise KeyError(index)
        return written

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def of(self, name: str) -> str:
        """Return the name in the file of the first element with a name."""
        return self._by_name[name]

    @property
    def written(self) -> list[str | None]:
        """The name in the file of each element, None for one that is left out."""
        return self._written

    def is_first(self, index: int) -> bool:
        """Whether the element with an index is written."""
        return self._written[index] is not None


def written_frame_names(frames: Sequence[Frame], default: str, path: str, ledger: Ledger) -> list[str]:
    """Return the names in the file of the frames of a body; changes are recorded in the ledger.

    Args:
        default: Name of frames without one.
        path: Path of the body.
        ledger: Receives the changes.
    """
    used: set[str] = set()
    names = [take_unique_name(xml.printable(frame.name) or default, used) for frame in frames]
    for index, (frame, name) in enumerate(zip(frames, names, strict=True)):
        if name != frame.name:
            ledger.approximated(f"{path}.frames[{index}].name", "the name is changed", before=frame.name, after=name)
    return names
