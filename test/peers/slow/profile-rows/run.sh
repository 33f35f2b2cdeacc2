#!/usr/bin/env bash
# The real kubelet on Mockri as containerd (PROFILE, default containerd-2.4), in real time: it shows the rows that were recorded
# of kubelet 1.36.3 on containerd 2.1.9.
# SECONDS_LONG (default 60) is how long; 1900 has them all, such as the 18 rows of the crash loop of sigterm-test. Needs
# the kubelet that the peer real-kubelet builds, and root. Some pods only: run.sh NAME...
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
need jq curl
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"
command -v kubelet >/dev/null || skip "no kubelet: run the peer real-kubelet first"

# Nothing answered a probe of sigterm-test's port in the network of the recorded machine, so that the kubelet learned of
# the third failure a second late. Here the port refuses at once, and the stop waits for that second.
cat >"$scratch/network.yaml" <<'Y'
version: 1
faults:
  - name: silent-network
    match: { method: StopContainer, pod: { name: sigterm-test-* } }
    then: { delay: 1s }
Y
# The recorded registry has one image.
cat >"$scratch/mockri.yaml" <<'Y'
version: 1
images:
  - match: localhost:5000/nope:1
    fail:
      kind: not-found
      message: 'failed to pull and unpack image "localhost:5000/nope:1": failed to resolve reference "localhost:5000/nope:1": localhost:5000/nope:1: not found'
Y
start_mockri --profile "${PROFILE:-containerd-2.4}" --config "$scratch/mockri.yaml" --faults "$scratch/network.yaml"

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
npx tsx test/peers/slow/profile-rows/main.ts "$scratch/manifests" "http://127.0.0.1:$open_port/pods" "${SECONDS_LONG:-60}" "$@"
