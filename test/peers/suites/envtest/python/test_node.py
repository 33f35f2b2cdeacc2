import os
import subprocess

import pytest

KUBECONFIG = os.environ["TEST_KUBECONFIG"]


@pytest.fixture(scope="session")
def mockri_kubeconfig():
    """Of the API server that the tests have started."""
    return KUBECONFIG


def kubectl(*args):
    return subprocess.run(["kubectl", "--kubeconfig", KUBECONFIG, *args], capture_output=True, text=True, check=True).stdout


def test_a_crash_loop(mockri_node):
    mockri_node.pods(labels={"app": "crash"}).exit_after(0.1, 3)
    kubectl("run", "crash", "--image", "registry.example/app:1", "--labels", "app=crash")
    mockri_node.wait_for_restart("default/crash", "crash")
    ended = mockri_node.wait_for(kind="container", what="ended", pod="crash")
    assert ended.exit_code == 3
    mockri_node.wait_for(kind="event", pod="crash", reason="BackOff")


def test_a_pod_that_is_killed(mockri_node):
    kubectl("run", "db", "--image", "registry.example/db:1")
    kubectl("wait", "--for=condition=Ready", "pod/db", "--timeout=30s")
    mockri_node.container("default/db", "db").oom_kill()
    assert mockri_node.wait_for(kind="container", what="ended", pod="db").reason == "OOMKilled"
    assert mockri_node.calls(method="StartContainer", pod="db")[0].code == "OK"
