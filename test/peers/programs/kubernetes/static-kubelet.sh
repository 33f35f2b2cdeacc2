# Sourced after lib.sh: a kubelet of static pods, without an API server.
# shellcheck shell=bash disable=SC2034

# start_static_kubelet: on the runtime at $endpoint, with the pods in $manifests; sets $pods_url, $kubelet_log and $kubelet.
start_static_kubelet() {
  local port open_port
  command -v kubelet >/dev/null || skip "no kubelet: run the peer real-kubelet first"
  port=$(free_port) open_port=$(free_port)
  manifests="$scratch/manifests" pods_url="http://127.0.0.1:$open_port/pods" kubelet_log="$scratch/kubelet.log"
  mkdir "$manifests"
  sed "s|\$ENDPOINT|$endpoint|; s|\$SCRATCH|$scratch|; s|\$PORT|$port|; s|\$READONLY|$open_port|
    /featureGates/d; /runtimeRequestTimeout/d" "$repository/test/peers/suites/real-kubelet/kubelet.yaml" >"$scratch/kubelet.yaml"
  kubelet --config "$scratch/kubelet.yaml" --root-dir "$scratch/root" --cert-dir "$scratch/pki" \
    --hostname-override mock-node --v=3 >"$kubelet_log" 2>&1 &
  kubelet=$!
  at_exit "kill $kubelet 2>/dev/null; wait $kubelet 2>/dev/null; awk '\$2 ~ \"^$scratch\" {print \$2}' /proc/mounts | xargs -r umount"
  await 60 curl -fs "$pods_url" || { tail -n 5 "$kubelet_log" >&2 && exit 1; }
}

# mockri_as PROFILE: a server on which the image that the registry of containerd's tests lacks is not found; sets $endpoint.
mockri_as() {
  cat >"$scratch/mockri.yaml" <<'Y'
version: 1
images:
  - match: localhost:5000/nope:1
    fail:
      kind: not-found
      message: 'failed to pull and unpack image "localhost:5000/nope:1": failed to resolve reference "localhost:5000/nope:1": localhost:5000/nope:1: not found'
Y
  start_mockri --profile "$1" --config "$scratch/mockri.yaml"
}
