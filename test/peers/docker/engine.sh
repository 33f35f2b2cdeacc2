# Sourced: starts the dockerd of a directory, also one that was killed. Its containers, images and network are there.
# shellcheck shell=bash

# start_engine DIR
start_engine() {
  local dir=$1 proxy
  proxy="http://127.0.0.1:$(<"$dir/proxy.port")"
  export DOCKER_HOST="unix://$dir/docker.sock"
  rm -f "$dir/docker.pid"
  HTTP_PROXY=$proxy HTTPS_PROXY=$proxy NO_PROXY=localhost,127.0.0.1 setsid dockerd \
    --data-root "$dir/data" --exec-root "$dir/exec" -H "$DOCKER_HOST" --pidfile "$dir/docker.pid" --storage-driver vfs \
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
