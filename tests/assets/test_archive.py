"""Archives are told by their content and unpacked in memory; what could harm or mislead the reader is refused."""

from __future__ import annotations

import random
import stat
import zipfile
import zlib
from pathlib import Path

import pytest

from assets.archives import DOCUMENT, MANIFEST, member, overlapping, packed, robot
from mutant_count import MANY
from ossature.assets import Archive, AssetError, is_archive, main_document, open_archive, open_document
from ossature.assets import archive as archive_module
from ossature.diagnostics import Limits, Report, Source

FEW, BATCH = 300, min(500, MANY)


def opened(data: bytes, report: Report) -> Archive:
    return open_archive(Source("robot.zae", data), report)


def limited(data: bytes, **limits: int) -> Archive:
    return opened(data, Report(limits=Limits(**limits)))


def document(data: bytes, report: Report) -> Source | None:
    found = open_document(Source("robot.zae", data), report)
    return found[0] if found is not None else None


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_files_are_read_by_their_path(method: int, report: Report) -> None:
    archive = opened(packed({"./a.txt": b"1", "b//c.txt": b"22", "d/": b"", "d/./e": b""}, method), report)
    assert list(archive.members) == ["a.txt", "b/c.txt", "d/e"]
    for name, data in {"a.txt": b"1", "./a.txt": b"1", "b/../b/c.txt": b"22", "d/e": b""}.items():
        assert archive.is_file(name)
        assert archive.size(name) == len(data)
        assert archive.read(name) == data
    assert not archive.is_file("d")
    assert "22" not in repr(archive)


@pytest.mark.parametrize("name", ["absent", "", "..", "../a.txt", "/a.txt", "A.TXT", "a.txt\0", "d"])
def test_other_paths_name_nothing(name: str, report: Report) -> None:
    archive = opened(packed({"a.txt": b"1", "d/e": b""}), report)
    assert not archive.is_file(name)
    for ask in (archive.size, archive.read):
        with pytest.raises(AssetError, match="no such file in the archive") as caught:
            ask(name)
        assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (b"../x.dae", "leads out"),
        (b"a/../../x.dae", "leads out"),
        (b"a/../x.dae", "leads out"),
        (b"/x.dae", "absolute"),
        (b"C:x.dae", "absolute"),
        (b"C:/x.dae", "absolute"),
        (b"a\\x.dae", "backslash"),
        (b"x.dae\0.png", "null"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(name: bytes, reason: str, report: Report) -> None:
    archive = opened(member(name, DOCUMENT), report)
    assert not archive.members
    with pytest.raises(AssetError, match=reason) as caught:
        archive.read(name.decode())
    assert caught.value.hint


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"mode": stat.S_IFLNK | 0o777}, "link"),
        ({"mode": stat.S_IFIFO | 0o666}, "no regular file"),
        ({"flags": 1}, "encrypted"),
        ({"method": zipfile.ZIP_LZMA}, "method 14"),
        ({"method": 99}, "method 99"),
        ({"checksum": 1}, "cannot be unpacked: Bad CRC"),
        ({"method": zipfile.ZIP_DEFLATED}, "cannot be unpacked"),
        ({"flags": 1 << 6}, "cannot be unpacked"),
    ],
)
def test_files_that_cannot_be_read(fields: dict[str, int], reason: str, report: Report) -> None:
    data = member(b"robot.dae", DOCUMENT, **fields)
    with pytest.raises(AssetError, match=reason) as caught:
        opened(data, report).read("robot.dae")
    assert caught.value.hint
    assert document(data, report) is None
    assert {finding.rule.name for finding in report.errors} <= {"unreadable-archive", "no-main-document"}
    assert report.errors
    for finding in report:
        report.take(finding.rule.name)


def test_the_ordinary_modes_are_read(report: Report) -> None:
    for mode in (0, stat.S_IFREG | 0o644, 0o644):
        assert opened(member(b"robot.dae", DOCUMENT, mode=mode), report).read("robot.dae") == DOCUMENT


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize("specified", [0, 10, 2_000_000])
def test_a_size_that_is_a_lie(specified: int, report: Report) -> None:
    content = b" " * 1_000_000
    data = member(b"a", deflated(content), method=8, size=specified, checksum=zlib.crc32(content))
    with pytest.raises(AssetError, match=r"robot\.zae/a"):
        opened(data, report).read("a")


