"""Steps in which no shapes can touch: bounds of approach, and the same bits as with contacts detected in each step."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import mujoco
import numpy as np
import pytest

import ossature
from contact_scenes import SHAPES, Thing, scene
from ossature.diagnostics import Report
from ossature.model import Body, Collision, Model, NamedList, Sphere, World
from ossature.simulation import Simulation, SimulationError
from ossature.simulation.compile.integrator_choice import MOST_SUB_STEPS_BY_ERROR
from ossature.simulation.stepping import engine_stepper, leapfrog_stepper
from ossature.simulation.stepping.contact_clearance import find_approach_rates
from ossature.simulation.stepping.engine_memory_addresses import engine_access
from ossature.simulation.stepping.engine_stepper import EngineStepper
from ossature.simulation.stepping.leapfrog_stepper import LeapfrogStepper
from ossature.spatial import Pose

_HINGE, _BALL = '<joint axis="{0}" pos="{1}"/>', '<joint type="ball" pos="{1}"/>'
_SLIDE = '<joint type="slide" axis="{0}"/>'
_ARM = """<robot name="arm">
  <link name="world"/>
  <link name="base"/>
  <joint name="fixed" type="fixed"><parent link="world"/><child link="base"/></joint>
  {links}
</robot>"""
_LINK = """<link name="link{number}">
    <inertial><origin xyz="0 0 0.2"/><mass value="1"/>
      <inertia ixx=".02" iyy=".02" izz=".002" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.2"/><geometry><cylinder length="0.2" radius="0.03"/></geometry></collision></link>
  <joint name="hinge{number}" type="continuous"><origin xyz="0 {y} {z}" rpy="0 0.7 0"/>
    <parent link="{parent}"/><child link="link{number}"/><axis xyz="0 1 0"/></joint>"""


def _text(rng: np.random.Generator, size: float) -> str:
    return " ".join(f"{number:.4f}" for number in size * rng.normal(size=3))


def _random_tree(seed: int) -> mujoco.MjModel:
    """Return three trees of bodies on random joints, some with several joints beside their origins."""
    rng = np.random.default_rng(seed)

    def body(depth: int) -> str:
        kinds = [_HINGE, _HINGE + _HINGE, _BALL, _HINGE + _BALL] + ([_SLIDE, _SLIDE + _HINGE] if depth == 2 else [])
        joints = str(rng.choice(kinds)).format(_text(rng, 1.0), _text(rng, 0.1))
        radius, half_length = rng.uniform(0.01, 0.1), rng.uniform(0.02, 0.2)
        shape = f'<geom type="capsule" size="{radius:.3f} {half_length:.3f}" pos="{_text(rng, 0.1)}"/>'
        children = "".join(body(depth - 1) for _ in range(int(rng.integers(1, 3)))) if depth else ""
        return f'<body pos="{_text(rng, 0.3)}">{joints}{shape}{children}</body>'

    free = f'<body pos="{_text(rng, 0.3)}"><freejoint/><geom size=".1" pos="{_text(rng, 0.1)}"/>{body(1)}</body>'
    fixed = '<geom size=".1" pos="1 0 0"/>' if seed % 2 else ""
    second = body(1)
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{fixed}{body(2)}{free}{second}</worldbody></mujoco>")


@pytest.mark.parametrize("seed", range(10))
def test_distances_change_by_at_most_the_approach_rates(seed: int) -> None:
    """Distances are those that the engine computes before and after large displacements of all joints at once."""
    model = _random_tree(seed)
    rates = find_approach_rates(model)
    assert rates is not None
    rng, data, pairs = np.random.default_rng(seed), mujoco.MjData(model), list(combinations(range(model.ngeom), 2))

    def distances(qpos: np.ndarray) -> np.ndarray:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        return np.array([mujoco.mj_geomDistance(model, data, first, second, 1e3, None) for first, second in pairs])

    largest = 0.0
    for _ in range(100):
        before = np.array(model.qpos0)
        mujoco.mj_integratePos(model, before, rng.normal(size=model.nv), 1.0)
        after, displacements = before.copy(), rng.normal(size=model.nv) * rng.choice([0.0, 0.01, 0.3], size=model.nv)
        mujoco.mj_integratePos(model, after, displacements, 1.0)
        one, other = distances(before), distances(after)
        changes = np.abs(other - one)[(one > 0.0) & (other > 0.0)]
        # Only the joints of the trees of two shapes change their distance.
        bound = float(np.sort(np.bincount(model.dof_treeid, np.abs(displacements) * rates))[-2:].sum())
        assert changes.max(initial=0.0) <= bound + 1e-6
        largest = max(largest, changes.max(initial=0.0) / bound if bound else 0.0)
    assert largest > 0.05


def test_a_tree_alone_approaches_nothing() -> None:
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><freejoint/><geom size=".1"/>'
        '<body><joint axis="0 1 0"/><geom size=".1" pos="0.5 0 0"/></body></body></worldbody></mujoco>'
    )
    assert find_approach_rates(model) == pytest.approx([0.0] * 6 + [0.6])


def test_a_joint_with_a_sliding_joint_after_it_has_no_bound() -> None:
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><geom size=".1"/><body><joint axis="0 1 0"/><geom size=".1"/><body><joint type="slide"/>'
        '<geom size=".1"/></body></body></worldbody></mujoco>'
    )
    assert find_approach_rates(model) is None


def _run(world: World, steps: int) -> tuple[list[bytes], bool, int]:
    """Return all numbers at the end of a run in calls of different length, whether steps had a clearance, and contacts."""
    simulation = Simulation(world, report=Report())
    stepper, is_clear, contacts = simulation.engine.stepper, False, 0
    assert isinstance(stepper, (EngineStepper, LeapfrogStepper))
    for count in (1, 9, *[70] * ((steps - 10) // 70)):
        simulation.step(count)
        loop = stepper._compiled_loop
        # It is set to a pause after a search without success.
        is_clear |= loop is not None and loop._contact_fields is not None and loop._contact_fields.steps_without_search < 0
        contacts += simulation.data.ncon
    data = simulation.data
    judgement = f"{simulation.integration}\n{simulation.diagnostics}\n{simulation.report}".encode()
    return [judgement, *(getattr(data, name).tobytes() for name in ("qpos", "qvel", "qacc"))], is_clear, contacts


def _require_same_bits(world: World, steps: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Compare a run with one in Python, which detects contacts in each step; return whether steps had a clearance."""
    if isinstance(engine_access(), str):
        pytest.skip("no compiled loop")
    compiled, is_clear, contacts = _run(world, steps)
    with monkeypatch.context() as patch:
        for module in (leapfrog_stepper, engine_stepper):
            patch.setattr(module, "make_compiled_loop", lambda *_: None)
        in_python, _, _ = _run(world, steps)
    assert contacts
    assert compiled == in_python
    return is_clear


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(8))
def test_bodies_that_meet_after_a_flight_have_the_same_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    shapes = [name for name in SHAPES if name != "box"]
    things = [
        Thing(
            position=(0.5 * number, 0.1 * number, 0.5 + 0.5 * float(rng.random())),
            geometry=SHAPES[str(rng.choice(shapes))][0],
            velocity=tuple((2.0 * rng.normal(size=3)).tolist()),
        )
        for number in range(int(rng.integers(1, 5)))
    ]
    assert _require_same_bits(scene(*things, as_dart=bool(seed % 2)), 990, monkeypatch)


