#!/usr/bin/env bash
# The real kubelet on Mockri as containerd (PROFILE, default containerd-2.4), in real time: it shows the rows that were recorded
# of the same kubelet on that containerd, in any of the runs. With RECORD=N it runs on containerd itself, and its rows are written to
# test/oracle/kubelet-VERSION as those of run N. CONTROL=1 starts nothing: it compares the runs with each other.
# KEEP=DIRECTORY keeps what is compared; KEPT=DIRECTORY compares that again.
# SECONDS_LONG (default 60) is how long; 1900 has them all, such as the 18 rows of the crash loop of sigterm-test. Needs
# the kubelet that the peer real-kubelet builds, and root. On a busy machine, run it with `nice -n -10`. Some pods only: run.sh NAME...
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"
source "$here/../../programs/kubernetes/static-kubelet.sh"
need jq curl
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"
profile=${PROFILE:-containerd-2.4} version=$(version_of kubernetes)
recording="$repository/test/oracle/kubelet-${version#v}"
rows() { (cd "$repository" && npx tsx test/peers/slow/profile-rows/main.ts "$1" "$recording" "${@:2}"); }

if [ -n "${CONTROL:-}" ]; then
  rows control
  exit
fi
if [ -n "${KEPT:-}" ]; then
  rows kept "$KEPT"
  exit
fi
if [ -n "${RECORD:-}" ]; then
  task=record
  start_in_memory containerd "${profile#containerd-}"
else
  task=compare
  mockri_as "$profile"
fi
start_static_kubelet
sleep 3
rows "$task" "$manifests" "$pods_url" "${SECONDS_LONG:-60}" "${RECORD:-1}" "$@"
