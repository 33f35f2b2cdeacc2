#!/usr/bin/env bash
# The real kubelet on Mockri as containerd (PROFILE, default containerd-2.4), in real time: it shows the rows that were recorded
# of the same kubelet on that containerd. With RECORD=1 it runs on containerd itself, and its rows are written to
# test/oracle/kubelet-VERSION.
# SECONDS_LONG (default 60) is how long; 1900 has them all, such as the 18 rows of the crash loop of sigterm-test. Needs
# the kubelet that the peer real-kubelet builds, and root. On a busy machine, run it with `nice -n -10`. Some pods only: run.sh NAME...
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
need jq curl
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"
command -v kubelet >/dev/null || skip "no kubelet: run the peer real-kubelet first"
profile=${PROFILE:-containerd-2.4} version=$(version_of kubernetes)
recording="$repository/test/oracle/kubelet-${version#v}"

# start_containerd: with its files in memory; what runs there ends with the test.
start_containerd() {
  local dir
  dir=$(mktemp -d /dev/shm/mockri-rows-XXXXXX)
  at_exit "bash '$here/../../programs/containerd/stop.sh' '$dir'; awk '\$2 ~ \"^$dir\" {print \$2}' /proc/mounts | xargs -r umount; rm -rf '$dir'"
  endpoint=$(bash "$here/../../programs/containerd/start.sh" "$dir" "${profile#containerd-}") || exit $?
}

# The registry of containerd's tests lacks one image.
cat >"$scratch/mockri.yaml" <<'Y'
version: 1
images:
  - match: localhost:5000/nope:1
    fail:
      kind: not-found
      message: 'failed to pull and unpack image "localhost:5000/nope:1": failed to resolve reference "localhost:5000/nope:1": localhost:5000/nope:1: not found'
Y
task=compare
if [ -n "${RECORD:-}" ]; then
  task=record
  start_containerd
else
  start_mockri --profile "$profile" --config "$scratch/mockri.yaml"
fi

port=$(free_port) open_port=$(free_port)
mkdir "$scratch/manifests"
sed "s|\$ENDPOINT|$endpoint|; s|\$SCRATCH|$scratch|; s|\$PORT|$port|; s|\$READONLY|$open_port|
  /featureGates/d; /runtimeRequestTimeout/d" "$here/../../suites/real-kubelet/kubelet.yaml" >"$scratch/kubelet.yaml"
kubelet --config "$scratch/kubelet.yaml" --root-dir "$scratch/root" --cert-dir "$scratch/pki" \
  --hostname-override mock-node --v=3 >"$scratch/kubelet.log" 2>&1 &
at_exit "kill $! 2>/dev/null; wait $! 2>/dev/null; awk '\$2 ~ \"^$scratch\" {print \$2}' /proc/mounts | xargs -r umount"
await 60 curl -fs "http://127.0.0.1:$open_port/pods" || { tail -n 5 "$scratch/kubelet.log" >&2 && exit 1; }
sleep 3
cd "$repository"
npx tsx test/peers/slow/profile-rows/main.ts "$task" "$recording" "$scratch/manifests" "http://127.0.0.1:$open_port/pods" \
  "${SECONDS_LONG:-60}" "$@"