def test_no_more_is_unpacked_than_the_header_says(report: Report) -> None:
    content = b" " * 1_000_000
    data = member(b"a", deflated(content), method=8, size=10, checksum=zlib.crc32(content[:10]))
    assert opened(data, report).read("a") == content[:10]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed({"a": b"a" * 60_000, "b": b"b" * 60_000, "c": b"c" * 60_000})
    in_all = limited(data, unpacked_bytes=130_000)
    assert in_all.read("a") + in_all.read("a") + in_all.read("b")
    with pytest.raises(AssetError, match="more than 130000") as refused:
        in_all.read("c")
    assert "--limit unpacked_bytes=180000" in (refused.value.hint or "")
    with pytest.raises(AssetError, match="more than 2 files"):
        limited(data, archive_members=2)
    monkeypatch.setattr(archive_module, "UNRESTRICTED_UNPACKED_BYTES", 100_000)
    tight = opened(data, Report())
    assert tight.read("a")
    with pytest.raises(AssetError, match="times its own size") as refused:
        tight.read("b")
    assert refused.value.limit is not None
    assert "--limit unpacked_ratio=" in (refused.value.hint or "")
    raised = opened(data, Report(limits=Limits(unpacked_ratio=1000)))
    assert raised.read("a") + raised.read("b")


def test_files_that_share_their_bytes_are_refused(report: Report) -> None:
    with pytest.raises(AssetError, match="shares its bytes"):
        opened(overlapping(3), report)
    inner = packed({"x": DOCUMENT}, zipfile.ZIP_STORED)
    assert opened(packed({"inner.zip": inner}, zipfile.ZIP_STORED), report).read("inner.zip") == inner
    assert document(overlapping(3), report) is None
    assert "shares its bytes" in report.take("unreadable-archive")[0].message


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_files_of_one_name_the_first_counts(report: Report) -> None:
    data = packed({"x.dae": DOCUMENT, "./x.dae": b"second", "x.txt": b""})
    assert opened(data, report).read("x.dae") == DOCUMENT
    assert "'x.dae'" in report.take("duplicate-archive-member")[0].message


@pytest.mark.parametrize(
    "data",
    [b"PK", b"PK\x03\x04" + bytes(100), robot()[:-30], robot()[:60], b"PK\x05\x06" + b"\xff" * 18],
    ids=["short", "zeros", "without an end", "a beginning", "an end"],
)
def test_broken_archives(data: bytes, report: Report) -> None:
    with pytest.raises(AssetError, match="cannot be opened as an archive") as caught:
        opened(data, report)
    assert caught.value.hint
    assert document(data, report) is None
    finding = report.take("unreadable-archive")[0]
    assert str(finding.location) == "robot.zae"
    assert finding.hint


def test_an_empty_archive_holds_no_document(report: Report) -> None:
    assert document(packed({}), report) is None
    assert "contains no .dae file" in report.take("no-main-document")[0].message


@pytest.mark.parametrize(
    ("manifest", "path", "fragment"),
    [
        (b"<dae_root>robot.dae</dae_root>", "robot.dae", ""),
        (b"<?xml version='1.0'?>\n<dae_root>\n  ./robot.dae\t</dae_root>", "robot.dae", ""),
        (b"<dae_root xmlns='urn:x'>./robot.dae</dae_root>", "robot.dae", ""),
        (b"<c:dae_root xmlns:c='urn:x'>sub/../robot.dae</c:dae_root>", "robot.dae", ""),
        (b"<manifest><dae_root>robot.dae</dae_root></manifest>", "robot.dae", ""),
        (b"<dae_root>./sub/a%20b.dae#visual%20scene</dae_root>", "sub/a b.dae", "visual scene"),
        (b"<dae_root>sub/a b.dae#</dae_root>", "sub/a b.dae", ""),
        (b"<dae_root>100%25.dae</dae_root>", "100%25.dae", ""),
        ("<dae_root>größe.dae</dae_root>".encode("utf-16"), "größe.dae", ""),
    ],
)
def test_the_manifest_names_the_main_document(manifest: bytes, path: str, fragment: str, report: Report) -> None:
    files = dict.fromkeys(("robot.dae", "sub/a b.dae", "100%25.dae", "größe.dae"), DOCUMENT)
    main = main_document(opened(packed({"manifest.xml": manifest, **files}), report), report)
    assert main is not None
    assert (main.path, main.fragment) == (path, fragment)


