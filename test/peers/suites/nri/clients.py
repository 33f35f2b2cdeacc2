"""clients.py PROGRAM: a test of a plugin, with the client for Python."""

import subprocess
import sys

import mockri

with mockri.start("--nri-socket", "temporary") as server:
    server.add_pod("before", {"name": "old"}, {"name": "gone", "state": "exited", "exitCode": 3})
    gone = server.state().container("gone")
    assert gone is not None and (gone.state, gone.exit_code) == ("EXITED", 3), gone
    assert server.plugins() == []
    command = [sys.argv[1], "record", server.nri, "10", "recorder"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as plugin:
        assert "CreateContainer" in server.wait_for_plugin("10-recorder").events
        adjust = {"adjust.mockri.dev/10-recorder": '{"env": [{"key": "GPU", "value": "0"}]}'}
        pod = server.add_pod("web", {"name": "app", "state": "created", "annotations": adjust})
        assert [each.state for each in pod.containers] == ["CREATED"], pod
        adjusted = server.adjusted("app")
        assert adjusted is not None and adjusted.owners["Env"] == {"GPU": "10-recorder"}, adjusted
        assert "GPU=0" in adjusted.spec["process"]["env"]
        assert server.adjusted("old") is None
        try:
            server.wait_for_plugin("20-other", timeout=0.1)
        except TimeoutError as error:
            assert "no plugin 20-other within 0.1 s; connected: 10-recorder" in str(error), error
        else:
            raise AssertionError("it waits for a plugin that does not come")
        plugin.terminate()
print("as it should be")
