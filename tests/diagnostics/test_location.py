"""Lines and columns in every encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossature.diagnostics import Location, Source, location

TEXT = "<?xml version='1.0'?>\n<ä b='ö'>\n\n  日本<c/>\n</ä>"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_every_character_is_where_it_stands(encoding: str, newline: str) -> None:
    text = TEXT.replace("\n", newline)
    source = Source("f", text.encode(encoding))
    body = text.encode(source.encoding)
    mark = len(source.data) - len(body)
    for line, content in enumerate(TEXT.split("\n"), 1):
        assert source.line_text(line) == content
        for column in range(1, len(content) + 1):
            before = newline.join(TEXT.split("\n")[: line - 1]) + (newline if line > 1 else "") + content[: column - 1]
            offset = mark + len(before.encode(source.encoding))
            assert (source.line_of(offset), source.column_of(offset)) == (line, column)


def test_utf16_big_endian() -> None:
    source = Source("f", b"\xfe\xff" + "a\n\u0a00b".encode("utf-16-be"))
    assert source.encoding == "utf-16-be"
    assert source.line_text(2) == "\u0a00b"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "utf-8"),
        (b"<a/>", "utf-8"),
        (b"<?xml version='1.0' encoding='latin-1'?>", "latin-1"),
        (b'<?xml version="1.0" encoding = "UTF-8" ?>', "UTF-8"),
        (b"\xef\xbb\xbf<?xml version='1.0' encoding='latin-1'?>", "utf-8"),
        ("<?xml version='1.0'?>".encode("utf-16-le"), "utf-16-le"),
        ("\n<größe/>".encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_encoding(data: bytes, encoding: str) -> None:
    assert Source("f", data).encoding == encoding


def test_an_encoding_that_does_not_exist_is_shown_somehow() -> None:
    source = Source("f", b"<?xml version='1.0' encoding='klingon'?>\n<\xe4/>")
    assert source.line_text(2) == "<ä/>"


def test_how_a_place_reads() -> None:
    source = Source("dir/f.skel", b"one\ntwo")
    assert str(Location(source, 5)) == "dir/f.skel:2:2"
    assert str(Location(source)) == "dir/f.skel"
    assert (Location(source).line, Location(source).column) == (None, None)
    assert Location(source).file == "dir/f.skel"


@given(st.binary(max_size=200), st.integers(0, 250))
def test_any_bytes_and_offset(data: bytes, offset: int) -> None:
    location = Location(Source("f", data), offset)
    line, column = location.line, location.column
    assert line is not None and line >= 1
    assert column is not None and column >= 1
    location.source.line_text(line)
    location.source.offset_of(line, column)


def test_half_characters_of_utf_16_are_no_newlines() -> None:
    """In this order of bytes the end of one character and the beginning of the next look like a newline."""
    text = "a\u0a00b\u000a\u0a41c\nd"
    for encoding, mark in (("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")):
        source = Source("f", mark + text.encode(encoding))
        assert source.line_of(len(source.data)) == 3
        assert source.line_text(1) == "a\u0a00b"
        assert source.line_text(2) == "\u0a41c"


def test_a_long_line_is_searched_once_for_all_its_excerpts(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    def count_characters(line: str) -> bool:
        searched.append(len(line))
        return False

    monkeypatch.setattr(location, "may_contain_password", count_characters)
    source = Source("f", b"\t" + b"<link name='a'/>" * 2000 + b"\n<short/>")
    excerpts = [source.excerpt_at(offset) for offset in range(1, len(source.data) - 10, 16)]
    assert {one.text[one.start :][:5] for one in excerpts if one is not None} == {"<link"}
    assert len(excerpts) == 2000
    assert sum(searched) < 2 * len(source.data)


def test_a_long_line_with_a_password_has_no_excerpt() -> None:
    source = Source("f", b"<a/>" * 2000 + b"<b uri='https://user:password@host/'/>" + b"\n<b/>")
    assert [source.excerpt_at(offset) for offset in (0, 4000, 8000)] == [None] * 3
    assert source.excerpt_at(len(source.data) - 4) is not None
