"""Instances that are made without their constructors, by the compiled module and by Python: as the constructors make them."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

import ossature
from conftest import PROJECT
from ossature import instance_maker
from ossature.compiled_modules import compiled_module
from ossature.diagnostics import Location, Source
from ossature.instance_maker import PythonInstanceMaker, attribute_names, with_attributes
from ossature.model import Body, NamedList
from ossature.spatial import Pose

MakeMaker = Callable[[type, tuple[str, ...]], Callable[..., Any]]


@pytest.fixture(params=["compiled", "in Python"])
def maker_of(request: pytest.FixtureRequest) -> MakeMaker:
    if request.param == "in Python":
        return PythonInstanceMaker
    module = compiled_module("ossature._instance_maker", instance_maker._SOURCE)
    if module is None:
        pytest.skip("the compiled module is not installed")
    maker: MakeMaker = module.InstanceMaker
    return maker


def remade(maker_of: MakeMaker, value: Any) -> Any:
    kind = type(value)
    names = attribute_names(kind)
    return maker_of(kind, names)(*[getattr(value, name) for name in names])


@pytest.mark.parametrize(
    "value",
    [
        Body(name="a", pose=Pose((1.0, 2.0, 3.0))),
        Location(Source("a.xml", b"<a/>"), 3),
        Source("a.xml", b"<a/>", (Path("b"),)),
        NamedList([Body(name="a"), Body(name="b")]),
    ],
)
def test_all_attributes_are_set(maker_of: MakeMaker, value: Any) -> None:
    made = remade(maker_of, value)
    assert made is not value and type(made) is type(value)
    assert made == value and hash(made) == hash(value) and repr(made) == repr(value)
    assert all(getattr(made, name) is getattr(value, name) for name in attribute_names(type(value)))


def test_every_element_of_a_model_is_made_as_it_was(maker_of: MakeMaker) -> None:
    world = ossature.load(PROJECT / "examples" / "arm.skel")
    elements = [item for model in world.models for collection in (model.bodies, model.joints) for item in collection]
    assert len(elements) > 4
    for element in [world, *world.models, *elements]:
        made = remade(maker_of, element)
        for item in fields(element):
            assert getattr(made, item.name) is getattr(element, item.name)


def test_an_instance_stays_frozen(maker_of: MakeMaker) -> None:
    made = remade(maker_of, Body(name="a"))
    with pytest.raises(FrozenInstanceError):
        made.name = "b"


@pytest.mark.parametrize("values", [(), ("a",), range(4)])
def test_another_number_of_values_is_an_error(maker_of: MakeMaker, values: Any) -> None:
    for kind in (Pose, Location):
        with pytest.raises(TypeError, match=f"expected {len(attribute_names(kind))} values"):
            maker_of(kind, attribute_names(kind))(*values)


@pytest.mark.parametrize("kind", [int, dict, type, type(sys.version_info), type(lambda: 0)])
def test_instances_of_other_layouts_are_not_made(maker_of: MakeMaker, kind: type) -> None:
    with pytest.raises(TypeError):
        maker_of(kind, ())


@pytest.mark.parametrize("arguments", [(), (1, ()), (Pose, ["position"]), (Pose, (1, 2, 3))])
def test_wrong_arguments_are_errors(maker_of: MakeMaker, arguments: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        maker_of(*arguments)(1, 2, 3)


def test_an_unknown_attribute_is_an_error(maker_of: MakeMaker) -> None:
    with pytest.raises(AttributeError):
        maker_of(Pose, ("position", "wxyz", "nothing"))(1, 2, 3)


def test_makers_and_instances_release_what_they_refer_to(maker_of: MakeMaker) -> None:
    class Kind:
        __slots__ = ("__weakref__", "value")

    class Value:
        pass

    value = Value()
    maker = maker_of(Kind, ("value",))
    made = maker(value)
    references = [weakref.ref(value), weakref.ref(made), weakref.ref(Kind)]
    before = sys.getrefcount(value)
    for _ in range(100):
        maker(value)
    assert sys.getrefcount(value) == before
    del value, made, maker, Kind, Value
    gc.collect()
    assert [reference() for reference in references] == [None, None, None]


def test_copy_with_other_attributes_is_that_of_dataclasses() -> None:
    pose = Pose(position=(1.0, 2.0, 3.0))
    copied = with_attributes(pose, position=(0.0, 0.0, 4.0))
    assert type(copied) is Pose and copied == replace(pose, position=(0.0, 0.0, 4.0)) and pose.position == (1.0, 2.0, 3.0)
    with pytest.raises(TypeError):
        with_attributes(pose, length=1.0)
