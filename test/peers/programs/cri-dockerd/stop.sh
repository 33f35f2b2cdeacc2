#!/usr/bin/env bash
# Ends what start.sh started in DIR: cri-dockerd, and the engine with all its containers.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$(cd "${1:?usage: stop.sh DIR}" && pwd) || exit 1
source "$here/../../service.sh"
stop_service "$dir" cri-dockerd
[ -d "$dir/engine" ] && bash "$here/../docker/stop.sh" "$dir/engine"
true
