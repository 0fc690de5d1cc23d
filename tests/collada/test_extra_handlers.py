"""Functions of one's own for one's own extensions are called while they are registered, and never otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ossature.diagnostics import Ledger, Report, Source
from ossature.formats import collada
from ossature.model import Model, NamedList, World
from ossature.syntax.xml import element

DOCUMENT = """<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
<asset><created/><modified/><up_axis>Z_UP</up_axis></asset>
<library_kinematics_models><kinematics_model id="m" name="robot"><technique_common>
<joint sid="j" name="hinge"><revolute sid="a"><axis>0 0 1</axis></revolute></joint>
<link sid="base" name="base"><attachment_full joint="m/j"><link sid="tip" name="tip"/></attachment_full></link>
</technique_common>
<extra type="greeting"><technique profile="mine"><text>hello</text></technique></extra>
</kinematics_model></library_kinematics_models></COLLADA>"""


def read() -> World:
    world = collada.read_collada(Source("robot.dae", DOCUMENT.encode()), Report())
    assert world is not None
    return world


def rename(extra: collada.XmlNode, model: Model, report: Report) -> Model:
    text = extra.children[0].children[0].text
    return replace(model, name=f"{model.name} says {text}")


def test_without_a_handler_an_extension_is_passed_through() -> None:
    (extension,) = read().models[0].extensions
    assert extension.key == "extra greeting"
    assert "hello" in extension.value


def test_a_registered_function_reads() -> None:
    with collada.registered("greeting", read=rename):
        model = read().models[0]
    assert model.name == "robot says hello"
    assert not model.extensions
    assert read().models[0].name == "robot"


def test_types_of_our_own_are_refused() -> None:
    with pytest.raises(ValueError, match="manipulator"):
        collada.register_extra_handler("manipulator", read=rename)


def test_one_function_for_one_type() -> None:
    with collada.registered("greeting", read=rename), pytest.raises(ValueError, match="already"):
        collada.register_extra_handler("greeting", read=rename)


def test_a_registered_function_writes() -> None:
    def write(model: Model) -> collada.XmlNode:
        extra = element("extra", {"type": "greeting"})
        technique = element("technique", {"profile": "mine"})
        technique.children.append(element("text", text=f"good day from {model.name}"))
        extra.children.append(technique)
        return extra

    bare = replace(read(), models=NamedList([replace(model, extensions=()) for model in read().models]))
    with collada.registered("greeting", read=rename, write=write):
        text = collada.write_collada(bare, Ledger())
        again = collada.read_collada(Source("written.dae", text.encode()), Report())
    assert again is not None
    assert again.models[0].name == "robot says good day from robot"
    assert "good day" not in collada.write_collada(bare, Ledger())
