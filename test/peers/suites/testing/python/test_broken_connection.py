import socket
import struct
import threading
from types import SimpleNamespace

import pytest
from mockri import MockriError, Server


def test_a_connection_that_is_reset():
    """urllib reports a reset before the reply as it is, other than one before the request."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_reset, args=(listener,), daemon=True).start()
        host, port = listener.getsockname()
        ready = {"listen": "", "control": f"http://{host}:{port}", "pid": 0}
        process = SimpleNamespace(ready=ready, log="the log\n")
        with pytest.raises(MockriError, match="GET /v1/faults: .*reset by peer(.|\n)*the log"):
            Server(process).faults()


def _reset(listener):
    connection, _ = listener.accept()
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
