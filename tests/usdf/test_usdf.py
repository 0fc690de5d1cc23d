"""USDF: text and back to the same bits, frames that move in one another, and what is wrong with files."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from conftest import PROJECT, corpus_folder
from ossature.diagnostics import Report, Source
from ossature.formats.usdf import read_usdf, write_usdf
from ossature.formats.usdf.read_recording import read_series
from ossature.io import load_state
from ossature.kinematics.state_frame_motions import frame_motions, link_motions
from ossature.model import (
    ActiveGrasp,
    BodyPath,
    Checkpoint,
    CheckpointArray,
    FrameState,
    Grasp,
    JointState,
    LinkState,
    ModelState,
    NamedList,
    State,
    Twist,
    Wrench,
)
from ossature.model.fingerprint import Fingerprint
from ossature.spatial import Pose, multiply, normalized, quaternion_from_rotation_vector, rotate
from state_digits import digits_of

ROOT = '<world_state name="w">{}</world_state>'


def read(text: str, report: Report) -> State:
    state = read_usdf(Source("state.usdf", text.encode()), report)
    assert state is not None
    return state


class Maker:
    """Makes random states."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self) -> float:
        chance = self.random
        kind = chance.randrange(6)
        if kind == 0:
            return chance.choice((0.0, -0.0, 1.0, 5e-324, 1.7976931348623157e308, -1e-300, math.pi, 0.1))
        return chance.uniform(-1.0, 1.0) * 10.0 ** chance.randint(-12, 12)

    def three(self) -> tuple[float, float, float]:
        return (self.number(), self.number(), self.number())

    def pose(self) -> Pose:
        turn = tuple(self.random.gauss(0.0, 1.0) for _ in range(4))
        if self.random.random() < 0.2:  # where roll and yaw are one
            return Pose.from_euler(self.three(), (self.random.uniform(-3, 3), math.pi / 2, 0.0), "zyx")
        return Pose(self.three(), normalized(turn))

    def maybe(self, made: object) -> object:
        return made if self.random.random() < 0.7 else None

    def twist(self) -> Twist:
        return Twist(linear=self.three(), angular=self.three())

    def joint(self, name: str) -> JointState:
        row = lambda: self.maybe(tuple(self.number() for _ in range(width)))  # noqa: E731
        width = self.random.randrange(7)
        return JointState(name=name, positions=row(), velocities=row(), efforts=row())

    def link(self, name: str) -> LinkState:
        wrench = Wrench(force=self.three(), torque=self.three())
        return LinkState(name=name, pose=self.maybe(self.pose()), twist=self.maybe(self.twist()), wrench=self.maybe(wrench))

    def held(self, model: str) -> ActiveGrasp:
        gripper_body, held = BodyPath(model="a/b <c>", body=model), BodyPath(model=model, body="cup & saucer")
        ignored = tuple(self.random.sample(("x", 'y "z"'), self.random.randrange(3)))
        return ActiveGrasp(grasp=Grasp(link=gripper_body, body=held, ignored_bodies=ignored), pose_link_body=self.pose())

    def state(self) -> State:
        names = [f"<frame & {number}>" for number in range(self.random.randrange(6))]
        models = [f"model\u2028{number} ü" for number in range(self.random.randrange(4))]
        everything = [*names, *models]
        parents = {name: self.random.choice([None, *everything[:number]]) for number, name in enumerate(everything)}
        frames = [
            FrameState(name=name, parent=parents[name], pose=self.maybe(self.pose()), twist=self.maybe(self.twist()))
            for name in names
        ]
        self.random.shuffle(frames)
        arrays = (
            CheckpointArray(name="a/b", values=tuple(self.number() for _ in range(5))),
            CheckpointArray(name="noise", values=(self.random.getrandbits(64), -self.random.getrandbits(63))),
            CheckpointArray(name="nothing", values=()),
        )
        specified = [
            ModelState(
                name=name,
                parent=parents[name],
                pose=self.maybe(self.pose()),
                twist=self.maybe(self.twist()),
                links=NamedList([self.link(f"link {n}") for n in range(self.random.randrange(4))]),
                joints=NamedList([self.joint(f"joint {n}") for n in range(self.random.randrange(4))]),
            )
            for name in models
        ]
        return State(
            name="a 'world'",
            time=self.maybe(self.number()),
            frames=NamedList(frames),
            models=NamedList(specified),
            fingerprint=self.maybe(Fingerprint(world="12ab", models=tuple((name, "34") for name in models))),
            grasps=self.maybe(tuple(self.held(name) for name in models)),
            checkpoint=self.maybe(Checkpoint(plain="56", settings=(("engine", "x 1"),), arrays=arrays)),
        )


