"""The fixtures for pytest."""

from __future__ import annotations

from typing import Callable, Iterator

import pytest

from .server import Server, start


@pytest.fixture
def mockri(mockri_factory: Callable[..., Server]) -> Server:
    """A server that stops at the end of the test."""
    return mockri_factory()


@pytest.fixture
def mockri_factory(request: pytest.FixtureRequest) -> Iterator[Callable[..., Server]]:
    """Starts servers with the arguments of ``mockri.start``; all of them stop at the end of the test.

    The end of their logs is in the report of a failed test.
    """
    servers: list[Server] = []

    def begin(*args: str, **options: object) -> Server:
        server = start(*args, **options)  # type: ignore[arg-type]
        servers.append(server)
        return server

    yield begin
    for number, server in enumerate(servers, 1):
        server.stop()
        request.node.add_report_section("teardown", f"mockri {number}", server.log)
