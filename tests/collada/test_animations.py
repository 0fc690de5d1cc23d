"""Animations: read from what other programs write, written, and read again to the bit."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collada_animations import CURVED, SAMPLER, animated
from collada_documents import CENTIMETRE, read, robot
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.collada import read_collada, write_collada
from ossature.formats.collada.animation.read import DEGREE
from ossature.formats.collada.animation.write import convert_to_unit
from ossature.model import Channel, Extrapolation, Interpolation, NamedList, Trajectory, World
from ossature.model.trajectory_curves import Curve


@pytest.mark.parametrize("target", ["hand_node/turn.ANGLE", "hand_node/turn(3)", "base_node/hand_node/turn.angle"])
def test_an_animation_of_a_bound_axis_is_a_trajectory(target: str) -> None:
    (trajectory,) = read(animated(target)).trajectories
    assert trajectory.name == "wave"
    (channel,) = trajectory.channels
    assert (channel.model, channel.joint, channel.coordinate) == ("arm", "elbow", 0)
    assert channel.times == (0.0, 0.5, 2.0)
    assert channel.values == pytest.approx((0.0, math.pi / 2.0, -math.pi / 4.0), rel=1e-15)
    assert (channel.before, channel.after) == (Extrapolation.CYCLE, Extrapolation.OSCILLATE)


@pytest.mark.parametrize("kind", list(Interpolation))
def test_all_interpolations_are_read(kind: Interpolation) -> None:
    (trajectory,) = read(animated(kinds=f"{kind} {kind} {kind}", **CURVED)).trajectories
    (channel,) = trajectory.channels
    assert channel.interpolations == (kind,)
    assert bool(channel.in_tangents) == (kind in ("BEZIER", "HERMITE"))


def test_mixed_interpolations_and_their_tangents() -> None:
    (trajectory,) = read(animated(kinds="BEZIER STEP LINEAR", **CURVED)).trajectories
    (channel,) = trajectory.channels
    assert channel.interpolations == ("BEZIER", "STEP", "LINEAR")
    assert channel.out_tangents[0] == pytest.approx((0.25, 0.0))
    assert channel.in_tangents[1] == pytest.approx((0.25, math.pi / 2.0))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (animated("hand_node/bend.ANGLE"), "not a transform bound to a joint axis"),
        (animated("hand_node/turn.X"), "not the component that its joint axis moves"),
        (animated("hand_node/turn(7)"), "not the component that its joint axis moves"),
        (animated("hand_node/turn.ANGLE.ANGLE"), "not a transform"),
        (animated(kinds="LINEAR CURLY LINEAR"), "'CURLY' is not an interpolation"),
        (animated(kinds="LINEAR LINEAR"), "other numbers"),
        (animated(kinds="BEZIER BEZIER BEZIER"), "no source for IN_TANGENT"),
        (animated().replace(">0 0.5 2<", ">0 0.5 0.5<"), "do not increase"),
        (animated().replace(">0 0.5 2<", ">0 x 2<"), "'x' is not a number"),
        (animated().replace('semantic="INPUT"', 'semantic="OTHER"'), "no source for INPUT"),
        (animated().replace('channel source="#s"', 'channel source="#r"'), "no sampler '#r'"),
        (animated().replace('source="#va" count="3"', 'source="#va" count="9"'), "not 1 for each of 9 keyframes"),
    ],
)
def test_invalid_animations_are_reported(document: str, message: str, report: Report) -> None:
    world = read_collada(Source("robot.dae", document.encode()), report)
    assert world is not None
    assert not world.trajectories
    (told,) = report.take("unsupported-animation")
    assert message in told.message
    report.take("openrave-differs")


def again(world: World) -> tuple[World, str, Ledger]:
    ledger = Ledger()
    text = write_collada(world, ledger)
    found = read_collada(Source("written.dae", text.encode()), Report())
    assert found is not None
    return found, text, ledger


@pytest.mark.parametrize("kinds", ["LINEAR LINEAR LINEAR", "BEZIER HERMITE STEP", "CARDINAL BSPLINE LINEAR"])
def test_animation_round_trip_is_bit_exact(kinds: str) -> None:
    world = read(animated(kinds=kinds, **CURVED))
    second, text, ledger = again(world)
    assert second.trajectories == world.trajectories
    assert not any("wave" in entry.path for entry in ledger)
    assert again(second)[1] == text
    assert "90" in text.partition("</library_animations>")[0]


@settings(max_examples=100, deadline=None)
@given(angles=st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=6))
def test_any_angles_come_back_to_the_bit(angles: list[float]) -> None:
    world = read(robot())
    times = tuple(float(number) for number in range(len(angles)))
    channel = Channel(model="arm", joint="elbow", times=times, values=tuple(angles))
    world = replace(world, trajectories=NamedList([Trajectory(name="any", channels=(channel,))]))
    first, text, _ = again(world)
    # What no number of degrees says is carried in an extension beside the animation.
    assert first.trajectories == world.trajectories
    second, text_again, _ = again(first)
    assert second.trajectories == world.trajectories
    assert text_again == text


@settings(max_examples=300)
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_degrees_are_chosen_once_and_for_all(value: float) -> None:
    degrees = convert_to_unit(value, DEGREE)
    assert convert_to_unit(degrees * DEGREE, DEGREE) == degrees
    assert degrees * DEGREE == pytest.approx(value, rel=1e-15)


def test_slides_are_animated_along_their_axis() -> None:
    place = {"joint": '<prismatic sid="axis0"><axis>0 -1 0</axis></prismatic>', "libraries": ""}
    text = robot(**place).replace('<rotate sid="turn">0 0 1 0</rotate>', '<translate sid="turn">0 0 0</translate>')
    library = SAMPLER.format(target="hand_node/turn.Y", kinds="LINEAR LINEAR LINEAR", tangents="", inputs="")
    world = read(text.replace("<library_kinematics_models>", library + "<library_kinematics_models>", 1))
    (trajectory,) = world.trajectories
    assert trajectory.channels[0].values == (0.0, -90.0, 45.0)
    assert again(world)[0].trajectories == world.trajectories


def test_animated_slides_have_the_unit_of_their_node() -> None:
    text = robot(joint='<prismatic sid="axis0"><axis>0 1 0</axis></prismatic>', place="<translate>0 0 100</translate>")
    text = text.replace('<rotate sid="turn">0 0 1 0</rotate>', '<translate sid="turn">0 0 0</translate>')
    node = '<node id="hand_node" sid="hand_node" name="hand">'
    assert node in text
    text = text.replace(node, node + CENTIMETRE)
    library = SAMPLER.format(target="hand_node/turn.Y", kinds="LINEAR LINEAR LINEAR", tangents="", inputs="")
    world = read(text.replace("<library_kinematics_models>", library + "<library_kinematics_models>", 1))
    assert world.trajectories[0].channels[0].values == pytest.approx((0.0, 0.9, -0.45), rel=1e-15)


def test_unsupported_animations_use_the_extension_and_the_ledger() -> None:
    world = read(robot())
    channel = Channel(model="arm", joint="missing", times=(0.0, 1.0), values=(0.0, 1.0))
    world = replace(world, trajectories=NamedList([Trajectory(name="lost", channels=(channel,))]))
    first, _, ledger = again(world)
    assert first.trajectories == world.trajectories
    assert [entry.action for entry in ledger if entry.path == "lost"] == ["extension"]


def test_curves_that_are_read_can_be_followed() -> None:
    (trajectory,) = read(animated(kinds="BEZIER BEZIER BEZIER", **CURVED)).trajectories
    curve = Curve(trajectory.channels[0])
    assert (curve.start, curve.end) == (0.0, 2.0)
