#!/usr/bin/env bash
# Ends what start.sh started in DIR: containerd, its shims, and the registry if it was ours.
dir=$(cd "${1:?usage: stop.sh DIR}" && pwd) || exit 1
for name in containerd registry dockerd; do
  [ -f "$dir/$name.pid" ] && kill "$(cat "$dir/$name.pid")" 2>/dev/null
  rm -f "$dir/$name.pid"
done
for pid in $(pgrep -f "containerd-shim.* -address $dir/containerd.sock"); do kill "$pid" 2>/dev/null; done
true
