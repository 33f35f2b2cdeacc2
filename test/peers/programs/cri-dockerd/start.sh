#!/usr/bin/env bash
# Real cri-dockerd 0.4 as a CRI endpoint, built from its Go module, with Docker Engine of Debian:
#   start.sh DIR   prints the endpoint, unix://DIR/cri-dockerd.sock
#   stop.sh DIR
# Needs root, and Go to build it. Images are those of test/peers/programs/docker.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../service.sh"
source "$here/../crio/config.sh"
dir=$(mkdir -p "${1:?usage: start.sh DIR}" && cd "$1" && pwd)
[ "$(id -u)" = 0 ] || skip 'cri-dockerd needs root'

# Without socat it forwards no port.
need jq runc docker dockerd busybox socat cri-dockerd
[ -d /usr/lib/cni ] || bash "$here/../../install.sh" /usr/lib/cni/bridge

# A bridge and host ports, with names and addresses of their own.
mkdir -p "$dir"/{cni,cache,root}
cat >"$dir/cni/10-bridge.conflist" <<'J'
{"cniVersion": "0.4.0", "name": "dockerd-peers", "plugins": [
  {"type": "bridge", "bridge": "cni-docker-peer", "isGateway": true, "ipMasq": true, "ipam": {
    "type": "host-local", "ranges": [[{"subnet": "10.135.0.0/16"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}
]}
J
# Docker gives the pause container an oom_score_adj that needs CAP_SYS_RESOURCE.
write_runtime "$dir"
docker=$(bash "$here/../docker/start.sh" "$dir/engine" --add-runtime "peer=$dir/runc" --default-runtime peer)

start_cri_dockerd() {
  setsid perl "$here/activate.pl" "$dir/cri-dockerd.sock" cri-dockerd --container-runtime-endpoint fd:// \
    --docker-endpoint "$docker" --pod-infra-container-image registry.k8s.io/pause:3.10 --network-plugin cni \
    --cni-conf-dir "$dir/cni" --cni-bin-dir /usr/lib/cni --cni-cache-dir "$dir/cache" \
    --cri-dockerd-root-directory "$dir/root" --streaming-bind-addr 127.0.0.1 >"$dir/cri-dockerd.log" 2>&1 &
  echo $! >"$dir/cri-dockerd.pid"
  await_service "$dir" cri-dockerd grep -q 'Start cri-dockerd grpc backend' "$dir/cri-dockerd.log"
}
start_services "$dir" cri-dockerd start_cri_dockerd
echo "unix://$dir/cri-dockerd.sock"
