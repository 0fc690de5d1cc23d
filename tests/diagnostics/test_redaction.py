"""A password in a URI is shown nowhere."""

from __future__ import annotations

import pytest

from ossature.diagnostics import Diagnostic, Ledger, Location, Report, Rule, Severity, Source, without_passwords
from ossature.diagnostics.render.text import to_text

RULE = Rule(name="r", code="X001", severity=Severity.ERROR, summary="s", explanation="e")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("openrave://me:secret@host/x.dae", "openrave://me:***@host/x.dae"),
        ("openrave://me:secret@host:80/a@b.dae", "openrave://me:***@host:80/a@b.dae"),
        ("HTTP://me:8080@host/x", "HTTP://me:***@host/x"),
        ("openrave://:secret@host/x", "openrave://:***@host/x"),
        ("openrave://me:se@cr:et@host/x", "openrave://me:***@host/x"),
        ("openrave://me:sec/ret@host/x", "openrave://me:***@host/x"),
        ("openrave://me:sec#ret@host/x", "openrave://me:***@host/x"),
        ("openrave://me:sec ret@host/x", "openrave://me:***@host/x"),
        ("openrave://me:secret", "openrave://me:***"),
        ("//me:secret@host/x", "//me:***@host/x"),
        ("'openrave://me:secret@host/x' and 'ftp://you:other@host'", "'openrave://me:***@host'"),
        ("openrave://me:***@host/x: no such file, ask a@b", "openrave://me:***@host/x: no such file, ask a@b"),
    ],
)
def test_passwords_are_hidden(text: str, shown: str) -> None:
    hidden = without_passwords(text)
    assert hidden == without_passwords(hidden)
    for secret in ("secret", "sec", "ret", "8080", "other", "cr:et"):
        assert secret not in hidden.replace("***", "")
    assert hidden == shown or len(hidden) < len(text)


@pytest.mark.parametrize(
    "text",
    [
        "openrave:/a:b/c@d.dae",
        "openrave://host:80/a@b.dae",
        "openrave://host:/a@b.dae",
        "openrave://me@host/x",
        "http://[::1]:80/a@b",
        "file:///C:/robot@home.obj",
        "package://arm/hand:left@2.obj",
        "model 'a//b:c@d'",
        "http://www.collada.org/2008/03/COLLADASchema: see me@host",
        "http://host:80: no such file",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert without_passwords(text) == text


def test_neither_findings_nor_ledgers_tell_a_password(report: Report) -> None:
    uri = "openrave://me:secret@host/x.dae"
    source = Source("a.dae", f'<scene/>\n<instance url="{uri}#x"/>\n<other/>'.encode())
    report.add(RULE, f"{uri} is missing", Location(source, 12), hint=f"make {uri}")
    shown = f"{report}{to_text(report.sorted())}{report.sorted()!r}"
    assert "me:***@host" in shown
    assert "secret" not in shown
    report.add(RULE, "this line is shown", Location(source, source.data.index(b"<other")))
    assert "<other/>" in str(to_text(report.take("r")))
    ledger = Ledger()
    ledger.dropped("a", f"the reference {uri}")
    assert "secret" not in f"{ledger.lines()}{ledger.to_records()}"


def test_a_finding_without_a_line_is_shown() -> None:
    finding = Diagnostic(rule=RULE, message="m", location=Location(Source("a.dae")))
    assert "a.dae: error[r]: m" in str(to_text([finding]))
