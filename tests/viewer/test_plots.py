"""Plots and the timeline: signals by name, live and recorded, and what the page shows of them in Chromium."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from conftest import PROJECT

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.viewer.app import ViewerApp
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.loaded_file import open_file
from ossature.viewer.panels.plots import axis_exponent
from ossature.viewer.playback_recording import playback_of, read_playback
from ossature.viewer.server import LOOPBACK, serve
from ossature.viewer.signal_history import MAX_SAMPLES, SignalHistory, thinned

from .browser import screenshot, tab_named, wait_for

EXAMPLES = PROJECT / "examples"


@pytest.mark.parametrize("name", ["palletizer.urdf", "slider_crank.yaml", "arm.skel", "picker.dae"])
def test_live_signals_equal_those_of_a_recording(name: str) -> None:
    world = ossature.load(EXAMPLES / name)
    live = LiveSimulation(world, MeshStore.of(world), {})
    recording = ossature.Simulation(world).run(0.1, sample=0.05, forces=True).to_columns()
    for sample in range(3):
        table = live.sample_signals()
        assert set(recording) == set(table.columns.labels)
        for label, value in zip(table.columns.labels, table.rows[0], strict=True):
            assert value == pytest.approx(recording[label][sample], rel=1e-9, abs=1e-9), label
        live.advance(0.05)


def test_sampling_does_not_change_the_motion() -> None:
    world = ossature.load(EXAMPLES / "slider_crank.yaml")
    sampled, alone = (LiveSimulation(world, MeshStore.of(world), {}) for _ in range(2))
    for _ in range(5):
        sampled.record_signals(["energy.kinetic"], forces=True)
        sampled.advance(0.02)
        alone.advance(0.02)
    assert sampled.frame() == alone.frame()


def test_history_starts_again_at_a_restart_and_is_bounded() -> None:
    world = ossature.load(EXAMPLES / "arm.skel")
    table = LiveSimulation(world, MeshStore.of(world), {}).sample_signals(forces=False)
    label = "energy.kinetic"
    history = SignalHistory()
    for number in range(2 * MAX_SAMPLES + 10):
        history.append(0.001 * number, table, [label])
    times, values = history.series(label) or (np.zeros(0), np.zeros(0))
    assert len(times) == len(values) <= 2 * MAX_SAMPLES
    assert times[-1] == pytest.approx(0.001 * (2 * MAX_SAMPLES + 9))
    history.append(0.0, table, [label])
    assert [len(part) for part in history.series(label) or ()] == [1, 1]


def test_a_signal_that_is_chosen_late_has_its_past_if_it_is_no_force() -> None:
    world = ossature.load(EXAMPLES / "palletizer.urdf")
    live = LiveSimulation(world, MeshStore.of(world), {})
    motion, force = "palletizer/shoulder.positions", "palletizer/bolts.reaction_force"
    live.record_signals([], forces=False)
    live.advance(0.02)
    live.record_signals([], forces=False)
    live.record_signals([motion, force], forces=True)  # chosen while the simulation is paused
    times, values = live.history.series(motion) or (np.zeros(0), np.zeros(0))
    assert times == pytest.approx([0.0, 0.02])
    assert np.isfinite(values).all()
    _, values = live.history.series(force) or (np.zeros(0), np.zeros(0))
    assert np.isnan(values[0]).all(), "it was not sampled then"
    assert np.isfinite(values[1]).all()


def test_names_of_signals_have_values(show) -> None:
    page, _ = show(EXAMPLES / "palletizer.urdf")
    page.session.runner.step()
    assert "palletizer/bolts.reaction_force" in page.session.signals.names()
    for label in page.session.signals.names():
        page.plots.add(label)
        curves = page.session.signals.curves_of(label)
        assert curves is not None, label
        assert curves.values, label


def test_thinned_series_have_a_known_stride() -> None:
    times = np.arange(2.5 * MAX_SAMPLES)
    few, _, every = thinned(times, times)
    assert every == 3
    assert np.array_equal(few, times[::3])
    assert thinned(times[:0], times[:0])[2] == 1


def test_recordings_in_files_have_their_signals(tmp_path: Path) -> None:
    world = ossature.load(EXAMPLES / "palletizer.urdf")
    recording = ossature.Simulation(world).run(0.1, sample=0.02)
    direct = playback_of(recording).signals
    path = tmp_path / "run.csv"
    recording.save(path)
    read = read_playback(path, world, Report()).signals
    assert direct is not None
    assert read is not None
    label = "palletizer/shoulder.positions"
    assert read.values(label) == pytest.approx(direct.values(label))
    assert read.times() == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08, 0.1])


@pytest.mark.slow
def test_signals_are_plotted_live_and_of_the_recording(show) -> None:
    page, tab = show(EXAMPLES / "palletizer.urdf")
    tab_named(tab, "Plots")
    tab.get_by_label("Signal").first.click()
    tab.get_by_role("option", name="palletizer/shoulder.positions").click()
    tab.get_by_role("textbox").first.fill("kinetic")
    wait_for(lambda: len(page.plots._choice.options) == 2)
    tab.get_by_label("Signal").first.click()
    tab.get_by_role("option", name="energy.kinetic").click()
    wait_for(lambda: page.plots.labels == ("palletizer/shoulder.positions", "energy.kinetic"))
    page.session.runner.record = True
    page.session.runner.run()
    tab.get_by_text("palletizer/shoulder.positions [rad]").wait_for()
    wait_for(lambda: page.session.runner.simulations[0].time > 0.5)
    assert "palletizer/bolts.reaction_force" in page.session.signals.names()
    page.session.runner.pause()
    page.session.load_recorded()
    tab.get_by_text("energy.kinetic [J]").wait_for()
    page.session.player.seek(0.2)
    page.plots.update(force=True)
    chart, _ = page.plots._charts["energy.kinetic"]
    times, past, every = (np.asarray(column) for column in chart.data)
    assert np.isfinite(every).all()
    assert np.isfinite(past[times <= 0.2]).all()
    assert np.isnan(past[times > 0.2 + 1e-9]).all()
    tab.get_by_text("Timeline").first.wait_for()
    before = page.session.player.time
    tab.mouse.click(200, 300)
    tab.keyboard.press("ArrowLeft")
    wait_for(lambda: page.session.player.time < before)
    screenshot(tab, "plots")
    with tab.expect_download() as download:
        tab.get_by_role("button", name="CSV", exact=True).click()
    rows = list(csv.reader(io.StringIO(download.value.path().read_text())))
    assert rows[0] == ["time", "palletizer/shoulder.positions[value]", "energy.kinetic[value]"]
    assert len(rows) == len(times) + 1
    tab.get_by_role("button", name="Clear", exact=True).click()
    wait_for(lambda: not page.plots.labels)


@pytest.mark.parametrize(
    ("values", "exponent"),
    [
        ([], 0),
        ([np.nan], 0),
        ([0.0, 0.0], 0),
        ([-1.0, 3.0], 0),
        ([0.0, 0.06], 0),
        ([0.0, 0.04], -3),  # a browser would label the axis 0, 0.01, 0.02 …
        ([0.0, 4e-9], -9),
        ([0.2, 0.2001], -3),
        ([9.81, 9.81 + 1e-12], 0),  # a constant
        ([1e-5, 1e-5], -6),
        ([5000.0, 5000.01], 0),  # labels in thousandths would need seven digits
        ([0.0, 2.71e8], 6),
        ([-3e5, np.inf], 3),
    ],
)
def test_axes_have_labels_that_differ(values: list[float], exponent: int) -> None:
    assert axis_exponent([np.array(values)]) == exponent


JOINTS = """<skel version="1.0"><world name="w"><skeleton name="m">
<body name="a"><transformation>0 0 0 0 0 0</transformation><inertia><mass>1</mass></inertia></body>
<body name="b"><transformation>0 0 1 0 0 0</transformation><inertia><mass>1</mass></inertia></body>
<joint type="free" name="free"><parent>world</parent><child>a</child></joint>
<joint type="ball" name="ball"><parent>a</parent><child>b</child></joint></skeleton></world></skel>"""


def test_curves_of_joints_are_named_after_their_coordinates(tmp_path: Path) -> None:
    (tmp_path / "joints.skel").write_text(JOINTS)
    loaded = open_file(tmp_path / "joints.skel", lambda found: MeshStore())
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [loaded], shadows=False)
    page.load_clips([playback_of(ossature.Simulation(page.views[0].world).run(0.01, sample=0.005))])

    def names_and_unit(label: str) -> tuple[list[str], str]:
        curves = page.session.signals.curves_of(label)
        assert curves is not None
        return list(curves.values), curves.unit

    lengths, angles = (
        [f"{name} [{unit}]" for name in names] for names, unit in (("xyz", "m/s"), (("rx", "ry", "rz"), "rad/s"))
    )
    assert names_and_unit("m/free.velocities") == ([*angles, *lengths], "rad/s or m/s")
    assert names_and_unit("m/ball.positions") == (["1", "2", "3"], "rad")
    assert names_and_unit("m/b.position") == (["x", "y", "z"], "m")
    page.close()


def test_a_signal_without_values_is_named_until_it_has_some(tmp_path: Path) -> None:
    (tmp_path / "joints.skel").write_text(JOINTS)
    loaded = open_file(tmp_path / "joints.skel", lambda found: MeshStore())
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [loaded], shadows=False)
    page.plots.add("m/ball.positions")
    assert "not recorded: m/ball.positions" in page.plots._text.content
    page.load_clips([playback_of(ossature.Simulation(page.views[0].world).run(0.01, sample=0.005))])
    assert page.plots._text.content == ""
    page.close()


def test_a_recording_of_the_page_has_forces(tmp_path: Path) -> None:
    world = ossature.load(EXAMPLES / "arm.skel")  # a tree for DART, of which `simulate --record` has none
    live = LiveSimulation(world, MeshStore.of(world), {})
    live.advance(0.02, record=True)
    live.advance(0.02, record=True)
    values = playback_of(live.recording()).signals.values("arm/elbow.reaction_force")
    assert values is not None
    assert values.shape == (3, 3)
    expected = ossature.Simulation(world).run(0.04, sample=0.02, forces=True).to_columns()["arm/elbow.reaction_force[2]"]
    assert values[:, 2] == pytest.approx(expected, rel=1e-9)


def test_signals_are_chosen_while_a_simulation_draws_them(tmp_path: Path) -> None:
    page = ViewerApp(
        serve(LOOPBACK, 0, "test", shadows=False),
        [open_file(EXAMPLES / "slider_crank.yaml", lambda found: MeshStore())],
        shadows=False,
    )
    page.session.runner.run()
    wait_for(lambda: page.session.runner.simulations and page.session.runner.simulations[0].time > 0.1)
    labels = page.session.signals.names()[:12]
    for _ in range(3):
        for label in labels:
            page.plots.add(label)
        wait_for(lambda: set(page.plots._charts) == set(labels))
        page.plots.clear()
    assert page.session.runner.is_running
    page.close()
