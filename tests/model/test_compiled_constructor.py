"""The compiled constructor of elements, beside that in Python: the same instances, and the same errors."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.diagnostics import Location, Source
from ossature.instance_maker import compiled_instance_module
from ossature.model import Body, Box, Inertial, Joint, Model, NamedList, Range, Revolute, Visual, World
from ossature.model.expression import JointPosition, Operation
from ossature.model.mujoco_hints import MujocoBody, MujocoGeom
from ossature.model.validated_element import Element
from ossature.spatial import Pose

BOX = Box(size=(1.0, 2.0, 3.0))
WHERE = Location(Source("a.xml", b"<a/>"), 3)


@dataclass(frozen=True, slots=True)
class Mixed(Element):
    """Fields by position, of which one has a list of lists, and one takes no part in equality."""

    number: float
    rows: tuple[tuple[float, float], ...] = ()
    text: str | None = None
    made: tuple[str, ...] = field(default_factory=lambda: ("made",))
    unseen: Any = field(default=None, compare=False)


@pytest.fixture(autouse=True, scope="module")
def _requires_compiled_module() -> None:
    if compiled_instance_module() is None:
        pytest.skip("the compiled module is not installed")


def elements() -> Iterator[tuple[type[Any], tuple[Any, ...], dict[str, Any]]]:
    """Yield classes with arguments, by position and by name: valid, to be converted, and wrong ones."""
    nan, inf, huge = float("nan"), float("inf"), 10**400
    yield from (
        (Range, arguments, {}) for arguments in [(), (0.0,), (0.0, 1.0), (0, 1), (True, 1), (nan, inf), (huge,), (1, 2, 3)]
    )
    yield from ((Range, (0.0,), named) for named in [{"upper": 1.0}, {"lower": 1.0}, {"other": 1}, {"upper": np.float32(0.5)}])
    yield from (
        (Box, (), {"size": size}) for size in [(1.0, 2.0, 3.0), [1, 2, 3], np.ones(3), (1.0, 2.0), (1.0, 2, "3"), 1.0, None]
    )
    yield from ((Box, arguments, {}) for arguments in [(), ((1.0, 2.0, 3.0),)])
    tensor = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    yield from (
        (Inertial, (), {"mass": 1.0, "moment": value}) for value in [None, tensor, np.eye(3), (*tensor, (0.0,)), ((1, 2), 3)]
    )
    yield from (
        (Inertial, (), {"moment": (*tensor[:2], row)}) for row in [(0.0, 0.0), (0.0, 0.0, 1), (0.0, 0.0, "1"), 0.0, None]
    )
    yield from (
        (Body, (), named)
        for named in [{}, {"name": "a"}, {"name": 1}, {"name": "a", "mass": 1.0}, {"name": "a", "origin": WHERE}]
    )
    shapes = (Visual(geometry=BOX), Visual(geometry=BOX, name="b"))
    for visuals in [shapes, list(shapes), (), NamedList([]), (BOX,), (*shapes, None), iter(shapes), "ab", {1: 2}]:
        yield Body, (), {"name": "a", "visuals": visuals}
    for hints in [(), (MujocoBody(),), (MujocoGeom(), MujocoGeom(condim=1)), (MujocoGeom(condim=1), MujocoGeom(condim=3)), [1]]:
        yield Visual, (), {"geometry": BOX, "hints": hints}
    joint = {"name": "j", "type": Revolute(), "parent": None, "child": "b"}
    for change in [
        {},
        {"coordinates": ()},
        {"coordinates": (1,)},
        {"pose": (1, 2, 3)},
        {"pose": Pose()},
        {"type": "revolute"},
        {"x": 1},
    ]:
        yield Joint, (), joint | change
    yield from ((Operation, (), {"operator": "sin", "operands": (JointPosition(joint="j"),) * count}) for count in range(3))
    yield from (
        (Model, (), {"name": "m", "bodies": bodies}) for bodies in [NamedList([Body(name="a")]), [Body(name="a")], [1], None]
    )
    yield from ((World, (), {"models": models, "origin": WHERE}) for models in [NamedList([]), [], (), None])
    rows = ((1.0, 2.0), (3.0, 4.0))
    for arguments in [
        (),
        (1.0,),
        (1.0, rows),
        (1.0, [[1, 2]]),
        (1.0, ((1.0,),)),
        (1.0, rows, "a", ("b",), 5),
        (1.0, rows, "a", (), 5, 6),
    ]:
        yield Mixed, arguments, {}
    yield from (
        (Mixed, (1.0,), named) for named in [{"number": 2.0}, {"made": ()}, {"made": [1]}, {"unseen": object}, {"text": 1}]
    )


def outcome(make: Callable[[], Any]) -> Any:
    """Return the attributes of an instance with their types, or the error."""
    try:
        made = make()
    except (TypeError, ValueError, OverflowError) as error:
        return type(error), str(error)
    return {item.name: (type(getattr(made, item.name)), repr(getattr(made, item.name))) for item in dataclasses.fields(made)}


def in_python(kind: type[Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    made = object.__new__(kind)
    type(kind.__init__).__get__(kind.__init__, made, kind)(*arguments, **named)
    return made


def arguments_again(case: int) -> tuple[type[Any], tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of one case, anew because some are iterators."""
    return next(item for number, item in enumerate(elements()) if number == case)


