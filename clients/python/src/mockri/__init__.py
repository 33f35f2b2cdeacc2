"""Starts a mock container runtime for a test, and breaks it on purpose.

The runtime serves all of the Container Runtime Interface (CRI) v1 on a socket. It runs no real containers and needs no
privileges. With pytest, the fixture ``mockri`` is a server that stops at the end of the test::

    def test_retry(mockri):
        mockri.fault("RunPodSandbox=1*error(UNAVAILABLE)")
        run_my_client(mockri.endpoint)
        call = mockri.wait_for_call(method="RunPodSandbox", code="OK")

The server also stops when the test process is killed: it ends with its standard input, and removes its socket and
directory itself. The package uses the standard library only.
"""

from .nodes import Nodes, start_node
from .server import MockriError, Server, start
from .types import (
    Adjusted,
    Call,
    CallFilter,
    Condition,
    Container,
    Finding,
    Moment,
    Plugin,
    Rule,
    Sandbox,
    State,
    Subject,
)

__all__ = [
    "Adjusted",
    "Call",
    "CallFilter",
    "Condition",
    "Container",
    "Finding",
    "MockriError",
    "Moment",
    "Nodes",
    "Plugin",
    "Rule",
    "Sandbox",
    "Server",
    "State",
    "Subject",
    "start",
    "start_node",
]
