"""A running server, and its control API."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from types import TracebackType
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, TypeVar, Union

from .process import MockriError, Process
from .types import (
    Adjusted,
    Call,
    CallFilter,
    Finding,
    Plugin,
    Rule,
    Sandbox,
    State,
    adjusted_of,
    call_of,
    finding_of,
    plugin_of,
    rule_of,
    sandbox_of,
    state_of,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["MockriError", "Server", "start"]

T = TypeVar("T", bound="Control")

#: Seconds that the answer to a request may take, beside the time that it waits for a call.
_REQUEST_TIMEOUT = 30.0
#: Bytes of a reply, and of an error, that are read.
_MOST_REPLY = 64 * 1024 * 1024
_MOST_PROBLEM = 64 * 1024


class Control:
    """What a server and nodes have in common. As a context manager, it stops at the end of the block."""

    def __init__(self, process: Process) -> None:
        self._process = process
        #: URL of the HTTP control API.
        self.control: str = process.ready["control"]
        #: The process, as it sees itself.
        self.pid: int = process.ready["pid"]

    def __enter__(self: T) -> T:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.stop()

    @property
    def log(self) -> str:
        """The end of its log."""
        return self._process.log

    def stop(self) -> None:
        """Stops it. Doing it again is fine."""
        self._process.stop()

    def fault(self, shorthand: str, name: Optional[str] = None) -> Rule:
        """Adds rules in the shorthand, such as ``StartContainer=2*error(UNAVAILABLE)``; returns the first."""
        body = {"shorthand": shorthand} if name is None else {"shorthand": shorthand, "name": name}
        return self.add_fault(body)

    def add_fault(self, rule: Mapping[str, Any]) -> Rule:
        """Adds a rule in the file format, and returns it."""
        added = [rule_of(each) for each in self._ask("POST", "/v1/faults", rule)["faults"]]
        if not added:
            raise MockriError(f"{rule!r} made no rule")
        return added[0]

    def faults(self) -> list[Rule]:
        """The rules in force, in order, and what they have done."""
        return [rule_of(each) for each in self._ask("GET", "/v1/faults")["faults"]]

    def remove_fault(self, rule: Union[Rule, str]) -> None:
        """Removes a rule. Calls that it delays continue."""
        name = rule if isinstance(rule, str) else rule.name
        self._ask("DELETE", f"/v1/faults/{_quote(name)}")

    def reset(self) -> None:
        """Removes all rules."""
        self._ask("POST", "/v1/reset")

    def calls(self, **filters: Unpack[CallFilter]) -> list[Call]:
        """The finished calls that fit, oldest first."""
        return self._calls(0, filters)

    def wait_for_call(self, *, timeout: float = 10.0, **filters: Unpack[CallFilter]) -> Call:
        """The first finished call that fits. Waits for it, at most ``timeout`` seconds; then raises TimeoutError
        with the last calls that did come."""
        found = self._calls(timeout, filters)
        if not found:
            raise TimeoutError(f"no call that fits {_given(filters)} within {timeout} s; {_last_calls(self.calls())}")
        return found[0]

    def _calls(self, wait: float, filters: CallFilter) -> list[Call]:
        query = {key: _text(value) for key, value in _given(filters).items()}
        query["limit"] = "10000"
        if wait > 0:
            query["wait"] = f"{round(wait * 1000)}ms"
        reply = self._ask("GET", f"/v1/calls?{urllib.parse.urlencode(query)}", wait=wait)
        return [call_of(each) for each in reply["calls"]]

    def _ask(
        self, method: str, path: str, body: Optional[Mapping[str, Any]] = None, wait: float = 0
    ) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.control + path, data, headers, method=method)
        try:
            with _opener.open(request, timeout=wait + _REQUEST_TIMEOUT) as response:
                text = response.read(_MOST_REPLY + 1)
        except urllib.error.HTTPError as error:
            raise MockriError(f"{method} {path}: {_detail(error)}") from None
        # A connection that ends before the reply is no URLError.
        except (OSError, http.client.HTTPException) as error:
            raise MockriError(f"{method} {path}: {getattr(error, 'reason', error)}\n{self.log}") from error
        if len(text) > _MOST_REPLY:
            raise MockriError(f"{method} {path}: the reply has more than {_MOST_REPLY} bytes")
        try:
            reply = json.loads(text)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise MockriError(f"{method} {path}: the reply is not a JSON object: {text[:200]!r}")
        return reply


class Server(Control):
    """A running mock runtime."""

    def __init__(self, process: Process) -> None:
        super().__init__(process)
        #: Address of the CRI: unix:///path, or tcp://host:port in a container.
        self.endpoint: str = process.ready["listen"]
        #: Socket for node resource plugins; empty without the flags ``--nri-socket temporary``.
        self.nri: str = process.ready.get("nri", "")

    @property
    def target(self) -> str:
        """The endpoint in the form that ``grpc.insecure_channel`` takes."""
        return self.endpoint[len("tcp://") :] if self.endpoint.startswith("tcp://") else self.endpoint

    def state(self) -> State:
        """The sandboxes and containers as the runtime knows them."""
        return state_of(self._ask("GET", "/v1/state"))

    def exit_container(self, container_id: str, exit_code: int = 0, reason: Optional[str] = None) -> None:
        """Ends a container as if it ended by itself. The id may be the beginning of one."""
        body: dict[str, Any] = {"exitCode": exit_code}
        if reason is not None:
            body["reason"] = reason
        self._ask("POST", f"/v1/containers/{_quote(container_id)}/exit", body)

    def oom(self, container_id: str) -> None:
        """Ends a container as the kernel does when the container's memory is used up."""
        self.exit_container(container_id, 137, "OOMKilled")

    def add_pod(self, name: str, *containers: Mapping[str, Any], **fields: Any) -> Sandbox:
        """Makes a pod with its containers in given states, as a client would, and returns it: ``add_pod("web", {"name": "app"},
        {"name": "job", "state": "exited", "exitCode": 1}, annotations={"a": "b"})``. Fault rules do not act on it."""
        return sandbox_of(self._ask("POST", "/v1/pods", {"name": name, "containers": containers, **fields})["pod"])

    def plugins(self) -> list[Plugin]:
        """The node resource plugins that are connected, in the order in which they get requests. The server must run with
        ``--nri-socket temporary``, as for the other methods about plugins."""
        return [plugin_of(each) for each in self._ask("GET", "/v1/plugins")["plugins"]]

    def wait_for_plugin(self, name: str, timeout: float = 10.0) -> Plugin:
        """The plugin of a name such as ``10-logger``, once it is connected and synchronized. Waits for it, at most
        ``timeout`` seconds; then raises TimeoutError with those that are connected."""
        query = urllib.parse.urlencode({"plugin": name, "wait": f"{round(timeout * 1000)}ms"})
        found = [plugin_of(each) for each in self._ask("GET", f"/v1/plugins?{query}", wait=timeout)["plugins"]]
        for plugin in found:
            if f"{plugin.index}-{plugin.name}" == name:
                return plugin
        names = ", ".join(f"{each.index}-{each.name}" for each in found) or "none"
        raise TimeoutError(f"no plugin {name} within {timeout} s; connected: {names}. Does it connect to {self.nri}?")

    def adjusted(self, container: str) -> Optional[Adjusted]:
        """What plugins and CDI devices have made of the newest container with this name; None if they have changed nothing."""
        found = [each for each in self._ask("GET", "/v1/plugins")["adjusted"] if each["name"] == container]
        return adjusted_of(found[-1]) if found else None

    def findings(self) -> list[Finding]:
        """What the client did wrong, oldest first. The server must run with ``--referee warn``."""
        return [finding_of(each) for each in self._ask("GET", "/v1/referee")["findings"]]


