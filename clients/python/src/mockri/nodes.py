"""Mock nodes for the API server of a test: a kubelet for envtest and servers like it."""

from __future__ import annotations

import os
import time
import urllib.parse
from typing import Any, Mapping, Optional, Sequence, Union

from .process import MockriError, Process, find_docker, find_program
from .server import Control, _quote
from .types import Moment, moment_of

__all__ = ["Containers", "Images", "NodeControl", "Nodes", "start_node"]

#: A server without controllers signs no certificates of nodes, and has none for kubelets.
_FLAGS = (
    "--identity account --exit-with-stdin --control 127.0.0.1:0 --node-ip 127.0.0.1 --hostname-address none "
    "--kubelet-address 127.0.0.1 --kubelet-certificate self-signed --kubelet-anonymous "
    "--service-account-tokens local"
).split()


class Nodes(Control):
    """Mock nodes whose pods run, fail and end."""

    def pods(
        self,
        *,
        labels: Optional[Mapping[str, str]] = None,
        owner: Optional[str] = None,
        name: Optional[str] = None,
        namespace: Optional[str] = None,
        container: Optional[str] = None,
        image: Optional[str] = None,
        node: Optional[str] = None,
    ) -> Containers:
        """Containers that fit all of these: ``labels={"app": "db"}``, ``owner="StatefulSet/db"``, patterns such as
        ``name="db-*"``. They run now, or come later."""
        pod = _given(labels=labels, owner=owner, name=name, namespace=namespace)
        return Containers(self, _given(node=node, pod=pod, container=_given(name=container, image=image)))

    def container(self, pod: str, container: str) -> Containers:
        """One container of the pod ``namespace/name``."""
        namespace, name = _split(pod)
        return self.pods(namespace=namespace, name=name, container=container)

    def pull(self, image: str) -> Images:
        """Pulls of images, such as ``registry.example/*``."""
        return Images(self, _given(container={"image": image}))

    def node(self, name: str) -> NodeControl:
        """A node, or those of a pattern such as ``mock-*``."""
        return NodeControl(self, name)

    def advance(self, seconds: float) -> None:
        """Lets this time pass on the nodes at once."""
        self._ask("POST", "/v1/clock", {"advance": f"{round(seconds * 1000)}ms"}, wait=600)

    def history(self, **filters: Union[str, int]) -> list[Moment]:
        """What happened to containers, and the events of pods, oldest first: ``kind="container"``, ``what="ended"``, ``pod="db-*"``,
        ``reason="BackOff"``, ``attempt=1``."""
        return [moment_of(each) for each in self._history(0, filters)]

    def wait_for(self, *, timeout: float = 30.0, **filters: Union[str, int]) -> Moment:
        """The first moment that fits, as in ``history``. Waits for it, at most ``timeout`` seconds; then raises TimeoutError."""
        found = self._history(timeout, filters)
        if not found:
            raise TimeoutError(f"nothing that fits {filters} happened within {timeout} s")
        return moment_of(found[0])

    def wait_for_restart(self, pod: str, container: str, times: int = 1, timeout: float = 30.0) -> Moment:
        """The start of a container of the pod ``namespace/name`` after this many restarts."""
        namespace, name = _split(pod)
        return self.wait_for(
            timeout=timeout, kind="container", what="started", attempt=times, namespace=namespace, pod=name, container=container
        )

    def reset(self) -> None:
        """Removes all rules."""
        super().reset()
        self._ask("DELETE", "/v1/behaviors")

    def _history(self, wait: float, filters: Mapping[str, Union[str, int]]) -> list[dict[str, Any]]:
        query = {key: str(value) for key, value in filters.items()}
        if wait > 0:
            query["wait"] = f"{round(wait * 1000)}ms"
        entries: list[dict[str, Any]] = self._ask("GET", f"/v1/history?{urllib.parse.urlencode(query)}", wait=wait)["entries"]
        return entries


class _Rules:
    def __init__(self, nodes: Nodes, match: Mapping[str, Any]) -> None:
        self._nodes, self._match = nodes, match

    def _rule(self, **what: Any) -> str:
        name: str = self._nodes._ask("POST", "/v1/behaviors", {"match": self._match, **what})["name"]
        return name


