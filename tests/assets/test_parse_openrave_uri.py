"""Files of OpenRAVE's data folders are found by their path alone, and only inside those folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ossature.assets import (
    DATA_PATH_VARIABLE,
    AssetError,
    MemoryFiles,
    MeshStore,
    OpenRaveUri,
    Resolver,
    data_path_from_environment,
)
from ossature.checks import check
from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel

FILES = MemoryFiles(
    {
        "/data/robots/x.zae": b"first",
        "/more/robots/x.zae": b"second",
        "/more/robots/y z.dae": b"",
        "/search/robots/only.dae": b"",
        "/robot/own.dae": b"",
        "/robots/x.zae": b"",
        "/secret/x.dae": b"",
    }
)


def resolver(**fields: object) -> Resolver:
    folders = {"data_path": (Path("/data"), Path("/more")), "search_path": (Path("/search"),)}
    return Resolver(folder=Path("/robot"), files=FILES, **{**folders, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        ("openrave:/a/b.dae", (None, None, None, "/a/b.dae")),
        ("openrave:///a/b.dae", (None, None, None, "/a/b.dae")),
        ("OPENRAVE://Host/a.dae", (None, "host", None, "/a.dae")),
        ("openrave://host:80/a.dae#part", (None, "host", 80, "/a.dae")),
        ("openrave://host:/a.dae", (None, "host", None, "/a.dae")),
        ("openrave://me@host/a.dae", ("me", "host", None, "/a.dae")),
        ("openrave://m%20e:secret@host:80/a%20b.dae?q", ("m e", "host", 80, "/a b.dae")),
        ("openrave://[::1]:80/a.dae", (None, "::1", 80, "/a.dae")),
        ("openrave://host", (None, "host", None, "")),
        ("openrave:", (None, None, None, "")),
    ],
)
def test_parts(uri: str, parts: tuple[str | None, str | None, int | None, str]) -> None:
    parsed = OpenRaveUri.parse(uri)
    assert (parsed.user, parsed.host, parsed.port, parsed.path) == parts
    assert "secret" not in repr(parsed)


@pytest.mark.parametrize(
    "uri", ["openrave:a.dae", "openrave://me:se/cret@host/a", "openrave://host:x/a", "openrave://[::1/a", "file:/a"]
)
def test_what_is_not_spelled_so(uri: str) -> None:
    with pytest.raises(ValueError, match=r"host|slash") as caught:
        OpenRaveUri.parse(uri)
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("openrave:/robots/x.zae", "/data/robots/x.zae"),
        ("openrave:///robots/x.zae", "/data/robots/x.zae"),
        ("openrave:////robots/x.zae", "/data/robots/x.zae"),
        ("OpenRAVE://anyhost/robots/./x.zae", "/data/robots/x.zae"),
        ("openrave://me:secret@host:80/robots/x.zae", "/data/robots/x.zae"),
        ("openrave:/robots/y%20z.dae", "/more/robots/y z.dae"),
        ("openrave:/robots/only.dae", "/search/robots/only.dae"),
    ],
)
def test_found_in_the_order_of_the_folders(uri: str, path: str) -> None:
    assert resolver().locate(uri) == Path(path)


@pytest.mark.parametrize(
    "uri", ["openrave:/../secret/x.dae", "openrave:/%2e%2e/secret/x.dae", "openrave://h/a/..%2f..%2fsecret/x.dae"]
)
def test_no_way_out(uri: str) -> None:
    with pytest.raises(AssetError, match="outside the folders of OPENRAVE_DATA") as caught:
        resolver().locate(uri)
    assert "--allow-path /secret" in (caught.value.hint or "")
    assert resolver(allowed=(Path("/secret"),)).locate(uri) == Path("/secret/x.dae")


@pytest.mark.parametrize(
    "uri",
    [
        "openrave:/own.dae",
        "openrave:/../robot/own.dae",
        "openrave:/secret/x.dae",
        "openrave:/absent",
        "openrave:/robots",
        "openrave://x.zae",
        "openrave:",
        "openrave:/",
        "openrave:robots/x.zae",
        "openrave://host:port/robots/x.zae",
        "openrave:/a%00b",
        "openrave:/" + "x" * 10_000,
    ],
)
def test_not_found(uri: str, tmp_path: Path) -> None:
    for at_hand in (resolver(), resolver(data_path=(), search_path=()), Resolver(data_path=(tmp_path,))):
        with pytest.raises(AssetError) as caught:
            at_hand.locate(uri)
        assert caught.value.hint


def test_links_do_not_lead_out(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "x.dae").write_bytes(b"")
    (tmp_path / "data" / "link.dae").symlink_to(tmp_path / "x.dae")
    (tmp_path / "data" / "here.dae").write_bytes(b"")
    (tmp_path / "alias").symlink_to(tmp_path / "data")
    aliased = Resolver(data_path=(tmp_path / "alias",))
    assert aliased.locate("openrave:/here.dae") == tmp_path / "alias" / "here.dae"
    with pytest.raises(AssetError, match="outside"):
        aliased.locate("openrave:/link.dae")


def test_the_folders_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_PATH_VARIABLE, os.pathsep.join(["/data", "", "/more"]))
    assert data_path_from_environment() == (Path("/data"), Path("/more"))
    monkeypatch.delenv(DATA_PATH_VARIABLE)
    assert data_path_from_environment() == ()


def test_files_of_the_data_folders_may_name_each_other() -> None:
    assert resolver().locate("/more/robots/y z.dae") == Path("/more/robots/y z.dae")


@pytest.mark.parametrize(
    "uri",
    [
        "openrave://me:hunter2@host/absent.dae",
        "openrave://me:hunter2@host:door/robots/x.zae",
        "openrave://me:hun/ter2@host/robots/x.zae",
        "openrave://me:hunter2@host/../secret/x.dae",
        "openrave://me:hunter2@",
        "openrave://me:hunter2",
        "http://me:hunter2@host/x.obj",
        "package://me:hunter2@host/x.obj",
        "file://me:hunter2@host/x.obj",
        "dart://sample:hunter2@x/x.obj",
        "//me:hunter2@host/x.obj",
    ],
)
def test_a_password_is_never_told(uri: str) -> None:
    with pytest.raises(AssetError) as caught:
        resolver().read(uri)
    error = caught.value
    assert not any(part in f"{error}{error!r}{error.__dict__}{error.__cause__}{error.tried}" for part in ("hunter2", "ter2"))


def test_a_mesh_s_password_is_never_told(report: Report) -> None:
    uri = "openrave://me:hunter2@host/hand.obj"
    text = f"""<skel version="1.0"><world name="w"><skeleton name="s"><body name="b"><inertia><mass>1</mass></inertia>
    <visualization_shape><geometry><mesh><file_name>{uri}</file_name><scale>1 1 1</scale></mesh></geometry>
    </visualization_shape></body><joint name="j" type="free"><parent>world</parent><child>b</child></joint>
    </skeleton></world></skel>"""
    world = read_skel(Source("m.skel", text.encode()), Report())
    assert world is not None
    check(world, report=report, meshes=MeshStore(resolver()))
    findings = report.take("missing-mesh")
    assert "me:***@host" in findings[0].message
    assert "hunter2" not in str(findings)
    for finding in list(report):
        report.take(finding.rule.name)
