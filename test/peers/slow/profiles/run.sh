#!/usr/bin/env bash
# Measures containerd 2.4 and 2.3, or those named, such as cri-o-1.36 and cri-dockerd-0.4: what it answers and how long it takes. Writes
# test/oracle/profiles and src/runtime/profiles/*/latency-*.json; docs/profiles.md says what to do then. Two minutes for each. ROUNDS (default
# 20) is how often each operation is done. Any runtime, on a machine that has nothing else to do:
#   MOCKRI_TARGET=unix:///run/containerd/containerd.sock run.sh containerd-2.2
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
[ $# -gt 0 ] || set -- containerd-2.4 containerd-2.3
cd "$repository"

for name in "$@"; do
  endpoint=${MOCKRI_TARGET:-}
  if [ -z "$endpoint" ]; then
    dir="$peers/profiles-$name"
    case $name in cri-o-*) peer=crio ;; cri-dockerd-*) peer=cri-dockerd ;; *) peer=containerd ;; esac
    endpoint=$(bash "$here/../../programs/$peer/start.sh" "$dir" "${name##*-}") || exit $?
    at_exit "bash '$here/../../programs/$peer/stop.sh' '$dir'"
  fi
  npx tsx test/peers/slow/profiles/main.ts "$endpoint" "$name" "${ROUNDS:-20}"
done
npx biome check --write src/runtime/profiles >&2