@pytest.mark.parametrize(
    ("manifest", "rules"),
    [
        (None, ["missing-manifest"]),
        (b"<dae_root>", ["malformed-xml", "invalid-manifest"]),
        (b"", ["malformed-xml", "invalid-manifest"]),
        (b'<!DOCTYPE d [<!ENTITY x "robot.dae">]><dae_root>&x;</dae_root>', ["forbidden-entity", "invalid-manifest"]),
        (b" " * (2 << 20), ["unreadable-archive", "invalid-manifest"]),
        (b"<dae_root/>", ["invalid-manifest"]),
        (b"<dae_root>  </dae_root>", ["invalid-manifest"]),
        (b"<root>robot.dae</root>", ["invalid-manifest"]),
        (b"<dae_root>other.dae</dae_root>", ["invalid-manifest"]),
        (b"<dae_root>Robot.dae</dae_root>", ["invalid-manifest"]),
        (b"<dae_root>../robot.dae</dae_root>", ["invalid-manifest"]),
        (b"<dae_root>/robot.dae</dae_root>", ["invalid-manifest"]),
        (b"<dae_root>file:///robot.dae</dae_root>", ["invalid-manifest"]),
        (b"<dae_root>#robot</dae_root>", ["invalid-manifest"]),
    ],
)
def test_without_a_manifest_that_helps_the_only_document_counts(
    manifest: bytes | None, rules: list[str], report: Report
) -> None:
    files = {"manifest.xml": manifest} if manifest is not None else {}
    alone = packed({**files, "sub/Robot.DAE": DOCUMENT, "__MACOSX/sub/._Robot.DAE": b"", "wood.png": b""})
    found = document(alone, report)
    assert found is not None
    assert found.data == DOCUMENT
    assert found.name == "robot.zae/sub/Robot.DAE"
    assert [finding.rule.name for finding in report] == rules
    assert all(finding.hint for finding in report if finding.rule.name == rules[-1])
    assert "'sub/Robot.DAE' is used" in report.take(rules[-1])[0].message
    for rule in rules[:-1]:
        report.take(rule)

    assert document(packed({**files, "a.dae": DOCUMENT, "b.dae": DOCUMENT}), report) is None
    assert "contains a.dae, b.dae" in report.take("no-main-document")[0].message
    for rule in rules[:-1]:
        report.take(rule)


def test_many_documents_are_not_all_listed(report: Report) -> None:
    assert document(packed({f"{index}.dae": DOCUMENT for index in range(30)}), report) is None
    assert "11.dae and 18 more" in report.take("no-main-document")[0].message


def test_a_plain_document_is_itself(report: Report) -> None:
    source = Source("robot.zae", DOCUMENT)
    assert not is_archive(DOCUMENT)
    assert open_document(source, report) == (source, None)


def test_an_archive_in_an_archive_is_refused(report: Report) -> None:
    assert document(packed({"manifest.xml": MANIFEST, "robot.dae": robot()}), report) is None
    finding = report.take("unreadable-archive")[0]
    assert "archive in an archive" in finding.message
    assert str(finding.location) == "robot.zae/robot.dae"


def test_real_archives(corpus: Path, report: Report) -> None:
    paths = sorted((corpus / "corpus" / "openrave").glob("*.zae"))
    assert len(paths) > 20
    for path in paths:
        found = open_document(Source(path.name, path.read_bytes()), report)
        assert found is not None
        assert b"<COLLADA" in found[0].data[:1000]
        assert found[0].name.startswith(f"{path.name}/")