@pytest.mark.one_in(5)
@pytest.mark.parametrize("first", range(0, 1000, 200))
def test_a_thousand_states_go_through_text_to_the_same_bits(report: Report, first: int) -> None:
    for seed in range(first, first + 200):
        state = Maker(seed).state()
        again = read(write_usdf(state), report)
        assert again == state
        assert digits_of(again) == digits_of(state)  # minus zero is not zero there
        assert write_usdf(again) == write_usdf(state)
    report.take("missing-model-pose")


def moved(state: State, time: float) -> State:
    """Move every frame, model and link by its own twist for a while, each against what it is given in."""

    def later(pose: Pose | None, twist: Twist | None) -> Pose:
        pose, twist = pose or Pose(), twist or Twist()
        turn = quaternion_from_rotation_vector(tuple(time * w for w in twist.angular))
        way = tuple(p + time * v for p, v in zip(pose.position, twist.linear, strict=True))
        return Pose(way, multiply(turn, pose.wxyz))

    def link_later(link: LinkState) -> LinkState:
        turn = (link.pose or Pose()).wxyz
        twist = link.twist or Twist()
        outer = Twist(linear=rotate(turn, twist.linear), angular=rotate(turn, twist.angular))
        return replace(link, pose=later(link.pose, outer))

    frames = [replace(frame, pose=later(frame.pose, frame.twist)) for frame in state.frames]
    models = [
        replace(model, pose=later(model.pose, model.twist), links=NamedList([link_later(link) for link in model.links]))
        for model in state.models
    ]
    return replace(state, frames=NamedList(frames), models=NamedList(models))


class SmallMaker(Maker):
    """Makes states of ordinary size."""

    def number(self) -> float:
        return self.random.uniform(-1.0, 1.0)


@pytest.mark.parametrize("seed", range(40))
def test_twists_of_nested_frames_agree_with_finite_differences(seed: int) -> None:
    state = SmallMaker(seed).state()
    state = replace(
        state,
        models=NamedList([replace(m, links=NamedList([x for x in m.links if x.pose is not None])) for m in state.models]),
    )
    step = 1e-5
    now, before, after = ({**frame_motions(s), **link_motions(s)} for s in (state, moved(state, -step), moved(state, step)))
    for name, motion in now.items():
        linear = (np.array(after[name].pose.position) - before[name].pose.position) / (2.0 * step)
        rates = (after[name].pose.matrix()[:3, :3] - before[name].pose.matrix()[:3, :3]) / (2.0 * step)
        spin = rates @ motion.pose.matrix()[:3, :3].T
        angular = (spin[2, 1], spin[0, 2], spin[1, 0])
        assert np.allclose(linear, motion.linear, atol=1e-6)
        assert np.allclose(angular, motion.angular, atol=1e-6)


def test_angles_turn_about_fixed_axes(report: Report) -> None:
    text = ROOT.format('<frame name="f"><pose>1 2 3 0.1 0.2 0.3</pose></frame>')
    matrix = read(text, report).frames["f"].pose.matrix()
    about = [quaternion_from_rotation_vector(vector) for vector in ((0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.3))]
    roll, pitch, yaw = (Pose(wxyz=turn).matrix()[:3, :3] for turn in about)
    assert np.allclose(matrix[:3, :3], yaw @ pitch @ roll, atol=1e-15)
    assert matrix[:3, 3].tolist() == [1, 2, 3]


def test_both_roots_and_any_order(report: Report) -> None:
    inner = '<model_state name="m"><parent>odom</parent></model_state><frame name="odom"><parent/></frame>'
    states = [read(ROOT.format(inner), report), read(f'<world name="w">{inner}</world>', report)]
    assert states[0] == states[1]
    assert states[0].models["m"].parent == "odom"
    assert states[0].frames["odom"].parent is None


def test_the_draft_s_own_example_is_no_xml(report: Report) -> None:
    folder = corpus_folder()
    if folder is None or not (folder / "documents" / "usdf.md").is_file():
        pytest.skip("no documents")
    text = (folder / "documents" / "usdf.md").read_text()
    example = text[text.index('<world name="world_1">') : text.index("</world>") + len("</world>")]
    assert read_usdf(Source("draft.usdf", example.encode()), report) is None
    (finding,) = report.take("malformed-xml")
    assert finding.location.line == 7  # where the quote that line 6 leaves open meets a tag
    assert finding.message == "not well-formed (invalid token)"
    assert "a quote that is not closed" in finding.hint
    # With the name's quote put in, the next mistake is found.
    mended = example.replace("r_shoulder_pan_link>", 'r_shoulder_pan_link">')
    assert read_usdf(Source("draft.usdf", mended.encode()), report) is None
    (finding,) = report.take("malformed-xml")
    assert (finding.location.line, finding.message) == (9, "mismatched tag")


