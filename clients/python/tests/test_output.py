"""Programs that are no server, and replies that are none: each is a MockriError with a text."""

from __future__ import annotations

import resource
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Iterator

import pytest

import mockri
from mockri.server import Server

PROGRAMS = {
    "binary": (r"head -c 300000 /dev/urandom; cat >/dev/null", "no ready line"),
    "endless": (r"yes | tr -d '\n'", "no ready line"),
    "nested": (r"head -c 60000 /dev/zero | tr '\0' '['; echo; cat >/dev/null", "no ready line"),
    "other types": (
        """echo '{"ready": true, "listen": 1, "control": [], "pid": "x"}'; cat >/dev/null""",
        "expected the texts control and listen",
    ),
    "a list": ("echo '[]'; cat >/dev/null", "it is not a JSON object"),
    "nothing": ("true", "ended without a ready line"),
    "binary log": (r"head -c 300000 /dev/urandom >&2", "ended without a ready line"),
    "endless log": (r"yes | tr -d '\n' >&2", "not ready in time"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_of_no_server(name: str) -> None:
    program, problem = PROGRAMS[name]
    with pytest.raises(mockri.MockriError, match=problem) as raised:
        mockri.start(command=["sh", "-c", program], timeout=3)
    assert len(str(raised.value)) < 200_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 300 * 1024


REPLIES = {
    "/v1/state": (b"[" * 200_000, "the reply is not a JSON object"),
    "/v1/referee": (b"\xff\xfe", "the reply is not a JSON object"),
    "/v1/calls": (b" " * (1024 * 1024), "the reply has more than"),
}


@pytest.fixture
def control() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            self.send_response(200)
            self.end_headers()
            try:
                for _ in range(100 if path == "/v1/calls" else 1):
                    self.wfile.write(REPLIES[path][0])
            except OSError:
                pass

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", REPLIES)
def test_replies_of_no_server(path: str, control: str) -> None:
    server = Server.__new__(Server)
    server.control = control
    with pytest.raises(mockri.MockriError, match=REPLIES[path][1]):
        server._ask("GET", path)


def test_a_call_that_does_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    def call(number: int) -> dict[str, object]:
        return {
            **{"sequence": number, "method": "ListContainers", "peer": "", "connection": 1, "code": "OK"},
            **{"startedAt": "1", "duration": 1, "messages": 1, "faults": []},
        }

    subject = {"pod": {"namespace": "default", "name": "web"}, "container": {"name": "app"}}
    calls = [*map(call, range(1, 12)), {**call(12), "subject": subject}]
    server = Server.__new__(Server)

    def answer(_method: str, path: str, **_: object) -> dict[str, object]:
        return {"calls": [] if "method=Status" in path else calls}

    monkeypatch.setattr(server, "_ask", answer)
    with pytest.raises(TimeoutError) as raised:
        server.wait_for_call(method="Status", timeout=0.01)
    lines = str(raised.value).split("\n")
    assert lines[0] == "no call that fits {'method': 'Status'} within 0.01 s; the last calls:"
    assert lines[1] == "  3 ListContainers OK"
    assert lines[-1] == "  12 ListContainers OK default/web app"
    calls.clear()
    with pytest.raises(TimeoutError, match="within 0.01 s; no call has ended yet"):
        server.wait_for_call(method="Status", timeout=0.01)


def test_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOCKRI", "MOCKRI_IMAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(mockri.MockriError, match=r"dist/src/cli/main\.js") as raised:
        mockri.start()
    assert "npx" not in str(raised.value)