@pytest.mark.parametrize("count", [2, 3])
def test_an_arm_that_swings_against_a_sphere_has_the_same_bits(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    links = [
        _LINK.format(number=number, parent=f"link{number - 1}" if number else "base", y=0.07 * number, z=0.4 * bool(number))
        for number in range(count)
    ]
    world = ossature.load(_ARM.format(links="".join(links)))
    sphere = Body(name="sphere", pose=Pose(position=(0.4, 0.1, -0.4)), collisions=(Collision(geometry=Sphere(radius=0.25)),))
    obstacle = Model(name="obstacle", static=True, bodies=NamedList([sphere]))
    assert _require_same_bits(replace(world, models=NamedList([*world.models, obstacle])), 2110, monkeypatch)


def test_contacts_of_boxes_are_detected_in_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine does not find the distance of boxes that are far apart for their sizes."""
    box = Thing(position=(0.0, 0.0, 0.6), geometry=SHAPES["box"][0], velocity=(0.3, 0.2, 0.0))
    assert not _require_same_bits(scene(box, slope=0.3), 780, monkeypatch)


def test_boxes_that_can_collide_later_are_detected_in_each_step() -> None:
    """The masks of the World decide, not those of the first step."""
    box = Thing(position=(0.0, 0.0, 0.6), geometry=SHAPES["box"][0], velocity=(0.3, 0.2, 0.0))
    simulation = Simulation(scene(box, slope=0.3), report=Report())
    simulation.set_collidable("thing0", "body", False)
    simulation.step(40)
    simulation.set_collidable("thing0", "body", True)
    simulation.step(600)
    stepper = simulation.engine.stepper
    assert isinstance(stepper, EngineStepper)
    loop = stepper._compiled_loop
    assert loop is None or (loop._contact_fields is not None and not loop._contact_fields.approach_rates)
    assert simulation.data.ncon
    assert not list(simulation.report)


@pytest.mark.parametrize("as_dart", [True, False])
def test_bodies_that_diverge_have_the_same_findings(as_dart: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Velocities beyond all bounds do not make the margins infinite, with which the engine fails."""
    things = [Thing(position=(5.0 * number, 0.0, 1e5), geometry=SHAPES["sphere"][0]) for number in range(2)]
    world = replace(scene(*things, as_dart=as_dart), gravity=(0.0, 0.0, 1e300))

    def report_of_run() -> list[str]:
        simulation = Simulation(world, report=Report())
        with pytest.raises(SimulationError):
            simulation.step(200)
        # The step that diverges is divided, once more when it is looked for; the ones after it are not.
        assert simulation.engine.stepper.sub_steps.record.sub_steps < 3 * MOST_SUB_STEPS_BY_ERROR
        return [finding.message for finding in simulation.report]

    found = report_of_run()
    for module in (leapfrog_stepper, engine_stepper):
        monkeypatch.setattr(module, "make_compiled_loop", lambda *_: None)
    assert found == report_of_run()