def test_our_example_is_the_draft_s_corrected(report: Report) -> None:
    state = load_state(PROJECT / "examples" / "pr2_state.usdf")
    assert state is not None
    motion = link_motions(state)["pr2", "r_shoulder_pan_link"]
    assert motion.pose.position == (1.0, 0.0, 1.0)


def test_cycles_and_unknown_parents_name_the_chain(report: Report) -> None:
    def frame(name: str, parent: str) -> str:
        return f'<frame name="{name}"><parent>{parent}</parent></frame>'

    read(ROOT.format("\n".join([frame("a", "b"), frame("b", "c"), frame("c", "b")])), report)
    (finding,) = report.take("frame-cycle")
    assert finding.message == "cycle of frames: b → c → b"
    assert finding.location.line == 2
    read(ROOT.format(frame("a", "b") + frame("b", "nowhere")), report)
    (finding,) = report.take("unknown-frame")
    assert finding.message == "there is no frame 'nowhere': a → b → nowhere"
    read(ROOT.format(frame("self", "self")), report)
    assert report.take("frame-cycle")[0].message.endswith("self → self")


def test_a_long_chain_is_no_trouble(report: Report) -> None:
    frames = [FrameState(name=str(n), parent=str(n + 1) if n < 20_000 else None, pose=Pose((1.0, 0, 0))) for n in range(20_001)]
    motions = frame_motions(State(frames=NamedList(frames)))
    assert motions["0"].pose.position == (20_001.0, 0.0, 0.0)


MEMORY = '<ossature:remembered plain="x"><ossature:array name="a" {}>{}</ossature:array></ossature:remembered>'

JOINT = '<model_state name="m"><joint_state name="j">{}</joint_state></model_state>'


@pytest.mark.parametrize(
    ("inner", "rule"),
    [
        ('<frame name="world"/>', "reserved-name"),
        ('<frame name="a"/><frame name="a"/>', "duplicate-name"),
        ('<frame name="a"/><model_state name="a"/>', "duplicate-name"),
        ("<frame/>", "missing-element"),
        ('<frame name="a"><pose>1 2 3</pose></frame>', "list-length-mismatch"),
        ('<frame name="a"><pose>1 2 3 4 5 nan</pose></frame>', "invalid-number"),
        ('<frame name="a"><pose ossature:wxyz="1 0 0 0">0 0 0 0 0 1</pose></frame>', "conflicting-values"),
        ('<model_state name="m"><link/></model_state>', "unknown-element"),
        ('<frame name="a"><parent unit="deg">world</parent></frame>', "unknown-attribute"),
        (JOINT.format("<positions>1 2</positions><velocities>1</velocities>"), "list-length-mismatch"),
        (JOINT.format("<positions>1</positions><torques>1 2</torques>"), "list-length-mismatch"),
        ('<other:thing xmlns:other="x"/>', "ignored-element"),
        (MEMORY.format("", "1 infinity"), "invalid-checkpoint"),
        (MEMORY.format("", "1 1e999"), "invalid-checkpoint"),
        (MEMORY.format('type="whole"', f"{1 << 64}"), "invalid-checkpoint"),
    ],
)
def test_findings(inner: str, rule: str, report: Report) -> None:
    read(ROOT.format(inner), report)
    found = report.take(rule)
    assert found, str(report)
    assert found[0].location is not None


def test_an_empty_pose_has_no_text(report: Report) -> None:
    """Its numbers have a name in the program only, which is no element."""
    read('<world_state><model_state name="m"><pose/></model_state></world_state>', report)
    (finding,) = report.take("missing-element")
    assert finding.message == "<pose> has no text"
    assert finding.hint == "state text: x y z roll pitch yaw"


def test_another_root(report: Report) -> None:
    assert read_usdf(Source("x", b"<robot/>"), report) is None
    assert report.take("wrong-root-element")


def test_a_plain_state_needs_no_extension(report: Report) -> None:
    text = write_usdf(
        State(models=NamedList([ModelState(name="m", pose=Pose.from_euler((1, 2, 3), (0.5, 0.25, 0.125), "zyx"))]))
    )
    assert "ossature:" not in text.split(">", 2)[2]
    series = read_series(Source("x", text.encode()), report)
    assert series is not None
    assert list(series.samples) == [(read(text, report), ())]
