#!/usr/bin/env bash
# Runs the thin kubelet in real time on containerd (PROFILE, default containerd-2.4) with the pods of
# test/oracle/kubelet-1.36.3/pod-histories, and compares what happens with the recording of the real kubelet, in
# test/oracle/kubelet-VERSION. With RECORD=1 the real kubelet is recorded instead; with REAL=1 it runs on Mockri with the
# profile. Each takes three minutes. The kubelet is taken from the path, or from what the peer real-kubelet built.
# PODS names the directory of test/oracle/kubelet-1.36.3 with the pods: pod-histories (default) or random-pod-histories;
# HISTORIES another one that has pods.yaml and the recording, such as one that random-pods.ts made; RECORDING another recording.
# A further run is recorded in a directory with a number (RECORDING=.../pod-histories-2): a pod is compared with all runs.
# CONTROL=1 compares the runs with each other. KEEP=DIRECTORY keeps what is compared; KEPT=DIRECTORY compares that again.
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"
source "$here/../../programs/kubernetes/static-kubelet.sh"
need jq curl
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"
profile=${PROFILE:-containerd-2.4} version=$(version_of kubernetes)
pods=${HISTORIES:-test/oracle/kubelet-1.36.3/${PODS:-pod-histories}}
recording=${RECORDING:-${HISTORIES:-test/oracle/kubelet-${version#v}/${PODS:-pod-histories}}}
histories() { npx tsx test/peers/slow/pod-histories/main.ts "$1" "$version" "$pods" "$recording" "${@:2}"; }
# with_kubelet TASK: of main.ts, beside the real kubelet.
with_kubelet() {
  start_static_kubelet
  sleep 5
  histories "$1" "$manifests" "$pods_url" "$kubelet_log"
}

cd "$repository"
if [ -n "${CONTROL:-}" ]; then
  histories control
  exit
fi
if [ -n "${KEPT:-}" ]; then
  histories kept "$KEPT"
  exit
fi
if [ -n "${REAL:-}" ]; then
  mockri_as "$profile"
  with_kubelet real
  exit
fi
endpoint=${MOCKRI_TARGET:-}
[ -n "$endpoint" ] || start_in_memory containerd "${profile#containerd-}"
if [ -n "${RECORD:-}" ]; then with_kubelet record; else histories thin "$endpoint"; fi