class Containers(_Rules):
    """Containers that a rule is for. The newest rule that fits counts. Each method returns the rule's name."""

    def behave(self, behavior: str) -> str:
        """What the containers do, such as ``exit=1;run``: docs/containers.md has all."""
        return self._rule(behavior=behavior)

    def exit_after(self, seconds: float, code: int = 0) -> str:
        """Ends each run after this time."""
        return self.behave(f"exit={code},after={round(seconds * 1000)}ms")

    def exit(self, code: int = 0) -> str:
        """Ends each container once, now or with its start."""
        return self._rule(behavior=f"exit={code}", times=1)

    def oom_kill(self) -> str:
        """Ends each container once, now or with its start, as the kernel does when its memory is used up."""
        return self._rule(behavior="oom", times=1)

    def never_ready(self) -> str:
        """Lets readiness probes fail. A container without one is not ready either."""
        return self._rule(probes={"readiness": "fail"})

    def unhealthy(self) -> str:
        """Lets liveness probes fail."""
        return self._rule(probes={"liveness": "fail"})

    def fail_hook(self, hook: str) -> str:
        """Lets the hook ``postStart`` or ``preStop`` fail."""
        return self._rule(hooks={hook: "fail"})


class Images(_Rules):
    """Images whose pulls a rule is for. Each method returns the rule's name."""

    def fail(self, how: str) -> str:
        """Lets pulls fail as a registry does: ``unavailable``, ``absent``, ``unauthorized`` and others of docs/containers.md."""
        return self._rule(pull={"fail": how})

    def take(self, seconds: float) -> str:
        """Lets pulls take this long."""
        return self._rule(pull={"latency": f"{round(seconds * 1000)}ms"})


class NodeControl:
    """What a test does to nodes."""

    def __init__(self, nodes: Nodes, name: str) -> None:
        self._nodes, self._name = nodes, name

    def down(self) -> None:
        """Takes their power: no heartbeats, and containers are lost. Pods stay in the API server."""
        self._happen("NodeDown", "24h")

    def up(self) -> None:
        """Starts them again, and their pods with them."""
        self._nodes._ask("DELETE", f"/v1/node-faults/{_quote(self._name)}")

    def restart_kubelet(self, seconds: float = 10.0) -> None:
        """Kills the kubelet, and starts it again after this time. Containers keep running."""
        self._happen("KubeletRestart", f"{round(seconds * 1000)}ms")

    def _happen(self, kind: str, duration: str) -> None:
        self._nodes._ask("POST", "/v1/node-faults", {"kind": kind, "node": self._name, "for": duration})


def start_node(
    kubeconfig: Union[str, os.PathLike[str]],
    *args: str,
    nodes: int = 1,
    bind: bool = True,
    collect: bool = False,
    fast: int = 1,
    command: Optional[Sequence[str]] = None,
    image: Optional[str] = None,
    timeout: float = 30.0,
) -> Nodes:
    """Starts nodes for the API server of a kubeconfig, with these flags of ``mockri node``, and waits until it shows the first.

    ``bind`` binds pods that have no node, as a scheduler does; ``collect`` does what controllers do when a node or the owner of a
    pod goes; ``fast`` is how many times as fast as real time the nodes' time passes. The program is found as by ``mockri.start``.
    """
    file = os.path.abspath(kubeconfig)
    found, container = find_program(command, image)
    if container is not None:
        user = f"{os.getuid()}:{os.getgid()}"
        found = [find_docker(container), "run", "--rm", "--interactive", "--network=host", f"--user={user}"]
        found += [f"--volume={file}:{file}:ro", container]
    flags = ["--kubeconfig", file, *_FLAGS, "--clock", f"fast:{fast}", "--nodes", str(nodes)]
    flags += ["--bind"] * bind + ["--collect"] * collect
    process = Process([*found, "node", *flags, *args], texts=["control"])
    process.await_ready(time.monotonic() + timeout)
    started = Nodes(process)
    # The history of calls begins with the first request.
    started.calls()
    return started


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value}


def _split(pod: str) -> tuple[str, str]:
    namespace, found, name = pod.partition("/")
    if not (namespace and found and name):
        raise MockriError(f"{pod!r} is not a pod: expected namespace/name, such as default/db-0")
    return namespace, name
