"""What the control API answers."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, TypedDict


@dataclass(frozen=True)
class Subject:
    """The pod and container that a call is about; empty if it is about none."""

    pod: Mapping[str, str] = field(default_factory=dict)
    container: Mapping[str, Any] = field(default_factory=dict)


class CallFilter(TypedDict, total=False):
    """Which calls; what is left out or None fits all."""

    #: Name of the RPC, such as ``StartContainer``.
    method: Optional[str]
    #: Name of the status code that it ended with, such as ``OK``.
    code: Optional[str]
    #: Name of the pod, or the beginning of its id.
    pod: Optional[str]
    #: Name of the container, or the beginning of its id.
    container: Optional[str]
    #: Whether a fault rule took part.
    faulty: Optional[bool]
    #: Only calls after this sequence number.
    since: Optional[int]


@dataclass(frozen=True)
class Call:
    """A finished call. ``started_at`` is in nanoseconds since 1970, ``duration`` in milliseconds."""

    sequence: int
    method: str
    peer: str
    connection: int
    code: str
    started_at: int
    duration: float
    messages: int
    faults: tuple[str, ...]
    #: With ``mockri node``: the node's name.
    node: str = ""
    details: str = ""
    image: str = ""
    subject: Subject = field(default_factory=Subject)
    #: Values of fields that only the server's ``--proto`` knows, by path.
    new_fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    """A fault rule and what it has done. ``left`` is how often it may still act, None if without limit."""

    name: str
    source: str
    spec: Mapping[str, Any]
    text: str
    seen: int
    matched: int
    applied: int
    shadowed: int
    left: Optional[int] = None


@dataclass(frozen=True)
class Condition:
    """RuntimeReady or NetworkReady."""

    type: str
    status: bool
    reason: str
    message: str


@dataclass(frozen=True)
class Container:
    """A container of a sandbox. Times are nanoseconds since 1970, 0 for not yet."""

    id: str
    name: str
    attempt: int
    state: str
    image: str
    created_at: int
    started_at: int
    finished_at: int
    exit_code: int
    reason: str
    #: Values of fields that only the server's ``--proto`` knows, by path.
    new_fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sandbox:
    """A pod sandbox. Times are nanoseconds since 1970."""

    id: str
    name: str
    namespace: str
    uid: str
    attempt: int
    state: str
    runtime_handler: str
    created_at: int
    ips: tuple[str, ...]
    labels: Mapping[str, str]
    containers: tuple[Container, ...]
    #: Values of fields that only the server's ``--proto`` knows, by path.
    new_fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """The runtime's state."""

    conditions: tuple[Condition, ...]
    counts: Mapping[str, Mapping[str, int]]
    events: Mapping[str, Any]
    sandboxes: tuple[Sandbox, ...]

    def container(self, name: str) -> Optional[Container]:
        """The newest container with this name."""
        found = [each for sandbox in self.sandboxes for each in sandbox.containers if each.name == name]
        return max(found, key=lambda each: each.created_at, default=None)


@dataclass(frozen=True)
class Finding:
    """Something that the client did wrong. ``at`` is in nanoseconds since 1970."""

    sequence: int
    rule: str
    message: str
    method: str
    id: str
    peer: str
    at: int


@dataclass(frozen=True)
class Plugin:
    """A node resource plugin that is connected. ``events`` are those that it wants, such as ``CreateContainer``."""

    index: str
    name: str
    events: tuple[str, ...]


@dataclass(frozen=True)
class Adjusted:
    """A container that plugins or CDI devices have changed: ``owners`` says which plugin has set what, ``spec`` is its
    OCI spec with all changes."""

    id: str
    name: str
    sandbox_id: str
    owners: Mapping[str, Any]
    spec: Mapping[str, Any]


@dataclass(frozen=True)
class Moment:
    """What happened to a container on a mock node, or an event of a pod. ``at`` is in nanoseconds since 1970."""

    sequence: int
    at: int
    node: str
    kind: str
    pod: Mapping[str, str]
    container: Mapping[str, Any] = field(default_factory=dict)
    what: str = ""
    exit_code: int = 0
    reason: str = ""
    type: str = ""
    message: str = ""


_NAMES = {
    "sandboxId": "sandbox_id",
    "startedAt": "started_at",
    "createdAt": "created_at",
    "finishedAt": "finished_at",
    "exitCode": "exit_code",
    "runtimeHandler": "runtime_handler",
    "newFields": "new_fields",
}
_NUMBERS = {"started_at", "created_at", "finished_at", "at"}


def _fields(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a class from JSON. A newer server may send more fields, which are left out."""
    known = {each.name for each in dataclasses.fields(kind)}
    named = {_NAMES.get(key, key): value for key, value in data.items()}
    return {key: int(value) if key in _NUMBERS else value for key, value in named.items() if key in known}


def call_of(data: Mapping[str, Any]) -> Call:
    """A call from its JSON."""
    subject = data.get("subject", {})
    fields = _fields(Call, data)
    fields["faults"] = tuple(data["faults"])
    fields["subject"] = Subject(pod=subject.get("pod", {}), container=subject.get("container", {}))
    return Call(**fields)


def rule_of(data: Mapping[str, Any]) -> Rule:
    """A rule from its JSON."""
    return Rule(**_fields(Rule, data))


def finding_of(data: Mapping[str, Any]) -> Finding:
    """A finding from its JSON."""
    return Finding(**_fields(Finding, data))


def state_of(data: Mapping[str, Any]) -> State:
    """The state from its JSON."""
    return State(
        conditions=tuple(Condition(**_fields(Condition, each)) for each in data["conditions"]),
        counts=data["counts"],
        events=data["events"],
        sandboxes=tuple(sandbox_of(each) for each in data["sandboxes"]),
    )


def moment_of(data: Mapping[str, Any]) -> Moment:
    """A moment from its JSON."""
    return Moment(**_fields(Moment, data))


def plugin_of(data: Mapping[str, Any]) -> Plugin:
    """A plugin from its JSON."""
    return Plugin(**{**_fields(Plugin, data), "events": tuple(data["events"])})


def adjusted_of(data: Mapping[str, Any]) -> Adjusted:
    """A changed container from its JSON."""
    return Adjusted(**_fields(Adjusted, data))


def sandbox_of(data: Mapping[str, Any]) -> Sandbox:
    fields = _fields(Sandbox, data)
    fields["ips"] = tuple(data["ips"])
    fields["containers"] = tuple(Container(**_fields(Container, each)) for each in data["containers"])
    return Sandbox(**fields)
