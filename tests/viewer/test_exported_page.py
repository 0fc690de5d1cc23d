"""Exported pages in Chromium: joints by forward kinematics, layers, recordings, narrow windows."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from conftest import PROJECT

pytest.importorskip("viser")

import ossature
from ossature import model as m
from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import Kinematics, evaluate, spanning_tree
from ossature.model.expression import OPERAND_COUNTS
from ossature.spatial import Pose, quaternion_from_rotation_vector
from ossature.viewer import exported_page_data, web_page_export
from ossature.viewer.instanced_mesh import LEAST_INSTANCES
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.playback_recording import playback_of
from ossature.viewer.scene_layers import Layer
from ossature.viewer.web_page_export import page_of

from .browser import opened_file, screenshot, visit, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

    from ossature.array_types import Array

EXAMPLES = PROJECT / "examples"
TREES = ("arm.skel", "picker.dae", "palletizer.urdf", "finger.xml", "gripper_arm.sdf", "cart_pole.urdf")
MECHANISM = EXAMPLES / "slider_crank.yaml"
TILTED, ACROSS = (0.6, 0.0, 0.8), (0.0, 1.0, 0.0)
JOINT_TYPES: dict[str, m.JointType] = {
    "revolute": m.Revolute(axis=TILTED),
    "prismatic": m.Prismatic(axis=TILTED),
    "screw": m.Screw(axis=TILTED, pitch=0.3),
    "cylindrical": m.Cylindrical(axis=TILTED),
    "universal": m.Universal(axis1=TILTED, axis2=ACROSS),
    "spherical": m.Spherical(),
    "euler": m.Euler(order="zyx"),
    "translational": m.Translational(),
    "translational2d": m.Translational2D(axis1=TILTED, axis2=ACROSS),
    "planar": m.Planar(axis1=TILTED, axis2=ACROSS),
    "line": m.PointOnLine(axis=TILTED),
    "plane": m.PointOnPlane(axis1=TILTED, axis2=ACROSS),
    "compound": m.Compound(
        axes=(
            m.Axis(direction=TILTED, anchor=(0.1, 0.2, 0.3)),
            m.Axis(direction=ACROSS, is_revolute=False),
            m.SphericalMotion(anchor=(0.0, 0.1, -0.2)),
        )
    ),
    "fixed": m.Fixed(),
    "floating": m.Floating(),
}
REVERSIBLE = ("revolute", "prismatic", "screw", "cylindrical", "universal", "fixed", "floating")
"""Types of joints that the spanning tree can reverse."""

POSES = """() => Object.fromEntries(
    Object.entries(window.__viserMutable.nodeRefFromName).filter(([, node]) => node)
        .map(([name, node]) => [name, [...node.matrixWorld.elements]])
)"""
"""Returns the matrices of all nodes of the scene as the browser has them."""


@pytest.fixture
def open_page(context: Any, tmp_path: Path) -> Iterator[Callable[..., Tab]]:
    tabs = []

    def opened(*files: LoadedFile, **options: Any) -> Tab:
        path = tmp_path / f"page{len(tabs)}.html"
        path.write_text(page_of(files, shadows=False, **options))
        tab = context.new_page()
        tabs.append(tab)
        visit(tab, path.as_uri())
        tab.wait_for_function("() => window.ossature")
        return tab

    yield opened
    for tab in tabs:
        tab.close()


@pytest.fixture(scope="module")
def palletizer(context: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LoadedFile, Tab]]:
    """A page that several tests use, each of which sets what it looks at."""
    file = opened_file(EXAMPLES / "palletizer.urdf")
    path = tmp_path_factory.mktemp("palletizer") / "page.html"
    path.write_text(page_of([file], shadows=False))
    tab = context.new_page()
    visit(tab, path.as_uri())
    tab.wait_for_function("() => window.ossature")
    yield file, tab
    tab.close()


def file_of(world: m.World, name: str = "written.skel") -> LoadedFile:
    return LoadedFile(path=Path(name), format=None, world=world, report=Report(), meshes=MeshStore.of(world))


def drawn_poses(tab: Tab, file: LoadedFile) -> dict[str, Array]:
    """Return the pose of each node below the root of a file, relative to it, shape (4, 4)."""
    matrices = {name: np.array(values).reshape(4, 4).T for name, values in tab.evaluate(POSES).items()}
    root = f"/{file.path.name}"
    inverse = np.linalg.inv(matrices[root])
    return {name.removeprefix(f"{root}/"): inverse @ matrix for name, matrix in matrices.items() if name.startswith(f"{root}/")}


def expected_poses(model: m.Model, positions: Mapping[str, Any]) -> dict[str, Array]:
    kinematics = Kinematics(model)
    return {f"{model.name}/{body}": pose for body, pose in kinematics.poses(kinematics.configuration(positions)).items()}


def move_to(tab: Tab, file: LoadedFile, model: str, positions: Mapping[str, Any]) -> None:
    """Set coordinates on a page as its sliders do, joint by joint."""
    assert file.world is not None
    numbers = {}
    for owner in file.world.models:
        for joint in owner.joints:
            for coordinate in range(joint.degrees_of_freedom):
                numbers[owner.name, joint.name, coordinate] = len(numbers)
    moves = [
        [numbers[model, joint, coordinate], float(value)]
        for joint, values in positions.items()
        for coordinate, value in enumerate(np.atleast_1d(values))
    ]
    # In one call: the page is drawn after each.
    undefined = tab.evaluate("(moves) => moves.map(([number, value]) => window.ossature.files[0].move(number, value))", moves)
    assert undefined == [None] * len(moves)
    tab.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def assert_drawn_as_computed(tab: Tab, file: LoadedFile, model: m.Model, positions: Mapping[str, Any]) -> None:
    move_to(tab, file, model.name, positions)
    expected = expected_poses(model, positions)
    shown: dict[str, Array] = {}

    def are_equal() -> bool:
        shown.update(drawn_poses(tab, file))
        return all(np.allclose(shown[name], expected[name], rtol=0.0, atol=1e-9) for name in expected if name in shown)

    wait_for(are_equal)
    assert any(name in shown for name in expected)


def random_positions(model: m.Model, seed: int) -> dict[str, Array]:
    """Return positions of the joints that are not coupled, within their limits."""
    generator = np.random.default_rng(seed)
    found = {}
    for joint in model.joints:
        if joint.degrees_of_freedom and all(coordinate.coupling is None for coordinate in joint.coordinates):
            limits = [coordinate.position_limits for coordinate in joint.coordinates]
            found[joint.name] = np.array([generator.uniform(max(one.lower, -1.0), min(one.upper, 1.0)) for one in limits])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
def test_bodies_are_drawn_where_the_kinematics_places_them(open_page: Callable[..., Tab], name: str) -> None:
    file = opened_file(EXAMPLES / name)
    assert file.world is not None
    model = next(model for model in file.world.models if not model.static and model.joints)
    tab = open_page(file)
    for seed in range(3):
        assert_drawn_as_computed(tab, file, model, random_positions(model, seed))


def all_joints(*, is_reversed: bool = False) -> m.World:
    """Return a chain with a joint of each type, with tilted frames.

    Args:
        is_reversed: Whether each joint has the body nearer to the world as its child.
    """
    shape = (m.Visual(geometry=m.Box(size=(0.1, 0.1, 0.1))),)
    turn = quaternion_from_rotation_vector((0.3, -0.2, 0.5))
    bodies = [m.Body(name="base", pose=Pose((0.1, 0.2, 0.3), turn), visuals=shape)]
    joints = [m.Joint(name="to world", type=m.Fixed(), parent=None, child="base")]
    types = {name: type_ for name, type_ in JOINT_TYPES.items() if not is_reversed or name in REVERSIBLE}
    for number, (name, type_) in enumerate(types.items()):
        before = bodies[-1].name
        bodies.append(m.Body(name=name, pose=Pose((0.2 * number, 0.1, 0.4), turn), visuals=shape))
        parent, child = (name, before) if is_reversed else (before, name)
        starts = [0.05 * index for index in range(type_.degrees_of_freedom)]
        coordinates = tuple(m.Coordinate(initial_position=start) for start in starts)
        frame = Pose((0.0, 0.1, 0.2), turn)
        joints.append(
            m.Joint(
                name=f"{name} joint",
                type=type_,
                parent=parent,
                child=child,
                pose=frame,
                coordinates=coordinates,
            )
        )
    model = m.Model(name="chain", pose=Pose((1.0, 2.0, 3.0), turn), bodies=m.NamedList(bodies), joints=m.NamedList(joints))
    return replace(m.World(), models=m.NamedList([model]))


@pytest.mark.parametrize("is_reversed", [False, True], ids=["from the world", "reversed"])
def test_joints_of_all_types_move_as_the_kinematics_moves_them(open_page: Callable[..., Tab], is_reversed: bool) -> None:
    world = all_joints(is_reversed=is_reversed)
    file, (model,) = file_of(world), world.models
    tree = spanning_tree(model)
    assert [branch.is_reversed for branch in tree.branches[1:]] == [is_reversed] * (len(model.bodies) - 1)
    assert not tree.loops
    tab = open_page(file)
    assert_drawn_as_computed(tab, file, model, {})
    for seed in range(3):
        assert_drawn_as_computed(tab, file, model, random_positions(model, seed))


def test_springs_instances_and_coupled_joints_move_with_their_bodies(open_page: Callable[..., Tab]) -> None:
    square = m.Operation(operator=m.Operator.POWER, operands=(m.JointPosition(joint="joint1"), m.Number(value=2.0)))
    names = [f"link{number}" for number in range(LEAST_INSTANCES)]
    shape = (m.Visual(geometry=m.Capsule(radius=0.02, length=0.08), pose=Pose((0.0, 0.01, 0.05))),)
    bodies = [m.Body(name=name, pose=Pose((0.0, 0.0, 0.1 * number)), visuals=shape) for number, name in enumerate(names)]
    joints = [
        m.Joint(name=f"joint{number}", type=m.Revolute(axis=TILTED), parent=names[number - 1] if number else None, child=name)
        for number, name in enumerate(names)
    ]
    bodies[-1] = replace(bodies[-1], visuals=(*shape, m.Visual(geometry=m.Box(size=(0.1, 0.1, 0.1)))))
    joints[2] = replace(joints[2], coordinates=(m.Coordinate(coupling=m.Coupling(position=square)),))
    spring = m.SpringDamper(name="spring", body1=None, point1=(0.5, 0.0, 0.0), body2="link5", point2=(0.1, 0.0, 0.0))
    model = m.Model(
        name="chain",
        pose=Pose((0.0, 0.0, 1.0)),
        bodies=m.NamedList(bodies),
        joints=m.NamedList(joints),
        spring_dampers=m.NamedList([spring]),
    )
    file = file_of(replace(m.World(), models=m.NamedList([model])))
    tab = open_page(file)
    positions = {f"joint{number}": 0.1 * number for number in (0, 1, 3, 4, 11)}
    assert_drawn_as_computed(tab, file, model, positions)
    expected = expected_poses(model, positions)
    lone = Kinematics(replace(model, joints=model.joints.replaced(replace(joints[2], coordinates=(m.Coordinate(),)))))
    at_square = lone.poses(lone.configuration(positions | {"joint2": positions["joint1"] ** 2}))
    np.testing.assert_allclose(expected["chain/link11"], at_square["link11"], atol=1e-12)

    drawn = drawn_poses(tab, file)["chain/Springs and dampers/spring"]
    start, end = (np.array(model.pose.transform((0.5, 0.0, 0.0))), expected["chain/link5"] @ [0.1, 0.0, 0.0, 1.0])
    np.testing.assert_allclose(drawn[:3, 3], start, atol=1e-9)
    length = math.dist(end[:3], start)
    np.testing.assert_allclose(drawn[:3, 2] / np.linalg.norm(drawn[:3, 2]), (end[:3] - start) / length, atol=1e-9)
    scale = "name => window.__viserSceneTree.getState()[name].message.props.scale[2]"
    assert tab.evaluate(scale, f"/{file.path.name}/chain/Springs and dampers/spring") == pytest.approx(length)

    groups = tab.evaluate("() => window.ossature.data.files[0].instances")
    (instances,) = [group for group in groups if Layer.VISUALS.value in group["node"]]
    moved = tab.evaluate(
        "name => [...window.__viserSceneTree.getState()[name].message.props.batched_positions]", instances["node"]
    )
    centers = [(expected[f"chain/{name}"] @ [0.0, 0.01, 0.05, 1.0])[:3] for name in names]
    np.testing.assert_allclose(np.reshape(moved, (-1, 3)), centers, atol=1e-6)


def test_formulas_have_the_values_of_python(palletizer: tuple[LoadedFile, Tab]) -> None:
    operands = [-1.5, 0.0, 0.5, 1.0, 2.0, 3.0, 10.0]
    programs, expected = [], []
    for operator, count in OPERAND_COUNTS.items():
        for number, first in enumerate(operands):
            chosen = [first, *(operands[(number * 3 + 2 * index) % 7] for index in range((count or 3) - 1))]
            formula = m.Operation(operator=operator, operands=tuple(m.Number(value=value) for value in chosen))
            programs.append(exported_page_data._postfix(formula, m.Model(name="none"), {}))
            expected.append(float(evaluate(formula, {})))
    found = palletizer[1].evaluate("all => all.map((one) => window.ossatureKinematics.evaluate(one, []))", programs)
    np.testing.assert_allclose([math.nan if value is None else value for value in found], expected, rtol=1e-12)


def test_rounding_errors_of_coordinates_are_not_shown(palletizer: tuple[LoadedFile, Tab]) -> None:
    slider = palletizer[1].get_by_role("slider", name="shoulder")
    slider.fill("-0.0000000235")
    wait_for(lambda: "0 rad, 0°" in str(slider.locator("..").text_content()), 5.0)


def test_a_slider_moves_a_body_and_shows_units(palletizer: tuple[LoadedFile, Tab]) -> None:
    file, tab = palletizer
    assert file.world is not None
    (model,) = file.world.models
    slider = tab.get_by_role("slider", name="shoulder")
    slider.focus()
    slider.press("End")
    upper = model.joints["shoulder"].coordinates[0].position_limits.upper
    assert f"{upper:.4g} rad, {math.degrees(upper):.3g}°" in str(slider.locator("..").text_content())
    expected = expected_poses(model, {"shoulder": upper})
    wait_for(lambda: np.allclose(drawn_poses(tab, file)["palletizer/palm"], expected["palletizer/palm"], atol=1e-9))
    assert tab.get_by_role("slider", name="right_slide").is_disabled(), "which is coupled"
    tab.get_by_role("slider", name="left_slide").fill("0.01")
    wait_for(lambda: str(tab.get_by_role("slider", name="right_slide").locator("..").text_content()).endswith("0.01 m"))
    tab.get_by_role("button", name="Initial", exact=True).click()
    initial = expected_poses(model, {})
    wait_for(lambda: np.allclose(drawn_poses(tab, file)["palletizer/palm"], initial["palletizer/palm"], atol=1e-9))


def test_layers_are_shown_and_hidden(palletizer: tuple[LoadedFile, Tab]) -> None:
    tab = palletizer[1]

    def visible(layer: Layer) -> set[bool]:
        return set(
            tab.evaluate(
                """layer => {
                    const nodes = window.ossature.data.layers.find((one) => one.name === layer).nodes;
                    const states = window.__viserSceneTree.getState();
                    return nodes.map((name) => states[name].effectiveVisibility !== false);
                }""",
                layer.value,
            )
        )

    for layer, is_shown in ((Layer.VISUALS, True), (Layer.COLLISIONS, False), (Layer.JOINT_AXES, False), (Layer.FRAMES, False)):
        assert tab.get_by_label(layer.value).is_checked() is is_shown
        assert visible(layer) == {is_shown}
        tab.get_by_label(layer.value).click()
        wait_for(lambda layer=layer, wanted=not is_shown: visible(layer) == {wanted})
    screenshot(tab, "exported_layers")
    opacity = """() => window.ossature.data.opacities.map(
        (one) => window.__viserSceneTree.getState()[one.node].message.props.opacity)"""
    assert tab.get_by_label("Transparent").is_checked(), "which shows the layers inside of visual shapes"
    assert set(tab.evaluate(opacity)) == {0.35}
    tab.get_by_label("Transparent").click()
    wait_for(lambda: set(tab.evaluate(opacity)) == {None})


def test_loops_have_no_sliders_and_move_in_recordings(open_page: Callable[..., Tab]) -> None:
    file = opened_file(MECHANISM)
    world = file.world
    assert world is not None
    recording = ossature.Simulation(world).run(0.5, sample=0.1)
    clip = playback_of(recording)
    tab = open_page(file, clips=[clip])
    assert re.search(
        r"has no sliders \(loop closed by .*\): it moves in a recording", str(tab.locator("#ossature-panel").text_content())
    )
    track = tab.get_by_role("slider", name="Time")
    tab.get_by_role("button", name="Pause", exact=True).click()
    (model,) = [model for model in world.models if not model.static]
    for time in (0.0, 0.2, 0.5):
        track.fill(str(time))
        frame = clip.at(time)

        def is_at(frame: Any = frame) -> bool:
            drawn = drawn_poses(tab, file)
            bodies = [body for body in frame.poses[model.name] if f"{model.name}/{body}" in drawn]
            return bool(bodies) and all(
                np.allclose(drawn[f"{model.name}/{body}"], frame.poses[model.name][body].matrix(), atol=1e-6) for body in bodies
            )

        wait_for(is_at)
    text = str(tab.locator("#ossature-timeline").text_content())
    assert "0.50 / 0.50 s" in text
    tab.locator("body").press("ArrowLeft")
    wait_for(lambda: "0.50 / 0.50 s" not in str(tab.locator("#ossature-timeline").text_content()))
    screenshot(tab, "exported_mechanism")


def test_a_recording_plays_and_sliders_follow_it(open_page: Callable[..., Tab]) -> None:
    file = opened_file(EXAMPLES / "finger.xml")
    assert file.world is not None
    clip = playback_of(ossature.Simulation(file.world).run(0.4, sample=0.1))
    tab = open_page(file, clips=[clip])
    values = "() => window.ossature.files[0].values"
    first = tab.evaluate(values)
    wait_for(lambda: tab.evaluate(values) != first, 20.0)
    tab.locator("body").press(" ")
    tab.get_by_role("button", name="Play", exact=True).wait_for()
    tab.get_by_role("slider", name="Time").fill("0.4")
    tendons = f"/{file.path.name}/Tendons"
    drawn = "name => { const node = window.__viserSceneTree.getState()[name]; return node.visibility !== false; }"
    wait_for(lambda: tab.evaluate(drawn, tendons))
    tab.get_by_role("slider", name="knuckle").fill("0.3")
    wait_for(lambda: not tab.evaluate(drawn, tendons))
    tab.get_by_text("Tendons: shown in recordings").wait_for()
    tab.get_by_role("slider", name="Time").fill("0.4")
    wait_for(lambda: tab.evaluate(drawn, tendons))


def test_a_narrow_window_has_the_panel_below_the_scene(open_page: Callable[..., Tab], context: Any) -> None:
    file = opened_file(EXAMPLES / "arm.skel")
    assert file.world is not None
    tab = open_page(file, clips=[playback_of(ossature.Simulation(file.world).run(0.2, sample=0.1))], is_dark=True)
    tab.get_by_role("button", name="Pause", exact=True).click()  # frames of a recording would take the time
    wide, beside = tab.locator("#ossature-timeline").bounding_box(), tab.locator("#ossature-panel").bounding_box()
    assert wide is not None
    assert beside is not None
    assert wide["x"] + wide["width"] == beside["x"]
    tab.set_viewport_size({"width": 420, "height": 800})
    canvas, panel = tab.locator("canvas[data-engine]"), tab.locator("#ossature-panel")

    def areas() -> tuple[Any, Any]:
        return canvas.bounding_box(), panel.bounding_box()

    wait_for(lambda: areas()[0]["width"] == 420.0)
    above, below = areas()
    assert above["y"] + above["height"] <= below["y"] < 800.0
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= 420
    timeline = tab.locator("#ossature-timeline").bounding_box()
    assert timeline is not None
    assert above["y"] + above["height"] <= timeline["y"] < timeline["y"] + timeline["height"] <= below["y"]
    distance = """() => {
        const { camera, cameraControl } = window.__viserMutable;
        return camera.position.distanceTo(cameraControl.getTarget(camera.position.clone()));
    }"""
    first = math.dist(*(tab.evaluate("() => window.ossature.data.camera")[name] for name in ("position", "lookAt")))
    tab.get_by_label("Fold or unfold the panel").click()
    wait_for(lambda: areas()[0]["height"] > 650.0)
    wait_for(lambda: tab.evaluate(distance) > 1.5 * first)
    screenshot(tab, "exported_narrow")


def test_names_of_a_file_are_text(open_page: Callable[..., Tab]) -> None:
    world = ossature.load(EXAMPLES / "cart_pole.urdf")
    name = "</script><script>window.owned=1</script><img src=x onerror=window.owned=1>"
    (model,) = world.models
    renamed = replace(model, joints=m.NamedList([replace(joint, name=f"{joint.name}{name}") for joint in model.joints]))
    tab = open_page(file_of(replace(world, models=m.NamedList([renamed])), "<b>.skel"))
    assert tab.evaluate("() => window.owned") is None
    assert name in str(tab.locator("#ossature-panel").text_content())
    assert tab.locator("#ossature-panel h1").text_content() == "<b>.skel"


def test_hidden_layers_that_are_large_are_not_in_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_page_export, "MOST_ELEMENTS", 3)
    html = page_of([opened_file(EXAMPLES / "palletizer.urdf")], shadows=False)
    text = html.partition('id="ossature-data">')[2].partition("</script>")[0]
    data = json.loads(text)
    assert Layer.FRAMES.value in data["omittedLayers"]
    assert Layer.VISUALS.value not in data["omittedLayers"], "it is shown"
    assert Layer.FRAMES.value not in [layer["name"] for layer in data["layers"]]
