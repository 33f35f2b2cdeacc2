#!/usr/bin/env bash
# Runs the thin kubelet in real time on real containerd with the pods of test/oracle/kubelet-1.36.3/pod-histories, and compares
# what happens with the recording of the real kubelet, in test/oracle/kubelet-VERSION. Takes three minutes. With RECORD=1 the
# real kubelet is recorded first, three minutes more; with REAL=1 it runs on Mockri as that containerd (PROFILE, default
# containerd-2.4) instead of the thin one. The kubelet is taken from the path, or from what the peer real-kubelet built.
# PODS names the directory of test/oracle/kubelet-1.36.3 with the pods: pod-histories (default) or random-pod-histories;
# HISTORIES another one that has pods.yaml and the recording, such as one that random-pods.ts made; RECORDING another recording.
# uses: containerd-directory
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"
profile=${PROFILE:-containerd-2.4} version=$(version_of kubernetes)
pods=${HISTORIES:-test/oracle/kubelet-1.36.3/${PODS:-pod-histories}}
recording=${RECORDING:-${HISTORIES:-test/oracle/kubelet-${version#v}/${PODS:-pod-histories}}}
histories() { npx tsx test/peers/slow/pod-histories/main.ts "$1" "$version" "$pods" "$recording" "${@:2}"; }

# with_kubelet TASK: the real kubelet on $endpoint, and what main.ts does with it.
with_kubelet() {
  local port open_port kubelet
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
  histories "$1" "$scratch/manifests" "http://127.0.0.1:$open_port/pods" "$scratch/kubelet.log"
}

cd "$repository"
if [ -n "${REAL:-}" ]; then
  # The registry of containerd's tests lacks one image.
  echo 'images: [{ match: localhost:5000/nope:1, fail: { kind: not-found, message: "not found" } }]' >"$scratch/mockri.yaml"
  start_mockri --profile "$profile" --config "$scratch/mockri.yaml"
  with_kubelet real
  exit
fi

endpoint=${MOCKRI_TARGET:-}
if [ -z "$endpoint" ]; then
  endpoint=$(bash "$here/../../programs/containerd/start.sh" "$peers/containerd" "${profile#containerd-}") || exit $?
  at_exit "bash '$here/../../programs/containerd/stop.sh' '$peers/containerd'"
fi
if [ -n "${RECORD:-}" ]; then
  with_kubelet record
  # The pods end before the next kubelet comes.
  sleep 45
  kill "$kubelet"
fi
histories thin "$endpoint"
