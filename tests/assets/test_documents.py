"""Documents name each other: inside an archive, beside it, and in the data folders; each is read once, and not too much."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.archives import DOCUMENT, MANIFEST, packed, robot
from ossature.assets import (
    DATA_PATH_VARIABLE,
    AssetError,
    DocumentKey,
    DocumentStore,
    MemoryFiles,
    Resolver,
    report_missing_document,
)
from ossature.diagnostics import Limits, Location, Report, Source, resource_limits

ARCHIVE = packed(
    {
        "manifest.xml": MANIFEST,
        "robot.dae": b"<main/>",
        "parts/hand.dae": b"<hand/>",
        "parts/a b.dae": b"<blank/>",
        "inner.zae": robot(),
    }
)
FILES = {
    "/work/scene.dae": b"<scene/>",
    "/work/robot.zae": ARCHIVE,
    "/work/table.dae": b"<table/>",
    "/work/a b.dae": b"<blank/>",
    "/work/100%25.dae": b"<percent/>",
    "/work/parts/finger.dae": b"<finger/>",
    "/work/fragment.zae": robot(b"<dae_root>robot.dae#kscene</dae_root>"),
    "/work/plain.zae": b"<plain/>",
    "/work/zipped.dae": robot(),
    "/work/vague.zae": packed({"a.dae": DOCUMENT, "b.dae": DOCUMENT}),
    "/work/broken.zae": ARCHIVE[:-40],
    "/data/robots/arm.zae": robot(),
    "/data/robots/base.dae": b"<base/>",
    "/secret/x.dae": b"<secret/>",
}


def store_of(name: str, report: Report, **fields: object) -> DocumentStore:
    folder, _, _ = name.rpartition("/")
    resolver = Resolver(files=MemoryFiles(FILES), data_path=(Path("/data"),), **fields)  # type: ignore[arg-type]
    store = DocumentStore.of(Source(name, FILES[name]), report, Path(folder), resolver)
    assert store is not None
    return store


def key(path: str, member: str = "") -> DocumentKey:
    return DocumentKey(path=Path(path), member=member)


@pytest.mark.parametrize(
    ("reference", "found", "fragment"),
    [
        ("#kscene", key("/work/scene.dae"), "kscene"),
        ("", key("/work/scene.dae"), ""),
        ("scene.dae#a%20b", key("/work/scene.dae"), "a b"),
        ("./parts/../scene.dae", key("/work/scene.dae"), ""),
        (" table.dae#t ", key("/work/table.dae"), "t"),
        ("a%20b.dae", key("/work/a b.dae"), ""),
        ("a b.dae", key("/work/a b.dae"), ""),
        ("100%25.dae", key("/work/100%25.dae"), ""),
        ("robot.zae#x", key("/work/robot.zae", "robot.dae"), "x"),
        ("fragment.zae", key("/work/fragment.zae", "robot.dae"), "kscene"),
        ("fragment.zae#x", key("/work/fragment.zae", "robot.dae"), "x"),
        ("plain.zae", key("/work/plain.zae"), ""),
        ("zipped.dae", key("/work/zipped.dae", "robot.dae"), ""),
        ("/work/table.dae", key("/work/table.dae"), ""),
        ("file:///work/table.dae#t", key("/work/table.dae"), "t"),
        ("file:/work/table.dae", key("/work/table.dae"), ""),
        ("file://localhost/work/a%20b.dae", key("/work/a b.dae"), ""),
        ("openrave:/robots/arm.zae#k", key("/data/robots/arm.zae", "robot.dae"), "k"),
        ("openrave://me:secret@host/robots/base.dae", key("/data/robots/base.dae"), ""),
    ],
)
def test_references_of_a_plain_document(reference: str, found: DocumentKey, fragment: str, report: Report) -> None:
    store = store_of("/work/scene.dae", report)
    assert store.first == key("/work/scene.dae")
    assert store.resolve(reference, store.first) == (found, fragment)
    assert store.read(found) is store.read(found)
    assert (store.archive(found) is None) == (not found.member)


@pytest.mark.parametrize(
    ("base", "reference", "found"),
    [
        ("robot.dae", "#x", key("/work/robot.zae", "robot.dae")),
        ("robot.dae", "parts/hand.dae", key("/work/robot.zae", "parts/hand.dae")),
        ("robot.dae", "./parts/a%20b.dae", key("/work/robot.zae", "parts/a b.dae")),
        ("robot.dae", "table.dae", key("/work/table.dae")),
        ("robot.dae", "../table.dae", key("/work/table.dae")),
        ("robot.dae", "robot.zae", key("/work/robot.zae", "robot.dae")),
        ("robot.dae", "parts/finger.dae", key("/work/parts/finger.dae")),
        ("parts/hand.dae", "../robot.dae", key("/work/robot.zae", "robot.dae")),
        ("parts/hand.dae", "a b.dae", key("/work/robot.zae", "parts/a b.dae")),
        ("parts/hand.dae", "../../table.dae", key("/work/table.dae")),
        ("robot.dae", "openrave:/robots/base.dae", key("/data/robots/base.dae")),
    ],
)
def test_references_of_a_document_in_an_archive(base: str, reference: str, found: DocumentKey, report: Report) -> None:
    store = store_of("/work/robot.zae", report)
    assert store.resolve(reference, key("/work/robot.zae", base))[0] == found
    assert store.read(found).data.startswith(b"<")


@pytest.mark.parametrize(
    ("first", "reference", "reason"),
    [
        ("/work/scene.dae", "absent.dae", "no such file"),
        ("/work/scene.dae", "../secret/x.dae", "outside"),
        ("/work/scene.dae", "%2e%2e/secret/x.dae", "outside"),
        ("/work/scene.dae", "/secret/x.dae", "outside"),
        ("/work/scene.dae", "file:///secret/x.dae", "outside"),
        ("/work/scene.dae", "openrave:/../secret/x.dae", "outside"),
        ("/work/scene.dae", "openrave:/table.dae", "no such file"),
        ("/work/scene.dae", "http://localhost/x.dae", "does not name a file"),
        ("/work/scene.dae", "a%00b", "does not name a file"),
        ("/work/scene.dae", "broken.zae", "cannot be opened as an archive"),
        ("/work/robot.zae", "../../secret/x.dae", "outside"),
        ("/work/robot.zae", "../robot.dae", "no such file"),
        ("/work/robot.zae", "/robot.dae", "no such file"),
    ],
)
def test_documents_that_cannot_be_had(first: str, reference: str, reason: str, report: Report) -> None:
    store = store_of(first, report)
    with pytest.raises(AssetError, match=reason) as caught:
        store.resolve(reference, store.first)
    assert caught.value.hint
    location = Location(store.read(store.first), 0)
    report_missing_document(caught.value, location, report)
    finding = report.take("missing-file")[0]
    assert reason in finding.message
    assert finding.location == location


def test_an_archive_in_an_archive_is_not_opened(report: Report) -> None:
    store = store_of("/work/robot.zae", report)
    found, _ = store.resolve("inner.zae", store.first)
    with pytest.raises(AssetError, match="archive in an archive"):
        store.read(found)


def test_a_failure_is_told_once(report: Report) -> None:
    store = store_of("/work/scene.dae", report)
    for part in ("#pscene", "#vscene", "#kscene"):
        with pytest.raises(AssetError, match="no readable document"):
            store.resolve(f"vague.zae{part}", store.first)
    assert len(report.take("no-main-document")) == 1


def test_a_broken_first_archive_is_a_finding(report: Report) -> None:
    assert DocumentStore.of(Source("broken.zae", FILES["/work/broken.zae"]), report) is None
    assert report.take("unreadable-archive")[0].hint
    damaged = bytearray(packed({"robot.dae": b"x" * 100, "manifest.xml": MANIFEST}))
    damaged[damaged.index(b"robot.dae") + 9] ^= 0xFF
    assert DocumentStore.of(Source("damaged.zae", bytes(damaged)), report) is None
    assert str(report.take("unreadable-archive")[0].location) == "damaged.zae/robot.dae"


def test_documents_from_memory_stay_among_themselves(report: Report) -> None:
    store = DocumentStore.of(Source("<string>", ARCHIVE), report, resolver=Resolver(files=MemoryFiles(FILES)))
    assert store is not None
    assert store.first == DocumentKey(path=None, member="robot.dae")
    hand, _ = store.resolve("parts/hand.dae#h", store.first)
    assert store.read(hand).name == "<string>/parts/hand.dae"
    with pytest.raises(AssetError, match="lies in no folder"):
        store.resolve("table.dae", store.first)
    with pytest.raises(AssetError, match="outside"):
        store.resolve("file:///work/table.dae", store.first)


def test_names_are_those_that_the_caller_uses(report: Report) -> None:
    resolver = Resolver(files=MemoryFiles(FILES), data_path=(Path("/data"),))
    store = DocumentStore.of(Source("models/scene.dae", FILES["/work/scene.dae"]), report, Path("/work"), resolver)
    assert store is not None
    references = ("", "table.dae", "robot.zae", "parts/finger.dae", "openrave:/robots/arm.zae")
    assert [store.read(store.resolve(reference, store.first)[0]).name for reference in references] == [
        "models/scene.dae",
        "models/table.dae",
        "models/robot.zae/robot.dae",
        "models/parts/finger.dae",
        "/data/robots/arm.zae/robot.dae",
    ]


def test_the_first_document_brings_its_fragment(report: Report) -> None:
    assert store_of("/work/fragment.zae", report).first_fragment == "kscene"
    assert store_of("/work/scene.dae", report).first_fragment == ""


def test_cycles_end_in_what_was_read_already(report: Report) -> None:
    store = store_of("/work/scene.dae", report)
    table, _ = store.resolve("table.dae", store.first)
    assert store.resolve("scene.dae#x", table) == (store.first, "x")
    assert store.read(store.resolve("robot.zae", table)[0]) is store.read(store.resolve("./robot.zae#x", table)[0])


def test_there_are_not_too_many_documents() -> None:
    report = Report(limits=Limits(documents=2))
    store = store_of("/work/scene.dae", report)
    store.read(store.resolve("table.dae", store.first)[0])
    with pytest.raises(AssetError, match="more than 2 documents"):
        store.resolve("a b.dae", store.first)
    assert store.resolve("table.dae", store.first)[0] == key("/work/table.dae")
    inside = store_of("/work/robot.zae", report)
    inside.read(inside.resolve("parts/hand.dae", inside.first)[0])
    with pytest.raises(AssetError, match="more than 2 documents"):
        inside.read(inside.resolve("parts/a b.dae", inside.first)[0])


def test_there_is_not_too_much_in_them() -> None:
    report = Report(limits=Limits(unpacked_bytes=len(ARCHIVE) + 20))
    store = store_of("/work/robot.zae", report)
    assert store.read(store.first).data == b"<main/>", "the first one was read by the caller"
    assert store.read(store.resolve("parts/hand.dae", store.first)[0])
    with pytest.raises(AssetError, match="with it, the documents have more"):
        store.resolve("table.dae", store.first)
    with pytest.raises(AssetError, match="with it, the documents have more"):
        store.read(key("/work/robot.zae", "parts/a b.dae"))


def test_a_password_is_never_told(report: Report) -> None:
    store = store_of("/work/scene.dae", report)
    for reference in (
        "openrave://me:hunter2@host/x#a",
        "openrave://me:hun#ter2@host/x",
        "//me:hunter2@host/x",
        "x://me:hunter2@h",
    ):
        with pytest.raises(AssetError) as caught:
            store.resolve(reference, store.first)
        report_missing_document(caught.value, Location(store.read(store.first)), report)
        error, finding = caught.value, report.take("missing-file")[0]
        shown = f"{error!r}{error.__dict__}{error.__cause__!r}{finding!r}{store!r}"
        assert not any(part in shown for part in ("hunter2", "me:hun", "ter2")), reference


def test_files_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, report: Report) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "work" / "robot.zae").write_bytes(ARCHIVE)
    (tmp_path / "work" / "table.dae").write_bytes(DOCUMENT)
    (tmp_path / "secret.dae").write_bytes(DOCUMENT)
    (tmp_path / "work" / "link.dae").symlink_to(tmp_path / "secret.dae")
    (tmp_path / "data" / "arm.zae").write_bytes(robot())
    monkeypatch.setenv(DATA_PATH_VARIABLE, str(tmp_path / "data"))
    before = sorted(tmp_path.rglob("*"))
    source = Source(str(tmp_path / "work" / "robot.zae"), ARCHIVE)
    store = DocumentStore.of(source, report, tmp_path / "work")
    assert store is not None
    for reference in ("table.dae", "openrave:/arm.zae", "parts/hand.dae"):
        assert store.read(store.resolve(reference, store.first)[0]).data
    with pytest.raises(AssetError, match="outside"):
        store.resolve("link.dae", store.first)
    assert sorted(tmp_path.rglob("*")) == before, "nothing is unpacked onto the disk"


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("s15_minimal_openrave_uri.dae", "openrave:/robot.dae#pscene"),
        ("s15b_minimal_zae.dae", "openrave:/pg.zae#kscene"),
        ("s15c_minimal_pgdae.dae", "./pg.dae#pscene"),
        ("s15d_minimal_relzae.dae", "./pg.zae#kscene"),
        ("s15e_host.dae", "openrave://host/robot.dae#pscene"),
        ("s15f_auth.dae", "openrave://user:secret@host:80/robot.dae#pscene"),
    ],
)
def test_real_references(corpus: Path, monkeypatch: pytest.MonkeyPatch, report: Report, name: str, reference: str) -> None:
    folder = corpus / "corpus" / "openrave-elements"
    monkeypatch.setenv(DATA_PATH_VARIABLE, str(folder))
    store = DocumentStore.of(Source(name, (folder / name).read_bytes()), report, folder)
    assert store is not None
    found, fragment = store.resolve(reference, store.first)
    assert fragment.encode() in store.read(found).data


@pytest.mark.parametrize(
    ("name", "value"), [("archive_members", 1), ("unpacked_bytes", 5), ("unpacked_bytes", 60), ("documents", 1)]
)
def test_each_limit_is_a_finding_of_its_rule_that_names_the_option(name: str, value: int) -> None:
    report = Report(limits=Limits(**{name: value}))
    resolver = Resolver(files=MemoryFiles(FILES))
    store = DocumentStore.of(Source("/work/robot.zae", ARCHIVE), report, Path("/work"), resolver)
    if store is not None:
        with pytest.raises(AssetError) as refused:
            store.read(store.resolve("parts/hand.dae", store.first)[0])
        report_missing_document(refused.value, Location(Source("robot.zae")), report)
    finding = report.errors[0]
    assert finding.rule in resource_limits.RULES
    assert f"more than {value}" in finding.message
    assert f"--limit {name}=" in (finding.hint or "")
