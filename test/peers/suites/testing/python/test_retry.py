import subprocess

import pytest


def crictl(mockri, *args):
    """The client under test."""
    return subprocess.run(["crictl", "-r", mockri.endpoint, *args], capture_output=True, text=True)


def test_a_pull_fails_once(mockri):
    rule = mockri.fault("PullImage=1*error(UNAVAILABLE)", name="registry-down")
    assert rule.left == 1
    assert "Unavailable" in crictl(mockri, "pull", "busybox").stderr
    assert crictl(mockri, "pull", "busybox").returncode == 0
    first, second = mockri.calls(method="PullImage")
    assert (first.code, first.faults, second.code) == ("UNAVAILABLE", ("registry-down",), "OK")


def test_waits_for_a_call(mockri):
    client = subprocess.Popen(["crictl", "-r", mockri.endpoint, "images"], stdout=subprocess.DEVNULL)
    assert mockri.wait_for_call(method="ListImages").code == "OK"
    assert client.wait() == 0
    with pytest.raises(TimeoutError, match="no call that fits {'method': 'StopContainer'} within 0.1 s"):
        mockri.wait_for_call(method="StopContainer", timeout=0.1)
    with pytest.raises(TypeError, match="'metod' is no filter of calls; there are method, code, pod"):
        mockri.calls(metod="StopContainer")


def test_two_runtimes(mockri_factory):
    old, new = mockri_factory("--profile", "containerd-2.3"), mockri_factory("--profile", "containerd-2.4")
    assert "2.3." in crictl(old, "version").stdout
    assert "2.4." in crictl(new, "version").stdout
