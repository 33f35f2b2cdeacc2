#!/usr/bin/env bash
# Runs the thin kubelet in real time on a real runtime, with the manifests whose life under the real kubelet was
# recorded, and compares rows and events. Takes two minutes.
#   CONTAINER_RUNTIME_ENDPOINT=unix:///run/containerd/containerd.sock test/peers/kubelet/run.sh
# The runtime needs a network plugin and the image registry.k8s.io/e2e-test-images/busybox:1.29-2.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
endpoint=${CONTAINER_RUNTIME_ENDPOINT:-}
start=test/peers/containerd/start.sh
if [ -z "$endpoint" ] && [ -x "$start" ]; then endpoint=$("$start"); fi
if [ -z "$endpoint" ]; then
  echo "skipped: set CONTAINER_RUNTIME_ENDPOINT to a runtime such as containerd"
  exit 77
fi
exec npx tsx test/peers/kubelet/main.ts "$endpoint"
