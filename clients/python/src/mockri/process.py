"""The process of a server: it ends with its standard input, and so with this process."""

from __future__ import annotations

import atexit
import json
import os
import secrets
import shlex
import shutil
import subprocess
import threading
import time
from typing import IO, Any, Callable, Optional, Sequence

#: Seconds that a server may take to stop before it is killed.
_STOP_TIMEOUT = 10.0
#: Bytes of the server's log that are kept, and bytes that its ready line may have.
_MOST_LOG = 64 * 1024
_MOST_READY = 64 * 1024
#: Bytes that are read at a time.
_PIECE = 64 * 1024
#: Ports of the server in a container.
_CRI_PORT, _CONTROL_PORT = "10011", "10350"


class MockriError(Exception):
    """The server cannot be started, or refuses a request; the message says why and what is allowed."""


class Process:
    """A server that is ready."""

    def __init__(
        self,
        command: Sequence[str],
        kill: Callable[[], None] = lambda: None,
        texts: Sequence[str] = ("control", "listen"),
    ) -> None:
        environment = {key: value for key, value in os.environ.items() if key != "MOCKRI_IMAGE"}
        self._kill = kill
        self._log = b""
        try:
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
            )
        except OSError as error:
            raise MockriError(f"{shlex.join(command)}: {error}") from error
        #: The ready line; empty before it.
        self.ready: dict[str, Any] = {}
        self._command, self._texts = command, texts
        self._has_line = threading.Event()
        self._readers = [
            threading.Thread(target=self._read_output, args=(self._child.stdout,), daemon=True),
            threading.Thread(target=self._read_log, args=(self._child.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        atexit.register(self.stop)

    @staticmethod
    def launch(args: Sequence[str], command: Optional[Sequence[str]], image: Optional[str], deadline: float) -> Process:
        """Starts the server of the program that is chosen; see ``mockri.start``."""
        command, image = find_program(command, image)
        if image is not None:
            return _launch_container(image, args, deadline)
        flags = ["serve", "--listen", "temporary", "--control", "127.0.0.1:0", "--exit-with-stdin"]
        process = Process([*command, *flags, *args])
        process.await_ready(deadline)
        return process

    @property
    def log(self) -> str:
        """The end of the server's log."""
        return self._log.decode(errors="replace")

    def await_ready(self, deadline: float) -> None:
        """Waits for the ready line."""
        in_time = self._has_line.wait(max(0.0, deadline - time.monotonic()))
        if self.ready:
            return
        self.stop()
        problem = "ended without a ready line" if in_time else "not ready in time"
        raise MockriError(f"{shlex.join(self._command)}: {problem}\n{self.log}")

    def stop(self) -> None:
        """Closes the server's standard input; kills the server if it does not stop."""
        atexit.unregister(self.stop)
        child = self._child
        if child.stdin is not None and not child.stdin.closed:
            child.stdin.close()
        try:
            child.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            child.kill()
            self._kill()
            child.wait()
        for reader in self._readers:
            reader.join(1.0)

    def _read_output(self, stream: IO[bytes]) -> None:
        with stream:
            line = stream.readline(_MOST_READY)
            try:
                self.ready = _parse_ready(line, self._texts)
            except ValueError as error:
                if line:
                    self._keep(f"no ready line ({error}): {line[:200]!r}\n".encode())
            self._has_line.set()
            while stream.read(_PIECE):
                pass

    def _read_log(self, stream: IO[bytes]) -> None:
        with stream:
            while piece := os.read(stream.fileno(), _PIECE):
                self._keep(piece)

    def _keep(self, piece: bytes) -> None:
        self._log = (self._log + piece)[-_MOST_LOG:]


def find_program(command: Optional[Sequence[str]], image: Optional[str]) -> tuple[Sequence[str], Optional[str]]:
    """The command line, or the image, that is chosen; see ``mockri.start``."""
    if command is None and image is None:
        command = shlex.split(os.environ.get("MOCKRI", "")) or None
        image = os.environ.get("MOCKRI_IMAGE") or None
    if command is not None:
        return command, None
    if image is not None:
        return [], image
    path = shutil.which("mockri")
    if path is None:
        raise MockriError(
            "no program mockri on the PATH: install it, or set the environment variable MOCKRI to a command "
            'line such as "node …/dist/src/cli/main.js" of a checkout, or MOCKRI_IMAGE to a container image'
        )
    return [path], None


def _parse_ready(line: bytes, texts: Sequence[str]) -> dict[str, Any]:
    """A ready line with these texts. Raises ValueError for any other line."""
    try:
        ready: Any = json.loads(line)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(ready, dict):
        raise ValueError("it is not a JSON object")
    if any(not isinstance(ready.get(text), str) or not ready[text] for text in texts) or type(ready.get("pid")) is not int:
        raise ValueError(f"expected the texts {' and '.join(texts)}, and the number pid")
    if not isinstance(ready.get("nri", ""), str):
        raise ValueError("expected the text nri")
    return ready


def find_docker(image: str) -> str:
    docker = shutil.which("docker")
    if docker is None:
        raise MockriError(f"image {image} needs the program docker")
    return docker


def _launch_container(image: str, args: Sequence[str], deadline: float) -> Process:
    """The CRI is on a TCP port: a socket would need a shared directory, which a killed test would leave behind."""
    docker = find_docker(image)
    name = f"mockri-{secrets.token_hex(6)}"
    publish = [f"--publish=127.0.0.1:0:{port}" for port in (_CRI_PORT, _CONTROL_PORT)]
    listen = ["--listen", f"tcp://0.0.0.0:{_CRI_PORT}", "--control", f"0.0.0.0:{_CONTROL_PORT}"]

    def remove() -> None:
        subprocess.run([docker, "rm", "--force", name], capture_output=True)

    process = Process(
        [docker, "run", "--rm", "--interactive", "--name", name, *publish, image, "serve", *listen]
        + ["--control-allow-remote", "--exit-with-stdin", *args],
        kill=remove,
    )
    process.await_ready(deadline)
    process.ready["listen"] = f"tcp://{_published(docker, name, _CRI_PORT)}"
    process.ready["control"] = f"http://{_published(docker, name, _CONTROL_PORT)}"
    return process


def _published(docker: str, name: str, port: str) -> str:
    """The address on this machine of a container's port."""
    found = subprocess.run([docker, "port", name, f"{port}/tcp"], capture_output=True, text=True, check=True)
    return found.stdout.splitlines()[0]
