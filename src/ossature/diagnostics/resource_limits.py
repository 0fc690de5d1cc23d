"""Resource limits of reading: the :class:`Limits`, and the :class:`Budget` that counts the use."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import NoReturn, ParamSpec, Protocol, TypeVar

from ossature.argument_types import typed_arguments
from ossature.diagnostics.location import Location, Source
from ossature.diagnostics.rule import Rule, rules_in

T = TypeVar("T")

LARGEST_DEPTH = 400
"""No higher limit of the nesting depth can be set: Python's own stack is not deeper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Resource limits of reading one model. No valid file of the test corpus comes near a default.

    Attributes:
        file_bytes: Size of one file [bytes].
        unpacked_bytes: Size of all files that are unpacked from one archive [bytes].
        unpacked_ratio: Unpacked bytes for each byte of an archive, if it unpacks to more than 64 MiB.
        archive_members: Files in one archive.
        documents: Documents that one model is read from.
        elements: XML elements or YAML values, of all documents of one model; those reached by aliases count each time.
        depth: Elements inside one another.
        findings: Findings in one report.
        expansions: Elements that repeated use of others expands to: calls of functions in formulas,
            instances of nodes and bodies.
        array_bytes: Size of one array of numbers [bytes]; a number of CSV or JSON counts as 64 bytes.
        loop_operations: Floating-point operations of the analysis of one model's loops: mobility, redundant constraints, locked
            joints.
        seconds: CPU time of reading one model, mesh file, recording, or file of commands or trajectories [s].
    """

    file_bytes: int = 1 << 30
    unpacked_bytes: int = 512 << 20
    unpacked_ratio: int = 200
    archive_members: int = 10_000
    documents: int = 64
    elements: int = 1_000_000
    depth: int = 200
    findings: int = 10_000
    expansions: int = 50_000
    array_bytes: int = 1 << 30
    loop_operations: int = 30_000_000_000
    seconds: float = 300.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                raise ValueError(f"the limit '{each.name}' must be a positive number, not {value!r}")
            if each.name != "seconds" and (not math.isfinite(value) or value != int(value)):
                raise ValueError(f"the limit '{each.name}' must be a whole number, not {value!r}")
        if self.depth > LARGEST_DEPTH:
            raise ValueError(f"the limit 'depth' cannot be above {LARGEST_DEPTH}, not {self.depth}")

    @typed_arguments
    def with_values(self, text: str) -> Limits:
        """Return these limits with those that a text states, for example ``elements=1e6,seconds=60``.

        Raises:
            ValueError: A name is unknown, or a value is not a positive number.
        """
        known = [each.name for each in fields(self)]
        changed: dict[str, float] = {}
        for part in text.split(","):
            name, _, value = (each.strip() for each in part.partition("="))
            if name not in known:
                raise ValueError(f"there is no limit '{name[:40]}': {', '.join(known)}")
            try:
                number = float(value)
                changed[name] = int(number) if number.is_integer() and name != "seconds" else number
            except (ValueError, OverflowError):
                raise ValueError(f"the limit '{name}' must be a positive number, not '{value[:40]}'") from None
        return replace(self, **changed)  # type: ignore[arg-type]  # counts are whole numbers here


DEFAULT_LIMITS = Limits()

FILE_TOO_LARGE = Rule.error(
    "file-too-large",
    "FILE001",
    "A file, or the content of an archive, is larger than the limit.",
    "A file is read into memory as a whole, and a small archive can state gigabytes. Raise the limit for files from a trusted "
    "source: `--limit file_bytes=N`, `unpacked_bytes=N` or `unpacked_ratio=N`, in Python `Limits`.",
)
TOO_MANY_DOCUMENTS = Rule.error(
    "too-many-documents",
    "FILE002",
    "A model or an archive consists of more files than the limit.",
    "Each document can refer to others, so that a small file could cause a whole disk to be read. Raise the limit for files "
    "from a trusted source: `--limit documents=N` or `archive_members=N`, in Python `Limits`.",
)
TOO_MANY_ELEMENTS = Rule.error(
    "too-many-elements",
    "FILE003",
    "A file has more elements than the limit.",
    "Each element needs some hundred bytes of memory, and YAML aliases expand a few lines to billions of values. Raise the "
    "limit for files from a trusted source: `--limit elements=N`, in Python `Limits`.",
)
NESTING_TOO_DEEP = Rule.error(
    "nesting-too-deep",
    "FILE004",
    "Elements are nested more deeply than the limit.",
    "Deep nesting exhausts the stack of the program. No robot model needs it. Raise the limit for files from a trusted source: "
    "`--limit depth=N`, in Python `Limits`.",
)
TOO_MANY_FINDINGS = Rule.error(
    "too-many-findings",
    "FILE005",
    "There are more findings than the limit.",
    "Further findings are discarded, and the file counts as one with errors. Correct the first findings: later ones often "
    "follow from them. To see more, raise the limit: `--limit findings=N`, in Python `Limits`.",
)
TOO_MANY_EXPANSIONS = Rule.error(
    "too-many-expansions",
    "FILE006",
    "Repeated instances of a few elements expand to more elements than the limit.",
    "Functions that call functions, and nodes that are instances of nodes, can double with each level. Raise the limit for "
    "files from a trusted source: `--limit expansions=N`, in Python `Limits`.",
)
ARRAY_TOO_LARGE = Rule.error(
    "array-too-large",
    "FILE007",
    "A file states an array that is larger than the limit.",
    "Counts, strides and shapes are checked before memory is allocated for them. Raise the limit for files from a trusted "
    "source: `--limit array_bytes=N`, in Python `Limits`.",
)
READING_TOO_LONG = Rule.error(
    "reading-too-long",
    "FILE008",
    "Reading needs more CPU time than the limit.",
    "The time of reading is proportional to the size of the file, so that this file is very large. Raise the limit for files "
    "from a trusted source: `--limit seconds=N`, in Python `Limits`.",
)
OUT_OF_MEMORY = Rule.error(
    "out-of-memory",
    "FILE009",
    "There is not enough memory to read or simulate a file.",
    "Nothing is read from the file, or its simulation does not start. Use a machine with more memory, or divide the file; for "
    "MJCF state a smaller `memory` in `<size>`.",
)

RULES = rules_in(globals())


class LimitError(Exception):
    """A file exceeds a limit; :func:`within_limits` reports it as a finding.

    Attributes:
        rule: Which kind of refusal.
        message: The exceeded quantity, with the allowed number.
        location: Its location, or None for the whole file.
        hint: How to raise the limit.
    """

    def __init__(self, rule: Rule, message: str, location: Location | None, hint: str) -> None:
        self.rule, self.message, self.location, self.hint = rule, message, location, hint
        super().__init__(f"{message} ({hint})")


def raising_hint(name: str, needed: float) -> str:
    """Return the advice how to raise a limit.

    Args:
        name: The limit, a field of :class:`Limits`.
        needed: A sufficient value, or one above what is known to be insufficient.
    """
    value = f"{needed:.6g}" if isinstance(needed, float) else str(needed)
    return f"if the file is sound, raise it: --limit {name}={value}, or Limits({name}={value}) in Python"


class Budget:
    """Counts the resource use of readers, and raises an error above the limits.

    Attributes:
        limits: The limits.
        elements: Elements read so far.
        expansions: Expansions so far.
    """

    __slots__ = ("_ends", "elements", "expansions", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.elements = 0
        self.expansions = 0
        self._ends: float | None = None

    @property
    def is_timed(self) -> bool:
        """Whether a file is being read, with limited CPU time."""
        return self._ends is not None

    def begin(self) -> None:
        """Start to count CPU time, elements and expansions of reading a model."""
        self.elements = self.expansions = 0
        self._ends = time.process_time() + self.limits.seconds

    def end(self) -> None:
        """End the reading."""
        self._ends = None

    def check_time(self, location: Location | None = None) -> None:
        """Raise an error if the CPU time of reading is used up.

        Raises:
            LimitError: It has.
        """
        if self._ends is not None and time.process_time() > self._ends:
            self._refuse_time(location)

    def timed(self, items: Iterator[T], location: Location | None = None) -> Iterator[T]:
        """Yield items, while producing them takes no more CPU time than allowed; their processing is not counted.

        Raises:
            LimitError: The limit is exceeded.
        """
        left = self.limits.seconds
        while True:
            begun = time.process_time()
            try:
                item = next(items)
            except StopIteration:
                return
            left -= time.process_time() - begun
            if left < 0.0:
                self._refuse_time(location)
            yield item

    def _refuse_time(self, location: Location | None) -> NoReturn:
        most = self.limits.seconds
        raise LimitError(
            READING_TOO_LONG, f"reading takes more than {most:g} s of CPU time", location, raising_hint("seconds", 2 * most)
        )

    def add_elements(self, count: int, location: Location | None = None) -> None:
        """Count elements.

        Raises:
            LimitError: There are too many, or reading takes too long.
        """
        self.elements += count
        most = self.limits.elements
        if self.elements > most:
            raise LimitError(TOO_MANY_ELEMENTS, f"more than {most} elements", location, raising_hint("elements", 4 * most))
        self.check_time(location)

    def forget_elements(self) -> None:
        """Restart the count of elements: those read before are no longer in memory."""
        self.elements = 0

    def add_expansions(self, count: int, location: Location | None = None) -> None:
        """Count elements that repeated use of others expands to.

        Raises:
            LimitError: There are too many, or reading takes too long.
        """
        self.expansions += count
        most = self.limits.expansions
        if self.expansions > most:
            message = f"functions and instances expand to more than {most} elements"
            raise LimitError(TOO_MANY_EXPANSIONS, message, location, raising_hint("expansions", 4 * most))
        if not self.expansions & 0xFF:
            self.check_time(location)

    def require_array(self, count: int, item_bytes: int = 8, location: Location | None = None) -> None:
        """Raise an error before memory is allocated for an array above the limit.

        Args:
            count: How many items, a Python integer, which cannot overflow.
            item_bytes: Size of one [bytes].
            location: Its location in the file.

        Raises:
            LimitError: It is too large.
        """
        most, size = self.limits.array_bytes, int(count) * item_bytes
        if size > most:
            message = f"an array of {int(count)} numbers needs {size} bytes, more than {most}"
            raise LimitError(ARRAY_TOO_LARGE, message, location, raising_hint("array_bytes", size))

    def require_file(self, size: int, location: Location | None = None) -> None:
        """Refuse a file by its size [bytes].

        Raises:
            LimitError: It is too large.
        """
        most = self.limits.file_bytes
        if size > most:
            message = f"the file has {size} bytes, more than {most}"
            raise LimitError(FILE_TOO_LARGE, message, location, raising_hint("file_bytes", size))

    def require_depth(self, depth: int, location: Location | None = None) -> None:
        """Refuse elements that are inside one another too deeply.

        Raises:
            LimitError: They are.
        """
        most = self.limits.depth
        if depth > most:
            hint = raising_hint("depth", min(2 * most, LARGEST_DEPTH))
            raise LimitError(NESTING_TOO_DEEP, f"more than {most} elements inside one another", location, hint)


class _LimitedReport(Protocol):
    """The part of a :class:`~ossature.diagnostics.Report` that limits need."""

    budget: Budget

    def refuse(self, refusal: LimitError, /) -> None: ...


P = ParamSpec("P")
R = TypeVar("R")


def within_limits(reader: Callable[P, R]) -> Callable[P, R | None]:
    """Return a reader that respects the limits of its Report: above them it adds one finding and returns None.

    The reader has its Report as the argument ``report``, or as its second argument. Insufficient memory and stack
    are reported in the same way. The outermost such reader starts the counting.
    """

    @wraps(reader)
    def read(*args: P.args, **kwargs: P.kwargs) -> R | None:
        report: _LimitedReport = kwargs["report"] if "report" in kwargs else args[1]  # type: ignore[assignment]
        is_outermost = not report.budget.is_timed
        if is_outermost:
            report.budget.begin()
        try:
            return reader(*args, **kwargs)
        except LimitError as refusal:
            report.refuse(refusal)
        except MemoryError:
            report.refuse(LimitError(OUT_OF_MEMORY, "there is not enough memory for this file", _whole_file(args), ""))
        except RecursionError:
            message = "elements are inside one another more deeply than the stack of this program allows"
            report.refuse(LimitError(NESTING_TOO_DEEP, message, _whole_file(args), ""))
        finally:
            if is_outermost:
                report.budget.end()
        return None

    return read


def _whole_file(args: tuple[object, ...]) -> Location | None:
    return next((Location(each) for each in args if isinstance(each, Source)), None)