#: Without the proxies of the environment: the server is on this machine.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


#: Calls that an error lists.
_MOST_LISTED = 10


def _last_calls(calls: Sequence[Call]) -> str:
    """What came instead, for an error."""
    if not calls:
        return "no call has ended yet"
    return "\n  ".join(["the last calls:", *map(_line, calls[-_MOST_LISTED:])])


def _line(call: Call) -> str:
    pod, container = call.subject.pod, call.subject.container
    names = [f"{pod['namespace']}/{pod['name']}"] if pod else []
    if container:
        names.append(container["name"])
    return " ".join([str(call.sequence), call.method, call.code, *names])


def _detail(error: urllib.error.HTTPError) -> str:
    text = error.read(_MOST_PROBLEM).decode(errors="replace")
    try:
        return str(json.loads(text)["detail"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"{error.code} {text}"


def _quote(part: str) -> str:
    return urllib.parse.quote(part, safe="")


def _given(filters: CallFilter) -> dict[str, Any]:
    """The fields that have a value. A misspelled one would fit all calls."""
    known = CallFilter.__annotations__
    unknown = [key for key in filters if key not in known]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no filter of calls; there are {', '.join(known)}")
    return {key: value for key, value in filters.items() if value is not None}


def _text(value: Union[str, int, bool]) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def start(
    *args: str,
    command: Optional[Sequence[str]] = None,
    image: Optional[str] = None,
    timeout: float = 30.0,
) -> Server:
    """Starts a server with these flags of ``mockri serve``, and waits until it is ready.

    The first of these that is set names the program: ``command`` and ``image``; the environment variable MOCKRI (a
    command line, such as ``node ../mockri/dist/src/cli/main.js``); the environment variable MOCKRI_IMAGE; the program
    mockri on the PATH. Raises MockriError if there is none, or if it is not ready within ``timeout`` seconds.
    """
    return Server(Process.launch(args, command=command, image=image, deadline=time.monotonic() + timeout))
