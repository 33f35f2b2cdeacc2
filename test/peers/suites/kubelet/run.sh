#!/usr/bin/env bash
# Runs the thin kubelet in real time on real containerd, with the manifests whose life under the real kubelet was
# recorded, and compares rows and events. Takes two minutes. On a runtime that is there already, which must have a
# network plugin:
#   MOCKRI_TARGET=unix:///run/containerd/containerd.sock run.sh
# uses: containerd-directory
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"

endpoint=${MOCKRI_TARGET:-}
if [ -z "$endpoint" ]; then
  endpoint=$(bash "$here/../../programs/containerd/start.sh" "$peers/containerd" 2.1) || exit $?
  at_exit "bash '$here/../../programs/containerd/stop.sh' '$peers/containerd'"
fi
cd "$repository"
npx tsx test/peers/suites/kubelet/main.ts "$endpoint"
