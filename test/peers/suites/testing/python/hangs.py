"""Hangs with a server: run.sh kills it, and looks for what it leaves behind."""

import time


def test_hangs(mockri):
    print("started", mockri.pid, flush=True)
    time.sleep(3600)
