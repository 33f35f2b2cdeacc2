#!/usr/bin/env bash
# Ends what start.sh started in DIR: the engine with all its containers, the registry and the proxy.
dir=$(cd "${1:?usage: stop.sh DIR}" && pwd) || exit 1
source "$(dirname "${BASH_SOURCE[0]}")/engine.sh"
export DOCKER_HOST="unix://$dir/docker.sock"
containers=$(docker ps -aq 2>/dev/null)
# shellcheck disable=SC2086
[ -n "$containers" ] && docker rm -fv $containers >/dev/null 2>&1
for name in dockerd containerd registry proxy; do stop_service "$dir" "$name"; done
# Of containers whose engine was killed under them, and their processes, whose shim may be gone too.
for pid in $(pgrep -f "containerd-shim.* -address $dir/exec/"); do kill -9 "$pid" 2>/dev/null; done
for pid in $(grep -ls "/$(bridge_of "$dir")/" /proc/[0-9]*/cgroup | cut -d / -f 3); do kill -9 "$pid" 2>/dev/null; done
ip link del "$(bridge_of "$dir")" 2>/dev/null
# What the engine mounted and did not take away.
grep -o " $dir/[^ ]*" /proc/mounts | sort -r | xargs -r umount 2>/dev/null
true
