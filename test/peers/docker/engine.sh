# Sourced: starts the dockerd of a directory, also one that was killed. Its containers, images and network are there.
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

# start_engine DIR
start_engine() {
  local dir=$1 proxy
  add_bridge "$dir"
  proxy="http://127.0.0.1:$(<"$dir/proxy.port")"
  export DOCKER_HOST="unix://$dir/docker.sock"
  rm -f "$dir/docker.pid"
  HTTP_PROXY=$proxy HTTPS_PROXY=$proxy NO_PROXY=localhost,127.0.0.1 setsid dockerd \
    --data-root "$dir/data" --exec-root "$dir/exec" -H "$DOCKER_HOST" --pidfile "$dir/docker.pid" --storage-driver vfs \
    --bridge "$(bridge_of "$dir")" \
    --insecure-registry registry.k8s.io --insecure-registry gcr.io --insecure-registry k8s.gcr.io \
    >>"$dir/dockerd.log" 2>&1 &
  echo $! >"$dir/dockerd.pid"
  await 60 docker info || { tail -n 20 "$dir/dockerd.log" >&2; return 1; }
}

# kill_engine DIR: as a crash would; its containerd goes with it, the containers' processes may stay.
kill_engine() {
  local pid
  pid=$(<"$1/dockerd.pid")
  kill -9 "$pid"
  await 10 test ! -d "/proc/$pid"
}
