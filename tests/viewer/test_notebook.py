"""Notebooks: the embedded page, and tables and plots of objects."""

from __future__ import annotations

import re
import urllib.error
from html.parser import HTMLParser
from urllib.request import urlopen

import pytest
import rich

import ossature
from conftest import PROJECT
from ossature.diagnostics import Ledger, Report

EXAMPLES = PROJECT / "examples"


class Texts(HTMLParser):
    """The texts and tags of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_is_embedded_and_closes() -> None:
    pytest.importorskip("viser")
    world = ossature.load(EXAMPLES / "cart_pole.urdf")
    recording = ossature.Simulation(world).run(0.02, 0.01)
    with world.show({"cart_pole": {"cart": [0.3]}}, recording=recording, height=300) as view:
        source = re.search(r'<iframe src="([^"]+)" height="300"', view._repr_html_())
        assert source is not None
        with urlopen(source[1], timeout=60) as response:  # noqa: S310  # a local server
            policy = response.headers["Content-Security-Policy"]
        assert "frame-ancestors http://localhost:* " in policy
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urlopen(source[1].rpartition("/")[0].rpartition("/")[0] + "/guess/", timeout=60)  # noqa: S310  # a local server
        assert source[1].split("/")[3] not in repr(view)
    assert not view.is_open
    assert "closed" in view._repr_html_()
    view.close()
    with pytest.raises(ossature.OssatureError, match="closed"):
        view.set_positions({})
    with pytest.raises(urllib.error.URLError):
        urlopen(source[1], timeout=20)  # noqa: S310


def test_a_page_is_controlled_from_python() -> None:
    pytest.importorskip("viser")
    world = ossature.load(EXAMPLES / "cart_pole.urdf")
    with world.show() as view:
        assert view.positions()["cart_pole"]["cart"] == (0.0,)
        view.set_positions({"cart_pole": {"cart": [0.3]}})
        assert view.positions()["cart_pole"]["cart"] == (0.3,)
        recording = ossature.Simulation(world).run(0.02, 0.01)
        view.show_recording(recording)
        assert view.positions()["cart_pole"]["cart"] == tuple(recording.joint_positions("cart_pole", "cart", 0))
        with pytest.raises(ossature.OssatureError, match="other bodies"):
            view.show_recording(ossature.Simulation(ossature.load(EXAMPLES / "slider_crank.yaml")).run(0.02, 0.01))
    for use in (view.positions, lambda: view.show_recording(recording)):
        with pytest.raises(ossature.OssatureError, match="closed"):
            use()


def test_opening_and_closing_a_page_displays_nothing_else(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("viser")
    displayed: list[object] = []
    console = rich.get_console()
    # In a notebook, rich displays what is printed instead of writing it to the standard output.
    monkeypatch.setattr(console, "is_jupyter", True)
    monkeypatch.setattr("rich.jupyter.display", lambda segments, text: displayed.append(text))
    ossature.load(EXAMPLES / "cart_pole.urdf").show().close()
    assert displayed == []
    assert capfd.readouterr().out == ""
    assert not console.quiet


def test_tables_are_short_and_escaped() -> None:
    world = ossature.load(EXAMPLES / "slider_crank.yaml")
    named = world.rename(world.models[0].name, "<script>x<!script>")
    recording = ossature.Simulation(world).run(0.02, 0.01, forces=True)
    report, ledger = Report(), Ledger()
    ledger.dropped("arm/<b>hand</b>", "not & in the format")
    simulation = ossature.Simulation(named)
    difference = ossature.diff(world, named.rename(f"{named.models[0].name}/crank", "<i>crank"))
    for shown in (named, named.models[0], recording, report, ledger, simulation.state(), difference):
        found = Texts(shown._repr_html_())
        assert found.tags <= {"table", "tr", "th", "td", "p", "b", "code"}
        assert len(repr(shown)) < 500
    assert "arm/<b>hand</b>" in Texts(ledger._repr_html_()).texts
    assert "<script>x<!script>" in Texts(named._repr_html_()).texts
    assert "3" in Texts(recording._repr_html_()).texts  # samples
    assert "<script>x<!script>/pin" in Texts(simulation.state()._repr_html_()).texts
    assert "names" in Texts(difference._repr_html_()).texts


def test_reports_are_tables() -> None:
    report = ossature.check(EXAMPLES / "pr2_state.usdf")
    texts = Texts(report._repr_html_()).texts
    assert [one.rule.name for one in report.sorted()] == [text for text in texts if text in {one.rule.name for one in report}]


def test_recordings_are_plotted() -> None:
    pytest.importorskip("matplotlib")
    recording = ossature.Simulation(ossature.load(EXAMPLES / "cart_pole.urdf")).run(0.05, 0.01, forces=True)
    plot = recording.plot()
    assert plot._repr_svg_().startswith("<?xml")
    assert "<svg" in plot.svg
    assert len(repr(plot)) < 100
