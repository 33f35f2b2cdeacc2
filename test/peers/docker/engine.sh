# Sourced: starts the Docker Engine of a directory, also one that was killed. Its containers, images and network are
# there. As Debian's units have it, containerd is a service of its own, which a killed dockerd leaves alone with its
# containers. (A dockerd that has containerd as its child takes a killed one, not yet reaped, for one that still runs,
# and gives up after 15 s.)
# shellcheck shell=bash

# A bridge of the engine's own: another dockerd on the machine may take docker0 away.
bridge_of() { echo "mockri$(cksum <<<"$1" | cut -c 1-5)"; }

# add_bridge DIR
add_bridge() {
  local bridge third
  bridge=$(bridge_of "$1")
  third=$(($(cksum <<<"$1" | cut -d ' ' -f 1) % 256))
  ip link show "$bridge" >/dev/null 2>&1 && return
  ip link add name "$bridge" type bridge
  ip addr add "10.213.$third.1/24" dev "$bridge"
  ip link set "$bridge" up
}

# runs DIR NAME: whether the process of DIR/NAME.pid is there; one that its parent did not reap is not.
runs() {
  local state
  [ -f "$1/$2.pid" ] || return
  state=$(sed -n 's/^State:\s*\(.\).*/\1/p' "/proc/$(<"$1/$2.pid")/status" 2>/dev/null)
  [ -n "$state" ] && [ "$state" != Z ]
}

# await_service DIR NAME COMMAND...: until it answers; fails as soon as its process has ended.
await_service() {
  local dir=$1 name=$2 tries=1200
  shift 2
  until "$@" >/dev/null 2>&1; do
    runs "$dir" "$name" && ((tries-- > 0)) || return 1
    sleep 0.05
  done
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
    --data-root "$dir/data" --exec-root "$dir/exec" -H "$DOCKER_HOST" --pidfile "$dir/docker.pid" --storage-driver vfs \
    --bridge "$(bridge_of "$dir")" --cgroup-parent "/$(bridge_of "$dir")" \
    --insecure-registry registry.k8s.io --insecure-registry gcr.io --insecure-registry k8s.gcr.io \
    "${@:2}" >>"$dir/dockerd.log" 2>&1 &
  echo $! >"$dir/dockerd.pid"
  await_service "$dir" dockerd docker version
}

# start_engine DIR [DOCKERD_FLAG...]: what does not start is started again, as systemd would; what it said is printed.
start_engine() {
  local dir=$1 name
  export DOCKER_HOST="unix://$dir/docker.sock"
  for _ in 1 2 3; do
    add_bridge "$dir"
    start_containerd "$dir" && start_dockerd "$dir" "${@:2}" && return
    for name in containerd dockerd; do
      say "$name of $dir:"
      tail -n 20 "$dir/$name.log" >&2
    done
    kill_service "$dir" dockerd
    kill_service "$dir" containerd
  done
  return 1
}

# kill_service DIR dockerd|containerd: as a crash would; the containers' processes stay.
kill_service() {
  runs "$1" "$2" || return 0
  kill -9 "$(<"$1/$2.pid")"
  while runs "$1" "$2"; do sleep 0.02; done
}
