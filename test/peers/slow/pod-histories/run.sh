#!/usr/bin/env bash
# Runs the thin kubelet in real time on real containerd with the pods of test/oracle/kubelet-1.36.3/pod-histories, and compares
# what happens with the recording of the real kubelet. Takes three minutes. With RECORD=1 the real kubelet is recorded
# first, three minutes more; it is taken from the path, or from what the peer real-kubelet built. HISTORIES names another
# directory with a pods.yaml, such as one that random-pods.ts made.
# uses: containerd-directory
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"

endpoint=${MOCKRI_TARGET:-}
if [ -z "$endpoint" ]; then
  endpoint=$(bash "$here/../../programs/containerd/start.sh" "$peers/containerd" 2.1) || exit $?
  at_exit "bash '$here/../../programs/containerd/stop.sh' '$peers/containerd'"
fi
cd "$repository"

if [ -n "${RECORD:-}" ]; then
  command -v kubelet >/dev/null || skip "no kubelet: run the peer real-kubelet first"
  port=$(free_port) open_port=$(free_port)
  mkdir "$scratch/manifests"
  sed "s|\$ENDPOINT|$endpoint|; s|\$SCRATCH|$scratch|; s|\$PORT|$port|; s|\$READONLY|$open_port|
    /featureGates/d; /runtimeRequestTimeout/d" "$here/../../suites/real-kubelet/kubelet.yaml" >"$scratch/kubelet.yaml"
  kubelet --config "$scratch/kubelet.yaml" --root-dir "$scratch/root" --cert-dir "$scratch/pki" \
    --hostname-override mock-node --v=3 >"$scratch/kubelet.log" 2>&1 &
  kubelet=$!
  at_exit "kill $kubelet 2>/dev/null; awk '\$2 ~ \"^$scratch\" {print \$2}' /proc/mounts | xargs -r umount"
  await 30 curl -fs "http://127.0.0.1:$open_port/pods"
  sleep 5
  npx tsx test/peers/slow/pod-histories/main.ts record "$scratch/manifests" "http://127.0.0.1:$open_port/pods" "$scratch/kubelet.log"
  # The pods end before the next kubelet comes.
  sleep 45
  kill "$kubelet"
fi
npx tsx test/peers/slow/pod-histories/main.ts compare "$endpoint"
