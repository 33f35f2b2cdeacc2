#!/usr/bin/env bash
# Runs the thin kubelet in real time on real containerd, with the manifests whose life under the real kubelet was
# recorded, and compares rows and events. Takes two minutes. On a runtime that is there already, which must have a
# network plugin:
#   MOCKRI_TARGET=unix:///run/containerd/containerd.sock run.sh
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"

endpoint=${MOCKRI_TARGET:-}
[ -n "$endpoint" ] || start_in_memory containerd 2.4 || exit $?
cd "$repository"
npx tsx test/peers/suites/kubelet/main.ts "$endpoint"
