"""Pickles of elements: what they contain comes back, and nothing else can be made by them."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature import element_pickles, instance_maker, spatial
from ossature.assets.file_access_log import content_digest
from ossature.diagnostics import Location, Source
from ossature.model import Body, LazyMesh, MeshData, ModelError, NamedList, joint, named_list
from ossature.model.joint import UNBOUNDED, UNCONSTRAINED_COORDINATE
from ossature.model.named_list import NO_ELEMENTS
from ossature.spatial import IDENTITY, Pose

EXAMPLES = ("arm.skel", "slider_crank.yaml", "picker.dae", "palletizer.urdf", "gripper_arm.sdf", "finger.xml")


@pytest.fixture(params=["compiled", "in Python"], autouse=True)
def _choose_maker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let elements be made by the compiled module, or by Python."""
    for module in (instance_maker, element_pickles):
        monkeypatch.setattr(module, "_MAKERS", {})
    if request.param == "in Python":
        monkeypatch.setattr(instance_maker, "compiled_module", lambda *_: None)


def loaded(value: Any) -> Any:
    return element_pickles.load(element_pickles.dump(value, {})[0], {})


def assert_same(found: Any, expected: Any) -> None:
    """Compare all attributes, also those that are ignored by equality."""
    assert type(found) is type(expected)
    if is_dataclass(expected) and not isinstance(expected, type):
        for field in fields(expected):
            assert_same(getattr(found, field.name), getattr(expected, field.name))
    elif isinstance(expected, tuple | list | NamedList):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        assert found == expected and repr(found) == repr(expected)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_world_and_its_findings_come_back(name: str) -> None:
    world, report = ossature.read(PROJECT / "examples" / name)
    assert world is not None
    value = (world, tuple([replace(finding, make_fix=None) for finding in report]))
    assert_same(loaded(value), value)


def test_what_is_shared_stays_shared() -> None:
    pose = Pose((1.0, 2.0, 3.0))
    first, second = loaded((Body(name="a", pose=pose), Body(name="b", pose=pose)))
    assert first.pose is second.pose


@pytest.mark.parametrize("value", [IDENTITY, UNBOUNDED, UNCONSTRAINED_COORDINATE, NO_ELEMENTS])
def test_constants_that_are_compared_by_identity_stay_identical(value: Any) -> None:
    assert loaded((value, value)) == (value, value)
    assert all(found is value for found in loaded((value, value)))


def test_all_constants_that_are_compared_by_identity_are_known() -> None:
    texts = [path.read_text() for path in (PROJECT / "src").rglob("*.py")]
    compared = {name for text in texts for name in re.findall(r"\bis (?:not )?([A-Z][A-Z_]+)\b", text)}
    elements = {name for name in compared if any(hasattr(module, name) for module in (joint, named_list, spatial))}
    assert {"IDENTITY", "UNCONSTRAINED_COORDINATE"} <= elements <= element_pickles._CONSTANTS.keys()


def test_arrays_come_back_with_all_bits() -> None:
    vertices = np.array([[0.0, -0.0, 1e-308], [1.0, 2.0, 3.0], [4.0, 5.0, np.pi]])
    mesh = MeshData(vertices=vertices[::-1], faces=np.array([[0, 1, 2]]))
    found = loaded(LazyMesh(mesh)).triangles
    assert found.vertices.tobytes() == vertices[::-1].tobytes() and found.vertices.flags.writeable
    assert found.faces.dtype == np.int64 and found.faces.tolist() == [[0, 1, 2]]


def test_the_content_of_a_file_is_left_out() -> None:
    data = b"<robot/>" * 100
    source = Source("a.urdf", data, (Path("folder"),))
    content, left_out = element_pickles.dump(Location(source, 8), {"a.urdf": content_digest(data)})
    assert left_out == ["a.urdf"] and len(content) < len(data)
    found = element_pickles.load(content, {"a.urdf": data})
    assert found == Location(source, 8) and found.source.search_path == (Path("folder"),)
    other, left_out = element_pickles.dump(Location(source, 8), {"a.urdf": content_digest(b"other")})
    assert not left_out and element_pickles.load(other, {}) == Location(source, 8)


@pytest.mark.parametrize("value", [object(), print, int, Body, lambda: 0, np.array([object()]), Exception("text")])
def test_other_values_are_not_stored(value: Any) -> None:
    with pytest.raises(pickle.PicklingError):
        element_pickles.dump((value,), {})


class _Call:
    """Is stored as the call of a function."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._reduced = function, arguments

    def __reduce__(self) -> Any:
        return self._reduced


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (eval, ("1",)),
        (np.save, ("a", 1)),
        (Body, ("a",)),
        (element_pickles.dump, (1, {})),
        (element_pickles.element_maker, ("ossature.model.triangle_mesh", "dataclass")),
        (element_pickles.element_maker, ("ossature.model.validated_element", "Callable")),
        (element_pickles.element_maker, ("ossature.model.triangle_mesh", "LazyMesh")),
        (element_pickles.element_maker, ("ossature.diagnostics.report", "Report")),
        (element_pickles.element_maker, ("ossature.model.element_paths", "Path")),
        (element_pickles.element_maker, ("ossature.io", "Limits")),
        (element_pickles.element_maker, ("pathlib", "Path")),
        (element_pickles.member, ("signal", "Signals", "SIGTERM")),
        (element_pickles.member, ("ossature.model.body", "Body", "name")),
        (element_pickles.array, ("O", (1,), bytearray(8))),
        (element_pickles.array, ("f8", (2,), bytearray(8))),
        (element_pickles.content_of_file, ("/etc/passwd",)),
    ],
)
def test_nothing_else_can_be_called(function: Callable[..., Any], arguments: Any) -> None:
    with pytest.raises((pickle.UnpicklingError, AttributeError, ValueError, TypeError, KeyError)):
        element_pickles.load(pickle.dumps(_Call(function, *arguments)), {})


def test_elements_of_another_number_of_values_are_refused() -> None:
    maker = _Call(element_pickles.element_maker, "ossature.spatial", "Pose")
    with pytest.raises(TypeError):
        element_pickles.load(_called(maker, (1.0, 2.0)), {})
    assert element_pickles.load(_called(maker, (IDENTITY.position, IDENTITY.wxyz, None)), {}) == IDENTITY


def _called(function: Any, arguments: tuple[Any, ...]) -> bytes:
    """Return a pickle that calls what another one makes."""
    return pickle.dumps(function)[:-1] + pickle.dumps(arguments, protocol=0)[:-1] + pickle.REDUCE + pickle.STOP


def test_a_mesh_that_cannot_be_read_is_not_stored() -> None:
    def fail() -> MeshData:
        raise ModelError("no triangles")

    with pytest.raises(ModelError):
        element_pickles.dump(LazyMesh(fail), {})