@pytest.mark.parametrize("case", range(len(list(elements()))))
def test_same_instances_and_errors(case: int) -> None:
    kind, arguments, named = arguments_again(case)
    expected = outcome(lambda: in_python(kind, arguments, named))
    for _ in range(2):  # the second time types are known
        kind, arguments, named = arguments_again(case)
        assert outcome(lambda: kind(*arguments, **named)) == expected  # noqa: B023  # called at once


def element_classes() -> list[type[Element]]:
    def below(kind: type[Element]) -> Iterator[type[Element]]:
        for inner in kind.__subclasses__():
            yield inner
            yield from below(inner)

    return [kind for kind in below(Element) if kind.__module__.startswith("ossature.") and vars(kind).get("__init__")]


def test_elements_of_a_file_have_compiled_constructors() -> None:
    ossature.load(PROJECT / "examples" / "arm.skel")
    for kind in (World, Model, Body, Joint, Revolute, Visual, Inertial, Box):
        assert not isinstance(kind.__init__, FunctionType)


def test_attributes_of_constructors_are_those_of_python() -> None:
    for kind in element_classes():
        constructor: Any = kind.__init__
        bound = constructor.__get__(object.__new__(kind), kind)
        assert inspect.signature(kind) == inspect.signature(bound)
        assert list(inspect.signature(kind).parameters) == [item.name for item in dataclasses.fields(kind)]  # type: ignore[arg-type]
        assert constructor.__name__ == "__init__"
        assert constructor.__qualname__ == bound.__qualname__


def test_python_is_not_called_for_known_types(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        Body(name="a", visuals=(Visual(geometry=BOX),), origin=WHERE)
    monkeypatch.setattr(Element, "__post_init__", None)
    body = Body(name="b", visuals=(Visual(geometry=BOX),), origin=WHERE)
    assert body.name == "b" and body.origin is WHERE and body.visuals[0].geometry is BOX


def test_constructors_of_other_classes_are_kept() -> None:
    class Named(Body):
        def __init__(self, name: str) -> None:
            super().__init__(name=f"<{name}>", pose=(1, 2, 3))  # type: ignore[arg-type]  # converted

    @dataclass(frozen=True, slots=True)
    class Own(Element):
        first: float = 0.0

        def __init__(self, first: float) -> None:
            object.__setattr__(self, "first", 2.0 * first)
            self.__post_init__()

    @dataclass(frozen=True, slots=True)
    class Start(Element):
        first: float = 0.0
        start: InitVar[float] = 0.0

        def __post_init__(self, start: float) -> None:
            Element.__post_init__(self)
            object.__setattr__(self, "first", self.first + start)

    for _ in range(3):
        assert Named("a").name == "<a>" and Named("a").pose == Pose((1.0, 2.0, 3.0))
        assert Own(1.0).first == 2.0
        assert Start(1.0, 2.0).first == 3.0


def test_instances_stay_frozen_and_can_be_copied() -> None:
    body = Body(name="a", visuals=(Visual(geometry=BOX),))
    with pytest.raises(dataclasses.FrozenInstanceError):
        body.name = "b"  # type: ignore[misc]
    assert copy.deepcopy(body) == body
    assert dataclasses.replace(body, name="b") == Body(name="b", visuals=body.visuals)


@pytest.mark.usefixtures("heap_of_one_module")
def test_constructors_release_what_they_refer_to() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Kind(Element):
        value: str = "default"
        unseen: Any = field(default=None, compare=False)

    class Value:
        pass

    value = Value()
    for _ in range(2):
        made = Kind(value="a", unseen=value)
    assert not isinstance(Kind.__init__, FunctionType)
    before = sys.getrefcount(value)
    for _ in range(100):
        Kind(value="a", unseen=value)
        with pytest.raises(TypeError):
            Kind(value="a", unseen=value, other=value)  # type: ignore[call-arg]
    gc.collect()
    assert sys.getrefcount(value) == before
    references = [weakref.ref(value)]
    del value, made
    gc.collect()
    assert [reference() for reference in references] == [None]
