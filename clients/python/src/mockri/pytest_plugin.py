"""The fixtures for pytest."""

from __future__ import annotations

from typing import Callable, Iterator

import pytest

from .nodes import Nodes, start_node
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


@pytest.fixture(scope="session")
def mockri_nodes(mockri_kubeconfig: str) -> Iterator[Nodes]:
    """A mock node for the API server of the fixture ``mockri_kubeconfig``, which the tests have: it returns the path of a kubeconfig.

    For other options of ``mockri.start_node``, define this fixture yourself.
    """
    with start_node(mockri_kubeconfig) as nodes:
        yield nodes


@pytest.fixture
def mockri_node(mockri_nodes: Nodes, request: pytest.FixtureRequest) -> Iterator[Nodes]:
    """The nodes of ``mockri_nodes``; the rules of a test go with it. The end of their log is in the report of a failed test."""
    yield mockri_nodes
    mockri_nodes.reset()
    request.node.add_report_section("teardown", "mockri nodes", mockri_nodes.log)
