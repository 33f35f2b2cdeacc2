# Sourced: starts the Docker Engine of a directory, also one that was killed. Its containers, images and network are
# there. As Debian's units have it, containerd is a service of its own, which a killed dockerd leaves alone with its
# containers. (A dockerd that has containerd as its child takes a killed one, not yet reaped, for one that still runs,
# and gives up after 15 s.)
# shellcheck shell=bash
source "$(dirname "${BASH_SOURCE[0]}")/../../service.sh"

# A bridge of the engine's own: another dockerd on the machine may take docker0 away.
bridge_of() { echo "mockri$(cksum <<<"$1" | cut -c 1-5)"; }

# add_bridge DIR
add_bridge() {
  local bridge third
  bridge=$(bridge_of "$1")
  third=$(($(cksum <<<"$1" | cut -d ' ' -f 1) % 256))
  ip link show "$bridge" >/dev/null 2>&1 && return
  while ip -4 -o address | grep -qF " 10.213.$third.1/"; do third=$(((third + 1) % 256)); done
  ip link add name "$bridge" type bridge
  ip addr add "10.213.$third.1/24" dev "$bridge"
  ip link set "$bridge" up
}

start_containerd() {
  local dir=$1
  runs "$dir" containerd && return
  cat >"$dir/containerd.toml" <<T
version = 2
root = "$dir/containerd"
state = "$dir/exec/containerd"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
address = "$dir/exec/containerd.sock"
[ttrpc]
address = "$dir/exec/containerd.sock.ttrpc"
T
  mkdir -p "$dir/exec"
  setsid containerd --config "$dir/containerd.toml" >>"$dir/containerd.log" 2>&1 &
  echo $! >"$dir/containerd.pid"
  await_service "$dir" containerd ctr -a "$dir/exec/containerd.sock" version
}

start_dockerd() {
  local dir=$1 proxy
  runs "$dir" dockerd && return
  proxy="http://127.0.0.1:$(<"$dir/proxy.port")"
  # Its number may be another process's by now.
  rm -f "$dir/docker.pid"
  HTTP_PROXY=$proxy HTTPS_PROXY=$proxy NO_PROXY=localhost,127.0.0.1 setsid dockerd \
    --containerd "$dir/exec/containerd.sock" \
    --data-root "$dir/data" --exec-root "$dir/exec" -H "$DOCKER_HOST" --pidfile "$dir/docker.pid" \
    --storage-driver "$(cat "$dir/storage-driver" 2>/dev/null || echo vfs)" \
    --bridge "$(bridge_of "$dir")" --cgroup-parent "/$(bridge_of "$dir")" \
    --insecure-registry registry.k8s.io --insecure-registry gcr.io --insecure-registry k8s.gcr.io \
    "${@:2}" >>"$dir/dockerd.log" 2>&1 &
  echo $! >"$dir/dockerd.pid"
  await_service "$dir" dockerd docker version
}

# use_overlay DIR: its engine keeps layers as differences where this file system can, instead of whole copies.
use_overlay() {
  local try="$1/overlay"
  mkdir -p "$try"/{lower,upper,work,merged}
  mount -t overlay -o "lowerdir=$try/lower,upperdir=$try/upper,workdir=$try/work" overlay "$try/merged" 2>/dev/null || return 0
  umount "$try/merged"
  echo overlay2 >"$1/storage-driver"
}

start_both() {
  add_bridge "$1"
  start_containerd "$1" && start_dockerd "$@"
}

# start_engine DIR [DOCKERD_FLAG...]
start_engine() {
  export DOCKER_HOST="unix://$1/docker.sock"
  start_services "$1" 'dockerd containerd' start_both "$@"
}
