#!/usr/bin/env bash
# Ends what start.sh started in DIR: containerd, its shims, and the registry if it was ours.
dir=$(cd "${1:?usage: stop.sh DIR}" && pwd) || exit 1
source "$(dirname "${BASH_SOURCE[0]}")/../../service.sh"
for name in containerd registry dockerd; do stop_service "$dir" "$name"; done
for pid in $(pgrep -f "containerd-shim.* -address $dir/containerd.sock"); do kill "$pid" 2>/dev/null; done
true