@pytest.mark.parametrize(
    ("name", "member", "fragment", "rules"),
    [
        ("z1_nomanifest.zae", "pumagripper.dae", "", ["missing-manifest"]),
        ("z2_subdir.zae", "sub/robot.dae", "", []),
        ("z3_frag.zae", "pumagripper.dae", "x", []),
        ("z4_store.zae", "pumagripper.dae", "", []),
        ("z5_ws.zae", "pumagripper.dae", "", []),
        ("z6_daeext.dae", "pumagripper.dae", "", []),
        ("z7_case.ZAE", "pumagripper.dae", "", []),
        ("z9_subdir_entry.zae", "sub/robot.dae", "", []),
        ("z10_manifest_ns.zae", "pumagripper.dae", "", []),
    ],
)
def test_odd_archives(corpus: Path, report: Report, name: str, member: str, fragment: str, rules: list[str]) -> None:
    source = Source(name, (corpus / "corpus" / "openrave-elements" / name).read_bytes())
    assert is_archive(source.data)
    archive = open_archive(source, report)
    main = main_document(archive, report)
    assert main is not None
    assert (main.path, main.fragment) == (member, fragment)
    assert len(archive.read(main.path)) == 151_886
    assert [finding.rule.name for finding in report] == rules
    for rule in rules:
        report.take(rule)


def test_a_plain_document_with_the_name_of_an_archive(corpus: Path, report: Report) -> None:
    source = Source("z8_plain.zae", (corpus / "corpus" / "openrave-elements" / "z8_plain.zae").read_bytes())
    assert open_document(source, report) == (source, None)


SEEDS = [
    robot(),
    robot(b"<dae_root>./sub/a%20b.dae#x</dae_root>", **{"sub/a b.dae": DOCUMENT}),
    packed({"manifest.xml": MANIFEST, "robot.dae": DOCUMENT * 50, "wood.png": bytes(300)}, zipfile.ZIP_STORED),
    packed({"robot.dae": DOCUMENT}),
    overlapping(2),
    member(b"robot.dae", deflated(DOCUMENT * 100), method=8, size=5_000, flags=8),
]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Return an archive with a few things changed: mostly in its headers, where the numbers stand that lie."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 20))):
        marks = [place for place in range(len(changed) - 3) if changed[place : place + 2] == b"PK"]
        place = rng.choice(marks) + rng.randrange(48) if marks and rng.random() < 0.7 else rng.randrange(len(changed) or 1)
        value = rng.choice((0, 1, 8, 0x7F, 0xFF, rng.randrange(256)))
        kind = rng.random()
        if kind < 0.8:
            changed[place : place + 1] = bytes([value])
        elif kind < 0.9:
            del changed[place : place + rng.randint(1, 30)]
        else:
            changed[place:place] = bytes(changed[rng.randrange(len(changed) or 1) :][: rng.randint(1, 200)])
    return bytes(changed[: rng.randrange(len(changed) + 1)] if rng.random() < 0.1 else changed)


def check_mutations(seeds: list[bytes], first: int, count: int) -> None:
    for number in range(first, first + count):
        rng = random.Random(number)
        data = mutate(rng.choice(seeds), rng)
        report = Report()
        found = document(data, report)
        assert (found is None) <= report.has_errors, number
        try:
            archive = open_archive(Source("robot.zae", data), Report())
        except AssetError as error:
            assert error.hint
            continue
        for path in [*archive.members, *archive.refused]:
            try:
                assert len(archive.read(path)) == archive.size(path)
            except AssetError as error:
                assert error.hint


def test_mutations() -> None:
    check_mutations(SEEDS, 0, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many_mutations(first: int) -> None:
    check_mutations(SEEDS, first, BATCH)


@pytest.mark.slow
def test_mutations_of_real_archives(corpus: Path) -> None:
    folders = (corpus / "corpus" / "openrave", corpus / "corpus" / "openrave-elements")
    paths = [path for folder in folders for path in sorted(folder.glob("*.[zZ][aA][eE]"))]
    seeds = [data for data in (path.read_bytes() for path in paths) if len(data) < 100_000]
    assert len(seeds) > 5
    check_mutations(seeds, MANY, BATCH)
