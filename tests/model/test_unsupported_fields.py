"""The audit finds whatever a writer does not carry."""

from __future__ import annotations

import dataclasses

from ossature import model as m
from ossature.diagnostics import Ledger, Location, Source
from ossature.model import Ball, Body, Collision, Coordinate, Joint, Model, MultiSphere, NamedList, Revolute, World
from ossature.model.element_fields import elements
from ossature.model.unsupported_fields import audit
from ossature.model.value_text import kind_with_article
from ossature.spatial import Pose

PLACE = Location(Source("f.skel", b"<a/>"), 0)


def everything() -> dict[type, frozenset[str]]:
    kinds = [getattr(m, name) for name in m.__all__]
    return {kind: frozenset(f.name for f in dataclasses.fields(kind)) for kind in kinds if dataclasses.is_dataclass(kind)}


def world(*bodies: Body, joints: tuple[Joint, ...] = ()) -> World:
    return World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))


def audited(root: World, carried: dict[type, frozenset[str]]) -> dict[str, str]:
    ledger = Ledger()
    audit(root, carried, ledger)
    return {entry.path: entry.before or "" for entry in ledger}


def test_nothing_is_dropped_by_a_writer_of_everything() -> None:
    assert not audited(world(Body(name="b", gravity=False)), everything())


def test_a_field_that_is_not_carried() -> None:
    carried = everything()
    carried[Body] -= {"gravity"}
    assert audited(world(Body(name="b", gravity=False), Body(name="c")), carried) == {"m/b.gravity": "false"}


def test_names_of_kinds_have_the_right_article() -> None:
    kinds = (m.Actuator, m.Encoder, m.Imu, m.Universal, m.Body)
    assert [kind_with_article(kind) for kind in kinds] == ["an actuator", "an encoder", "an imu", "a universal", "a body"]


def test_a_field_of_the_world_itself() -> None:
    carried = everything()
    carried[World] -= {"time_step"}
    assert audited(World(time_step=0.5), carried) == {"time_step": "0.5 s"}


def test_a_field_deep_inside() -> None:
    carried = everything()
    carried[Coordinate] -= {"damping"}
    joint = Joint(name="j", type=Revolute(), parent=None, child="b", coordinates=(Coordinate(damping=2.0),))
    assert audited(world(Body(name="b"), joints=(joint,)), carried) == {"m/j.coordinates[0].damping": "2 N·m·s/rad"}


def test_a_field_without_a_default_is_always_specified() -> None:
    carried = everything()
    carried[Joint] -= {"child"}
    joint = Joint(name="j", type=Revolute(), parent=None, child="b")
    assert audited(world(Body(name="b"), joints=(joint,)), carried) == {"m/j.child": "'b'"}


def test_an_unsupported_element_is_dropped_once() -> None:
    carried = everything()
    del carried[MultiSphere], carried[Ball]
    ball = Ball(radius=1.0, position=(0.0, 0.0, 0.0))
    body = Body(name="b", collisions=(Collision(geometry=MultiSphere(balls=(ball, ball))),))
    assert audited(world(body), carried) == {
        "m/b.collisions[0].geometry": (
            "multi sphere: balls ball: radius 1 m, position (0, 0, 0) m; ball: radius 1 m, position (0, 0, 0) m"
        )
    }


def test_what_is_inside_a_dropped_field_goes_with_it() -> None:
    carried = everything()
    carried[Coordinate] -= {"hard_limits"}
    del carried[m.HardLimits]
    coordinate = Coordinate(hard_limits=m.HardLimits(jerk=m.Range(lower=-2.0)))
    joint = Joint(name="j", type=Revolute(), parent=None, child="b", coordinates=(coordinate,))
    assert list(audited(world(Body(name="b"), joints=(joint,)), carried)) == ["m/j.coordinates[0].hard_limits"]


def test_what_only_tells_the_place_is_no_loss() -> None:
    carried = everything()
    carried[Body] -= {"origin"}
    assert not audited(world(Body(name="b", origin=PLACE)), carried)


def test_entries_tell_the_place_of_the_nearest_element() -> None:
    carried = everything()
    del carried[m.Box]
    shape = Collision(geometry=m.Box(size=(1.0, 1.0, 1.0)), origin=PLACE)
    ledger = Ledger()
    audit(world(Body(name="b", collisions=(shape,))), carried, ledger)
    assert [entry.location for entry in ledger] == [PLACE]


def test_long_values_are_cut_for_people_only() -> None:
    carried = everything()
    carried[m.Mesh] -= {"uri"}
    body = Body(name="b", collisions=(Collision(geometry=m.Mesh(uri="x" * 1000)),))
    ledger = Ledger()
    audit(world(body), carried, ledger)
    (line,) = ledger.lines()
    assert "…" in line
    assert len(line) < 200
    assert ledger.to_records()[0]["before"] == f"'{'x' * 1000}'"


def test_each_extension_is_dropped_by_name() -> None:
    carried = everything()
    carried[Model] -= {"extensions"}
    elements = ('<transmission name="a"/>', '<transmission name="b"/>', '<gazebo reference="link"/>')
    extensions = [m.Extension(format="urdf", key=text[1:].split()[0], value=text) for text in elements]
    assert audited(World(models=NamedList([Model(name="m", extensions=tuple(extensions))])), carried) == {
        f"m.extensions[{index}]": text for index, text in enumerate(elements)
    }


def test_elements_come_parents_first() -> None:
    joint = Joint(name="j", type=Revolute(), parent=None, child="b")
    body = Body(name="b", pose=Pose((1.0, 0.0, 0.0)))
    assert [path for path, _, _ in elements(world(body, joints=(joint,)))] == [
        "",
        "m",
        "m/b",
        "m/b.inertial",
        "m/j",
        "m/j.type",
        "m/j.coordinates[0]",
        "m/j.coordinates[0].position_limits",
        "m/j.coordinates[0].velocity_limits",
        "m/j.coordinates[0].acceleration_limits",
        "m/j.coordinates[0].effort_limits",
        "m/j.coordinates[0].jerk_limits",
    ]
