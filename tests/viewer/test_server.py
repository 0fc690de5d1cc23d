"""The server of the page: access control, uploads, and dropped connections."""

from __future__ import annotations

import http.client
import logging
import math
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest

pytest.importorskip("viser")

import msgspec
import viser
import websockets.asyncio.server
from websockets.exceptions import InvalidMessage, InvalidStatus
from websockets.sync.client import connect

import ossature.viewer.server
from ossature.viewer.access_control import AccessControl, has_request
from ossature.viewer.server import LOOPBACK, LocalServer, ServerError, address_of, serve
from ossature.viewer.upload_limits import MAX_UPLOAD, UploadLimiter


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    server = serve(LOOPBACK, 0, "test", shadows=False)
    yield server
    server.stop()


def first_message(server: LocalServer, origin: str | None = None, *, token: str | None = None) -> str | bytes:
    address = f"ws://{LOOPBACK}:{server.get_port()}/{server.access.token if token is None else token}"
    protocols = [f"viser-v{viser.__version__}"]
    with connect(address, origin=origin, subprotocols=protocols, compression=None, proxy=None) as connection:
        return connection.recv(timeout=60.0)


def upgraded(server: LocalServer, origin: str, host: str) -> int:
    """Return the status of a connection with a given host name, as a proxy forwards it."""
    key = {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Origin": origin, "Host": host, **key}
    return fetched(server, f"/{server.access.token}", **headers)[0].status


def fetched(server: LocalServer, path: str, **headers: str) -> tuple[http.client.HTTPResponse, str]:
    connection = http.client.HTTPConnection(LOOPBACK, server.get_port(), timeout=60.0)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    text = "" if response.status == 101 else response.read().decode()
    connection.close()
    return response, text


@pytest.mark.parametrize("origin", [None, "http://127.0.0.1:{port}"])
def test_own_page_and_programs_may_connect(server: LocalServer, origin: str | None) -> None:
    assert first_message(server, origin and origin.format(port=server.get_port()))


@pytest.mark.parametrize(
    "origin",
    [
        *("http://example.org", "https://example.org:443", "http://localhost.example.org", "http://127.0.0.1.example.org:80"),
        *("http://example.org/127.0.0.1", "http://192.168.0.7:{port}", "null", "", "http://127.0.0.1", "http://127.0.0.1:1"),
        *("http://[::1]:{port}", "file://127.0.0.1:{port}", "http://[", "http://user@127.0.0.1:{port}"),
    ],
)
def test_page_of_another_site_is_refused_with_the_token(server: LocalServer, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        first_message(server, origin.format(port=server.get_port()))
    assert refused.value.response.status_code == 403
    assert b"--allow-origin" in refused.value.response.body


@pytest.mark.parametrize("token", ["", "x", "../", "%2e%2e", "é", "a" * 22, "index.html"])
def test_requests_without_token_are_refused(server: LocalServer, token: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        first_message(server, token=quote(token))
    assert refused.value.response.status_code == 403
    for path in (f"/{quote(token)}", f"/{quote(token)}/", f"//{server.access.token}/", f"/?{server.access.token}"):
        response, text = fetched(server, path)
        assert response.status == 403
        assert "ossature view" in text


def test_page_is_served_only_below_the_token(server: LocalServer) -> None:
    response, text = fetched(server, f"/{server.access.token}")
    assert (response.status, response.getheader("Location")) == (301, f"/{server.access.token}/")
    response, text = fetched(server, f"/{server.access.token}/?x=1")
    assert response.status == 200
    assert "Viser" in text
    assert response.getheader("Referrer-Policy") == "no-referrer"
    policy = response.getheader("Content-Security-Policy") or ""
    assert f"ws://{LOOPBACK}:{server.get_port()} " in policy
    assert "frame-ancestors 'none'" in policy
    hostile, _ = fetched(server, f"/{server.access.token}/", Host="x; script-src *")
    assert "script-src *" not in (hostile.getheader("Content-Security-Policy") or "")
    assert fetched(server, f"/{server.access.token}/../x")[0].status == 404


def test_tokens_are_random(server: LocalServer) -> None:
    tokens = {AccessControl().token for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 22  # 128 bits


def test_wildcard_address_accepts_own_host_names_only() -> None:
    refused: list[str] = []
    server = serve(
        "0.0.0.0",  # noqa: S104  # what a user may ask for
        0,
        "test",
        shadows=False,
        allowed_origins=["https://robots.example.org/"],
        on_refusal=refused.append,
    )
    try:
        port = server.get_port()
        for host in (f"{socket.gethostname()}:{port}", f"192.168.0.7:{port}", f"[fe80::1]:{port}", "arm.example.org"):
            for scheme in ("http", "https"):  # a proxy may add encryption
                assert upgraded(server, f"{scheme}://{host}", host) == 101
        assert first_message(server, "https://robots.example.org")
        assert refused == []
        for origin in (f"http://10.0.0.1:{port}", f"http://1.example.org:{port}", "http://robots.example.org"):
            for _ in range(2):
                with pytest.raises(InvalidStatus):
                    first_message(server, origin)
        assert len(refused) == 3
        assert "--allow-origin http://10.0.0.1" in refused[0]
        assert address_of(server) == f"http://localhost:{port}/{server.access.token}/"
    finally:
        server.stop()


def test_ineffective_access_control_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def without_effect(access: AccessControl, adapt: object) -> Iterator[None]:
        access.is_installed = True
        yield

    monkeypatch.setattr(ossature.viewer.server, "check_origin", without_effect)
    with pytest.raises(ServerError, match="let everybody connect"):
        serve(LOOPBACK, 0, "test", shadows=False)


def test_uploads_are_bounded() -> None:
    refused: list[str] = []
    limiter = UploadLimiter(refused.append)

    def start(name: str, size: int, parts: int) -> bool:
        return limiter.accepts(
            msgspec.msgpack.encode(
                {"type": "FileTransferStartUpload", "transfer_uuid": name, "size_bytes": size, "part_count": parts}
            )
        )

    def part(name: str, content: bytes) -> bool:
        return limiter.accepts(msgspec.msgpack.encode({"type": "FileTransferPart", "transfer_uuid": name, "content": content}))

    assert start("small", 10, 2)
    assert not start("small", 10, 2)  # twice
    assert part("small", b"12345")
    assert not part("small", b"123456")  # more than it said
    assert part("small", b"12345")
    assert not part("small", b"")  # more parts than it said
    assert not start("large", MAX_UPLOAD + 1, 1)
    assert not part("large", b"1")
    assert "64" in refused[0] or "67" in refused[0]
    assert not start("parts", 1, 1 << 40)
    assert not start("negative", -1, 1)
    assert [start(f"many{number}", 0, 1) for number in range(9)] == [True] * 8 + [False]
    assert not limiter.accepts(b"FileTransfer, but no message")
    assert limiter.accepts(msgspec.msgpack.encode({"type": "GuiUpdateMessage"}))


def test_oversized_upload_never_reaches_the_server(server: LocalServer) -> None:
    protocols = [f"viser-v{viser.__version__}"]
    address = f"ws://{LOOPBACK}:{server.get_port()}/{server.access.token}"
    button = server.gui.add_upload_button("file")
    with connect(address, subprotocols=protocols, compression=None, proxy=None) as connection:
        for size, name in ((MAX_UPLOAD + 1, "large"), (3, "small")):
            common = {"source_component_uuid": button._impl.uuid, "transfer_uuid": name}
            start = {"type": "FileTransferStartUpload", "filename": name, "mime_type": "", "part_count": 1, "size_bytes": size}
            connection.send(msgspec.msgpack.encode(start | common))
            connection.send(msgspec.msgpack.encode({"type": "FileTransferPart", "part_index": 0, "content": b"abc"} | common))
        end = time.monotonic() + 60.0
        while button.value.name != "small" and time.monotonic() < end:
            time.sleep(0.01)
    assert (button.value.name, button.value.content) == ("small", b"abc")
    assert not server.gui._current_file_upload_states


def test_other_servers_of_the_process_are_unchanged() -> None:
    before = websockets.asyncio.server.serve
    serve(LOOPBACK, 0, "test", shadows=False).stop()
    assert websockets.asyncio.server.serve is before
    with pytest.raises(ServerError):
        serve("192.0.2.1", 0, "test", shadows=False)  # an address that is nobody's
    assert websockets.asyncio.server.serve is before


def test_dropped_connections_are_not_logged(server: LocalServer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        for content in (b"", b"GET / HT"):
            with socket.create_connection((LOOPBACK, server.get_port())) as connection:
                connection.sendall(content)
        assert first_message(server)  # so that the two were seen to
        time.sleep(0.2)
    assert caplog.records == []


@pytest.mark.parametrize("error", [ValueError("something else"), InvalidMessage("did not receive a valid HTTP request")])
def test_other_connection_errors_are_logged(error: Exception) -> None:
    assert has_request(logging.makeLogRecord({"msg": "opening handshake failed", "exc_info": (type(error), error, None)}))


def test_no_free_port_is_reported() -> None:
    with socket.socket() as other:
        other.bind((LOOPBACK, 65535))
        other.listen(1)
        with pytest.raises(ServerError, match="in use"):
            serve(LOOPBACK, 65535, "test", shadows=False)


def test_next_free_port_is_used() -> None:
    with socket.socket() as other:
        other.bind((LOOPBACK, 0))
        other.listen(1)
        taken = other.getsockname()[1]
        server = serve(LOOPBACK, taken, "test", shadows=False)
        assert server.get_port() > taken
        server.stop()


def test_ipv6_address_has_brackets() -> None:
    class Server:
        access = AccessControl()

        def get_host(self) -> str:
            return "::1"

        def get_port(self) -> int:
            return 8080

    assert address_of(Server()) == f"http://[::1]:8080/{Server.access.token}/"  # type: ignore[arg-type]  # all that is asked


def test_hostile_uploads_are_dropped() -> None:
    limiter = UploadLimiter(lambda _: None)
    start = {"type": "FileTransferStartUpload", "transfer_uuid": "u", "size_bytes": math.inf, "part_count": 1}
    assert not limiter.accepts(msgspec.msgpack.encode(start))
    assert not limiter.accepts(b"\x91" * 100_000 + b"FileTransfer")
