#!/usr/bin/env bash
# Ends what start.sh started in DIR: cri-dockerd, and the engine with all its containers.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$(cd "${1:?usage: stop.sh DIR}" && pwd) || exit 1
[ -f "$dir/cri-dockerd.pid" ] && kill "$(<"$dir/cri-dockerd.pid")" 2>/dev/null
rm -f "$dir/cri-dockerd.pid"
[ -d "$dir/engine" ] && bash "$here/../docker/stop.sh" "$dir/engine"
true
